"""Write the tables of README.org from the program: settings and operations.

    python scripts/document.py           write them
    python scripts/document.py --check   say which are not as the program is

A table stands between `# begin NAME` and `# end NAME`.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable

import msgspec

from roam_semantic.app import CATALOGUE
from roam_semantic.operations.catalogue import Operation
from roam_semantic.settings import SETTINGS

README = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "README.org")


def settings_table() -> str:
    """Return every setting with its default as an org table."""
    return table(
        ("variable", "default", "meaning"),
        ((f"~{s.name}~", s.default or "not set", s.help) for s in SETTINGS),
    )


def operations_table() -> str:
    """Return every operation with its arguments as an org table."""
    return table(
        ("command", "MCP tool", "arguments", "what it does"),
        (
            (f"~{op.command}~", f"~{op.tool}~", arguments(op), first_sentence(op.description))
            for op in CATALOGUE
        ),
    )


def arguments(operation: Operation) -> str:
    """Return the arguments of OPERATION: `query, k=10`."""
    words = [
        p.option if p.default is msgspec.NODEFAULT else f"{p.option}={_shown(p.default)}"
        for p in operation.parameters
    ]
    return ", ".join(words)


def _shown(default: object) -> str:
    if isinstance(default, bool):
        return "true" if default else "false"
    return "none" if default is None else str(default)


def first_sentence(text: str) -> str:
    """Return the first sentence of TEXT, without its period."""
    return re.split(r"(?<=[a-z0-9)])\.(?:\s|$)", text, maxsplit=1)[0].rstrip(".")


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Return HEAD and ROWS as an org table with columns of equal width."""
    cells = [head, *(tuple(cell.replace("|", "\\vert{}") for cell in row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "| " + " | ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) + " |"
        for row in cells
    ]
    lines.insert(1, "|-" + "-+-".join("-" * width for width in widths) + "-|")
    return "\n".join(lines)


def tables() -> dict[str, str]:
    """Return the tables by name."""
    return {"settings": settings_table(), "operations": operations_table()}


def replaced(text: str, name: str, made: str) -> str:
    """Return TEXT with what stands between NAME's two marks replaced by MADE."""
    pattern = re.compile(rf"(?<=^# begin {name}\n).*?(?=^# end {name}$)", re.DOTALL | re.MULTILINE)
    if len(pattern.findall(text)) != 1:
        raise SystemExit(f"README.org needs the lines `# begin {name}` and `# end {name}` once")
    return pattern.sub(lambda _: made + "\n", text)


def main(arguments: list[str]) -> int:
    """Write or check the tables; return the exit code."""
    with open(README, encoding="utf-8") as file:
        text = file.read()
    made = text
    for name, lines in tables().items():
        made = replaced(made, name, lines)
    if made == text:
        return 0
    if "--check" in arguments:
        print("README.org is not as the program is: run `make docs`", file=sys.stderr)
        return 1
    with open(README, "w", encoding="utf-8") as file:
        file.write(made)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
