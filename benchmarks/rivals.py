"""The named rivals: the plain way to do the same with the same libraries."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Sequence

from benchmarks.vectors import DIMENSION, Matrix
from roam_semantic import sqlite
from roam_semantic.sqlite import Connection, Row

TOP = 50
TABLES = (
    "CREATE VIRTUAL TABLE vectors USING vec0("
    f"unit INTEGER PRIMARY KEY, v float[{DIMENSION}] distance_metric=cosine)",
    "CREATE VIRTUAL TABLE words USING fts5(title, text, tokenize='porter unicode61')",
)


class Naive:
    """vec0 with float32 vectors, and FTS5 asked for any of the words by rank.

    Both are what the libraries' own pages show first.  The file is opened as
    ours is: memory-mapped, with a cache of 32 MB.
    """

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        sqlite.load_vec(connection)

    @classmethod
    def open(cls, path: str) -> Naive:
        """Open the file that `build` made."""
        return cls(sqlite.open_index(path))

    @classmethod
    def build(cls, path: str, units: Iterable[Row], vectors: Iterable[tuple[int, bytes]]) -> Naive:
        """Make the file PATH from UNITS (id, title, text) and VECTORS (id, float32 bytes)."""
        for suffix in ("", "-wal", "-shm"):
            if os.path.exists(path + suffix):
                os.remove(path + suffix)
        made = cls(sqlite.open_index(path, writable=True))
        with made.connection.writing():
            for table in TABLES:
                made.connection.run(table)
            made.connection.run_many("INSERT INTO words (rowid, title, text) VALUES (?,?,?)", units)
            made.connection.run_many("INSERT INTO vectors (unit, v) VALUES (?,?)", vectors)
        return made

    def nearest(self, vector: Matrix) -> list[int]:
        """Return the 50 units nearest to VECTOR."""
        return [
            unit
            for (unit,) in self.connection.rows(
                "SELECT unit FROM vectors WHERE v MATCH ? AND k = ?", (vector.tobytes(), TOP)
            )
        ]

    def any_word(self, words: Sequence[str]) -> list[int]:
        """Return the 50 best units that have any of WORDS."""
        question = " OR ".join(f'"{word}"' for word in words)
        return [
            unit
            for (unit,) in self.connection.rows(
                "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?",
                (question, TOP),
            )
        ]

    def fused(self, words: Sequence[str], vector: Matrix) -> list[Row]:
        """Return id, title and text of the 50 best units of both, by reciprocal rank."""
        score: dict[int, float] = {}
        for ranking in (self.any_word(words), self.nearest(vector)):
            for rank, unit in enumerate(ranking, start=1):
                score[unit] = score.get(unit, 0.0) + 1 / (60 + rank)
        best = sorted(score, key=lambda unit: -score[unit])[:TOP]
        marks = ",".join("?" * len(best))
        return self.connection.rows(
            f"SELECT rowid, title, text FROM words WHERE rowid IN ({marks})", best
        )


def floats(half: bytes) -> bytes:
    """Return the float16 numbers of HALF as float32 bytes."""
    count = len(half) // 2
    return struct.pack(f"<{count}f", *struct.unpack(f"<{count}e", half))
