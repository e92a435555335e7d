;;; init.el --- The Emacs of the end-to-end tests  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; Loaded by `emacs -nw -Q'.  The environment says where everything is:
;; E2E_HOME (vault, index, caches), E2E_LISP, E2E_PYTHON, E2E_WIRE, and in
;; E2E_MORE names of files beside this one that are loaded last.
;; F5 writes what a person would look at into E2E_HOME/state.json.

;;; Code:

(require 'json)
(require 'package)

(defun e2e-file (name)
  "Return the file NAME in the folder of the run."
  (expand-file-name name (getenv "E2E_HOME")))

;; -Q leaves out the folder where Debian puts packages.
(add-to-list 'package-directory-list "/usr/share/emacs/site-lisp/elpa")
(package-initialize)
(add-to-list 'load-path (getenv "E2E_LISP"))

(setq create-lockfiles nil
      inhibit-startup-screen t
      make-backup-files nil
      native-comp-async-report-warnings-errors nil
      ;; A person reads the hits; here the screen must hold still.
      blink-matching-paren nil
      ring-bell-function #'ignore
      ;; Emacs 28 works for seconds on how a command's name could be shorter.
      suggest-key-bindings nil)
(setq org-roam-directory (e2e-file (or (getenv "E2E_VAULT") "vault"))
      org-roam-db-location (e2e-file "org-roam.db")
      user-emacs-directory (e2e-file "emacs/"))

(require 'roam-semantic)
(setq roam-semantic-python (getenv "E2E_PYTHON")
      roam-semantic-transport (intern (getenv "E2E_WIRE"))
      roam-semantic-environment
      (list (concat "XDG_CACHE_HOME=" (e2e-file "cache"))
            (concat "XDG_STATE_HOME=" (e2e-file "state"))
            (concat "ROAM_INDEX=" (e2e-file (concat (or (getenv "E2E_VAULT") "vault") ".db")))))

(defun e2e-write-state ()
  "Write where point is and which processes run."
  (interactive)
  (let ((server (and (boundp 'roam-semantic-server-current)
                     (roam-semantic-server-process roam-semantic-server-current))))
    (write-region
     (json-encode
      (list :emacs (emacs-pid)
            :server (and server (process-id server))
            :file (buffer-file-name)
            :buffer (buffer-name)
            :text (buffer-substring-no-properties (line-beginning-position)
                                                  (line-end-position))
            :hidden (and (derived-mode-p 'org-mode) (org-invisible-p) t)))
     nil (e2e-file "state.new") nil 'silent)
    (rename-file (e2e-file "state.new") (e2e-file "state.json") t)))
(global-set-key (kbd "<f5>") #'e2e-write-state)

(dolist (name (split-string (or (getenv "E2E_MORE") "")))
  (load (expand-file-name name (file-name-directory load-file-name)) nil t))

(message "Emacs is ready")

(provide 'init)
;;; init.el ends here
