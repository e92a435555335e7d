;;; roam-semantic-program.el --- The program that is the server  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; Finds the Python program, the vault it serves and the environment that
;; tells it so; starts it; keeps what it writes to standard error.
;;
;; Nothing is installed here and nothing asked: that is the business of
;; roam-semantic-install.el.  What it made, a virtual environment with a
;; stamp that says its version, is used while the stamp is ours.

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
  "Return the folder above the one these files are in, links resolved.
Links of the source: straight and elpaca link it to where it was cloned,
and compile it elsewhere."
  (file-name-directory
   (directory-file-name
    (file-name-directory
     (file-truename (or (locate-library "roam-semantic-program.el" t)
                        (locate-library "roam-semantic-program")
                        default-directory))))))

(defun roam-semantic-program-source ()
  "Return the folder with the Python package's source, or nil.
Only a checkout of the repository has it beside these files."
  (let ((python (expand-file-name "python/" (roam-semantic-program-root))))
    (and (file-exists-p (expand-file-name "roam_semantic/__init__.py" python))
         python)))

(defun roam-semantic-program-command ()
  "Return the program and arguments that run roam-semantic, without a face.
The first of: `roam-semantic-command'; `roam-semantic-python'; what
\\[roam-semantic-install] made, if it is of this version; the repository's
own .venv; `roam-semantic' on the path; python3."
  (let ((checkout (expand-file-name ".venv/bin/python" (roam-semantic-program-root)))
        (module '("-m" "roam_semantic")))
    (cond
     (roam-semantic-command)
     (roam-semantic-python (cons (expand-file-name roam-semantic-python) module))
     ((roam-semantic-program-own-p) (cons (roam-semantic-program-venv-python) module))
     ((file-executable-p checkout) (cons checkout module))
     ((roam-semantic-program-find "roam-semantic")
      (list (roam-semantic-program-find "roam-semantic")))
     (t (cons "python3" module)))))

(defun roam-semantic-program-find (name)
  "Return the file that program NAME is on the path of this machine, or nil.
A buffer's own path (direnv's, or of a remote host) does not count."
  (let ((default-directory (roam-semantic-program-folder))
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
            (and (roam-semantic-program-own-p) roam-semantic-program-foreign)
            ;; Safe: a file json.py in the home folder is not Python's.
            '("PYTHONUTF8=1" "PYTHONUNBUFFERED=1" "PYTHONSAFEPATH=1")
            (default-value 'process-environment))))

(defconst roam-semantic-program-foreign
  '("PYTHONHOME" "PYTHONPATH" "VIRTUAL_ENV" "CONDA_PREFIX" "__PYVENV_LAUNCHER__")
  "Variables that lead a Python to other packages than its own.
In `process-environment', a name without a value is not handed on.")

(defun roam-semantic-program-folder ()
  "Return a folder of this machine that does not vanish, to start programs in.
The folder of the current buffer may be remote, or deleted."
  (file-name-as-directory
   (let ((home (expand-file-name "~" "/")))
     (if (and (not (file-remote-p home)) (file-directory-p home)) home "/"))))

(defun roam-semantic-program-vault ()
  "Return the folder of the notes as org-roam has it, or nil.
Links are not resolved: org-roam's database names files as you do."
  (require 'org-roam nil t)
  (and (boundp 'org-roam-directory)
       (stringp org-roam-directory)
       (directory-file-name (expand-file-name org-roam-directory "/"))))

(defun roam-semantic-program-database ()
  "Return the file of org-roam's database, existing or not, or nil."
  (require 'org-roam nil t)
  (and (boundp 'org-roam-db-location)
       (stringp org-roam-db-location)
       (expand-file-name org-roam-db-location "/")))

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

;;; The package's own virtual environment

(defun roam-semantic-program-venv ()
  "Return the folder of the package's own virtual environment, existing or not."
  (expand-file-name (locate-user-emacs-file "roam-semantic/venv") "/"))

(defun roam-semantic-program-venv-python (&optional venv)
  "Return the Python of VENV, by default the package's own."
  (expand-file-name "bin/python" (or venv (roam-semantic-program-venv))))

(defun roam-semantic-program-own-p ()
  "Return non-nil if the package's own virtual environment is used, or would be.
Neither of two options may be set, and nothing be wrong with it."
  (not (or roam-semantic-command roam-semantic-python (roam-semantic-program-venv-fault))))

(defun roam-semantic-program-venv-stamp (&optional venv)
  "Return the file in VENV, by default our own, that tells the version installed."
  (expand-file-name "roam-semantic-version" (or venv (roam-semantic-program-venv))))

(defun roam-semantic-program-venv-version ()
  "Return the version installed in the package's own environment, or nil."
  (roam-semantic-program-match (roam-semantic-program-venv-stamp) "\\`\\([^ \n]+\\)"))

(defun roam-semantic-program-venv-python-version ()
  "Return the version of the Python the package's own environment is for, or nil."
  (roam-semantic-program-match (expand-file-name "pyvenv.cfg" (roam-semantic-program-venv))
                                "^version\\(?:_info\\)? *= *\\([0-9.]+[0-9]\\)"))

(defun roam-semantic-program-match (file regexp)
  "Return what the first group of REGEXP matches in FILE, or nil."
  (when (file-readable-p file)
    (with-temp-buffer
      (insert-file-contents file)
      (when (re-search-forward regexp nil t)
        (match-string 1)))))

(defun roam-semantic-program-venv-fault ()
  "Return what is wrong with the package's own environment, or nil.
One sentence without a period.  A look at its files, nothing is run."
  (let ((venv (roam-semantic-program-venv))
        (version (roam-semantic-program-venv-version)))
    (cond
     ((not (file-directory-p venv))
      (format "nothing is installed in %s" (abbreviate-file-name venv)))
     ((not (file-executable-p (roam-semantic-program-venv-python)))
      "the Python it was made with is gone")
     ((roam-semantic-program--other-python-p venv)
      "the Python it was made with has been replaced by another version")
     ((not (equal version roam-semantic-version))
      (format "it has version %s of the program, the Emacs package is version %s"
              (or version "unknown") roam-semantic-version)))))

(defun roam-semantic-program--other-python-p (venv)
  "Return non-nil if the Python that VENV leads to has no packages there.
So it is after an upgrade of the system: python3 is now another version."
  (let ((real (file-name-nondirectory
               (file-truename (roam-semantic-program-venv-python venv)))))
    (and (string-match-p "\\`python3\\.[0-9]+\\'" real)
         (not (file-directory-p (expand-file-name (concat "lib/" real) venv))))))

(defun roam-semantic-program-remedy (&optional words)
  "Return what to do about a program that does not start, or another version.
WORDS, if given, are its last; nil means that it is not there at all."
  (let ((absent (or (null words)
                    (string-match-p "No module named\\|[Nn]o such file\\|not found" words))))
    (cond
     (roam-semantic-command
      "set `roam-semantic-command' right or to nil, or see M-x roam-semantic-doctor")
     (roam-semantic-python
      "set `roam-semantic-python' right or to nil, or see M-x roam-semantic-doctor")
     (absent (format "M-x roam-semantic-install installs version %s; M-x roam-semantic-doctor %s"
                     roam-semantic-version "tells more"))
     (t "the next call starts it again; M-x roam-semantic-doctor tells more"))))

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
  (let* ((default-directory (roam-semantic-program-folder))
         (command (append (roam-semantic-program-checked) (list face)))
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
                                    :command command
                                    :connection-type connection-type
                                    :coding 'utf-8-emacs-unix
                                    :stderr pipe)
                    (error
                     (delete-process pipe)
                     (signal (car failure) (cdr failure))))))
    (process-put process 'roam-semantic-stderr pipe)
    (process-put process 'roam-semantic-log-start start)
    process))

(defun roam-semantic-program-checked ()
  "Return the command; signal an error if its program is not there.
Emacs would start a process all the same, if the name is absolute."
  (let ((command (roam-semantic-program-command)))
    (unless (roam-semantic-program-find (car command))
      (error "%s is not there" (car command)))
    command))

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

(defun roam-semantic-program-cause (process reason)
  "Return why PROCESS ended, as the end of a sentence; REASON is known or nil.
PROCESS is nil if there was none."
  (let* ((status (and process (process-status process)))
         (code (and (memq status '(exit signal)) (process-exit-status process)))
         (words (and process (roam-semantic-program-last-words process))))
    (concat (cond ((eq status 'signal) (format " (killed by signal %d)" code))
                  ((and (eq status 'exit) (/= code 0)) (format " (exit code %d)" code))
                  ((eq status 'stop) " (it was stopped from outside)"))
            (cond (words (concat ": " words))
                  (reason (concat ": " reason))))))

(defun roam-semantic-show-log ()
  "Show what the server wrote to standard error."
  (interactive)
  (display-buffer (get-buffer-create roam-semantic-program-log-buffer)))

(provide 'roam-semantic-program)
;;; roam-semantic-program.el ends here
