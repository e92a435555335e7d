;;; roam-semantic-test.el --- What the tests share  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors
;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; A fake wire for tests without a process, a real server on a copy of
;; the sample vault for those with one, and the runner.

;;; Code:

(require 'cl-lib)
(require 'ert)
(require 'org-roam nil t)
(require 'roam-semantic)
(require 'roam-semantic-client)
(require 'roam-semantic-server)
(require 'roam-semantic-transport)

(defvar org-roam-directory)
(defvar org-roam-db-location)

(defconst roam-semantic-test-root
  (expand-file-name "../../" (file-name-directory (or load-file-name buffer-file-name)))
  "The folder of the repository.")

(defconst roam-semantic-test-odd-text "Ж 盧曼 👩‍🚀 \"q\" \\ %s \\n \t(a . b) #(x) ; _y end"
  "Text that printers and readers trip over.")

;;; A wire without a process

(cl-defstruct (roam-semantic-test-transport (:include roam-semantic-transport))
  "A wire that answers by itself.
replies: alist (OPERATION . REPLY), each an alternative of
  `roam-semantic-test--reply'.  sent: what it was asked, newest first, as
  (ID OPERATION ARGUMENTS DEADLINE-S).  cancelled: ids, newest first."
  replies sent cancelled)

(cl-defmethod roam-semantic-transport-send
  ((transport roam-semantic-test-transport) id operation arguments deadline-s)
  "Note the request and deliver its reply.
TRANSPORT, ID, OPERATION, ARGUMENTS and DEADLINE-S are the request."
  (push (list id operation arguments deadline-s)
        (roam-semantic-test-transport-sent transport))
  (let ((reply (alist-get operation (roam-semantic-test-transport-replies transport))))
    (roam-semantic-test--reply transport id reply)))

(defun roam-semantic-test--reply (transport id reply)
  "Deliver REPLY to request ID over TRANSPORT.
REPLY is a list of (:answers VALUE), (:fails CONDITION MESSAGE HINT),
\(:reports PLIST), (:dies REASON) and (:breaks MESSAGE), or nil: silence."
  (pcase reply
    (`(:answers ,value . ,rest)
     (roam-semantic-transport-deliver transport 'answer id value)
     (roam-semantic-test--reply transport id rest))
    (`(:reports ,report . ,rest)
     (roam-semantic-transport-deliver transport 'progress id report)
     (roam-semantic-test--reply transport id rest))
    (`(:fails ,condition ,message ,hint)
     (roam-semantic-transport-deliver transport 'failure id (list condition message hint)))
    (`(:dies ,reason)
     (roam-semantic-transport-deliver transport 'gone nil reason))
    (`(:breaks ,message)
     (error "%s" message))))

(cl-defmethod roam-semantic-transport-cancel ((transport roam-semantic-test-transport) id)
  "Note that request ID of TRANSPORT was cancelled."
  (push id (roam-semantic-test-transport-cancelled transport)))

(cl-defmethod roam-semantic-transport-close ((transport roam-semantic-test-transport))
  "Deliver nothing over TRANSPORT any more."
  (setf (roam-semantic-transport-closed transport) t))

(defvar roam-semantic-test-wires nil
  "The fake wires opened in the current test, newest first.")

(defvar roam-semantic-test-greeting (list :version roam-semantic-version :operations nil)
  "What a fake wire says at first; nil means that it stays silent.")

(defun roam-semantic-test-open (replies)
  "Return a function that opens a fake wire with REPLIES."
  (lambda (_server sink)
    (let ((wire (make-roam-semantic-test-transport :sink sink :replies replies)))
      (push wire roam-semantic-test-wires)
      (when roam-semantic-test-greeting
        (roam-semantic-transport-deliver wire 'hello nil roam-semantic-test-greeting))
      wire)))

(defmacro roam-semantic-test-with-replies (replies &rest body)
  "Run BODY against a fake server with REPLIES, an alist."
  (declare (indent 1) (debug (form body)))
  `(let* ((roam-semantic-test-wires nil)
          (org-roam-directory temporary-file-directory)
          (org-roam-db-location (expand-file-name "none.db" temporary-file-directory))
          (roam-semantic-server-current (make-roam-semantic-server))
          (roam-semantic-server-open-function (roam-semantic-test-open ,replies)))
     (unwind-protect
         (progn ,@body)
       (roam-semantic-stop))))

(defun roam-semantic-test-wait (predicate &optional what)
  "Wait until PREDICATE returns non-nil and return that; fail after a while.
WHAT says what did not come."
  (let ((end (+ (float-time) 60))
        value)
    (while (not (setq value (funcall predicate)))
      (when (> (float-time) end)
        (ert-fail (or what "What was waited for did not come")))
      (accept-process-output nil 0.01))
    value))

(defun roam-semantic-test-sent ()
  "Return what the newest fake wire was asked last."
  (car (roam-semantic-test-transport-sent (car roam-semantic-test-wires))))

(declare-function tramp-maybe-open-connection "tramp-sh")

(defmacro roam-semantic-test-without-connections (&rest body)
  "Run BODY; it fails if something connects to another machine."
  (declare (indent 0) (debug (body)))
  `(progn
     (require 'tramp-sh)
     (cl-letf (((symbol-function 'tramp-maybe-open-connection)
                (lambda (&rest _) (ert-fail "A connection was opened"))))
       ,@body)))

;;; A real server

(defun roam-semantic-test-python ()
  "Return the Python of the tests, or skip the test."
  (let ((python (or (getenv "ROAM_SEMANTIC_TEST_PYTHON")
                    (getenv "PYTHON")
                    (expand-file-name ".venv/bin/python" roam-semantic-test-root))))
    (unless (file-executable-p python)
      (ert-skip (format "No Python at %s: run `make check', or set PYTHON" python)))
    python))

(defmacro roam-semantic-test-with-server (wire &rest body)
  "Run BODY against a real server over WIRE, on a copy of the sample vault.
Afterwards neither a process nor a buffer of ours may be left."
  (declare (indent 1) (debug (form body)))
  `(roam-semantic-test--with-server ,wire (lambda () ,@body)))

(defvar roam-semantic-test--home nil
  "Folder with the vault, the index and the caches of this run.")

(defun roam-semantic-test-home ()
  "Return the folder of this run; make it, with a copy of the sample vault."
  (or roam-semantic-test--home
      (let ((home (make-temp-file "roam-semantic-test" t)))
        (copy-directory (expand-file-name "tests/vault" roam-semantic-test-root)
                        (expand-file-name "vault" home) nil nil t)
        (let ((coding-system-for-write 'utf-8-unix))
          (write-region (concat ":PROPERTIES:\n:ID: odd-text\n:END:\n#+title: Odd text\n\n"
                                roam-semantic-test-odd-text "\n")
                        nil (expand-file-name "vault/odd.org" home) nil 'silent))
        (add-hook 'kill-emacs-hook (lambda () (delete-directory home t)))
        (setq roam-semantic-test--home home))))

(defun roam-semantic-test--with-server (wire body)
  "Call BODY with a real server over WIRE, see the macro."
  (let* ((roam-semantic-python (roam-semantic-test-python))
         (home (roam-semantic-test-home))
         (roam-semantic-transport wire)
         (org-roam-directory (expand-file-name "vault" home))
         (org-roam-db-location (expand-file-name "org-roam.db" home))
         (roam-semantic-environment
          (list (concat "XDG_CACHE_HOME=" (expand-file-name "cache" home))
                (concat "XDG_STATE_HOME=" (expand-file-name "state" home))
                (concat "ROAM_INDEX=" (expand-file-name "index.db" home))))
         (roam-semantic-server-current (make-roam-semantic-server))
         (before (roam-semantic-test--belongings)))
    (when (and (eq wire 'epc) (not (require 'epc nil t)))
      (ert-skip "The epc library is not installed"))
    (unwind-protect
        (funcall body)
      (roam-semantic-stop))
    (roam-semantic-test-wait (lambda () (null (process-list))) "A process was left")
    (should (equal before (roam-semantic-test--belongings)))))

(defun roam-semantic-test--belongings ()
  "Return the names of the buffers, but for those that may stay."
  (sort (seq-remove (lambda (name) (string-match-p "\\` \\|\\`\\*Messages\\*\\'" name))
                    (mapcar #'buffer-name (buffer-list)))
        #'string<))

(defmacro roam-semantic-test-over-both (name docstring &rest body)
  "Define two tests NAME with DOCSTRING that run BODY, one over each wire."
  (declare (indent 1) (doc-string 2) (debug (symbolp stringp body)))
  `(progn
     ,@(mapcar (lambda (wire)
                 `(ert-deftest ,(intern (format "roam-semantic-%s-%s" wire name)) ()
                    ,docstring
                    (roam-semantic-test-with-server ',wire ,@body)))
               '(epc jsonrpc))))

(defun roam-semantic-test-condition (function)
  "Return the condition that FUNCTION signals."
  (condition-case condition
      (progn (funcall function) nil)
    (roam-semantic-error condition)))

;;; Running

(defun roam-semantic-test-run ()
  "Run every test, close with a line of counts, and end Emacs."
  (setq kill-emacs-hook (remq 'roam-semantic-stop kill-emacs-hook))
  (let* ((backtrace-line-length 200)
         (stats (ert-run-tests-batch t))
         (skipped (ert-stats-skipped stats))
         (failed (ert-stats-completed-unexpected stats))
         (passed (ert-stats-completed-expected stats)))
    (message "%d passed, %d failed, %d skipped" passed failed skipped)
    (kill-emacs (if (zerop failed) 0 1))))

(provide 'roam-semantic-test)
;;; roam-semantic-test.el ends here
