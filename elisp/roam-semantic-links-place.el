;;; roam-semantic-links-place.el --- Where a suggested link stands  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; Questions about places in the current buffer for `roam-semantic-links':
;; where a text stands now, in which node, and where a link may be put.

;;; Code:

(require 'org)
(require 'subr-x)
(require 'roam-semantic)

(defun roam-semantic-links--limits ()
  "Return markers around the active region or the subtree at point."
  (save-excursion
    (let ((region (use-region-p)))
      (cons (copy-marker (cond (region (region-beginning))
                               ((org-before-first-heading-p) (point-min))
                               (t (org-back-to-heading t) (point))))
            (copy-marker (cond (region (region-end))
                               ((org-before-first-heading-p) (outline-next-heading) (point))
                               (t (org-end-of-subtree t t) (point))))))))

(defun roam-semantic-links--place (suggestion)
  "Return (START . END) where the text of SUGGESTION stands, or nil."
  (let* ((text (string-replace "\r" "" (plist-get suggestion :text)))
         (pos (max (point-min) (min (plist-get suggestion :pos) (point-max))))
         (case-fold-search nil)
         best)
    (unless (string-empty-p text)
      (goto-char pos)
      (if (looking-at-p (regexp-quote text))
          (setq best pos)
        (let ((after (and (search-forward text nil t) (- (point) (length text))))
              ;; It may stand around POS.
              (before (progn (goto-char (min (point-max) (+ pos (length text))))
                             (search-backward text nil t))))
          (setq best (if (and after before)
                         (if (< (- after pos) (- pos before)) after before)
                       (or after before)))))
      (and best (cons best (+ best (length text)))))))

(defun roam-semantic-links--id (pos)
  "Return the id of the node at POS, or the name of the file."
  (or (org-with-wide-buffer
       (goto-char pos)
       (org-entry-get nil "ID" t))
      (buffer-file-name)))

(defun roam-semantic-links--hash ()
  "Return the SHA-1 of the bytes of the visited file, or nil."
  (when (file-readable-p (buffer-file-name))
    (let ((file (buffer-file-name)))
      (with-temp-buffer
        (set-buffer-multibyte nil)
        (insert-file-contents-literally file)
        (secure-hash 'sha1 (current-buffer))))))

(defun roam-semantic-links--leave-block ()
  "If point is in a table or at the end of a block, open a line below it."
  (when (save-excursion (beginning-of-line) (looking-at-p "[ \t]*\\(?:|\\|#\\+\\)"))
    (while (and (looking-at-p ".*\n[ \t]*|") (zerop (forward-line))))
    (end-of-line)
    (insert "\n")))

(provide 'roam-semantic-links-place)
;;; roam-semantic-links-place.el ends here
