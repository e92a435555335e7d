;;; test-errors.el --- Tests of the conditions  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Code:

(require 'roam-semantic-test)
(require 'roam-semantic-errors)

(ert-deftest roam-semantic-every-kind-of-the-server-is-a-condition ()
  "Each of the six can be caught by its own name and by the parent's."
  (should (= 6 (length roam-semantic-errors-kinds)))
  (pcase-dolist (`(,kind . ,condition) roam-semantic-errors-kinds)
    (should (equal (concat "roam-semantic-" kind) (symbol-name condition)))
    (should (memq 'roam-semantic-error (get condition 'error-conditions)))))

(ert-deftest roam-semantic-an-unknown-kind-counts-as-internal ()
  (should (equal '(roam-semantic-internal "odd" "")
                 (roam-semantic-errors-from-server '(:kind "new" :message "odd"))))
  (should (equal '(roam-semantic-internal "the server gave no reason" "")
                 (roam-semantic-errors-from-server nil))))

(ert-deftest roam-semantic-a-failure-reads-as-one-sentence ()
  (should (equal "The index is empty; wait"
                 (roam-semantic-errors-text
                  '(roam-semantic-not-ready "the index is empty" "wait"))))
  (should (equal "The index is empty"
                 (roam-semantic-errors-text
                  '(roam-semantic-not-ready "the index is empty" "")))))

(ert-deftest roam-semantic-a-hint-names-the-command-that-emacs-has ()
  (should (equal "run M-x roam-semantic-index"
                 (roam-semantic-errors-hint "run `roam-semantic index`")))
  (should (equal "run C-u M-x roam-semantic-index"
                 (roam-semantic-errors-hint "run `roam-semantic index --force`")))
  (should (equal "run `roam-semantic mcp`"
                 (roam-semantic-errors-hint "run `roam-semantic mcp`"))))

(provide 'test-errors)
;;; test-errors.el ends here
