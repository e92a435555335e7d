;;; test-links.el --- Tests of suggested links  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Code:

(require 'roam-semantic-test)
(require 'roam-semantic-links)

(defconst roam-semantic-test-links-note ":PROPERTIES:
:ID: this
:END:
#+title: Sails

盧曼 says: shorten sail with Reefing early.
The boat lies quietly to a small jib.
* Deep
| a table |
| Tide |
"
  "A note that names others.")

(defun roam-semantic-test-suggestion (kind text id)
  "Return a suggestion of KIND for TEXT of the note, linking to ID."
  (let ((pos (1+ (string-search text roam-semantic-test-links-note))))
    (list :kind kind :pos pos :end (+ pos (length text)) :line 1 :text text :node-id id
          :title (concat "Note " id) :file "/nowhere.org" :passage "Of the other" :score 0.9)))

(defun roam-semantic-test-suggestions ()
  "Return an answer with a mention and two passages."
  (list :hash (secure-hash 'sha1 (encode-coding-string roam-semantic-test-links-note 'utf-8))
        :suggestions
        (list (roam-semantic-test-suggestion "mention" "Reefing early" "reef")
              (roam-semantic-test-suggestion
               "meaning" "The boat lies quietly to a small jib." "heave")
              (roam-semantic-test-suggestion "meaning" "| a table |\n| Tide |" "tide"))))

(defmacro roam-semantic-test-suggesting (reply &rest body)
  "Visit the note, let the server give REPLY to suggest-links, run BODY."
  (declare (indent 1) (debug (form body)))
  `(let* ((folder (make-temp-file "links" t))
          (file (expand-file-name "note.org" folder))
          (roam-semantic-memory-file (expand-file-name "memory.eld" folder))
          (roam-semantic-memory--table nil)
          (coding-system-for-write 'utf-8-unix))
     (write-region roam-semantic-test-links-note nil file nil 'silent)
     (unwind-protect
         (roam-semantic-test-with-replies (list (cons 'suggest-links ,reply))
           (with-current-buffer (find-file-noselect file)
             (buffer-enable-undo)
             (unwind-protect (progn ,@body)
               (set-buffer-modified-p nil)
               (kill-buffer))))
       (delete-directory folder t))))

(defun roam-semantic-test-suggest ()
  "Ask for links and wait for the answer."
  (roam-semantic-suggest-links)
  (roam-semantic-test-wait (lambda () (not roam-semantic-links--request))))

(defun roam-semantic-test-suggested ()
  "Return the texts under the overlays shown, in order."
  (mapcar (lambda (overlay)
            (buffer-substring-no-properties (overlay-start overlay) (overlay-end overlay)))
          (roam-semantic-links--all)))

(ert-deftest roam-semantic-suggestions-are-shown-where-they-stand ()
  (roam-semantic-test-suggesting (list :answers (roam-semantic-test-suggestions))
    (roam-semantic-test-suggest)
    (should (equal '("Reefing early" "The boat lies quietly to a small jib."
                     "| a table |\n| Tide |")
                   (roam-semantic-test-suggested)))
    (should-not (buffer-modified-p))
    (roam-semantic-links-quit)
    (should-not (overlays-in (point-min) (point-max)))))

(ert-deftest roam-semantic-a-mention-becomes-a-link-and-undo-takes-it-back ()
  (roam-semantic-test-suggesting (list :answers (roam-semantic-test-suggestions))
    (roam-semantic-test-suggest)
    (goto-char (point-min))
    (roam-semantic-links-next)
    (roam-semantic-links-make)
    (should (string-search "with [[id:reef][Reefing early]].\n" (buffer-string)))
    (should (equal 2 (length (roam-semantic-test-suggested))))
    (undo-boundary)
    (let ((last-command nil)) (undo))
    (should (equal roam-semantic-test-links-note (buffer-string)))
    (roam-semantic-test-wait (lambda () (equal 3 (length (roam-semantic-test-suggested)))))))

(ert-deftest roam-semantic-a-passage-gets-a-link-at-its-end ()
  (roam-semantic-test-suggesting (list :answers (roam-semantic-test-suggestions))
    (roam-semantic-test-suggest)
    (goto-char (point-min))
    (search-forward "The boat")
    (roam-semantic-links-make)
    (should (string-search "small jib. [[id:heave][Note heave]]\n" (buffer-string)))
    (search-forward "Tide")
    (roam-semantic-links-make)
    (should (string-search "| Tide |\n[[id:tide][Note tide]]\n" (buffer-string)))))

(ert-deftest roam-semantic-a-dismissed-pair-is-never-suggested-again ()
  (roam-semantic-test-suggesting (list :answers (roam-semantic-test-suggestions))
    (roam-semantic-test-suggest)
    (goto-char (point-min))
    (roam-semantic-links-next)
    (roam-semantic-links-dismiss)
    (should (roam-semantic-memory-p 'dismissed "this" "reef"))
    (roam-semantic-links-quit)
    (roam-semantic-test-suggest)
    (should (equal 2 (length (roam-semantic-test-suggested))))
    (roam-semantic-links-restore)
    (roam-semantic-test-wait (lambda () (equal 3 (length (roam-semantic-test-suggested)))))))

(ert-deftest roam-semantic-unsaved-text-moves-suggestions-or-drops-them ()
  (roam-semantic-test-suggesting (list :answers (roam-semantic-test-suggestions))
    (goto-char (point-min))
    (search-forward "says: ")
    (insert "Ж new words ")
    (search-forward "quietly")
    (replace-match "noisily")
    (narrow-to-region 1 5)
    (roam-semantic-test-suggest)
    (widen)
    (should (equal '("Reefing early" "| a table |\n| Tide |") (roam-semantic-test-suggested)))
    (should (string-search "1 of 3 passages have changed since the last save"
                           (roam-semantic-links--summary (roam-semantic-test-suggestions) 3 1)))))

(ert-deftest roam-semantic-a-failure-names-its-remedy-and-ends-the-mode ()
  (roam-semantic-test-suggesting '(:fails roam-semantic-unavailable "gone" "do this")
    (roam-semantic-test-suggest)
    (should-not roam-semantic-links-mode)))

(ert-deftest roam-semantic-a-cancelled-question-shows-nothing ()
  (roam-semantic-test-suggesting nil
    (roam-semantic-suggest-links)
    (should roam-semantic-links--request)
    (roam-semantic-links-cancel)
    (should-not roam-semantic-links-mode)
    (should-not roam-semantic-links--request)))

(ert-deftest roam-semantic-letters-type-where-no-suggestion-is ()
  (roam-semantic-test-suggesting (list :answers (roam-semantic-test-suggestions))
    (roam-semantic-test-suggest)
    (goto-char (point-min))
    (let ((last-command 'self-insert-command))
      (should-not (roam-semantic-links--key 'x))
      (roam-semantic-links-next)
      (should (eq 'x (roam-semantic-links--key 'x))))))

(ert-deftest roam-semantic-read-only-notes-are-refused ()
  (roam-semantic-test-suggesting nil
    (setq buffer-read-only t)
    (should-error (roam-semantic-suggest-links) :type 'user-error)))

;; The server may count the carriage returns that Emacs does not show.
(ert-deftest roam-semantic-a-crlf-note-gets-its-suggestions ()
  (roam-semantic-test-suggesting
      (list :answers (list :suggestions
                           (mapcar (lambda (each)
                                     (append (list :pos (+ 5 (plist-get each :pos))
                                                   :text (string-replace
                                                          "\n" "\r\n" (plist-get each :text)))
                                             each))
                                   (plist-get (roam-semantic-test-suggestions) :suggestions))))
    (let ((coding-system-for-write 'utf-8-dos))
      (write-region roam-semantic-test-links-note nil file nil 'silent))
    (revert-buffer t t)
    (roam-semantic-test-suggest)
    (should (equal '("Reefing early" "The boat lies quietly to a small jib."
                     "| a table |\n| Tide |")
                   (roam-semantic-test-suggested)))))

(ert-deftest roam-semantic-a-file-changed-on-disk-is-told ()
  (roam-semantic-test-suggesting (list :answers (roam-semantic-test-suggestions))
    (write-region "other" nil file nil 'silent)
    (set-file-times file (time-add nil 5))
    (should (string-search "revert-buffer"
                           (roam-semantic-links--summary '(:hash "x") 0 0)))))

(ert-deftest roam-semantic-only-the-kinds-asked-for-are-shown ()
  (roam-semantic-test-suggesting (list :answers (roam-semantic-test-suggestions))
    (let ((roam-semantic-suggest-links-kinds '(mention)))
      (roam-semantic-test-suggest)
      (should (equal '("Reefing early") (roam-semantic-test-suggested))))))

(ert-deftest roam-semantic-a-prefix-argument-limits-to-the-heading ()
  (roam-semantic-test-suggesting (list :answers (roam-semantic-test-suggestions))
    (goto-char (point-max))
    (roam-semantic-suggest-links '(4))
    (roam-semantic-test-wait (lambda () (not roam-semantic-links--request)))
    (should (equal '("| a table |\n| Tide |") (roam-semantic-test-suggested)))))

(provide 'test-links)
;;; test-links.el ends here
