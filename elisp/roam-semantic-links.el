;;; roam-semantic-links.el --- Links a note could have  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; `roam-semantic-suggest-links' asks which words of the current note are
;; the name of another note, and which passages mean one, and shows them in
;; place.  One key makes a link, another dismisses the pair for good.
;;
;; The server read the file, the buffer may hold other text: a suggestion
;; is shown where its text stands now, nearest to where the server saw it,
;; or not at all.  From there on overlays carry the positions.

;;; Code:

(require 'cl-lib)
(require 'org)
(require 'subr-x)
(require 'roam-semantic)
(require 'roam-semantic-client)
(require 'roam-semantic-errors)
(require 'roam-semantic-hit)
(require 'roam-semantic-links-place)
(require 'roam-semantic-memory)

(declare-function org-fold-show-context "org-fold" (&optional key))

(defcustom roam-semantic-suggest-links-kinds '(mention meaning)
  "Kinds of suggestions `roam-semantic-suggest-links' shows."
  :type '(set (const :tag "Words that name another note" mention)
              (const :tag "Passages that mean another note" meaning))
  :group 'roam-semantic
  :package-version '(roam-semantic . "0.1.0"))

(defcustom roam-semantic-suggest-links-results 20
  "How many links `roam-semantic-suggest-links' asks for, from 1 to 200."
  :type 'natnum
  :group 'roam-semantic
  :package-version '(roam-semantic . "0.1.0"))

(defface roam-semantic-links-mention '((t :inherit link :slant italic))
  "Words that name another note."
  :group 'roam-semantic)

(defface roam-semantic-links-target '((t :inherit shadow))
  "Name of the note a suggestion would link to."
  :group 'roam-semantic)

(defvar-local roam-semantic-links--overlays nil
  "Overlays of the suggestions shown, in no order.")

(defvar-local roam-semantic-links--request nil
  "Number of the request under way, or nil.")

(defvar-local roam-semantic-links--range nil
  "Markers (START . END) the suggestions are limited to, or nil.")

(defvar-local roam-semantic-links--dismissed nil
  "Pairs (THIS-ID . OTHER-ID) dismissed here, newest first.")

(defvar-local roam-semantic-links--told nil
  "Overlay that was described last.")

(defvar-local roam-semantic-links--turn 0
  "Number of questions asked or given up; an answer to an older one is late.")

(defun roam-semantic-links--key (command)
  "Return COMMAND if its key is meant for suggestions, else nil: it types.
It is on a suggestion and right after a command on suggestions."
  (and (or (roam-semantic-links--at-point)
           (and (symbolp last-command)
                (string-match-p "\\`roam-semantic-\\(?:suggest-\\)?links"
                                (symbol-name last-command))))
       command))

(defvar roam-semantic-links-mode-map
  (let ((map (make-sparse-keymap)))
    (pcase-dolist (`(,key ,command)
                   '(("n" roam-semantic-links-next) ("p" roam-semantic-links-previous)
                     ("RET" roam-semantic-links-make) ("l" roam-semantic-links-make)
                     ("d" roam-semantic-links-dismiss) ("D" roam-semantic-links-restore)
                     ("v" roam-semantic-links-visit) ("g" roam-semantic-links-again)
                     ("q" roam-semantic-links-quit)))
      (define-key map (kbd key) (list 'menu-item "" command :filter #'roam-semantic-links--key)))
    (define-key map (kbd "M-n") #'roam-semantic-links-next)
    (define-key map (kbd "M-p") #'roam-semantic-links-previous)
    (define-key map (kbd "C-g")
      '(menu-item "" roam-semantic-links-cancel
                  :filter (lambda (command) (and roam-semantic-links--request command))))
    map)
  "Keys while links are suggested; the letters type where no suggestion is.")

(define-minor-mode roam-semantic-links-mode
  "Show links this note could have; \\[roam-semantic-links-make] makes one.
\\{roam-semantic-links-mode-map}"
  :lighter (:eval (format " Links:%d" (length (roam-semantic-links--all))))
  (if roam-semantic-links-mode
      (progn
        (add-hook 'post-command-hook #'roam-semantic-links--describe nil t)
        (add-hook 'change-major-mode-hook #'roam-semantic-links-quit nil t))
    (remove-hook 'post-command-hook #'roam-semantic-links--describe t)
    (remove-hook 'change-major-mode-hook #'roam-semantic-links-quit t)
    (roam-semantic-links--withdraw)
    (roam-semantic-links--clear)))

;;; Asking

(defun roam-semantic-suggest-links (&optional limit)
  "Show which words and passages of this note could link to another note.
With a prefix argument LIMIT, only those in the active region or, without
one, under the heading at point.  Called while links are shown, end that."
  (interactive "P")
  (if roam-semantic-links-mode
      (roam-semantic-links-quit)
    (roam-semantic-links--check)
    (setq roam-semantic-links--range (and limit (roam-semantic-links--limits)))
    (deactivate-mark)
    (roam-semantic-links-mode 1)
    (roam-semantic-links-again)))

(defun roam-semantic-links--check ()
  "Signal a `user-error' unless this buffer can get links."
  (unless (derived-mode-p 'org-mode)
    (user-error "Links are suggested in Org buffers; this is none"))
  (unless (buffer-file-name)
    (user-error "This buffer visits no file; save it into %s first"
                (if (boundp 'org-roam-directory) org-roam-directory "your notes")))
  (when buffer-read-only
    (user-error "This buffer is read-only; M-x read-only-mode makes it writable")))

(defun roam-semantic-links-again ()
  "Ask again which links this note could have."
  (interactive)
  (roam-semantic-links--withdraw)
  (roam-semantic-links--clear)
  (message "Looking for links...")
  (let ((turn roam-semantic-links--turn))
    (setq roam-semantic-links--request t)
    (let ((id (roam-semantic-request
               'suggest-links
               (list :node (expand-file-name (buffer-file-name))
                     :k roam-semantic-suggest-links-results)
               :callback (lambda (answer)
                           (when (= turn roam-semantic-links--turn)
                             (roam-semantic-links--show answer)))
               :errback (lambda (condition)
                          (when (= turn roam-semantic-links--turn)
                            (roam-semantic-links--fail condition)))
               :progress #'roam-semantic-links--progress
               :deadline-s roam-semantic-deadline-s)))
      ;; It may have been answered already.
      (when roam-semantic-links--request
        (setq roam-semantic-links--request id)))))

(defun roam-semantic-links--progress (report)
  "Show REPORT, what the server does before it can answer."
  (unless (active-minibuffer-window)
    (message "Looking for links: %s of %s..."
             (plist-get report :done) (plist-get report :total))))

(defun roam-semantic-links--fail (condition)
  "End the mode and show CONDITION."
  (setq roam-semantic-links--request nil)
  (roam-semantic-links-mode -1)
  (message "%s" (roam-semantic-errors-text condition)))

(defun roam-semantic-links--withdraw ()
  "Cancel the request under way, if any."
  (cl-incf roam-semantic-links--turn)
  (when (numberp roam-semantic-links--request)
    (roam-semantic-cancel-request roam-semantic-links--request))
  (setq roam-semantic-links--request nil))

;;; Showing

(defun roam-semantic-links--show (answer)
  "Show the suggestions of ANSWER in the current buffer."
  (setq roam-semantic-links--request nil)
  (when roam-semantic-links-mode
    (roam-semantic-links--clear)
    (let ((lost 0) (all 0))
      (org-with-wide-buffer
       (dolist (suggestion (plist-get answer :suggestions))
         (when (memq (intern (plist-get suggestion :kind)) roam-semantic-suggest-links-kinds)
           (cl-incf all)
           (let ((place (roam-semantic-links--place suggestion)))
             (cond ((null place) (cl-incf lost))
                   ((roam-semantic-links--wanted-p place suggestion)
                    (roam-semantic-links--put place suggestion)))))))
      (message "%s" (roam-semantic-links--summary answer all lost)))))

(defun roam-semantic-links--wanted-p (place suggestion)
  "Return non-nil if SUGGESTION at PLACE is in range and not dismissed."
  (and (or (null roam-semantic-links--range)
           (<= (car roam-semantic-links--range) (car place)
               (cdr place) (cdr roam-semantic-links--range)))
       (not (roam-semantic-memory-p 'dismissed
                                    (roam-semantic-links--id (car place))
                                    (plist-get suggestion :node-id)))))

(defun roam-semantic-links--put (place suggestion)
  "Make an overlay at PLACE, (START . END), for SUGGESTION."
  (let* ((overlay (make-overlay (car place) (cdr place)))
         (mention (equal "mention" (plist-get suggestion :kind))))
    (overlay-put overlay 'roam-semantic-links suggestion)
    (overlay-put overlay 'evaporate t)
    (when mention
      (overlay-put overlay 'face 'roam-semantic-links-mention))
    (overlay-put overlay 'after-string
                 (propertize (format (if mention " → %s" " ≈ %s") (plist-get suggestion :title))
                             'face 'roam-semantic-links-target))
    (push overlay roam-semantic-links--overlays)))

(defun roam-semantic-links--summary (answer all lost)
  "Return what to say of ANSWER: ALL suggestions, of which LOST were not found."
  (string-join
   (delq nil
         (list (let ((count (length (roam-semantic-links--all))))
                 (if (zerop count) "No link to suggest"
                   (format "%d link%s to make: n next, l link, d dismiss, q quit"
                           count (if (= count 1) "" "s"))))
               (and (> lost 0)
                    (format "%d of %d passages have changed since the last save" lost all))
               (cond ((not (verify-visited-file-modtime))
                      "the file has changed on disk: M-x revert-buffer reads it")
                     ((not (equal (plist-get answer :hash) (roam-semantic-links--hash)))
                      "the file has been saved meanwhile: g asks again"))))
   "; "))

(defun roam-semantic-links--all ()
  "Return the overlays that still show a suggestion, in the order of the text."
  (sort (seq-filter (lambda (overlay)
                      (and (overlay-buffer overlay) (overlay-get overlay 'after-string)))
                    roam-semantic-links--overlays)
        (lambda (a b) (< (overlay-start a) (overlay-start b)))))

(defun roam-semantic-links--clear ()
  "Remove every overlay."
  (mapc #'delete-overlay roam-semantic-links--overlays)
  (setq roam-semantic-links--overlays nil
        roam-semantic-links--told nil))

(defun roam-semantic-links--at-point ()
  "Return the overlay of the suggestion at point, mentions before passages, or nil."
  (car (sort (seq-filter
              (lambda (overlay)
                (<= (overlay-start overlay) (point) (1- (overlay-end overlay))))
              (roam-semantic-links--all))
             (lambda (a b) (< (- (overlay-end a) (overlay-start a))
                              (- (overlay-end b) (overlay-start b)))))))

(defun roam-semantic-links--describe ()
  "Show the other note of the suggestion point has come to."
  (let ((overlay (roam-semantic-links--at-point)))
    (unless (eq overlay roam-semantic-links--told)
      (setq roam-semantic-links--told overlay)
      (when (and overlay (not (active-minibuffer-window)))
        (let ((suggestion (overlay-get overlay 'roam-semantic-links)))
          (let ((message-log-max nil))
            (message "%s  %d%%\n%s" (plist-get suggestion :title)
                     (round (* 100 (or (plist-get suggestion :score) 0)))
                     (truncate-string-to-width
                      (string-clean-whitespace (or (plist-get suggestion :passage) ""))
                      200 nil nil "…"))))))))

;;; Commands

(defun roam-semantic-links-next (&optional backwards)
  "Go to the next suggestion; with BACKWARDS non-nil, to the previous one."
  (interactive)
  (let* ((starts (mapcar #'overlay-start (roam-semantic-links--all)))
         (starts (cl-remove-if-not (lambda (pos) (<= (point-min) pos (point-max))) starts))
         (next (if backwards
                   (car (last (cl-remove-if-not (lambda (pos) (< pos (point))) starts)))
                 (cl-find-if (lambda (pos) (> pos (point))) starts))))
    (unless next
      (user-error (if backwards "No suggestion before this" "No suggestion after this")))
    (goto-char next)
    (when (org-invisible-p)
      (if (fboundp 'org-fold-show-context) (org-fold-show-context) (org-show-context)))))

(defun roam-semantic-links-previous ()
  "Go to the previous suggestion."
  (interactive)
  (roam-semantic-links-next t))

(defun roam-semantic-links--need ()
  "Return the overlay at point, or signal a `user-error'."
  (or (roam-semantic-links--at-point)
      (user-error "No suggestion here; n goes to the next")))

(defun roam-semantic-links-make ()
  "Make the suggestion at point a link."
  (interactive)
  (let* ((overlay (roam-semantic-links--need))
         (suggestion (overlay-get overlay 'roam-semantic-links))
         (link (concat "id:" (plist-get suggestion :node-id)))
         (start (overlay-start overlay)) (end (overlay-end overlay)))
    (barf-if-buffer-read-only)
    (undo-boundary)
    (save-excursion
      (if (equal "mention" (plist-get suggestion :kind))
          (let ((words (buffer-substring-no-properties start end)))
            (goto-char start)
            (delete-region start end)
            (insert (org-link-make-string link words)))
        (goto-char end)
        (skip-chars-backward " \t\n" start)
        (roam-semantic-links--leave-block)
        (insert (if (bolp) "" " ") (org-link-make-string link (plist-get suggestion :title)))))
    (delete-overlay overlay)
    ;; What undo brings back is suggested again.
    (when (listp buffer-undo-list)
      (push (list 'apply #'roam-semantic-links--bring-back start suggestion) buffer-undo-list))
    (undo-boundary)
    (message "Linked to %s" (plist-get suggestion :title))))

(defun roam-semantic-links--bring-back (start suggestion)
  "Show SUGGESTION again near START once the undo under way is done."
  (let ((buffer (current-buffer)))
    (run-at-time 0 nil
                 (lambda ()
                   (when (buffer-live-p buffer)
                     (with-current-buffer buffer
                       (when roam-semantic-links-mode
                         (org-with-wide-buffer
                          (let ((place (roam-semantic-links--place
                                        (append (list :pos start) suggestion))))
                            (when place
                              (roam-semantic-links--put place suggestion)))))))))))

(defun roam-semantic-links-dismiss ()
  "Never again suggest the note of the suggestion at point for this note."
  (interactive)
  (let* ((overlay (roam-semantic-links--need))
         (this (roam-semantic-links--id (overlay-start overlay)))
         (other (plist-get (overlay-get overlay 'roam-semantic-links) :node-id)))
    (roam-semantic-memory-add 'dismissed this other)
    (push (cons this other) roam-semantic-links--dismissed)
    (dolist (each (roam-semantic-links--all))
      (when (and (equal other (plist-get (overlay-get each 'roam-semantic-links) :node-id))
                 (equal this (roam-semantic-links--id (overlay-start each))))
        (delete-overlay each)))
    (message "Dismissed for good; D takes that back")))

(defun roam-semantic-links-restore ()
  "Take the last dismissal in this buffer back, and ask again."
  (interactive)
  (pcase (pop roam-semantic-links--dismissed)
    ('nil (user-error "Nothing was dismissed here"))
    (`(,this . ,other)
     (roam-semantic-memory-remove 'dismissed this other)
     (roam-semantic-links-again))))

(defun roam-semantic-links-visit ()
  "Show the note of the suggestion at point in another window."
  (interactive)
  (let ((suggestion (overlay-get (roam-semantic-links--need) 'roam-semantic-links)))
    (roam-semantic-hit-visit (list :node-id (plist-get suggestion :node-id)
                                   :file (plist-get suggestion :file))
                             t)))

(defun roam-semantic-links-quit ()
  "Stop suggesting links."
  (interactive)
  (roam-semantic-links-mode -1))

(defun roam-semantic-links-cancel ()
  "Cancel the question under way; without one, quit as usual."
  (interactive)
  (if (not roam-semantic-links--request)
      (keyboard-quit)
    (roam-semantic-links-quit)
    (message "Cancelled")))

(provide 'roam-semantic-links)
;;; roam-semantic-links.el ends here
