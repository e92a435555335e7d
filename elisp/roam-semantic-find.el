;;; roam-semantic-find.el --- Ask, choose, jump  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; `roam-semantic-find' shows hits while you type where consult, vertico or
;; icomplete can show them.  Elsewhere it takes two steps that work with
;; every completion interface: read a question, ask the server, choose
;; among the hits.

;;; Code:

(require 'cl-lib)
(require 'subr-x)
(require 'roam-semantic)
(require 'roam-semantic-client)
(require 'roam-semantic-hit)
(require 'roam-semantic-live)

(declare-function org-roam-capture- "org-roam-capture")
(declare-function org-roam-node-create "org-roam-node")
(declare-function roam-semantic-consult-read "roam-semantic-consult")

(defcustom roam-semantic-find-live t
  "Whether `roam-semantic-find' shows hits while you type.
It can where vertico, icomplete or fido is on.  With vertico, t means
through consult if that is installed, with preview and narrowing."
  :type '(choice (const :tag "Through consult, or else without" t)
                 (const :tag "Without consult" plain)
                 (const :tag "No: read the question first" nil))
  :group 'roam-semantic
  :package-version '(roam-semantic . "0.1.0"))

(defun roam-semantic-find (&optional query other-window)
  "Find the notes that answer QUERY, choose one and go to its heading.
QUERY is a question or a few words; \"quoted phrases\" and filters
\(tag:physics -tag:draft title:newton todo:NEXT since:2024-01) narrow it.
Hits are shown while you type if your completion interface can, see
`roam-semantic-find-live'.  The active region is the question to start
with.  When nothing is found, you are offered to capture a note.
With a prefix argument, OTHER-WINDOW, show the note in another window."
  (interactive (list nil current-prefix-arg))
  (when (and query (string-blank-p query))
    (user-error "Nothing to look for"))
  (let ((found (roam-semantic-find-read query)))
    (if (stringp found)
        (roam-semantic-find-capture found '(:finalize find-file))
      (when found
        (roam-semantic-hit-visit found other-window)))))

(defun roam-semantic-find-read (&optional query)
  "Read a question unless QUERY is one, and return the hit that is chosen.
Return a string, the title of a note to be, when nothing was found and
the index holds all there is; nil when more cannot be said than was told."
  (if query
      (roam-semantic-find--in-two-steps query)
    (pcase (roam-semantic-find--interface)
      ('nil (roam-semantic-find--in-two-steps (roam-semantic-find--read-query)))
      (interface (roam-semantic-find--live interface)))))

(defun roam-semantic-find--interface ()
  "Return what shows hits while one types: `consult', `plain' or nil."
  (cond
   ((not (and roam-semantic-find-live (roam-semantic-live-interface-p))) nil)
   ;; Icomplete's RET leaves consult with the question instead of a hit.
   ((and (not (eq roam-semantic-find-live 'plain))
         (not (roam-semantic-live-icomplete-p))
         (require 'consult nil t)
         (require 'roam-semantic-consult))
    'consult)
   (t 'plain)))

(defun roam-semantic-find--live (interface)
  "Let INTERFACE show hits while a question is typed.
Return as `roam-semantic-find-read'."
  (let* ((live (make-roam-semantic-live))
         (found (unwind-protect
                    (funcall (if (eq interface 'consult)
                                 #'roam-semantic-consult-read
                               #'roam-semantic-live-read)
                             live "Find notes about: " (roam-semantic-find--region))
                  (roam-semantic-live-stop live))))
    (cond
     ((not (stringp found)) found)
     ((string-blank-p found) (user-error "Nothing to look for"))
     ;; Typed faster than answered: now wait for it.
     ((not (and (eq 'full (roam-semantic-live-stage live))
                (equal (string-trim found)
                       (string-trim (roam-semantic-live-query live)))))
      (roam-semantic-find--in-two-steps found))
     (t (roam-semantic-find-title found)))))

(defun roam-semantic-find--in-two-steps (query)
  "Ask for QUERY, wait, and choose; return as `roam-semantic-find-read'."
  (when (string-blank-p query)
    (user-error "Nothing to look for"))
  (let* ((answer (roam-semantic-ask
                  'semantic-search
                  (list :query query :k roam-semantic-find-results)
                  :progress #'roam-semantic-find--show-progress))
         (index (plist-get answer :index))
         (candidates (roam-semantic-hit-candidates (plist-get answer :hits))))
    (message nil)
    (cond
     (candidates
      (roam-semantic-find-choose (roam-semantic-find--prompt answer) candidates))
     ((or (zerop (or (plist-get index :total) 0)) (> (or (plist-get index :pending) 0) 0))
      (message "%s" (roam-semantic-find--nothing query index))
      nil)
     (t (roam-semantic-find-title query)))))

(defun roam-semantic-find--region ()
  "Return the active region on one line, or nil."
  (and (use-region-p)
       (string-clean-whitespace
        (buffer-substring-no-properties (region-beginning) (region-end)))))

(defun roam-semantic-find--read-query ()
  "Read a question; the active region is the default."
  (let ((region (roam-semantic-find--region)))
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
  "Return the prompt for the hits of ANSWER; it says what limits them."
  (let ((limits (roam-semantic-live-limits-of answer)))
    (if limits (format "Note (%s): " limits) "Note: ")))

;;; A new note

(defun roam-semantic-find-title (query)
  "Return QUERY as a title: without filters and quotes."
  (string-clean-whitespace
   (replace-regexp-in-string
    "\"" ""
    (replace-regexp-in-string
     "\\(?:\\`\\|[ \t]\\)-?\\(?:tag\\|title\\|file\\|todo\\|type\\|since\\|until\\):\\(?:\"[^\"]*\"\\|[^ \t]+\\)"
     " " query))))

(defun roam-semantic-find-capture (title properties)
  "Offer to capture a note of TITLE; PROPERTIES are org-roam's for the capture.
Without a TITLE, or without org-roam, say only that nothing was found."
  (cond
   ((or (string-blank-p title) (not (require 'org-roam nil t)))
    (message "%s" (roam-semantic-find--nothing title '(:total 1))))
   ((y-or-n-p (format "No such note; capture “%s”? " title))
    (org-roam-capture- :node (org-roam-node-create :title title) :props properties))
   (t (message "Nothing captured"))))

;;; Choosing

(defun roam-semantic-find-choose (prompt candidates)
  "Read one of CANDIDATES with PROMPT and return its hit.
The first is the default: \\`RET' at once takes the best hit."
  (let* ((completion-styles (append completion-styles '(substring)))
         (completions-format 'one-column)
         (choice (minibuffer-with-setup-hook #'roam-semantic-find--set-up
                   (completing-read prompt (roam-semantic-find--table candidates)
                                    nil t nil nil (car candidates)))))
    (roam-semantic-hit-of (car (member choice candidates)))))

(defun roam-semantic-find--table (candidates)
  "Return a completion table over CANDIDATES that keeps their order."
  (lambda (string predicate action)
    (if (eq action 'metadata)
        '(metadata (category . org-roam-node)
                   (display-sort-function . identity)
                   (cycle-sort-function . identity)
                   (affixation-function . roam-semantic-hit-affixes))
      ;; Copies: Emacs' own completion strips the properties of what it inserts.
      (complete-with-action action (mapcar #'copy-sequence candidates)
                            string predicate))))

(defun roam-semantic-find--set-up ()
  "Make Emacs' own completion show the hits at once and take spaces.
Other interfaces do so by themselves."
  (roam-semantic-live-keep-annotations)
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

;; Actions for candidates; embark is often loaded at its first use only.
(with-eval-after-load 'embark
  (require 'roam-semantic-embark))
;;; roam-semantic-find.el ends here
