;;; roam-semantic-state.el --- How the index is, in words  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; What `roam-semantic-mode' heard last from the server, as the few
;; characters of the mode line and as the lines of its tooltip and of the
;; menu.  Nothing here asks the server.

;;; Code:

(require 'subr-x)
(require 'roam-semantic)
(require 'roam-semantic-errors)
(require 'roam-semantic-index)
(require 'roam-semantic-server)

(defvar roam-semantic-state-last nil
  "What is known of the index.
Nil: nothing, no server was asked.  The symbol starting: a server has
been started.  A condition (SYMBOL MESSAGE HINT): asking failed.  A plist
\(:state S :index …): the last answer of `watch'.")

(defun roam-semantic-state-lighter (state)
  "Return the text for the mode line about STATE.
STATE is as in `roam-semantic-state-last'."
  (cond
   ((null state) " RS-")
   ((eq 'starting state) " RS…")
   ((not (keywordp (car state))) " RS!")
   (t (let ((stale (or (plist-get (plist-get state :index) :stale-files) 0)))
        (pcase (plist-get state :state)
          ("indexing" (format " RS %d%%" (roam-semantic-state--percent state)))
          ("empty" " RS 0%")
          ("stale" (if (> stale 0) (format " RS~%d" stale) " RS~"))
          (_ " RS"))))))

(defun roam-semantic-state--percent (answer)
  "Return how much of the run under way is done, or else of the index.
ANSWER is the plist that `watch' gives.  100 is kept for what is done: a
run that has read all files has not embedded anything yet."
  (let* ((job (plist-get answer :job))
         (index (plist-get answer :index))
         (counts (if (< (or (plist-get job :done) 0) (or (plist-get job :total) 0))
                     (cons (plist-get job :done) (plist-get job :total))
                   (cons (plist-get index :indexed) (plist-get index :total)))))
    (min 99 (/ (* 100 (or (car counts) 0)) (max 1 (or (cdr counts) 0))))))

(defun roam-semantic-state-text ()
  "Return lines about the server and the index as they were told last."
  (string-join (cons (roam-semantic-state-server)
                     (roam-semantic-state--lines roam-semantic-state-last))
               "\n"))

(defun roam-semantic-state-server ()
  "Return a line about the server process of this Emacs."
  (let ((server roam-semantic-server-current))
    (format "Server: %s"
            (pcase (roam-semantic-server-state server)
              ('ready (format "ready, version %s" (roam-semantic-server-version server)))
              ('starting "starting")
              (_ "not running; the next question starts it")))))

(defun roam-semantic-state--lines (state)
  "Return the list of lines about STATE, as in `roam-semantic-state-last'."
  (cond
   ((null state) '("Index: not asked yet"))
   ((eq 'starting state) '("Index: known once the server is ready"))
   ((not (keywordp (car state)))
    (list (concat "Failed: " (roam-semantic-errors-text state))))
   ((equal "empty" (plist-get state :state))
    (list "Index: empty; M-x roam-semantic-index reads the notes"))
   (t (delq nil (append (roam-semantic-state--index (plist-get state :index))
                        (list (roam-semantic-state--job (plist-get state :job))
                              (roam-semantic-state--message state)))))))

(defun roam-semantic-state--index (index)
  "Return the list of lines about INDEX, a plist of counts; some may be nil."
  (let ((count (lambda (key) (or (plist-get index key) 0)))
        (number (lambda (key) (roam-semantic-index--number (plist-get index key)))))
    (list
     (format "Index: %s of %s passages%s%s"
             (funcall number :indexed) (funcall number :total)
             (if (zerop (funcall count :pending)) ""
               (format ", %s to do" (funcall number :pending)))
             (if (zerop (funcall count :failed)) ""
               (format ", %s failed" (funcall number :failed))))
     (unless (zerop (funcall count :stale-files))
       (format "%s files are newer than the index" (funcall number :stale-files)))
     (concat (if (plist-get index :model)
                 (format "Model: %s" (plist-get index :model))
               "Model: none, words only")
             (and (plist-get index :age-s)
                  (format "; files looked at %s before this was told"
                          (roam-semantic-index--duration (plist-get index :age-s))))))))

(defun roam-semantic-state--job (job)
  "Return a line about JOB, the run under way as a plist, or nil."
  (and job (roam-semantic-index-progress-text job)))

(defun roam-semantic-state--message (answer)
  "Return what the server says beside the counts of ANSWER, or nil."
  (let ((message (or (plist-get answer :message) "")))
    (unless (string-empty-p message)
      (concat (upcase (substring message 0 1)) (substring message 1)))))

(provide 'roam-semantic-state)
;;; roam-semantic-state.el ends here
