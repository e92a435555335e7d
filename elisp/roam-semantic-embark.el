;;; roam-semantic-embark.el --- What can be done with a hit  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; Embark's actions for candidates of category `org-roam-node': ours and
;; org-roam's own, which carry the node in the text property `node'.  Embark
;; and org-roam bring none; those you have bound yourself stay, and get the
;; title of the node, which is what org-roam's commands ask for.

;;; Code:

(require 'embark nil t)
(require 'subr-x)
(require 'roam-semantic)
(require 'roam-semantic-client)
(require 'roam-semantic-find)
(require 'roam-semantic-hit)
(require 'roam-semantic-insert)

(declare-function org-roam-node-file "org-roam-node")
(declare-function org-roam-node-from-title-or-alias "org-roam-node")
(declare-function org-roam-node-id "org-roam-node")
(declare-function org-roam-node-olp "org-roam-node")
(declare-function org-roam-node-point "org-roam-node")
(declare-function org-roam-node-title "org-roam-node")

(defvar embark-default-action-overrides)
(defvar embark-general-map)
(defvar embark-keymap-alist)
(defvar embark-transformer-alist)

(defun roam-semantic-embark-hit (target)
  "Return TARGET, a candidate of ours or org-roam's, as a hit."
  (or (roam-semantic-hit-of target)
      (let ((node (or (get-text-property 0 'node target)
                      (and (fboundp 'org-roam-node-from-title-or-alias)
                           (org-roam-node-from-title-or-alias
                            (substring-no-properties target))))))
        (unless node
          (user-error "No note is called “%s”" (substring-no-properties target)))
        (list :node-id (org-roam-node-id node)
              :title (org-roam-node-title node)
              :file (org-roam-node-file node)
              :pos (org-roam-node-point node)
              :outline-path (append (org-roam-node-olp node)
                                    (list (org-roam-node-title node)))))))

(defun roam-semantic-embark-visit (target)
  "Go to the heading of TARGET."
  (roam-semantic-hit-visit (roam-semantic-embark-hit target)))

(defun roam-semantic-embark-visit-other-window (target)
  "Go to the heading of TARGET in another window."
  (roam-semantic-hit-visit (roam-semantic-embark-hit target) t))

(defun roam-semantic-embark-open-file (target)
  "Open the file of TARGET at its start."
  (find-file (plist-get (roam-semantic-embark-hit target) :file)))

(defun roam-semantic-embark-insert (target)
  "Insert a link to TARGET at point; the active region becomes its text."
  (roam-semantic-insert--check)
  (roam-semantic-insert-hit (roam-semantic-embark-hit target)
                            (and (use-region-p)
                                 (cons (region-beginning) (region-end)))))

(defun roam-semantic-embark-copy-link (target)
  "Put a link to TARGET into the kill ring."
  (let* ((hit (roam-semantic-embark-hit target))
         (id (or (plist-get hit :node-id)
                 (user-error "“%s” has no id to link to" (plist-get hit :title))))
         (link (roam-semantic-insert-link id (plist-get hit :title))))
    (kill-new link)
    (message "Copied %s" link)))

(defun roam-semantic-embark-related (target)
  "Choose among the notes related to TARGET by meaning, and go there."
  (let* ((hit (roam-semantic-embark-hit target))
         (node (or (plist-get hit :node-id) (plist-get hit :file)))
         (pos (plist-get hit :pos))
         (answer (roam-semantic-ask
                  'related (list :node node :pos pos :k roam-semantic-find-results)))
         (candidates (roam-semantic-hit-candidates (plist-get answer :hits))))
    (unless candidates
      (user-error "Nothing is related to “%s”" (plist-get hit :title)))
    (roam-semantic-hit-visit
     (roam-semantic-find-choose (format "Related to “%s”: " (plist-get hit :title))
                                candidates))))

(defvar roam-semantic-embark-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'roam-semantic-embark-visit)
    (define-key map (kbd "o") #'roam-semantic-embark-visit-other-window)
    (define-key map (kbd "f") #'roam-semantic-embark-open-file)
    (define-key map (kbd "i") #'roam-semantic-embark-insert)
    (define-key map (kbd "l") #'roam-semantic-embark-copy-link)
    (define-key map (kbd "r") #'roam-semantic-embark-related)
    (set-keymap-parent map embark-general-map)
    map)
  "Actions for notes.")

(defun roam-semantic-embark--title (type target)
  "Return (TYPE . STRING), where STRING is TARGET as org-roam calls it.
STRING keeps what our actions need."
  (cons type
        (if-let* ((hit (roam-semantic-hit-of target)))
            (apply #'propertize (or (plist-get hit :title) target)
                   (list 'roam-semantic-hit hit
                         'node (get-text-property 0 'node target)))
          target)))

(defun roam-semantic-embark-set-up ()
  "Offer the actions of `roam-semantic-embark-map' for notes.
Those bound for the category before come first."
  (let ((maps (ensure-list (alist-get 'org-roam-node embark-keymap-alist))))
    (unless (memq 'roam-semantic-embark-map maps)
      (setf (alist-get 'org-roam-node embark-keymap-alist)
            (append maps '(roam-semantic-embark-map)))))
  (unless (alist-get 'org-roam-node embark-transformer-alist)
    (setf (alist-get 'org-roam-node embark-transformer-alist)
          #'roam-semantic-embark--title))
  ;; Else RET would ask again, for the title.
  (pcase-dolist (`(,command . ,action)
                 '((roam-semantic-find . roam-semantic-embark-visit)
                   (roam-semantic-insert . roam-semantic-embark-insert)))
    (setf (alist-get (cons 'org-roam-node command) embark-default-action-overrides
                     nil nil #'equal)
          action)))

(roam-semantic-embark-set-up)

(provide 'roam-semantic-embark)
;;; roam-semantic-embark.el ends here
