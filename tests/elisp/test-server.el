;;; test-server.el --- Tests of the server's life  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Code:

(require 'roam-semantic-test)

(defun roam-semantic-test--failure (operation)
  "Return the condition with which OPERATION fails."
  (condition-case condition
      (progn (roam-semantic-call operation nil) nil)
    (roam-semantic-error condition)))

(ert-deftest roam-semantic-one-server-serves-many-calls ()
  (roam-semantic-test-with-replies '((search :answers t))
    (dotimes (_ 3)
      (roam-semantic-call 'search nil))
    (should (= 1 (length roam-semantic-test-wires)))))

(ert-deftest roam-semantic-a-server-that-died-is-started-again ()
  (roam-semantic-test-with-replies '((index :dies nil) (search :answers t))
    (should (equal 'roam-semantic-unavailable (car (roam-semantic-test--failure 'index))))
    (should (roam-semantic-call 'search nil))
    (should (= 2 (length roam-semantic-test-wires)))))

(ert-deftest roam-semantic-death-fails-every-request-under-way ()
  (roam-semantic-test-with-replies '((search . nil) (index :dies "struck by lightning"))
    (let (heard)
      (dotimes (_ 3)
        (roam-semantic-request 'search nil
                               :errback (lambda (condition) (push (nth 1 condition) heard))))
      (roam-semantic-test--failure 'index)
      (roam-semantic-test-wait (lambda () (= 3 (length heard))))
      (should (equal "the server has ended: struck by lightning" (car heard))))))

(ert-deftest roam-semantic-a-server-that-keeps-dying-is-left-alone ()
  (let ((roam-semantic-restart-limit 3))
    (roam-semantic-test-with-replies '((index :dies nil))
      (dotimes (_ 3)
        (roam-semantic-test--failure 'index))
      (should (string-match-p "ended 3 times"
                              (nth 1 (roam-semantic-test--failure 'index))))
      (should (= 3 (length roam-semantic-test-wires))))))

(ert-deftest roam-semantic-old-deaths-do-not-count ()
  (roam-semantic-test-with-replies '((search :answers t))
    (setf (roam-semantic-server-deaths roam-semantic-server-current)
          (make-list 9 (- (float-time) roam-semantic-restart-window-s 1)))
    (should (roam-semantic-call 'search nil))))

(ert-deftest roam-semantic-restart-forgives ()
  (roam-semantic-test-with-replies '((index :dies nil) (search :answers t))
    (dotimes (_ 3)
      (roam-semantic-test--failure 'index))
    (should-error (roam-semantic-call 'search nil) :type 'roam-semantic-unavailable)
    (roam-semantic-restart)
    (should (roam-semantic-call 'search nil))))

(ert-deftest roam-semantic-another-version-is-refused-with-a-hint ()
  (let ((roam-semantic-test-greeting '(:version "99.0.0")))
    (roam-semantic-test-with-replies '((search :answers t))
      (let ((condition (roam-semantic-test--failure 'search)))
        (should (equal 'roam-semantic-not-ready (car condition)))
        (should (string-match-p "99\\.0\\.0.*version 0" (nth 1 condition)))
        (should (string-match-p "roam-semantic-install installs version 0" (nth 2 condition))))
      (should (eq 'stopped (roam-semantic-server-state roam-semantic-server-current)))
      (should-not (roam-semantic-test-sent)))))

(ert-deftest roam-semantic-a-server-that-never-greets-is-given-up ()
  (let ((roam-semantic-test-greeting nil)
        (roam-semantic-start-timeout-s 0.05))
    (roam-semantic-test-with-replies '((search :answers t))
      (should (string-match-p "did not start: no greeting"
                              (nth 1 (roam-semantic-test--failure 'search)))))))

(ert-deftest roam-semantic-requests-wait-for-the-greeting-in-order ()
  (let ((roam-semantic-test-greeting nil))
    (roam-semantic-test-with-replies '((search :answers t) (status :answers t))
      (let (order)
        (roam-semantic-request 'search nil :callback (lambda (_) (push 'search order)))
        (roam-semantic-request 'status nil :callback (lambda (_) (push 'status order)))
        (should-not (roam-semantic-test-sent))
        (roam-semantic-transport-deliver (car roam-semantic-test-wires) 'hello nil
                                         (list :version roam-semantic-version))
        (roam-semantic-test-wait (lambda () (= 2 (length order))))
        (should (equal '(status search) order))))))

(ert-deftest roam-semantic-what-an-older-server-says-is-dropped ()
  (roam-semantic-test-with-replies '((search . nil) (status :answers t))
    (let (heard)
      (roam-semantic-request 'search nil :errback #'ignore
                             :callback (lambda (answer) (setq heard answer)))
      (roam-semantic-test-wait
       (lambda () (and roam-semantic-test-wires (roam-semantic-test-sent))))
      (let ((old (car roam-semantic-test-wires))
            (id (car (roam-semantic-test-sent))))
        (roam-semantic-restart)
        (roam-semantic-call 'status nil)
        (funcall (roam-semantic-transport-sink old) 'answer id "late")
        (funcall (roam-semantic-transport-sink old) 'gone nil nil)
        (should-not heard)
        (should (eq 'ready (roam-semantic-server-state roam-semantic-server-current)))))))

(ert-deftest roam-semantic-a-broken-connection-is-a-death ()
  (roam-semantic-test-with-replies '((index :breaks "Process not running"))
    (should (equal "the server has ended: Process not running"
                   (nth 1 (roam-semantic-test--failure 'index))))))

(ert-deftest roam-semantic-a-silent-server-is-ended ()
  (let ((roam-semantic-watchdog-s 0.05))
    (roam-semantic-test-with-replies '((search . nil) (status . nil))
      (should-error (roam-semantic-call 'search nil :deadline-s 0.05))
      (roam-semantic-test-wait
       (lambda () (eq 'stopped (roam-semantic-server-state roam-semantic-server-current)))))))

(ert-deftest roam-semantic-a-slow-server-that-lives-is-kept ()
  (let ((roam-semantic-watchdog-s 0.05))
    (roam-semantic-test-with-replies '((search . nil) (status :answers t))
      (should-error (roam-semantic-call 'search nil :deadline-s 0.05))
      (roam-semantic-test-wait
       (lambda () (null (roam-semantic-server-probed roam-semantic-server-current))))
      (should (eq 'ready (roam-semantic-server-state roam-semantic-server-current))))))

(ert-deftest roam-semantic-another-vault-gets-another-server ()
  (roam-semantic-test-with-replies '((search :answers t))
    (roam-semantic-call 'search nil)
    (let ((org-roam-directory (expand-file-name "~")))
      (roam-semantic-call 'search nil))
    (should (= 2 (length roam-semantic-test-wires)))))

(ert-deftest roam-semantic-a-vault-that-is-no-folder-is-told ()
  (roam-semantic-test-with-replies '((search :answers t))
    (let ((org-roam-directory "/nowhere/at/all"))
      (should (equal '(roam-semantic-not-ready
                       "the vault /nowhere/at/all is not a folder"
                       "set `org-roam-directory' to the folder of your notes")
                     (roam-semantic-test--failure 'search))))
    (let ((org-roam-directory "/ssh:elsewhere:/notes"))
      (should (string-match-p "another machine"
                              (nth 1 (roam-semantic-test--failure 'search)))))
    (should-not roam-semantic-test-wires)))

(ert-deftest roam-semantic-the-log-keeps-the-end-and-no-more ()
  (unwind-protect
      (progn
        (roam-semantic-program--note nil (make-string 100000 ?x))
        (roam-semantic-program--note nil "the end")
        (should (= roam-semantic-program--log-size (length (roam-semantic-program-log))))
        (should (string-suffix-p "xthe end" (roam-semantic-program-log))))
    (kill-buffer roam-semantic-program-log-buffer)))

(ert-deftest roam-semantic-the-program-is-told-the-vault-as-it-is-written ()
  (let* ((home (make-temp-file "roam-semantic-link" t))
         (link (expand-file-name "notes" home))
         (roam-semantic-environment '("ROAM_EMBEDDER=embedded")))
    (unwind-protect
        (progn
          (make-symbolic-link temporary-file-directory link)
          (let ((process-environment
                 (let ((org-roam-directory (file-name-as-directory link)))
                   (roam-semantic-program-environment "secret"))))
            (should (equal link (getenv "ROAM_DIR")))
            (should (equal "secret" (getenv "ROAM_SEMANTIC_TOKEN")))
            (should (equal "embedded" (getenv "ROAM_EMBEDDER")))
            (should (file-exists-p
                     (expand-file-name "roam_semantic/__init__.py" (getenv "PYTHONPATH"))))))
      (delete-directory home t))))

(ert-deftest roam-semantic-the-command-is-found-in-a-fixed-order ()
  (let ((roam-semantic-command '("uv" "run" "roam-semantic"))
        (roam-semantic-python "/opt/python"))
    (should (equal '("uv" "run" "roam-semantic") (roam-semantic-program-command)))
    (setq roam-semantic-command nil)
    (should (equal '("/opt/python" "-m" "roam_semantic") (roam-semantic-program-command)))))

(ert-deftest roam-semantic-loading-starts-and-binds-nothing ()
  "A fresh Emacs that loads the package has no more than its autoloads."
  (with-temp-buffer
    (should
     (equal 0 (call-process
               (expand-file-name invocation-name invocation-directory) nil t nil
               "--batch" "-Q" "-L" (expand-file-name "elisp" roam-semantic-test-root)
               "--eval" "(require 'roam-semantic)"
               "--eval" "(princ (list (featurep 'org-roam) (featurep 'roam-semantic-server)
                                      (process-list) (where-is-internal 'roam-semantic-find)
                                      (commandp 'roam-semantic-find)
                                      (keymapp 'roam-semantic-map)))")))
    (goto-char (point-max))
    (should (equal "(nil nil nil nil t t)"
                   (buffer-substring (line-beginning-position) (point-max))))))

(provide 'test-server)
;;; test-server.el ends here
