#!/bin/sh
# Open real Emacs in tmux and do what a person does.  EMACS and PYTHON name the programs.
set -eu
cd "$(dirname "$0")/../.."
for program in tmux "${EMACS:-emacs}"; do
    command -v "$program" >/dev/null || {
        printf '%s is missing: install it (Debian: tmux, emacs-nox)\n' "$program" >&2
        exit 1
    }
done
exec "${PYTHON:-.venv/bin/python}" -m pytest -q -p no:cacheprovider tests/e2e/scenarios*.py "$@"
