;;; roam-semantic-row.el --- Related notes: asked once, shown as rows  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; What the side panels share: a cache of what is related to a note, and
;; the rows that show it.  Nothing here waits for the server.  A miss asks
;; once; the panel is drawn again when the answer is there.

;;; Code:

(require 'cl-lib)
(require 'magit-section)
(require 'seq)
(require 'subr-x)
(require 'roam-semantic)
(require 'roam-semantic-client)
(require 'roam-semantic-errors)
(require 'roam-semantic-hit)
(require 'roam-semantic-memory)

(defcustom roam-semantic-related-results 8
  "How many related notes a panel shows at most, from 1 to 100."
  :type 'natnum
  :group 'roam-semantic
  :package-version '(roam-semantic . "0.1.0"))

(defcustom roam-semantic-related-linked nil
  "Non-nil means that panels show notes that are linked already, and say so."
  :type 'boolean
  :group 'roam-semantic
  :package-version '(roam-semantic . "0.1.0"))

(defcustom roam-semantic-row-columns 150
  "Most columns of each of the two passages a row of a panel shows."
  :type 'natnum
  :group 'roam-semantic
  :package-version '(roam-semantic . "0.1.0"))

(defconst roam-semantic-row--fresh-s 300
  "Seconds an answer is good for while the note stays as it is.")

(defconst roam-semantic-row--failed-s 30
  "Seconds to wait after a failure before the same is asked again.")

(defconst roam-semantic-row--most 200
  "How many notes the cache knows before it is emptied.")

(defvar roam-semantic-row--cache (make-hash-table :test #'equal)
  "What was answered, by note: plists (:time :answer :failed :asking).")

(defvar roam-semantic-row-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'roam-semantic-row-visit)
    (define-key map (kbd "l") #'roam-semantic-row-link)
    (define-key map (kbd "p") #'roam-semantic-row-pin)
    (define-key map (kbd "h") #'roam-semantic-row-hide)
    (define-key map (kbd "u") #'roam-semantic-row-unhide)
    map)
  "Keys on a row of related notes.")

(defvar-local roam-semantic-row-redraw-function #'ignore
  "Function without arguments that draws the current panel again.")

;;; Asking

(defun roam-semantic-row-get (key arguments redraw)
  "Return what is known under KEY: a plist (:answer :failed :asking).
On a miss ask `related' with the plist ARGUMENTS, once, and call REDRAW
in the current buffer when the answer or the failure is there."
  (let ((known (gethash key roam-semantic-row--cache)))
    (if (roam-semantic-row--good-p known)
        known
      (when (> (hash-table-count roam-semantic-row--cache) roam-semantic-row--most)
        (clrhash roam-semantic-row--cache))
      (puthash key (list :time (float-time) :answer (plist-get known :answer) :asking t)
               roam-semantic-row--cache)
      (roam-semantic-request
       'related arguments
       :deadline-s roam-semantic-deadline-s
       :callback (lambda (answer)
                   (puthash key (list :time (float-time) :answer answer)
                            roam-semantic-row--cache)
                   (funcall redraw))
       :errback (lambda (condition)
                  (puthash key (list :time (float-time)
                                     :failed (roam-semantic-errors-text condition))
                           roam-semantic-row--cache)
                  (funcall redraw)))
      (gethash key roam-semantic-row--cache))))

(defun roam-semantic-row--good-p (known)
  "Return non-nil if KNOWN, an entry of the cache, need not be asked again."
  (and known
       (< (- (float-time) (plist-get known :time))
          (cond ((plist-get known :failed) roam-semantic-row--failed-s)
                ((plist-get known :asking) (* 2 roam-semantic-deadline-s))
                (t roam-semantic-row--fresh-s)))))

(defun roam-semantic-row-forget ()
  "Forget every answer, so that panels ask again."
  (clrhash roam-semantic-row--cache))

;;; Showing

(defun roam-semantic-row-insert-all (known note)
  "Insert rows for KNOWN, what `roam-semantic-row-get' returned.
NOTE names the note they are related to: its id, or its file."
  (let* ((answer (plist-get known :answer))
         (hits (and answer (roam-semantic-row--chosen (plist-get answer :hits) note))))
    (cond
     ((plist-get known :failed)
      (insert (propertize (concat (plist-get known :failed) "\n") 'face 'warning)))
     ((and (null answer) (plist-get known :asking))
      (insert (propertize "Looking...\n" 'face 'shadow)))
     ((null hits) (insert (propertize "Nothing else is near\n" 'face 'shadow)))
     (t (dolist (hit hits)
          (roam-semantic-row--insert hit note))))))

(defun roam-semantic-row--chosen (hits note)
  "Return those of HITS to show for NOTE, pinned ones first."
  (let* ((left (seq-remove
                (lambda (hit)
                  (or (roam-semantic-memory-p 'hidden note (roam-semantic-row--name hit))
                      (and (plist-get hit :linked) (not roam-semantic-related-linked))))
                hits))
         (pinned (lambda (hit)
                   (roam-semantic-memory-p 'pinned note (roam-semantic-row--name hit)))))
    (append (seq-filter pinned left) (seq-remove pinned left))))

(defun roam-semantic-row--name (hit)
  "Return what HIT is remembered by: the id of its node, or its file."
  (or (plist-get hit :node-id) (plist-get hit :file)))

(defun roam-semantic-row--insert (hit note)
  "Insert the row of HIT, which is related to NOTE."
  (let ((start (point)))
    (magit-insert-section (roam-semantic-row (roam-semantic-row--name hit))
      (magit-insert-heading (roam-semantic-row--heading hit note))
      (roam-semantic-row--passage "" (plist-get hit :passage))
      (roam-semantic-row--passage "because " (plist-get hit :because)))
    (add-text-properties start (point)
                         (list 'roam-semantic-hit hit 'roam-semantic-note note
                               'keymap roam-semantic-row-map
                               'help-echo "RET visit, TAB fold, l link, p pin, h hide, u unhide all"))))

(defun roam-semantic-row--heading (hit note)
  "Return the first line of the row of HIT, which is related to NOTE."
  (concat (and (roam-semantic-memory-p 'pinned note (roam-semantic-row--name hit)) "* ")
          (propertize (roam-semantic-hit-label hit) 'font-lock-face 'magit-section-heading)
          (propertize (format "  %d%%%s%s"
                              (round (* 100 (or (plist-get hit :score) 0)))
                              (if (plist-get hit :linked) ", linked" "")
                              (mapconcat (lambda (tag) (concat " #" tag))
                                         (plist-get hit :tags) ""))
                      'font-lock-face 'roam-semantic-hit-score)))

(defun roam-semantic-row--passage (label text)
  "Insert LABEL and TEXT, filled, unless there is no text."
  (let ((line (string-clean-whitespace (or text ""))))
    (unless (string-empty-p line)
      (let ((start (point)))
        (insert "  " (propertize label 'font-lock-face 'roam-semantic-hit-path)
                (propertize (truncate-string-to-width line roam-semantic-row-columns nil nil "…")
                            'font-lock-face 'roam-semantic-hit-passage)
                "\n")
        (let ((fill-prefix "  ") (fill-column 76))
          (fill-region start (point)))))))

;;; Keys

(defun roam-semantic-row--at-point ()
  "Return (HIT . NOTE) of the row at point."
  (let ((hit (get-text-property (point) 'roam-semantic-hit)))
    (unless hit
      (user-error "There is no related note here"))
    (cons hit (get-text-property (point) 'roam-semantic-note))))

(defun roam-semantic-row-visit (&optional other-window)
  "Go to the passage of the row at point; with a prefix, in OTHER-WINDOW.
From a side window the note is always shown in another one."
  (interactive "P")
  (roam-semantic-hit-visit (car (roam-semantic-row--at-point))
                           (or other-window (window-parameter nil 'window-side)
                               (derived-mode-p 'org-roam-mode))))

(defun roam-semantic-row-pin ()
  "Keep the note of the row at point on top, or let it go."
  (interactive)
  (pcase-let ((`(,hit . ,note) (roam-semantic-row--at-point)))
    (let ((name (roam-semantic-row--name hit)))
      (if (roam-semantic-memory-p 'pinned note name)
          (roam-semantic-memory-remove 'pinned note name)
        (roam-semantic-memory-add 'pinned note name)))
    (funcall roam-semantic-row-redraw-function)))

(defun roam-semantic-row-hide ()
  "Show the note of the row at point no more beside this one."
  (interactive)
  (pcase-let ((`(,hit . ,note) (roam-semantic-row--at-point)))
    (roam-semantic-memory-add 'hidden note (roam-semantic-row--name hit))
    (funcall roam-semantic-row-redraw-function)
    (message "Hidden; u shows all hidden notes again")))

(defun roam-semantic-row-unhide ()
  "Show the hidden ones beside the note of the row at point again."
  (interactive)
  (pcase-let ((`(,_ . ,note) (roam-semantic-row--at-point)))
    (dolist (name (roam-semantic-memory-all 'hidden note))
      (roam-semantic-memory-remove 'hidden note name))
    (funcall roam-semantic-row-redraw-function)))

(defun roam-semantic-row-link ()
  "Insert a link to the note of the row at point, where you were writing.
That is at point of the buffer the panel is about."
  (interactive)
  (pcase-let* ((`(,hit . ,_) (roam-semantic-row--at-point))
               (file (roam-semantic-row--source))
               (buffer (and file (find-buffer-visiting file)))
               (id (plist-get hit :node-id)))
    (cond
     ((null buffer) (user-error "The note this panel is about is not open"))
     ((null id) (user-error "“%s” has no id to link to" (plist-get hit :title)))
     ((buffer-local-value 'buffer-read-only buffer)
      (user-error "%s is read-only; C-x C-q makes it writable" (buffer-name buffer))))
    (with-current-buffer buffer
      (let ((window (get-buffer-window buffer t)))
        (save-excursion
          (goto-char (if window (window-point window) (point)))
          (insert (format "[[id:%s][%s]]" id
                          (string-clean-whitespace (plist-get hit :title)))))))
    (message "Linked to “%s” in %s" (plist-get hit :title) (buffer-name buffer))))

(defvar-local roam-semantic-row-source-function #'ignore
  "Function that returns the file the current panel is about.")

(defun roam-semantic-row--source ()
  "Return the file the current panel is about, or nil."
  (funcall roam-semantic-row-source-function))

(provide 'roam-semantic-row)
;;; roam-semantic-row.el ends here
