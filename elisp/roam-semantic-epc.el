;;; roam-semantic-epc.el --- The EPC wire  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; The default wire, over the `epc' library, which is optional.  Of that
;; library we use the connection and `epc:call-deferred', and not:
;;
;; - `epc:start-epc': a stray line before the port ends it.  We start the
;;   process and take the first line that is a port.
;; - `epc:call-sync': it cannot answer faster than in 300 ms.
;; - its error handling: a call whose server dies never returns.  Both
;;   sentinels here report the death, and the caller's timer does the rest.
;;
;; The port is open to every program of this machine, so the first call
;; says the token that only our child was told, in its environment.

;;; Code:

(require 'cl-lib)
(require 'seq)
(require 'subr-x)
(require 'roam-semantic)
(require 'roam-semantic-errors)
(require 'roam-semantic-transport)

;; Dots in the names of other packages' functions are not ours to choose.
(declare-function deferred:nextc "ext:deferred" (d callback))
(declare-function deferred:error "ext:deferred" (d callback))
(declare-function epc:call-deferred "ext:epc" (mngr method-name args))
(declare-function epc:connect "ext:epc" (host port))
(declare-function epc:connection-process "ext:epc" (cl-x))
(declare-function epc:define-method "ext:epc"
                  (mngr method-name task &optional arg-specs docstring))
(declare-function epc:disconnect "ext:epc" (connection))
(declare-function epc:init-epc-layer "ext:epc" (mngr))
(declare-function epc:live-connections-delete "ext:epc" (mngr))
(declare-function epc:manager-connection "ext:epc" (cl-x))
(declare-function make-epc:manager "ext:epc" (&rest slots))

(defconst roam-semantic-epc--most-noise 65536
  "Characters on standard output before the port that we put up with.")

(cl-defstruct (roam-semantic-epc (:include roam-semantic-transport)
                                 (:copier nil))
  "The EPC wire: our process, the library's manager once connected.
partial: what the process printed since its last newline.
noise: how many characters came that were no port."
  process token manager (partial "") (noise 0))

(defun roam-semantic-epc-available-p ()
  "Return non-nil if the epc library can be loaded."
  (require 'epc nil t))

(defun roam-semantic-epc-open (launch token sink)
  "Start a server and return a wire to it, which says hello when it can.
LAUNCH is a function of FACE and CONNECTION-TYPE that returns a process;
TOKEN is what that process was told; SINK gets the events.  The process
is on a pseudo-terminal: its hang-up ends the server when Emacs is killed."
  (let* ((process (funcall launch "epc" 'pty))
         (transport (make-roam-semantic-epc :sink sink :process process :token token)))
    (set-process-filter process
                        (lambda (_process text) (roam-semantic-epc--read transport text)))
    (set-process-sentinel process
                          (lambda (process _change)
                            (unless (process-live-p process)
                              (roam-semantic-transport-deliver transport 'gone))))
    transport))

(defun roam-semantic-epc--read (transport text)
  "Take TEXT from standard output; connect TRANSPORT at the line with the port."
  (unless (roam-semantic-epc-manager transport)
    (let* ((lines (split-string (concat (roam-semantic-epc-partial transport) text) "\n"))
           (complete (butlast lines)))
      (setf (roam-semantic-epc-partial transport) (car (last lines)))
      (cl-incf (roam-semantic-epc-noise transport) (length text))
      (while (and complete (not (roam-semantic-epc-manager transport)))
        (roam-semantic-epc--try transport (pop complete)))
      (when (and (not (roam-semantic-epc-manager transport))
                 (> (roam-semantic-epc-noise transport) roam-semantic-epc--most-noise))
        (set-process-filter (roam-semantic-epc-process transport) #'ignore)
        (roam-semantic-transport-deliver
         transport 'gone nil "it prints other things than its port")))))

(defun roam-semantic-epc--try (transport line)
  "Connect TRANSPORT to the port that LINE is, if it is one that answers."
  (when (string-match "\\`[ \t]*\\([0-9]\\{1,5\\}\\)[ \t\r]*\\'" line)
    (let ((port (string-to-number (match-string 1 line))))
      (when (< 1023 port 65536)
        (let ((buffers (buffer-list)))
          (condition-case nil
              (roam-semantic-epc--connect transport port)
            ;; A number that was not the port: the next line may be.  The
            ;; library leaves the buffer of the connection it did not make.
            (file-error
             (mapc #'kill-buffer (seq-difference (buffer-list) buffers)))))))))

(defun roam-semantic-epc--connect (transport port)
  "Connect TRANSPORT to PORT of this machine and say the token."
  (let* ((process (roam-semantic-epc-process transport))
         (connection (epc:connect "127.0.0.1" port))
         (manager (epc:init-epc-layer
                   (make-epc:manager :server-process process
                                     :commands (process-command process)
                                     :title "roam-semantic"
                                     :port port
                                     :connection connection))))
    (setf (roam-semantic-epc-manager transport) manager)
    (roam-semantic-epc--watch transport (epc:connection-process connection))
    (epc:define-method manager 'progress
                       (lambda (id report)
                         (roam-semantic-transport-deliver transport 'progress id report)
                         t)
                       "ID REPORT" "How far request ID is.")
    (roam-semantic-epc--call
     transport 'hello (list (roam-semantic-epc-token transport) roam-semantic-version)
     (lambda (greeting) (roam-semantic-transport-deliver transport 'hello nil greeting))
     (lambda (reason) (roam-semantic-transport-deliver transport 'gone nil reason)))))

(defun roam-semantic-epc--watch (transport socket)
  "Report the end of SOCKET, the connection of TRANSPORT.
The process usually ends with it and knows better why: it goes first."
  (let ((theirs (process-sentinel socket)))
    (set-process-sentinel
     socket
     (lambda (socket change)
       (funcall theirs socket change)
       (run-at-time 0.3 nil #'roam-semantic-transport-deliver
                    transport 'gone nil "it closed the connection")))))

(defun roam-semantic-epc--call (transport method arguments callback errback)
  "Call METHOD with the list ARGUMENTS over TRANSPORT.
CALLBACK gets the result, ERRBACK a string that says what went wrong.
How values print must not depend on what the user prefers."
  (let ((manager (roam-semantic-epc-manager transport))
        (print-circle nil) (print-gensym nil) (print-quoted t) (print-length nil)
        (print-level nil) (print-escape-multibyte nil) (print-escape-nonascii nil)
        (print-escape-control-characters nil) (float-output-format nil))
    (deferred:error
     (deferred:nextc (epc:call-deferred manager method arguments) callback)
     (lambda (failure)
       (funcall errback (if (stringp failure) failure (format "%S" failure)))))))

(cl-defmethod roam-semantic-transport-send
  ((transport roam-semantic-epc) id operation arguments deadline-s)
  "Ask over EPC for OPERATION with ARGUMENTS: request ID, DEADLINE-S, TRANSPORT."
  (roam-semantic-transport-check arguments)
  (roam-semantic-epc--call
   transport 'call (list id operation arguments deadline-s)
   (lambda (answer)
     (if (plist-member answer :error)
         (roam-semantic-transport-deliver
          transport 'failure id
          (roam-semantic-errors-from-server (plist-get answer :error)))
       (roam-semantic-transport-deliver transport 'answer id (plist-get answer :ok))))
   (lambda (reason)
     (roam-semantic-transport-deliver
      transport 'failure id (list 'roam-semantic-internal reason "")))))

(cl-defmethod roam-semantic-transport-cancel ((transport roam-semantic-epc) id)
  "Tell the server over EPC that nobody waits for request ID; TRANSPORT."
  (roam-semantic-epc--call transport 'cancel (list id) #'ignore #'ignore))

(cl-defmethod roam-semantic-transport-close ((transport roam-semantic-epc))
  "Close the connection of TRANSPORT and end its process."
  (setf (roam-semantic-transport-closed transport) t)
  (when-let* ((manager (roam-semantic-epc-manager transport)))
    (epc:disconnect (epc:manager-connection manager))
    (epc:live-connections-delete manager))
  (let ((process (roam-semantic-epc-process transport)))
    (set-process-sentinel process #'ignore)
    (delete-process process)))

(provide 'roam-semantic-epc)
;;; roam-semantic-epc.el ends here
