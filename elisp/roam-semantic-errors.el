;;; roam-semantic-errors.el --- The six kinds of failure  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; Everything that can fail is one of six conditions below
;; `roam-semantic-error', named as the server names them.  Their data is
;; (MESSAGE HINT): what happened, in one sentence without a period, and
;; what to do about it ("" when nothing can be said).

;;; Code:

(require 'subr-x)

(define-error 'roam-semantic-error "Roam-semantic")
(define-error 'roam-semantic-bad-request "Bad request" 'roam-semantic-error)
(define-error 'roam-semantic-not-found "Not found" 'roam-semantic-error)
(define-error 'roam-semantic-not-ready "Not ready" 'roam-semantic-error)
(define-error 'roam-semantic-unavailable "Unavailable" 'roam-semantic-error)
(define-error 'roam-semantic-cancelled "Cancelled" 'roam-semantic-error)
(define-error 'roam-semantic-internal "Internal" 'roam-semantic-error)

(defconst roam-semantic-errors-kinds
  '(("bad-request" . roam-semantic-bad-request)
    ("not-found" . roam-semantic-not-found)
    ("not-ready" . roam-semantic-not-ready)
    ("unavailable" . roam-semantic-unavailable)
    ("cancelled" . roam-semantic-cancelled)
    ("internal" . roam-semantic-internal))
  "Alist (KIND . CONDITION): the server's names and ours.")

(defun roam-semantic-errors-from-server (failure)
  "Return the condition (SYMBOL MESSAGE HINT) for FAILURE.
FAILURE is the plist (:kind KIND :message MESSAGE :hint HINT) of an
answer; a kind we do not know counts as internal."
  (list (or (cdr (assoc (plist-get failure :kind) roam-semantic-errors-kinds))
            'roam-semantic-internal)
        (or (plist-get failure :message) "the server gave no reason")
        (or (plist-get failure :hint) "")))

(defun roam-semantic-errors-text (condition)
  "Return a sentence for people about CONDITION, (SYMBOL MESSAGE HINT).
It says what happened and, after a semicolon, what to do."
  (let* ((message (or (nth 1 condition) "something failed"))
         (hint (or (nth 2 condition) ""))
         (sentence (if (string-empty-p hint)
                       message
                     (concat message "; " (roam-semantic-errors-hint hint)))))
    (concat (upcase (substring sentence 0 1)) (substring sentence 1))))

(defun roam-semantic-errors-hint (hint)
  "Return HINT with shell commands of ours as the Emacs commands they are.
A command in backquotes, such as roam-semantic index, is given by its
name in Emacs; one that Emacs does not have stays as it is."
  (replace-regexp-in-string
   "`roam-semantic \\([a-z-]+\\)\\( --force\\)?`"
   (lambda (whole)
     (let ((command (intern-soft (concat "roam-semantic-" (match-string 1 whole)))))
       (if (commandp command)
           (concat (and (match-string 2 whole) "C-u ") "M-x " (symbol-name command))
         whole)))
   hint t t))

(provide 'roam-semantic-errors)
;;; roam-semantic-errors.el ends here
