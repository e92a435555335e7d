#!/bin/sh
# Run checkdoc and package-lint, compile with warnings as errors, then every ERT test.
# EMACS names the editor, PYTHON the interpreter the server runs in.  With file
# names (test-find.el) only those tests run.  Nothing is written into the tree.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
emacs=${EMACS:-emacs}
if ! command -v "$emacs" >/dev/null; then
    printf 'There is no %s: install emacs-nox, or name one with EMACS\n' "$emacs" >&2
    exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LANG=C.UTF-8

mkdir "$work/repo"
ln -s "$root/python" "$work/repo/python"
ln -s "$root/tests" "$work/repo/tests"
cp -r "$root/elisp" "$work/repo/elisp"
rm -f "$work"/repo/elisp/*.elc
lisp=$work/repo/elisp

quietly() {
    "$@" >"$work/output" 2>&1 || { cat "$work/output" >&2; return 1; }
}

# checkdoc and the compiler see the same files; -Q would leave Debian's packages out.
quietly "$emacs" --batch -l "$root/tests/elisp/checkdoc.el" "$lisp"/*.el
quietly "$emacs" --batch -f package-activate-all -l "$root/tests/elisp/lint.el" "$lisp"/*.el
quietly "$emacs" --batch -f package-activate-all -L "$lisp" \
    --eval '(setq byte-compile-error-on-warn t)' -f batch-byte-compile "$lisp"/*.el
printf 'compiled and checked %s files\n' "$(ls "$lisp"/*.el | wc -l)"

cd "$root/tests/elisp"
[ $# -gt 0 ] || set -- test-*.el
for file; do
    shift
    set -- "$@" -l "$file"
done
"$emacs" --batch -f package-activate-all -L "$lisp" -L . "$@" -f roam-semantic-test-run
