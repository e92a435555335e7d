;;; demo.el --- Open the sample notes in a bare Emacs  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors
;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; Loaded by `make emacs' after `emacs -Q': nothing of yours is read, and
;; nothing outside .demo/ is written.

;;; Code:

(require 'package)

(defvar org-roam-directory)
(defvar org-roam-db-location)
(defvar native-comp-async-report-warnings-errors)
(defvar roam-semantic-map)

(defconst demo-root
  (file-name-directory
   (directory-file-name (file-name-directory (or load-file-name buffer-file-name))))
  "The folder of the repository.")

(defun demo-file (name)
  "Return the file NAME in the demo's folder."
  (expand-file-name (concat ".demo/" name) demo-root))

;; Settings of yours must not lead the demo to your own notes.
(dolist (entry (copy-sequence process-environment))
  (when (string-prefix-p "ROAM_" entry)
    (setenv (car (split-string entry "=")) nil)))
(setenv "XDG_CACHE_HOME" (demo-file "cache"))
(setenv "XDG_STATE_HOME" (demo-file "state"))

;; -Q leaves out the folder where Debian puts packages.
(add-to-list 'package-directory-list "/usr/share/emacs/site-lisp/elpa")
(package-initialize)
(unless (require 'org-roam nil t)
  (error "The org-roam package is missing: run `sudo apt-get install elpa-org-roam'"))

(setq org-roam-directory (demo-file "vault/")
      org-roam-db-location (demo-file "org-roam.db")
      user-emacs-directory (demo-file "emacs/")
      make-backup-files nil
      create-lockfiles nil
      native-comp-async-report-warnings-errors nil)
(make-directory user-emacs-directory t)

(add-to-list 'load-path (expand-file-name "elisp" demo-root))
(require 'roam-semantic)
(when (require 'vertico nil t)
  (vertico-mode))
(global-set-key (kbd "C-c s") 'roam-semantic-map)
(org-roam-db-autosync-mode)

(with-current-buffer (get-buffer-create "*roam-semantic demo*")
  (insert "The sample notes are open: " (abbreviate-file-name org-roam-directory) "\n\n"
          "  C-c s f   find notes by meaning: try \"feeling ill on a boat\"\n"
          "  C-c s i   bring the index up to date\n"
          "  C-c s d   what works, what does not, what to do\n")
  (goto-char (point-min))
  (setq-local buffer-read-only t)
  (switch-to-buffer (current-buffer)))

(provide 'demo)
;;; demo.el ends here
