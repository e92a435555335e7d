"""Printing an answer of fifty hits for Emacs."""

from __future__ import annotations

import itertools
from typing import Any, cast

import msgspec
import sexpdata

from benchmarks.table import Row
from benchmarks.timing import take_turns
from roam_semantic.faces import sexp
from roam_semantic.operations.answers import SearchAnswer
from roam_semantic.values import Hit, IndexState, Ranks

ROUNDS = 40
PASSAGE = "The note says in its own words what was asked for, about this length. " * 4


def answer() -> SearchAnswer:
    """Return an answer of fifty hits, 30 kB when printed."""
    hits = tuple(
        Hit(
            node_id=f"{number:08x}-0000-4000-8000-000000000000",
            title=f'Note {number} with a "quoted" title',
            file=f"/home/someone/org-roam/2024/{number:06d}-note.org",
            outline_path=("First heading", "Second heading"),
            line=number * 7,
            pos=number * 301,
            unit_type="heading",
            passage=PASSAGE,
            score=1 / (1 + number),
            ranks=Ranks(words=number + 1, vectors=None if number % 3 else number + 2),
            why="both",
            tags=("one", "two"),
        )
        for number in range(50)
    )
    return SearchAnswer(hits, IndexState(60_000, 60_000, 0, 0, 0.4, "all-MiniLM-L6-v2"))


def plist(value: Any) -> Any:
    """Return VALUE as sexpdata wants it: plists of Symbols and lists."""
    if isinstance(value, dict):
        pairs = cast("dict[str, Any]", value).items()
        named = ((_symbol(":" + key.replace("_", "-")), plist(part)) for key, part in pairs)
        return list(itertools.chain.from_iterable(named))
    if isinstance(value, (list, tuple)):
        return [plist(part) for part in cast("list[Any]", value)]
    return value


def _symbol(name: str) -> Any:
    return cast("Any", sexpdata).Symbol(name)


def measure() -> list[Row]:
    """Return the row of the printer."""
    value = answer()
    made = plist(msgspec.to_builtins(value))
    dumps = cast("Any", sexpdata).dumps
    times = take_turns(
        {"ours": lambda _: sexp.dumps(value), "sexpdata": lambda _: dumps(made)}, ROUNDS
    )
    size = len(sexp.dumps(value)) / 1000
    return [
        Row(
            "printing 50 hits",
            "sexpdata.dumps",
            times["ours"].p50 / times["sexpdata"].p50,
            0.2,
            f"{size:.0f} kB: {times['ours']} against {times['sexpdata']}",
        )
    ]
