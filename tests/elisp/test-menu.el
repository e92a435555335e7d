;;; test-menu.el --- Tests of the menu  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Code:

(require 'roam-semantic-test)
(require 'roam-semantic-menu)
(require 'roam-semantic-mode)

(defvar roam-semantic-find-results)

(defun roam-semantic-test-commands-of (map)
  "Return the commands bound in MAP."
  (let (commands)
    (map-keymap (lambda (_event binding)
                  (when (symbolp binding)
                    (push binding commands)))
                map)
    commands))

(ert-deftest roam-semantic-the-prefix-map-has-commands-only ()
  (let ((commands (roam-semantic-test-commands-of roam-semantic-map)))
    (should (> (length commands) 10))
    (dolist (command commands)
      (should (commandp command)))))

(ert-deftest roam-semantic-the-transient-has-every-command-of-the-prefix-map ()
  (unless (require 'transient nil t)
    (ert-skip "This Emacs has no transient"))
  (require 'roam-semantic-transient)
  (let ((layout (format "%S" (get 'roam-semantic-transient 'transient--layout))))
    (should (commandp 'roam-semantic-transient))
    (dolist (command (remq 'roam-semantic-menu
                           (roam-semantic-test-commands-of roam-semantic-map)))
      (ert-info ((symbol-name command))
        (should (string-match-p
                 (format ":command roam-semantic-\\(transient-\\)?%s[ )]"
                         (string-remove-prefix "roam-semantic-" (symbol-name command)))
                 layout))))))

(ert-deftest roam-semantic-a-command-of-the-transient-is-that-command ()
  (unless (require 'transient nil t)
    (ert-skip "This Emacs has no transient"))
  (require 'roam-semantic-transient)
  (let (called)
    (cl-letf (((symbol-function 'roam-semantic-find)
               (lambda () (interactive) (setq called (list this-command current-prefix-arg)))))
      (let ((current-prefix-arg '(4)))
        (call-interactively 'roam-semantic-transient-find)))
    (should (equal '(roam-semantic-find (4)) called))))

(ert-deftest roam-semantic-every-entry-of-the-mode-line-menu-exists ()
  (let (commands)
    (map-keymap (lambda (_event item)
                  (pcase item
                    (`(menu-item ,_name ,command . ,_) (push command commands))
                    (`(,(pred stringp) . ,command) (push command commands))))
                roam-semantic-mode-menu)
    (setq commands (delq nil commands))
    (should (memq 'roam-semantic-find commands))
    (dolist (command commands)
      (should (commandp command)))))

(ert-deftest roam-semantic-without-transient-the-menu-is-a-help-buffer ()
  (save-window-excursion
    (roam-semantic-menu-help)
    (unwind-protect
        (with-current-buffer (help-buffer)
          (should (string-match-p "^Server: not running" (buffer-string)))
          (should (string-match-p "^roam-semantic-transport +wire to the server (" (buffer-string)))
          (should (string-match-p "^f\\b.*roam-semantic-find$" (buffer-string))))
      (kill-buffer (help-buffer)))))

(ert-deftest roam-semantic-settings-change-from-the-menu ()
  (require 'roam-semantic-find)
  (let ((inhibit-message t)
        (roam-semantic-find-results 20)
        (roam-semantic-transport 'epc))
    (roam-semantic-test-with-replies nil
      (roam-semantic-menu-set-results 50)
      (roam-semantic-menu-switch-transport)
      (should (equal "hits offered (50)" (roam-semantic-menu-results-shown)))
      (should (equal "wire to the server (jsonrpc)" (roam-semantic-menu-transport-shown)))
      (should-error (roam-semantic-menu-set-results 0) :type 'user-error))))

(provide 'test-menu)
;;; test-menu.el ends here
