;;; roam-semantic-placement.el --- The index in org-roam's own database  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; In shared placement the tables of the index are in org-roam's own
;; database file, and the server writes there only while org-roam does
;; not.  SQLite's locks cannot see to that: a writer that meets org-roam
;; in the middle of its transaction makes a sync fail, or lose updates
;; in silence.  So every function by which org-roam writes is advised to
;; take its turn by folders in DATABASE.gate, which are made atomically:
;;
;;   emacs-PID   this Emacs takes turns: its server may write
;;   pause-PID   this Emacs writes, or is about to
;;   busy-PID    that process of ours is in a transaction, or about to be
;;
;; Emacs makes its pause, waits while a busy is there, writes, and removes
;; the pause.  The server makes its busy, looks for a pause, and writes if
;; there is none.  Each makes its own before it looks for the other's, so
;; whoever comes second sees the first.  Nothing is sent and nothing is
;; answered: no message can be late, and a server that is stopped outside
;; of a transaction meets the pause when it goes on.
;;
;; A transaction of ours takes a few milliseconds.  One that is not over
;; after `roam-semantic-placement-patience-ms' belongs to a process that
;; is dead (its busy is removed), stopped (it is killed), or slow.  SQLite
;; would keep org-roam waiting for a slow one, or fail it; so it is waited
;; for until `roam-semantic-placement-limit-ms' and killed then.  To kill it
;; frees its locks at once, and SQLite takes back what it had begun.

;;; Code:

(require 'cl-lib)
(require 'roam-semantic)

(defvar org-roam-db-location)

(declare-function org-roam-db--get-connection "ext:org-roam-db")
(declare-function emacsql-live-p "ext:emacsql")

(defcustom roam-semantic-index-placement 'sibling
  "Where the index of the notes is.
`sibling': in a file of its own beside org-roam's database.
`shared': in org-roam's own database, so that one file is graph and
vectors.  Org-roam then waits a few milliseconds for the index now and
then, and every Emacs that writes that database must have this set.
A change takes effect when the server is started again."
  :type '(choice (const :tag "A file of its own beside org-roam's" sibling)
                 (const :tag "Inside org-roam's database" shared))
  :group 'roam-semantic
  :package-version '(roam-semantic . "0.1.0"))

(defcustom roam-semantic-placement-patience-ms 50
  "Milliseconds after which a server that keeps org-roam waiting is looked at.
One that is dead or stopped is not waited for any longer.  Only matters
when `roam-semantic-index-placement' is shared."
  :type 'natnum
  :group 'roam-semantic
  :package-version '(roam-semantic . "0.1.0"))

(defcustom roam-semantic-placement-limit-ms 2000
  "Milliseconds after which a server that keeps org-roam waiting is killed.
Only matters when `roam-semantic-index-placement' is shared."
  :type 'natnum
  :group 'roam-semantic
  :package-version '(roam-semantic . "0.1.0"))

(defconst roam-semantic-placement--writers
  '(org-roam-db-sync org-roam-db-update-file org-roam-db-clear-file org-roam-db-clear-all)
  "The functions by which org-roam writes into its database.")

(defconst roam-semantic-placement--ours
  (rx (or "roam_semantic" (seq "roam-semantic " (or "epc" "jsonrpc"))))
  "Regexp for the command line of a process of ours.
What does not match is never killed.")

(defvar roam-semantic-placement--depth 0
  "How many writes of org-roam are under way, one inside the other.")

(defvar roam-semantic-placement--killed nil
  "The numbers of the processes that were killed while this write waited.")

(defvar roam-semantic-placement--gates nil
  "The gates at which this Emacs takes turns, as folders.")

;;; The gate

(defun roam-semantic-placement-gate ()
  "Return the folder in which turns at org-roam's database are taken."
  (file-name-as-directory (concat (expand-file-name org-roam-db-location) ".gate")))

(defun roam-semantic-placement--mark (gate kind)
  "Return the folder in GATE with which this Emacs marks KIND."
  (concat gate kind "-" (number-to-string (emacs-pid))))

(defun roam-semantic-placement--make (folder)
  "Make FOLDER; return non-nil unless that cannot be done.
One that is there already was left by a process of the same number."
  (condition-case nil
      (progn (make-directory folder t) t)
    (file-error nil)))

(defun roam-semantic-placement--remove (folder)
  "Remove the empty FOLDER, if it is there."
  (let ((delete-by-moving-to-trash nil))
    (ignore-errors (delete-directory folder))))

;;; Pausing

(defun roam-semantic-placement--around (write &rest arguments)
  "Call WRITE, a function of org-roam's, with ARGUMENTS while our server is out."
  (let ((gate (roam-semantic-placement-gate)))
    (if (or (> roam-semantic-placement--depth 0)
            (not (file-directory-p gate)))
        (apply write arguments)
      (let ((pause (roam-semantic-placement--mark gate "pause"))
            (roam-semantic-placement--depth 1))
        (unwind-protect
            (progn
              (roam-semantic-placement--make pause)
              (roam-semantic-placement--await gate)
              (apply write arguments))
          (roam-semantic-placement--remove pause))))))

(defun roam-semantic-placement--around-open (open &rest arguments)
  "Call OPEN, that is `org-roam-db', with ARGUMENTS, while our server is out.
It makes or upgrades the database, but only when it is not open yet."
  (let ((connection (org-roam-db--get-connection)))
    (if (and connection (emacsql-live-p connection))
        (apply open arguments)
      (apply #'roam-semantic-placement--around open arguments))))

(defun roam-semantic-placement--await (gate)
  "Wait until no process is in a transaction at GATE, or cannot go on with it."
  (when (roam-semantic-placement--busy gate)
    (let* ((roam-semantic-placement--killed nil)
           (start (float-time))
           (patience (+ start (/ roam-semantic-placement-patience-ms 1000.0)))
           (limit (+ start (/ roam-semantic-placement-limit-ms 1000.0)))
           ;; To wait on it lets neither timers nor other processes in.
           (bell (make-pipe-process :name "roam-semantic pause" :noquery t
                                    :buffer nil :filter #'ignore :sentinel #'ignore)))
      (unwind-protect
          ;; One that the system cannot end within another second is let be.
          (while (and (roam-semantic-placement--busy gate)
                      (< (float-time) (1+ limit)))
            (accept-process-output bell 0.001 nil 0)
            (when (> (float-time) patience)
              (roam-semantic-placement--judge gate (> (float-time) limit))))
        (delete-process bell)))))

(defun roam-semantic-placement--busy (gate)
  "Return the numbers of the processes that are in a transaction at GATE."
  (mapcar (lambda (name) (string-to-number (substring name 5)))
          (ignore-errors (directory-files gate nil "\\`busy-[0-9]+\\'" t))))

(defun roam-semantic-placement--judge (gate late)
  "End the turn of those at GATE that are dead or stopped, and of all when LATE."
  (dolist (pid (roam-semantic-placement--busy gate))
    (pcase (cons (roam-semantic-placement--state pid) late)
      ((or `(gone . ,_) '(foreign . t))
       (roam-semantic-placement--remove (format "%sbusy-%d" gate pid)))
      ((or `(stopped . ,_) '(running . t))
       (roam-semantic-placement--kill pid)))))

(defun roam-semantic-placement--kill (pid)
  "Kill the process PID of ours, once, and say so."
  (unless (memq pid roam-semantic-placement--killed)
    (push pid roam-semantic-placement--killed)
    (signal-process pid 'SIGKILL)
    (lwarn 'roam-semantic :warning "%s"
           (concat "the server kept org-roam from writing its database and was killed; "
                   "the next call starts it again"))))

(defun roam-semantic-placement--state (pid)
  "Return what the process PID is: gone, stopped, running or foreign.
A foreign one has the number of one of ours that died, or it is ours but
was started by a command of the user's own: it is waited for, not killed."
  (let* ((attributes (process-attributes pid))
         (state (alist-get 'state attributes)))
    (cond
     ((or (null attributes) (member state '("Z" "X")) (eql pid (emacs-pid))) 'gone)
     ((not (string-match-p roam-semantic-placement--ours
                           (or (alist-get 'args attributes) "")))
      'foreign)
     ((member state '("T" "t")) 'stopped)
     (t 'running))))

;;; Setting up

(defun roam-semantic-placement-environment ()
  "Return what the environment of the server says about the placement.
In shared placement this Emacs takes turns from now on."
  (if (not (eq roam-semantic-index-placement 'shared))
      (progn (when roam-semantic-placement--gates
               (roam-semantic-placement-leave))
             nil)
    (let ((gate (roam-semantic-placement-take-turns)))
      (if gate
          (list "ROAM_INDEX=shared" (concat "ROAM_SEMANTIC_GATE=" gate))
        '("ROAM_INDEX=shared")))))

(defun roam-semantic-placement-take-turns ()
  "Wrap every write of org-roam's, and let our server write in between.
Return the folder that tells the server so, or nil if none can be made."
  (when (and (require 'org-roam nil t) (stringp org-roam-db-location))
    (dolist (function roam-semantic-placement--writers)
      (advice-add function :around #'roam-semantic-placement--around))
    (advice-add 'org-roam-db :around #'roam-semantic-placement--around-open)
    (add-hook 'kill-emacs-hook #'roam-semantic-placement-leave)
    (let* ((gate (roam-semantic-placement-gate))
           (mark (roam-semantic-placement--mark gate "emacs")))
      (when (roam-semantic-placement--make mark)
        (roam-semantic-placement--sweep gate)
        (cl-pushnew gate roam-semantic-placement--gates :test #'equal)
        mark))))

(defun roam-semantic-placement--sweep (gate)
  "Remove from GATE what an Emacs left that was killed."
  (dolist (name (directory-files gate nil "\\`\\(?:emacs\\|pause\\)-[0-9]+\\'" t))
    (unless (process-attributes (string-to-number (substring name 6)))
      (roam-semantic-placement--remove (concat gate name)))))

(defun roam-semantic-placement-leave ()
  "Let our server write no more, and leave org-roam's writes alone."
  (dolist (gate roam-semantic-placement--gates)
    (roam-semantic-placement--remove (roam-semantic-placement--mark gate "emacs"))
    (roam-semantic-placement--await gate)
    (roam-semantic-placement--remove gate))
  (setq roam-semantic-placement--gates nil)
  (dolist (function roam-semantic-placement--writers)
    (advice-remove function #'roam-semantic-placement--around))
  (advice-remove 'org-roam-db #'roam-semantic-placement--around-open)
  (remove-hook 'kill-emacs-hook #'roam-semantic-placement-leave))

(provide 'roam-semantic-placement)
;;; roam-semantic-placement.el ends here
