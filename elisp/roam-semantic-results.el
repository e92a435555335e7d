;;; roam-semantic-results.el --- Hits in a buffer of their own  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; `roam-semantic-search-buffer' keeps what was found: each hit is a
;; heading with a link to its note, its tags, why it was found and the
;; passage.  The buffer is Org, so links work and headings fold; it is
;; read-only, so single keys walk it.  `next-error' walks the hits from
;; anywhere, as it walks those of grep.
;;
;; Nothing waits: the buffer says that it is asking, then shows the hits
;; or what went wrong and what to do.

;;; Code:

(require 'cl-lib)
(require 'org)
(require 'subr-x)
(require 'roam-semantic)
(require 'roam-semantic-client)
(require 'roam-semantic-errors)
(require 'roam-semantic-hit)

(defcustom roam-semantic-results-count 20
  "How many hits `roam-semantic-search-buffer' asks for at a time, from 1 to 100."
  :type 'natnum
  :group 'roam-semantic
  :package-version '(roam-semantic . "0.1.0"))

(defcustom roam-semantic-results-passage-columns 76
  "Columns a passage is filled to in `roam-semantic-search-buffer'."
  :type 'natnum
  :group 'roam-semantic
  :package-version '(roam-semantic . "0.1.0"))

(defvar roam-semantic-find-history)

(defvar-local roam-semantic-results--query nil
  "What the current buffer shows the hits of.")

(defvar-local roam-semantic-results--asking nil
  "Id of the request under way for the current buffer, or nil.")

(defvar-local roam-semantic-results--next nil
  "How many hits to leave out for the ones after those shown, or nil at the end.")

(defvar-local roam-semantic-results--told nil
  "What the header line says after the query.")

(defvar-local roam-semantic-results--visited nil
  "Where the hit stands that `next-error' visited last, or nil.")

(defvar-local roam-semantic-results-follow nil
  "Non-nil means that walking the hits shows each in another window.")

(defvar roam-semantic-results-mode-map
  (let ((map (make-sparse-keymap)))
    (suppress-keymap map)
    (define-key map (kbd "RET") #'roam-semantic-results-visit)
    (define-key map (kbd "o") #'roam-semantic-results-visit-other-window)
    (define-key map (kbd "SPC") #'roam-semantic-results-display)
    (define-key map (kbd "n") #'roam-semantic-results-next)
    (define-key map (kbd "p") #'roam-semantic-results-previous)
    (define-key map (kbd "f") #'roam-semantic-results-toggle-follow)
    (define-key map (kbd "g") #'revert-buffer)
    (define-key map (kbd "e") #'roam-semantic-results-edit)
    (define-key map (kbd "+") #'roam-semantic-results-more)
    (define-key map (kbd "q") #'quit-window)
    (define-key map (kbd "?") #'describe-mode)
    map)
  "Keys of `roam-semantic-results-mode'.")

(define-derived-mode roam-semantic-results-mode org-mode "Notes"
  "Mode of buffers with the hits of a question.
\\{roam-semantic-results-mode-map}"
  (setq-local revert-buffer-function #'roam-semantic-results--revert
              next-error-function #'roam-semantic-results-next-error
              header-line-format '(:eval (roam-semantic-results--header)))
  (buffer-disable-undo)
  (setq buffer-read-only t)
  (add-hook 'kill-buffer-hook #'roam-semantic-results--withdraw nil t))

;;;###autoload
(defun roam-semantic-search-buffer (query)
  "Show the notes that answer QUERY in a buffer of their own.
QUERY is as in `roam-semantic-find'.  Each question has its buffer."
  (interactive (list (roam-semantic-results--read nil)))
  (when (string-blank-p query)
    (user-error "Nothing to look for"))
  (let ((buffer (get-buffer-create (roam-semantic-results--name query))))
    (with-current-buffer buffer
      (unless (derived-mode-p 'roam-semantic-results-mode)
        (let ((org-inhibit-startup t))
          (roam-semantic-results-mode)))
      (setq roam-semantic-results--query query)
      (roam-semantic-results--ask 0))
    (setq next-error-last-buffer buffer)
    (pop-to-buffer buffer)))

(defun roam-semantic-results--read (initial)
  "Read a question to begin with INITIAL; the active region is the default."
  (let ((region (and (use-region-p)
                     (string-clean-whitespace
                      (buffer-substring-no-properties (region-beginning) (region-end))))))
    (read-string (format-prompt "Notes about" region)
                 initial 'roam-semantic-find-history region t)))

(defun roam-semantic-results--name (query)
  "Return the name of the buffer for QUERY."
  (format "*notes: %s*" (truncate-string-to-width (string-clean-whitespace query)
                                                  60 nil nil "…")))

;;; Asking

(defun roam-semantic-results--ask (offset)
  "Ask for the hits of the current buffer's query but for the first OFFSET."
  (roam-semantic-results--withdraw)
  (setq roam-semantic-results--told "asking…")
  (when (zerop offset)
    (setq roam-semantic-results--next nil)
    (roam-semantic-results--write nil "Asking…"))
  (setq roam-semantic-results--asking
        (roam-semantic-request
         'semantic-search (list :query roam-semantic-results--query
                                :k roam-semantic-results-count :offset offset)
         :callback (lambda (answer) (roam-semantic-results--answered answer offset))
         :progress #'roam-semantic-results--progress
         :errback #'roam-semantic-results--failed
         :deadline-s roam-semantic-deadline-s))
  (force-mode-line-update))

(defun roam-semantic-results--withdraw ()
  "Cancel the request under way for the current buffer, if there is one."
  (when-let* ((id roam-semantic-results--asking))
    (setq roam-semantic-results--asking nil)
    (roam-semantic-cancel-request id)))

(defun roam-semantic-results--answered (answer offset)
  "Show ANSWER, the plist `semantic-search' gives, after OFFSET hits."
  (setq roam-semantic-results--asking nil
        roam-semantic-results--next (plist-get answer :next-offset)
        roam-semantic-results--told
        (roam-semantic-results--summary answer (+ offset (length (plist-get answer :hits)))))
  (roam-semantic-results--write
   (> offset 0)
   (if (or (plist-get answer :hits) (> offset 0))
       (mapconcat #'roam-semantic-results--entry (plist-get answer :hits) "")
     "No note matches; e edits the question, g asks again"))
  (force-mode-line-update))

(defun roam-semantic-results--failed (condition)
  "Show CONDITION, (SYMBOL MESSAGE HINT), in place of the hits.
One that this buffer cancelled to ask something else is not shown."
  (when roam-semantic-results--asking
    (setq roam-semantic-results--asking nil
          roam-semantic-results--told "failed; g asks again")
    (let ((text (roam-semantic-errors-text condition)))
      (if (roam-semantic-results--hit-at (point-min))
          (message "%s" text)
        (roam-semantic-results--write nil text)))
    (force-mode-line-update)))

(defun roam-semantic-results--progress (report)
  "Show REPORT, what the server does before it can answer."
  (setq roam-semantic-results--told
        (format "reading the notes, %s of %s…"
                (plist-get report :done) (plist-get report :total)))
  (force-mode-line-update))

(defun roam-semantic-results--revert (&rest _)
  "Ask the current buffer's question again."
  (roam-semantic-results--ask 0))

;;; Showing

(defun roam-semantic-results--header ()
  "Return the header line."
  (string-replace
   "%" "%%"
   (format " “%s”: %s%s" roam-semantic-results--query roam-semantic-results--told
           (if roam-semantic-results-follow "; follows" ""))))

(defun roam-semantic-results--summary (answer shown)
  "Return how many hits are SHOWN and what limits ANSWER."
  (let ((pending (or (plist-get (plist-get answer :index) :pending) 0)))
    (string-join
     (delq nil
           (list (format "%d %s" shown (if (= 1 shown) "hit" "hits"))
                 (and (plist-get answer :next-offset) "+ shows more")
                 (and (plist-get answer :degraded)
                      (concat "without " (mapconcat (lambda (stage)
                                                      (car (split-string stage ":")))
                                                    (plist-get answer :degraded) ", ")))
                 (and (> pending 0) (format "%d passages not indexed" pending))))
     "; ")))

(defun roam-semantic-results--write (after text)
  "Write TEXT into the current buffer, AFTER what is there or instead of it."
  (let ((inhibit-read-only t))
    (if after
        (save-excursion
          (goto-char (point-max))
          (insert text))
      (erase-buffer)
      (setq roam-semantic-results--visited nil)
      (insert text)
      (goto-char (point-min))
      (dolist (window (get-buffer-window-list nil nil t))
        (set-window-point window (point-min))))
    (set-buffer-modified-p nil)))

(defun roam-semantic-results--entry (hit)
  "Return the text that shows HIT, which stands in it as a text property."
  (propertize
   (concat "* " (roam-semantic-results--link hit)
           (and (plist-get hit :tags)
                (format "  :%s:" (string-join (plist-get hit :tags) ":")))
           "\n  "
           (propertize (roam-semantic-results--reason hit)
                       'font-lock-face 'roam-semantic-hit-score)
           "\n" (roam-semantic-results--passage (plist-get hit :passage)) "\n")
   'roam-semantic-hit hit))

(defun roam-semantic-results--link (hit)
  "Return an Org link to where HIT stands."
  (org-link-make-string
   (if (plist-get hit :node-id)
       (concat "id:" (plist-get hit :node-id))
     (format "file:%s::%s" (plist-get hit :file) (plist-get hit :line)))
   (substring-no-properties (roam-semantic-hit-label hit))))

(defun roam-semantic-results--reason (hit)
  "Return why HIT was found and where it stands, on one line."
  (concat (format "%d%% %s, %s"
                  (round (* 100 (or (plist-get hit :score) 0)))
                  (or (plist-get hit :why) "found")
                  (roam-semantic-hit-place hit))
          (and (plist-get hit :modified)
               (format-time-string ", %F" (plist-get hit :modified)))))

(defun roam-semantic-results--passage (passage)
  "Return PASSAGE as indented lines.
The indentation keeps a star in it from being a heading of this buffer."
  (with-temp-buffer
    (insert (string-clean-whitespace (or passage "")))
    (let ((fill-prefix "  ")
          (fill-column roam-semantic-results-passage-columns)
          (adaptive-fill-mode nil))
      (goto-char (point-min))
      (insert fill-prefix)
      (fill-region-as-paragraph (point-min) (point-max)))
    (concat (string-trim-right (buffer-string)) "\n")))

;;; Walking

(defun roam-semantic-results--hit-at (position)
  "Return the hit shown at POSITION of the current buffer, or nil."
  (get-text-property (min position (max (point-min) (1- (point-max))))
                     'roam-semantic-hit))

(defun roam-semantic-results--here ()
  "Return the hit at point, or tell that there is none."
  (or (roam-semantic-results--hit-at (point))
      (user-error "No hit here; n goes to the next one")))

(defun roam-semantic-results--move (count)
  "Move point by COUNT hits, to the heading; return nil when there are too few."
  (let ((start (point))
        (step (if (< count 0) -1 1)))
    (when (and (< count 0) (not (org-at-heading-p)))
      ;; The nearest heading above is that of the hit at point.
      (re-search-backward "^\\* " nil t))
    (or (cl-loop repeat (abs count)
                 always (roam-semantic-results--step step))
        (ignore (goto-char start)))))

(defun roam-semantic-results--step (direction)
  "Move point to the next heading in DIRECTION, 1 or -1; return it or nil."
  (let ((start (point)))
    (if (< direction 0)
        (and (re-search-backward "^\\* " nil t) (point))
      (end-of-line)
      (if (re-search-forward "^\\* " nil t)
          (goto-char (match-beginning 0))
        (ignore (goto-char start))))))

(defun roam-semantic-results-next (count)
  "Go to the next hit, or by COUNT hits; show it when following."
  (interactive "p")
  (unless (roam-semantic-results--move count)
    (user-error "%s" (cond (roam-semantic-results--asking "Still asking")
                           ((and roam-semantic-results--next (> count 0))
                            "No more hits here; + shows more")
                           (t "No more hits"))))
  (when roam-semantic-results-follow
    (roam-semantic-results-display)))

(defun roam-semantic-results-previous (count)
  "Go to the previous hit, or back by COUNT hits; show it when following."
  (interactive "p")
  (roam-semantic-results-next (- count)))

(defun roam-semantic-results-visit ()
  "Go to the passage of the hit at point."
  (interactive)
  (roam-semantic-hit-visit (roam-semantic-results--here)))

(defun roam-semantic-results-visit-other-window ()
  "Go to the passage of the hit at point, in another window."
  (interactive)
  (roam-semantic-hit-visit (roam-semantic-results--here) t))

(defun roam-semantic-results-display ()
  "Show the passage of the hit at point in another window and stay here."
  (interactive)
  (let ((hit (roam-semantic-results--here)))
    (save-selected-window
      (roam-semantic-hit-visit hit t))))

(defun roam-semantic-results-toggle-follow ()
  "Turn on or off that walking the hits shows each in another window."
  (interactive)
  (setq roam-semantic-results-follow (not roam-semantic-results-follow))
  (force-mode-line-update)
  (when (and roam-semantic-results-follow (roam-semantic-results--hit-at (point)))
    (roam-semantic-results-display)))

(defun roam-semantic-results-next-error (count &optional reset)
  "Visit the hit COUNT further on, from the first one with RESET.
This is the `next-error-function' of the buffer."
  (let* ((buffer (current-buffer))
         (window (get-buffer-window buffer)))
    (cond (reset (goto-char (point-min))
                 (setq roam-semantic-results--visited nil))
          (window (goto-char (window-point window))))
    ;; To stand at the first hit is not to have visited it.
    (when (and (bobp) (> count 0) (not roam-semantic-results--visited))
      (cl-decf count))
    (unless (and (or (zerop count) (roam-semantic-results--move count))
                 (roam-semantic-results--hit-at (point)))
      (user-error "No more hits"))
    (setq roam-semantic-results--visited (point))
    (when window
      (set-window-point window (point)))
    (roam-semantic-hit-visit (roam-semantic-results--here)
                             (eq buffer (window-buffer)))))

(defun roam-semantic-results-edit ()
  "Change the question and show its hits in its own buffer."
  (interactive)
  (roam-semantic-search-buffer
   (roam-semantic-results--read roam-semantic-results--query)))

(defun roam-semantic-results-more ()
  "Show more hits below those that are here."
  (interactive)
  (unless roam-semantic-results--next
    (user-error "All hits are shown"))
  (if roam-semantic-results--asking
      (message "Still asking")
    (roam-semantic-results--ask roam-semantic-results--next)))

(provide 'roam-semantic-results)
;;; roam-semantic-results.el ends here
