"""Files stay under 400 lines and functions under 40, in Python and in Lisp."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[3]
FILE_LINES = 400
FUNCTION_LINES = 40
LISP_FUNCTION = re.compile(r"\((?:cl-)?(?:defun|defmacro|defsubst|defmethod|defgeneric)\s+(\S+)")
ERT_TEST = re.compile(r"\(ert-deftest\s+(\S+)")


def sources(suffix: str) -> list[Path]:
    """Return the source files of the repository, as git knows them."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", f"*{suffix}"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    return [path for path in paths if path.is_file()]


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def python_functions(path: Path) -> Iterator[tuple[str, int, int]]:
    """Yield (name, line, lines) of each function; decorators do not count."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            yield node.name, node.lineno, node.end_lineno - node.lineno + 1


def lisp_functions(path: Path) -> Iterator[tuple[str, int, int]]:
    """Yield (name, line, lines) of each definition that starts in column 0."""
    lines = path.read_text("utf-8").split("\n")
    starts = [i for i, line in enumerate(lines) if line.startswith(("(", ";"))] + [len(lines)]
    for start, following in zip(starts, starts[1:], strict=False):
        found = LISP_FUNCTION.match(lines[start]) or ERT_TEST.match(lines[start])
        if found:
            body = "\n".join(lines[start:following]).rstrip()
            yield found[1], start + 1, body.count("\n") + 1


def test_no_file_is_longer_than_its_budget():
    lengths = {
        shown(path): len(path.read_text("utf-8").splitlines())
        for suffix in (".py", ".el", ".sh")
        for path in sources(suffix)
    }

    assert {} == {name: length for name, length in lengths.items() if length > FILE_LINES}


def test_no_function_is_longer_than_its_budget():
    found = [(p, f) for p in sources(".py") for f in python_functions(p)]
    found += [(p, f) for p in sources(".el") for f in lisp_functions(p)]
    too_long = [
        f"{shown(path)}:{line} {name} has {length} lines"
        for path, (name, line, length) in found
        if length > FUNCTION_LINES
    ]

    assert [] == too_long


def test_a_long_lisp_function_is_noticed(tmp_path):
    source = tmp_path / "long.el"
    body = "  (ignore)\n" * 40
    source.write_text(f";;; long.el\n(defun short () nil)\n\n(defun long ()\n{body}  nil)\n")

    assert [("short", 2, 1), ("long", 4, 42)] == list(lisp_functions(source))


def test_no_mark_of_unfinished_work_is_left():
    words = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b\s*:")
    marks = [
        f"{shown(path)}:{number}"
        for suffix in (".py", ".el", ".sh")
        for path in sources(suffix)
        if path != Path(__file__)
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if words.search(line) and line.lstrip().startswith(("#", ";"))
    ]

    assert [] == marks
