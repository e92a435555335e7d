;;; test-results.el --- Tests of hits in a buffer  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Code:

(require 'roam-semantic-test)
(require 'roam-semantic-results)

(defun roam-semantic-test-numbered-hit (number)
  "Return hit NUMBER, in a file of its own."
  (let ((file (expand-file-name (format "roam-semantic-%d.org" number)
                                temporary-file-directory)))
    (unless (file-exists-p file)
      (write-region (format "* Heading %d\ntext\n" number) nil file nil 'silent))
    (list :node-id (format "id-%d" number) :title (format "Note [%d] 100%%" number)
          :file file :outline-path nil :line 1 :pos 1 :passage "* a star\nand more words"
          :score 0.5 :why "both" :tags '("one" "two") :modified 0.0)))

(defmacro roam-semantic-test-with-results (replies &rest body)
  "Ask a fake server with REPLIES; run BODY in the buffer of hits."
  (declare (indent 1) (debug (form body)))
  `(let ((before (roam-semantic-test--belongings))
         (next-error-last-buffer nil))
     (roam-semantic-test-with-replies ,replies
       (save-window-excursion
         (unwind-protect
             (progn
               (roam-semantic-search-buffer "why we forget 100%")
               (roam-semantic-test-wait (lambda () (null roam-semantic-results--asking)))
               ,@body)
           (dolist (buffer (buffer-list))
             (when (or (string-prefix-p "*notes: " (buffer-name buffer))
                       (string-prefix-p "roam-semantic-" (buffer-name buffer)))
               (kill-buffer buffer)))
           (mapc #'delete-file
                 (file-expand-wildcards
                  (expand-file-name "roam-semantic-*.org" temporary-file-directory))))))
     (should (equal before (roam-semantic-test--belongings)))))

(defun roam-semantic-test-two-hits ()
  "Return replies with two hits."
  `((semantic-search :answers (:hits (,(roam-semantic-test-numbered-hit 1) ,(roam-semantic-test-numbered-hit 2))
                                     :next-offset 2 :degraded ("rerank: none")
                                     :index (:pending 3)))))

(ert-deftest roam-semantic-hits-are-headings-with-links-and-passages ()
  (roam-semantic-test-with-results (roam-semantic-test-two-hits)
    (let ((text (buffer-substring-no-properties (point-min) (point-max))))
      (should (string-match-p "\\`\\* \\[\\[id:id-1]\\[Note \\[1] 100%]]  :one:two:\n" text))
      (should (string-search "\n  50% both, roam-semantic-1.org:1, 1970-01-01\n" text))
      (should (string-search "\n  * a star and more words\n" text))
      (should (= 2 (how-many "^\\* " (point-min) (point-max)))))
    (should buffer-read-only)
    (should (equal "*notes: why we forget 100%*" (buffer-name)))
    (should (equal (concat " “why we forget 100%%”: 2 hits; + shows more; without rerank; "
                           "3 passages not indexed")
                   (roam-semantic-results--header)))))

(ert-deftest roam-semantic-every-key-of-the-buffer-is-a-command ()
  (dolist (key '("RET" "o" "SPC" "n" "p" "f" "g" "e" "+" "q" "?"))
    (should (commandp (lookup-key roam-semantic-results-mode-map (kbd key))))))

(ert-deftest roam-semantic-keys-walk-the-hits ()
  (roam-semantic-test-with-results (roam-semantic-test-two-hits)
    (roam-semantic-results-next 1)
    (should (equal "id-2" (plist-get (roam-semantic-results--here) :node-id)))
    (should-error (roam-semantic-results-next 1) :type 'user-error)
    (forward-line 1)
    (roam-semantic-results-previous 1)
    (should (equal "id-1" (plist-get (roam-semantic-results--here) :node-id)))
    (should (bolp))
    (should-error (roam-semantic-results-previous 1) :type 'user-error)))

(ert-deftest roam-semantic-next-error-visits-each-hit-from-the-first ()
  (roam-semantic-test-with-results (roam-semantic-test-two-hits)
    (let ((results (current-buffer)) visited)
      (dotimes (_ 2)
        (next-error)
        (push (buffer-name (window-buffer)) visited))
      (should (equal '("roam-semantic-1.org" "roam-semantic-2.org") (reverse visited)))
      (should (get-buffer-window results))
      (should-error (next-error) :type 'user-error)
      (previous-error)
      (should (equal "roam-semantic-1.org" (buffer-name (window-buffer))))
      (first-error)
      (should (equal "roam-semantic-1.org" (buffer-name (window-buffer)))))))

(ert-deftest roam-semantic-following-shows-the-hit-and-stays ()
  (roam-semantic-test-with-results (roam-semantic-test-two-hits)
    (let ((results (current-buffer)))
      (roam-semantic-results-toggle-follow)
      (roam-semantic-results-next 1)
      (should (eq results (window-buffer)))
      (should (get-buffer-window "roam-semantic-2.org"))
      (roam-semantic-results-visit)
      (should (equal "roam-semantic-2.org" (buffer-name (window-buffer)))))))

(ert-deftest roam-semantic-more-hits-come-below ()
  (roam-semantic-test-with-results (roam-semantic-test-two-hits)
    (setf (roam-semantic-test-transport-replies (car roam-semantic-test-wires))
          `((semantic-search :answers (:hits (,(roam-semantic-test-numbered-hit 3))))))
    (roam-semantic-results-more)
    (should (equal 2 (plist-get (nth 2 (roam-semantic-test-sent)) :offset)))
    (roam-semantic-test-wait (lambda () (null roam-semantic-results--asking)))
    (should (= 3 (how-many "^\\* " (point-min) (point-max))))
    (should (bobp))
    (should (string-search ": 3 hits" (roam-semantic-results--header)))
    (should-error (roam-semantic-results-more) :type 'user-error)))

(ert-deftest roam-semantic-asking-again-replaces-the-hits ()
  (roam-semantic-test-with-results (roam-semantic-test-two-hits)
    (revert-buffer)
    (should (equal "Asking…" (buffer-string)))
    (let ((first roam-semantic-results--asking))
      (revert-buffer)
      (should (equal (list first) (roam-semantic-test-transport-cancelled
                                   (car roam-semantic-test-wires)))))
    (roam-semantic-test-wait (lambda () (null roam-semantic-results--asking)))
    (should (= 2 (how-many "^\\* " (point-min) (point-max))))))

(ert-deftest roam-semantic-failures-stand-in-place-with-their-remedy ()
  (roam-semantic-test-with-results
      '((semantic-search :fails roam-semantic-not-ready "nothing is indexed" "run it"))
    (should (equal "Nothing is indexed; run it" (buffer-string)))
    (should-error (roam-semantic-results-visit) :type 'user-error)))

(ert-deftest roam-semantic-no-hit-says-what-to-do ()
  (roam-semantic-test-with-results '((semantic-search :answers (:hits nil)))
    (should (string-search "e edits the question" (buffer-string)))))

(ert-deftest roam-semantic-killing-the-buffer-cancels-the-question ()
  (roam-semantic-test-with-replies '((semantic-search . nil))
    (save-window-excursion
      (roam-semantic-search-buffer "x")
      (roam-semantic-test-wait
       (lambda () (and roam-semantic-test-wires (roam-semantic-test-sent))))
      (kill-buffer "*notes: x*"))
    (should (= 1 (length (roam-semantic-test-transport-cancelled
                          (car roam-semantic-test-wires)))))))

(provide 'test-results)
;;; test-results.el ends here
