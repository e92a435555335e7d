;;; test-find.el --- Tests of finding  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Code:

(require 'roam-semantic-test)
(require 'roam-semantic-find)
(require 'org)

(defun roam-semantic-test-hit (title &rest fields)
  "Return a hit on TITLE with FIELDS, a plist, before the usual ones."
  (append fields
          (list :node-id (concat "id-" title) :title title :file "/notes/a.org"
                :outline-path nil :line 1 :pos 1 :passage "some text" :score 0.5
                :why "both" :tags nil)))

(defun roam-semantic-test-labels (&rest hits)
  "Return the candidates for HITS as plain strings."
  (mapcar #'substring-no-properties (roam-semantic-hit-candidates hits)))

(ert-deftest roam-semantic-a-candidate-says-where-the-hit-stands ()
  (should (equal '("Sleep" "Sleep › Memory › Replay" "Body › Sleep › Naps")
                 (roam-semantic-test-labels
                  (roam-semantic-test-hit "Sleep")
                  (roam-semantic-test-hit "Sleep" :outline-path '("Memory" "Replay"))
                  ;; A node that is a heading is a step of its own path.
                  (roam-semantic-test-hit "Sleep" :outline-path '("Body" "Sleep" "Naps"))))))

(ert-deftest roam-semantic-equal-titles-stay-apart ()
  (should (equal '("Tea" "Tea [b]" "Tea [b] [a.org:9]" "Tea [a.org:7]")
                 (roam-semantic-test-labels
                  (roam-semantic-test-hit "Tea" :node-id "a")
                  (roam-semantic-test-hit "Tea" :node-id "b")
                  (roam-semantic-test-hit "Tea" :node-id "b" :line 9)
                  (roam-semantic-test-hit "Tea" :node-id nil :line 7)))))

(ert-deftest roam-semantic-odd-titles-make-usable-candidates ()
  (should (equal '("(untitled)" "two lines" "(untitled) [id-]")
                 (roam-semantic-test-labels
                  (roam-semantic-test-hit "")
                  (roam-semantic-test-hit "two\n lines ")
                  (roam-semantic-test-hit "" :line 2)))))

(ert-deftest roam-semantic-a-candidate-carries-hit-and-node ()
  (skip-unless (fboundp 'org-roam-node-create))
  (let* ((hit (roam-semantic-test-hit "Sleep" :pos 7 :tags '("body")))
         (candidate (car (roam-semantic-hit-candidates (list hit))))
         (node (get-text-property 0 'node candidate)))
    (should (eq hit (get-text-property 0 'roam-semantic-hit candidate)))
    (should (equal '("id-Sleep" "/notes/a.org" "Sleep" 7 ("body"))
                   (list (org-roam-node-id node) (org-roam-node-file node)
                         (org-roam-node-title node) (org-roam-node-point node)
                         (org-roam-node-tags node))))))

(ert-deftest roam-semantic-the-best-hit-stays-first ()
  (let* ((candidates (roam-semantic-hit-candidates
                      (mapcar #'roam-semantic-test-hit '("Zebra" "Ape" "Mole"))))
         (table (roam-semantic-find--table candidates))
         (metadata (completion-metadata "" table nil)))
    (should (eq 'org-roam-node (completion-metadata-get metadata 'category)))
    (should (equal '("Zebra" "Ape" "Mole")
                   (funcall (completion-metadata-get metadata 'display-sort-function)
                            (all-completions "" table))))
    (should (equal '("Ape") (all-completions "A" table)))))

(ert-deftest roam-semantic-an-annotation-is-one-line-that-says-why ()
  (let ((hit (roam-semantic-test-hit
              "Sleep" :score 0.876 :why "meaning" :tags '("a" "b")
              :passage "we  forget\nwhat we do not use"))
        (roam-semantic-hit-passage-columns 40))
    (should (equal " 88% meaning #a #b we forget what we do not use"
                   (substring-no-properties (roam-semantic-hit-annotation hit 200))))
    (should (equal " 88% meaning #a #b we forget…"
                   (substring-no-properties (roam-semantic-hit-annotation hit 29))))
    (should (equal " 88% meaning #a #b "
                   (substring-no-properties (roam-semantic-hit-annotation hit 20))))))

(ert-deftest roam-semantic-an-annotation-tells-the-age ()
  (cl-letf (((symbol-function 'float-time) (lambda (&rest _) 1000000000.0)))
    (should (equal '("now" "5 min" "23 h" "3 d" "2 mo" "4 y" "now")
                   (mapcar (lambda (age) (roam-semantic-hit-age (- 1000000000.0 age)))
                           '(59 300 86399 259200 5300000 126300000 -50))))
    (should (string-match-p
             "both +3 d #a"
             (roam-semantic-hit-annotation
              (roam-semantic-test-hit "Sleep" :tags '("a") :modified (- 1000000000 259200))
              200)))))

(ert-deftest roam-semantic-a-hit-keeps-its-name-in-a-later-list ()
  (let* ((names (make-hash-table :test #'equal))
         (a (roam-semantic-test-hit "Tea" :node-id "a"))
         (b (roam-semantic-test-hit "Tea" :node-id "b")))
    (should (equal '("Tea" "Tea [b]") (roam-semantic-hit-candidates (list a b) names)))
    (should (equal '("Tea [b]" "Tea") (roam-semantic-hit-candidates (list b a) names)))))

(ert-deftest roam-semantic-a-heading-says-which-note-it-is-in ()
  (should (string-match-p
           "both *oil_and_wax: some text"
           (roam-semantic-hit-annotation
            (roam-semantic-test-hit "Rags" :outline-path '("Rags")
                                    :file "/notes/20210124140000-oil_and_wax.org")
            200))))

(ert-deftest roam-semantic-annotations-line-up-for-wide-characters ()
  (let ((affixes (roam-semantic-hit-affixes
                  (roam-semantic-hit-candidates
                   (mapcar #'roam-semantic-test-hit '("盧曼" "Luhmann"))))))
    (should (= 1 (length (delete-dups
                          (mapcar (lambda (affix)
                                    (+ (string-width (nth 0 affix))
                                       (string-match "[0-9]" (nth 2 affix))))
                                  affixes)))))))

(ert-deftest roam-semantic-finding-nothing-says-what-to-do ()
  (should (string-match-p "roam-semantic-index"
                          (roam-semantic-find--nothing "x" '(:total 0 :pending 0))))
  (should (string-match-p "2 of 9 passages are not indexed"
                          (roam-semantic-find--nothing "x" '(:total 9 :pending 2))))
  (should (string-match-p "other words"
                          (roam-semantic-find--nothing "x" '(:total 9 :pending 0)))))

(ert-deftest roam-semantic-the-prompt-tells-what-limits-the-hits ()
  (should (equal "Note: " (roam-semantic-find--prompt '(:index (:pending 0)))))
  (should (equal "Note (without vectors; 3 passages not indexed): "
                 (roam-semantic-find--prompt
                  '(:degraded ("vectors: no model") :index (:pending 3))))))

;;; Jumping

(defconst roam-semantic-test-note "#+title: Sleep
A preamble.
* First
:PROPERTIES:
:ID:       one
:END:
first text
* Second
second text
** Deep
deep text
"
  "A note with headings.")

(defmacro roam-semantic-test-visiting (hit &rest body)
  "Visit HIT, whose file is a note made for it, and run BODY there."
  (declare (indent 1) (debug (form body)))
  `(let* ((file (make-temp-file "roam-semantic-note" nil ".org" roam-semantic-test-note))
          (hit (append (list :file file) ,hit)))
     (unwind-protect
         (save-window-excursion
           (roam-semantic-hit-visit hit)
           ,@body)
       (when (get-file-buffer file)
         (with-current-buffer (get-file-buffer file)
           (set-buffer-modified-p nil)
           (kill-buffer)))
       (delete-file file))))

(defun roam-semantic-test-line ()
  "Return the line at point."
  (buffer-substring-no-properties (line-beginning-position) (line-end-position)))

(defun roam-semantic-test-pos (text)
  "Return where TEXT stands in the note."
  (1+ (string-search text roam-semantic-test-note)))

(ert-deftest roam-semantic-visiting-jumps-to-the-heading ()
  (roam-semantic-test-visiting (list :pos (roam-semantic-test-pos "** Deep")
                                     :outline-path '("Second" "Deep"))
    (should (equal "** Deep" (roam-semantic-test-line)))))

(ert-deftest roam-semantic-visiting-unfolds-the-text ()
  (let ((org-startup-folded t))
    (roam-semantic-test-visiting (list :pos (roam-semantic-test-pos "** Deep")
                                       :outline-path '("Second" "Deep"))
      (should-not (org-invisible-p))
      (forward-line)
      (should (equal "deep text" (roam-semantic-test-line)))
      (should-not (org-invisible-p)))))

(ert-deftest roam-semantic-visiting-leaves-a-narrowed-part ()
  (roam-semantic-test-visiting (list :pos 1 :outline-path nil)
    (narrow-to-region 1 5)
    (roam-semantic-hit-visit (append (list :pos (roam-semantic-test-pos "* Second")
                                            :outline-path '("Second"))
                                      hit))
    (should (equal "* Second" (roam-semantic-test-line)))))

(ert-deftest roam-semantic-unsaved-text-does-not-mislead-the-jump ()
  (roam-semantic-test-visiting (list :pos 1 :outline-path nil)
    (goto-char (point-min))
    (insert "much new text\nover some lines\n")
    (let ((second (append (list :pos (roam-semantic-test-pos "* Second")
                                :outline-path '("Second"))
                          hit))
          (first (append (list :pos (roam-semantic-test-pos "* First")
                               :node-id "one" :outline-path '("Renamed"))
                         hit)))
      (roam-semantic-hit-visit second)
      (should (equal "* Second" (roam-semantic-test-line)))
      (roam-semantic-hit-visit first)
      (should (equal "* First" (roam-semantic-test-line))))))

(ert-deftest roam-semantic-visiting-goes-by-the-line-when-that-is-all ()
  (roam-semantic-test-visiting (list :line 8 :outline-path '("Second"))
    (should (equal "* Second" (roam-semantic-test-line)))))

(ert-deftest roam-semantic-visiting-can-take-another-window ()
  (roam-semantic-test-visiting (list :pos 1 :outline-path nil)
    (delete-other-windows)
    (switch-to-buffer "*scratch*")
    (roam-semantic-hit-visit hit t)
    (should (equal file (buffer-file-name)))
    (should (get-buffer-window "*scratch*"))))

(ert-deftest roam-semantic-visiting-a-lost-file-tells-so ()
  (should-error (roam-semantic-hit-visit '(:file "/nowhere.org" :pos 1)) :type 'user-error))

;;; The command

(ert-deftest roam-semantic-find-asks-chooses-and-jumps ()
  (roam-semantic-test-visiting (list :pos 1 :outline-path nil)
    (let ((completing-read-function
           (lambda (_prompt table &rest _)
             (substring-no-properties (nth 1 (all-completions "" table)))))
          (second (append (list :pos (roam-semantic-test-pos "* Second")
                                :outline-path '("Second"))
                          hit '(:title "Sleep"))))
      (roam-semantic-test-with-replies
          `((semantic-search
             :answers (:hits (,(roam-semantic-test-hit "Other") ,second))))
        (roam-semantic-find "rest at night")
        (should (equal '(:query "rest at night" :k 20) (nth 2 (roam-semantic-test-sent))))
        (should (equal "* Second" (roam-semantic-test-line)))))))

(ert-deftest roam-semantic-find-without-hits-captures-only-when-told-to ()
  (skip-unless (require 'org-roam-capture nil t))
  (dolist (told '(t nil))
    (let (captured asked)
      (cl-letf (((symbol-function 'y-or-n-p) (lambda (prompt) (setq asked prompt) told))
                ((symbol-function 'org-roam-capture-)
                 (lambda (&rest keys) (setq captured keys))))
        (roam-semantic-test-with-replies
            '((semantic-search :answers (:hits nil :index (:total 3 :pending 0))))
          (with-temp-buffer
            (let ((buffer (current-buffer)))
              (roam-semantic-find "tag:x nothing \"like it\"")
              (should (eq buffer (current-buffer)))))))
      (should (string-match-p "nothing like it" asked))
      (should (equal (and told "nothing like it")
                     (and captured
                          (org-roam-node-title (plist-get captured :node))))))))

(ert-deftest roam-semantic-find-offers-no-note-while-passages-are-pending ()
  (cl-letf (((symbol-function 'y-or-n-p) (lambda (prompt) (ert-fail prompt))))
    (roam-semantic-test-with-replies
        '((semantic-search :answers (:hits nil :index (:total 3 :pending 1))))
      (should-not (roam-semantic-find-read "nothing like it")))))

(ert-deftest roam-semantic-a-title-is-the-question-without-filters-and-quotes ()
  (should (equal '("why we forget" "" "Re: the meeting" "a b")
                 (mapcar #'roam-semantic-find-title
                         '("tag:x why \"we  forget\" -file:\"daily/ x\" since:2024"
                           "type:claim" "Re: the meeting" " a b ")))))

(ert-deftest roam-semantic-find-refuses-a-blank-question ()
  (should-error (roam-semantic-find "  ") :type 'user-error))

(provide 'test-find)
;;; test-find.el ends here
