;;; test-placement.el --- Tests of taking turns at the database  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Code:

(require 'seq)
(declare-function org-roam-db-sync "ext:org-roam-db")
(declare-function org-roam-db-query "ext:org-roam-db")
(declare-function org-roam-db--close-all "ext:org-roam-db")
(require 'roam-semantic-test)
(require 'roam-semantic-placement)

(defmacro roam-semantic-test-with-gate (&rest body)
  "Run BODY with a database of its own at whose GATE this Emacs takes turns."
  (declare (debug (body)))
  `(let* ((folder (make-temp-file "roam-semantic-gate" t))
          (org-roam-db-location (expand-file-name "org-roam.db" folder))
          (roam-semantic-index-placement 'shared)
          (roam-semantic-placement--gates nil)
          (gate (roam-semantic-placement-gate)))
     (unwind-protect
         (progn
           (roam-semantic-placement-take-turns)
           ,@body)
       (roam-semantic-placement-leave)
       (delete-directory folder t))))

(defun roam-semantic-test-advised-p ()
  "Return non-nil if a write of org-roam's is wrapped."
  (seq-some (lambda (function)
              (advice-member-p #'roam-semantic-placement--around function))
            roam-semantic-placement--writers))

(defun roam-semantic-test-holder (gate)
  "Start a process that looks like ours and is busy at GATE; return it."
  (let ((process (make-process :name "roam-semantic test" :noquery t :buffer nil
                               :command '("sh" "-c" "sleep 60 # roam_semantic; :"))))
    (make-directory (format "%sbusy-%d" gate (process-id process)))
    process))

(ert-deftest roam-semantic-every-write-of-org-roam-is-wrapped-and-let-go ()
  (roam-semantic-test-with-gate
   (dolist (function roam-semantic-placement--writers)
     (should (advice-member-p #'roam-semantic-placement--around function)))
   (should (advice-member-p #'roam-semantic-placement--around-open 'org-roam-db)))
  (should-not (roam-semantic-test-advised-p))
  (should-not (memq 'roam-semantic-placement-leave kill-emacs-hook)))

(ert-deftest roam-semantic-a-pause-is-there-during-a-write-and-gone-after-it ()
  (roam-semantic-test-with-gate
   (let ((pause (roam-semantic-placement--mark gate "pause")))
     (should (equal '(t 1) (roam-semantic-placement--around
                            (lambda (number) (list (file-directory-p pause) number)) 1)))
     (should-not (file-exists-p pause)))))

(ert-deftest roam-semantic-a-write-that-fails-or-is-quit-ends-its-pause ()
  (roam-semantic-test-with-gate
   (should-error (roam-semantic-placement--around #'error "No"))
   (condition-case nil
       (roam-semantic-placement--around (lambda () (signal 'quit nil)))
     (quit nil))
   (should-not (file-exists-p (roam-semantic-placement--mark gate "pause")))))

(ert-deftest roam-semantic-a-write-inside-a-write-does-not-end-the-pause ()
  (roam-semantic-test-with-gate
   (roam-semantic-placement--around
    (lambda ()
      (roam-semantic-placement--around #'ignore)
      (should (file-exists-p (roam-semantic-placement--mark gate "pause")))))))

(ert-deftest roam-semantic-a-turn-of-the-dead-is-over ()
  (roam-semantic-test-with-gate
   ;; No process has this number, and this Emacs is no process of ours.
   (make-directory (concat gate "busy-99999999"))
   (make-directory (format "%sbusy-%d" gate (emacs-pid)))
   (should (eq 'written (roam-semantic-placement--around (lambda () 'written))))
   (should-not (roam-semantic-placement--busy gate))))

(ert-deftest roam-semantic-a-stopped-server-is-killed-and-the-write-goes-ahead ()
  (roam-semantic-test-with-gate
   (let ((process (roam-semantic-test-holder gate))
         (warning-minimum-log-level :emergency))
     (unwind-protect
         (progn
           (signal-process process 'SIGSTOP)
           (roam-semantic-test-wait
            (lambda () (eq 'stopped (roam-semantic-placement--state (process-id process)))))
           (should (eq 'written (roam-semantic-placement--around (lambda () 'written))))
           (should (eq 'gone (roam-semantic-placement--state (process-id process)))))
       (delete-process process)))))

(ert-deftest roam-semantic-a-slow-server-is-waited-for-up-to-the-limit ()
  (roam-semantic-test-with-gate
   (let ((process (roam-semantic-test-holder gate))
         (roam-semantic-placement-patience-ms 1)
         (roam-semantic-placement-limit-ms 100000)
         (warning-minimum-log-level :emergency)
         judged)
     (unwind-protect
         (cl-letf* ((judge (symbol-function 'roam-semantic-placement--judge))
                    ((symbol-function 'roam-semantic-placement--judge)
                     (lambda (gate late)
                       (funcall judge gate late)
                       (push late judged)
                       (when (= 3 (length judged))
                         (should (process-live-p process))
                         (funcall judge gate t)))))
           (roam-semantic-placement--around #'ignore)
           (should (memq nil judged)))
       (delete-process process)))))

(ert-deftest roam-semantic-another-program-is-waited-for-but-never-killed ()
  (roam-semantic-test-with-gate
   (let ((process (make-process :name "roam-semantic test" :noquery t :buffer nil
                                :command '("sleep" "60")))
         (roam-semantic-placement-patience-ms 1)
         (roam-semantic-placement-limit-ms 20))
     (unwind-protect
         (progn
           (make-directory (format "%sbusy-%d" gate (process-id process)))
           (should (eq 'foreign (roam-semantic-placement--state (process-id process))))
           (should (eq 'written (roam-semantic-placement--around (lambda () 'written))))
           (should (process-live-p process))
           (should-not (roam-semantic-placement--busy gate)))
       (delete-process process)))))

(ert-deftest roam-semantic-the-server-is-told-of-the-placement ()
  (roam-semantic-test-with-gate
   (should (equal (list "ROAM_INDEX=shared"
                        (concat "ROAM_SEMANTIC_GATE="
                                (roam-semantic-placement--mark gate "emacs")))
                  (roam-semantic-placement-environment)))
   (setq roam-semantic-index-placement 'sibling)
   (should-not (roam-semantic-placement-environment))
   (should-not (file-exists-p gate))
   (should-not (roam-semantic-test-advised-p))))

(ert-deftest roam-semantic-what-a-killed-emacs-left-is-swept-away ()
  (roam-semantic-test-with-gate
   (make-directory (concat gate "emacs-99999999"))
   (make-directory (concat gate "pause-99999999"))
   (roam-semantic-placement-take-turns)
   (should (equal (list (format "emacs-%d" (emacs-pid)))
                  (directory-files gate nil directory-files-no-dot-files-regexp)))))

(ert-deftest roam-semantic-without-a-gate-org-roam-writes-as-ever ()
  (let ((org-roam-db-location (expand-file-name "none/org-roam.db" temporary-file-directory)))
    (should (eq 'written (roam-semantic-placement--around (lambda () 'written))))))

;;; With a real server and a real org-roam

(defmacro roam-semantic-test-with-shared-index (&rest body)
  "Run BODY with a few notes whose index is in a database of real org-roam."
  (declare (debug (body)))
  `(let* ((roam-semantic-python (roam-semantic-test-python))
          (home (make-temp-file "roam-semantic-shared" t))
          (roam-semantic-transport 'jsonrpc)
          (roam-semantic-index-placement 'shared)
          (roam-semantic-placement--gates nil)
          (org-roam-directory (expand-file-name "vault" home))
          (org-roam-db-location (expand-file-name "org-roam.db" home))
          (org-id-locations-file (expand-file-name "ids" home))
          (roam-semantic-environment (list (concat "XDG_CACHE_HOME=" home)))
          (roam-semantic-server-current (make-roam-semantic-server)))
     (make-directory org-roam-directory)
     (unwind-protect
         (progn ,@body)
       (roam-semantic-stop)
       (roam-semantic-placement-leave)
       (org-roam-db--close-all)
       (delete-directory home t))))

(defun roam-semantic-test-note (id text)
  "Write a note with ID, which is its title too, and TEXT."
  (write-region (format ":PROPERTIES:\n:ID: %s\n:END:\n#+title: %s\n\n%s\n" id id text)
                nil (expand-file-name (concat id ".org") org-roam-directory) nil 'silent))

(defun roam-semantic-test-tables ()
  "Return how many of the tables in org-roam's database are ours."
  (caar (org-roam-db-query "SELECT count(*) FROM sqlite_master WHERE name LIKE 'embed_%%'")))

(ert-deftest roam-semantic-a-shared-index-is-made-and-healed-after-a-forced-sync ()
  (skip-unless (require 'org-roam nil t))
  (roam-semantic-test-with-shared-index
   (dotimes (number 6)
     (roam-semantic-test-note (format "n%d" number) (format "Bread of kind%d." number)))
   (org-roam-db-sync)
   (should (= 6 (plist-get (roam-semantic-call 'index nil) :embedded)))
   (should (< 0 (roam-semantic-test-tables)))
   (org-roam-db-sync 'force)
   (should (= 0 (roam-semantic-test-tables)))
   (let ((healed (roam-semantic-call 'index nil)))
     (should (equal '(0 6) (list (plist-get healed :embedded) (plist-get healed :from-cache)))))
   (roam-semantic-test-note "late" "A zeugmatic quokka.")
   (should (equal "late" (plist-get (car (plist-get (roam-semantic-call
                                                     'semantic-search '(:query "quokka"))
                                                    :hits))
                                    :node-id)))
   (org-roam-db-sync)
   (should (equal '((7)) (org-roam-db-query "SELECT count(*) FROM nodes")))))

(provide 'test-placement)
;;; test-placement.el ends here
