;;; lint.el --- Fail when package-lint finds something  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; emacs --batch -f package-activate-all -l tests/elisp/lint.el FILE...
;; Its own batch command wants the archives; what is installed will do.

;;; Code:

(require 'package)

(defconst lint-pardoned
  '("should have a Homepage or URL header"  ; it is not published yet
    "should rarely be used in packages"     ; embark may be loaded after us
    "uninstallable in all released Emacs")  ; package-lint 0.16 is older than Emacs 28.1
  "Findings that are no fault of ours.")

(defun lint-file (file)
  "Print what package-lint finds in FILE and return how much it is."
  (with-current-buffer (find-file-noselect file)
    (let ((found 0))
      (pcase-dolist (`(,line ,column ,kind ,text) (package-lint-buffer))
        (unless (seq-some (lambda (pardoned) (string-search pardoned text)) lint-pardoned)
          (setq found (1+ found))
          (message "%s:%s:%s: %s: %s" file line column kind text)))
      found)))

(if (not (require 'package-lint nil t))
    (progn (message "package-lint is not installed: not run") (kill-emacs 0))
  (setq package-archive-contents (copy-sequence package-alist)
        package-lint-main-file
        (seq-find (lambda (file) (string-suffix-p "/roam-semantic.el" file))
                  command-line-args-left))
  (unless package-alist
    (package-initialize)
    (setq package-archive-contents (copy-sequence package-alist)))
  (let ((found (apply #'+ (mapcar #'lint-file command-line-args-left))))
    (setq command-line-args-left nil)
    (message "package-lint: %d findings" found)
    (kill-emacs (if (zerop found) 0 1))))

;;; lint.el ends here
