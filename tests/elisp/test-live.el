;;; test-live.el --- Tests of hits while typing  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Code:

(require 'roam-semantic-test)
(require 'roam-semantic-find)
(require 'roam-semantic-live)

(defvar org-roam-dailies-directory)

(defun roam-semantic-test-found (&rest titles)
  "Return an answer with a hit for each of TITLES, best first."
  (list :hits (mapcar (lambda (title)
                        (list :node-id (concat "id-" title) :title title
                              :file "/notes/a.org" :line 1 :pos 1 :score 0.5))
                      titles)
        :index '(:total 9 :pending 0)))

(defmacro roam-semantic-test-with-live (&rest body)
  "Run BODY with `live', whose server is silent until told; `events' is its news."
  (declare (indent 0) (debug (body)))
  `(roam-semantic-test-with-replies nil
     (let* (events
            (live (make-roam-semantic-live
                   :on-change (lambda (_live event) (push event events)))))
       (ignore events)
       (unwind-protect
           (progn ,@body)
         (roam-semantic-live-stop live)))))

(defun roam-semantic-test-questions ()
  "Return what the server was asked: (ID OPERATION ARGUMENTS …), oldest first.
Wait until something was."
  (roam-semantic-test-wait
   (lambda ()
     (and roam-semantic-test-wires
          (reverse (roam-semantic-test-transport-sent (car roam-semantic-test-wires)))))))

(defun roam-semantic-test-answer (number kind value)
  "Deliver VALUE of KIND to the request that was sent as the NUMBERth."
  (let ((wire (car roam-semantic-test-wires)))
    (roam-semantic-transport-deliver wire kind
                                     (car (nth number (roam-semantic-test-questions))) value)
    ;; Deliveries are made from timers, one after the other.
    (roam-semantic-test-wait (lambda () (null (roam-semantic-transport-queue wire))))))

(defun roam-semantic-test-shown (live)
  "Return the candidates of LIVE as plain strings."
  (mapcar #'substring-no-properties (roam-semantic-live-candidates live)))

(ert-deftest roam-semantic-words-answer-first-and-meaning-joins ()
  (roam-semantic-test-with-live
    (roam-semantic-live-ask live "rest at night")
    (should (equal '((:query "rest at night" :k 20 :mode "words"))
                   (mapcar #'caddr (roam-semantic-test-questions))))
    (roam-semantic-test-answer 0 'answer (roam-semantic-test-found "Night"))
    (should (equal '("Night") (roam-semantic-test-shown live)))
    (should (equal '(:query "rest at night" :k 20) (nth 2 (roam-semantic-test-sent))))
    (roam-semantic-test-answer 1 'answer (roam-semantic-test-found "Sleep" "Night"))
    (should (equal '("Sleep" "Night") (roam-semantic-test-shown live)))
    (should (equal '(full words asked) events))
    (should-not (roam-semantic-live-requests live))))

(ert-deftest roam-semantic-a-superseded-question-is-cancelled-in-the-server ()
  (roam-semantic-test-with-live
    (roam-semantic-live-ask live "rest")
    (let ((first (mapcar #'car (roam-semantic-test-questions))))
      (roam-semantic-live-ask live "rest at")
      (should (equal first
                     (sort (copy-sequence
                            (roam-semantic-test-transport-cancelled
                             (car roam-semantic-test-wires)))
                           #'<)))
      (should (= 2 (length (roam-semantic-test-questions))))
      ;; Being cancelled is no failure to tell of.
      (should-not (memq 'failed events)))))

(ert-deftest roam-semantic-typing-on-withdraws-before-the-pause-is-over ()
  (roam-semantic-test-with-live
    (roam-semantic-live-ask live "rest")
    (roam-semantic-test-questions)
    (roam-semantic-live-ask-soon live "rest at")
    (should-not (roam-semantic-live-requests live))
    (should (= 1 (length (roam-semantic-test-transport-cancelled
                          (car roam-semantic-test-wires)))))
    (roam-semantic-test-wait (lambda () (= 2 (length (roam-semantic-test-questions)))))))

(ert-deftest roam-semantic-a-question-typed-back-is-asked-again ()
  (roam-semantic-test-with-live
    (roam-semantic-live-ask live "rest")
    (roam-semantic-test-questions)
    (roam-semantic-live-withdraw live)
    (roam-semantic-live-ask live "rest")
    (should (= 2 (length (roam-semantic-test-questions))))))

(ert-deftest roam-semantic-an-answered-question-is-not-asked-again ()
  (roam-semantic-test-with-live
    (roam-semantic-live-ask live "rest")
    (roam-semantic-test-answer 0 'answer (roam-semantic-test-found "Sleep"))
    (roam-semantic-test-answer 1 'answer (roam-semantic-test-found "Sleep"))
    (roam-semantic-live-ask live "rest")
    (should (= 2 (length (roam-semantic-test-questions))))))

(ert-deftest roam-semantic-late-answers-are-dropped ()
  (roam-semantic-test-with-live
    (roam-semantic-live-ask live "rest")
    (roam-semantic-test-questions)
    (roam-semantic-live-ask live "tea")
    (roam-semantic-test-answer 1 'answer (roam-semantic-test-found "Tea"))
    (roam-semantic-test-answer 0 'answer (roam-semantic-test-found "Sleep"))
    (roam-semantic-test-answer 2 'answer (roam-semantic-test-found "Tea" "Cup"))
    (roam-semantic-test-answer 0 'answer (roam-semantic-test-found "Sleep"))
    (should (equal '("Tea" "Cup") (roam-semantic-test-shown live)))
    (should (equal '(full words asked asked) events))))

(ert-deftest roam-semantic-nothing-comes-after-the-end ()
  (roam-semantic-test-with-live
    (roam-semantic-live-ask live "rest")
    (roam-semantic-test-questions)
    (roam-semantic-live-stop live)
    (roam-semantic-test-answer 0 'answer (roam-semantic-test-found "Sleep"))
    (should-not (roam-semantic-live-candidates live))
    (should (equal '(asked) events))))

(ert-deftest roam-semantic-nothing-is-asked-for-a-letter ()
  (roam-semantic-test-with-live
    (roam-semantic-live-ask live "r ")
    (should-not roam-semantic-test-wires)
    ;; One sign of Chinese is a word.
    (roam-semantic-live-ask live "茶")
    (should (= 1 (length (roam-semantic-test-questions))))))

(ert-deftest roam-semantic-a-failure-leaves-what-words-found-and-says-why ()
  (roam-semantic-test-with-live
    (roam-semantic-live-ask live "rest")
    (roam-semantic-test-answer 0 'answer (roam-semantic-test-found "Rest"))
    (roam-semantic-test-answer 1 'failure
                               '(roam-semantic-unavailable "the model is gone" "call it"))
    (should (equal '("Rest") (roam-semantic-test-shown live)))
    (should (string-match-p "model is gone.*call it" (roam-semantic-live-limits live)))
    (should (eq 'failed (car events)))))

(ert-deftest roam-semantic-what-limits-an-answer-is-told ()
  (roam-semantic-test-with-live
    (roam-semantic-live-ask live "rest")
    (roam-semantic-test-answer 0 'answer (roam-semantic-test-found "Rest"))
    (should-not (roam-semantic-live-limits live))
    (roam-semantic-test-answer 1 'answer '(:hits nil :degraded ("vectors: no model")
                                                 :index (:total 9 :pending 3)))
    (should (equal "without vectors; 3 passages not indexed"
                   (roam-semantic-live-limits live)))))

(ert-deftest roam-semantic-narrowing-asks-the-server-again ()
  (let ((org-roam-dailies-directory "diary"))
    (roam-semantic-test-with-live
      (roam-semantic-live-ask live "rest")
      (roam-semantic-test-questions)
      (roam-semantic-live-ask live "rest" ?d)
      (roam-semantic-live-ask live "rest" ?c)
      (roam-semantic-live-ask live "rest" ?s)
      (roam-semantic-live-ask live "rest" ?t)
      (should (equal '("rest" "file:\"diary/\" rest" "type:claim rest"
                       "type:summary rest" "rest")
                     (mapcar (lambda (sent) (plist-get (nth 2 sent) :query))
                             (roam-semantic-test-questions))))
      (should (eq 'search (nth 1 (roam-semantic-test-sent))))
      (should (= 1 (length (roam-semantic-live-requests live)))))))

;;; What is selected

(defun roam-semantic-test-arranged (titles selected index)
  "Return the names for TITLES with the candidate SELECTED kept at INDEX."
  (let ((candidates (lambda (names)
                      (roam-semantic-hit-candidates
                       (plist-get (apply #'roam-semantic-test-found names) :hits)))))
    (mapcar #'substring-no-properties
            (roam-semantic-live-arrange (funcall candidates titles)
                                        (car (funcall candidates (list selected)))
                                        index))))

(ert-deftest roam-semantic-a-selected-candidate-stays-in-its-place ()
  (should (equal '("B" "C" "A" "D") (roam-semantic-test-arranged '("A" "B" "C" "D") "A" 2)))
  (should (equal '("A" "D" "B" "C") (roam-semantic-test-arranged '("A" "B" "C" "D") "D" 1)))
  ;; Also when the new answer has not found it, or is short.
  (should (equal '("A" "X" "B") (roam-semantic-test-arranged '("A" "B") "X" 1)))
  (should (equal '("A" "X") (roam-semantic-test-arranged '("A") "X" 5))))

(ert-deftest roam-semantic-a-selected-passage-stands-for-its-note ()
  (let* ((hit (lambda (&rest path) (list :node-id "a" :title "Tea" :file "/a.org"
                                         :line (length path) :outline-path path)))
         (names (make-hash-table :test #'equal))
         (selected (car (roam-semantic-hit-candidates (list (funcall hit "Black")) names)))
         (found (roam-semantic-hit-candidates
                 (list (funcall hit "Green" "Sencha") '(:node-id "b" :title "Cup")) names)))
    (should (equal '("Cup" "Tea › Black")
                   (mapcar #'substring-no-properties
                           (roam-semantic-live-arrange found selected 1))))))

(ert-deftest roam-semantic-the-order-does-not-jump-under-vertico ()
  (roam-semantic-test-with-live
    (with-temp-buffer
      (setf (roam-semantic-live-buffer live) (current-buffer))
      (roam-semantic-live-ask live "rest")
      (roam-semantic-test-answer 0 'answer (roam-semantic-test-found "A" "B" "C"))
      ;; What vertico keeps after two times down.
      (setq-local vertico--input '("rest" . 4)
                  vertico--index 2
                  vertico--lock-candidate t
                  vertico--candidates (roam-semantic-live-candidates live))
      (roam-semantic-test-answer 1 'answer (roam-semantic-test-found "C" "D" "A" "B"))
      (should (equal '("D" "A" "C" "B") (roam-semantic-test-shown live))))))

(ert-deftest roam-semantic-the-best-hit-goes-first-when-nothing-was-selected ()
  (roam-semantic-test-with-live
    (with-temp-buffer
      (setf (roam-semantic-live-buffer live) (current-buffer))
      (roam-semantic-live-ask live "rest")
      (roam-semantic-test-answer 0 'answer (roam-semantic-test-found "A" "B"))
      (setq-local vertico--input '("rest" . 4)
                  vertico--index 0
                  vertico--lock-candidate nil
                  vertico--candidates (roam-semantic-live-candidates live))
      (roam-semantic-test-answer 1 'answer (roam-semantic-test-found "B" "A"))
      (should (equal '("B" "A") (roam-semantic-test-shown live))))))

;;; In a minibuffer

(ert-deftest roam-semantic-the-table-offers-what-the-server-chose ()
  (let* ((live (make-roam-semantic-live
                :candidates (roam-semantic-hit-candidates
                             (plist-get (roam-semantic-test-found "Zebra" "Ape") :hits))))
         (table (roam-semantic-live--table live)))
    (with-temp-buffer
      (cl-letf (((symbol-function 'minibuffer-contents-no-properties) (lambda () "")))
        (roam-semantic-live--set-up live))
      (let ((metadata (completion-metadata "" table nil)))
        (should (eq 'org-roam-node (completion-metadata-get metadata 'category)))
        ;; What Emacs inserts it strips of its properties.
        (set-text-properties 0 3 nil (nth 1 (completion-all-completions "q" table nil 1)))
        (should (roam-semantic-hit-of (nth 1 (roam-semantic-live-candidates live))))
        ;; No letter of the question is in them.
        (should (equal '("Zebra" "Ape")
                       (completion-all-completions "quilt" table nil 5 metadata)))
        (should (equal '("quilt" . 5)
                       (completion-try-completion "quilt" table nil 5 metadata)))))))

(ert-deftest roam-semantic-hits-come-live-only-where-they-can-be-shown ()
  (let ((roam-semantic-find-live 'plain)
        (vertico-mode nil) (icomplete-mode nil) (fido-mode nil))
    (defvar vertico-mode)
    (defvar icomplete-mode)
    (defvar fido-mode)
    (should-not (roam-semantic-find--interface))
    (let ((vertico-mode t))
      (should (eq 'plain (roam-semantic-find--interface)))
      (let ((roam-semantic-find-live nil))
        (should-not (roam-semantic-find--interface)))
      (let ((completing-read-function #'ignore))
        (should-not (roam-semantic-find--interface))))))

(provide 'test-live)
;;; test-live.el ends here
