;;; roam-semantic-index.el --- Index the notes from Emacs  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; `roam-semantic-index' runs in the server; Emacs shows how far it is and
;; stays free.  The quit key cancels the run as long as its progress is
;; what the key is most likely about: nothing is being typed in the
;; minibuffer, searched for or selected.

;;; Code:

(require 'cl-lib)
(require 'roam-semantic)
(require 'roam-semantic-client)

(defvar roam-semantic-index--running nil
  "Id of the index run under way, or nil.")

(defvar isearch-mode)

(defvar roam-semantic-index--map
  (let ((map (make-sparse-keymap)))
    (define-key map [remap keyboard-quit]
                '(menu-item "" roam-semantic-index-cancel
                            :filter roam-semantic-index--quit-key))
    map)
  "Keys while an index run is under way.")

(defun roam-semantic-index (&optional force)
  "Bring the index up to date with the notes, without keeping Emacs waiting.
With a prefix argument, FORCE, rebuild it from the beginning.  Progress
is shown in the echo area.  \\[keyboard-quit] cancels the run, unless you
are typing in the minibuffer, searching or selecting; there
\\[roam-semantic-cancel] does."
  (interactive "P")
  (when roam-semantic-index--running
    (user-error "An index run is under way; M-x roam-semantic-cancel ends it"))
  (roam-semantic-index--show "Indexing: looking for changes...")
  (setq roam-semantic-index--running
        (with-current-buffer (get-buffer-create "*Messages*") ; a buffer that stays
          (roam-semantic-request 'index (list :force (and force t))
                                 :progress #'roam-semantic-index--progress
                                 :callback #'roam-semantic-index--done
                                 :errback #'roam-semantic-index--failed)))
  (set-transient-map roam-semantic-index--map
                     (lambda () roam-semantic-index--running)))

(defun roam-semantic-index-cancel ()
  "Cancel the index run under way."
  (interactive)
  (if roam-semantic-index--running
      (roam-semantic-cancel-request roam-semantic-index--running)
    (user-error "No index run is under way")))

(defun roam-semantic-index--quit-key (command)
  "Return COMMAND if the quit key means the run and not something nearer.
The echo area cannot be asked: a key clears it before it is looked up."
  (and roam-semantic-index--running
       (not (active-minibuffer-window))
       (not (region-active-p))
       (not isearch-mode)
       (zerop (recursion-depth))
       command))

(defun roam-semantic-index--show (text)
  "Show TEXT in the echo area unless somebody types in the minibuffer."
  (unless (active-minibuffer-window)
    (let ((message-log-max nil))
      (message "%s" text))))

(defun roam-semantic-index--progress (report)
  "Show REPORT, the plist (:done :total :phase :rate :left-s)."
  (when roam-semantic-index--running
    (roam-semantic-index--show (roam-semantic-index-progress-text report))))

(defun roam-semantic-index-progress-text (report)
  "Return a line about REPORT: what is done, of how much, how fast, until when."
  (let* ((done (or (plist-get report :done) 0))
         (total (or (plist-get report :total) 0))
         (rate (or (plist-get report :rate) 0))
         (left (plist-get report :left-s)))
    (concat "Indexing"
            (and (plist-get report :phase) (format ", %s" (plist-get report :phase)))
            (if (zerop total)
                "..."
              (format ": %s of %s (%d%%)" (roam-semantic-index--number done)
                      (roam-semantic-index--number total) (/ (* 100 done) total)))
            (and (> rate 0) (format ", %.0f/s" rate))
            (and left (format ", %s left" (roam-semantic-index--duration left))))))

(defun roam-semantic-index--done (answer)
  "Show ANSWER of a run that has ended."
  (setq roam-semantic-index--running nil)
  (message "%s" (roam-semantic-index-summary answer)))

(defun roam-semantic-index-summary (answer)
  "Return a sentence about ANSWER, the plist that `index' gives."
  (let ((skipped (length (plist-get answer :skipped)))
        (failed (length (plist-get answer :failed))))
    (concat
     (if (equal "running" (plist-get answer :state)) "Indexing goes on: " "Indexed ")
     (format "%s files, %s notes, %s passages (%s embedded, %s from the cache) in %s"
             (roam-semantic-index--number (plist-get answer :files))
             (roam-semantic-index--number (plist-get answer :nodes))
             (roam-semantic-index--number (plist-get answer :units))
             (roam-semantic-index--number (plist-get answer :embedded))
             (roam-semantic-index--number (plist-get answer :from-cache))
             (roam-semantic-index--duration (plist-get answer :seconds)))
     (and (> skipped 0) (format "; %d files skipped" skipped))
     (and (> failed 0)
          (format "; %d passages failed, M-x roam-semantic-doctor says why" failed)))))

(defun roam-semantic-index--failed (condition)
  "Show CONDITION, with which a run has ended."
  (setq roam-semantic-index--running nil)
  (message "%s" (if (eq 'roam-semantic-cancelled (car condition))
                    "Indexing cancelled; what is done is kept"
                  (roam-semantic-errors-text condition))))

(defun roam-semantic-stats ()
  "Show how many notes, links and passages the index has."
  (interactive)
  (message "%s" (roam-semantic-index-stats-text (roam-semantic-ask 'index-stats nil))))

(defun roam-semantic-index-stats-text (stats)
  "Return a sentence about STATS, the plist that `index-stats' gives."
  (let ((index (plist-get stats :index)))
    (concat
     (format "%s files, %s notes, %s links, %s passages (%s indexed, %s to do)"
             (roam-semantic-index--number (plist-get stats :files))
             (roam-semantic-index--number (plist-get stats :nodes))
             (roam-semantic-index--number (plist-get stats :links))
             (roam-semantic-index--number (plist-get stats :units))
             (roam-semantic-index--number (plist-get index :indexed))
             (roam-semantic-index--number (plist-get index :pending)))
     (and (plist-get stats :model) (format ", model %s" (plist-get stats :model)))
     (and (plist-get stats :index-bytes)
          (format ", %s" (file-size-human-readable (plist-get stats :index-bytes)))))))

(defun roam-semantic-index--number (number)
  "Return NUMBER, an integer or nil, with its thousands set apart."
  (let ((digits (number-to-string (or number 0))))
    (while (string-match "\\`\\([0-9]+\\)\\([0-9]\\{3\\}\\)\\(,\\|\\'\\)" digits)
      (setq digits (replace-match "\\1,\\2\\3" nil nil digits)))
    digits))

(defun roam-semantic-index--duration (seconds)
  "Return SECONDS, a number or nil, in words."
  (let ((seconds (or seconds 0)))
    (if (< seconds 10)
        (format "%.1f s" seconds)
      (format-seconds "%h h %m min %z%s s" seconds))))

(provide 'roam-semantic-index)
;;; roam-semantic-index.el ends here
