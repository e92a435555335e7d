;;; test-index.el --- Tests of indexing and of the doctor  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Code:

(require 'roam-semantic-test)
(require 'roam-semantic-index)

(ert-deftest roam-semantic-progress-reads-well ()
  (should (equal "Indexing, embedding: 1,234 of 5,678 (21%), 180/s, 24 s left"
                 (roam-semantic-index-progress-text
                  '(:done 1234 :total 5678 :phase "embedding" :rate 180.2 :left-s 24))))
  (should (equal "Indexing, starting..."
                 (roam-semantic-index-progress-text '(:done 0 :total 0 :phase "starting")))))

(ert-deftest roam-semantic-durations-read-well ()
  (should (equal "0.0 s" (roam-semantic-index--duration nil)))
  (should (equal "3.2 s" (roam-semantic-index--duration 3.21)))
  (should (equal "42 s" (roam-semantic-index--duration 42)))
  (should (equal "2 min 5 s" (roam-semantic-index--duration 125)))
  (should (equal "1 h 0 min 1 s" (roam-semantic-index--duration 3601))))

(ert-deftest roam-semantic-numbers-have-their-thousands-apart ()
  (should (equal '("0" "999" "1,000" "1,234,567")
                 (mapcar #'roam-semantic-index--number '(nil 999 1000 1234567)))))

(ert-deftest roam-semantic-the-summary-tells-what-was-left-out ()
  (should (equal (concat "Indexed 2 files, 3 notes, 4 passages "
                         "(1 embedded, 3 from the cache) in 1.5 s; 1 files skipped")
                 (roam-semantic-index-summary
                  '(:files 2 :nodes 3 :units 4 :embedded 1 :from-cache 3 :seconds 1.5
                           :skipped ((:file "a" :reason "b")) :state "done")))))

(ert-deftest roam-semantic-index-runs-while-emacs-goes-on ()
  (roam-semantic-test-with-replies
      '((index :reports (:done 1 :total 2) :answers (:files 1 :seconds 0.1)))
    (roam-semantic-index t)
    (should roam-semantic-index--running)
    (should-error (roam-semantic-index) :type 'user-error)
    (roam-semantic-test-wait (lambda () (not roam-semantic-index--running)))
    (should (equal '(:force t) (nth 2 (roam-semantic-test-sent))))))

(ert-deftest roam-semantic-an-index-run-can-be-cancelled ()
  (roam-semantic-test-with-replies '((index . nil))
    (roam-semantic-index)
    (roam-semantic-test-wait
     (lambda () (and roam-semantic-test-wires (roam-semantic-test-sent))))
    (roam-semantic-cancel)
    (should-not roam-semantic-index--running)
    (should (= 1 (length (roam-semantic-test-transport-cancelled
                          (car roam-semantic-test-wires)))))))

(ert-deftest roam-semantic-a-failed-run-can-be-repeated ()
  (roam-semantic-test-with-replies '((index :fails roam-semantic-not-ready "no vault" ""))
    (roam-semantic-index)
    (roam-semantic-test-wait (lambda () (not roam-semantic-index--running)))
    (roam-semantic-index)
    (roam-semantic-test-wait (lambda () (not roam-semantic-index--running)))
    (should (= 2 (length (roam-semantic-test-transport-sent
                          (car roam-semantic-test-wires)))))))

(ert-deftest roam-semantic-stats-read-as-a-sentence ()
  (should (equal "2 files, 3 notes, 4 links, 5 passages (5 indexed, 0 to do), model m, 1.5k"
                 (roam-semantic-index-stats-text
                  '(:files 2 :nodes 3 :links 4 :units 5 :index (:indexed 5 :pending 0)
                           :model "m" :index-bytes 1536)))))


(provide 'test-index)
;;; test-index.el ends here
