;;; roam-semantic-transport.el --- What a wire to the server must do  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; A transport carries operations to one server and events back.  A wire
;; is a struct that includes `roam-semantic-transport', three methods
;; (send, cancel, close) and calls of `roam-semantic-transport-deliver'.
;; It knows no timeouts, no callers and no restarts: those are the same
;; for all wires and live in roam-semantic-server.el.
;;
;; Both wires give the same plists: keywords in kebab-case, lists as
;; lists, false and null as nil.

;;; Code:

(require 'cl-lib)

(cl-defstruct roam-semantic-transport
  "A connection to one server.
sink: function of EVENT, ID and VALUE, see
  `roam-semantic-transport-deliver'.
queue: events not handed to sink yet, oldest first.
closed: non-nil once nothing may be delivered any more."
  sink queue closed)

(cl-defgeneric roam-semantic-transport-send (transport id operation arguments deadline-s)
  "Ask the server behind TRANSPORT for OPERATION, as request number ID.
OPERATION is a symbol, ARGUMENTS a plist fit for a wire (see
`roam-semantic-transport-plain'), DEADLINE-S seconds or nil.  Return at
once; signal `roam-semantic-bad-request' if they are too large, another
error if the connection is broken.")

(cl-defgeneric roam-semantic-transport-cancel (transport id)
  "Tell the server behind TRANSPORT that nobody waits for request ID.")

(cl-defgeneric roam-semantic-transport-close (transport)
  "Close TRANSPORT and remove its buffers; do nothing when it is closed.")

(defun roam-semantic-transport-deliver (transport event &optional id value)
  "Hand EVENT with ID and VALUE to the sink of TRANSPORT, from a timer.

  hello     VALUE is the plist (:version … :operations …)
  answer    VALUE is the result of request ID
  failure   VALUE is the condition (SYMBOL MESSAGE HINT) of request ID
  progress  VALUE is the plist (:done :total :phase :rate :left-s)
  gone      the server cannot be reached any more; VALUE says why, or nil

Never call the sink from where the bytes are read: what it calls may wait
for the next answer, and a process filter that is not done yet (or a
throw out of it) would keep or lose the messages behind this one."
  (unless (roam-semantic-transport-closed transport)
    (let ((idle (null (roam-semantic-transport-queue transport))))
      (setf (roam-semantic-transport-queue transport)
            (nconc (roam-semantic-transport-queue transport)
                   (list (list event id value))))
      (when idle
        (run-at-time 0 nil #'roam-semantic-transport--drain transport)))))

(defun roam-semantic-transport--drain (transport)
  "Hand the oldest event of TRANSPORT to its sink, then see to the rest."
  (let ((event (pop (roam-semantic-transport-queue transport))))
    ;; First the timer for the rest: the sink may not come back.
    (when (roam-semantic-transport-queue transport)
      (run-at-time 0 nil #'roam-semantic-transport--drain transport))
    (when (and event (not (roam-semantic-transport-closed transport)))
      (apply (roam-semantic-transport-sink transport) event))))

(defconst roam-semantic-transport--largest 8000000
  "Bytes of text a request may have; the server reads no more in one piece.")

(defconst roam-semantic-transport--broken
  (rx (not (any (0 . #xd7ff) (#xe000 . #x10ffff))))
  "Regexp for a character that has no UTF-8 form: raw byte, half surrogate.")

(defun roam-semantic-transport-plain (value)
  "Return VALUE, an argument or a list of them, as every wire can carry it.
Text properties go, and characters that are not Unicode become U+FFFD."
  (cond
   ((stringp value)
    (replace-regexp-in-string roam-semantic-transport--broken "\ufffd"
                              (string-to-multibyte (substring-no-properties value))
                              t t))
   ((consp value) (mapcar #'roam-semantic-transport-plain value))
   (t value)))

(defun roam-semantic-transport-check (arguments)
  "Signal `roam-semantic-bad-request' if ARGUMENTS are too large to send."
  (when (> (roam-semantic-transport--size arguments) roam-semantic-transport--largest)
    (signal 'roam-semantic-bad-request
            '("the request is larger than 8 MB" "ask with less text"))))

(defun roam-semantic-transport--size (value)
  "Return the bytes of the texts in VALUE, a string or a list of values."
  (cond ((stringp value) (string-bytes value))
        ((consp value) (apply #'+ (mapcar #'roam-semantic-transport--size value)))
        (t 0)))

(provide 'roam-semantic-transport)
;;; roam-semantic-transport.el ends here
