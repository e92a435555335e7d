;;; roam-semantic-find.el --- Ask, choose, jump  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; `roam-semantic-find' in two steps that work with every completion
;; interface: read a question, ask the server, choose among the hits.

;;; Code:

(require 'cl-lib)
(require 'subr-x)
(require 'roam-semantic)
(require 'roam-semantic-client)
(require 'roam-semantic-hit)

(defcustom roam-semantic-find-results 20
  "How many hits `roam-semantic-find' offers, from 1 to 100."
  :type 'natnum
  :group 'roam-semantic
  :package-version '(roam-semantic . "0.1.0"))

(defvar roam-semantic-find-history nil
  "Questions asked with `roam-semantic-find'.")

(defun roam-semantic-find (query &optional other-window)
  "Find the notes that answer QUERY, choose one and go to its heading.
QUERY is a question or a few words; \"quoted phrases\" and filters
\(tag:physics -tag:draft title:newton todo:NEXT since:2024-01) narrow it.
With a prefix argument, OTHER-WINDOW, show the note in another window."
  (interactive (list (roam-semantic-find--read-query) current-prefix-arg))
  (when (string-blank-p query)
    (user-error "Nothing to look for"))
  (let* ((answer (roam-semantic-ask
                  'semantic-search
                  (list :query query :k roam-semantic-find-results)
                  :progress #'roam-semantic-find--show-progress))
         (candidates (roam-semantic-hit-candidates (plist-get answer :hits))))
    (message nil)
    (if (null candidates)
        (message "%s" (roam-semantic-find--nothing query (plist-get answer :index)))
      (roam-semantic-hit-visit
       (roam-semantic-find--choose (roam-semantic-find--prompt answer) candidates)
       other-window))))

(defun roam-semantic-find--read-query ()
  "Read a question; the active region is the default."
  (let ((region (and (use-region-p)
                     (string-clean-whitespace
                      (buffer-substring-no-properties (region-beginning) (region-end))))))
    (read-string (format-prompt "Find notes about" region)
                 nil 'roam-semantic-find-history region t)))

(defun roam-semantic-find--show-progress (report)
  "Show REPORT, what the server does before it can answer."
  (unless (active-minibuffer-window)
    (message "Reading the notes: %s of %s..."
             (plist-get report :done) (plist-get report :total))))

(defun roam-semantic-find--nothing (query index)
  "Return what to say when nothing was found for QUERY; INDEX is its state."
  (let ((pending (or (plist-get index :pending) 0))
        (total (or (plist-get index :total) 0)))
    (cond
     ((zerop total)
      "No note is indexed yet; M-x roam-semantic-index reads them")
     ((> pending 0)
      (format (concat "No note matches “%s” yet: %d of %d passages are not indexed; "
                      "M-x roam-semantic-index finishes that")
              query pending total))
     (t (format "No note matches “%s”; try other words or fewer filters" query)))))

(defun roam-semantic-find--prompt (answer)
  "Return the prompt for the hits of ANSWER; it says what limits them.
A stage that could not take part is told as \"NAME: WHY\"; the name is
enough here, the doctor knows the rest."
  (let* ((missing (mapcar (lambda (stage) (car (split-string stage ":")))
                          (plist-get answer :degraded)))
         (pending (or (plist-get (plist-get answer :index) :pending) 0))
         (limits (append (and missing (list (concat "without " (string-join missing ", "))))
                         (and (> pending 0)
                              (list (format "%d passages not indexed" pending))))))
    (if limits
        (format "Note (%s): " (string-join limits "; "))
      "Note: ")))

;;; Choosing

(defun roam-semantic-find--choose (prompt candidates)
  "Read one of CANDIDATES with PROMPT and return its hit.
The first is the default: \\`RET' at once takes the best hit."
  (let* ((completion-styles (append completion-styles '(substring)))
         (completions-format 'one-column)
         (choice (minibuffer-with-setup-hook #'roam-semantic-find--set-up
                   (completing-read prompt (roam-semantic-find--table candidates)
                                    nil t nil nil (car candidates)))))
    (get-text-property 0 'roam-semantic-hit
                       (car (member choice candidates)))))

(defun roam-semantic-find--table (candidates)
  "Return a completion table over CANDIDATES that keeps their order."
  (lambda (string predicate action)
    (if (eq action 'metadata)
        '(metadata (category . org-roam-node)
                   (display-sort-function . identity)
                   (cycle-sort-function . identity)
                   (affixation-function . roam-semantic-hit-affixes))
      (complete-with-action action candidates string predicate))))

(defun roam-semantic-find--set-up ()
  "Make Emacs' own completion show the hits at once and take spaces.
Other interfaces do so by themselves."
  (when (and (eq completing-read-function #'completing-read-default)
             (not (cl-some (lambda (mode) (and (boundp mode) (symbol-value mode)))
                           '(vertico-mode icomplete-mode fido-mode ivy-mode helm-mode
                                          mct-mode selectrum-mode))))
    (let ((map (make-sparse-keymap)))
      (define-key map (kbd "SPC") #'self-insert-command)
      (use-local-map (make-composed-keymap map (current-local-map))))
    (let ((inhibit-message t))
      (minibuffer-completion-help))))

(provide 'roam-semantic-find)
;;; roam-semantic-find.el ends here
