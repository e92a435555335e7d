;;; test-mode.el --- Tests of freshness and of the mode line  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Code:

(require 'roam-semantic-test)
(require 'roam-semantic-mode)

(defun roam-semantic-test-timers ()
  "Return the functions of all timers of the mode."
  (seq-filter (lambda (function)
                (and (symbolp function)
                     (string-prefix-p "roam-semantic-mode" (symbol-name function))))
              (mapcar #'timer--function (append timer-list timer-idle-list))))

(defmacro roam-semantic-test-with-mode (replies &rest body)
  "Run BODY with the mode on and a fake server with REPLIES.
Afterwards neither hook nor timer nor request of the mode may be left."
  (declare (indent 1) (debug (form body)))
  `(let ((roam-semantic-mode-start-idle-s 9999))
     (roam-semantic-test-with-replies ,replies
       (unwind-protect
           (progn (roam-semantic-mode 1) ,@body)
         (roam-semantic-mode -1))
       (should-not roam-semantic-mode--now)
       (should-not (memq #'roam-semantic-mode--saved (default-value 'after-save-hook)))
       (should-not (roam-semantic-test-timers))
       (should (zerop (hash-table-count (roam-semantic-server-exchanges
                                         roam-semantic-server-current)))))))

(defun roam-semantic-test-asked (operation)
  "Return how often the newest fake wire was asked for OPERATION."
  (seq-count (lambda (request) (eq operation (nth 1 request)))
             (and roam-semantic-test-wires
                  (roam-semantic-test-transport-sent (car roam-semantic-test-wires)))))

(defun roam-semantic-test-watch ()
  "Begin to watch as an idle Emacs does."
  (roam-semantic-mode--watch roam-semantic-mode--now))

(defun roam-semantic-test-save (file)
  "Act as after a save of FILE, and then as if idle."
  (with-temp-buffer
    (setq buffer-file-name file)
    (unwind-protect
        (run-hooks 'after-save-hook)
      (setq buffer-file-name nil)))
  (when (roam-semantic-mode--life-saved roam-semantic-mode--now)
    (cancel-timer (roam-semantic-mode--life-save-timer roam-semantic-mode--now))
    (roam-semantic-mode--tell roam-semantic-mode--now)))

(defun roam-semantic-test-mode-note ()
  "Return the name of a note in the vault of the fake server."
  (expand-file-name "note.org" temporary-file-directory))

;;; What is shown

(defconst roam-semantic-test-states
  '((nil . " RS-")
    (starting . " RS…")
    ((roam-semantic-unavailable "gone" "") . " RS!")
    ((:state "ready" :index (:indexed 9 :total 9)) . " RS")
    ((:state "empty" :index (:indexed 0 :total 0)) . " RS 0%")
    ((:state "stale" :index (:indexed 9 :total 9 :stale-files 3)) . " RS~3")
    ((:state "stale" :index (:indexed 5 :total 9 :pending 4)) . " RS~")
    ((:state "indexing" :index (:indexed 1 :total 3) :job (:done 42 :total 100)) . " RS 42%")
    ((:state "indexing" :index (:indexed 1 :total 3) :job (:done 0 :total 0)) . " RS 33%")
    ((:state "indexing" :index (:indexed 0 :total 3) :job (:done 7 :total 7)) . " RS 0%")
    ((:state "indexing" :index (:indexed 3 :total 3)) . " RS 99%"))
  "Alist (STATE . LIGHTER).")

(ert-deftest roam-semantic-the-lighter-tells-each-state ()
  (pcase-dolist (`(,state . ,lighter) roam-semantic-test-states)
    (should (equal lighter (roam-semantic-state-lighter state)))))

(ert-deftest roam-semantic-the-tooltip-tells-coverage-and-trouble ()
  (let ((roam-semantic-server-current (make-roam-semantic-server))
        (roam-semantic-state-last
         '(:state "indexing"
                  :index (:indexed 1200 :total 1300 :pending 90 :failed 10 :age-s 2.0
                                   :model "m" :stale-files 3)
                  :job (:operation "index" :done 5 :total 10 :rate 9.6 :left-s 4 :phase "embedding")
                  :message "the disk is slow")))
    (should (equal (string-join
                    '("Server: not running; the next question starts it"
                      "Index: 1,200 of 1,300 passages, 90 to do, 10 failed"
                      "3 files are newer than the index"
                      "Model: m; files looked at 2.0 s before this was told"
                      "Indexing, embedding: 5 of 10 (50%), 10/s, 4.0 s left"
                      "The disk is slow")
                    "\n")
                   (roam-semantic-state-text)))))

(ert-deftest roam-semantic-the-tooltip-names-the-remedy ()
  (let ((roam-semantic-state-last '(:state "empty" :index (:total 0))))
    (should (string-suffix-p "Index: empty; M-x roam-semantic-index reads the notes"
                             (roam-semantic-state-text))))
  (let ((roam-semantic-state-last '(roam-semantic-unavailable "it is gone" "start it")))
    (should (string-search "Failed: It is gone; start it" (roam-semantic-state-text)))))

(ert-deftest roam-semantic-the-mode-line-is-drawn-only-when-it-changes ()
  (let ((roam-semantic-mode-lighter "") (roam-semantic-state-last nil) (drawn 0))
    (cl-letf (((symbol-function 'force-mode-line-update)
               (lambda (&optional _all) (cl-incf drawn))))
      (dolist (total '(9 9 10))
        (roam-semantic-mode--show (list :state "ready" :index (list :total total))))
      (should (= 1 drawn))
      (roam-semantic-mode--show 'starting)
      (should (= 2 drawn)))))

(ert-deftest roam-semantic-the-lighter-has-a-tooltip-and-a-menu ()
  (let ((roam-semantic-mode-lighter "") (roam-semantic-state-last nil))
    (roam-semantic-mode--show 'starting)
    (should (string-suffix-p "mouse-1: menu"
                             (funcall (get-text-property 1 'help-echo
                                                         roam-semantic-mode-lighter))))
    (should (commandp (lookup-key (get-text-property 1 'local-map roam-semantic-mode-lighter)
                                  [mode-line mouse-1])))
    (should (get 'roam-semantic-mode-lighter 'risky-local-variable))))

;;; The watch

(ert-deftest roam-semantic-turning-the-mode-on-starts-nothing-yet ()
  (roam-semantic-test-with-mode nil
    (should (eq 'stopped (roam-semantic-server-state roam-semantic-server-current)))
    (should (equal " RS-" (substring-no-properties roam-semantic-mode-lighter)))
    (should (memq #'roam-semantic-mode--watch (roam-semantic-test-timers)))))

(ert-deftest roam-semantic-a-watch-is-followed-by-the-next-one ()
  (roam-semantic-test-with-mode
      '((watch :answers (:seen "t1" :state "stale" :index (:total 2 :stale-files 2))))
    (roam-semantic-test-watch)
    (should (equal " RS…" (substring-no-properties roam-semantic-mode-lighter)))
    (roam-semantic-test-wait (lambda () (>= (roam-semantic-test-asked 'watch) 2)))
    (should (equal " RS~2" (substring-no-properties roam-semantic-mode-lighter)))
    (should (equal "t1" (plist-get (nth 2 (roam-semantic-test-sent)) :seen)))))

(ert-deftest roam-semantic-pauses-double-up-to-a-minute ()
  (should (equal '(1 2 4 8 16 32 60 60 60)
                 (mapcar #'roam-semantic-mode--pause-s '(1 2 3 4 5 6 7 8 5000)))))

(ert-deftest roam-semantic-a-dead-server-is-shown-and-tried-again ()
  (roam-semantic-test-with-mode '((watch :dies "killed"))
    (roam-semantic-test-watch)
    (roam-semantic-test-wait
     (lambda () (equal " RS!" (substring-no-properties roam-semantic-mode-lighter))))
    (should (= 1 (roam-semantic-mode--life-failures roam-semantic-mode--now)))
    (should (roam-semantic-mode--life-watch-timer roam-semantic-mode--now))
    (setq roam-semantic-server-open-function
          (roam-semantic-test-open '((watch :answers (:seen "b" :state "ready")))))
    (roam-semantic-test-wait
     (lambda () (equal " RS" (substring-no-properties roam-semantic-mode-lighter))))
    (should (zerop (roam-semantic-mode--life-failures roam-semantic-mode--now)))))

(ert-deftest roam-semantic-another-server-is-told-of-no-token ()
  (roam-semantic-test-with-mode '((watch . nil))
    (setf (roam-semantic-mode--life-seen roam-semantic-mode--now) "of the first")
    (roam-semantic-test-watch)
    (roam-semantic-test-wait (lambda () (= 1 (roam-semantic-test-asked 'watch))))
    (should (equal "" (plist-get (nth 2 (roam-semantic-test-sent)) :seen)))))

(ert-deftest roam-semantic-a-stopped-server-is-left-alone-until-another-starts-it ()
  (roam-semantic-test-with-mode '((watch . nil))
    (roam-semantic-test-watch)
    (roam-semantic-test-wait (lambda () (= 1 (roam-semantic-test-asked 'watch))))
    (roam-semantic-stop)
    (roam-semantic-test-wait
     (lambda () (null (roam-semantic-mode--life-watch roam-semantic-mode--now))))
    (should (equal " RS-" (substring-no-properties roam-semantic-mode-lighter)))
    (should (eq 'stopped (roam-semantic-server-state roam-semantic-server-current)))
    (let ((id (roam-semantic-request 'status nil :errback #'ignore)))
      (roam-semantic-mode--look roam-semantic-mode--now)
      (roam-semantic-cancel-request id))
    (roam-semantic-test-wait (lambda () (= 1 (roam-semantic-test-asked 'watch))))))

(ert-deftest roam-semantic-cancelling-everything-does-not-end-the-watch ()
  (roam-semantic-test-with-mode '((watch . nil))
    (roam-semantic-test-watch)
    (roam-semantic-test-wait (lambda () (= 1 (roam-semantic-test-asked 'watch))))
    (roam-semantic-cancel)
    (should (roam-semantic-mode--life-watch roam-semantic-mode--now))
    (should-not (roam-semantic-test-transport-cancelled (car roam-semantic-test-wires)))))

(ert-deftest roam-semantic-the-mode-does-not-load-org-roam ()
  (roam-semantic-test-with-mode '((watch . nil))
    ;; A plain let binds `features' lexically, special though it looks.
    (cl-progv '(features) (list (remq 'org-roam features))
      (roam-semantic-test-watch)
      (roam-semantic-test-save (roam-semantic-test-mode-note))
      (should-not (featurep 'org-roam))
      (should (eq 'stopped (roam-semantic-server-state roam-semantic-server-current))))
    (roam-semantic-mode--look roam-semantic-mode--now)
    (should (roam-semantic-mode--life-watch roam-semantic-mode--now))))

(ert-deftest roam-semantic-the-watch-goes-with-the-vault-of-the-server ()
  "A buffer of another vault must not make two servers end each other."
  (roam-semantic-test-with-mode '((status :answers nil) (watch . nil))
    (let ((org-roam-directory (expand-file-name "elsewhere" temporary-file-directory)))
      (make-directory org-roam-directory t)
      (roam-semantic-call 'status nil))
    (delete-directory (expand-file-name "elsewhere" temporary-file-directory))
    (roam-semantic-test-watch)
    (roam-semantic-test-wait (lambda () (= 1 (roam-semantic-test-asked 'watch))))
    (should (= 1 (length roam-semantic-test-wires)))))

;;; Saves

(ert-deftest roam-semantic-a-save-in-the-vault-is-told ()
  (roam-semantic-test-with-mode '((refresh :answers (:index nil)) (watch . nil))
    (roam-semantic-test-save (roam-semantic-test-mode-note))
    (roam-semantic-test-wait (lambda () (= 1 (roam-semantic-test-asked 'refresh))))
    (roam-semantic-test-wait (lambda () (= 1 (roam-semantic-test-asked 'watch))))))

(ert-deftest roam-semantic-other-saves-start-nothing ()
  (roam-semantic-test-with-mode '((refresh . nil))
    (dolist (file (list (expand-file-name "a.el" temporary-file-directory)
                        "/elsewhere/a.org" "/ssh:host:/tmp/a.org"))
      (roam-semantic-test-save file))
    (should-not (roam-semantic-mode--life-refresh roam-semantic-mode--now))
    (should (eq 'stopped (roam-semantic-server-state roam-semantic-server-current)))))

(ert-deftest roam-semantic-saves-during-a-refresh-make-one-more ()
  (roam-semantic-test-with-mode '((refresh . nil) (watch . nil))
    (dotimes (_ 5)
      (roam-semantic-test-save (roam-semantic-test-mode-note)))
    (roam-semantic-test-wait (lambda () (= 1 (roam-semantic-test-asked 'refresh))))
    (let ((wire (car roam-semantic-test-wires)))
      (setf (roam-semantic-test-transport-replies wire) '((refresh :answers (:index nil))))
      (roam-semantic-transport-deliver
       wire 'answer (roam-semantic-mode--life-refresh roam-semantic-mode--now) nil))
    (roam-semantic-test-wait
     (lambda () (null (roam-semantic-mode--life-refresh roam-semantic-mode--now))))
    (should (= 2 (roam-semantic-test-asked 'refresh)))
    (should-not (roam-semantic-mode--life-again roam-semantic-mode--now))))

(ert-deftest roam-semantic-a-save-does-nothing-but-start-one-timer ()
  (roam-semantic-test-with-mode nil
    (with-temp-buffer
      (setq buffer-file-name (roam-semantic-test-mode-note))
      (unwind-protect
          (dotimes (_ 3)
            (run-hooks 'after-save-hook))
        (setq buffer-file-name nil)))
    (should (= 1 (seq-count (lambda (function) (eq function #'roam-semantic-mode--tell))
                            (roam-semantic-test-timers))))
    (should (eq 'stopped (roam-semantic-server-state roam-semantic-server-current)))))

(provide 'test-mode)
;;; test-mode.el ends here
