;;; test-trouble.el --- Servers that hang, die, babble or are not there  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; Real processes, over both wires.  Whatever happens, a call ends at its
;; deadline, its message says what to do, timers run meanwhile, and a later
;; call works in the same Emacs.

;;; Code:

(require 'roam-semantic-test)
(require 'roam-semantic-jsonrpc)

(defmacro roam-semantic-test-trouble (command &rest body)
  "Run BODY while COMMAND, a list, is the program of the server.
It finds the package beside these files."
  (declare (indent 1) (debug (form body)))
  `(let ((roam-semantic-command ,command)
         (roam-semantic-environment
          (cons (concat "PYTHONPATH=" (directory-file-name (roam-semantic-program-source)))
                roam-semantic-environment)))
     ,@body))

(defun roam-semantic-test-noisy ()
  "Return the command of a server with noise around all it says."
  (list (roam-semantic-test-python)
        (expand-file-name "tests/elisp/noisy.py" roam-semantic-test-root)))

(defun roam-semantic-test-fails (&optional deadline-s)
  "Call the server, which must fail; return the condition.
Timers must run while Emacs waits.  DEADLINE-S is in seconds."
  (let* ((ticks 0)
         (timer (run-at-time 0 0.02 (lambda () (setq ticks (1+ ticks))))))
    (unwind-protect
        (let ((condition (roam-semantic-test-condition
                          (lambda ()
                            (roam-semantic-call 'status nil :deadline-s (or deadline-s 30))))))
          (should condition)
          (should (> ticks 0))
          condition)
      (cancel-timer timer))))

(defun roam-semantic-test-works ()
  "Fail unless the server answers."
  (should (equal roam-semantic-version
                 (plist-get (roam-semantic-call 'status nil) :version))))

(defun roam-semantic-test-child (process)
  "Return the process id of the child of PROCESS."
  (seq-find (lambda (pid)
              (eql (process-id process) (alist-get 'ppid (process-attributes pid))))
            (list-system-processes)))

(roam-semantic-test-over-both a-hung-server-is-ended-and-the-next-one-answers
  "It is asked for a sign of life once a deadline has passed in silence."
  (let ((roam-semantic-watchdog-s 0.3))
    (roam-semantic-test-trouble (roam-semantic-test-noisy)
      (roam-semantic-test-works)
      ;; What Emacs started runs on; the server itself does nothing any more.
      (let* ((process (roam-semantic-server-process roam-semantic-server-current))
             (server (roam-semantic-test-child process)))
        (signal-process server 'SIGSTOP)
        (let ((condition (roam-semantic-test-fails 0.3)))
          (should (eq 'roam-semantic-unavailable (car condition)))
          (should (equal "the server did not answer within 0.3 seconds" (nth 1 condition)))
          (should (string-search "M-x roam-semantic-doctor" (nth 2 condition))))
        (roam-semantic-test-wait (lambda () (not (process-live-p process))))
        (roam-semantic-test-wait (lambda () (not (memq server (list-system-processes)))))))
    (roam-semantic-test-works)))

(roam-semantic-test-over-both a-stopped-server-is-ended-and-the-next-one-answers
  "Emacs may notice it by itself."
  (let ((roam-semantic-watchdog-s 0.3))
    (roam-semantic-test-works)
    (let ((process (roam-semantic-server-process roam-semantic-server-current)))
      (signal-process (process-id process) 'SIGSTOP)
      (should (string-match-p "stopped from outside\\|did not answer within 0.3 seconds"
                              (nth 1 (roam-semantic-test-fails 0.3))))
      (roam-semantic-test-wait (lambda () (not (process-live-p process)))))
    (roam-semantic-test-works)))

(roam-semantic-test-over-both noise-on-standard-output-is-no-harm
  "Before the port or the first message, between messages, within a line."
  (roam-semantic-test-trouble (roam-semantic-test-noisy)
    (roam-semantic-test-works)
    (should (string-search
             roam-semantic-test-odd-text
             (plist-get (roam-semantic-call 'get-node '(:node "odd-text")) :text)))
    (roam-semantic-test-works)))

(roam-semantic-test-over-both endless-noise-is-given-up
  "Nothing else would ever come."
  (roam-semantic-test-trouble '("sh" "-c" "yes")
    (should (string-search "it prints other things than its"
                           (nth 1 (roam-semantic-test-fails)))))
  (roam-semantic-test-works))

(roam-semantic-test-over-both a-slow-start-is-waited-for
  "Calls made meanwhile are answered once it has said hello."
  (roam-semantic-test-trouble
      (list "sh" "-c" "sleep 1; exec \"$0\" -m roam_semantic \"$1\""
            (roam-semantic-test-python))
    (roam-semantic-test-works)))

(roam-semantic-test-over-both a-server-that-never-says-hello-is-given-up
  "Neither a port nor a message comes."
  (let ((roam-semantic-start-timeout-s 0.3))
    (roam-semantic-test-trouble '("sh" "-c" "exec sleep 60")
      (let ((condition (roam-semantic-test-fails)))
        (should (equal "the server did not start: no greeting within 0.3 seconds"
                       (nth 1 condition)))
        (should (string-search "M-x roam-semantic-doctor" (nth 2 condition))))))
  (roam-semantic-test-works))

(roam-semantic-test-over-both a-python-that-is-not-there-is-told
  "The option that names it, and the command that installs one."
  (let ((roam-semantic-python "/nowhere/python"))
    (let ((condition (roam-semantic-test-fails)))
      (should (eq 'roam-semantic-not-ready (car condition)))
      (should (string-search "/nowhere/python" (nth 1 condition)))
      (should (string-search "`roam-semantic-python'" (nth 2 condition)))))
  (roam-semantic-test-works))

(roam-semantic-test-over-both a-python-without-the-program-is-told
  "What it misses is said, and the command that installs it."
  (cl-letf (((symbol-function 'roam-semantic-program-remedy)
             (let ((remedy (symbol-function 'roam-semantic-program-remedy)))
               (lambda (&rest words)
                 (let ((roam-semantic-command nil) (roam-semantic-python nil))
                   (apply remedy words))))))
    (let ((roam-semantic-command (list (roam-semantic-test-python) "-I" "-S"
                                       "-m" "roam_semantic")))
      (let ((condition (roam-semantic-test-fails)))
        (should (string-search "No module named roam_semantic" (nth 1 condition)))
        (should (string-search "M-x roam-semantic-install" (nth 2 condition))))))
  (roam-semantic-test-works))

(roam-semantic-test-over-both starts-from-a-remote-or-deleted-folder
  "Its own folder is one of this machine that stays."
  (roam-semantic-test-without-connections
    (dolist (folder '("/ssh:nowhere.invalid:/x/" "/nowhere/at/all/"))
      (let ((default-directory folder))
        (roam-semantic-test-works)
        (roam-semantic-stop)))))

(roam-semantic-test-over-both another-version-is-refused
  "Both versions are named; the right one works at once."
  (roam-semantic-test-trouble
      (list (roam-semantic-test-python) "-c"
            "import sys, roam_semantic
roam_semantic.__version__ = '99.0.0'
from roam_semantic.__main__ import main
sys.exit(main())")
    (let ((condition (roam-semantic-test-fails)))
      (should (eq 'roam-semantic-not-ready (car condition)))
      (should (equal (format "the server is version 99.0.0, the Emacs package is version %s"
                             roam-semantic-version)
                     (nth 1 condition)))))
  (roam-semantic-test-works))

(roam-semantic-test-over-both a-server-that-keeps-dying-is-warned-of-once
  "The doctor is named; after `roam-semantic-restart' all is well again."
  (let (warnings)
    (cl-letf (((symbol-function 'display-warning)
               (lambda (_type text &rest _) (push text warnings))))
      (roam-semantic-test-trouble '("sh" "-c" "echo broken >&2; exit 7")
        (dotimes (_ roam-semantic-restart-limit)
          (should (equal "the server did not start (exit code 7): broken"
                         (nth 1 (roam-semantic-test-fails)))))
        (dotimes (_ 2)
          (should (string-search "ended 3 times" (nth 1 (roam-semantic-test-fails)))))
        (roam-semantic-test-wait (lambda () warnings))
        (should (= 1 (length warnings)))
        (should (string-search "M-x roam-semantic-doctor" (car warnings)))))
    (should-error (roam-semantic-call 'status nil) :type 'roam-semantic-unavailable)
    (roam-semantic-restart)
    (roam-semantic-test-works)))

(ert-deftest roam-semantic-json-messages-are-found-in-any-pieces ()
  "Cut anywhere, with noise between, each arrives whole and once."
  (let* ((message (lambda (text)
                    (let ((bytes (encode-coding-string text 'utf-8)))
                      (format "Content-Length: %d\r\n\r\n%s" (length bytes) bytes))))
         (stream (concat "noise\n" (funcall message "{\"Ж\"}") "7: noise\r\n"
                         (funcall message "two") (funcall message "") "tail")))
    (dotimes (size (length stream))
      (let ((transport (make-roam-semantic-jsonrpc))
            (rest stream)
            taken)
        (while (not (string-empty-p rest))
          (let ((piece (min (1+ size) (length rest))))
            (roam-semantic-jsonrpc--read transport (substring rest 0 piece)
                                         (lambda (text) (push text taken)))
            (setq rest (substring rest piece))))
        (should (equal '("Content-Length: 6\r\n\r\n{\"Ж\"}" "Content-Length: 3\r\n\r\ntwo"
                         "Content-Length: 0\r\n\r\n")
                       (nreverse taken)))))))

(provide 'test-trouble)
;;; test-trouble.el ends here
