;;; roam-semantic-transient.el --- The menu as a transient  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; Loaded by `roam-semantic-menu' where transient is; Emacs comes with it.
;; Each command works without this menu.
;;
;; A transient loads what its commands are autoloaded from before it is
;; shown: Org, org-roam and magit-section, over a second of them.  So the
;; commands that need those are called through others that do not.

;;; Code:

(require 'transient)
(require 'roam-semantic)
(require 'roam-semantic-menu)
(require 'roam-semantic-state)

(defmacro roam-semantic-transient--later (&rest names)
  "Define commands roam-semantic-transient-NAME that call roam-semantic-NAME.
NAMES are symbols."
  `(progn
     ,@(mapcar (lambda (name)
                 (let ((command (intern (format "roam-semantic-%s" name)))
                       (name (intern (format "roam-semantic-transient-%s" name))))
                   `(progn
                      (defun ,name ()
                        ,(format "Call `%s'." command)
                        (interactive)
                        (setq this-command ',command)
                        (call-interactively #',command))
                      ;; M-x has the command itself.
                      (put ',name 'completion-predicate #'ignore))))
               names)))

(roam-semantic-transient--later
 find search-buffer insert suggest-links related-mode buffer-setup doctor install)

(transient-define-prefix roam-semantic-transient ()
  "Every command of roam-semantic, and what is set."
  [:description roam-semantic-state-text
   ["Find"
    ("f" "a note" roam-semantic-transient-find)
    ("b" "into a buffer" roam-semantic-transient-search-buffer)]
   ["Write"
    ("i" "insert a link" roam-semantic-transient-insert)
    ("l" "suggest links" roam-semantic-transient-suggest-links)]
   ["Look"
    ("r" roam-semantic-transient-related-mode
     :description roam-semantic-menu-related-shown)
    ("p" "sections in org-roam's buffer" roam-semantic-transient-buffer-setup)]]
  [["Index"
    ("x" "bring up to date" roam-semantic-index)
    ("s" "statistics" roam-semantic-stats)
    ("c" "cancel what is under way" roam-semantic-cancel)]
   ["Server"
    ("d" "doctor" roam-semantic-transient-doctor)
    ("L" "log" roam-semantic-show-log)
    ("R" "restart" roam-semantic-restart)
    ("S" "stop" roam-semantic-stop)
    ("I" "install" roam-semantic-transient-install)]
   ["Settings"
    ("M" roam-semantic-mode
     :description roam-semantic-menu-mode-shown :transient t)
    ("v" roam-semantic-menu-toggle-live
     :description roam-semantic-menu-live-shown :transient t)
    ("N" roam-semantic-menu-set-results
     :description roam-semantic-menu-results-shown :transient t)
    ("T" roam-semantic-menu-switch-transport
     :description roam-semantic-menu-transport-shown :transient t)
    ("P" roam-semantic-menu-switch-placement
     :description roam-semantic-menu-placement-shown :transient t)]])

(provide 'roam-semantic-transient)
;;; roam-semantic-transient.el ends here
