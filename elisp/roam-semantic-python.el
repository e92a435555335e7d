;;; roam-semantic-python.el --- Finding a Python to install with  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The roam-semantic authors

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; Which Python of this machine can make a virtual environment?  An Emacs
;; started from a menu has a short `exec-path', so the places where people
;; have Python are looked at too, and first: what the system brought stays
;; longer than what a shell has activated.
;;
;; Debian's Python has no venv module until python3-venv is installed; uv
;; needs neither that nor a Python.

;;; Code:

(require 'seq)
(require 'subr-x)
(require 'roam-semantic)
(require 'roam-semantic-program)

(defconst roam-semantic-python-oldest "3.11"
  "Oldest version of Python that the program runs with.")

(defvar roam-semantic-python-places
  '("/usr/bin" "/usr/local/bin" "/opt/homebrew/bin" "/opt/local/bin"
    "~/.local/bin" "~/.cargo/bin")
  "Folders that are looked at before those of the variable `exec-path'.")

(defconst roam-semantic-python-names
  '("python3" "python3.13" "python3.12" "python3.14" "python3.11")
  "Names of Pythons, the one to take first.")

(defconst roam-semantic-python--patience-s 10
  "Seconds a Python may take to say its version.")

(defun roam-semantic-python-folders ()
  "Return the folders of this machine to look for programs in, each once."
  (seq-filter
   #'file-directory-p
   (seq-uniq
    (mapcar (lambda (folder) (directory-file-name (expand-file-name folder)))
            ;; One of nil or "bin" means the folder of the current buffer.
            (seq-filter (lambda (folder)
                          (and (stringp folder)
                               (file-name-absolute-p folder)
                               (not (file-remote-p folder))))
                        (append roam-semantic-python-places (default-value 'exec-path)))))))

(defun roam-semantic-python-files (names)
  "Return the programs called one of NAMES, by name and folder, each once."
  (let (files)
    (dolist (name names)
      (dolist (folder (roam-semantic-python-folders))
        (let ((file (expand-file-name name folder)))
          (when (and (file-executable-p file)
                     (not (file-directory-p file))
                     (not (roam-semantic-python--decoy-p file)))
            (push file files)))))
    ;; /bin is a link to /usr/bin, and an activated environment one to both.
    (seq-uniq (nreverse files)
              (lambda (one other) (equal (file-truename one) (file-truename other))))))

(defun roam-semantic-python--decoy-p (file)
  "Return non-nil if FILE is Apple's stand-in, which opens a window and is old."
  (and (eq system-type 'darwin)
       (string-match-p "\\`/usr/bin/python" file)))

(defconst roam-semantic-python--question
  "import sys
try:
    import ensurepip, venv
    whole = 'whole'
except ImportError:
    whole = 'bare'
print('python', '%d.%d.%d' % sys.version_info[:3], whole)"
  "What a Python is asked: its version, and whether it makes environments.")

(defun roam-semantic-python-ask (file)
  "Return (:file FILE :version V :whole BOOLEAN) of the Python FILE, or nil.
Nil is for one that does not run, or not in time.  Whole is one that has
what a virtual environment needs."
  (let ((output (roam-semantic-python--output
                 (list file "-I" "-c" roam-semantic-python--question))))
    (when (and output
               (string-match "^python \\([0-9.]+\\) \\(whole\\|bare\\)" output))
      (list :file file
            :version (match-string 1 output)
            :whole (equal "whole" (match-string 2 output))))))

(defun roam-semantic-python--output (command)
  "Return what COMMAND, a list, prints; nil if it fails or takes too long.
Emacs goes on meanwhile, and \\[keyboard-quit] ends the wait."
  (let ((default-directory (roam-semantic-program-folder))
        (end (+ (float-time) roam-semantic-python--patience-s))
        process)
    (with-temp-buffer
      (unwind-protect
          (ignore-errors
            (setq process (make-process :name "roam-semantic python" :noquery t
                                        :command command :buffer (current-buffer)
                                        :connection-type 'pipe :sentinel #'ignore))
            (while (and (process-live-p process) (< (float-time) end))
              (accept-process-output process 0.05))
            (while (accept-process-output process 0))
            (and (eq 'exit (process-status process))
                 (eql 0 (process-exit-status process))
                 (buffer-string)))
        (when process (delete-process process))))))

(defun roam-semantic-python-choose ()
  "Return the means to make a virtual environment with, a plist.
Either (:python FILE :version V), or with :uv FILE as well (then :python
may be nil: uv brings one), or (:fault MESSAGE :remedy REMEDY)."
  (let ((files (roam-semantic-python-files roam-semantic-python-names))
        whole bare old)
    (while (and files (not whole))
      (when-let* ((python (roam-semantic-python-ask (pop files))))
        (cond ((version< (plist-get python :version) roam-semantic-python-oldest)
               (unless old (setq old python)))
              ((plist-get python :whole) (setq whole python))
              ((not bare) (setq bare python)))))
    (let ((uv (and (not whole) (car (roam-semantic-python-files '("uv"))))))
      (cond
       (whole (list :python (plist-get whole :file) :version (plist-get whole :version)))
       (uv (list :uv uv :python (plist-get bare :file) :version (plist-get bare :version)))
       (bare (roam-semantic-python--no-venv bare))
       (t (roam-semantic-python--no-python old))))))

(defun roam-semantic-python--no-venv (python)
  "Return fault and remedy where PYTHON is found, but lacks its venv module."
  (let ((name (file-name-nondirectory (plist-get python :file))))
    (list :fault (format "%s (Python %s) has no venv module"
                         (plist-get python :file) (plist-get python :version))
          :remedy (if (roam-semantic-python--debian-p)
                      (format "run `sudo apt install %s-venv`" name)
                    "install the modules venv and ensurepip of it, or uv"))))

(defun roam-semantic-python--no-python (old)
  "Return fault and remedy where no Python is new enough; OLD is the newest or nil."
  (list :fault (concat (format "no Python %s or newer is found" roam-semantic-python-oldest)
                       (and old (format ", only %s (%s)" (plist-get old :version)
                                        (plist-get old :file))))
        :remedy (cond
                 ((roam-semantic-python--debian-p)
                  "run `sudo apt install python3 python3-venv`, or install uv")
                 ((eq system-type 'darwin) "run `brew install python`, or install uv")
                 (t "install one, or uv"))))

(defun roam-semantic-python--debian-p ()
  "Return non-nil on Debian and what is made of it."
  (file-exists-p "/etc/debian_version"))

(provide 'roam-semantic-python)
;;; roam-semantic-python.el ends here
