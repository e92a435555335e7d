"""The writer's rate, how long it holds the lock, and what a reader meets."""

from __future__ import annotations

from benchmarks.ground import Written
from benchmarks.table import Row
from benchmarks.timing import brief


def rows(written: Written) -> list[Row]:
    """Return the rows of what `ground.build` measured."""
    rate = written.units / written.seconds
    p99, longest = written.locks.at(0.99), written.locks.values[-1]
    worked = written.worked.at(0.99)
    return [
        Row(
            "writer: text, words and vectors",
            "",
            rate,
            12_000,
            f"{written.units:,} units: {brief(written.seconds)} s of the processor, "
            f"{brief(written.real_seconds)} s by the clock",
            at_least=True,
            unit=" units/s",
        ),
        Row(
            "lock held by a transaction, p99",
            "",
            p99,
            10,
            f"{len(written.locks.values):,} transactions: {written.locks}, "
            f"longest {brief(longest)} ms; of the processor p99 {brief(worked)} ms",
            unit=" ms",
        ),
        Row(
            "readers that met a lock meanwhile",
            "",
            written.busy,
            0,
            f"of {written.asked:,} questions by another process",
            unit="",
        ),
    ]
