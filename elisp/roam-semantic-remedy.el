;;; roam-semantic-remedy.el --- A remedy as a text with buttons  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; A remedy is a sentence, whether Emacs or the server found the fault.
;; What it tells you to do is made a button where it stands:
;;
;;   M-x COMMAND                     runs the command, with C-u before it too
;;   M-x package-install RET NAME    installs the package
;;   `option'                        opens the option in Customize
;;   `shell command`                 copies the command

;;; Code:

(require 'button)
(require 'package)
(require 'roam-semantic-errors)

(defconst roam-semantic-remedy--action
  (concat "M-x package-install RET \\(?1:[a-z0-9-]+\\)"
          "\\|\\(?2:C-u \\)?M-x \\(?3:[a-z0-9-]+\\)"
          "\\|`\\(?4:[a-z0-9-]+\\)'"
          "\\|`\\(?5:[^`'\n]+\\)`")
  "Regexp for what a remedy tells you to do.")

(defun roam-semantic-remedy-insert (text)
  "Insert TEXT at point, with a button for each thing it tells you to do."
  (let ((start (point)))
    (insert (roam-semantic-errors-hint text))
    (save-restriction
      (narrow-to-region start (point))
      (goto-char start)
      (while (re-search-forward roam-semantic-remedy--action nil t)
        (when-let* ((button (roam-semantic-remedy--button)))
          (make-text-button (match-beginning 0) (match-end 0)
                            'action (lambda (_) (funcall (cdr button)))
                            'help-echo (car button)
                            'follow-link t)))
      (goto-char (point-max)))))

(defun roam-semantic-remedy--button ()
  "Return (HELP . FUNCTION) for the action just matched, or nil."
  (let ((package (match-string-no-properties 1))
        (prefix (match-string 2))
        (command (intern (or (match-string-no-properties 3) "ignore")))
        (option (intern (or (match-string-no-properties 4) "ignore")))
        (shell (match-string-no-properties 5)))
    (cond
     (package
      (cons (format "Install the package %s" package)
            (lambda () (roam-semantic-remedy--install-package (intern package)))))
     (shell
      (cons "Copy this command, to be run in a shell"
            (lambda ()
              (kill-new shell)
              (message "Copied: %s" shell))))
     ((custom-variable-p option)
      (cons "Customize this option" (lambda () (customize-variable option))))
     ((and (not (eq command 'ignore)) (commandp command))
      (cons "Run this command"
            (lambda ()
              (let ((current-prefix-arg (and prefix '(4))))
                (call-interactively command))))))))

(defun roam-semantic-remedy--install-package (name)
  "Install the package NAME; ask before, for it is fetched."
  (when (y-or-n-p (format "Fetch and install the package %s? " name))
    (unless (assq name package-archive-contents)
      (package-refresh-contents))
    (package-install name)))

(provide 'roam-semantic-remedy)
;;; roam-semantic-remedy.el ends here
