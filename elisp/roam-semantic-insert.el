;;; roam-semantic-insert.el --- Find a note and link to it  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; `roam-semantic-insert' finds as `roam-semantic-find' does and puts a link
;; at point.  Nothing is written before a hit is chosen, and one undo takes
;; the link away again.

;;; Code:

(require 'subr-x)
(require 'roam-semantic)
(require 'roam-semantic-find)
(require 'roam-semantic-hit)

(declare-function org-id-get-create "org-id" (&optional force))
(declare-function org-link-display-format "ol" (s))
(declare-function org-link-make-string "ol" (link &optional description))

(defvar org-roam-post-node-insert-hook)

(defun roam-semantic-insert (&optional query)
  "Find a note and insert a link to it at point.
The active region is the question to start with, and becomes the
description of the link; else the description is the note's title.
QUERY, from Lisp, is asked instead.  When nothing is found, you are
offered to capture a note, which is linked here when it is done."
  (interactive "*")
  (roam-semantic-insert--check)
  (let* ((region (and (use-region-p)
                      (cons (copy-marker (region-beginning)) (copy-marker (region-end) t))))
         (found (roam-semantic-find-read query)))
    (if (stringp found)
        (roam-semantic-insert--capture found region)
      (when found
        (roam-semantic-insert-hit found region)))
    (deactivate-mark)))

(defun roam-semantic-insert--check ()
  "Signal a `user-error' unless a link can be inserted here."
  (barf-if-buffer-read-only)
  (unless (derived-mode-p 'org-mode)
    (user-error "Links to notes belong into Org files; this buffer is in %s" major-mode)))

(defun roam-semantic-insert-hit (hit &optional region)
  "Insert a link to HIT at point, or in place of REGION, a pair of positions."
  (let* ((id (or (plist-get hit :node-id) (roam-semantic-insert--new-id hit)))
         (text (and region (org-link-display-format
                            (buffer-substring-no-properties (car region) (cdr region)))))
         (description (or text (roam-semantic-insert--title hit))))
    (atomic-change-group
      (when region
        (goto-char (car region))
        (delete-region (car region) (cdr region)))
      (insert (roam-semantic-insert-link id description)))
    (run-hook-with-args 'org-roam-post-node-insert-hook id description)))

(defun roam-semantic-insert-link (id description)
  "Return a link to the node ID that reads DESCRIPTION."
  (require 'ol)
  (org-link-make-string (concat "id:" id) description))

(defun roam-semantic-insert--title (hit)
  "Return the title of the node a link to HIT leads to.
A hit without an id gets one at its heading."
  (if (plist-get hit :node-id)
      (plist-get hit :title)
    (or (car (last (plist-get hit :outline-path))) (plist-get hit :title))))

(defun roam-semantic-insert--new-id (hit)
  "Give the heading of HIT an id after asking, and return it.
Its file is saved unless it held other changes."
  (let ((name (roam-semantic-insert--title hit)))
    (unless (y-or-n-p (format "“%s” has no id to link to; write one into %s? "
                              name (file-name-nondirectory (plist-get hit :file))))
      (user-error "Not linked: “%s” has no id" name))
    (with-current-buffer (find-file-noselect (plist-get hit :file))
      (let ((clean (not (buffer-modified-p))))
        (prog1 (save-excursion
                 (save-restriction
                   (widen)
                   (goto-char (roam-semantic-hit-position hit))
                   (org-id-get-create)))
          (when clean
            (save-buffer)))))))

(defun roam-semantic-insert--capture (title region)
  "Offer to capture a note of TITLE that is linked at point, or for REGION."
  (roam-semantic-find-capture
   title
   (append (and region (list :region region))
           (list :link-description
                 (if region
                     (org-link-display-format
                      (buffer-substring-no-properties (car region) (cdr region)))
                   title)
                 :finalize 'insert-link))))

(provide 'roam-semantic-insert)
;;; roam-semantic-insert.el ends here
