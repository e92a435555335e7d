;;; checkdoc.el --- Fail when checkdoc finds something  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; emacs --batch -l tests/elisp/checkdoc.el FILE...
;; `checkdoc-file' prints its findings and returns as if there were none.

;;; Code:

(require 'checkdoc)

(let ((found 0)
      (checkdoc-verb-check-experimental-flag nil)
      (checkdoc-create-error-function
       (lambda (text start _end &optional _unfixable)
         (message "%s:%s: %s" (buffer-file-name) (line-number-at-pos start) text)
         nil)))
  (let ((report checkdoc-create-error-function))
    (setq checkdoc-create-error-function
          (lambda (&rest arguments)
            (setq found (1+ found))
            (apply report arguments)))
    (dolist (file command-line-args-left)
      (with-current-buffer (find-file-noselect file)
        (let ((checkdoc-diagnostic-buffer "*style*"))
          (checkdoc-current-buffer t))))
    (setq command-line-args-left nil)
    (message "checkdoc: %d findings" found)
    (kill-emacs (if (zerop found) 0 1))))

;;; checkdoc.el ends here
