;;; full.el --- The completion packages people use  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; Loaded after init.el: vertico, marginalia and embark are on, consult is there.

;;; Code:

(dolist (package '(vertico marginalia embark consult))
  (require package))
(vertico-mode)
(marginalia-mode)
(setq vertico-count 8
      consult-narrow-key "<")
(global-set-key (kbd "C-c e") #'embark-act)
(define-key minibuffer-local-map (kbd "C-c e") #'embark-act)
(define-key vertico-map (kbd "C-c e") #'embark-act)

(provide 'full)
;;; full.el ends here
