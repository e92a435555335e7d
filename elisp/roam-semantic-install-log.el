;;; roam-semantic-install-log.el --- What an installation shows  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; The buffer in which an installation tells what it is going to do, what
;; its commands print, and what to do when one of them fails.

;;; Code:

(require 'seq)
(require 'subr-x)
(require 'roam-semantic)
(require 'roam-semantic-program)
(require 'roam-semantic-remedy)

(declare-function roam-semantic-install "roam-semantic-install")
(declare-function roam-semantic-install-cancel "roam-semantic-install")

(defconst roam-semantic-install-log-buffer "*roam-semantic install*"
  "Buffer with the commands and what they print.")

(defvar-local roam-semantic-install-log-state nil
  "What the log shows: asking, running, cancelled, failed or done.")

(defvar-local roam-semantic-install-log--output nil
  "Marker where the output of the command that runs begins.")

(defvar roam-semantic-install-log-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "C-c C-k") #'roam-semantic-install-cancel)
    map)
  "Keys of the log of an installation.")

(define-derived-mode roam-semantic-install-log-mode special-mode "Install"
  "Mode of the log of an installation.
\\<roam-semantic-install-log-mode-map>\\[roam-semantic-install-cancel] \
ends it, \\[revert-buffer] installs again."
  (setq-local revert-buffer-function (lambda (&rest _) (roam-semantic-install))
              scroll-conservatively 101
              truncate-lines nil
              word-wrap t)
  (setq mode-line-process
        '(:eval (and roam-semantic-install-log-state
                     (format ":%s" roam-semantic-install-log-state)))))

(defun roam-semantic-install-log-write (text)
  "Add TEXT, which may have buttons, to the log, the current buffer.
Windows that show its end go on showing it."
  (let* ((inhibit-read-only t)
         (end (point-max))
         (windows (seq-filter (lambda (window) (= end (window-point window)))
                              (get-buffer-window-list nil nil t))))
    (save-excursion
      (goto-char end)
      (insert text))
    (dolist (window windows)
      (set-window-point window (point-max)))))

(defun roam-semantic-install-log-introduce (tool venv commands)
  "Fill the log with what will be done: COMMANDS build VENV with TOOL."
  (let ((inhibit-read-only t))
    (erase-buffer)
    (setq roam-semantic-install-log-state 'asking)
    (roam-semantic-install-log-write
     (concat (propertize "roam-semantic install" 'face 'bold) "\n\n"))
    (if (plist-get tool :fault)
        (roam-semantic-install-log-conclude
         'failed (format "Cannot install: %s." (plist-get tool :fault))
         (plist-get tool :remedy))
      (roam-semantic-install-log-write
       (concat
        "This makes a Python environment that belongs to this package alone, in\n  "
        (abbreviate-file-name venv)
        "\nand installs the search program there: about 130 MB are fetched, 300 MB kept.\n"
        "Nothing else on this machine changes; to undo it, delete that folder.\n\n"
        (roam-semantic-install-log--with tool)
        "\nThese commands are run, then " (file-name-nondirectory venv)
        ".new takes the name " (file-name-nondirectory venv) ":\n\n"
        (mapconcat (lambda (command)
                     (concat "  " (roam-semantic-install-log-shell command) "\n"))
                   commands ""))))))

(defun roam-semantic-install-log-show ()
  "Show the log, the current buffer, from its beginning, and whole if possible."
  (goto-char (point-min))
  (when-let* ((window (display-buffer (current-buffer))))
    (set-window-point window (point-min))
    ;; The commands stand last, and nobody should agree to what is not seen.
    (ignore-errors (fit-window-to-buffer window))))

(defun roam-semantic-install-log--follow ()
  "Let each window of the log show its end from now on."
  (dolist (window (get-buffer-window-list nil nil t))
    (set-window-point window (point-max))))

(defun roam-semantic-install-log--with (tool)
  "Return lines about TOOL and what is there already."
  (concat
   (if (plist-get tool :uv) (format "  uv       %s\n" (plist-get tool :uv)) "")
   (if (plist-get tool :python)
       (format "  Python   %s (%s)\n" (plist-get tool :python) (plist-get tool :version))
     "  Python   one that uv has or fetches\n")
   (format "  version  %s\n" roam-semantic-version)
   (format "  before   %s\n" (or (roam-semantic-program-venv-fault)
                                 "the same version, which is sound"))))

(defun roam-semantic-install-log-shell (command)
  "Return COMMAND, a list, as a person types it in a shell."
  (mapconcat (lambda (word)
               (if (string-match-p "\\`[A-Za-z0-9_./=:+-]+\\'" word)
                   word
                 (shell-quote-argument word)))
             command " "))

(defun roam-semantic-install-log-begin (command)
  "Note that COMMAND is about to run."
  (setq roam-semantic-install-log-state 'running)
  (roam-semantic-install-log-write
   (format "\n$ %s\n" (roam-semantic-install-log-shell command)))
  (setq roam-semantic-install-log--output (point-max-marker))
  (roam-semantic-install-log--follow)
  (force-mode-line-update))

(defun roam-semantic-install-log-said ()
  "Return what the command that ran last has printed."
  (buffer-substring-no-properties (or roam-semantic-install-log--output (point-min))
                                  (point-max)))

(defun roam-semantic-install-log-conclude (state text &optional remedy)
  "End the log, which is now in STATE, with TEXT and the REMEDY, if any."
  (setq roam-semantic-install-log-state state)
  (roam-semantic-install-log-write
   (with-temp-buffer
     (insert "\n" (propertize text 'face (pcase state
                                           ('done 'success)
                                           ('failed 'error)
                                           (_ 'warning))))
     (insert "\n")
     (when remedy
       (insert "→ ")
       (roam-semantic-remedy-insert remedy)
       (insert "\n"))
     (buffer-string)))
  (force-mode-line-update))

;;; What to do about a failure

(defconst roam-semantic-install-log--remedies
  '(("No module named '?\\(?:ensurepip\\|venv\\)\\|ensurepip is not available"
     . "run `sudo apt install python3-venv`, then M-x roam-semantic-install")
    ("No space left on device\\|Disk quota exceeded"
     . "make room (the program needs 300 MB), then M-x roam-semantic-install")
    ("CERTIFICATE_VERIFY_FAILED\\|certificate verify failed"
     . "name your organisation's certificates in the variable PIP_CERT")
    ("name resolution\\|Name or service not known\\|NewConnectionError\\|ProxyError\
\\|Connection refused\\|Network is unreachable\\|timed out\\|dns error"
     . "see whether pypi.org can be reached (behind a proxy set HTTPS_PROXY), \
then M-x roam-semantic-install")
    ("Failed building wheel\\|metadata-generation-failed\\|Failed to build\
\\|No matching distribution found\\|No solution found"
     . "a package it needs is not made for this Python or system: install Python 3.11 \
to 3.13 or uv beside it, then M-x roam-semantic-install")
    ("Permission denied\\|Operation not permitted"
     . "see who owns the folder named above, then M-x roam-semantic-install")
    ("is not version"
     . "update the package, so that Emacs and the program come from one release"))
  "Alist (REGEXP . REMEDY) over what a command that failed has printed.")

(defun roam-semantic-install-log-remedy (output)
  "Return what to do about a command that failed and printed OUTPUT."
  (let ((case-fold-search t))
    (or (cdr (seq-find (lambda (entry) (string-match-p (car entry) output))
                       roam-semantic-install-log--remedies))
        "see what it printed above, then M-x roam-semantic-install")))

(provide 'roam-semantic-install-log)
;;; roam-semantic-install-log.el ends here
