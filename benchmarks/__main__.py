"""Measure everything and print one table.

    python -m benchmarks                 10,000 notes, 60,000 units; some minutes
    python -m benchmarks --million       the searching rows at a million units too
    python -m benchmarks --notes 1000    smaller, for a quick look
    python -m benchmarks --only starting printing
    python -m benchmarks --readme        put the table into README.org too

Everything it writes is in .bench/.  Ratios are of one run, variants taking
turns; times are "least / median / 95 of 100".  Processor time of the process
where one process is measured, real time where several are.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from benchmarks import (
    first_index,
    ground,
    printing,
    reading,
    searching,
    serving,
    starting,
    writing,
)
from benchmarks.ground import Ground
from benchmarks.table import Row, machine, number, org_table
from roam_semantic.models.choose import choose
from roam_semantic.models.embedder import Embedder
from roam_semantic.settings import load
from scripts.document import README, replaced

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BENCH = os.path.join(ROOT, ".bench")
NOTES = 10_000
NOTES_OF_A_MILLION = 167_000
PARTS = ("searching", "reading", "writing", "first", "serving", "starting", "printing")


def main(words: Sequence[str]) -> int:
    """Measure, print the table, keep it in .bench/table.org."""
    told = _arguments(words)
    model = choose(load({"cache_home": os.path.join(BENCH, "cache"), "embedder": "embedded"}))
    rows = measure(told.notes, model, told.only)
    if told.million:
        rows += at_a_million(model)
    table = f"{org_table(rows)}\n\n{machine()}."
    print(table)
    with open(os.path.join(BENCH, "table.org"), "w", encoding="utf-8") as file:
        file.write(table + "\n")
    if told.readme:
        put_into_readme(table, words)
    return 0


def put_into_readme(table: str, words: Sequence[str]) -> None:
    """Put TABLE and the command that made it between the marks of README.org."""
    command = "make bench MILLION=1" if "--million" in words else "make bench"
    made = f"Made by ~{command}~; each ratio is of one run, its variants taking turns.\n\n{table}"
    with open(README, encoding="utf-8") as file:
        text = replaced(file.read(), "speed", made)
    with open(README, "w", encoding="utf-8") as file:
        file.write(text)


def _arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--notes", type=int, default=NOTES, help="how many notes to generate")
    parser.add_argument("--million", action="store_true", help="a million units too")
    parser.add_argument("--readme", action="store_true", help="put the table into README.org")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    return parser.parse_args(words)


def measure(count: int, model: Embedder, only: Sequence[str]) -> list[Row]:
    """Return the rows over COUNT notes, those of the parts ONLY."""
    made = Ground(os.path.join(BENCH, str(count)), count)
    written = ground.build(made.folder, count, model, tell)
    # Serving comes last: it adds notes.
    parts: dict[str, Callable[[], list[Row]]] = {
        "searching": lambda: searching.measure(made),
        "starting": lambda: starting.measure(made),
        "reading": lambda: reading.measure(made),
        "writing": lambda: writing.rows(written),
        "first": lambda: first_index.measure(made, model),
        "printing": printing.measure,
        "serving": lambda: serving.measure(made),
    }
    rows: list[Row] = []
    for name, part in parts.items():
        if name in only:
            tell(name)
            found = part()
            rows += found
            for row in found:
                tell(f"  {row.name}: {number(row.value)}{row.unit} ({row.details})")
    return rows


def at_a_million(model: Embedder) -> list[Row]:
    """Return the rows of searching and writing at a million units."""
    made = Ground(os.path.join(BENCH, "million"), NOTES_OF_A_MILLION)
    written = ground.build(made.folder, NOTES_OF_A_MILLION, model, tell)
    tell("searching at a million units")
    return [*searching.measure(made, rounds=30), writing.rows(written)[0]]


def tell(text: str) -> None:
    """Say on stderr what is being done."""
    print(f"… {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
