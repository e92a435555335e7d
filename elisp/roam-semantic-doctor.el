;;; roam-semantic-doctor.el --- What works, and what to do  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; `roam-semantic-doctor' looks at what Emacs can see by itself, then asks
;; the program for its version and the server for its own checks.  It helps
;; most when the server cannot even start, so nothing here relies on it.
;;
;; Nothing waits: what takes time is shown as under way, and filled in.
;;
;; A check is a plist like the server's: :name, :state (ok, warning or
;; failed, as a string, or waiting), :message and :remedy.

;;; Code:

(require 'cl-lib)
(require 'seq)
(require 'subr-x)
(require 'roam-semantic)
(require 'roam-semantic-client)
(require 'roam-semantic-errors)
(require 'roam-semantic-program)
(require 'roam-semantic-remedy)
(require 'roam-semantic-server)

(declare-function lm-header "lisp-mnt" (header))

(defconst roam-semantic-doctor--buffer "*roam-semantic doctor*"
  "Buffer that shows the checks.")

(defconst roam-semantic-doctor--patience-s 30
  "Seconds the program may take to say its version.")

(defvar-local roam-semantic-doctor--checks nil
  "Checks of Emacs' side that the current buffer shows.")

(defvar-local roam-semantic-doctor--theirs nil
  "Checks about and of the server that the current buffer shows.")

(defvar-local roam-semantic-doctor--end nil
  "Text below the checks, or nil.")

(defvar-local roam-semantic-doctor--probe nil
  "Process that says the version of the program, or nil.")

(define-derived-mode roam-semantic-doctor-mode special-mode "Doctor"
  "Mode of the buffer with the checks; \\`g' looks again."
  (setq-local revert-buffer-function
              (lambda (&rest _) (roam-semantic-doctor)))
  (add-hook 'kill-buffer-hook #'roam-semantic-doctor--end-probe nil t))

(defun roam-semantic-doctor ()
  "Show what works and what does not, with a remedy for each fault.
A server that was given up is tried once more."
  (interactive)
  (with-current-buffer (get-buffer-create roam-semantic-doctor--buffer)
    (setq default-directory (roam-semantic-program-folder))
    (roam-semantic-doctor--end-probe)
    (roam-semantic-doctor-mode)
    (setq roam-semantic-doctor--checks (roam-semantic-doctor-checks)
          roam-semantic-doctor--theirs
          (list (roam-semantic-doctor--check "server" "waiting" "it is being asked...")))
    (roam-semantic-doctor--probe)
    (roam-semantic-doctor--draw)
    (goto-char (point-min))
    (roam-semantic-server-forgive)
    (let ((probe roam-semantic-doctor--checks))
      ;; An answer to an older look must not be shown in this one.
      (roam-semantic-request
       'doctor nil :deadline-s 60
       :callback (lambda (answer)
                   (when (eq probe roam-semantic-doctor--checks)
                     (roam-semantic-doctor--answered answer)))
       :errback (lambda (condition)
                  (when (eq probe roam-semantic-doctor--checks)
                    (roam-semantic-doctor--unanswered condition))))))
  (pop-to-buffer roam-semantic-doctor--buffer))

(defun roam-semantic-doctor--answered (answer)
  "Add the checks of ANSWER to the current buffer."
  (setq roam-semantic-doctor--theirs
        (cons (roam-semantic-doctor--check
               "server" "ok"
               (format "version %s answers over %s"
                       (roam-semantic-server-version roam-semantic-server-current)
                       (roam-semantic-server-wire)))
              (plist-get answer :checks)))
  (roam-semantic-doctor--draw))

(defun roam-semantic-doctor--unanswered (condition)
  "Add CONDITION, with which the server failed, to the current buffer."
  (let ((log (string-trim (roam-semantic-program-log))))
    (setq roam-semantic-doctor--theirs
          (list (roam-semantic-doctor--check
                 "server" "failed" (nth 1 condition)
                 (roam-semantic-doctor--cure (nth 2 condition))))
          roam-semantic-doctor--end
          (and (not (string-empty-p log))
               (concat "The server's last words:\n\n" log))))
  (roam-semantic-doctor--draw))

(defun roam-semantic-doctor--cure (hint)
  "Return HINT without what only says to look here."
  (let ((rest (replace-regexp-in-string
               "\\(?:, or see\\|[;,]\\)? *M-x roam-semantic-doctor\\(?: tells more\\| tells why,\\)?"
               "" (or hint ""))))
    (if (string-empty-p (string-trim rest))
        "see the checks above, and the server's last words below"
      (string-trim rest))))

;;; Checks

(defun roam-semantic-doctor-checks ()
  "Return the checks of what Emacs can see without the server."
  (list (roam-semantic-doctor--check-emacs)
        (roam-semantic-doctor--check-org-roam)
        (roam-semantic-doctor--check-vault)
        (roam-semantic-doctor--check-database)
        (roam-semantic-doctor--check-wire)
        (roam-semantic-doctor--check-installation)
        (roam-semantic-doctor--check-program)))

(defun roam-semantic-doctor--check (name state message &optional remedy)
  "Return the check NAME in STATE with MESSAGE and REMEDY."
  (list :name name :state state :message message :remedy (or remedy "")))

(defun roam-semantic-doctor--check-emacs ()
  "Check the version of Emacs."
  (if (version< emacs-version "28.1")
      (roam-semantic-doctor--check "Emacs" "failed" (concat "version " emacs-version)
                                   "install Emacs 28.1 or newer")
    (roam-semantic-doctor--check "Emacs" "ok" (concat "version " emacs-version))))

(defun roam-semantic-doctor--check-org-roam ()
  "Check that org-roam is there."
  (if (require 'org-roam nil t)
      (roam-semantic-doctor--check
       "org-roam" "ok"
       (format "version %s" (or (roam-semantic-doctor--version "org-roam") "unknown")))
    (roam-semantic-doctor--check "org-roam" "failed" "it is not installed"
                                 "M-x package-install RET org-roam")))

(defun roam-semantic-doctor--version (library)
  "Return the version that the header of LIBRARY gives, or nil."
  (when-let* ((file (locate-library (concat library ".el") t)))
    (require 'lisp-mnt)
    (with-temp-buffer
      (insert-file-contents file)
      (lm-header "version"))))

(defun roam-semantic-doctor--check-vault ()
  "Check that the notes are in a folder of this machine."
  (condition-case condition
      (let ((vault (roam-semantic-program-vault)))
        (roam-semantic-program-check-vault vault)
        (roam-semantic-doctor--check "vault" "ok" (abbreviate-file-name vault)))
    (roam-semantic-error
     (roam-semantic-doctor--check "vault" "failed" (nth 1 condition) (nth 2 condition)))))

(defun roam-semantic-doctor--check-database ()
  "Check that org-roam has made its database."
  (let ((database (roam-semantic-program-database)))
    (cond
     ((null database)
      (roam-semantic-doctor--check
       "database" "warning" "org-roam names none, so the files alone are read"
       "set `org-roam-db-location'"))
     ((file-readable-p database)
      (roam-semantic-doctor--check "database" "ok" (abbreviate-file-name database)))
     (t
      (roam-semantic-doctor--check
       "database" "warning"
       (format "%s is not there, so the files alone are read"
               (abbreviate-file-name database))
       "M-x org-roam-db-sync")))))

(defun roam-semantic-doctor--check-wire ()
  "Check how Emacs will talk to its server."
  (let ((wire (roam-semantic-server-wire)))
    (if (eq wire roam-semantic-transport)
        (roam-semantic-doctor--check "transport" "ok" (symbol-name wire))
      (roam-semantic-doctor--check
       "transport" "warning" "the epc library is not installed, so JSON-RPC is used"
       "M-x package-install RET epc, or set `roam-semantic-transport' to jsonrpc"))))

(defun roam-semantic-doctor--check-installation ()
  "Check what `roam-semantic-install' made, unless something else is used."
  (let ((fault (roam-semantic-program-venv-fault))
        (option (cond (roam-semantic-command "roam-semantic-command")
                      (roam-semantic-python "roam-semantic-python"))))
    (cond
     (option
      (roam-semantic-doctor--check
       "installation" "ok" (format "not used: `%s' is set" option)))
     ((not fault)
      (roam-semantic-doctor--check
       "installation" "ok"
       (format "version %s, Python %s, in %s" (roam-semantic-program-venv-version)
               (or (roam-semantic-program-venv-python-version) "unknown")
               (abbreviate-file-name (roam-semantic-program-venv)))))
     ((roam-semantic-doctor--elsewhere-p)
      (roam-semantic-doctor--check
       "installation" "ok"
       (format "%s; %s is used" fault (car (roam-semantic-program-command)))))
     (t
      (roam-semantic-doctor--check "installation" "failed" fault
                                   "M-x roam-semantic-install")))))

(defun roam-semantic-doctor--elsewhere-p ()
  "Return non-nil if a program of its own is found besides what we install."
  (not (equal "python3" (car (roam-semantic-program-command)))))

(defun roam-semantic-doctor--check-program ()
  "Check that the program of the server is there; its version is asked later."
  (let* ((command (roam-semantic-program-command))
         (program (roam-semantic-program-find (car command))))
    (if program
        (roam-semantic-doctor--check "command" "waiting" (string-join command " "))
      (roam-semantic-doctor--check
       "command" "failed" (format "%s is not there" (car command))
       (roam-semantic-doctor--cure (roam-semantic-program-remedy))))))

;;; The version of the program

(defun roam-semantic-doctor--probe ()
  "Ask the program for its version and fill in the check about it."
  (when-let* ((check (seq-find (lambda (check)
                                 (and (equal "command" (plist-get check :name))
                                      (equal "waiting" (plist-get check :state))))
                               roam-semantic-doctor--checks)))
    (let ((command (append (roam-semantic-program-command) '("--version")))
          (process-environment (roam-semantic-program-environment))
          (exec-path (default-value 'exec-path))
          (buffer (current-buffer))
          (output (generate-new-buffer " *roam-semantic version*" t)))
      (condition-case failure
          (progn
            (setq roam-semantic-doctor--probe
                  (make-process
                   :name "roam-semantic version" :noquery t :connection-type 'pipe
                   :command command :buffer output
                   :sentinel (lambda (process _change)
                               (unless (process-live-p process)
                                 (roam-semantic-doctor--probed process buffer)))))
            (process-put roam-semantic-doctor--probe 'roam-semantic-timer
                         (run-at-time roam-semantic-doctor--patience-s nil
                                      #'delete-process roam-semantic-doctor--probe)))
        (error
         (kill-buffer output)
         (roam-semantic-doctor--fill
          (roam-semantic-doctor--judge 1 (error-message-string failure))))))))

(defun roam-semantic-doctor--probed (process buffer)
  "Fill in the version that PROCESS told, or why not, in BUFFER."
  (let ((output (process-buffer process)))
    (cancel-timer (process-get process 'roam-semantic-timer))
    (when (buffer-live-p output)
      (let ((said (with-current-buffer output (string-trim (buffer-string))))
            (code (if (eq 'exit (process-status process)) (process-exit-status process) 1)))
        (kill-buffer output)
        (when (and (buffer-live-p buffer)
                   (eq process (buffer-local-value 'roam-semantic-doctor--probe buffer)))
          (with-current-buffer buffer
            (setq roam-semantic-doctor--probe nil)
            (roam-semantic-doctor--fill (roam-semantic-doctor--judge code said))
            (roam-semantic-doctor--draw)))))))

(defun roam-semantic-doctor--fill (check)
  "Put CHECK in the place of the one of the same name."
  (setf (nth (cl-position (plist-get check :name) roam-semantic-doctor--checks
                          :key (lambda (one) (plist-get one :name)) :test #'equal)
             roam-semantic-doctor--checks)
        check))

(defun roam-semantic-doctor--end-probe ()
  "End the process that says the version of the program."
  (when roam-semantic-doctor--probe
    (delete-process (prog1 roam-semantic-doctor--probe
                      (setq roam-semantic-doctor--probe nil)))))

(defun roam-semantic-doctor--judge (code said)
  "Return the check of the program, which ended with CODE and SAID something."
  (let ((shown (string-join (roam-semantic-program-command) " "))
        (last-line (car (last (split-string said "\n")))))
    (cond
     ((/= 0 code)
      (roam-semantic-doctor--check
       "command" "failed"
       (format "%s fails: %s" shown (if (string-empty-p last-line) "it says nothing" last-line))
       (roam-semantic-doctor--cure (roam-semantic-program-remedy))))
     ((string-match-p (concat "\\_<" (regexp-quote roam-semantic-version) "\\_>") last-line)
      (roam-semantic-doctor--check "command" "ok" (format "%s (%s)" shown last-line)))
     (t
      (roam-semantic-doctor--check
       "command" "failed"
       (format "%s says %s, the Emacs package is version %s"
               shown last-line roam-semantic-version)
       (roam-semantic-doctor--cure (roam-semantic-program-remedy)))))))

;;; Drawing

(defun roam-semantic-doctor--draw ()
  "Show the checks in the current buffer; point stays where it is.
Where both sides look at the same, the server knows more."
  (let* ((inhibit-read-only t)
         (names (mapcar (lambda (check) (plist-get check :name)) roam-semantic-doctor--theirs))
         (checks (append (seq-remove (lambda (check) (member (plist-get check :name) names))
                                     roam-semantic-doctor--checks)
                         roam-semantic-doctor--theirs))
         (here (point)))
    (erase-buffer)
    (insert (propertize "roam-semantic doctor" 'face 'bold) "\n\n")
    (mapc #'roam-semantic-doctor--insert checks)
    (insert "\n" (roam-semantic-doctor--verdict checks) "\n")
    (when roam-semantic-doctor--end
      (insert "\n" roam-semantic-doctor--end "\n"))
    (goto-char (min here (point-max)))))

(defun roam-semantic-doctor--insert (check)
  "Insert CHECK at point, and its remedy, with buttons, unless all is well."
  (let ((state (plist-get check :state))
        (remedy (or (plist-get check :remedy) "")))
    (insert (propertize (format "%-8s" state)
                        'face (pcase state
                                ("ok" 'success)
                                ("warning" 'warning)
                                ("waiting" 'shadow)
                                (_ 'error)))
            (format "%s: %s\n" (plist-get check :name) (plist-get check :message)))
    (unless (or (member state '("ok" "waiting")) (string-empty-p remedy))
      (insert "        → ")
      (roam-semantic-remedy-insert remedy)
      (insert "\n"))))

(defun roam-semantic-doctor--verdict (checks)
  "Return one line about all CHECKS."
  (let ((count (lambda (state)
                 (seq-count (lambda (check) (equal state (plist-get check :state))) checks))))
    (cond
     ((> (funcall count "waiting") 0) "Looking...")
     ((> (funcall count "failed") 0)
      (format "%d failed, %d to look at" (funcall count "failed") (funcall count "warning")))
     ((> (funcall count "warning") 0)
      (format "Nothing failed, %d to look at" (funcall count "warning")))
     (t "All is well"))))

(provide 'roam-semantic-doctor)
;;; roam-semantic-doctor.el ends here
