;;; roam-semantic-server.el --- The one server process  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; One struct, `roam-semantic-server-current', knows all about the one
;; server: its wire, its state and the exchanges under way.
;;
;;   stopped --start--> starting --hello--> ready --gone--> stopped
;;
;; Nothing here waits.  An exchange handed over while the server starts
;; is sent once it has said hello.  An exchange ends exactly once: by its
;; answer, its failure, its deadline, a cancel, or the server's death.
;;
;; Each start has a generation; what an older one still says is dropped.
;; A server that dies too often is not started again for a while, and one
;; that lets a deadline pass in silence is asked for its status and ended
;; when it does not answer that either.

;;; Code:

(require 'cl-lib)
(require 'seq)
(require 'subr-x)
(require 'roam-semantic)
(require 'roam-semantic-errors)
(require 'roam-semantic-placement)
(require 'roam-semantic-program)
(require 'roam-semantic-transport)

(declare-function roam-semantic-epc-available-p "roam-semantic-epc")
(declare-function roam-semantic-epc-open "roam-semantic-epc")
(declare-function roam-semantic-jsonrpc-open "roam-semantic-jsonrpc")

(defcustom roam-semantic-transport 'epc
  "How Emacs talks to its server.
JSON-RPC is taken by itself when the epc library is not installed."
  :type '(choice (const :tag "EPC (needs the epc library)" epc)
                 (const :tag "JSON-RPC over a pipe" jsonrpc))
  :group 'roam-semantic
  :package-version '(roam-semantic . "0.1.0"))

(defcustom roam-semantic-start-timeout-s 30
  "Seconds a new server may take until it says hello."
  :type 'number
  :group 'roam-semantic
  :package-version '(roam-semantic . "0.1.0"))

(defcustom roam-semantic-watchdog-s 10
  "Seconds a server that let a deadline pass has to give a sign of life.
Nil means that a silent server is left alone."
  :type '(choice number (const :tag "Leave it alone" nil))
  :group 'roam-semantic
  :package-version '(roam-semantic . "0.1.0"))

(defcustom roam-semantic-restart-limit 3
  "How often the server may end by itself before it is left alone.
Counted over the last `roam-semantic-restart-window-s' seconds."
  :type 'natnum
  :group 'roam-semantic
  :package-version '(roam-semantic . "0.1.0"))

(defcustom roam-semantic-restart-window-s 60
  "Seconds over which `roam-semantic-restart-limit' counts."
  :type 'number
  :group 'roam-semantic
  :package-version '(roam-semantic . "0.1.0"))

(cl-defstruct roam-semantic-exchange
  "One request: what is asked and who wants to know.
id: its number, never used twice.  deadline-s: seconds or nil.
on-answer: function of the result.  on-failure: function of the
condition (SYMBOL MESSAGE HINT).  on-progress: function of a plist, or
nil.  timer: of the deadline.  since: when it was sent, as float time."
  id operation arguments deadline-s on-answer on-failure on-progress timer since)

(cl-defstruct roam-semantic-server
  "The server as Emacs knows it.
state: stopped, starting or ready.  generation: how many were started.
exchanges: table of those under way, by id.  unsent: ids that wait for
the hello, oldest first.  place: the vault and database it was told.
deaths: float times at which one ended by itself, newest first.
heard: float time of the last event.  timer: of the start.  probed:
generation that is being asked for a sign of life, or nil.  warned:
non-nil once a person was told that it keeps dying."
  (state 'stopped) (generation 0) (exchanges (make-hash-table)) unsent
  transport process place version operations deaths (heard 0.0) timer probed warned)

(defvar roam-semantic-server-current (make-roam-semantic-server)
  "The server of this Emacs.")

(defvar roam-semantic-server-open-function #'roam-semantic-server--open
  "Function of SERVER and SINK that starts a process and returns its wire.
A test puts a wire of its own here.")

;;; Exchanges

(defun roam-semantic-server-submit (exchange)
  "Hand EXCHANGE over: start the server if need be, send now or later.
Return at once; what goes wrong reaches the exchange as its failure."
  (let* ((server roam-semantic-server-current)
         (id (roam-semantic-exchange-id exchange))
         (deadline (roam-semantic-exchange-deadline-s exchange))
         ;; First, because a change of vault fails what is under way.
         (failure (condition-case condition
                      (roam-semantic-server--ensure server)
                    (roam-semantic-error condition))))
    (puthash id exchange (roam-semantic-server-exchanges server))
    (when deadline
      (setf (roam-semantic-exchange-timer exchange)
            (run-with-timer deadline nil #'roam-semantic-server--overdue server id)))
    (cond
     (failure (run-at-time 0 nil #'roam-semantic-server--end server id 'failure failure))
     ((eq 'ready (roam-semantic-server-state server))
      (roam-semantic-server--send server exchange))
     (t (setf (roam-semantic-server-unsent server)
              (append (roam-semantic-server-unsent server) (list id)))))))

(defun roam-semantic-server-withdraw (id)
  "End the exchange ID as cancelled, here at once and in the server."
  (let ((server roam-semantic-server-current))
    (when (gethash id (roam-semantic-server-exchanges server))
      (roam-semantic-server--forget-in-server server id)
      (roam-semantic-server--end
       server id 'failure '(roam-semantic-cancelled "the request was cancelled" "")))))

(defun roam-semantic-server--send (server exchange)
  "Send EXCHANGE to SERVER, which is ready."
  (let ((id (roam-semantic-exchange-id exchange)))
    (setf (roam-semantic-exchange-since exchange) (float-time))
    (condition-case failure
        (roam-semantic-transport-send (roam-semantic-server-transport server)
                                      id
                                      (roam-semantic-exchange-operation exchange)
                                      (roam-semantic-exchange-arguments exchange)
                                      (roam-semantic-exchange-deadline-s exchange))
      (roam-semantic-error
       (run-at-time 0 nil #'roam-semantic-server--end server id 'failure failure))
      (error (roam-semantic-server--gone server (error-message-string failure))))))

(defun roam-semantic-server--end (server id event value)
  "End the exchange ID of SERVER: EVENT is answer or failure, with VALUE.
An ID that is not under way was ended before: its late reply is dropped."
  (when-let* ((exchange (gethash id (roam-semantic-server-exchanges server))))
    (remhash id (roam-semantic-server-exchanges server))
    (setf (roam-semantic-server-unsent server)
          (delq id (roam-semantic-server-unsent server)))
    (when (roam-semantic-exchange-timer exchange)
      (cancel-timer (roam-semantic-exchange-timer exchange)))
    (funcall (if (eq event 'answer)
                 (roam-semantic-exchange-on-answer exchange)
               (roam-semantic-exchange-on-failure exchange))
             value)))

(defun roam-semantic-server--overdue (server id)
  "End the exchange ID of SERVER, whose deadline has passed."
  (when-let* ((exchange (gethash id (roam-semantic-server-exchanges server))))
    (let ((since (roam-semantic-exchange-since exchange)))
      (roam-semantic-server--forget-in-server server id)
      (when (and since (< (roam-semantic-server-heard server) since))
        (roam-semantic-server--probe server)))
    (roam-semantic-server--end
     server id 'failure
     (list 'roam-semantic-unavailable
           (format "the server did not answer within %s seconds"
                   (roam-semantic-exchange-deadline-s exchange))
           "see `roam-semantic-deadline-s', or M-x roam-semantic-doctor"))))

(defun roam-semantic-server--forget-in-server (server id)
  "Tell SERVER, if it is there, that nobody waits for the answer to ID."
  (when (and (eq 'ready (roam-semantic-server-state server))
             (not (memq id (roam-semantic-server-unsent server))))
    (ignore-errors
      (roam-semantic-transport-cancel (roam-semantic-server-transport server) id))))

;;; Events

(defun roam-semantic-server--event (server generation event id value)
  "Act on EVENT with ID and VALUE that start number GENERATION of SERVER sent."
  (when (eql generation (roam-semantic-server-generation server))
    (setf (roam-semantic-server-heard server) (float-time))
    (pcase event
      ('hello (roam-semantic-server--hello server value))
      ('progress (roam-semantic-server--progress server id value))
      ('gone (roam-semantic-server--gone server value))
      (_ (roam-semantic-server--end server id event value)))))

(defun roam-semantic-server--progress (server id report)
  "Pass REPORT on to the exchange ID of SERVER, if it wants to know."
  (let ((exchange (gethash id (roam-semantic-server-exchanges server))))
    (when (and exchange (roam-semantic-exchange-on-progress exchange))
      (funcall (roam-semantic-exchange-on-progress exchange) report))))

(defun roam-semantic-server--hello (server greeting)
  "Take GREETING, (:version V :operations NAMES), and send what waits at SERVER.
A server of another version is refused: half of its answers would fit."
  (let ((version (plist-get greeting :version)))
    (if (not (equal version roam-semantic-version))
        (roam-semantic-server--stop
         server
         (list 'roam-semantic-not-ready
               (format "the server is version %s, the Emacs package is version %s"
                       (or version "unknown") roam-semantic-version)
               (roam-semantic-program-remedy))
         'count)
      (when (roam-semantic-server-timer server)
        (cancel-timer (roam-semantic-server-timer server)))
      (setf (roam-semantic-server-state server) 'ready
            (roam-semantic-server-version server) version
            (roam-semantic-server-operations server) (plist-get greeting :operations))
      (while (roam-semantic-server-unsent server)
        (when-let* ((id (pop (roam-semantic-server-unsent server)))
                    (exchange (gethash id (roam-semantic-server-exchanges server))))
          (roam-semantic-server--send server exchange))))))

(defun roam-semantic-server--gone (server reason)
  "Note that SERVER has ended by itself, or was as good as dead for REASON."
  (unless (eq 'stopped (roam-semantic-server-state server))
    (let ((starting (eq 'starting (roam-semantic-server-state server)))
          (cause (roam-semantic-program-cause (roam-semantic-server-process server) reason)))
      (roam-semantic-server--stop
       server
       (list 'roam-semantic-unavailable
             (concat (if starting "the server did not start" "the server has ended") cause)
             (if starting
                 (roam-semantic-program-remedy cause)
               "the next call starts it again; M-x roam-semantic-doctor tells more"))
       'count))))

;;; Watching

(defun roam-semantic-server--probe (server)
  "Ask SERVER, which was silent for a whole deadline, whether it lives.
End it if it says nothing at all within `roam-semantic-watchdog-s'."
  (let ((generation (roam-semantic-server-generation server)))
    (when (and roam-semantic-watchdog-s
               (eq 'ready (roam-semantic-server-state server))
               (not (eql generation (roam-semantic-server-probed server))))
      (setf (roam-semantic-server-probed server) generation)
      (run-with-timer roam-semantic-watchdog-s nil #'roam-semantic-server--judge
                      server generation (roam-semantic-server-heard server))
      (ignore-errors
        ;; Its reply, to an id that is not under way, counts as a sign only.
        (roam-semantic-transport-send (roam-semantic-server-transport server)
                                      (roam-semantic-server-new-id) 'status nil
                                      roam-semantic-watchdog-s)))))

(defun roam-semantic-server--judge (server generation heard)
  "End SERVER if start GENERATION of it has said nothing since HEARD."
  (when (eql generation (roam-semantic-server-generation server))
    (setf (roam-semantic-server-probed server) nil)
    (when (= heard (roam-semantic-server-heard server))
      (roam-semantic-server--gone server "it gave no sign of life"))))

(defun roam-semantic-server--too-many-deaths-p (server)
  "Return non-nil if SERVER has ended by itself too often of late."
  (let ((since (- (float-time) roam-semantic-restart-window-s)))
    (setf (roam-semantic-server-deaths server)
          (seq-filter (lambda (time) (> time since)) (roam-semantic-server-deaths server)))
    (>= (length (roam-semantic-server-deaths server)) roam-semantic-restart-limit)))

(defun roam-semantic-server--refuse (server)
  "Signal that SERVER is not started again yet, and warn about it once.
Who asks in the background may tell nobody."
  (let ((condition
         (list 'roam-semantic-unavailable
               (format "the server ended %d times within %s seconds"
                       (length (roam-semantic-server-deaths server))
                       roam-semantic-restart-window-s)
               "M-x roam-semantic-doctor tells why, M-x roam-semantic-restart tries again")))
    (unless (roam-semantic-server-warned server)
      (setf (roam-semantic-server-warned server) t)
      ;; Not from here: this may be a redraw.
      (run-at-time 0 nil #'display-warning 'roam-semantic
                   (roam-semantic-errors-text condition)))
    (signal (car condition) (cdr condition))))

;;; Starting and stopping

(defvar roam-semantic-server--last-id 0
  "Number of the last exchange; never set back.")

(defun roam-semantic-server-new-id ()
  "Return a number for an exchange."
  (cl-incf roam-semantic-server--last-id))

(defun roam-semantic-server--ensure (server)
  "Start SERVER unless it runs already, for this vault; return nil.
Signal a `roam-semantic-error' if that cannot be tried."
  (let ((place (list (roam-semantic-program-vault) (roam-semantic-program-database)
                     roam-semantic-index-placement)))
    (unless (or (eq 'stopped (roam-semantic-server-state server))
                (equal place (roam-semantic-server-place server)))
      (roam-semantic-server--stop
       server '(roam-semantic-cancelled "the vault has changed" "")))
    (when (eq 'stopped (roam-semantic-server-state server))
      (roam-semantic-program-check-vault (car place))
      (when (roam-semantic-server--too-many-deaths-p server)
        (roam-semantic-server--refuse server))
      (setf (roam-semantic-server-place server) place)
      (roam-semantic-server--start server))
    nil))

(defun roam-semantic-server--start (server)
  "Start SERVER; it is ready once it has said hello."
  (let ((generation (cl-incf (roam-semantic-server-generation server)))
        ;; A quit halfway would leave a server that nobody speaks to.
        (inhibit-quit t))
    (setf (roam-semantic-server-state server) 'starting
          (roam-semantic-server-timer server)
          (run-with-timer roam-semantic-start-timeout-s nil
                          #'roam-semantic-server--event server generation 'gone nil
                          (format "no greeting within %s seconds"
                                  roam-semantic-start-timeout-s)))
    (condition-case failure
        (setf (roam-semantic-server-transport server)
              (funcall roam-semantic-server-open-function server
                       (lambda (event id value)
                         (roam-semantic-server--event server generation event id value))))
      (error
       (roam-semantic-server--clear server)
       (signal 'roam-semantic-not-ready
               (list (format "the server cannot be started: %s" (error-message-string failure))
                     (roam-semantic-program-remedy)))))
    (add-hook 'kill-emacs-hook #'roam-semantic-stop)))

(defun roam-semantic-server--stop (server condition &optional count)
  "End SERVER; each exchange under way fails with CONDITION.
With COUNT, it is one of the deaths that the restart limit counts."
  (let (ids)
    (maphash (lambda (id _exchange) (push id ids)) (roam-semantic-server-exchanges server))
    (when count
      (push (float-time) (roam-semantic-server-deaths server)))
    (roam-semantic-server--clear server)
    ;; Not from here: what they call may start the next server.
    (dolist (id (nreverse ids))
      (run-at-time 0 nil #'roam-semantic-server--end server id 'failure condition))))

(defun roam-semantic-server--clear (server)
  "Close the wire of SERVER, end its process and note that it is stopped."
  (let ((transport (roam-semantic-server-transport server))
        (process (roam-semantic-server-process server)))
    (when (roam-semantic-server-timer server)
      (cancel-timer (roam-semantic-server-timer server)))
    (setf (roam-semantic-server-state server) 'stopped
          (roam-semantic-server-transport server) nil
          (roam-semantic-server-process server) nil
          (roam-semantic-server-timer server) nil
          (roam-semantic-server-unsent server) nil)
    (when transport
      (ignore-errors (roam-semantic-transport-close transport)))
    (when process
      (roam-semantic-program-end process))))

(defun roam-semantic-server--open (server sink)
  "Start the process of SERVER and return its wire, whose events go to SINK."
  (let* ((token (roam-semantic-program-new-token))
         (launch (lambda (face connection-type)
                   (setf (roam-semantic-server-process server)
                         (roam-semantic-program-launch face connection-type token)))))
    (if (eq 'epc (roam-semantic-server-wire))
        (roam-semantic-epc-open launch token sink)
      (roam-semantic-jsonrpc-open launch token sink))))

(defun roam-semantic-server-wire ()
  "Return the wire that is used, epc or jsonrpc, and load it."
  (require 'roam-semantic-epc)
  (if (and (eq roam-semantic-transport 'epc) (roam-semantic-epc-available-p))
      'epc
    (require 'roam-semantic-jsonrpc)
    'jsonrpc))

;;; Commands

(defun roam-semantic-stop ()
  "End the server; the next call starts it again."
  (interactive)
  (roam-semantic-server--stop
   roam-semantic-server-current
   '(roam-semantic-cancelled "the server was stopped" "")))

(defun roam-semantic-restart ()
  "End the server, forget its failures and let the next call start it."
  (interactive)
  (roam-semantic-stop)
  (roam-semantic-server-forgive)
  (when (called-interactively-p 'interactive)
    (message "The next call starts the server")))

(defun roam-semantic-server-forgive ()
  "Forget how often the server ended, so that the next call starts it."
  (setf (roam-semantic-server-deaths roam-semantic-server-current) nil
        (roam-semantic-server-warned roam-semantic-server-current) nil))

(provide 'roam-semantic-server)
;;; roam-semantic-server.el ends here
