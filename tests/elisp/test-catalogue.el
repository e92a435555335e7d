;;; test-catalogue.el --- Emacs and the server speak of the same things  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; Operations have no function in Emacs, so a wrong name would be noticed
;; only by who runs the command.  This reads every call in elisp/ and
;; compares it with tests/golden/catalogue.json.

;;; Code:

(require 'json)
(require 'roam-semantic-jsonrpc)
(require 'roam-semantic-test)

(defconst roam-semantic-test-askers
  '(roam-semantic-ask roam-semantic-call roam-semantic-request)
  "Functions whose first argument is an operation and second its arguments.")

(defun roam-semantic-test-sources ()
  "Return the files of the package."
  (directory-files (expand-file-name "elisp" roam-semantic-test-root) t "\\.el\\'"))

(defun roam-semantic-test-forms (file)
  "Return the forms of FILE."
  (with-temp-buffer
    (insert-file-contents file)
    (let (forms)
      (condition-case nil
          (while t
            (push (read (current-buffer)) forms))
        (end-of-file (nreverse forms))))))

(defun roam-semantic-test-calls (form)
  "Return (OPERATION . KEYWORDS) for each call of an asker in FORM."
  (pcase form
    (`(quote . ,_) nil)
    ((and `(,asker (quote ,operation) ,arguments . ,_)
          (guard (memq asker roam-semantic-test-askers)))
     (list (cons operation (roam-semantic-test-keywords arguments))))
    ((pred consp)
     (let (calls)
       (while (consp form)
         (setq calls (nconc calls (roam-semantic-test-calls (pop form)))))
       calls))))

(defun roam-semantic-test-keywords (form)
  "Return the keywords that FORM, which makes a plist, spells out."
  (cond ((keywordp form) (list form))
        ((consp form) (append (roam-semantic-test-keywords (car form))
                              (roam-semantic-test-keywords (cdr form))))))

(defun roam-semantic-test-catalogue ()
  "Return the alist of operations in the catalogue, or skip the test."
  (let ((file (expand-file-name "tests/golden/catalogue.json" roam-semantic-test-root))
        (json-object-type 'alist)
        (json-array-type 'list)
        (json-key-type 'symbol))
    (unless (file-exists-p file)
      (ert-skip "There is no tests/golden/catalogue.json"))
    (alist-get 'operations (json-read-file file))))

(defun roam-semantic-test-parameters (operation)
  "Return the parameters of OPERATION, an entry of the catalogue, as keywords."
  (mapcar (lambda (property)
            (intern (concat ":" (string-replace "_" "-" (symbol-name (car property))))))
          (alist-get 'properties (alist-get 'input operation))))

(defun roam-semantic-test-free-objects (schema)
  "Return the names below SCHEMA of objects whose keys are data."
  (when (consp schema)
    (append
     (cl-loop for (name . property) in (and (json-alist-p schema)
                                            (alist-get 'properties schema))
              when (alist-get 'additionalProperties property)
              collect (intern (format ":%s" name)))
     (mapcan (lambda (part)
               (and (consp part)
                    (roam-semantic-test-free-objects
                     (if (symbolp (car part)) (cdr part) part))))
             (copy-sequence schema)))))

(ert-deftest roam-semantic-every-call-names-an-operation-of-the-catalogue ()
  (let ((catalogue (roam-semantic-test-catalogue))
        (calls (mapcan #'roam-semantic-test-calls
                       (mapcan #'roam-semantic-test-forms (roam-semantic-test-sources)))))
    (should (assq 'semantic-search calls))
    (pcase-dolist (`(,operation . ,keywords) calls)
      (let ((known (alist-get operation catalogue)))
        (ert-info ((format "%s %s" operation keywords))
          (should known)
          (should-not (seq-difference keywords (roam-semantic-test-parameters known))))))))

(ert-deftest roam-semantic-the-server-is-asked-for-a-status-that-it-has ()
  "The watchdog asks by itself, without `roam-semantic-call'."
  (should (alist-get 'status (roam-semantic-test-catalogue))))

(ert-deftest roam-semantic-json-keeps-the-keys-that-are-data ()
  (should (equal (sort (copy-sequence roam-semantic-jsonrpc--free-keys) #'string<)
                 (sort (delete-dups
                        (mapcan (lambda (operation)
                                  (roam-semantic-test-free-objects
                                   (alist-get 'output (cdr operation))))
                                (roam-semantic-test-catalogue)))
                       #'string<))))

(provide 'test-catalogue)
;;; test-catalogue.el ends here
