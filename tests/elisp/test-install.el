;;; test-install.el --- Tests of installing the program  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: GPL-3.0-or-later

;;; Commentary:

;; A machine of its own for each test: a folder with stand-ins for Python,
;; which make an environment that says what it is told to say.  The real
;; pip is used by tests/e2e/scenarios_install.py.

;;; Code:

(require 'roam-semantic-test)
(require 'roam-semantic-install)

(defconst roam-semantic-test-python-script "#!/bin/sh
printf '%%s\\n' \"$*\" >>\"$FAKE_MACHINE/asked\"
case \"$*\" in
    '-I -c '*) echo python %s %s ;;
    '-m venv --clear '*)
        rm -rf \"$4\"
        mkdir -p \"$4/bin\" && cp \"$0\" \"$4/bin/python\"
        printf '#!%%s/bin/python\\n' \"$4\" >\"$4/bin/mcp-roam\"
        echo 'version = 3.12.1' >\"$4/pyvenv.cfg\" ;;
    '-m pip install '*)
        echo Collecting roam-semantic
        echo \"$PIP_USER,$PYTHONPATH,$PIP_TARGET,$PWD\" >\"$FAKE_MACHINE/environment\"
        eval \"$FAKE_PIP\" ;;
    '-m roam_semantic --version') echo \"roam-semantic ${FAKE_VERSION-0.1.0}\" ;;
esac
" "A stand-in for Python; to be given a version, and \"whole\" or \"bare\".")

(defvar roam-semantic-test-machine nil
  "Folder of the machine of the current test.")

(defun roam-semantic-test-put (file text)
  "Make FILE of the machine a program with TEXT and return its name."
  (let ((file (expand-file-name file roam-semantic-test-machine)))
    (make-directory (file-name-directory file) t)
    (write-region text nil file nil 'silent)
    (set-file-modes file #o755)
    file))

(defun roam-semantic-test-python-at (file version &optional bare)
  "Put a stand-in for Python VERSION at FILE; BARE: without its venv module."
  (roam-semantic-test-put
   file (format roam-semantic-test-python-script version (if bare "bare" "whole"))))

(defmacro roam-semantic-test-on-machine (&rest body)
  "Run BODY on a machine with nothing installed; its name holds a blank."
  (declare (indent 0) (debug (body)))
  `(let* ((roam-semantic-test-machine (file-truename (make-temp-file "a machine" t)))
          (user-emacs-directory (expand-file-name "emacs/" roam-semantic-test-machine))
          (roam-semantic-python-places
           (list (expand-file-name "place" roam-semantic-test-machine)))
          (exec-path (list (expand-file-name "path" roam-semantic-test-machine) nil "bin"))
          (process-environment (cons (concat "FAKE_MACHINE=" roam-semantic-test-machine)
                                     process-environment))
          (roam-semantic-command nil)
          (roam-semantic-python nil)
          (roam-semantic-server-current (make-roam-semantic-server)))
     (unwind-protect
         (progn
           (roam-semantic-test-put "path/rm" "#!/bin/sh\nexec /bin/rm \"$@\"\n")
           ,@body)
       (roam-semantic-test--leave))))

(defun roam-semantic-test--leave ()
  "Remove what a machine has left."
  (when-let* ((log (get-buffer roam-semantic-install-log-buffer)))
    (when-let* ((process (get-buffer-process log)))
      (set-process-sentinel process #'ignore)
      (delete-process process))
    (kill-buffer log))
  (roam-semantic-test-wait (lambda () (null (process-list))) "A process was left")
  (delete-directory roam-semantic-test-machine t))

(defun roam-semantic-test-install (&optional answer)
  "Install, answer the question with ANSWER (y or n), wait; return the log."
  (let (asked)
    (cl-letf (((symbol-function 'y-or-n-p)
               (lambda (question)
                 (push question asked)
                 (not (eq answer 'n)))))
      (roam-semantic-install))
    (should (= 1 (length asked)))
    (roam-semantic-test-wait (lambda () (not (roam-semantic-install--running))))
    (roam-semantic-test-wait
     (lambda () (null (seq-filter #'process-live-p (process-list)))))
    (roam-semantic-test-log)))

(defun roam-semantic-test-log ()
  "Return what the log of the installation shows."
  (with-current-buffer roam-semantic-install-log-buffer
    (buffer-substring-no-properties (point-min) (point-max))))

(defun roam-semantic-test-read (file)
  "Return the text of FILE of the machine, nil if there is none."
  (let ((file (expand-file-name file roam-semantic-test-machine)))
    (and (file-exists-p file)
         (with-temp-buffer
           (insert-file-contents file)
           (string-trim (buffer-string))))))

(defun roam-semantic-test-places-left ()
  "Return what stands beside the environment, and its name."
  (let ((folder (expand-file-name "emacs/roam-semantic" roam-semantic-test-machine)))
    (and (file-directory-p folder)
         (directory-files folder nil directory-files-no-dot-files-regexp))))

;;; Finding Python

(ert-deftest roam-semantic-python-is-found-where-exec-path-does-not-lead ()
  (roam-semantic-test-on-machine
    (let ((file (roam-semantic-test-python-at "place/python3" "3.12.1")))
      (should (equal (list :python file :version "3.12.1") (roam-semantic-python-choose))))))

(ert-deftest roam-semantic-python-is-found-on-exec-path ()
  (roam-semantic-test-on-machine
    (let ((file (roam-semantic-test-python-at "path/python3.13" "3.13.0")))
      (should (equal (list :python file :version "3.13.0") (roam-semantic-python-choose))))))

(ert-deftest roam-semantic-an-old-python-is-passed-over ()
  (roam-semantic-test-on-machine
    (roam-semantic-test-python-at "place/python3" "3.9.20")
    (let ((file (roam-semantic-test-python-at "path/python3.11" "3.11.0")))
      (should (equal file (plist-get (roam-semantic-python-choose) :python))))))

(ert-deftest roam-semantic-a-python-that-fails-or-hangs-is-passed-over ()
  (roam-semantic-test-on-machine
    (let ((roam-semantic-python--patience-s 0.3)
          (file (roam-semantic-test-python-at "path/python3" "3.12.1")))
      (roam-semantic-test-put "place/python3" "#!/bin/sh\nexec sleep 60\n")
      (roam-semantic-test-put "place/python3.13" "#!/bin/sh\necho no such version; exit 127\n")
      (roam-semantic-test-put "place/python3.12" "not a program")
      (should (equal file (plist-get (roam-semantic-python-choose) :python))))))

(ert-deftest roam-semantic-links-to-one-python-are-asked-once ()
  (roam-semantic-test-on-machine
    (let ((file (roam-semantic-test-python-at "place/python3" "3.9.0")))
      (make-symbolic-link file (expand-file-name "path/python3" roam-semantic-test-machine))
      (roam-semantic-python-choose)
      (should (= 1 (length (seq-filter
                            (lambda (line) (string-prefix-p "-I -c" line))
                            (split-string (roam-semantic-test-read "asked") "\n"))))))))

(ert-deftest roam-semantic-without-its-venv-module-debian-is-told-the-package ()
  (roam-semantic-test-on-machine
    (roam-semantic-test-python-at "place/python3" "3.11.2" 'bare)
    (cl-letf (((symbol-function 'roam-semantic-python--debian-p) #'always))
      (let ((found (roam-semantic-python-choose)))
        (should (string-search "has no venv module" (plist-get found :fault)))
        (should (equal "run `sudo apt install python3-venv`" (plist-get found :remedy)))
        (should-error (roam-semantic-install) :type 'user-error)
        (should (string-search "sudo apt install python3-venv" (roam-semantic-test-log)))))))

(ert-deftest roam-semantic-uv-serves-where-the-venv-module-is-missing ()
  (roam-semantic-test-on-machine
    (let ((python (roam-semantic-test-python-at "place/python3" "3.11.2" 'bare))
          (uv (roam-semantic-test-put "place/uv" "#!/bin/sh\n")))
      (should (equal (list :uv uv :python python :version "3.11.2")
                     (roam-semantic-python-choose))))))

(ert-deftest roam-semantic-without-any-python-the-remedy-is-told ()
  (roam-semantic-test-on-machine
    (roam-semantic-test-python-at "place/python3" "3.8.1")
    (let ((found (roam-semantic-python-choose)))
      (should (string-search "no Python 3.11 or newer is found, only 3.8.1"
                             (plist-get found :fault)))
      (should (string-search "install" (plist-get found :remedy))))
    (should-not (roam-semantic-test-places-left))))

;;; What is run

(ert-deftest roam-semantic-the-commands-build-beside-the-old-one ()
  (should (equal '(("/p/python3" "-m" "venv" "--clear" "/e/venv.new")
                   ("/e/venv.new/bin/python" "-m" "pip" "install" "roam-semantic==0.1.0")
                   ("/e/venv.new/bin/python" "-m" "roam_semantic" "--version"))
                 (roam-semantic-install-commands '(:python "/p/python3") "/e/venv")))
  (should (equal '(("/p/uv" "venv" "--clear" "--python" ">=3.11" "/e/venv.new")
                   ("/p/uv" "pip" "install" "--python" "/e/venv.new/bin/python"
                    "roam-semantic==0.1.0"))
                 (butlast (roam-semantic-install-commands '(:uv "/p/uv") "/e/venv"))))
  (should (equal "/p/python3.11"
                 (nth 4 (car (roam-semantic-install-commands
                              '(:uv "/p/uv" :python "/p/python3.11") "/e/venv"))))))

(ert-deftest roam-semantic-a-checkout-installs-itself ()
  (cl-letf (((symbol-function 'roam-semantic-program-root)
             (lambda () (file-name-as-directory roam-semantic-test-root))))
    (should (equal (directory-file-name roam-semantic-test-root)
                   (roam-semantic-install--requirement)))))

(ert-deftest roam-semantic-the-commands-are-shown-as-a-shell-reads-them ()
  (should (equal "/usr/bin/python3 -m venv /a\\ b/venv"
                 (roam-semantic-install-log-shell
                  '("/usr/bin/python3" "-m" "venv" "/a b/venv")))))

(ert-deftest roam-semantic-nothing-leads-the-commands-elsewhere ()
  (let* ((process-environment
          (append '("PIP_USER=1" "PIP_TARGET=/x" "PYTHONHOME=/x" "PYTHONPATH=/x"
                    "VIRTUAL_ENV=/x" "CONDA_PREFIX=/x" "UV_PYTHON=/x"
                    "PIP_INDEX_URL=https://mirror.example/simple")
                  process-environment))
         (process-environment (roam-semantic-install-environment))
         (lines (process-lines "env")))
    (should (member "PIP_USER=0" lines))
    (should (member "PIP_INDEX_URL=https://mirror.example/simple" lines))
    (should-not (seq-filter (lambda (line) (string-suffix-p "=/x" line)) lines))))

;;; Installing

(ert-deftest roam-semantic-install-makes-what-is-then-used ()
  (roam-semantic-test-on-machine
    (roam-semantic-test-python-at "place/python3" "3.12.1")
    (let ((log (roam-semantic-test-install))
          (python (expand-file-name "emacs/roam-semantic/venv/bin/python"
                                    roam-semantic-test-machine)))
      (should (string-search "python3 -m venv --clear" log))
      (should (string-search "Version 0.1.0 is installed." log))
      (should (string-search "M-x roam-semantic-index" log))
      (should-not (roam-semantic-program-venv-fault))
      (should (equal (list python "-m" "roam_semantic") (roam-semantic-program-command)))
      (should (equal '("venv") (roam-semantic-test-places-left)))
      ;; A script names the place where it is now.
      (should (equal (concat "#!" python)
                     (roam-semantic-test-read "emacs/roam-semantic/venv/bin/mcp-roam")))
      (should (equal (format "0,,,%s" (expand-file-name "emacs/roam-semantic"
                                                        roam-semantic-test-machine))
                     (roam-semantic-test-read "environment"))))))

(ert-deftest roam-semantic-declined-nothing-is-made ()
  (roam-semantic-test-on-machine
    (roam-semantic-test-python-at "place/python3" "3.12.1")
    (should (string-search "Nothing was run" (roam-semantic-test-install 'n)))
    (should-not (roam-semantic-test-places-left))))

(ert-deftest roam-semantic-a-failed-install-leaves-the-old-one ()
  (roam-semantic-test-on-machine
    (roam-semantic-test-python-at "place/python3" "3.12.1")
    (roam-semantic-test-install)
    (let ((process-environment
           (cons "FAKE_PIP=echo 'ERROR: No space left on device' >&2; exit 1"
                 process-environment)))
      (let ((log (roam-semantic-test-install)))
        (should (string-search "Not installed: the command ended with code 1" log))
        (should (string-search "make room" log))))
    (should-not (roam-semantic-program-venv-fault))
    (should (equal '("venv") (roam-semantic-test-places-left)))))

(ert-deftest roam-semantic-another-version-is-not-taken-over ()
  (roam-semantic-test-on-machine
    (roam-semantic-test-python-at "place/python3" "3.12.1")
    (let ((process-environment (cons "FAKE_VERSION=0.1.00" process-environment)))
      (should (string-search "this is not version 0.1.0" (roam-semantic-test-install))))
    (should-not (roam-semantic-test-places-left))))

(ert-deftest roam-semantic-a-cancelled-install-leaves-the-old-one ()
  (roam-semantic-test-on-machine
    (roam-semantic-test-python-at "place/python3" "3.12.1")
    (roam-semantic-test-install)
    (let ((process-environment
           (cons "FAKE_PIP=echo fetching-it; exec sleep 60" process-environment)))
      (cl-letf (((symbol-function 'y-or-n-p) #'always))
        (roam-semantic-install))
      (roam-semantic-test-wait (lambda () (string-search "fetching-it" (roam-semantic-test-log))))
      (should-error (roam-semantic-install) :type 'user-error)
      (should (member "venv.new" (roam-semantic-test-places-left)))
      (roam-semantic-cancel)
      (roam-semantic-test-wait (lambda () (null (process-list)))))
    (should (string-search "Cancelled" (roam-semantic-test-log)))
    (should-not (roam-semantic-program-venv-fault))
    (should (equal '("venv") (roam-semantic-test-places-left)))
    (should (string-search "is installed" (roam-semantic-test-install)))))

(ert-deftest roam-semantic-what-a-killed-emacs-left-is-no-harm ()
  (roam-semantic-test-on-machine
    (roam-semantic-test-python-at "place/python3" "3.12.1")
    (roam-semantic-test-put "emacs/roam-semantic/venv.new/bin/python" "half")
    (roam-semantic-test-put "emacs/roam-semantic/venv.emacs-pid" "999999999")
    (should (equal "nothing is installed" (substring (roam-semantic-program-venv-fault) 0 20)))
    (should (string-search "is installed" (roam-semantic-test-install)))
    (should (equal '("venv") (roam-semantic-test-places-left)))))

(ert-deftest roam-semantic-two-emacsen-do-not-build-at-once ()
  (roam-semantic-test-on-machine
    (roam-semantic-test-put "emacs/roam-semantic/venv.emacs-pid" "4711")
    (cl-letf (((symbol-function 'process-attributes)
               (lambda (pid) (and (= 4711 pid) '((comm . "emacs-gtk"))))))
      (should (string-search "process 4711"
                             (cadr (should-error (roam-semantic-install)
                                                 :type 'user-error)))))))

(ert-deftest roam-semantic-install-works-from-a-remote-or-deleted-folder ()
  (roam-semantic-test-on-machine
    (roam-semantic-test-python-at "place/python3" "3.12.1")
    (dolist (folder (list "/ssh:nowhere.invalid:/x/"
                          (expand-file-name "deleted/" roam-semantic-test-machine)))
      (let ((default-directory folder))
        (roam-semantic-test-without-connections
          (should (string-search "is installed" (roam-semantic-test-install)))
          (should-not (roam-semantic-program-venv-fault)))))))

;;; What is there

(ert-deftest roam-semantic-a-broken-or-other-environment-is-not-used ()
  (roam-semantic-test-on-machine
    (roam-semantic-test-python-at "place/python3" "3.12.1")
    (roam-semantic-test-install)
    (let* ((venv (roam-semantic-program-venv))
           (python (roam-semantic-program-venv-python))
           (other (roam-semantic-test-put "place/python3.13" "#!/bin/sh\n")))
      (should (roam-semantic-program-own-p))
      (let ((roam-semantic-version "0.2.0"))
        (should (equal "it has version 0.1.0 of the program, the Emacs package is version 0.2.0"
                       (roam-semantic-program-venv-fault)))
        (should-not (member python (roam-semantic-program-command))))
      ;; The system was upgraded: python3 is another one now.
      (delete-file python)
      (make-symbolic-link other python)
      (make-directory (expand-file-name "lib/python3.12" venv) t)
      (should (string-search "replaced by another" (roam-semantic-program-venv-fault)))
      (make-directory (expand-file-name "lib/python3.13" venv) t)
      (should-not (roam-semantic-program-venv-fault))
      (delete-file other)
      (should (equal "the Python it was made with is gone" (roam-semantic-program-venv-fault)))
      (should-not (member python (roam-semantic-program-command)))
      ;; And it is built anew with one command.
      (should (string-search "is installed" (roam-semantic-test-install)))
      (should-not (roam-semantic-program-venv-fault)))))

(ert-deftest roam-semantic-the-program-is-looked-for-in-a-fixed-order ()
  (roam-semantic-test-on-machine
    (roam-semantic-test-python-at "place/python3" "3.12.1")
    (should (equal "python3" (car (roam-semantic-program-command))))
    (let ((script (roam-semantic-test-put "path/roam-semantic" "#!/bin/sh\n")))
      (should (equal (list script) (roam-semantic-program-command))))
    (cl-letf (((symbol-function 'roam-semantic-program-root)
               (lambda () (file-name-as-directory roam-semantic-test-machine))))
      (let ((checkout (roam-semantic-test-put ".venv/bin/python" "#!/bin/sh\n")))
        (should (equal checkout (car (roam-semantic-program-command)))))
      (roam-semantic-test-install)
      (should (equal (roam-semantic-program-venv-python)
                     (car (roam-semantic-program-command)))))
    (let ((roam-semantic-python "/opt/python"))
      (should (equal "/opt/python" (car (roam-semantic-program-command))))
      (let ((roam-semantic-command '("uv" "run" "roam-semantic")))
        (should (equal roam-semantic-command (roam-semantic-program-command)))))))

(ert-deftest roam-semantic-the-own-environment-sees-its-own-packages-alone ()
  (roam-semantic-test-on-machine
    (roam-semantic-test-python-at "place/python3" "3.12.1")
    (roam-semantic-test-install)
    (cl-letf (((symbol-function 'roam-semantic-program-source) #'ignore))
      (let* ((process-environment (append '("PYTHONPATH=/x" "PYTHONHOME=/x")
                                          process-environment))
             (process-environment (roam-semantic-program-environment)))
        (should-not (getenv "PYTHONPATH"))
        (should-not (getenv "PYTHONHOME"))))))

(ert-deftest roam-semantic-starting-never-installs-and-never-asks ()
  (roam-semantic-test-on-machine
    (let ((org-roam-directory temporary-file-directory)
          (org-roam-db-location "/nowhere/org-roam.db"))
      (cl-letf (((symbol-function 'y-or-n-p) (lambda (&rest _) (ert-fail "It asked"))))
        (let ((condition (condition-case condition
                             (roam-semantic-call 'status nil)
                           (roam-semantic-error condition))))
          (should (eq 'roam-semantic-not-ready (car condition)))
          (should (string-search "M-x roam-semantic-install installs version 0.1.0"
                                 (nth 2 condition))))))
    (should-not (roam-semantic-test-places-left))))

(provide 'test-install)
;;; test-install.el ends here
