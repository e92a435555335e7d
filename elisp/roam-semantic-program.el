;;; roam-semantic-program.el --- The program that is the server  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; Finds the Python program, the vault it serves and the environment that
;; tells it so; starts it; keeps what it writes to standard error.

;;; Code:

(require 'subr-x)
(require 'roam-semantic)
(require 'roam-semantic-errors)
(require 'roam-semantic-placement)

(defvar org-roam-directory)
(defvar org-roam-db-location)

(defcustom roam-semantic-command nil
  "Program and arguments that run roam-semantic, as a list of strings.
The name of a face (\"epc\" or \"jsonrpc\") is added at the end.  Nil
means to look for it: see `roam-semantic-program-command'."
  :type '(choice (const :tag "Look for it" nil)
                 (repeat :tag "Program and arguments" string))
  :group 'roam-semantic
  :package-version '(roam-semantic . "0.1.0"))

(defcustom roam-semantic-python nil
  "Python interpreter in which roam-semantic is installed, or nil.
Used when `roam-semantic-command' is nil; nil means to look for one."
  :type '(choice (const :tag "Look for it" nil) (file :must-match t))
  :group 'roam-semantic
  :package-version '(roam-semantic . "0.1.0"))

(defcustom roam-semantic-environment nil
  "More environment for the server, as strings \"NAME=VALUE\".
For instance \"ROAM_EMBEDDER=embedded\"."
  :type '(repeat string)
  :group 'roam-semantic
  :package-version '(roam-semantic . "0.1.0"))

(defun roam-semantic-program-root ()
  "Return the folder above the one these files are in, links resolved."
  (file-name-directory
   (directory-file-name
    (file-name-directory
     (file-truename (or (locate-library "roam-semantic-program") default-directory))))))

(defun roam-semantic-program-source ()
  "Return the folder with the Python package's source, or nil.
Only a checkout of the repository has it beside these files."
  (let ((python (expand-file-name "python/" (roam-semantic-program-root))))
    (and (file-exists-p (expand-file-name "roam_semantic/__init__.py" python))
         python)))

(defun roam-semantic-program-command ()
  "Return the program and arguments that run roam-semantic, without a face.
The first of: `roam-semantic-command'; `roam-semantic-python'; the
repository's own .venv; `roam-semantic' on the path; python3."
  (let ((venv (expand-file-name ".venv/bin/python" (roam-semantic-program-root)))
        (module '("-m" "roam_semantic")))
    (cond
     (roam-semantic-command)
     (roam-semantic-python (cons (expand-file-name roam-semantic-python) module))
     ((file-executable-p venv) (cons venv module))
     ((roam-semantic-program-find "roam-semantic")
      (list (roam-semantic-program-find "roam-semantic")))
     (t (cons "python3" module)))))

(defun roam-semantic-program-find (name)
  "Return the file that program NAME is on the path of this machine, or nil.
A buffer's own path (direnv's, or of a remote host) does not count."
  (let ((default-directory temporary-file-directory)
        (exec-path (default-value 'exec-path)))
    (executable-find name)))

(defun roam-semantic-program-environment (&optional token)
  "Return `process-environment' for the server, which is told TOKEN.
Python's path is set only when these files are a checkout, so that the
package found is the one beside them."
  (let ((vault (roam-semantic-program-vault))
        (database (roam-semantic-program-database))
        (source (roam-semantic-program-source)))
    (append roam-semantic-environment
            (roam-semantic-placement-environment)
            (and vault (list (concat "ROAM_DIR=" vault)))
            (and database (list (concat "ROAM_DB=" database)))
            (and token (list (concat "ROAM_SEMANTIC_TOKEN=" token)))
            (and source (null roam-semantic-command)
                 (list (concat "PYTHONPATH=" (directory-file-name source))))
            '("PYTHONUTF8=1" "PYTHONUNBUFFERED=1")
            (default-value 'process-environment))))

(defun roam-semantic-program-vault ()
  "Return the folder of the notes as org-roam has it, or nil.
Links are not resolved: org-roam's database names files as you do."
  (require 'org-roam nil t)
  (and (boundp 'org-roam-directory)
       (stringp org-roam-directory)
       (directory-file-name (expand-file-name org-roam-directory))))

(defun roam-semantic-program-database ()
  "Return the file of org-roam's database, existing or not, or nil."
  (require 'org-roam nil t)
  (and (boundp 'org-roam-db-location)
       (stringp org-roam-db-location)
       (expand-file-name org-roam-db-location)))

(defun roam-semantic-program-check-vault (vault)
  "Signal a condition unless VAULT is a folder of this machine."
  (let ((hint "set `org-roam-directory' to the folder of your notes"))
    (cond
     ((null vault)
      (signal 'roam-semantic-not-ready (list "org-roam is not installed" hint)))
     ((file-remote-p vault)
      (signal 'roam-semantic-not-ready
              (list (format "the vault %s is on another machine" vault) hint)))
     ((not (file-directory-p vault))
      (signal 'roam-semantic-not-ready
              (list (format "the vault %s is not a folder" vault) hint))))))

;;; The process

(defconst roam-semantic-program-log-buffer " *roam-semantic log*"
  "Buffer for the standard error of the server.")

(defconst roam-semantic-program--log-size 65536
  "Characters kept of the standard error of the server.")

(defun roam-semantic-program-new-token ()
  "Return a secret of 64 hexadecimal digits."
  (condition-case nil
      (secure-hash 'sha256 'iv-auto 64)
    ;; An Emacs without GnuTLS.
    (error
     (random t)
     (secure-hash 'sha256 (format "%s %s %s %s" (random) (random) (emacs-pid)
                                  (float-time))))))

(defun roam-semantic-program-launch (face connection-type token)
  "Start the program with FACE on CONNECTION-TYPE, pty or pipe, knowing TOKEN.
Its standard error goes to the log."
  ;; A folder of this machine, and one that does not vanish.
  (let* ((default-directory (file-name-as-directory (expand-file-name "~")))
         (process-environment (roam-semantic-program-environment token))
         (exec-path (default-value 'exec-path))
         (start (with-current-buffer (get-buffer-create roam-semantic-program-log-buffer)
                  (buffer-disable-undo)
                  (copy-marker (point-max))))
         (pipe (make-pipe-process :name "roam-semantic stderr" :noquery t
                                  :buffer roam-semantic-program-log-buffer
                                  :coding 'utf-8-unix
                                  :filter #'roam-semantic-program--note
                                  :sentinel #'ignore))
         (process (condition-case failure
                      (make-process :name "roam-semantic" :noquery t
                                    :command (append (roam-semantic-program-command)
                                                     (list face))
                                    :connection-type connection-type
                                    :coding 'utf-8-emacs-unix
                                    :stderr pipe)
                    (error
                     (delete-process pipe)
                     (signal (car failure) (cdr failure))))))
    (process-put process 'roam-semantic-stderr pipe)
    (process-put process 'roam-semantic-log-start start)
    process))

(defun roam-semantic-program-end (process)
  "End PROCESS, which `roam-semantic-program-launch' started, without a word."
  (set-process-sentinel process #'ignore)
  (delete-process process)
  (delete-process (process-get process 'roam-semantic-stderr)))

(defun roam-semantic-program--note (_process text)
  "Keep TEXT, which the server wrote to standard error, and not too much of it."
  (with-current-buffer (get-buffer-create roam-semantic-program-log-buffer)
    (save-excursion
      (goto-char (point-max))
      (insert text)
      (when (> (buffer-size) roam-semantic-program--log-size)
        (delete-region (point-min) (- (point-max) roam-semantic-program--log-size))))))

(defun roam-semantic-program-log ()
  "Return what the server wrote to standard error of late."
  (if-let* ((log (get-buffer roam-semantic-program-log-buffer)))
      (with-current-buffer log (buffer-substring-no-properties (point-min) (point-max)))
    ""))

(defun roam-semantic-program-last-words (process)
  "Return the last line PROCESS wrote to standard error, or nil.
Read first what is still in the pipe, without letting timers run."
  (let ((pipe (process-get process 'roam-semantic-stderr)))
    (when pipe
      (while (accept-process-output pipe 0 nil 0)))
    (when-let* ((log (get-buffer roam-semantic-program-log-buffer)))
      (with-current-buffer log
        (let ((text (string-trim (buffer-substring-no-properties
                                  (or (process-get process 'roam-semantic-log-start) 1)
                                  (point-max)))))
          (unless (string-empty-p text)
            (truncate-string-to-width (car (last (split-string text "\n"))) 200 nil nil "…")))))))

(provide 'roam-semantic-program)
;;; roam-semantic-program.el ends here
