;;; test-buffer.el --- Tests of the side panels  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Code:

(require 'roam-semantic-test)
(require 'org)
(require 'org-roam nil t)
(require 'roam-semantic-buffer)
(require 'roam-semantic-related)
(require 'roam-semantic-row)

(declare-function org-roam-mode "org-roam-mode")
(declare-function org-roam-buffer-render-contents "org-roam-mode")
(declare-function org-roam-node-create "org-roam-node")
(defvar org-roam-buffer-current-node)
(defvar org-roam-buffer-current-directory)
(defvar org-roam-mode-sections)

(defun roam-semantic-test-related (title &rest fields)
  "Return a hit of `related' on TITLE with FIELDS before the usual ones."
  (append fields (list :node-id (concat "id-" title) :title title :file "/notes/b.org"
                       :line 1 :pos 1 :score 0.5 :passage (concat "about " title)
                       :because "what this note says")))

(defmacro roam-semantic-test-with-panel (hits &rest body)
  "Run BODY in an org-roam buffer whose node has related HITS; `file' is its note."
  (declare (indent 1) (debug (form body)))
  `(roam-semantic-test-with-replies (list (list 'related :answers (list :hits ,hits)))
     (roam-semantic-test--with-panel (lambda (file) (ignore file) ,@body))))

(defun roam-semantic-test--with-panel (body)
  "Call BODY with the file of a note, in its panel, see the macro."
  (unless (featurep 'org-roam)
    (ert-skip "Org-roam is not installed"))
  (let* ((folder (make-temp-file "panel" t))
         (file (expand-file-name "a.org" folder))
         (roam-semantic-memory-file (expand-file-name "memory.eld" folder))
         (org-roam-mode-sections '(roam-semantic-buffer-related)))
    (roam-semantic-row-forget)
    (write-region "#+title: A\nHere: .\n" nil file nil 'silent)
    (unwind-protect
        (with-temp-buffer
          (org-roam-mode)
          (setq-local org-roam-buffer-current-node
                      (org-roam-node-create :id "a" :file file :title "A" :level 0)
                      org-roam-buffer-current-directory folder)
          (org-roam-buffer-render-contents)
          (funcall body file))
      (when-let* ((buffer (find-buffer-visiting file)))
        (with-current-buffer buffer (set-buffer-modified-p nil))
        (kill-buffer buffer))
      (delete-directory folder t))))

(defun roam-semantic-test-panel-shows (text)
  "Wait until the current panel shows TEXT, and go there."
  (roam-semantic-test-wait
   (lambda ()
     (goto-char (point-min))
     (search-forward text nil t))
   (format "The panel never showed %s" text))
  (goto-char (match-beginning 0)))

(defun roam-semantic-test-related-questions ()
  "Return how often the newest fake wire was asked for what is related."
  (seq-count (lambda (sent) (eq 'related (nth 1 sent)))
             (roam-semantic-test-transport-sent (car roam-semantic-test-wires))))

(ert-deftest roam-semantic-the-panel-asks-once-and-is-drawn-when-answered ()
  (roam-semantic-test-with-panel (list (roam-semantic-test-related "Sleep"))
    (should (string-match-p "Related by meaning:\nLooking" (buffer-string)))
    (roam-semantic-test-panel-shows "Sleep")
    (should (search-forward "about Sleep" nil t))
    (should (search-forward "because what this note says" nil t))
    (org-roam-buffer-render-contents)
    (should (= 1 (roam-semantic-test-related-questions)))))

(ert-deftest roam-semantic-the-panel-leaves-linked-notes-out ()
  (roam-semantic-test-with-panel (list (roam-semantic-test-related "Sleep" :linked t)
                                       (roam-semantic-test-related "Dream"))
    (roam-semantic-test-panel-shows "Dream")
    (should-not (string-search "Sleep" (buffer-string)))
    (let ((roam-semantic-related-linked t))
      (org-roam-buffer-render-contents)
      (roam-semantic-test-panel-shows "50%, linked"))))

(ert-deftest roam-semantic-pinned-notes-come-first-and-hidden-ones-go ()
  (roam-semantic-test-with-panel (mapcar #'roam-semantic-test-related '("One" "Two"))
    (roam-semantic-test-panel-shows "Two")
    (roam-semantic-row-pin)
    (should (string-match-p "\\* Two\\(.\\|\n\\)*One" (buffer-string)))
    (roam-semantic-test-panel-shows "One")
    (roam-semantic-row-hide)
    (should-not (string-search "One" (buffer-string)))
    (roam-semantic-test-panel-shows "Two")
    (roam-semantic-row-unhide)
    (should (string-search "One" (buffer-string)))))

(ert-deftest roam-semantic-a-dead-server-leaves-a-remedy-in-the-panel ()
  (roam-semantic-test-with-replies
      '((related :fails roam-semantic-unavailable "the server has ended" "try again"))
    (roam-semantic-test--with-panel
     (lambda (_)
       (roam-semantic-test-panel-shows "The server has ended; try again")
       (org-roam-buffer-render-contents)
       (should (= 1 (roam-semantic-test-related-questions)))))))

(ert-deftest roam-semantic-point-and-folding-outlive-a-new-drawing ()
  (roam-semantic-test-with-panel (mapcar #'roam-semantic-test-related '("One" "Two"))
    (roam-semantic-test-panel-shows "Two")
    (let ((line (line-number-at-pos)))
      (magit-section-hide (magit-current-section))
      (roam-semantic-buffer--redraw "a")
      (should (= line (line-number-at-pos)))
      (should (oref (magit-current-section) hidden)))))

(ert-deftest roam-semantic-a-row-becomes-a-link-where-the-note-is-written ()
  (roam-semantic-test-with-panel (list (roam-semantic-test-related "Sleep"))
    (roam-semantic-test-panel-shows "Sleep")
    (should-error (roam-semantic-row-link) :type 'user-error)
    (let ((note (find-file-noselect file)))
      (with-current-buffer note
        (goto-char (point-max))
        (search-backward "."))
      (roam-semantic-row-link)
      (should (equal "#+title: A\nHere: [[id:id-Sleep][Sleep]].\n"
                     (with-current-buffer note (buffer-string))))
      (with-current-buffer note (setq buffer-read-only t))
      (should-error (roam-semantic-row-link) :type 'user-error))))

(ert-deftest roam-semantic-setting-the-panel-up-twice-does-no-harm ()
  (skip-unless (featurep 'org-roam))
  (let ((org-roam-mode-sections '(others)))
    (roam-semantic-buffer-setup)
    (roam-semantic-buffer-setup)
    (should (equal (cons 'others roam-semantic-buffer-sections) org-roam-mode-sections))
    (roam-semantic-buffer-setup t)
    (should (equal '(others) org-roam-mode-sections))))

(ert-deftest roam-semantic-the-window-follows-point-and-goes-with-its-mode ()
  (roam-semantic-test-with-replies
      (list (list 'related :answers (list :hits (list (roam-semantic-test-related "Sleep")))))
    (let* ((org-roam-directory (make-temp-file "vault" t))
           (file (expand-file-name "a.org" org-roam-directory)))
      (roam-semantic-row-forget)
      (write-region "#+title: A\n* One\ntext\n" nil file nil 'silent)
      (unwind-protect
          (with-current-buffer (find-file-noselect file)
            (roam-semantic-related-mode)
            (goto-char (point-max))
            (roam-semantic-related--follow)
            (with-current-buffer roam-semantic-related-buffer
              (roam-semantic-test-panel-shows "Sleep"))
            (should (equal 12 (plist-get (nth 2 (roam-semantic-test-sent)) :pos)))
            (kill-buffer roam-semantic-related-buffer)
            (should-not roam-semantic-related-mode)
            (should-not roam-semantic-related--timer)
            (kill-buffer))
        (delete-directory org-roam-directory t)))))

(provide 'test-buffer)
;;; test-buffer.el ends here
