;;; roam-semantic.el --- Find org-roam notes by meaning and by word  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1") (org-roam "2.2.1"))
;; Keywords: outlines, hypermedia, matching, convenience
;; SPDX-License-Identifier: GPL-3.0-or-later

;; This program is free software; you can redistribute it and/or modify
;; it under the terms of the GNU General Public License as published by
;; the Free Software Foundation, either version 3 of the License, or
;; (at your option) any later version.

;; This program is distributed in the hope that it will be useful,
;; but WITHOUT ANY WARRANTY; without even the implied warranty of
;; MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the
;; GNU General Public License for more details.

;; You should have received a copy of the GNU General Public License
;; along with this program.  If not, see <https://www.gnu.org/licenses/>.

;;; Commentary:

;; A semantic memory for org-roam: ask in your own words, get the notes
;; that mean it, even where they say it in other words.
;;
;;   M-x roam-semantic-install        install the search program, once
;;   M-x roam-semantic-index          bring the index up to date
;;   M-x roam-semantic-find           ask, see hits as you type, jump there
;;   M-x roam-semantic-insert         find, and link to it at point
;;   M-x roam-semantic-suggest-links  links this note could have
;;   M-x roam-semantic-mode           keep the index fresh, show its state
;;   M-x roam-semantic-menu           every command and setting
;;   M-x roam-semantic-doctor         what works, what does not, what to do
;;
;; A Python program does the searching.  Emacs starts it at the first
;; question and it ends when Emacs does.  Nothing leaves your machine.
;;
;; No key is bound.  To reach the commands below one prefix:
;;
;;   (keymap-global-set "C-c s" 'roam-semantic-map)       ; Emacs 29 and newer
;;   (global-set-key (kbd "C-c s") 'roam-semantic-map)
;;
;; Loading this file loads nothing else: neither org-roam nor the parts
;; below, which come with the first command that needs them.
;;
;;   -errors     the six kinds of failure, as conditions
;;   -program    which program is the server, and what it is told
;;   -transport  what a wire must do; -epc and -jsonrpc are the two
;;   -server     the one process: start, handshake, watching, restart
;;   -client     how the rest asks: `roam-semantic-request', -call, -ask
;;   -hit        a hit, shown and gone to; -embark what else to do with it
;;   -memory     what you pinned, hid and dismissed
;;   -find -live -consult -insert   finding; hits as you type
;;   -links -links-place            links a note could have
;;   -buffer -related -row          what is related to the note at point
;;   -results -menu -transient      hits in a buffer; every command
;;   -mode -state                   freshness, and the lighter
;;   -install -python -remedy -doctor -index   set-up and care

;;; Code:

(defgroup roam-semantic nil
  "Find org-roam notes by meaning and by word."
  :group 'org-roam
  :prefix "roam-semantic-")

(defconst roam-semantic-version "0.1.0"
  "Version of this package; the server must have the same.")

;;;###autoload
(autoload 'roam-semantic-find "roam-semantic-find" nil t)
;;;###autoload
(autoload 'roam-semantic-insert "roam-semantic-insert" nil t)
;;;###autoload
(autoload 'roam-semantic-suggest-links "roam-semantic-links" nil t)
;;;###autoload
(autoload 'roam-semantic-search-buffer "roam-semantic-results" nil t)
;;;###autoload
(autoload 'roam-semantic-buffer-setup "roam-semantic-buffer" nil t)
;;;###autoload
(autoload 'roam-semantic-related-mode "roam-semantic-related" nil t)
;;;###autoload
(autoload 'roam-semantic-mode "roam-semantic-mode" nil t)
;;;###autoload
(autoload 'roam-semantic-menu "roam-semantic-menu" nil t)
;;;###autoload
(autoload 'roam-semantic-install "roam-semantic-install" nil t)
;;;###autoload
(autoload 'roam-semantic-install-cancel "roam-semantic-install" nil t)
;;;###autoload
(autoload 'roam-semantic-index "roam-semantic-index" nil t)
;;;###autoload
(autoload 'roam-semantic-stats "roam-semantic-index" nil t)
;;;###autoload
(autoload 'roam-semantic-doctor "roam-semantic-doctor" nil t)
;;;###autoload
(autoload 'roam-semantic-cancel "roam-semantic-client" nil t)
;;;###autoload
(autoload 'roam-semantic-restart "roam-semantic-server" nil t)
;;;###autoload
(autoload 'roam-semantic-stop "roam-semantic-server" nil t)
;;;###autoload
(autoload 'roam-semantic-show-log "roam-semantic-server" nil t)
;;;###autoload
(autoload 'roam-semantic-request "roam-semantic-client")
;;;###autoload
(autoload 'roam-semantic-call "roam-semantic-client")
;;;###autoload
(autoload 'roam-semantic-ask "roam-semantic-client")

(defvar roam-semantic-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "f") #'roam-semantic-find)
    (define-key map (kbd "i") #'roam-semantic-insert)
    (define-key map (kbd "l") #'roam-semantic-suggest-links)
    (define-key map (kbd "b") #'roam-semantic-search-buffer)
    (define-key map (kbd "r") #'roam-semantic-related-mode)
    (define-key map (kbd "x") #'roam-semantic-index)
    (define-key map (kbd "s") #'roam-semantic-stats)
    (define-key map (kbd "c") #'roam-semantic-cancel)
    (define-key map (kbd "d") #'roam-semantic-doctor)
    (define-key map (kbd "I") #'roam-semantic-install)
    (define-key map (kbd "R") #'roam-semantic-restart)
    (define-key map (kbd "L") #'roam-semantic-show-log)
    (define-key map (kbd "m") #'roam-semantic-menu)
    map)
  "Commands of roam-semantic; bind it to a prefix of your choice.")

;;;###autoload (autoload 'roam-semantic-map "roam-semantic" nil nil 'keymap)
(fset 'roam-semantic-map roam-semantic-map)

(provide 'roam-semantic)
;;; roam-semantic.el ends here
