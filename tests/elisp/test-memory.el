;;; test-memory.el --- Tests of what is kept for good  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Code:

(require 'roam-semantic-test)
(require 'roam-semantic-memory)

(defmacro roam-semantic-test-with-memory (&rest body)
  "Run BODY with a memory of its own."
  (declare (indent 0) (debug (body)))
  `(let* ((folder (make-temp-file "memory" t))
          (roam-semantic-memory-file (expand-file-name "deep/memory.eld" folder))
          (roam-semantic-memory--table nil)
          (roam-semantic-memory--read-from nil))
     (unwind-protect (progn ,@body)
       (delete-directory folder t))))

(ert-deftest roam-semantic-a-decision-outlives-emacs ()
  (roam-semantic-test-with-memory
    (roam-semantic-memory-add 'pinned "a" "\"odd\" 盧曼\n")
    (roam-semantic-memory-add 'hidden "a" "c")
    (setq roam-semantic-memory--table nil)
    (should (roam-semantic-memory-p 'pinned "a" "\"odd\" 盧曼\n"))
    (should-not (roam-semantic-memory-p 'pinned "a" "c"))
    (should (equal '("c") (roam-semantic-memory-all 'hidden "a")))))

(ert-deftest roam-semantic-a-decision-can-be-taken-back ()
  (roam-semantic-test-with-memory
    (roam-semantic-memory-add 'pinned "a" "b")
    (roam-semantic-memory-remove 'pinned "a" "b")
    (setq roam-semantic-memory--table nil)
    (should-not (roam-semantic-memory-p 'pinned "a" "b"))))

(ert-deftest roam-semantic-what-another-emacs-decided-is-seen ()
  (roam-semantic-test-with-memory
    (roam-semantic-memory-add 'pinned "a" "b")
    (write-region "((hidden \"x\" \"y\"))" nil roam-semantic-memory-file nil 'silent)
    (set-file-times roam-semantic-memory-file (time-add nil 5))
    (should (roam-semantic-memory-p 'hidden "x" "y"))))

(ert-deftest roam-semantic-a-broken-memory-is-set-aside ()
  (roam-semantic-test-with-memory
    (make-directory (file-name-directory roam-semantic-memory-file))
    (write-region "((" nil roam-semantic-memory-file nil 'silent)
    (should-not (roam-semantic-memory-p 'hidden "x" "y"))
    (should (file-exists-p (concat roam-semantic-memory-file ".broken")))
    (roam-semantic-memory-add 'hidden "x" "y")
    (should (roam-semantic-memory-p 'hidden "x" "y"))))

(provide 'test-memory)
;;; test-memory.el ends here
