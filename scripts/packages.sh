#!/bin/sh
# Install the programs and Emacs packages the tests need that are missing:
# by apt-get when we are root on Debian; elsewhere say what to install.
set -eu

programs="emacs:emacs-nox tmux:tmux git:git ps:procps"
libraries="org-roam epc consult vertico marginalia embark package-lint"

missing_programs() {
    for pair in $programs; do
        command -v "${pair%%:*}" >/dev/null || printf '%s ' "${pair##*:}"
    done
    python3 -c 'import venv, ensurepip' 2>/dev/null || printf 'python3-venv '
}

missing_libraries() {
    if ! command -v emacs >/dev/null; then
        for library in $libraries; do printf 'elpa-%s ' "$library"; done
        return
    fi
    emacs --batch -f package-activate-all --eval "(dolist (name '($libraries))
      (unless (locate-library (symbol-name name)) (princ (format \"elpa-%s \" name))))" 2>/dev/null
}

missing="$(missing_programs)$(missing_libraries)"
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    printf 'Installing %s...\n' "$missing" >&2
    export DEBIAN_FRONTEND=noninteractive
    install="apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300"
    # The lists of a fresh machine are empty or old: fetch them when the first try fails.
    # shellcheck disable=SC2086 # $missing is a list of words
    $install $missing >/dev/null 2>&1 || { apt-get update -qq && $install $missing >/dev/null; }
    missing="$(missing_programs)$(missing_libraries)"
    [ -n "$missing" ] || exit 0
fi
printf 'The tests need these Debian packages, or the same from elsewhere: %s\n' "$missing" >&2
printf 'On Debian: sudo apt-get install --no-install-recommends %s\n' "$missing" >&2
exit 1
