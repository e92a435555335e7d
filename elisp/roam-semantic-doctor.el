;;; roam-semantic-doctor.el --- What works, and what to do  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; `roam-semantic-doctor' looks at what Emacs can see by itself, then asks
;; the server for its own checks.  It helps most when the server cannot
;; even start, so nothing here relies on it.
;;
;; A check is a plist like the server's: :name, :state (ok, warning or
;; failed, as a string), :message and :remedy.

;;; Code:

(require 'seq)
(require 'subr-x)
(require 'roam-semantic)
(require 'roam-semantic-client)
(require 'roam-semantic-errors)
(require 'roam-semantic-program)
(require 'roam-semantic-server)

(declare-function lm-header "lisp-mnt" (header))

(defconst roam-semantic-doctor--buffer "*roam-semantic doctor*"
  "Buffer that shows the checks.")

(defvar-local roam-semantic-doctor--checks nil
  "Checks of Emacs' side that the current buffer shows.")

(define-derived-mode roam-semantic-doctor-mode special-mode "Doctor"
  "Mode of the buffer with the checks; \\`g' looks again."
  (setq-local revert-buffer-function
              (lambda (&rest _) (roam-semantic-doctor))))

(defun roam-semantic-doctor ()
  "Show what works and what does not, with a remedy for each fault.
A server that was given up is tried once more."
  (interactive)
  (with-current-buffer (get-buffer-create roam-semantic-doctor--buffer)
    (roam-semantic-doctor-mode)
    (setq roam-semantic-doctor--checks (roam-semantic-doctor-checks))
    (roam-semantic-doctor--draw roam-semantic-doctor--checks
                                "The server is being asked...")
    (setf (roam-semantic-server-deaths roam-semantic-server-current) nil)
    (roam-semantic-request 'doctor nil
                           :callback #'roam-semantic-doctor--answered
                           :errback #'roam-semantic-doctor--unanswered
                           :deadline-s 60))
  (pop-to-buffer roam-semantic-doctor--buffer))

(defun roam-semantic-doctor--answered (answer)
  "Add the checks of ANSWER to the current buffer.
Where both sides look at the same, the server knows more."
  (let* ((theirs (plist-get answer :checks))
         (names (mapcar (lambda (check) (plist-get check :name)) theirs)))
    (roam-semantic-doctor--draw
     (append (seq-remove (lambda (check) (member (plist-get check :name) names))
                         roam-semantic-doctor--checks)
             (list (roam-semantic-doctor--check
                    "server" "ok"
                    (format "version %s answers over %s"
                            (roam-semantic-server-version roam-semantic-server-current)
                            (roam-semantic-server-wire))))
             theirs))))

(defun roam-semantic-doctor--unanswered (condition)
  "Add CONDITION, with which the server failed, to the current buffer."
  (roam-semantic-doctor--draw
   (append roam-semantic-doctor--checks
           (list (roam-semantic-doctor--check
                  "server" "failed" (nth 1 condition)
                  (roam-semantic-doctor--cure (nth 2 condition)))))
   (let ((log (string-trim (roam-semantic-program-log))))
     (and (not (string-empty-p log))
          (concat "The server's last words:\n\n" log)))))

(defun roam-semantic-doctor--cure (hint)
  "Return HINT unless it only says to look here."
  (if (string-search "roam-semantic-doctor" (or hint ""))
      "see the checks above, and the server's last words below"
    hint))

;;; Checks

(defun roam-semantic-doctor-checks ()
  "Return the checks of what Emacs can see without the server."
  (list (roam-semantic-doctor--check-emacs)
        (roam-semantic-doctor--check-org-roam)
        (roam-semantic-doctor--check-vault)
        (roam-semantic-doctor--check-database)
        (roam-semantic-doctor--check-wire)
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
       "install the package epc, or set `roam-semantic-transport' to jsonrpc"))))

(defun roam-semantic-doctor--check-program ()
  "Check that the program of the server is there, in the right version."
  (let* ((command (roam-semantic-program-command))
         (program (roam-semantic-program-find (car command)))
         (shown (string-join command " ")))
    (if (null program)
        (roam-semantic-doctor--check
         "command" "failed" (format "%s is not there" (car command))
         "pip install roam-semantic, or set `roam-semantic-python'")
      (roam-semantic-doctor--judge shown (roam-semantic-doctor--run command)))))

(defun roam-semantic-doctor--run (command)
  "Return (CODE . OUTPUT) of COMMAND, a list, asked for its version."
  (let ((default-directory temporary-file-directory)
        (process-environment (roam-semantic-program-environment)))
    (with-temp-buffer
      (let ((code (apply #'call-process (car command) nil t nil
                         (append (cdr command) '("--version")))))
        (cons code (string-trim (buffer-string)))))))

(defun roam-semantic-doctor--judge (shown outcome)
  "Return the check of the program SHOWN, given OUTCOME (CODE . OUTPUT)."
  (let ((last-line (car (last (split-string (cdr outcome) "\n")))))
    (cond
     ((not (eql 0 (car outcome)))
      (roam-semantic-doctor--check
       "command" "failed" (format "%s fails: %s" shown last-line)
       "pip install roam-semantic, or set `roam-semantic-python'"))
     ((string-match-p (concat "\\_<" (regexp-quote roam-semantic-version) "\\_>") last-line)
      (roam-semantic-doctor--check "command" "ok" (format "%s (%s)" shown last-line)))
     (t
      (roam-semantic-doctor--check
       "command" "failed"
       (format "%s says %s, the Emacs package is version %s"
               shown last-line roam-semantic-version)
       "install the same version of both")))))

;;; Drawing

(defun roam-semantic-doctor--draw (checks &optional end)
  "Show CHECKS in the current buffer, and END below them."
  (let ((inhibit-read-only t))
    (erase-buffer)
    (insert (propertize "roam-semantic doctor" 'face 'bold) "\n\n")
    (mapc #'roam-semantic-doctor--insert checks)
    (insert "\n" (roam-semantic-doctor--verdict checks) "\n")
    (when end
      (insert "\n" end "\n"))
    (goto-char (point-min))))

(defun roam-semantic-doctor--insert (check)
  "Insert CHECK at point, and its remedy unless all is well."
  (let* ((state (plist-get check :state))
         (remedy (roam-semantic-errors-hint (or (plist-get check :remedy) ""))))
    (insert (propertize (format "%-8s" state)
                        'face (pcase state
                                ("ok" 'success)
                                ("warning" 'warning)
                                (_ 'error)))
            (format "%s: %s\n" (plist-get check :name) (plist-get check :message)))
    (unless (or (equal state "ok") (string-empty-p remedy))
      (insert (format "        → %s\n" remedy)))))

(defun roam-semantic-doctor--verdict (checks)
  "Return one line about all CHECKS."
  (let ((failed (seq-count (lambda (check) (equal "failed" (plist-get check :state))) checks))
        (warned (seq-count (lambda (check) (equal "warning" (plist-get check :state))) checks)))
    (cond ((> failed 0) (format "%d failed, %d to look at" failed warned))
          ((> warned 0) (format "Nothing failed, %d to look at" warned))
          (t "All is well"))))

(provide 'roam-semantic-doctor)
;;; roam-semantic-doctor.el ends here
