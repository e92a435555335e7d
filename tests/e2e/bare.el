;;; bare.el --- Nothing is set but what a new user sets  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; E2E_MORE=bare.el: no Python is named, so the package must install one.

;;; Code:

(setq roam-semantic-python nil
      user-emacs-directory (e2e-file "bare emacs/"))

(provide 'bare)
;;; bare.el ends here
