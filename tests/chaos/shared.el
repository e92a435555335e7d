;;; shared.el --- Drive org-roam beside a writer in its own database  -*- lexical-binding: t -*-

;;; Commentary:

;; Usage: emacs --batch -l shared.el -- VAULT DATABASE ACTION [ARGUMENT…]
;; with org_roam.el, whose actions these are, and our Lisp files beside it.
;; Opens the gate, waits for the file DATABASE.go, does ACTION, and prints
;; "LONGEST-WAIT ms" and "ERRORS n".  The environment variable
;; CHAOS_UNGUARDED makes org-roam take no turns: the negative control.

;;; Code:

(package-activate-all)
(require 'org-roam)
(defconst chaos-folder (file-name-directory load-file-name) "Where the Lisp files are.")
(add-to-list 'load-path chaos-folder)
(require 'roam-semantic-placement)

(defvar chaos-longest 0.0 "Most seconds org-roam waited for its turn.")

(defun chaos-timed (wait gate)
  "Call WAIT with GATE and note how long it takes."
  (let ((start (float-time)))
    (prog1 (funcall wait gate)
      (setq chaos-longest (max chaos-longest (- (float-time) start))))))

(advice-add 'roam-semantic-placement--await :around #'chaos-timed)

(let ((database (nth 2 (member "--" command-line-args))))
  (setq org-roam-db-location database
        roam-semantic-index-placement 'shared)
  (roam-semantic-placement-take-turns)
  (when (getenv "CHAOS_UNGUARDED")
    (mapc (lambda (function) (advice-remove function #'roam-semantic-placement--around))
          roam-semantic-placement--writers)
    (advice-remove 'org-roam-db #'roam-semantic-placement--around-open))
  (while (not (file-exists-p (concat database ".go")))
    (sleep-for 0.02)))

(load (expand-file-name "org_roam.el" chaos-folder) nil t)
(princ (format "LONGEST-WAIT %d\n" (round (* 1000 chaos-longest))))

;;; shared.el ends here
