;;; roam-semantic-hit.el --- A hit: shown, and gone to  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; A hit is a plist of the server's: where a passage stands and why it was
;; found.  Everything that lists hits shows them and goes to them from here.
;;
;; A candidate is where the hit stands (title › headings), in category
;; `org-roam-node', with the org-roam node in the text property `node' as
;; org-roam's own commands have it, and the hit in `roam-semantic-hit'.
;; Why it was found, its score, tags and passage are annotations.

;;; Code:

(require 'cl-lib)
(require 'subr-x)
(require 'roam-semantic)

(defvar icomplete-mode)
(declare-function org-fold-show-context "org-fold" (&optional key))
(declare-function org-fold-show-entry "org-fold" (&optional hide-drawers))
(declare-function org-mark-ring-push "org" (&optional pos buffer))
(declare-function org-roam-node-create "org-roam-node")
(declare-function org-show-context "org" (&optional key))
(declare-function org-show-entry "org" (&optional hide-drawers))

(defcustom roam-semantic-hit-passage-columns 100
  "Most columns of a passage shown beside a hit; 0 shows none."
  :type 'natnum
  :group 'roam-semantic
  :package-version '(roam-semantic . "0.1.0"))

(defface roam-semantic-hit-path '((t :inherit shadow))
  "Headings between the title of a note and the passage."
  :group 'roam-semantic)

(defface roam-semantic-hit-score '((t :inherit completions-annotations))
  "Score of a hit and why it was found."
  :group 'roam-semantic)

(defface roam-semantic-hit-tags '((t :inherit font-lock-type-face))
  "Tags of a hit."
  :group 'roam-semantic)

(defface roam-semantic-hit-passage '((t :inherit completions-annotations))
  "Passage of a hit."
  :group 'roam-semantic)

;;; Candidates

(defun roam-semantic-hit-candidates (hits &optional names)
  "Return the list of candidate strings for HITS, in their order, each once.
Hits that read alike get their id, or their file and line, in brackets.
NAMES is a hash table by `equal', of names already given: with the same
table, the same hit is called the same in every list."
  (let ((names (or names (make-hash-table :test #'equal))))
    (mapcar
     (lambda (hit)
       (propertize (roam-semantic-hit--name hit names)
                   'roam-semantic-hit hit 'node (roam-semantic-hit-node hit)))
     hits)))

(defun roam-semantic-hit--name (hit names)
  "Return a label for HIT that no other hit has in NAMES, and note it there."
  (let* ((label (roam-semantic-hit-label hit))
         (key (list (plist-get hit :node-id) (plist-get hit :file)
                    (plist-get hit :line) (plist-get hit :outline-path)))
         (taken (lambda () (not (equal key (gethash label names key))))))
    (when (funcall taken)
      (setq label (format "%s [%s]" label (or (plist-get hit :node-id)
                                              (roam-semantic-hit-place hit)))))
    (when (funcall taken)
      (setq label (format "%s [%s]" label (roam-semantic-hit-place hit))))
    (puthash label key names)
    label))

(defun roam-semantic-hit-of (candidate)
  "Return the hit of CANDIDATE, or nil when it is not one of ours."
  (and (stringp candidate)
       (not (string-empty-p candidate))
       (get-text-property 0 'roam-semantic-hit candidate)))

(defun roam-semantic-hit-label (hit)
  "Return where HIT stands: its note's title and the headings, root first.
For a note that is a heading, its title is one of those."
  (let* ((title (roam-semantic-hit--line (plist-get hit :title)))
         (path (mapcar #'roam-semantic-hit--line (plist-get hit :outline-path)))
         (steps (if (member title path) path (cons title path))))
    (mapconcat (lambda (step)
                 (if (equal step title)
                     step
                   (propertize step 'face 'roam-semantic-hit-path)))
               steps
               (propertize " › " 'face 'roam-semantic-hit-path))))

(defun roam-semantic-hit--line (text)
  "Return TEXT on one line, or a word that stands for an empty one."
  (let ((line (string-clean-whitespace (or text ""))))
    (if (string-empty-p line) "(untitled)" line)))

(defun roam-semantic-hit-place (hit)
  "Return the file's name and the line of HIT."
  (format "%s:%s" (file-name-nondirectory (plist-get hit :file)) (plist-get hit :line)))

(defun roam-semantic-hit-note-name (hit)
  "Return the name of the file of HIT without time stamp and ending."
  (replace-regexp-in-string "\\`[0-9]\\{8,14\\}[-_]" ""
                            (file-name-base (plist-get hit :file))))

(defun roam-semantic-hit-node (hit)
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

(defun roam-semantic-hit-affixes (candidates)
  "Return (CANDIDATE PREFIX SUFFIX) for each of CANDIDATES.
Suffixes start in one column and end with the line."
  (let ((width (roam-semantic-hit-width candidates)))
    (mapcar (lambda (candidate)
              (list candidate "" (roam-semantic-hit-suffix candidate width)))
            candidates)))

(defun roam-semantic-hit-width (candidates)
  "Return the columns the widest of CANDIDATES takes, at most 60."
  (min 60 (apply #'max 0 (mapcar #'string-width candidates))))

(defun roam-semantic-hit-suffix (candidate width)
  "Return what follows CANDIDATE in a list whose names take WIDTH columns."
  (let* ((own (string-width candidate))
         (start (max (+ width 2) (1+ own)))
         (line (1- (window-width (minibuffer-window))))
         ;; Icomplete lines suffixes up by itself.
         (gap (if (bound-and-true-p icomplete-mode) 2 (- start own))))
    (concat (make-string gap ?\s)
            (roam-semantic-hit-annotation (roam-semantic-hit-of candidate)
                                          (- line start)))))

(defun roam-semantic-hit-annotation (hit room)
  "Return score, reason, age, tags and passage of HIT in ROOM columns.
A heading says which note it is in; a note's own title does."
  (let* ((start (concat
                 (propertize (format "%3d%% %-7s "
                                     (round (* 100 (or (plist-get hit :score) 0)))
                                     (or (plist-get hit :why) ""))
                             'face 'roam-semantic-hit-score)
                 (and (plist-get hit :modified)
                      (propertize (format "%6s " (roam-semantic-hit-age
                                                  (plist-get hit :modified)))
                                  'face 'roam-semantic-hit-score))
                 (propertize (mapconcat (lambda (tag) (concat "#" tag " "))
                                        (plist-get hit :tags) "")
                             'face 'roam-semantic-hit-tags)
                 (and (member (plist-get hit :title) (plist-get hit :outline-path))
                      (propertize (concat (roam-semantic-hit-note-name hit) ": ")
                                  'face 'roam-semantic-hit-path))))
         (columns (min roam-semantic-hit-passage-columns (- room (string-width start)))))
    (concat start
            (and (> columns 9)
                 (propertize (truncate-string-to-width
                              (string-clean-whitespace (or (plist-get hit :passage) ""))
                              columns nil nil "…")
                             'face 'roam-semantic-hit-passage)))))

(defun roam-semantic-hit-age (modified)
  "Return how long ago MODIFIED was, in seconds since the epoch: \"3 d\"."
  (let ((age (max 0 (- (float-time) modified))))
    (cl-loop for (unit . seconds) in '(("y" . 31557600) ("mo" . 2629800)
                                       ("d" . 86400) ("h" . 3600) ("min" . 60))
             when (>= age seconds)
             return (format "%d %s" (floor age seconds) unit)
             finally return "now")))

;;; Jumping

(defun roam-semantic-hit-visit (hit &optional other-window)
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
    (goto-char (roam-semantic-hit-position hit))
    (roam-semantic-hit--reveal)))

(defun roam-semantic-hit-position (hit)
  "Return where HIT stands in the current buffer, which shows its file.
The server read the file: what was typed since and not saved moves it."
  (let ((pos (or (plist-get hit :pos)
                 (roam-semantic-hit--line-start (or (plist-get hit :line) 1)))))
    (if (or (not (buffer-modified-p)) (roam-semantic-hit--here-p hit pos))
        (min pos (point-max))
      (or (roam-semantic-hit--heading hit pos)
          (roam-semantic-hit--id hit)
          (min pos (point-max))))))

(defun roam-semantic-hit--line-start (line)
  "Return where LINE of the current buffer starts."
  (save-excursion
    (goto-char (point-min))
    (forward-line (1- line))
    (point)))

(defun roam-semantic-hit--here-p (hit pos)
  "Return non-nil if the last heading of HIT stands at POS."
  (let ((heading (car (last (plist-get hit :outline-path)))))
    (and heading
         (<= pos (point-max))
         (save-excursion
           (goto-char pos)
           (and (looking-at-p "\\*+[ \t]")
                (search-forward heading (line-end-position) t))))))

(defun roam-semantic-hit--heading (hit pos)
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

(defun roam-semantic-hit--id (hit)
  "Return the start of the node of HIT by its id in the current buffer, or nil."
  (when-let* ((id (plist-get hit :node-id)))
    (save-excursion
      (goto-char (point-min))
      (let ((case-fold-search t))
        (when (re-search-forward (format "^[ \t]*:ID:[ \t]+%s[ \t]*$" (regexp-quote id)) nil t)
          (if (re-search-backward "^\\*+[ \t]" nil t) (point) (point-min)))))))

(defun roam-semantic-hit--reveal ()
  "Unfold what stands at point, and bring it into view."
  (when (derived-mode-p 'org-mode)
    (if (fboundp 'org-fold-show-context) (org-fold-show-context) (org-show-context))
    (if (fboundp 'org-fold-show-entry) (org-fold-show-entry) (org-show-entry)))
  (when (eq (current-buffer) (window-buffer))
    (recenter-top-bottom)))

(provide 'roam-semantic-hit)
;;; roam-semantic-hit.el ends here
