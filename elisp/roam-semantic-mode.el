;;; roam-semantic-mode.el --- Keep the index fresh, and say how it is  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; `roam-semantic-mode' does two things, and waits for neither:
;;
;;   - after a save in the vault it asks the server to `refresh': at most
;;     one such request is under way, and one more follows it;
;;   - it keeps a `watch' open: a request that is answered as soon as
;;     something changes.  While somebody watches, the server notices what
;;     happens to the files outside Emacs, renames and deletions too, so
;;     nothing of Emacs' is advised.
;;
;; The lighter says what the last answer said:
;;
;;   RS-    no server runs            RS      all is indexed
;;   RS…    the server starts         RS~3    3 files are newer than the index
;;   RS 42% passages are indexed      RS!     something failed, see the tooltip
;;
;; When the server is not there, the next try comes after 1, 2, 4 … 60
;; seconds.  How often a server may be started is decided where it is
;; started: see `roam-semantic-restart-limit'.

;;; Code:

(require 'cl-lib)
(require 'easymenu)
(require 'roam-semantic)
(require 'roam-semantic-client)
(require 'roam-semantic-errors)
(require 'roam-semantic-program)
(require 'roam-semantic-server)
(require 'roam-semantic-state)

(defvar org-roam-directory)
(defvar org-roam-db-location)

(defcustom roam-semantic-mode-start-idle-s 5
  "Seconds Emacs must be idle until `roam-semantic-mode' starts the server.
A save in the vault starts it at once.  Nil means that only such a save,
or a command that asks the server something, does."
  :type '(choice number (const :tag "At the first save or command" nil))
  :group 'roam-semantic
  :package-version '(roam-semantic . "0.1.0"))

(defconst roam-semantic-mode--save-idle-s 0.2
  "Seconds Emacs must be idle after a save until the server hears of it.")

(defconst roam-semantic-mode--watch-s 30
  "Seconds the server waits for a change until it answers all the same.")

(defconst roam-semantic-mode--deadline-s 60
  "Seconds after which a request that was not answered has failed.
More than `roam-semantic-mode--watch-s' and the server's start.")

(defconst roam-semantic-mode--look-s 5
  "Seconds between two looks whether a server has been started again.")

(defconst roam-semantic-mode--longest-pause-s 60
  "Most seconds between two tries to reach a server that is not there.")

(cl-defstruct roam-semantic-mode--life
  "What the mode is doing, from being turned on to being turned off.
watch, refresh: ids of the requests under way, or nil.  again: non-nil
if something was saved since the refresh was asked for.  saved: files
saved that the server has not heard of.  save-timer, watch-timer: what
is to come, or nil.  rests: non-nil means that this does not start the
server, something else does.  failures: how many tries have failed in a
row.  seen: token of the last answer."
  watch refresh again saved save-timer watch-timer rests (failures 0) (seen ""))

(defvar roam-semantic-mode--now nil
  "The `roam-semantic-mode--life' of the mode, or nil while it is off.")

(defvar roam-semantic-mode-lighter " RS-"
  "What the mode line shows.")
;; Without this the mode line would drop the tooltip and the menu.
(put 'roam-semantic-mode-lighter 'risky-local-variable t)

;;;###autoload
(define-minor-mode roam-semantic-mode
  "Keep the index of your notes up to date while you write.
A note that is saved is found a moment later, and so is one that
something else than Emacs has changed.  The mode line says how the index
is; its tooltip tells more, and its menu has the commands.

Nothing here makes Emacs wait.  Once org-roam is loaded, which is left to
you, the server is started when Emacs has been idle for
`roam-semantic-mode-start-idle-s' seconds."
  :global t
  :group 'roam-semantic
  :lighter roam-semantic-mode-lighter
  (roam-semantic-mode--end)
  (when roam-semantic-mode
    (roam-semantic-mode--begin)))

(defun roam-semantic-mode--begin ()
  "Notice saves, and watch once Emacs is idle."
  (setq roam-semantic-mode--now (make-roam-semantic-mode--life))
  ;; Behind org-roam's own update of its database.
  (add-hook 'after-save-hook #'roam-semantic-mode--saved 90)
  (roam-semantic-mode--show nil)
  (cond
   ((not (eq 'stopped (roam-semantic-server-state roam-semantic-server-current)))
    (roam-semantic-mode--watch-after 0))
   (roam-semantic-mode-start-idle-s
    (setf (roam-semantic-mode--life-watch-timer roam-semantic-mode--now)
          (run-with-idle-timer roam-semantic-mode-start-idle-s nil
                               #'roam-semantic-mode--watch roam-semantic-mode--now)))
   (t (setf (roam-semantic-mode--life-rests roam-semantic-mode--now) t)
      (roam-semantic-mode--look-later roam-semantic-mode--now))))

(defun roam-semantic-mode--end ()
  "Leave neither hook nor timer nor request behind."
  (remove-hook 'after-save-hook #'roam-semantic-mode--saved)
  (when-let* ((life roam-semantic-mode--now))
    ;; First: requests that end now must not begin others.
    (setq roam-semantic-mode--now nil)
    (dolist (timer (list (roam-semantic-mode--life-save-timer life)
                         (roam-semantic-mode--life-watch-timer life)))
      (when timer
        (cancel-timer timer)))
    (dolist (id (list (roam-semantic-mode--life-watch life)
                      (roam-semantic-mode--life-refresh life)))
      (when id
        (roam-semantic-cancel-request id)))))

(defun roam-semantic-mode--ask (life operation arguments done failed)
  "Ask for OPERATION with ARGUMENTS on behalf of LIFE; return the id.
DONE gets the result, FAILED the condition; neither is called once LIFE
is over."
  (let ((wanted (lambda (function)
                  (lambda (value)
                    (when (eq life roam-semantic-mode--now)
                      (funcall function value))))))
    (with-current-buffer (get-buffer-create "*Messages*") ; a buffer that stays
      (pcase-let* ((`(,vault ,database) (roam-semantic-mode--place))
                   (org-roam-directory vault)
                   (org-roam-db-location database))
        (roam-semantic-request operation arguments
                               :callback (funcall wanted done)
                               :errback (funcall wanted failed)
                               :deadline-s roam-semantic-mode--deadline-s)))))

(defun roam-semantic-mode--place ()
  "Return the list (VAULT DATABASE) of the server, or of the one to start.
A server that runs may be of a vault that only some buffers have; to ask
it for another one would end it."
  (or (and (not (eq 'stopped (roam-semantic-server-state roam-semantic-server-current)))
           (roam-semantic-server-place roam-semantic-server-current))
      (list (roam-semantic-program-vault) (roam-semantic-program-database))))

;;; Saves

(defun roam-semantic-mode--saved ()
  "Note that the current buffer was saved; all else is done when idle."
  (when-let* ((file buffer-file-name)
              (life roam-semantic-mode--now))
    (when (string-suffix-p ".org" file)
      (cl-pushnew file (roam-semantic-mode--life-saved life) :test #'equal)
      (unless (roam-semantic-mode--life-save-timer life)
        (setf (roam-semantic-mode--life-save-timer life)
              (run-with-idle-timer roam-semantic-mode--save-idle-s nil
                                   #'roam-semantic-mode--tell life))))))

(defun roam-semantic-mode--tell (life)
  "Have the server look at the files if one of those LIFE has noted matters."
  (let ((vault (and (featurep 'org-roam) (car (roam-semantic-mode--place))))
        (saved (roam-semantic-mode--life-saved life)))
    (setf (roam-semantic-mode--life-save-timer life) nil
          (roam-semantic-mode--life-saved life) nil)
    (when (and vault
               (not (file-remote-p vault))
               (cl-some (lambda (file)
                          (and (not (file-remote-p file)) (file-in-directory-p file vault)))
                        saved))
      (roam-semantic-mode--refresh life))))

(defun roam-semantic-mode--refresh (life)
  "Ask the server to look at the files, now or after the look under way in LIFE."
  (if (roam-semantic-mode--life-refresh life)
      (setf (roam-semantic-mode--life-again life) t)
    (setf (roam-semantic-mode--life-again life) nil
          (roam-semantic-mode--life-refresh life)
          (roam-semantic-mode--ask
           life 'refresh nil
           (lambda (_answer)
             (setf (roam-semantic-mode--life-refresh life) nil)
             (when (roam-semantic-mode--life-again life)
               (roam-semantic-mode--refresh life)))
           ;; What is wrong shows in the watch; once that works again, the
           ;; server looks at the files by itself.
           (lambda (_condition)
             (setf (roam-semantic-mode--life-refresh life) nil)))))
  (unless (or (roam-semantic-mode--life-watch life)
              (> (roam-semantic-mode--life-failures life) 0))
    (roam-semantic-mode--watch-after 0)))

;;; The watch

(defun roam-semantic-mode--watch-after (seconds)
  "Watch in SECONDS, instead of what was to come."
  (let ((life roam-semantic-mode--now))
    (roam-semantic-mode--forget-timer life)
    (setf (roam-semantic-mode--life-watch-timer life)
          (run-at-time seconds nil #'roam-semantic-mode--watch life))))

(defun roam-semantic-mode--forget-timer (life)
  "Cancel the timer of LIFE after which it would watch."
  (when (roam-semantic-mode--life-watch-timer life)
    (cancel-timer (roam-semantic-mode--life-watch-timer life))
    (setf (roam-semantic-mode--life-watch-timer life) nil)))

(defun roam-semantic-mode--watch (life)
  "Ask the server to tell when something changes, unless LIFE does so already."
  (roam-semantic-mode--forget-timer life)
  (cond
   ((roam-semantic-mode--life-watch life))
   ;; To load it takes a second; a timer must not do that to who types.
   ((not (featurep 'org-roam))
    (roam-semantic-mode--look-later life))
   (t
    (unless (eq 'ready (roam-semantic-server-state roam-semantic-server-current))
      ;; What another process has told must not keep this one from telling.
      (setf (roam-semantic-mode--life-seen life) "")
      (when (zerop (roam-semantic-mode--life-failures life))
        (roam-semantic-mode--show 'starting)))
    (setf (roam-semantic-mode--life-watch life)
          (roam-semantic-mode--ask
           life 'watch (list :seen (roam-semantic-mode--life-seen life)
                             :seconds roam-semantic-mode--watch-s)
           (lambda (answer) (roam-semantic-mode--changed life answer))
           (lambda (condition) (roam-semantic-mode--failed life condition)))))))

(defun roam-semantic-mode--changed (life answer)
  "Show ANSWER, the plist that `watch' gives, and go on watching for LIFE."
  (setf (roam-semantic-mode--life-rests life) nil
        (roam-semantic-mode--life-watch life) nil
        (roam-semantic-mode--life-failures life) 0
        (roam-semantic-mode--life-seen life) (plist-get answer :seen))
  (roam-semantic-mode--show answer)
  (roam-semantic-mode--watch-after 0))

(defun roam-semantic-mode--failed (life condition)
  "Act on CONDITION, with which the watch of LIFE has ended.
Try again, later each time.  A server that somebody stopped is left
alone until something else starts it."
  (setf (roam-semantic-mode--life-watch life) nil)
  (cond
   ((not (eq 'roam-semantic-cancelled (car condition)))
    (cl-incf (roam-semantic-mode--life-failures life))
    (roam-semantic-mode--show condition)
    (roam-semantic-mode--watch-after
     (roam-semantic-mode--pause-s (roam-semantic-mode--life-failures life))))
   ((eq 'stopped (roam-semantic-server-state roam-semantic-server-current))
    (setf (roam-semantic-mode--life-rests life) t)
    (roam-semantic-mode--show nil)
    (roam-semantic-mode--look-later life))
   (t (roam-semantic-mode--watch-after 1))))

(defun roam-semantic-mode--pause-s (failures)
  "Return how many seconds to wait after so many FAILURES in a row."
  ;; Bounded first: a night without a server must not make a bignum.
  (min roam-semantic-mode--longest-pause-s (expt 2 (1- (min failures 10)))))

(defun roam-semantic-mode--look-later (life)
  "Watch for LIFE again once something else has started the server."
  (setf (roam-semantic-mode--life-watch-timer life)
        (run-at-time roam-semantic-mode--look-s nil #'roam-semantic-mode--look life)))

(defun roam-semantic-mode--look (life)
  "Watch for LIFE if a server is there, else look again later."
  (if (and (eq 'stopped (roam-semantic-server-state roam-semantic-server-current))
           (roam-semantic-mode--life-rests life))
      (roam-semantic-mode--look-later life)
    (roam-semantic-mode--watch life)))

;;; The mode line

(defvar roam-semantic-mode-line-map
  (let ((map (make-sparse-keymap)))
    (define-key map [mode-line mouse-1] 'roam-semantic-mode-menu) ; defined below
    map)
  "Keys on the lighter of `roam-semantic-mode'.")

(easy-menu-define roam-semantic-mode-menu nil
  "Menu of the lighter of `roam-semantic-mode'."
  '("Notes by meaning"
    ["Find..." roam-semantic-find]
    ["Find into a buffer..." roam-semantic-search-buffer]
    ["Related to point" roam-semantic-related-mode]
    "--"
    ["Bring the index up to date" roam-semantic-index]
    ["Cancel" roam-semantic-cancel]
    ["Statistics" roam-semantic-stats]
    "--"
    ["Doctor" roam-semantic-doctor]
    ["Log of the server" roam-semantic-show-log]
    ["Restart the server" roam-semantic-restart]
    ["All commands..." roam-semantic-menu]
    ["Turn this mode off" (roam-semantic-mode -1)]))

(defun roam-semantic-mode--show (state)
  "Remember STATE and show it; draw the mode lines only if they change.
STATE is as in `roam-semantic-state-last'."
  (setq roam-semantic-state-last state)
  (let ((lighter (propertize (roam-semantic-state-lighter state)
                             'help-echo #'roam-semantic-mode--tooltip
                             'mouse-face 'mode-line-highlight
                             'local-map roam-semantic-mode-line-map)))
    (unless (equal-including-properties lighter roam-semantic-mode-lighter)
      (setq roam-semantic-mode-lighter lighter)
      (force-mode-line-update t))))

(defun roam-semantic-mode--tooltip (&rest _)
  "Return what the tooltip of the lighter says now."
  (concat (roam-semantic-state-text) "\nmouse-1: menu"))

(provide 'roam-semantic-mode)
;;; roam-semantic-mode.el ends here
