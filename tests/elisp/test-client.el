;;; test-client.el --- Tests of asking  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Code:

(require 'roam-semantic-test)

(ert-deftest roam-semantic-call-returns-what-the-server-said ()
  (roam-semantic-test-with-replies '((search :answers (:hits (1 2))))
    (should (equal '(:hits (1 2)) (roam-semantic-call 'search '(:query "x"))))))

(ert-deftest roam-semantic-call-signals-what-the-server-said ()
  "A failure keeps its kind and its hint on the way to the caller."
  (roam-semantic-test-with-replies
      '((search :fails roam-semantic-not-ready "the index is empty" "wait"))
    (should (equal '(roam-semantic-not-ready "the index is empty" "wait")
                   (should-error (roam-semantic-call 'search '(:query "x"))
                                 :type 'roam-semantic-error)))))

(ert-deftest roam-semantic-ask-tells-a-person ()
  (roam-semantic-test-with-replies
      '((search :fails roam-semantic-not-ready "100% empty" "run `roam-semantic index`"))
    (should (equal '(user-error "100% empty; run M-x roam-semantic-index")
                   (should-error (roam-semantic-ask 'search '(:query "x"))
                                 :type 'user-error)))))

(ert-deftest roam-semantic-call-gives-up-at-its-deadline-and-cancels ()
  (roam-semantic-test-with-replies '((search . nil))
    (should-error (roam-semantic-call 'search '(:query "x") :deadline-s 0.05)
                  :type 'roam-semantic-unavailable)
    (let ((wire (car roam-semantic-test-wires)))
      ;; The newest is the question whether the server lives.
      (should (equal '(search status)
                     (nreverse (mapcar #'cadr (roam-semantic-test-transport-sent wire)))))
      (should (equal (list (caar (last (roam-semantic-test-transport-sent wire))))
                     (roam-semantic-test-transport-cancelled wire))))))

(ert-deftest roam-semantic-quitting-cancels-in-the-server ()
  (roam-semantic-test-with-replies '((search . nil))
    (should (eq 'quit
                (condition-case nil
                    ;; A person quits while Emacs waits, and so does this.
                    (cl-letf (((symbol-function 'accept-process-output)
                               (let ((wait (symbol-function 'accept-process-output)))
                                 (lambda (&rest arguments)
                                   (apply wait arguments)
                                   (when (roam-semantic-test-sent)
                                     (signal 'quit nil))))))
                      (roam-semantic-call 'search '(:query "x")))
                  (quit 'quit))))
    (should (= 1 (length (roam-semantic-test-transport-cancelled
                          (car roam-semantic-test-wires)))))
    (should (zerop (hash-table-count
                    (roam-semantic-server-exchanges roam-semantic-server-current))))))

(ert-deftest roam-semantic-request-returns-before-the-answer ()
  (roam-semantic-test-with-replies '((search :answers "later"))
    (let (got)
      (should (integerp (roam-semantic-request 'search '(:query "x")
                                               :callback (lambda (answer) (setq got answer)))))
      (should-not got)
      (roam-semantic-test-wait (lambda () got))
      (should (equal "later" got)))))

(ert-deftest roam-semantic-a-callback-runs-in-the-buffer-of-the-request ()
  (roam-semantic-test-with-replies '((search :answers "here"))
    (let (where)
      (with-temp-buffer
        (rename-buffer "asking" t)
        (roam-semantic-request 'search nil
                               :callback (lambda (_) (setq where (buffer-name))))
        (with-temp-buffer
          (roam-semantic-test-wait (lambda () where)))
        (should (equal "asking" where))))))

(ert-deftest roam-semantic-a-callback-of-a-dead-buffer-never-runs ()
  (roam-semantic-test-with-replies '((search :answers "nobody") (status :answers "ok"))
    (let (called)
      (with-temp-buffer
        (roam-semantic-request 'search nil :callback (lambda (_) (setq called t))))
      (should (equal "ok" (roam-semantic-call 'status nil)))
      (should-not called))))

(ert-deftest roam-semantic-errback-gets-the-condition ()
  (roam-semantic-test-with-replies '((search :fails roam-semantic-not-found "no" ""))
    (let (got)
      (roam-semantic-request 'search nil :errback (lambda (condition) (setq got condition)))
      (roam-semantic-test-wait (lambda () got))
      (should (equal '(roam-semantic-not-found "no" "") got)))))

(ert-deftest roam-semantic-progress-comes-before-the-answer ()
  (roam-semantic-test-with-replies
      '((index :reports (:done 1) :reports (:done 2) :answers "done"))
    (let (seen)
      (should (equal "done"
                     (roam-semantic-call 'index nil
                                         :progress (lambda (report)
                                                     (push (plist-get report :done) seen)))))
      (should (equal '(2 1) seen)))))

(ert-deftest roam-semantic-a-callback-may-call-itself ()
  "A call within a callback, within a call: each gets its own answer."
  (roam-semantic-test-with-replies '((search :answers "outer") (status :answers "inner"))
    (let (inner)
      (roam-semantic-request 'status nil
                             :callback (lambda (_)
                                         (setq inner (roam-semantic-call 'status nil))))
      (should (equal "outer" (roam-semantic-call 'search nil)))
      (should (equal "inner" inner)))))

(ert-deftest roam-semantic-a-cancelled-request-hears-so-once ()
  (roam-semantic-test-with-replies '((index . nil))
    (let* (heard
           (id (roam-semantic-request 'index nil
                                      :errback (lambda (condition) (push (car condition) heard)))))
      (roam-semantic-test-wait (lambda () roam-semantic-test-wires))
      (roam-semantic-cancel-request id)
      (roam-semantic-cancel-request id)
      (should (equal '(roam-semantic-cancelled) heard)))))

(ert-deftest roam-semantic-nil-arguments-are-not-sent ()
  (roam-semantic-test-with-replies '((search :answers t))
    (roam-semantic-call 'search (list :query (propertize "x" 'face 'bold) :k nil :deep :false))
    (should (equal-including-properties '(:query "x" :deep :false)
                                        (nth 2 (roam-semantic-test-sent))))))

(ert-deftest roam-semantic-broken-characters-are-replaced ()
  (should (equal '(:query "a\ufffdb" :tags ("\ufffd"))
                 (roam-semantic-transport-plain
                  (list :query "a\xff\ b" :tags (list (string #xd800))))))
  (should (equal "Ж 盧 🗃" (roam-semantic-transport-plain "Ж 盧 🗃"))))

(ert-deftest roam-semantic-a-request-of-ten-megabytes-is-refused-here ()
  (should-error (roam-semantic-transport-check (list :query (make-string 10000000 ?x)))
                :type 'roam-semantic-bad-request))

(provide 'test-client)
;;; test-client.el ends here
