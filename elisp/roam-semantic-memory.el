;;; roam-semantic-memory.el --- What you decided, kept for good  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; A link you do not want suggested again, a related note you pinned or
;; hid: decisions of yours about two things, each named by a string (the
;; id of a node, or a text).  They are no part of the index, which may be
;; thrown away, and lie in one readable file.

;;; Code:

(require 'cl-lib)
(require 'subr-x)
(require 'roam-semantic)

(defcustom roam-semantic-memory-file
  (locate-user-emacs-file "roam-semantic/memory.eld")
  "File that keeps what you pinned, hid and dismissed."
  :type 'file
  :group 'roam-semantic
  :package-version '(roam-semantic . "0.1.0"))

(defvar roam-semantic-memory--table nil
  "Table with a key (KIND A B) for each decision; nil until it is read.")

(defvar roam-semantic-memory--read-from nil
  "File `roam-semantic-memory--table' was read from, and its time then.")

(defun roam-semantic-memory-p (kind a b)
  "Return non-nil if KIND, a symbol, was decided about the strings A and B."
  (gethash (list kind a b) (roam-semantic-memory--read)))

(defun roam-semantic-memory-add (kind a b)
  "Decide KIND, a symbol, about the strings A and B, and keep that."
  (puthash (list kind (substring-no-properties a) (substring-no-properties b))
           t (roam-semantic-memory--read))
  (roam-semantic-memory--write))

(defun roam-semantic-memory-remove (kind a b)
  "Forget that KIND, a symbol, was decided about the strings A and B."
  (remhash (list kind a b) (roam-semantic-memory--read))
  (roam-semantic-memory--write))

(defun roam-semantic-memory-all (kind a)
  "Return every B about which, with the string A, KIND was decided."
  (let (found)
    (maphash (lambda (key _)
               (when (and (eq kind (nth 0 key)) (equal a (nth 1 key)))
                 (push (nth 2 key) found)))
             (roam-semantic-memory--read))
    (sort found #'string<)))

(defun roam-semantic-memory--stamp ()
  "Return the name of the file and when it was changed last."
  (list roam-semantic-memory-file
        (file-attribute-modification-time (file-attributes roam-semantic-memory-file))))

(defun roam-semantic-memory--read ()
  "Return the table, read again if another Emacs has written the file."
  (let ((stamp (roam-semantic-memory--stamp)))
    (unless (and roam-semantic-memory--table
                 (equal stamp roam-semantic-memory--read-from))
      (setq roam-semantic-memory--table (make-hash-table :test #'equal)
            roam-semantic-memory--read-from stamp)
      (dolist (key (roam-semantic-memory--keys))
        (puthash key t roam-semantic-memory--table))))
  roam-semantic-memory--table)

(defun roam-semantic-memory--keys ()
  "Return the list of keys in the file; a file that cannot be read is set aside."
  (when (file-exists-p roam-semantic-memory-file)
    (condition-case nil
        (with-temp-buffer
          (let ((coding-system-for-read 'utf-8-emacs-unix))
            (insert-file-contents roam-semantic-memory-file))
          (cl-remove-if-not #'consp (read (current-buffer))))
      (error
       (rename-file roam-semantic-memory-file (concat roam-semantic-memory-file ".broken") t)
       (message "%s could not be read and is kept as %s.broken"
                roam-semantic-memory-file roam-semantic-memory-file)
       nil))))

(defun roam-semantic-memory--write ()
  "Write the table, one decision a line, all of it or nothing."
  (make-directory (file-name-directory roam-semantic-memory-file) t)
  (let ((new (make-temp-name (concat roam-semantic-memory-file ".")))
        (coding-system-for-write 'utf-8-emacs-unix)
        (print-length nil) (print-level nil) keys)
    (maphash (lambda (key _) (push (prin1-to-string key) keys)) roam-semantic-memory--table)
    (with-temp-file new
      (insert ";; Decisions of yours about notes, kept by roam-semantic.\n(")
      (insert (string-join (sort keys #'string<) "\n ") ")\n"))
    (rename-file new roam-semantic-memory-file t)
    (setq roam-semantic-memory--read-from (roam-semantic-memory--stamp))))

(provide 'roam-semantic-memory)
;;; roam-semantic-memory.el ends here
