;;; test-doctor.el --- Tests of the doctor and its remedies  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Code:

(require 'roam-semantic-test)
(require 'roam-semantic-doctor)
(require 'roam-semantic-index)
(require 'roam-semantic-install)

(defmacro roam-semantic-test-with-doctor (script replies &rest body)
  "Run BODY where the program is the shell SCRIPT and the server has REPLIES.
Afterwards neither a process nor a buffer of the doctor may be left."
  (declare (indent 2) (debug (form form body)))
  `(let ((roam-semantic-command (list "sh" "-c" ,script)))
     (roam-semantic-test-with-replies ,replies
       (save-window-excursion
         (unwind-protect
             (progn ,@body)
           (when (get-buffer roam-semantic-doctor--buffer)
             (kill-buffer roam-semantic-doctor--buffer))))
       (roam-semantic-test-wait (lambda () (null (process-list))) "A process was left")
       (should-not (get-buffer " *roam-semantic version*")))))

(defun roam-semantic-test-doctor ()
  "Ask the doctor, wait until it is done, and return what it shows."
  (roam-semantic-doctor)
  (roam-semantic-test-doctor-wait))

(defun roam-semantic-test-doctor-wait ()
  "Wait until the doctor is done and return what it shows."
  (roam-semantic-test-wait
   (lambda () (not (string-search "Looking..." (roam-semantic-test-doctor-shown)))))
  (roam-semantic-test-doctor-shown))

(defun roam-semantic-test-doctor-shown ()
  "Return what the doctor shows."
  (with-current-buffer roam-semantic-doctor--buffer
    (buffer-substring-no-properties (point-min) (point-max))))

(defconst roam-semantic-test-says-version (format "echo roam-semantic %s" roam-semantic-version)
  "A program that says our version.")

(ert-deftest roam-semantic-the-doctor-shows-both-sides ()
  (roam-semantic-test-with-doctor roam-semantic-test-says-version
      '((doctor :answers (:ok t :checks ((:name "model" :state "ok" :message "MiniLM")
                                         (:name "index" :state "warning" :message "3 of 9"
                                                :remedy "`roam-semantic index`")))))
    (let ((shown (roam-semantic-test-doctor)))
      (should (string-match-p "^ok +Emacs: version" shown))
      (should (string-match-p "^ok +org-roam: version" shown))
      (should (string-match-p "^ok +installation: not used" shown))
      (should (string-match-p "^ok +command: sh -c .* (roam-semantic 0" shown))
      (should (string-match-p "^ok +server: version .* answers over" shown))
      (should (string-match-p "^ok +model: MiniLM" shown))
      (should (string-search "warning index: 3 of 9\n        → M-x roam-semantic-index\n" shown))
      (should (string-match-p "^Nothing failed, [12] to look at$" shown)))))

(ert-deftest roam-semantic-the-doctor-fills-in-what-takes-time ()
  "It returns before the program and the server have said anything."
  (roam-semantic-test-with-doctor
      (concat "sleep 0.3; " roam-semantic-test-says-version)
      '((doctor :answers (:ok t :checks nil)))
    (roam-semantic-doctor)
    (let ((shown (roam-semantic-test-doctor-shown)))
      (should (string-match-p "^waiting +command: sh -c" shown))
      (should (string-match-p "^waiting +server:" shown))
      (should (string-search "Looking..." shown)))
    (should (string-match-p "^ok +command: .*\n\\(?:.*\n\\)*ok +server:"
                            (roam-semantic-test-doctor-wait)))))

(ert-deftest roam-semantic-a-program-that-hangs-does-not-hang-the-doctor ()
  (let ((roam-semantic-doctor--patience-s 0.2))
    (roam-semantic-test-with-doctor "exec sleep 60" '((doctor :answers (:checks nil)))
      (should (string-match-p "^failed +command: .* fails: it says nothing"
                              (roam-semantic-test-doctor))))))

(ert-deftest roam-semantic-a-program-of-another-version-is-told ()
  (roam-semantic-test-with-doctor "echo roam-semantic 9.9.9" '((doctor :answers (:checks nil)))
    (should (string-match-p "^failed +command: .* says roam-semantic 9.9.9, the Emacs package is"
                            (roam-semantic-test-doctor)))))

(ert-deftest roam-semantic-a-server-that-fails-leaves-the-other-checks ()
  (roam-semantic-test-with-doctor roam-semantic-test-says-version
      '((doctor :fails roam-semantic-unavailable "it is broken"
                "the next call starts it again; M-x roam-semantic-doctor tells more"))
    (let ((shown (roam-semantic-test-doctor)))
      (should (string-search (concat "failed  server: it is broken\n"
                                     "        → the next call starts it again\n")
                             shown))
      (should (string-match-p "^1 failed," shown)))))

(ert-deftest roam-semantic-an-answer-to-an-older-look-is-not-shown ()
  (roam-semantic-test-with-doctor roam-semantic-test-says-version '((doctor . nil))
    (roam-semantic-doctor)
    (roam-semantic-test-wait (lambda () (and roam-semantic-test-wires (roam-semantic-test-sent))))
    (let ((wire (car roam-semantic-test-wires))
          (first (car (roam-semantic-test-sent))))
      (with-current-buffer roam-semantic-doctor--buffer
        (revert-buffer))
      (roam-semantic-transport-deliver
       wire 'answer first '(:checks ((:name "old" :state "ok" :message "look"))))
      (roam-semantic-transport-deliver
       wire 'answer (car (roam-semantic-test-sent))
       '(:checks ((:name "new" :state "ok" :message "look"))))
      (let ((shown (roam-semantic-test-doctor-wait)))
        (should (string-search "new: look" shown))
        (should-not (string-search "old: look" shown))))))

(ert-deftest roam-semantic-the-doctor-tries-a-server-that-was-given-up ()
  (roam-semantic-test-with-doctor roam-semantic-test-says-version
      '((doctor :answers (:checks nil)))
    (setf (roam-semantic-server-deaths roam-semantic-server-current)
          (make-list 9 (float-time)))
    (should (string-match-p "^ok +server:" (roam-semantic-test-doctor)))))

(ert-deftest roam-semantic-the-doctor-works-from-a-remote-folder ()
  (roam-semantic-test-with-doctor roam-semantic-test-says-version
      '((doctor :answers (:checks nil)))
    (let ((default-directory "/ssh:nowhere.invalid:/x/"))
      (roam-semantic-test-without-connections
        (should (string-match-p "^ok +command:" (roam-semantic-test-doctor)))))))

(ert-deftest roam-semantic-the-doctor-tells-how-to-install ()
  (roam-semantic-test-with-doctor "" '((doctor :answers (:checks nil)))
    (let* ((roam-semantic-command nil)
           (roam-semantic-python nil)
           (user-emacs-directory (make-temp-file "emacs" t))
           (exec-path nil)
           (shown (roam-semantic-test-doctor)))
      (should (string-match-p "^failed +installation: nothing is installed in .*\n +→ M-x roam-"
                              shown))
      (should (string-match-p
               "^failed +command: python3 is not there\n +→ M-x roam-semantic-install" shown))
      (delete-directory user-emacs-directory t))))

(ert-deftest roam-semantic-killing-the-doctor-ends-what-it-started ()
  (roam-semantic-test-with-doctor "exec sleep 60" '((doctor . nil))
    (roam-semantic-doctor)
    (should (process-list))
    (kill-buffer roam-semantic-doctor--buffer)))

;;; Remedies

(defun roam-semantic-test-press (text words)
  "Insert the remedy TEXT and press the button on WORDS."
  (with-temp-buffer
    (roam-semantic-remedy-insert text)
    (goto-char (point-min))
    (search-forward words)
    (let ((button (button-at (1- (point)))))
      (should button)
      (should (stringp (button-get button 'help-echo)))
      (button-activate button))))

(ert-deftest roam-semantic-a-remedy-runs-its-command ()
  (let (ran)
    (cl-letf (((symbol-function 'roam-semantic-index)
               (lambda () (interactive) (push current-prefix-arg ran))))
      (roam-semantic-test-press "wait, or M-x roam-semantic-index" "semantic-index")
      (roam-semantic-test-press "see `roam-semantic index --force`" "C-u M-x")
      (should (equal '((4) nil) ran)))))

(ert-deftest roam-semantic-a-remedy-opens-its-option ()
  (let (opened)
    (cl-letf (((symbol-function 'customize-variable) (lambda (option) (push option opened))))
      (roam-semantic-test-press "set `roam-semantic-python' right" "semantic-python")
      (should (equal '(roam-semantic-python) opened)))))

(ert-deftest roam-semantic-a-remedy-installs-its-package ()
  (let (installed)
    (cl-letf (((symbol-function 'package-install) (lambda (name &rest _) (push name installed)))
              ((symbol-function 'package-refresh-contents) #'ignore)
              ((symbol-function 'y-or-n-p) #'always))
      (roam-semantic-test-press "M-x package-install RET epc, or do without" "RET epc")
      (should (equal '(epc) installed)))))

(ert-deftest roam-semantic-a-remedy-copies-its-shell-command ()
  (let ((kill-ring nil)
        (interprogram-cut-function nil))
    (roam-semantic-test-press "run `sudo apt install python3-venv`" "apt install")
    (should (equal "sudo apt install python3-venv" (current-kill 0)))))

(ert-deftest roam-semantic-a-remedy-makes-no-button-of-what-emacs-does-not-have ()
  (with-temp-buffer
    (roam-semantic-remedy-insert "M-x no-such-command, `no-such-option', `unclosed")
    (goto-char (point-min))
    (should-not (next-button (point-min) t))))

(provide 'test-doctor)
;;; test-doctor.el ends here
