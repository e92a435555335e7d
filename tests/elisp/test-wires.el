;;; test-wires.el --- The real server over both wires  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; Each test here runs twice, over EPC and over JSON-RPC, against the
;; Python program on a copy of the sample vault.

;;; Code:

(require 'roam-semantic-test)
(require 'roam-semantic-epc)
(require 'roam-semantic-jsonrpc)

(defun roam-semantic-test-kill-server ()
  "Kill the server as nobody should, and return its process id."
  (let ((pid (process-id (roam-semantic-server-process roam-semantic-server-current))))
    (signal-process pid 'SIGKILL)
    pid))

(roam-semantic-test-over-both says-who-it-is
  "The greeting brings the version and the operations."
  (should (equal roam-semantic-version
                 (plist-get (roam-semantic-call 'status nil) :version)))
  (should (member "semantic-search"
                  (roam-semantic-server-operations roam-semantic-server-current))))

(roam-semantic-test-over-both finds-by-words
  "Hits have the shape that the command relies on."
  (let* ((answer (roam-semantic-call 'semantic-search
                                     '(:query "linseed oil rags" :k 3 :mode "words")))
         (hit (car (plist-get answer :hits))))
    (should (stringp (plist-get hit :title)))
    (should (file-exists-p (plist-get hit :file)))
    (should (listp (plist-get hit :outline-path)))
    (should (integerp (plist-get hit :line)))
    (should (integerp (plist-get hit :pos)))
    (should (numberp (plist-get hit :score)))
    (should (plist-member (plist-get hit :ranks) :vectors))
    (should (integerp (plist-get (plist-get answer :index) :total)))
    (should (string-prefix-p (expand-file-name org-roam-directory) (plist-get hit :file)))))

(roam-semantic-test-over-both carries-odd-text-unchanged
  "What stands in a note arrives as it is, and any question can be sent."
  (should (string-search roam-semantic-test-odd-text
                         (plist-get (roam-semantic-call 'get-node '(:node "odd-text")) :text)))
  (should (plist-member
           (roam-semantic-call 'semantic-search
                               (list :query (concat (propertize roam-semantic-test-odd-text
                                                                'face 'bold)
                                                    "\0\xff\ " (string #xd800))
                                     :mode "words"))
           :hits)))

(roam-semantic-test-over-both refuses-wrong-arguments
  "The message names the argument."
  (pcase-dolist (`(,operation ,arguments ,word)
                 '((semantic-search (:query "x" :k 0) "k")
                   (semantic-search (:query "x" :k "ten") "k")
                   (semantic-search nil "query")
                   (semantic-search (:query "x" :colour 3) "colour")
                   (no-such-thing nil "no-such-thing")))
    (let ((condition (roam-semantic-test-condition
                      (lambda () (roam-semantic-call operation arguments)))))
      (should (eq 'roam-semantic-bad-request (car condition)))
      (should (string-search word (nth 1 condition))))))

(roam-semantic-test-over-both answers-many-at-once
  "Replies find the request they belong to."
  (let* ((words '("tea" "wood" "sleep" "sail" "bread" "chess" "lens" "raft"))
         (alone (mapcar (lambda (word)
                          (plist-get (roam-semantic-call 'search (list :query word)) :hits))
                        words))
         (together (make-vector (length words) 'missing)))
    (dotimes (number (length words))
      (roam-semantic-request 'search (list :query (nth number words))
                             :callback (lambda (answer)
                                         (aset together number (plist-get answer :hits)))))
    (roam-semantic-test-wait (lambda () (not (seq-contains-p together 'missing))))
    (should (equal alone (append together nil)))))

(roam-semantic-test-over-both starts-again-after-a-kill
  "A request under way fails at once, the next call works."
  (roam-semantic-call 'status nil)
  (let (heard)
    (roam-semantic-request 'index '(:force t)
                           :errback (lambda (condition) (setq heard condition)))
    (let ((first (roam-semantic-test-kill-server)))
      (roam-semantic-test-wait (lambda () heard))
      (should (equal "the server has ended (killed by signal 9)" (nth 1 heard)))
      (should (plist-get (roam-semantic-call 'status nil) :version))
      (should-not (eql first (process-id (roam-semantic-server-process
                                          roam-semantic-server-current)))))))

(roam-semantic-test-over-both reports-progress-and-stops-when-cancelled
  "Cancelled, the request hears so at once and the server soon has no job."
  (let (seen heard)
    (let ((id (roam-semantic-request 'index '(:force t)
                                     :progress (lambda (report) (push report seen))
                                     :callback (lambda (answer) (setq heard answer))
                                     :errback (lambda (condition) (setq heard condition)))))
      (roam-semantic-test-wait (lambda () (or seen heard)))
      (should (integerp (plist-get (car seen) :done)))
      (should (integerp (plist-get (car seen) :total)))
      (should (stringp (plist-get (car seen) :phase)))
      (roam-semantic-cancel-request id)
      (should (eq 'roam-semantic-cancelled (car heard)))
      (roam-semantic-test-wait
       (lambda () (null (plist-get (roam-semantic-call 'status nil) :job)))))))

(roam-semantic-test-over-both ends-with-the-connection
  "Stopped by us, the process is gone and nothing is left of it."
  (roam-semantic-call 'status nil)
  (let ((process (roam-semantic-server-process roam-semantic-server-current)))
    (roam-semantic-stop)
    (should-not (process-live-p process))))

(ert-deftest roam-semantic-both-wires-give-the-same-plists ()
  "Who asks need not know which wire it is, but for what changes by itself."
  (let (answers)
    (dolist (wire '(epc jsonrpc))
      (roam-semantic-test-with-server wire
        (push (list (plist-get (roam-semantic-call 'semantic-search
                                                   '(:query "oil" :k 5 :mode "words"))
                               :hits)
                    (plist-get (roam-semantic-call 'semantic-search
                                                   '(:query "linsede oyl" :mode "words"))
                               :corrected)
                    (roam-semantic-call 'get-node '(:node "Heaving to"))
                    (plist-get (roam-semantic-call 'index-stats nil) :unit-types)
                    ;; The lock is told of while somebody holds it.
                    (remove "lock"
                            (mapcar (lambda (check) (plist-get check :name))
                                    (plist-get (roam-semantic-call 'doctor nil) :checks))))
              answers)))
    (should (equal (nth 0 answers) (nth 1 answers)))))

;;; Trouble at the start, with programs that are no server

(defmacro roam-semantic-test-with-program (script wire &rest body)
  "Run BODY with the shell SCRIPT as the server's program over WIRE."
  (declare (indent 2) (debug (form form body)))
  `(let ((roam-semantic-command (list "sh" "-c" ,script "server"))
         (roam-semantic-transport ,wire)
         (roam-semantic-server-current (make-roam-semantic-server))
         (org-roam-directory temporary-file-directory))
     (unwind-protect
         (progn ,@body)
       (roam-semantic-stop))))

(ert-deftest roam-semantic-a-program-that-fails-tells-its-last-words ()
  (dolist (wire '(epc jsonrpc))
    (roam-semantic-test-with-program "echo Traceback >&2; echo no module x >&2; exit 3" wire
      (let ((condition (roam-semantic-test-condition
                        (lambda () (roam-semantic-call 'status nil)))))
        (should (eq 'roam-semantic-unavailable (car condition)))
        (should (equal "the server did not start (exit code 3): no module x"
                       (nth 1 condition)))))))

(ert-deftest roam-semantic-noise-before-the-port-is-no-harm ()
  "Lines, numbers that are no port, and the port in two pieces."
  (skip-unless (require 'epc nil t))
  (let* ((server (make-network-process :name "stand-in" :server t :host "127.0.0.1"
                                       :service t :noquery t :sentinel #'ignore))
         (port (number-to-string (process-contact server :service))))
    (unwind-protect
        (roam-semantic-test-with-program
            (format "echo a warning; echo 99999999; echo 80; echo 1024x; printf %s; sleep 0.1
                     printf '%s\\n'; sleep 60"
                    (substring port 0 2) (substring port 2))
            'epc
          (roam-semantic-request 'status nil :errback #'ignore)
          (let ((wire (roam-semantic-server-transport roam-semantic-server-current)))
            (roam-semantic-test-wait (lambda () (roam-semantic-epc-manager wire)))))
      (delete-process server))))

(ert-deftest roam-semantic-endless-noise-is-given-up ()
  (skip-unless (require 'epc nil t))
  (roam-semantic-test-with-program "yes" 'epc
    (should (string-search "prints other things"
                           (nth 1 (roam-semantic-test-condition
                                   (lambda () (roam-semantic-call 'status nil))))))))

(ert-deftest roam-semantic-without-the-epc-library-json-is-used ()
  (cl-letf (((symbol-function 'roam-semantic-epc-available-p) #'ignore))
    (let ((roam-semantic-transport 'epc))
      (should (eq 'jsonrpc (roam-semantic-server-wire))))))

(ert-deftest roam-semantic-json-arguments-keep-their-kind ()
  (should (equal "{\"query\":\"x\",\"max_chars\":5,\"tags\":[\"a\",\"b\"],\"deep\":false,\"all\":true}"
                 (json-serialize (roam-semantic-jsonrpc--object
                                  '(:query "x" :max-chars 5 :tags ("a" "b") :deep :false :all t))
                                 :false-object :json-false)))
  (should (equal "{}" (json-serialize (roam-semantic-jsonrpc--object nil)))))

(provide 'test-wires)
;;; test-wires.el ends here
