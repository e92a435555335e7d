;;; roam-semantic-menu.el --- Every command in one place  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; `roam-semantic-menu' shows every command and what is set.  It is a
;; transient where that library is (roam-semantic-transient.el), else a
;; help buffer.  What the two show is made here.

;;; Code:

(require 'cl-lib)
(require 'roam-semantic)
(require 'roam-semantic-server)
(require 'roam-semantic-state)

(declare-function roam-semantic-transient "roam-semantic-transient")

(defvar roam-semantic-find-live)
(defvar roam-semantic-find-results)
(defvar roam-semantic-index-placement)
(defvar roam-semantic-mode)
(defvar roam-semantic-related-mode)

;;;###autoload
(defun roam-semantic-menu ()
  "Show every command of roam-semantic, and what is set."
  (interactive)
  (if (let ((inhibit-quit t)) ; loaded by half, transient fails until Emacs ends
        (and (require 'transient nil t) (require 'roam-semantic-transient nil t)))
      (roam-semantic-transient)
    (roam-semantic-menu-help)))

;;; Settings

(defconst roam-semantic-menu-settings
  '((roam-semantic-mode . roam-semantic-menu-mode-shown)
    (roam-semantic-find-live . roam-semantic-menu-live-shown)
    (roam-semantic-find-results . roam-semantic-menu-results-shown)
    (roam-semantic-transport . roam-semantic-menu-transport-shown)
    (roam-semantic-index-placement . roam-semantic-menu-placement-shown))
  "Alist (SETTING . FUNCTION); FUNCTION returns what is set, in words.")

(defun roam-semantic-menu-help ()
  "Show the state, what is set and the keys of `roam-semantic-map'."
  (interactive)
  (with-help-window (help-buffer)
    (princ (roam-semantic-state-text))
    (princ "\n\n")
    (dolist (setting roam-semantic-menu-settings)
      (princ (format "%-34s %s\n" (car setting) (funcall (cdr setting)))))
    (princ "\n")
    (princ (substitute-command-keys "\\{roam-semantic-map}"))))

(defun roam-semantic-menu--value (option library)
  "Return the value of OPTION, which LIBRARY defines, loading it if need be."
  (unless (boundp option)
    (require library nil t))
  (and (boundp option) (symbol-value option)))

(defun roam-semantic-menu--set (option value)
  "Set OPTION to VALUE for this session, and say how to keep it."
  (if (get option 'custom-set)
      (funcall (get option 'custom-set) option value)
    (set-default option value))
  (message "%s is %s now; M-x customize-option keeps it" option value))

(defun roam-semantic-menu--shown (name value)
  "Return NAME and VALUE as a menu shows a setting."
  (format "%s (%s)" name (propertize (format "%s" value) 'face 'font-lock-string-face)))

(defun roam-semantic-menu-mode-shown ()
  "Return whether `roam-semantic-mode' is on."
  (roam-semantic-menu--shown "keep the index fresh"
                             (if (bound-and-true-p roam-semantic-mode) "on" "off")))

(defun roam-semantic-menu-related-shown ()
  "Return whether `roam-semantic-related-mode' is on."
  (roam-semantic-menu--shown "related to point, in a window"
                             (if (bound-and-true-p roam-semantic-related-mode) "on" "off")))

(defun roam-semantic-menu-live-shown ()
  "Return whether hits come while you type."
  (roam-semantic-menu--shown
   "hits while typing"
   (if (roam-semantic-menu--value 'roam-semantic-find-live 'roam-semantic-find) "on" "off")))

(defun roam-semantic-menu-results-shown ()
  "Return how many hits are offered."
  (roam-semantic-menu--shown
   "hits offered"
   (roam-semantic-menu--value 'roam-semantic-find-results 'roam-semantic-find)))

(defun roam-semantic-menu-transport-shown ()
  "Return how Emacs talks to its server."
  (roam-semantic-menu--shown "wire to the server" roam-semantic-transport))

(defun roam-semantic-menu-placement-shown ()
  "Return where the index is."
  (roam-semantic-menu--shown
   "place of the index"
   (or (roam-semantic-menu--value 'roam-semantic-index-placement 'roam-semantic-placement)
       'sibling)))

(defun roam-semantic-menu-toggle-live ()
  "Turn hits while typing on or off."
  (interactive)
  (roam-semantic-menu--set
   'roam-semantic-find-live
   (not (roam-semantic-menu--value 'roam-semantic-find-live 'roam-semantic-find))))

(defun roam-semantic-menu-set-results (count)
  "Set how many hits are offered to COUNT, from 1 to 100."
  (interactive (list (read-number "Hits offered (1 to 100): "
                                  (roam-semantic-menu--value 'roam-semantic-find-results
                                                             'roam-semantic-find))))
  (unless (<= 1 count 100)
    (user-error "Not from 1 to 100: %s" count))
  (roam-semantic-menu--set 'roam-semantic-find-results count))

(defun roam-semantic-menu-switch-transport ()
  "Talk to the server over the other wire; it is started again for that."
  (interactive)
  (roam-semantic-menu--set 'roam-semantic-transport
                           (if (eq 'epc roam-semantic-transport) 'jsonrpc 'epc))
  (roam-semantic-restart))

(defun roam-semantic-menu-switch-placement ()
  "Have the index in its own file or in org-roam's database, whichever it is not.
The server is started again for that."
  (interactive)
  (let ((new (if (eq 'shared (roam-semantic-menu--value 'roam-semantic-index-placement
                                                        'roam-semantic-placement))
                 'sibling
               'shared)))
    (unless (boundp 'roam-semantic-index-placement)
      (user-error "This version keeps the index beside org-roam's database only"))
    (when (or (eq 'sibling new)
              (y-or-n-p "Keep the index inside org-roam's own database? "))
      (roam-semantic-menu--set 'roam-semantic-index-placement new)
      (roam-semantic-restart))))

(provide 'roam-semantic-menu)
;;; roam-semantic-menu.el ends here
