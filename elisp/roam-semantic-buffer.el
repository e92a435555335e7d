;;; roam-semantic-buffer.el --- Sections for org-roam's buffer  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; M-x roam-semantic-buffer-setup adds them to `org-roam-mode-sections':
;; what is related by meaning to the node that org-roam's buffer shows, its
;; summary and its claims.

;;; Code:

(require 'magit-section)
(require 'org-roam nil t)
(require 'roam-semantic)
(require 'roam-semantic-row)

(defvar org-roam-mode-sections)
(defvar org-roam-buffer-current-node)
(declare-function org-roam-buffer-render-contents "org-roam-mode" ())
(declare-function org-roam-node-file "org-roam-node" (node))
(declare-function org-roam-node-id "org-roam-node" (node))

(defconst roam-semantic-buffer-sections
  '(roam-semantic-buffer-related roam-semantic-buffer-summary roam-semantic-buffer-claims)
  "What `roam-semantic-buffer-setup' adds to org-roam's buffer.")

(defun roam-semantic-buffer-setup (&optional remove)
  "Show related notes, summary and claims in org-roam's buffer.
With a prefix argument, REMOVE them.  Doing it twice does no harm."
  (interactive "P")
  (unless (boundp 'org-roam-mode-sections)
    (user-error "Org-roam is not installed; M-x package-install RET org-roam"))
  (let ((others (seq-difference org-roam-mode-sections roam-semantic-buffer-sections)))
    (setq org-roam-mode-sections
          (if remove others (append others roam-semantic-buffer-sections))))
  (dolist (buffer (buffer-list))
    (with-current-buffer buffer
      (when (derived-mode-p 'org-roam-mode)
        (roam-semantic-buffer--redraw))))
  (when (called-interactively-p 'interactive)
    (message (if remove "Org-roam's buffer is as it was"
               "M-x org-roam-buffer-toggle shows what is related"))))

(defun roam-semantic-buffer-related (node)
  "Insert what is related by meaning to NODE, an org-roam node."
  (let* ((id (org-roam-node-id node))
         (file (org-roam-node-file node))
         (time (file-attribute-modification-time (file-attributes file)))
         (known (roam-semantic-row-get
                 (list id time roam-semantic-related-results)
                 (list :node id :k roam-semantic-related-results)
                 (lambda () (roam-semantic-buffer--redraw id)))))
    (setq-local roam-semantic-row-redraw-function #'roam-semantic-buffer--redraw
                roam-semantic-row-source-function #'roam-semantic-buffer--file)
    (magit-insert-section (roam-semantic-related)
      (magit-insert-heading "Related by meaning:")
      (roam-semantic-row-insert-all known id)
      (insert "\n"))))

(defun roam-semantic-buffer-summary (_node)
  "Say that no summary is stored: this version makes none."
  (roam-semantic-buffer--none 'roam-semantic-summary "Summary:" "summary"))

(defun roam-semantic-buffer-claims (_node)
  "Say that no claim is stored: this version draws none."
  (roam-semantic-buffer--none 'roam-semantic-claims "Claims:" "claims"))

(defun roam-semantic-buffer--none (type heading what)
  "Insert a section of TYPE with HEADING that says that there is no WHAT."
  (magit-insert-section ((eval type) nil t)
    (magit-insert-heading heading)
    (insert (propertize (format "No %s: they need a language model, which this version does not use\n"
                                what)
                        'face 'shadow)
            "\n")))

(defun roam-semantic-buffer--file ()
  "Return the file of the node that the current buffer shows."
  (and org-roam-buffer-current-node (org-roam-node-file org-roam-buffer-current-node)))

(defun roam-semantic-buffer--redraw (&optional id)
  "Draw org-roam's buffer, the current one, again, point and window kept.
With ID, only if it still shows the node of that id."
  (when (and (derived-mode-p 'org-roam-mode)
             org-roam-buffer-current-node
             (or (null id) (equal id (org-roam-node-id org-roam-buffer-current-node))))
    (let* ((windows (get-buffer-window-list nil nil t))
           (places (mapcar (lambda (window)
                             (list window (window-start window) (window-point window)))
                           windows))
           (line (line-number-at-pos))
           (column (current-column)))
      (org-roam-buffer-render-contents)
      (goto-char (point-min))
      (forward-line (1- line))
      (move-to-column column)
      (pcase-dolist (`(,window ,start ,_) places)
        (set-window-start window (min start (point-max)) t)
        (set-window-point window (point))))))

(provide 'roam-semantic-buffer)
;;; roam-semantic-buffer.el ends here
