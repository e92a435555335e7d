;;; roam-semantic-consult.el --- Hits while you type, through consult  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; Loaded by `roam-semantic-find' when consult is there.  The question is
;; typed as in `consult-grep': after the # goes what the server is asked,
;; after another # what filters the hits shown.  The hit under point is
;; previewed at its heading.  A narrowing key (t title, c claims, s
;; summaries, d dailies) asks the server again.
;;
;; Consult has composed its asynchronous functions in two ways, before and
;; since 2.0; what differs is in `roam-semantic-consult--pipeline' and
;; `roam-semantic-consult--indicate'.

;;; Code:

(require 'cl-lib)
(require 'consult nil t)
(require 'roam-semantic-hit)
(require 'roam-semantic-live)

(declare-function consult--async-indicator "ext:consult")
(declare-function consult--async-min-input "ext:consult")
(declare-function consult--async-pipeline "ext:consult")
(declare-function consult--async-sink "ext:consult")
(declare-function consult--async-split "ext:consult")
(declare-function consult--async-split-initial "ext:consult")
(declare-function consult--async-throttle "ext:consult")
(declare-function consult--jump-preview "ext:consult")
(declare-function consult--read "ext:consult")
(declare-function consult--temporary-files "ext:consult")
(defvar consult--narrow)
(defvar consult-async-min-input)

(defcustom roam-semantic-consult-preview-key '(:debounce 0.2 any)
  "When the hit under point is previewed, as in `consult-preview-key'.
The number is in seconds."
  :type '(choice (const :tag "Any key" any)
                 (list :tag "Some time after any key"
                       (const :debounce) (number :tag "Seconds") (const any))
                 (const :tag "Never" nil)
                 (key-sequence :tag "Key"))
  :group 'roam-semantic
  :package-version '(roam-semantic . "0.1.0"))

(defvar roam-semantic-consult-history nil
  "Questions asked through consult, with its signs.")

(defvar roam-semantic-consult--typed nil
  "List of one string, what was in the minibuffer when it was left.")

(defconst roam-semantic-consult--throttle-s 0.1
  "Seconds between two questions at least.")

(defun roam-semantic-consult--modern-p ()
  "Return non-nil if consult composes asynchronous functions as since 2.0."
  (fboundp 'consult--async-pipeline))

(defun roam-semantic-consult-read (live prompt initial)
  "Read a hit with PROMPT while LIVE answers; return it or what was asked.
INITIAL is the question to start with, or nil."
  (let ((consult-async-min-input 1)
        (roam-semantic-consult--typed (list nil))
        (source (roam-semantic-consult--source live))
        (modern (roam-semantic-consult--modern-p)))
    (or (apply #'consult--read
               (roam-semantic-consult--pipeline source)
               :prompt prompt
               :category 'org-roam-node
               :sort nil
               :require-match nil
               :history '(:input roam-semantic-consult-history)
               :add-history (thing-at-point 'symbol)
               :initial (if modern initial (consult--async-split-initial initial))
               :narrow (list :keys roam-semantic-live-narrow-keys)
               :annotate (lambda (candidate)
                           (roam-semantic-hit-suffix
                            candidate (roam-semantic-hit-width
                                       (roam-semantic-live-candidates live))))
               :lookup (lambda (selected &rest _)
                         (roam-semantic-hit-of
                          (car (member selected (roam-semantic-live-candidates live)))))
               :preview-key roam-semantic-consult-preview-key
               :state (roam-semantic-consult--state)
               (and modern '(:async-wrap roam-semantic-consult--wrap)))
        ;; RET may come before consult has passed the question on.
        (roam-semantic-consult--question
         (or (car roam-semantic-consult--typed) "")))))

(defun roam-semantic-consult--question (input)
  "Return what INPUT of the minibuffer asks: what stands between two #s."
  (if (string-prefix-p "#" input)
      (car (split-string (substring input 1) "#"))
    input))

;;; Asking

(defun roam-semantic-consult--pipeline (source)
  "Return SOURCE as what `consult--read' reads from.
Refreshing is SOURCE's own: an answer replaces another in one step."
  (let ((pause (/ roam-semantic-live-pause-ms 1000.0)))
    (if (roam-semantic-consult--modern-p)
        (consult--async-pipeline
         (with-no-warnings
           (consult--async-throttle roam-semantic-consult--throttle-s pause))
         source)
      (with-no-warnings
        (consult--async-split
         (consult--async-throttle
          (funcall source (consult--async-indicator (consult--async-sink)))
          roam-semantic-consult--throttle-s pause))))))

(defun roam-semantic-consult--wrap (async)
  "Put ASYNC between splitting the input and the indicator."
  (with-no-warnings
    (consult--async-pipeline (consult--async-split) async (consult--async-indicator))))

(defun roam-semantic-consult--source (live)
  "Return a function of a sink: what consult reads, and LIVE answers."
  (lambda (sink)
    (setf (roam-semantic-live-on-change live)
          (lambda (live event) (roam-semantic-consult--pass-on live event sink)))
    (let ((text ""))
      (lambda (action)
        (pcase action
          ('setup
           (roam-semantic-consult--set-up live (lambda () text))
           (funcall sink 'setup))
          ;; Before 2.0, consult empties the text first whenever it changes.
          ((or "" 'cancel)
           (roam-semantic-live-withdraw live)
           (when (eq action 'cancel) (funcall sink 'cancel)))
          ((pred stringp)
           (setq text (substring-no-properties action))
           (roam-semantic-consult--ask live text)
           nil)
          ('destroy
           (roam-semantic-live-withdraw live)
           (funcall sink 'destroy))
          (_ (funcall sink action)))))))

(defun roam-semantic-consult--ask (live text)
  "Ask for TEXT on behalf of LIVE, in the way the minibuffer is narrowed."
  (roam-semantic-live-ask
   live text (buffer-local-value 'consult--narrow (roam-semantic-live-buffer live))))

(defun roam-semantic-consult--set-up (live text)
  "Make this minibuffer LIVE's; TEXT is a function that returns the question."
  (setf (roam-semantic-live-buffer live) (current-buffer))
  (roam-semantic-live-keep-annotations)
  (let ((typed roam-semantic-consult--typed))
    (add-hook 'minibuffer-exit-hook
              (lambda () (setcar typed (minibuffer-contents-no-properties)))
              nil t))
  (add-hook 'post-command-hook
            (lambda ()
              (unless (or (eq consult--narrow (roam-semantic-live-narrow live))
                          (string-empty-p (funcall text)))
                (roam-semantic-consult--ask live (funcall text))))
            nil t))

(defun roam-semantic-consult--pass-on (live event sink)
  "Hand what LIVE has after EVENT to SINK."
  (roam-semantic-consult--indicate
   sink (pcase event ((or 'asked 'words) 'running) ('full 'finished) (_ 'failed)))
  (when (buffer-live-p (roam-semantic-live-buffer live))
    (with-current-buffer (roam-semantic-live-buffer live)
      (roam-semantic-live-show-limits live (if (eq event 'failed) 'failed 'full))))
  (unless (memq event '(asked failed))
    (funcall sink 'flush)
    (when (roam-semantic-live-candidates live)
      (funcall sink (roam-semantic-live-copies live)))
    (funcall sink 'refresh)))

(defun roam-semantic-consult--indicate (sink state)
  "Have SINK show STATE, `running', `finished' or `failed'."
  (if (roam-semantic-consult--modern-p)
      (funcall sink (vector 'indicator state))
    (funcall sink 'indicator state)))

;;; Preview

(defun roam-semantic-consult--state ()
  "Return a state function that previews the hit under point at its heading."
  (let ((open (consult--temporary-files))
        (preview (consult--jump-preview)))
    (lambda (action hit)
      (unless (and hit (eq action 'preview))
        (when (memq action '(preview exit))
          (funcall preview 'preview nil))
        (unless hit
          (funcall open)))
      (when (and hit (eq action 'preview))
        (when-let* ((place (roam-semantic-consult--place hit open)))
          (funcall preview 'preview place))))))

(defun roam-semantic-consult--place (hit open)
  "Return a marker at the heading of HIT in the buffer OPEN makes, or nil."
  (when (file-readable-p (plist-get hit :file))
    (when-let* ((buffer (funcall open (plist-get hit :file))))
      (with-current-buffer buffer
        (save-restriction
          (widen)
          (copy-marker (roam-semantic-hit-position hit)))))))

(provide 'roam-semantic-consult)
;;; roam-semantic-consult.el ends here
