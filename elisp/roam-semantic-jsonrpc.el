;;; roam-semantic-jsonrpc.el --- The JSON-RPC wire  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; The second wire: JSON-RPC 2.0 over the standard input and output of
;; the server, through Emacs' own jsonrpc.el.  It needs no library and no
;; port, and the server ends with the pipe when Emacs is killed.
;;
;; jsonrpc.el keeps a log of all messages unless told otherwise, which
;; costs more than the messages; its name for that setting has changed.
;; It also looks for a message only right behind the last one: a stray line
;; between two would silence it for good, so it is given whole messages and
;; nothing else.

;;; Code:

(require 'jsonrpc)
(require 'cl-lib)
(require 'subr-x)
(require 'roam-semantic)
(require 'roam-semantic-errors)
(require 'roam-semantic-transport)

(defconst roam-semantic-jsonrpc--no-log
  (if (memq '-events-buffer-config
            (mapcar #'eieio-slot-descriptor-name (eieio-class-slots 'jsonrpc-connection)))
      '(:events-buffer-config (:size 0 :format full))
    '(:events-buffer-scrollback-size 0))
  "Arguments that turn the log of jsonrpc.el off.")

(defconst roam-semantic-jsonrpc--free-keys '(:corrected :unit_types)
  "Fields of answers whose keys are data: words, and not names of ours.")

(defclass roam-semantic-jsonrpc--connection (jsonrpc-process-connection)
  ((sent-id :initform nil :documentation "Number of the last request sent."))
  "A connection that tells which number jsonrpc.el gave a request.")

(cl-defmethod jsonrpc-connection-send :before
  ((connection roam-semantic-jsonrpc--connection) &key id method &allow-other-keys)
  "Note the ID of a request (it has a METHOD) that CONNECTION sends."
  (when (and id method)
    (oset connection sent-id id)))

(cl-defstruct (roam-semantic-jsonrpc (:include roam-semantic-transport)
                                     (:copier nil))
  "The JSON-RPC wire.
ids: alist (ID . NUMBER) of our request ids and jsonrpc.el's.
chunks: what came of the message that is not whole yet, newest first.
missing: bytes that must still come before it is worth a look.
noise: bytes since the last message that are none."
  process connection ids chunks (missing 0) (noise 0))

(defconst roam-semantic-jsonrpc--most-noise 65536
  "Bytes on standard output that are no message which we put up with.")

(defconst roam-semantic-jsonrpc--head
  "Content-Length: *\\([0-9]+\\)\r\n\\(?:[^\r\n]+\r\n\\)*\r\n"
  "Regexp for what stands before a message and tells its bytes.")

(defun roam-semantic-jsonrpc-open (launch _token sink)
  "Start a server and return a wire to it, which says hello when it can.
LAUNCH is a function of FACE and CONNECTION-TYPE that returns a process;
SINK gets the events.  Nobody else can reach a pipe: no token is needed."
  (let* ((transport (make-roam-semantic-jsonrpc :sink sink))
         (process (funcall launch "jsonrpc" 'pipe))
         (connection
          (apply #'make-instance 'roam-semantic-jsonrpc--connection
                 :name "roam-semantic"
                 :process process
                 :notification-dispatcher
                 (lambda (_connection method params)
                   (roam-semantic-jsonrpc--notice transport method params))
                 :on-shutdown
                 (lambda (_connection) (roam-semantic-transport-deliver transport 'gone))
                 roam-semantic-jsonrpc--no-log)))
    (setf (roam-semantic-jsonrpc-process transport) process
          (roam-semantic-jsonrpc-connection transport) connection)
    (roam-semantic-jsonrpc--quieten process)
    (roam-semantic-jsonrpc--sift transport)
    (condition-case nil
        (roam-semantic-jsonrpc--call
         transport 'initialize `(:client_version ,roam-semantic-version)
         (lambda (greeting) (roam-semantic-transport-deliver transport 'hello nil greeting))
         (lambda (failure) (roam-semantic-transport-deliver transport 'gone nil (nth 1 failure))))
      ;; A program that ended at once has closed the pipe.
      (error (roam-semantic-transport-deliver transport 'gone)))
    transport))

(defun roam-semantic-jsonrpc--sift (transport)
  "Let jsonrpc.el see the messages that come over TRANSPORT, and no noise."
  (let* ((process (roam-semantic-jsonrpc-process transport))
         (theirs (process-filter process)))
    ;; Lengths are in bytes.
    (set-process-coding-system process 'binary 'utf-8-emacs-unix)
    (set-process-filter process
                        (lambda (process bytes)
                          (roam-semantic-jsonrpc--read
                           transport bytes
                           (lambda (message) (funcall theirs process message)))))))

(defun roam-semantic-jsonrpc--read (transport bytes take)
  "Add BYTES, from standard output, to what came over TRANSPORT.
Call TAKE with the text of each message that is whole now, with its head."
  (push bytes (roam-semantic-jsonrpc-chunks transport))
  ;; A large message comes in many pieces: put them together once.
  (when (<= (cl-decf (roam-semantic-jsonrpc-missing transport) (length bytes)) 0)
    (let ((rest (apply #'concat (nreverse (roam-semantic-jsonrpc-chunks transport))))
          next messages)
      (setf (roam-semantic-jsonrpc-missing transport) 0)
      (while (setq next (roam-semantic-jsonrpc--next transport rest))
        (push (car next) messages)
        (setq rest (cdr next)))
      (setf (roam-semantic-jsonrpc-chunks transport)
            (list (roam-semantic-jsonrpc--short transport rest)))
      (dolist (message (nreverse messages))
        (funcall take (decode-coding-string message 'utf-8-emacs-unix))))))

(defun roam-semantic-jsonrpc--next (transport bytes)
  "Return (MESSAGE . REST) of BYTES, without what stands before the message.
If none is whole, return nil and note in TRANSPORT how much is missing."
  (when (string-match roam-semantic-jsonrpc--head bytes)
    (let ((start (match-beginning 0))
          (end (+ (match-end 0) (string-to-number (match-string 1 bytes)))))
      (if (> end (length bytes))
          (ignore (setf (roam-semantic-jsonrpc-missing transport) (- end (length bytes))))
        (setf (roam-semantic-jsonrpc-noise transport) 0)
        (cons (substring bytes start end) (substring bytes end))))))

(defun roam-semantic-jsonrpc--short (transport bytes)
  "Return what of BYTES, which hold no whole message, may be the start of one.
When TRANSPORT brings nothing but noise, it is given up."
  (if (or (> (roam-semantic-jsonrpc-missing transport) 0) (< (length bytes) 1024))
      bytes
    (cl-incf (roam-semantic-jsonrpc-noise transport) (length bytes))
    (when (> (roam-semantic-jsonrpc-noise transport) roam-semantic-jsonrpc--most-noise)
      (set-process-filter (roam-semantic-jsonrpc-process transport) #'ignore)
      (roam-semantic-transport-deliver
       transport 'gone nil "it prints other things than its messages"))
    (substring bytes -256)))

(defun roam-semantic-jsonrpc--quieten (process)
  "Keep jsonrpc.el from announcing the end of PROCESS in the echo area."
  (let ((theirs (process-sentinel process)))
    (set-process-sentinel process
                          (lambda (process change)
                            (let ((inhibit-message t)
                                  (message-log-max nil))
                              (funcall theirs process change))))))

(defun roam-semantic-jsonrpc--call (transport method params callback errback)
  "Call METHOD with PARAMS over TRANSPORT and return the number of the call.
CALLBACK gets the result, ERRBACK a condition.  That the server died is
nobody's answer here: the wire delivers `gone', which ends every request."
  (let ((connection (roam-semantic-jsonrpc-connection transport)))
    (jsonrpc-async-request
     connection method params
     :timeout nil
     :success-fn (lambda (result) (funcall callback (roam-semantic-jsonrpc--lisp result)))
     :error-fn (lambda (failure)
                 (unless (eql -1 (plist-get failure :code))
                   (funcall errback (roam-semantic-jsonrpc--condition failure)))))
    (oref connection sent-id)))

(defun roam-semantic-jsonrpc--condition (failure)
  "Return the condition for FAILURE, the error object of an answer as plist."
  (let ((ours (plist-get failure :data)))
    (if (and (consp ours) (plist-get ours :kind))
        (roam-semantic-errors-from-server ours)
      (list (if (memq (plist-get failure :code) '(-32600 -32601 -32602))
                'roam-semantic-bad-request
              'roam-semantic-internal)
            (or (plist-get failure :message) "the server gave no reason")
            ""))))

(defun roam-semantic-jsonrpc--notice (transport method params)
  "Deliver the notification METHOD with PARAMS that came over TRANSPORT."
  (when (eq method '$/progress)
    (let* ((report (roam-semantic-jsonrpc--lisp params))
           (id (car (rassq (plist-get report :id) (roam-semantic-jsonrpc-ids transport)))))
      (when id
        (cl-remf report :id)
        (roam-semantic-transport-deliver transport 'progress id report)))))

(defun roam-semantic-jsonrpc--lisp (value &optional free)
  "Return VALUE, as jsonrpc.el read it, as the other wire would give it.
Arrays become lists, false becomes nil, names get hyphens; those of an
object that is FREE are words and stay."
  (cond
   ((eq value :json-false) nil)
   ((vectorp value) (mapcar #'roam-semantic-jsonrpc--lisp value))
   ((consp value)
    (cl-loop for (key element) on value by #'cddr
             collect (if free key (roam-semantic-jsonrpc--rename key "_" "-"))
             collect (roam-semantic-jsonrpc--lisp
                      element (memq key roam-semantic-jsonrpc--free-keys))))
   (t value)))

(defun roam-semantic-jsonrpc--json (value)
  "Return VALUE, an argument, as `json-serialize' wants it.
A list is an array unless it starts with a keyword; :false is false."
  (cond
   ((eq value :false) :json-false)
   ((and (consp value) (keywordp (car value))) (roam-semantic-jsonrpc--object value))
   ((consp value) (vconcat (mapcar #'roam-semantic-jsonrpc--json value)))
   ((and value (symbolp value) (not (eq value t))) (symbol-name value))
   (t value)))

(defun roam-semantic-jsonrpc--object (plist)
  "Return PLIST as a JSON object, with the server's names."
  (if plist
      (cl-loop for (key value) on plist by #'cddr
               collect (roam-semantic-jsonrpc--rename key "-" "_")
               collect (roam-semantic-jsonrpc--json value))
    (make-hash-table)))

(defun roam-semantic-jsonrpc--rename (keyword from to)
  "Return KEYWORD with each FROM in its name replaced by TO."
  (let ((name (symbol-name keyword)))
    (if (string-search from name)
        (intern (string-replace from to name))
      keyword)))

(cl-defmethod roam-semantic-transport-send
  ((transport roam-semantic-jsonrpc) id operation arguments _deadline-s)
  "Ask over JSON-RPC for OPERATION with ARGUMENTS: request ID of TRANSPORT."
  (roam-semantic-transport-check arguments)
  (let* ((forget (lambda ()
                   (setf (roam-semantic-jsonrpc-ids transport)
                         (assq-delete-all id (roam-semantic-jsonrpc-ids transport)))))
         (number (roam-semantic-jsonrpc--call
                  transport operation (roam-semantic-jsonrpc--object arguments)
                  (lambda (result)
                    (funcall forget)
                    (roam-semantic-transport-deliver transport 'answer id result))
                  (lambda (condition)
                    (funcall forget)
                    (roam-semantic-transport-deliver transport 'failure id condition)))))
    (push (cons id number) (roam-semantic-jsonrpc-ids transport))))

(cl-defmethod roam-semantic-transport-cancel ((transport roam-semantic-jsonrpc) id)
  "Tell the server over JSON-RPC that nobody waits for ID; TRANSPORT."
  (when-let* ((number (alist-get id (roam-semantic-jsonrpc-ids transport))))
    (jsonrpc-notify (roam-semantic-jsonrpc-connection transport)
                    '$/cancelRequest (list :id number))))

(cl-defmethod roam-semantic-transport-close ((transport roam-semantic-jsonrpc))
  "End the process of TRANSPORT and remove the buffers of jsonrpc.el."
  (setf (roam-semantic-transport-closed transport) t)
  (let* ((connection (roam-semantic-jsonrpc-connection transport))
         (process (roam-semantic-jsonrpc-process transport))
         (buffers (list (process-buffer process)
                        (jsonrpc-stderr-buffer connection)
                        (get-buffer "*roam-semantic events*"))))
    (set-process-sentinel process #'ignore)
    (delete-process process)
    (jsonrpc-forget-pending-continuations connection)
    (dolist (buffer buffers)
      (when (buffer-live-p buffer)
        (kill-buffer buffer)))))

(provide 'roam-semantic-jsonrpc)
;;; roam-semantic-jsonrpc.el ends here
