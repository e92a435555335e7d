;;; roam-semantic-find.el --- Ask, choose, jump  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; `roam-semantic-find' in two steps that work with every completion
;; interface: read a question, ask the server, choose among the hits.
;;
;; A candidate is where the hit stands (title › headings), in category
;; `org-roam-node', with the org-roam node in the text property `node' as
;; org-roam's own commands have it, and the hit in `roam-semantic-hit'.
;; Why it was found, its score, tags and passage are annotations.

;;; Code:

(require 'cl-lib)
(require 'subr-x)
(require 'roam-semantic)
(require 'roam-semantic-client)

(declare-function org-fold-show-context "org-fold" (&optional key))
(declare-function org-fold-show-entry "org-fold" (&optional hide-drawers))
(declare-function org-mark-ring-push "org" (&optional pos buffer))
(declare-function org-roam-node-create "org-roam-node")
(declare-function org-show-context "org" (&optional key))
(declare-function org-show-entry "org" (&optional hide-drawers))

(defcustom roam-semantic-find-results 20
  "How many hits `roam-semantic-find' offers, from 1 to 100."
  :type 'natnum
  :group 'roam-semantic
  :package-version '(roam-semantic . "0.1.0"))

(defcustom roam-semantic-find-passage-columns 100
  "Most columns of a passage shown beside a hit; 0 shows none."
  :type 'natnum
  :group 'roam-semantic
  :package-version '(roam-semantic . "0.1.0"))

(defface roam-semantic-find-path '((t :inherit shadow))
  "Headings between the title of a note and the passage."
  :group 'roam-semantic)

(defface roam-semantic-find-score '((t :inherit completions-annotations))
  "Score of a hit and why it was found."
  :group 'roam-semantic)

(defface roam-semantic-find-tags '((t :inherit font-lock-type-face))
  "Tags of a hit."
  :group 'roam-semantic)

(defface roam-semantic-find-passage '((t :inherit completions-annotations))
  "Passage of a hit."
  :group 'roam-semantic)

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
         (candidates (roam-semantic-find-candidates (plist-get answer :hits))))
    (message nil)
    (if (null candidates)
        (message "%s" (roam-semantic-find--nothing query (plist-get answer :index)))
      (roam-semantic-find-visit
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

;;; Candidates

(defun roam-semantic-find-candidates (hits)
  "Return the list of candidate strings for HITS, in their order, each once.
Hits that read alike get their id, or their file and line, in brackets."
  (let ((seen (make-hash-table :test #'equal)))
    (mapcar
     (lambda (hit)
       (let ((label (roam-semantic-find--label hit)))
         (when (gethash label seen)
           (setq label (format "%s [%s]" label
                               (or (plist-get hit :node-id)
                                   (roam-semantic-find--place hit)))))
         (when (gethash label seen)
           (setq label (format "%s [%s]" label (roam-semantic-find--place hit))))
         (puthash label t seen)
         (propertize label 'roam-semantic-hit hit 'node (roam-semantic-find--node hit))))
     hits)))

(defun roam-semantic-find--label (hit)
  "Return where HIT stands: its note's title and the headings, root first.
For a note that is a heading, its title is one of those."
  (let* ((title (roam-semantic-find--line (plist-get hit :title)))
         (path (mapcar #'roam-semantic-find--line (plist-get hit :outline-path)))
         (steps (if (member title path) path (cons title path))))
    (mapconcat (lambda (step)
                 (if (equal step title)
                     step
                   (propertize step 'face 'roam-semantic-find-path)))
               steps
               (propertize " › " 'face 'roam-semantic-find-path))))

(defun roam-semantic-find--line (text)
  "Return TEXT on one line, or a word that stands for an empty one."
  (let ((line (string-clean-whitespace (or text ""))))
    (if (string-empty-p line) "(untitled)" line)))

(defun roam-semantic-find--place (hit)
  "Return the file's name and the line of HIT."
  (format "%s:%s" (file-name-nondirectory (plist-get hit :file)) (plist-get hit :line)))

(defun roam-semantic-find--note-name (hit)
  "Return the name of the file of HIT without time stamp and ending."
  (replace-regexp-in-string "\\`[0-9]\\{8,14\\}[-_]" ""
                            (file-name-base (plist-get hit :file))))

(defun roam-semantic-find--node (hit)
  "Return HIT as an `org-roam-node', or nil when it has no id."
  (when (and (plist-get hit :node-id) (fboundp 'org-roam-node-create))
    (org-roam-node-create :id (plist-get hit :node-id)
                          :file (plist-get hit :file)
                          :title (plist-get hit :title)
                          :point (plist-get hit :pos)
                          :todo (plist-get hit :todo)
                          :tags (plist-get hit :tags)
                          :olp (remove (plist-get hit :title)
                                       (plist-get hit :outline-path)))))

(defun roam-semantic-find--affixes (candidates)
  "Return (CANDIDATE PREFIX SUFFIX) for each of CANDIDATES.
Suffixes start in one column and end with the line."
  (let* ((width (min 60 (apply #'max 0 (mapcar #'string-width candidates))))
         (line (1- (window-width (minibuffer-window)))))
    (mapcar (lambda (candidate)
              (let ((start (max (+ width 2) (1+ (string-width candidate)))))
                (list candidate ""
                      (concat (make-string (- start (string-width candidate)) ?\s)
                              (roam-semantic-find--annotation
                               (get-text-property 0 'roam-semantic-hit candidate)
                               (- line start))))))
            candidates)))

(defun roam-semantic-find--annotation (hit room)
  "Return score, reason, tags and passage of HIT in ROOM columns.
A heading says which note it is in; a note's own title does."
  (let* ((start (concat
                 (propertize (format "%3d%% %-7s "
                                     (round (* 100 (or (plist-get hit :score) 0)))
                                     (or (plist-get hit :why) ""))
                             'face 'roam-semantic-find-score)
                 (propertize (mapconcat (lambda (tag) (concat "#" tag " "))
                                        (plist-get hit :tags) "")
                             'face 'roam-semantic-find-tags)
                 (and (member (plist-get hit :title) (plist-get hit :outline-path))
                      (propertize (concat (roam-semantic-find--note-name hit) ": ")
                                  'face 'roam-semantic-find-path))))
         (columns (min roam-semantic-find-passage-columns (- room (string-width start)))))
    (concat start
            (and (> columns 9)
                 (propertize (truncate-string-to-width
                              (string-clean-whitespace (or (plist-get hit :passage) ""))
                              columns nil nil "…")
                             'face 'roam-semantic-find-passage)))))

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
                   (affixation-function . roam-semantic-find--affixes))
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

;;; Jumping

(defun roam-semantic-find-visit (hit &optional other-window)
  "Show the note of HIT with point at its heading.
With OTHER-WINDOW non-nil, do so in another window."
  (let ((file (plist-get hit :file)))
    (unless (file-readable-p file)
      (user-error "%s is gone; M-x roam-semantic-index notices what has changed" file))
    (when (derived-mode-p 'org-mode)
      (let ((inhibit-message t))
        (org-mark-ring-push)))
    (let ((buffer (find-file-noselect file)))
      (if other-window
          (switch-to-buffer-other-window buffer)
        (pop-to-buffer-same-window buffer)))
    (widen)
    (goto-char (roam-semantic-find--position hit))
    (roam-semantic-find--reveal)))

(defun roam-semantic-find--position (hit)
  "Return where HIT stands in the current buffer, which shows its file.
The server read the file: what was typed since and not saved moves it."
  (let ((pos (or (plist-get hit :pos)
                 (roam-semantic-find--line-start (or (plist-get hit :line) 1)))))
    (if (or (not (buffer-modified-p)) (roam-semantic-find--here-p hit pos))
        (min pos (point-max))
      (or (roam-semantic-find--heading hit pos)
          (roam-semantic-find--id hit)
          (min pos (point-max))))))

(defun roam-semantic-find--line-start (line)
  "Return where LINE of the current buffer starts."
  (save-excursion
    (goto-char (point-min))
    (forward-line (1- line))
    (point)))

(defun roam-semantic-find--here-p (hit pos)
  "Return non-nil if the last heading of HIT stands at POS."
  (let ((heading (car (last (plist-get hit :outline-path)))))
    (and heading
         (<= pos (point-max))
         (save-excursion
           (goto-char pos)
           (and (looking-at-p "\\*+[ \t]")
                (search-forward heading (line-end-position) t))))))

(defun roam-semantic-find--heading (hit pos)
  "Return the start of the heading nearest to POS that is the last of HIT."
  (let ((heading (car (last (plist-get hit :outline-path))))
        best)
    (when heading
      (save-excursion
        (goto-char (point-min))
        (while (re-search-forward (concat "^\\*+[ \t].*" (regexp-quote heading)) nil t)
          (let ((start (line-beginning-position)))
            (when (or (null best) (< (abs (- start pos)) (abs (- best pos))))
              (setq best start))))))
    best))

(defun roam-semantic-find--id (hit)
  "Return the start of the node of HIT by its id in the current buffer, or nil."
  (when-let* ((id (plist-get hit :node-id)))
    (save-excursion
      (goto-char (point-min))
      (let ((case-fold-search t))
        (when (re-search-forward (format "^[ \t]*:ID:[ \t]+%s[ \t]*$" (regexp-quote id)) nil t)
          (if (re-search-backward "^\\*+[ \t]" nil t) (point) (point-min)))))))

(defun roam-semantic-find--reveal ()
  "Unfold what stands at point, and bring it into view."
  (when (derived-mode-p 'org-mode)
    (if (fboundp 'org-fold-show-context) (org-fold-show-context) (org-show-context))
    (if (fboundp 'org-fold-show-entry) (org-fold-show-entry) (org-show-entry)))
  (when (eq (current-buffer) (window-buffer))
    (recenter-top-bottom)))

(provide 'roam-semantic-find)
;;; roam-semantic-find.el ends here
