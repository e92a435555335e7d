;;; roam-semantic-related.el --- A window that follows point  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; `roam-semantic-related-mode', for who does not use org-roam's buffer: a
;; side window with what is related to the heading at point, drawn anew
;; when Emacs has been idle for a moment.

;;; Code:

(require 'magit-section)
(require 'roam-semantic)
(require 'roam-semantic-row)

(defvar org-roam-directory)
(declare-function org-back-to-heading "org" (&optional invisible-ok))
(declare-function org-before-first-heading-p "org" ())

(defcustom roam-semantic-related-idle-s 0.5
  "Seconds of idleness after which the window of related notes follows point."
  :type 'number
  :group 'roam-semantic
  :package-version '(roam-semantic . "0.1.0"))

(defconst roam-semantic-related-buffer "*roam-semantic related*"
  "Buffer that shows what is related to the heading at point.")

(defvar roam-semantic-related--timer nil
  "The idle timer while the mode is on.")

(defvar-local roam-semantic-related--place nil
  "Plist (:file :pos :time) of what the buffer shows.")

(define-derived-mode roam-semantic-related-view-mode magit-section-mode "Related"
  "Mode of the window of related notes."
  (setq-local roam-semantic-row-redraw-function #'roam-semantic-related--draw
              roam-semantic-row-source-function
              (lambda () (plist-get roam-semantic-related--place :file))
              revert-buffer-function
              (lambda (&rest _)
                (roam-semantic-row-forget)
                (roam-semantic-related--draw)))
  (add-hook 'kill-buffer-hook #'roam-semantic-related--killed nil t))

;;;###autoload
(define-minor-mode roam-semantic-related-mode
  "Show what is related to the heading at point in a side window."
  :global t
  :group 'roam-semantic
  (when roam-semantic-related--timer
    (cancel-timer roam-semantic-related--timer)
    (setq roam-semantic-related--timer nil))
  (if roam-semantic-related-mode
      (setq roam-semantic-related--timer
            (run-with-idle-timer roam-semantic-related-idle-s t
                                 #'roam-semantic-related--follow))
    (when-let* ((buffer (get-buffer roam-semantic-related-buffer)))
      (when-let* ((window (get-buffer-window buffer)))
        (ignore-errors (delete-window window)))
      (kill-buffer buffer))))

(defun roam-semantic-related--killed ()
  "Turn the mode off: its buffer is being killed."
  (when roam-semantic-related-mode
    (setq roam-semantic-related-mode nil)
    (cancel-timer roam-semantic-related--timer)
    (setq roam-semantic-related--timer nil)))

(defun roam-semantic-related--follow ()
  "Show what is related to the heading at point, if this is a note."
  (when-let* ((place (roam-semantic-related--here)))
    (with-current-buffer (get-buffer-create roam-semantic-related-buffer)
      (unless (derived-mode-p 'roam-semantic-related-view-mode)
        (roam-semantic-related-view-mode))
      (unless (equal place roam-semantic-related--place)
        (setq roam-semantic-related--place place)
        (roam-semantic-related--draw))
      (unless (get-buffer-window)
        (display-buffer-in-side-window (current-buffer)
                                       '((side . right) (window-width . 0.35)))))))

(defun roam-semantic-related--here ()
  "Return the plist of the note and heading at point, or nil outside notes."
  (when (and buffer-file-name
             (derived-mode-p 'org-mode)
             (not (file-remote-p buffer-file-name))
             (boundp 'org-roam-directory)
             (string-prefix-p (file-name-as-directory (expand-file-name org-roam-directory))
                              (expand-file-name buffer-file-name)))
    (list :file (expand-file-name buffer-file-name)
          :pos (if (org-before-first-heading-p) 1
                 (save-excursion
                   (org-back-to-heading t)
                   (save-restriction (widen) (point))))
          :time (visited-file-modtime))))

(defun roam-semantic-related--draw ()
  "Draw the current buffer of related notes for its place."
  (let* ((place roam-semantic-related--place)
         (file (plist-get place :file))
         (pos (plist-get place :pos))
         (known (and place
                     (roam-semantic-row-get
                      (list file pos (plist-get place :time) roam-semantic-related-results)
                      (list :node file :pos pos :k roam-semantic-related-results)
                      (lambda ()
                        (when (equal place roam-semantic-related--place)
                          (roam-semantic-related--draw))))))
         (line (line-number-at-pos))
         (inhibit-read-only t))
    (erase-buffer)
    (magit-insert-section (roam-semantic-related)
      (magit-insert-heading (format "Related by meaning: %s"
                                    (file-name-nondirectory (or file ""))))
      (roam-semantic-row-insert-all known file))
    (goto-char (point-min))
    (forward-line (1- line))))

(provide 'roam-semantic-related)
;;; roam-semantic-related.el ends here
