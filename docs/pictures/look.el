;;; look.el --- How Emacs looks in the pictures  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; Loaded last by the Emacs of the pictures.

;;; Code:

(setq frame-background-mode 'light)
(mapc #'frame-set-background-mode (frame-list))
(menu-bar-mode -1)
(setq org-hide-emphasis-markers t
      mode-line-format '(" %b  " mode-line-misc-info minor-mode-alist))

(provide 'look)
;;; look.el ends here
