;;; roam-semantic-client.el --- How Emacs asks the server  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; Three ways to ask, and no function per operation:
;;
;;   `roam-semantic-request'  later: returns at once, calls back
;;   `roam-semantic-call'     now: waits, returns the result or signals
;;   `roam-semantic-ask'      for commands: failures are user errors
;;
;;   (roam-semantic-request 'semantic-search '(:query "why we forget" :k 5)
;;                          :callback (lambda (answer) …))
;;
;; Operations and their arguments are those of the server, in kebab-case.
;; An argument that is nil is not sent; :false is false.

;;; Code:

(require 'cl-lib)
(require 'roam-semantic)
(require 'roam-semantic-errors)
(require 'roam-semantic-server)
(require 'roam-semantic-transport)

(defcustom roam-semantic-deadline-s 30
  "Seconds a command waits for an answer, the server's start included."
  :type 'number
  :group 'roam-semantic
  :package-version '(roam-semantic . "0.1.0"))

(cl-defun roam-semantic-request (operation arguments
                                           &key callback errback progress deadline-s)
  "Ask for OPERATION with the plist ARGUMENTS; return a number at once.
Later exactly one of these is called, in the buffer that is current now,
or none if that buffer has been killed:
  CALLBACK with the result;
  ERRBACK with the condition (SYMBOL MESSAGE HINT) - by default it is
    shown in the echo area.
PROGRESS, if given, is called with plists (:done :total :phase :rate
:left-s) in between.  DEADLINE-S is in seconds; nil means no deadline.
The number is for `roam-semantic-cancel-request'."
  (let ((buffer (current-buffer)))
    (roam-semantic-client--submit
     operation arguments deadline-s
     (roam-semantic-client--in buffer (or callback #'ignore))
     (roam-semantic-client--in buffer (or errback #'roam-semantic-client--tell))
     (and progress (roam-semantic-client--in buffer progress)))))

(cl-defun roam-semantic-call (operation arguments
                                        &key (deadline-s roam-semantic-deadline-s) progress)
  "Ask for OPERATION with the plist ARGUMENTS, wait, and return the result.
Signal a `roam-semantic-error', with data (MESSAGE HINT), if it fails or
does not come within DEADLINE-S seconds; nil means to wait for ever.
PROGRESS is as in `roam-semantic-request'.  \\[keyboard-quit] while
waiting cancels the request in the server too."
  (let* ((since (float-time))
         outcome
         (id (roam-semantic-client--submit
              operation arguments deadline-s
              (lambda (value) (setq outcome (cons 'answer value)))
              (lambda (condition) (setq outcome (cons 'failure condition)))
              progress)))
    (unwind-protect
        ;; Answers come through timers that timers start, and those do not
        ;; end a longer wait: wait a tenth of the time gone by, each time.
        (while (not outcome)
          (accept-process-output
           nil (max 0.001 (min 0.02 (* 0.1 (- (float-time) since))))))
      (unless outcome
        (roam-semantic-cancel-request id)))
    (if (eq 'answer (car outcome))
        (cdr outcome)
      (signal (cadr outcome) (cddr outcome)))))

(defun roam-semantic-ask (operation arguments &rest keys)
  "Ask for OPERATION with the plist ARGUMENTS on behalf of a command.
Like `roam-semantic-call', which gets KEYS, but a failure is a
`user-error' that says what happened and what to do."
  (condition-case condition
      (progn
        (unless (eq 'ready (roam-semantic-server-state roam-semantic-server-current))
          (message "Starting the server of roam-semantic...")
          (redisplay))
        (apply #'roam-semantic-call operation arguments keys))
    (roam-semantic-error
     (user-error "%s" (roam-semantic-errors-text condition)))))

(defun roam-semantic-cancel-request (id)
  "Cancel the request ID; its errback gets `roam-semantic-cancelled'."
  (roam-semantic-server-withdraw id))

(defvar roam-semantic-cancel-functions nil
  "Functions without arguments that end what is under way without the server.
Each returns non-nil if there was something.")

(defun roam-semantic-cancel ()
  "Cancel what is under way: every request, such as an index run, and the like.
What else there is to cancel, `roam-semantic-cancel-functions' know.  The
watch that `roam-semantic-mode' keeps open is nothing to wait for: it stays."
  (interactive)
  (let ((others (delq nil (mapcar #'funcall roam-semantic-cancel-functions)))
        ids)
    (maphash (lambda (id exchange)
               (unless (eq 'watch (roam-semantic-exchange-operation exchange))
                 (push id ids)))
             (roam-semantic-server-exchanges roam-semantic-server-current))
    (unless (or ids others)
      (message "Nothing is under way"))
    (mapc #'roam-semantic-cancel-request ids)))

(defun roam-semantic-client--submit (operation arguments deadline-s answer failure progress)
  "Hand an exchange to the server and return its id.
OPERATION, ARGUMENTS and DEADLINE-S say what is asked; ANSWER, FAILURE
and PROGRESS are functions of one value; PROGRESS may be nil."
  (let ((id (roam-semantic-server-new-id)))
    (roam-semantic-server-submit
     (make-roam-semantic-exchange
      :id id :operation operation :deadline-s deadline-s
      :arguments (roam-semantic-transport-plain (roam-semantic-client--given arguments))
      :on-answer answer :on-failure failure :on-progress progress))
    id))

(defun roam-semantic-client--given (arguments)
  "Return the plist ARGUMENTS without those that are nil."
  (cl-loop for (key value) on arguments by #'cddr
           when value collect key and collect value))

(defun roam-semantic-client--in (buffer function)
  "Return FUNCTION, of one value, as run in BUFFER or not at all.
An error of the caller's own is shown and goes no further."
  (lambda (value)
    (when (buffer-live-p buffer)
      (with-current-buffer buffer
        (with-demoted-errors "Error after an answer of roam-semantic: %S"
          (funcall function value))))))

(defun roam-semantic-client--tell (condition)
  "Show CONDITION in the echo area."
  (message "%s" (roam-semantic-errors-text condition)))

(provide 'roam-semantic-client)
;;; roam-semantic-client.el ends here
