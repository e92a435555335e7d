#!/bin/sh
# Make .venv with the package in it: setup.sh [EXTRA]; EXTRA "test" adds the tests' tools,
# "pictures" what draws the pictures of README.
# Does nothing when that is already so.  PYTHON names the interpreter to use.
set -eu
cd "$(dirname "$0")/.."
extra=${1:-}

fail() {
    printf '%s\n' "$1" >&2
    exit 1
}

new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

find_python() {
    for name in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
        if new_enough "$name"; then
            printf '%s\n' "$name"
            return
        fi
    done
    fail "roam-semantic needs Python 3.11 or newer, and ${PYTHON:-python3} is not: install it, or name one with PYTHON=/path/to/python3"
}

state=$(cat pyproject.toml python/roam_semantic/__init__.py | cksum)
if [ -x .venv/bin/python ] && new_enough .venv/bin/python; then
    # What has the tests' tools has the plain package too.
    for stamp in ".venv/installed-${extra:-plain}" ".venv/installed-${extra:-test}"; do
        if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$state" ]; then
            exit 0
        fi
    done
else
    python=$(find_python)
    "$python" -c 'import venv, ensurepip' 2>/dev/null ||
        fail "Python's venv module is missing: run \`sudo apt-get install python3-venv\`, then try again"
    rm -rf .venv
    "$python" -m venv .venv
fi

printf 'Installing roam-semantic%s into .venv ...\n' "${extra:+ and what its tests need}" >&2
.venv/bin/python -m pip install -qq --editable ".${extra:+[$extra]}" ||
    fail "the installation failed: pip's own words are above"
printf '%s\n' "$state" >".venv/installed-${extra:-plain}"
