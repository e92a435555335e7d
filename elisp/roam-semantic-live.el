;;; roam-semantic-live.el --- Hits while you type  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; A question that is still being typed.  Each change of it withdraws what
;; was asked before and asks twice: for words, which answer in milliseconds,
;; and then, while that answer is shown, for words and meaning.  (Asked both
;; at once, words wait for meaning: the server computes for one at a time.)
;; What answers late is dropped.  The second answer takes the place of the
;; first, but a candidate you have moved to stays where it is.
;;
;; The first part below is that and knows no completion interface; the
;; second shows it under vertico and icomplete.  roam-semantic-consult.el
;; shows it under consult.

;;; Code:

(require 'cl-lib)
(require 'subr-x)
(require 'roam-semantic)
(require 'roam-semantic-client)
(require 'roam-semantic-errors)
(require 'roam-semantic-hit)

(defvar completion-all-sorted-completions)
(defvar icomplete--scrolled-completions)
(defvar icomplete-mode)
(defvar marginalia-annotator-registry)
(defvar org-roam-dailies-directory)
(defvar org-roam-directory)
(defvar vertico--candidates)
(defvar vertico--index)
(defvar vertico--input)
(defvar vertico--lock-candidate)
(declare-function icomplete-exhibit "icomplete")
(declare-function icomplete-force-complete-and-exit "icomplete")
(declare-function vertico--exhibit "ext:vertico")

(defcustom roam-semantic-live-pause-ms 50
  "Milliseconds without a key after which the server is asked."
  :type 'natnum
  :group 'roam-semantic
  :package-version '(roam-semantic . "0.1.0"))

(defcustom roam-semantic-find-results 20
  "How many hits `roam-semantic-find' offers, from 1 to 100."
  :type 'natnum
  :group 'roam-semantic
  :package-version '(roam-semantic . "0.1.0"))

(defvar roam-semantic-find-history nil
  "Questions asked with `roam-semantic-find'.")

(defconst roam-semantic-live-least-columns 2
  "Columns a question has at least before it is asked.")

(cl-defstruct (roam-semantic-live (:copier nil))
  "A question being typed.
query: what was asked last, filters included; narrow: the key of a kind
  of hits, see `roam-semantic-live-narrow-keys', or nil.
candidates: what is shown; names: their names, see
  `roam-semantic-hit-candidates'.
stage: of the newest answer to QUERY, `words' or `full', or nil.
requests: ids of those under way.
limits: what the person should know, a string, or nil.
buffer: the minibuffer; timer: of the next question.
on-change: function of this and an event, `asked', `words', `full' or
  `failed'."
  query narrow candidates names stage requests limits buffer timer on-change)

;;; Asking

(defconst roam-semantic-live-narrow-keys
  '((?t . "Title") (?c . "Claims") (?s . "Summaries") (?d . "Dailies"))
  "Keys that narrow the hits to a kind, and its name.")

(defun roam-semantic-live-questions (query narrow)
  "Return what to ask for QUERY narrowed by NARROW: (STAGE OPERATION ARGUMENTS)s.
NARROW is a key of `roam-semantic-live-narrow-keys' or nil."
  (if (eq narrow ?t)
      (list (list 'full 'search (list :query query :k roam-semantic-find-results)))
    (let* ((filter (pcase narrow
                     (?c "type:claim")
                     (?s "type:summary")
                     (?d (format "file:\"%s\"" (roam-semantic-live--dailies)))))
           (text (if filter (concat filter " " query) query))
           (arguments (list :query text :k roam-semantic-find-results)))
      (list (list 'words 'semantic-search (append arguments '(:mode "words")))
            (list 'full 'semantic-search arguments)))))

(defun roam-semantic-live--dailies ()
  "Return the folder of the daily notes, below the vault, as in file names."
  (let ((folder (file-name-as-directory
                 (or (bound-and-true-p org-roam-dailies-directory) "daily"))))
    (if (file-name-absolute-p folder)
        (file-relative-name folder (bound-and-true-p org-roam-directory))
      folder)))

(defun roam-semantic-live-ask (live query &optional narrow)
  "Ask for QUERY on behalf of LIVE, narrowed by NARROW.
What was asked before is withdrawn, unless it is the same."
  (unless (and (equal query (roam-semantic-live-query live))
               (eq narrow (roam-semantic-live-narrow live))
               (or (roam-semantic-live-requests live)
                   (eq 'full (roam-semantic-live-stage live))))
    (roam-semantic-live-withdraw live)
    (setf (roam-semantic-live-query live) query
          (roam-semantic-live-narrow live) narrow
          (roam-semantic-live-stage live) nil
          (roam-semantic-live-limits live) nil)
    (if (< (string-width (string-trim query)) roam-semantic-live-least-columns)
        (roam-semantic-live--show-none live)
      (with-current-buffer (or (roam-semantic-live-buffer live) (current-buffer))
        (roam-semantic-live--send live (roam-semantic-live-questions query narrow)))
      (roam-semantic-live--tell live 'asked))))

(defun roam-semantic-live-ask-soon (live query)
  "Ask for QUERY on behalf of LIVE after a pause.
What was asked before is withdrawn at once."
  (roam-semantic-live-withdraw live)
  (setf (roam-semantic-live-timer live)
        (run-at-time (/ roam-semantic-live-pause-ms 1000.0) nil
                     #'roam-semantic-live-ask live query)))

(defun roam-semantic-live--send (live questions)
  "Ask the first of QUESTIONS, and when it is answered the others, for LIVE."
  (let* (id
         done
         (asked (list (roam-semantic-live-query live) (roam-semantic-live-narrow live)))
         (current (lambda ()
                    (setq done t)
                    (setf (roam-semantic-live-requests live)
                          (delq id (roam-semantic-live-requests live)))
                    (equal asked (list (roam-semantic-live-query live)
                                       (roam-semantic-live-narrow live))))))
    (pcase-let ((`(,stage ,operation ,arguments) (car questions)))
      (setq id (roam-semantic-request
                operation arguments
                :deadline-s roam-semantic-deadline-s
                :callback (lambda (answer)
                            (when (funcall current)
                              (when (cdr questions)
                                (roam-semantic-live--send live (cdr questions)))
                              (roam-semantic-live--receive live stage answer)))
                :errback (lambda (condition)
                           (when (and (funcall current)
                                      (not (eq 'roam-semantic-cancelled (car condition))))
                             (roam-semantic-live--fail live condition))))))
    (unless done
      (push id (roam-semantic-live-requests live)))))

(defun roam-semantic-live-withdraw (live)
  "Cancel what LIVE has asked and not been answered."
  (when (timerp (roam-semantic-live-timer live))
    (cancel-timer (roam-semantic-live-timer live)))
  (let ((requests (roam-semantic-live-requests live)))
    ;; Cleared first: cancelling calls back.
    (setf (roam-semantic-live-timer live) nil
          (roam-semantic-live-requests live) nil)
    (mapc #'roam-semantic-cancel-request requests)))

(defun roam-semantic-live-stop (live)
  "End LIVE: nothing that comes later is shown."
  (setf (roam-semantic-live-on-change live) #'ignore)
  (roam-semantic-live-withdraw live))

(defun roam-semantic-live--tell (live event)
  "Tell the interface of LIVE that EVENT has come about."
  (funcall (or (roam-semantic-live-on-change live) #'ignore) live event))

(defun roam-semantic-live--show-none (live)
  "Take the candidates of LIVE away: there is no question."
  (setf (roam-semantic-live-candidates live) nil)
  (roam-semantic-live--tell live 'full))

(defun roam-semantic-live--receive (live stage answer)
  "Show ANSWER of STAGE, unless LIVE has a better one."
  (unless (eq 'full (roam-semantic-live-stage live))
    (let* ((selected (and (roam-semantic-live-stage live)
                          (roam-semantic-live-selected live)))
           (names (or (and (roam-semantic-live-stage live) (roam-semantic-live-names live))
                      (make-hash-table :test #'equal)))
           (candidates (roam-semantic-hit-candidates (plist-get answer :hits) names)))
      (setf (roam-semantic-live-names live) names
            (roam-semantic-live-candidates live)
            (roam-semantic-live-arrange candidates (car selected) (cdr selected))
            (roam-semantic-live-limits live)
            (and (eq stage 'full) (roam-semantic-live-limits-of answer)))
      (unless (or selected (roam-semantic-live-stage live))
        (roam-semantic-live--forget-selection))
      (setf (roam-semantic-live-stage live) stage)
      (roam-semantic-live--tell live stage))))

(defun roam-semantic-live--fail (live condition)
  "Tell why LIVE has no answer: CONDITION.
What words found stays."
  (roam-semantic-live-withdraw live)
  (setf (roam-semantic-live-limits live) (roam-semantic-errors-text condition))
  (roam-semantic-live--tell live 'failed))

(defun roam-semantic-live-arrange (candidates selected index)
  "Return CANDIDATES with SELECTED at INDEX, where the person sees it.
SELECTED stands for every candidate of its note; it stays even when
CANDIDATES has no such note.  Nil as SELECTED changes nothing."
  (if (null selected)
      candidates
    (let* ((id (plist-get (roam-semantic-hit-of selected) :node-id))
           (fresh (or (car (member selected candidates)) selected))
           (others (cl-remove-if
                    (lambda (candidate)
                      (or (equal candidate selected)
                          (and id (equal id (plist-get (roam-semantic-hit-of candidate)
                                                       :node-id)))))
                    candidates)))
      (append (seq-take others index) (list fresh) (seq-drop others index)))))

(defun roam-semantic-live-limits-of (answer)
  "Return what limits ANSWER, as \"without vectors; 3 passages not indexed\".
A stage that could not take part is told as \"NAME: WHY\"; the name is
enough here, the doctor knows the rest.  Nil means nothing does."
  (let ((missing (mapcar (lambda (stage) (car (split-string stage ":")))
                         (plist-get answer :degraded)))
        (pending (or (plist-get (plist-get answer :index) :pending) 0)))
    (when (or missing (> pending 0))
      (string-join
       (append (and missing (list (concat "without " (string-join missing ", "))))
               (and (> pending 0) (list (format "%d passages not indexed" pending))))
       "; "))))

;;; What the person has selected

(defun roam-semantic-live-selected (live)
  "Return (CANDIDATE . INDEX) if the person has moved to one of LIVE's, or nil."
  (when (buffer-live-p (roam-semantic-live-buffer live))
    (with-current-buffer (roam-semantic-live-buffer live)
      (cond
       ((consp (bound-and-true-p vertico--input))
        (when (and (>= vertico--index 0) (or (> vertico--index 0) vertico--lock-candidate))
          (when-let* ((candidate (nth vertico--index vertico--candidates)))
            (cons candidate vertico--index))))
       ;; Icomplete turns the list round: what is selected is the first.
       ((roam-semantic-live-icomplete-p)
        (let ((top (car-safe completion-all-sorted-completions)))
          (when-let* ((candidate (and top (car (member top (roam-semantic-live-candidates
                                                            live))))))
            (unless (equal candidate (car (roam-semantic-live-candidates live)))
              (cons candidate 0)))))))))

(defun roam-semantic-live--forget-selection ()
  "Let the best hit of a new question be selected.
Vertico would follow the candidate of the last one."
  (when (local-variable-p 'vertico--lock-candidate)
    (setq vertico--lock-candidate nil)))

(defun roam-semantic-live-icomplete-p ()
  "Return non-nil if icomplete shows the candidates."
  (or (bound-and-true-p icomplete-mode) (bound-and-true-p fido-mode)))

;;; Under vertico and icomplete

(defun roam-semantic-live-interface-p ()
  "Return non-nil if a completion interface is on that shows hits as they come."
  (and (eq completing-read-function #'completing-read-default)
       (or (bound-and-true-p vertico-mode) (roam-semantic-live-icomplete-p))))

(defun roam-semantic-live-read (live prompt initial)
  "Read a hit with PROMPT while LIVE answers; return it or what was typed.
INITIAL is the question to start with, or nil."
  (setf (roam-semantic-live-on-change live) #'roam-semantic-live--show)
  (let* ((history-add-new-input nil)
         (typed (minibuffer-with-setup-hook
                    (lambda () (roam-semantic-live--set-up live))
                  (completing-read prompt (roam-semantic-live--table live) nil nil
                                   initial 'roam-semantic-find-history)))
         (candidate (car (member typed (roam-semantic-live-candidates live))))
         (question (or (and candidate (roam-semantic-live-query live)) typed)))
    (unless (string-blank-p question)
      (let ((history-add-new-input t))
        (add-to-history 'roam-semantic-find-history question)))
    (or (roam-semantic-hit-of candidate) typed)))

(defun roam-semantic-live--table (live)
  "Return a completion table of what LIVE has found."
  (lambda (string predicate action)
    (if (eq action 'metadata)
        '(metadata (category . org-roam-node)
                   (display-sort-function . identity)
                   (cycle-sort-function . identity)
                   (affixation-function . roam-semantic-hit-affixes))
      (complete-with-action action (roam-semantic-live-copies live)
                            string predicate))))

(defun roam-semantic-live-copies (live)
  "Return copies of LIVE's candidates.
Emacs' own completion strips the properties of what it inserts."
  (mapcar #'copy-sequence (roam-semantic-live-candidates live)))

(defun roam-semantic-live--set-up (live)
  "Make the minibuffer ask through LIVE whenever its text changes."
  (setf (roam-semantic-live-buffer live) (current-buffer))
  ;; The server has chosen: no style may drop a hit for its letters.
  (setq-local completion-styles-alist
              (cons (list 'roam-semantic-live
                          (lambda (string _table _predicate point) (cons string point))
                          (lambda (_string _table _predicate _point)
                            (roam-semantic-live-copies live))
                          "Whatever the server has found.")
                    completion-styles-alist)
              completion-styles '(roam-semantic-live)
              completion-category-defaults nil
              completion-category-overrides nil)
  (roam-semantic-live-keep-annotations)
  (when (roam-semantic-live-icomplete-p)
    (use-local-map (make-composed-keymap roam-semantic-live-icomplete-map
                                         (current-local-map))))
  (let* ((seen "")
         (look (lambda ()
                 (let ((text (minibuffer-contents-no-properties)))
                   (unless (equal text seen)
                     (setq seen text)
                     (roam-semantic-live-ask-soon live text))))))
    (add-hook 'post-command-hook look nil t)
    (funcall look)))

(defun roam-semantic-live-keep-annotations ()
  "In this minibuffer, let no other annotator replace ours."
  (when (boundp 'marginalia-annotator-registry)
    (setq-local marginalia-annotator-registry
                (cons '(org-roam-node builtin) marginalia-annotator-registry))))

(defvar roam-semantic-live-icomplete-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'roam-semantic-live-exit)
    (define-key map (kbd "SPC") #'self-insert-command)
    map)
  "Keys while hits are shown by icomplete, whose RET takes what was typed.")

(defun roam-semantic-live-exit ()
  "Leave the minibuffer with the first hit, or without one as it is."
  (interactive)
  (if (all-completions "" minibuffer-completion-table)
      (icomplete-force-complete-and-exit)
    (exit-minibuffer)))

(defun roam-semantic-live--show (live event)
  "Show what LIVE has after EVENT, if its minibuffer is the active one."
  (when-let* ((window (active-minibuffer-window))
              (buffer (roam-semantic-live-buffer live)))
    (when (eq buffer (window-buffer window))
      (with-selected-window window
        (roam-semantic-live-show-limits live event)
        (unless (memq event '(asked failed))
          (cond
           ((bound-and-true-p vertico--input)
            (setq vertico--input t)
            (vertico--exhibit))
           ((roam-semantic-live-icomplete-p)
            (setq completion-all-sorted-completions nil)
            (when (boundp 'icomplete--scrolled-completions)
              (setq icomplete--scrolled-completions nil))
            (icomplete-exhibit))))))))

(defvar-local roam-semantic-live--note nil
  "Overlay before the prompt that tells what limits the hits.")

(defun roam-semantic-live-show-limits (live event)
  "Show the limits of LIVE before the prompt; after EVENT `asked', a dot."
  (let ((limits (roam-semantic-live-limits live)))
    (unless (overlayp roam-semantic-live--note)
      (setq roam-semantic-live--note (make-overlay (point-min) (point-min))))
    (move-overlay roam-semantic-live--note (point-min) (point-min) (current-buffer))
    (overlay-put roam-semantic-live--note 'before-string
                 (cond
                  (limits (propertize (format "(%s) " limits)
                                      'face (if (eq event 'failed) 'error 'shadow)))
                  ((memq event '(asked words)) (propertize "… " 'face 'shadow))))))

(provide 'roam-semantic-live)
;;; roam-semantic-live.el ends here
