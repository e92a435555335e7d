;;; org_roam.el --- Drive a real org-roam in batch  -*- lexical-binding: t -*-

;;; Commentary:

;; Usage: emacs --batch -l org_roam.el -- VAULT DATABASE ACTION [ARGUMENT…]
;; Actions: sync, force, saves N.  Prints "ERRORS n" last.

;;; Code:

(package-activate-all)
(require 'org-roam)

(defvar chaos-errors 0 "How many calls of org-roam's signalled an error.")

(defmacro chaos-counted (&rest body)
  "Run BODY; count an error instead of ending."
  `(condition-case err
       (progn ,@body)
     (error (setq chaos-errors (1+ chaos-errors))
            (message "ERROR %S" err))))

(defun chaos-save (file text)
  "Append TEXT to FILE in a buffer and save it, as a person does."
  (with-current-buffer (find-file-noselect file)
    (goto-char (point-max))
    (insert text)
    (save-buffer)
    (kill-buffer)))

(defun chaos-write (file text)
  "Append TEXT to FILE outside every buffer, as another program does."
  (append-to-file text nil file))

(defun chaos-run (rounds)
  "Save two files and sync five changed ones, ROUNDS times."
  (let ((files (directory-files-recursively org-roam-directory "\\.org\\'")))
    (org-roam-db-autosync-mode 1)
    (dotimes (round rounds)
      (dotimes (n 2)
        (chaos-counted
         (chaos-save (nth (mod (+ round (* 7 n)) (length files)) files)
                     (format "Saved in round %d, number %d.\n" round n))))
      (dotimes (n 5)
        (chaos-write (nth (mod (+ 20 (* 5 round) n) (length files)) files)
                     (format "Changed outside in round %d, number %d.\n" round n)))
      (chaos-counted (org-roam-db-sync)))))

(pcase-let ((`(,vault ,database ,action . ,rest) (cdr (member "--" command-line-args))))
  (setq command-line-args-left nil
        make-backup-files nil
        create-lockfiles nil
        org-roam-directory vault
        org-roam-db-location database
        org-id-locations-file (concat database ".ids")
        org-roam-db-update-on-save t)
  (pcase action
    ("sync" (chaos-counted (org-roam-db-sync)))
    ("force" (chaos-counted (org-roam-db-sync 'force)))
    ("saves" (chaos-run (string-to-number (car rest))))))

(princ (format "ERRORS %d\n" chaos-errors))

;;; org_roam.el ends here
