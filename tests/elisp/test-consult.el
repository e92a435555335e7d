;;; test-consult.el --- Tests of finding through consult  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Code:

(require 'roam-semantic-test)
(require 'consult nil t)
(require 'roam-semantic-consult)
(require 'org)

(defvar consult--narrow)
(defvar embark-default-action-overrides)
(defvar embark-keymap-alist)
(defvar embark-transformer-alist)

(defun roam-semantic-test-notes (&rest titles)
  "Return an answer with a hit for each of TITLES."
  (list :hits (mapcar (lambda (title) (list :node-id title :title title :file "/a.org"
                                            :line 1 :pos 1 :score 0.5))
                      titles)))

(defmacro roam-semantic-test-with-source (&rest body)
  "Run BODY with `source', what consult calls, and `passed', what it was handed.
The current buffer stands for the minibuffer; `live' is the question."
  (declare (indent 0) (debug (body)))
  `(roam-semantic-test-with-replies
       (list (list 'semantic-search :answers (roam-semantic-test-notes "Tea" "Cup")))
     (skip-unless (featurep 'consult))
     (with-temp-buffer
       (setq-local consult--narrow nil
                   roam-semantic-consult--typed (list nil))
       (let* ((live (make-roam-semantic-live))
              passed
              (source (funcall (roam-semantic-consult--source live)
                               (lambda (&rest action) (push action passed) nil))))
         (ignore passed)
         (unwind-protect
             (progn (funcall source 'setup) ,@body)
           (roam-semantic-live-stop live))))))

(defun roam-semantic-test-queries ()
  "Return the questions the newest fake wire was asked, oldest first."
  (and roam-semantic-test-wires
       (reverse (mapcar (lambda (sent) (plist-get (nth 2 sent) :query))
                        (roam-semantic-test-transport-sent (car roam-semantic-test-wires))))))

(ert-deftest roam-semantic-consult-gets-the-hits-in-one-step ()
  (roam-semantic-test-with-source
    (funcall source "tea")
    (roam-semantic-test-wait (lambda () (eq 'full (roam-semantic-live-stage live))))
    (let ((last (seq-take passed 3)))
      (should (equal '(refresh) (nth 0 last)))
      (should (equal '(("Tea" "Cup")) (nth 1 last)))
      (should (equal '(flush) (nth 2 last))))))

(ert-deftest roam-semantic-consult-shows-that-a-request-runs ()
  (roam-semantic-test-with-source
    (funcall source "tea")
    (roam-semantic-test-wait (lambda () (eq 'full (roam-semantic-live-stage live))))
    (should (equal '(running running finished)
                   (delq nil (mapcar (lambda (action)
                                       (pcase action
                                         (`(indicator ,state) state)
                                         (`([indicator ,state]) state)))
                                     (reverse passed)))))))

(ert-deftest roam-semantic-consult-s-empty-text-withdraws-the-question ()
  ;; Before 2.0 it empties the text, since then it says cancel.
  (dolist (action '("" cancel destroy))
    (roam-semantic-test-with-source
      (funcall source "tea")
      (should (roam-semantic-live-requests live))
      (funcall source action)
      (should-not (roam-semantic-live-requests live))
      ;; The same text afterwards is a new question.
      (funcall source "tea")
      (should (roam-semantic-live-requests live)))))

(ert-deftest roam-semantic-consult-asks-again-when-it-is-narrowed ()
  (roam-semantic-test-with-source
    (funcall source "tea")
    (roam-semantic-test-wait (lambda () (eq 'full (roam-semantic-live-stage live))))
    (run-hooks 'post-command-hook)
    (should (equal '("tea" "tea") (roam-semantic-test-queries)))
    (setq consult--narrow ?c)
    (run-hooks 'post-command-hook)
    (roam-semantic-test-wait (lambda () (eq 'full (roam-semantic-live-stage live))))
    (setq consult--narrow nil)
    (run-hooks 'post-command-hook)
    (roam-semantic-test-wait (lambda () (eq 'full (roam-semantic-live-stage live))))
    (should (equal '("tea" "tea" "type:claim tea" "type:claim tea" "tea" "tea")
                   (roam-semantic-test-queries)))))

(ert-deftest roam-semantic-consult-reads-with-what-it-documents ()
  (skip-unless (featurep 'consult))
  (let (asked
        (live (make-roam-semantic-live
               :query "tea"
               :candidates (roam-semantic-hit-candidates
                            (plist-get (roam-semantic-test-notes "Tea") :hits)))))
    (cl-letf (((symbol-function 'consult--read)
               (lambda (_table &rest keys)
                 (setq asked keys)
                 (funcall (plist-get keys :lookup) "Tea" nil))))
      (should (equal "Tea" (plist-get (roam-semantic-consult-read live "Find: " nil) :title))))
    (should (eq 'org-roam-node (plist-get asked :category)))
    (should (equal '(?t ?c ?s ?d)
                   (mapcar #'car (plist-get (plist-get asked :narrow) :keys))))
    (should (string-match-p "50%" (funcall (plist-get asked :annotate)
                                           (car (roam-semantic-live-candidates live)))))
    ;; What is no hit is the question.
    (cl-letf (((symbol-function 'consult--read)
               (lambda (&rest _)
                 (setcar roam-semantic-consult--typed "#green tea#x")
                 nil)))
      (should (equal "green tea" (roam-semantic-consult-read live "Find: " nil))))))

(ert-deftest roam-semantic-consult-previews-the-heading-and-leaves-nothing ()
  (skip-unless (featurep 'consult))
  (let* ((file (make-temp-file "roam-semantic-note" nil ".org" "#+title: Sleep\n* First\n* Deep\n"))
         (before (buffer-list))
         (state (roam-semantic-consult--state)))
    (unwind-protect
        (save-window-excursion
          (funcall state 'preview (list :file file :pos 24 :outline-path '("Deep")))
          (should (string-match-p "Preview:" (buffer-name)))
          (should (looking-at-p "\\* Deep"))
          ;; A file that is gone is no reason to stop.
          (funcall state 'preview '(:file "/nowhere.org" :pos 1))
          (funcall state 'preview nil)
          (funcall state 'exit nil)
          (should-not (seq-filter (lambda (buffer)
                                    (string-match-p "Preview:" (buffer-name buffer)))
                                  (seq-difference (buffer-list) before))))
      (delete-file file))))

;;; Embark

(ert-deftest roam-semantic-embark-s-actions-join-those-of-the-person ()
  (skip-unless (require 'embark nil t))
  (require 'roam-semantic-embark)
  (let ((embark-keymap-alist '((org-roam-node my-map)))
        (embark-transformer-alist nil)
        (embark-default-action-overrides nil))
    (roam-semantic-embark-set-up)
    (roam-semantic-embark-set-up)
    (should (equal '(my-map roam-semantic-embark-map)
                   (alist-get 'org-roam-node embark-keymap-alist)))
    (should (= 2 (length embark-default-action-overrides)))))

(ert-deftest roam-semantic-embark-s-target-is-a-title-that-keeps-its-hit ()
  (skip-unless (require 'embark nil t))
  (require 'roam-semantic-embark)
  (let* ((hit '(:node-id "a" :title "Tea" :file "/a.org" :outline-path ("Black") :pos 9))
         (target (cdr (roam-semantic-embark--title
                       'org-roam-node (car (roam-semantic-hit-candidates (list hit)))))))
    (should (equal "Tea" (substring-no-properties target)))
    (should (eq hit (roam-semantic-embark-hit target)))
    (let (kill-ring)
      (roam-semantic-embark-copy-link target)
      (should (equal "[[id:a][Tea]]" (substring-no-properties (car kill-ring)))))))

(ert-deftest roam-semantic-embark-takes-org-roam-s-own-candidates ()
  (skip-unless (and (require 'embark nil t) (fboundp 'org-roam-node-create)))
  (require 'roam-semantic-embark)
  (let ((hit (roam-semantic-embark-hit
              (propertize "Tea" 'node (org-roam-node-create :id "a" :title "Tea" :point 9
                                                            :file "/a.org" :olp '("Up"))))))
    (should (equal '("a" "/a.org" 9 ("Up" "Tea"))
                   (list (plist-get hit :node-id) (plist-get hit :file)
                         (plist-get hit :pos) (plist-get hit :outline-path))))))

(provide 'test-consult)
;;; test-consult.el ends here
