;;; roam-semantic-install.el --- Install the program  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; `roam-semantic-install' makes a virtual environment of the package's
;; own and installs the program there.  It shows the commands, asks once,
;; and runs them one after the other while you go on working.
;;
;; The new environment is built beside the old one and takes its name only
;; when it has said the right version: whatever ends an installation early
;; leaves what was there before.  No other Python is touched, and none of
;; the variables that lead pip or Python elsewhere is handed on.

;;; Code:

(require 'subr-x)
(require 'roam-semantic)
(require 'roam-semantic-client)
(require 'roam-semantic-install-log)
(require 'roam-semantic-program)
(require 'roam-semantic-python)
(require 'roam-semantic-server)

(defconst roam-semantic-install--foreign
  (append roam-semantic-program-foreign
          '("PYTHONUSERBASE" "PYTHONSTARTUP" "PIP_TARGET" "PIP_PREFIX" "PIP_ROOT"
            "PIP_PYTHON" "PIP_NO_DEPS" "PIP_DRY_RUN" "PIP_EDITABLE" "PIP_REQUIREMENT"
            "CONDA_DEFAULT_ENV" "CONDA_PYTHON_EXE" "UV_PYTHON" "UV_SYSTEM_PYTHON"
            "UV_PROJECT_ENVIRONMENT" "UV_BREAK_SYSTEM_PACKAGES" "UV_TARGET" "UV_PREFIX"))
  "Variables that would make the commands install elsewhere.
Where to fetch packages from (PIP_INDEX_URL, proxies) is yours to say.")

(defvar-local roam-semantic-install--process nil
  "Process of the command that runs.")

(defvar-local roam-semantic-install--commands nil
  "Commands still to run, each a list; the first is running.")

;;; The command

;;;###autoload
(defun roam-semantic-install ()
  "Install the search program in a virtual environment of the package's own.
Show the commands and ask; then they run while you go on working.  What
is installed already stays as it is until the new one works."
  (interactive)
  (let ((default-directory (roam-semantic-program-folder))
        (venv (roam-semantic-program-venv)))
    (roam-semantic-install--check-place venv)
    (message "Looking for Python...")
    (let* ((tool (roam-semantic-python-choose))
           (commands (and (not (plist-get tool :fault))
                          (roam-semantic-install-commands tool venv))))
      (with-current-buffer (get-buffer-create roam-semantic-install-log-buffer)
        (roam-semantic-install-log-mode)
        (roam-semantic-install-log-introduce tool venv commands)
        (roam-semantic-install-log-show)
        (cond
         ((not commands)
          (user-error "Cannot install: %s; %s"
                      (plist-get tool :fault) (plist-get tool :remedy)))
         ((y-or-n-p (roam-semantic-install--question))
          (roam-semantic-install--start venv commands))
         (t
          (roam-semantic-install-log-conclude 'cancelled "Nothing was run.")))))))

(defun roam-semantic-install--check-place (venv)
  "Signal a `user-error' unless VENV can be built now."
  (let ((running (roam-semantic-install--running)))
    (cond
     (running
      (with-current-buffer running (roam-semantic-install-log-show))
      (user-error "An installation is under way; M-x roam-semantic-install-cancel ends it"))
     ((file-remote-p venv)
      (user-error "`user-emacs-directory' is on another machine: %s" user-emacs-directory))
     ((roam-semantic-install--other-emacs venv)
      (user-error "Another Emacs (process %d) is installing there"
                  (roam-semantic-install--other-emacs venv))))))

(defun roam-semantic-install--running ()
  "Return the log of the installation under way in this Emacs, or nil."
  (when-let* ((buffer (get-buffer roam-semantic-install-log-buffer)))
    (and (or (eq 'running (buffer-local-value 'roam-semantic-install-log-state buffer))
             ;; Cancelled, and not gone yet.
             (process-live-p (buffer-local-value 'roam-semantic-install--process buffer)))
         buffer)))

(defun roam-semantic-install--question ()
  "Return what to ask before the commands are run."
  (if (roam-semantic-program-venv-fault)
      "Run these commands? "
    (format "Version %s is installed already and sound; build it anew? "
            roam-semantic-version)))

;;; What is run

(defun roam-semantic-install-commands (tool venv)
  "Return the commands, each a list, that build VENV beside itself with TOOL.
TOOL is what `roam-semantic-python-choose' returned.  The last one must
say the version."
  (let* ((new (roam-semantic-install--new venv))
         (inner (roam-semantic-program-venv-python new))
         (what (roam-semantic-install--requirement))
         (python (plist-get tool :python))
         (uv (plist-get tool :uv)))
    (append
     (if uv
         (list (list uv "venv" "--clear" "--python"
                     (or python (concat ">=" roam-semantic-python-oldest)) new)
               (list uv "pip" "install" "--python" inner what))
       (list (list python "-m" "venv" "--clear" new)
             (list inner "-m" "pip" "install" what)))
     (list (list inner "-m" "roam_semantic" "--version")))))

(defun roam-semantic-install--new (venv)
  "Return the folder in which the successor of VENV is built."
  (concat venv ".new"))

(defun roam-semantic-install--requirement ()
  "Return what to install: the checkout these files are in, or our version."
  (let ((root (roam-semantic-program-root)))
    (if (and (roam-semantic-program-source)
             (file-exists-p (expand-file-name "pyproject.toml" root)))
        (directory-file-name root)
      (concat "roam-semantic==" roam-semantic-version))))

(defun roam-semantic-install-environment ()
  "Return `process-environment' for the commands.
An option of pip's own file, such as user = true, is overruled too."
  (append '("PIP_USER=0" "PIP_NO_INPUT=1" "PIP_DISABLE_PIP_VERSION_CHECK=1"
            "PIP_PROGRESS_BAR=off" "PIP_REQUIRE_VIRTUALENV=0" "UV_NO_PROGRESS=1"
            "NO_COLOR=1" "TERM=dumb" "PYTHONUNBUFFERED=1" "PYTHONUTF8=1"
            ;; Not PYTHONSAFEPATH: what old packages are set up by imports what is beside it.
            "PYTHONNOUSERSITE=1")
          roam-semantic-install--foreign
          (default-value 'process-environment)))

;;; Running

(defun roam-semantic-install--start (venv commands)
  "Run COMMANDS, which build the successor of VENV; the log is current."
  (make-directory (file-name-directory venv) t)
  (write-region (number-to-string (emacs-pid)) nil (roam-semantic-install--claim venv)
                nil 'silent)
  (setq roam-semantic-install--commands commands)
  (message "Installing roam-semantic; C-c C-k in the log, or M-x roam-semantic-cancel, stops it")
  (roam-semantic-install--next venv))

(defun roam-semantic-install--next (venv)
  "Start the first of the commands that are left, or finish VENV."
  (if (null roam-semantic-install--commands)
      (roam-semantic-install--adopt venv)
    (let ((command (car roam-semantic-install--commands))
          (default-directory (file-name-directory venv))
          (process-environment (roam-semantic-install-environment))
          (exec-path (default-value 'exec-path)))
      (roam-semantic-install-log-begin command)
      (condition-case failure
          ;; On a terminal: it ends with Emacs, also when that is killed.
          (setq roam-semantic-install--process
                (make-process :name "roam-semantic install" :command command
                              :buffer (current-buffer) :connection-type 'pty
                              :coding 'utf-8-emacs-unix
                              :filter #'roam-semantic-install--note
                              :sentinel (lambda (process _change)
                                          (roam-semantic-install--ended process venv))))
        (error (roam-semantic-install--fail venv (error-message-string failure)))))))

(defun roam-semantic-install--note (process text)
  "Add TEXT, which PROCESS printed, to its log."
  (when (buffer-live-p (process-buffer process))
    (with-current-buffer (process-buffer process)
      (roam-semantic-install-log-write
       (replace-regexp-in-string "\r\\|\e\\[[0-9;?]*[A-Za-z]" "" text)))))

(defun roam-semantic-install--ended (process venv)
  "Go on after PROCESS, one of the commands that build VENV, has ended."
  (let ((buffer (process-buffer process)))
    (when (and (not (process-live-p process)) (buffer-live-p buffer))
      (while (accept-process-output process 0))
      (with-current-buffer buffer
        (pop roam-semantic-install--commands)
        (cond
         ((not (eq 'running roam-semantic-install-log-state))
          (roam-semantic-install--clean venv))
         ((not (and (eq 'exit (process-status process))
                    (= 0 (process-exit-status process))))
          (roam-semantic-install--fail
           venv (format "the command ended with code %d" (process-exit-status process))))
         ((and (null roam-semantic-install--commands)
               (not (roam-semantic-install--right-version-p)))
          (roam-semantic-install--fail
           venv (format "this is not version %s of the program" roam-semantic-version)))
         (t (roam-semantic-install--next venv)))))))

(defun roam-semantic-install--fail (venv reason)
  "Give up building the successor of VENV for REASON; what was there stays."
  (let ((remedy (roam-semantic-install-log-remedy
                 (concat (roam-semantic-install-log-said) reason))))
    (setq roam-semantic-install--commands nil)
    (roam-semantic-install-log-conclude
     'failed (format "Not installed: %s.  What was there before is as it was." reason)
     remedy)
    (roam-semantic-install--clean venv)
    (message "roam-semantic was not installed: %s" remedy)))

(defun roam-semantic-install--right-version-p ()
  "Return non-nil if the last command has said our version."
  (string-match-p (concat "^roam-semantic " (regexp-quote roam-semantic-version) "$")
                  (roam-semantic-install-log-said)))

(defun roam-semantic-install-cancel ()
  "End the installation under way; what was there before stays.
Return non-nil if there was one."
  (interactive)
  (let ((log (roam-semantic-install--running)))
    (if (not log)
        (when (called-interactively-p 'interactive)
          (message "No installation is under way"))
      (with-current-buffer log
        (let ((process roam-semantic-install--process))
          (when (eq 'running roam-semantic-install-log-state)
            (roam-semantic-install-log-conclude
             'cancelled "Cancelled; what was installed before is as it was."))
          ;; pip tidies up when it is interrupted, but may take its time.
          (interrupt-process process)
          (run-at-time 3 nil (lambda () (delete-process process)))))
      (message "Installation cancelled")
      t)))

(add-hook 'roam-semantic-cancel-functions #'roam-semantic-install-cancel)

;;; Taking over

(defun roam-semantic-install--adopt (venv)
  "Let what was built take the place of VENV, and say what to do next."
  (let ((new (roam-semantic-install--new venv))
        (old (make-temp-name (concat venv ".old-"))))
    (condition-case failure
        (progn
          (roam-semantic-install--readdress new venv)
          (write-region (concat roam-semantic-version "\n") nil
                        (roam-semantic-program-venv-stamp new) nil 'silent)
          ;; The server must not look for its files while they move.
          (roam-semantic-restart)
          ;; A link cannot give its name to a folder.
          (when (file-symlink-p venv)
            (delete-file venv))
          (when (file-exists-p venv)
            (rename-file venv old))
          (rename-file new venv)
          (roam-semantic-install--remove old)
          (roam-semantic-install--release venv)
          (roam-semantic-install-log-conclude
           'done (format "Version %s is installed." roam-semantic-version)
           (roam-semantic-install--what-next))
          (message "roam-semantic %s is installed; M-x roam-semantic-index reads your notes"
                   roam-semantic-version))
      (file-error
       (unless (file-exists-p venv)
         (ignore-errors (rename-file old venv)))
       (roam-semantic-install--fail venv (error-message-string failure))))))

(defun roam-semantic-install--what-next ()
  "Return what a person may do once the program is installed."
  (let ((option (cond (roam-semantic-command "roam-semantic-command")
                      (roam-semantic-python "roam-semantic-python"))))
    (if option
        (format "it is not used as long as `%s' is set" option)
      "M-x roam-semantic-index reads your notes, M-x roam-semantic-find asks them")))

(defun roam-semantic-install--readdress (new venv)
  "Make the scripts in NEW, which is about to be renamed, name VENV.
Emacs does not need them; an agent that runs mcp-roam from there does."
  (let ((from (encode-coding-string new 'utf-8))
        (to (encode-coding-string venv 'utf-8))
        (coding-system-for-write 'no-conversion))
    (dolist (file (cons (expand-file-name "pyvenv.cfg" new)
                        (directory-files (expand-file-name "bin" new) t "\\`[^.]")))
      (unless (or (file-symlink-p file) (file-directory-p file)
                  (> (file-attribute-size (file-attributes file)) 100000))
        (with-temp-buffer
          (set-buffer-multibyte nil)
          (insert-file-contents-literally file)
          (when (search-forward from nil t)
            (goto-char (point-min))
            (while (search-forward from nil t)
              (replace-match to t t))
            (write-region nil nil file nil 'silent)))))))

(defun roam-semantic-install--remove (folder)
  "Remove FOLDER, which may hold thousands of files, without waiting."
  (when (file-exists-p folder)
    (let ((exec-path (default-value 'exec-path)))
      (condition-case nil
          (make-process :name "roam-semantic install rm" :noquery t :connection-type 'pipe
                        :command (list "rm" "-rf" "--" folder) :sentinel #'ignore)
        (error (delete-directory folder t))))))

(defun roam-semantic-install--clean (venv)
  "Remove what was built of the successor of VENV."
  (let ((new (roam-semantic-install--new venv))
        (doomed (make-temp-name (concat venv ".old-"))))
    ;; The next installation may begin before all of it is removed.
    (when (file-exists-p new)
      (rename-file new doomed)
      (roam-semantic-install--remove doomed))
    (roam-semantic-install--release venv)))

;;; One Emacs at a time

(defun roam-semantic-install--claim (venv)
  "Return the file that says which Emacs is building VENV."
  (concat venv ".emacs-pid"))

(defun roam-semantic-install--release (venv)
  "Note that this Emacs is not building VENV any more."
  (delete-file (roam-semantic-install--claim venv)))

(defun roam-semantic-install--other-emacs (venv)
  "Return the process id of another Emacs that is building VENV, or nil."
  (let* ((found (roam-semantic-program-match (roam-semantic-install--claim venv)
                                              "\\`\\([0-9]+\\)"))
         (pid (and found (string-to-number found)))
         (name (and pid (/= pid (emacs-pid))
                    (alist-get 'comm (process-attributes pid)))))
    ;; A number may be given to another program once its Emacs is gone.
    (and name (string-match-p "emacs" (downcase name)) pid)))

(provide 'roam-semantic-install)
;;; roam-semantic-install.el ends here
