;;; test-insert.el --- Tests of linking to what was found  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Code:

(require 'roam-semantic-test)
(require 'roam-semantic-insert)
(require 'org)
(require 'org-id)

(defvar org-roam-post-node-insert-hook)

(defconst roam-semantic-test-insert-hit
  '(:node-id "tea-id" :title "Tea" :file "/tea.org" :outline-path ("Black") :pos 1)
  "A passage of a note that has an id.")

(defmacro roam-semantic-test-writing (text hit &rest body)
  "Run BODY in an Org buffer with TEXT, where finding finds HIT."
  (declare (indent 2) (debug (form form body)))
  `(with-temp-buffer
     (insert ,text)
     (let ((org-inhibit-startup t))
       (org-mode))
     (buffer-enable-undo)
     (undo-boundary)
     (let ((transient-mark-mode t)
           (org-roam-post-node-insert-hook nil))
       (cl-letf (((symbol-function 'roam-semantic-find-read) (lambda (&optional _) ,hit)))
         ,@body))))

(ert-deftest roam-semantic-a-link-is-inserted-at-point ()
  (roam-semantic-test-writing "Drink  now" roam-semantic-test-insert-hit
    (goto-char 7)
    (roam-semantic-insert)
    (should (equal "Drink [[id:tea-id][Tea]] now" (buffer-string)))
    (should (looking-at-p " now"))))

(ert-deftest roam-semantic-the-region-becomes-the-description ()
  (roam-semantic-test-writing "Drink the [[id:x][hot]] stuff now" roam-semantic-test-insert-hit
    (goto-char 11)
    (push-mark (1+ (string-search " now" (buffer-string))) t t)
    (roam-semantic-insert)
    (should (equal "Drink the [[id:tea-id][hot stuff]] now"
                   (substring-no-properties (buffer-string))))
    (should-not mark-active)))

(ert-deftest roam-semantic-a-link-is-one-step-to-undo ()
  (roam-semantic-test-writing "Drink hot stuff" roam-semantic-test-insert-hit
    (goto-char 7)
    (push-mark (point-max) t t)
    (roam-semantic-insert)
    (undo-boundary)
    (should (string-match-p "tea-id" (buffer-string)))
    (let ((last-command nil) (inhibit-message t))
      (undo))
    (should (equal "Drink hot stuff" (substring-no-properties (buffer-string))))))

(ert-deftest roam-semantic-org-roam-s-hook-is-told-of-the-link ()
  (roam-semantic-test-writing "" roam-semantic-test-insert-hit
    (let* (told
           (org-roam-post-node-insert-hook
            (list (lambda (id description) (setq told (list id description))))))
      (roam-semantic-insert)
      (should (equal '("tea-id" "Tea") told)))))

(ert-deftest roam-semantic-nothing-is-written-without-a-choice ()
  (roam-semantic-test-writing "Drink" (signal 'quit nil)
    (should-error (condition-case nil (roam-semantic-insert) (quit (error "Quit"))))
    (should (equal "Drink" (buffer-string))))
  (roam-semantic-test-writing "Drink" nil
    (roam-semantic-insert)
    (should (equal "Drink" (buffer-string)))))

(ert-deftest roam-semantic-links-belong-into-org-buffers ()
  (with-temp-buffer
    (should-error (roam-semantic-insert) :type 'user-error)
    (org-mode)
    (setq buffer-read-only t)
    (should-error (roam-semantic-insert) :type 'buffer-read-only)))

;;; Hits without an id

(defmacro roam-semantic-test-without-id (yes &rest body)
  "Run BODY with `file' and `hit', a heading without id; YES is the answer."
  (declare (indent 1) (debug (form body)))
  `(let* ((file (make-temp-file "roam-semantic-note" nil ".org" "#+title: Tea\n* Black\nhot\n"))
          (org-id-track-globally nil)
          (hit (list :node-id nil :title "Tea" :file file :outline-path '("Black")
                     :pos 14 :line 2)))
     (unwind-protect
         (cl-letf (((symbol-function 'y-or-n-p) (lambda (_) ,yes)))
           (roam-semantic-test-writing "" hit ,@body))
       (when (get-file-buffer file)
         (with-current-buffer (get-file-buffer file)
           (set-buffer-modified-p nil)
           (kill-buffer)))
       (delete-file file))))

(defun roam-semantic-test-contents (file)
  "Return the text of FILE."
  (with-temp-buffer
    (insert-file-contents file)
    (buffer-string)))

(ert-deftest roam-semantic-a-heading-gets-an-id-when-that-is-wanted ()
  (roam-semantic-test-without-id t
    (roam-semantic-insert)
    (should (string-match "\\[\\[id:\\(.*\\)\\]\\[Black\\]\\]"
                          (substring-no-properties (buffer-string))))
    (should (string-match-p
             (format "\\* Black\n *:PROPERTIES:\n *:ID: +%s\n"
                     (match-string 1 (substring-no-properties (buffer-string))))
             (roam-semantic-test-contents file)))))

(ert-deftest roam-semantic-a-heading-gets-no-id-unless-wanted ()
  (roam-semantic-test-without-id nil
    (should-error (roam-semantic-insert) :type 'user-error)
    (should (equal "" (buffer-string)))
    (should (equal "#+title: Tea\n* Black\nhot\n" (roam-semantic-test-contents file)))))

(ert-deftest roam-semantic-changes-of-the-person-are-not-saved-along ()
  (roam-semantic-test-without-id t
    (with-current-buffer (find-file-noselect file)
      (goto-char (point-max))
      (insert "unfinished"))
    (roam-semantic-insert)
    (should (string-match-p "id:" (buffer-string)))
    (should (equal "#+title: Tea\n* Black\nhot\n" (roam-semantic-test-contents file)))))

;;; Nothing found

(ert-deftest roam-semantic-a-captured-note-is-linked-where-point-is ()
  (skip-unless (require 'org-roam-capture nil t))
  (let (captured)
    (cl-letf (((symbol-function 'y-or-n-p) (lambda (_) t))
              ((symbol-function 'org-roam-capture-) (lambda (&rest keys) (setq captured keys))))
      (roam-semantic-test-writing "Drink hot stuff" "brewing"
        (goto-char 7)
        (push-mark (point-max) t t)
        (roam-semantic-insert)))
    (let ((properties (plist-get captured :props)))
      (should (equal "brewing" (org-roam-node-title (plist-get captured :node))))
      (should (eq 'insert-link (plist-get properties :finalize)))
      (should (equal "hot stuff" (plist-get properties :link-description)))
      (should (markerp (car (plist-get properties :region)))))))

(provide 'test-insert)
;;; test-insert.el ends here
