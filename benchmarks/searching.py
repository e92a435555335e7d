"""The legs and the whole pipeline, against the naive way over the same units."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.ground import Ground, questions
from benchmarks.rivals import TOP
from benchmarks.table import Row
from benchmarks.timing import take_turns
from benchmarks.vectors import DIMENSION, Matrix, queries
from roam_semantic.retrieval import search as pipeline
from roam_semantic.retrieval.query import parse
from roam_semantic.retrieval.scope import Scope
from roam_semantic.retrieval.vectors import CodeMatrix
from roam_semantic.sqlite import Connection
from roam_semantic.store.vectors import vector_set

ROUNDS = 100
WIDE = 200_000


class Searcher:
    """One reader and what it searches with, as a warm server has them."""

    def __init__(self, ground: Ground, rounds: int) -> None:
        self.ground = ground
        self.rounds = rounds
        self.reader = ground.index.reader()
        self.codes = CodeMatrix()
        self.codes.refresh(self.reader)
        self.naive = ground.naive
        self.vectors = queries(rounds)

    @property
    def units(self) -> int:
        """Return how many units the index has."""
        return self.codes.size

    def ask(self, words: Sequence[str], vector: Matrix | None, filters: str = "") -> object:
        """Answer with fifty hits as the search operation does."""
        return pipeline.search(
            self.reader,
            parse(f"{' '.join(words)} {filters}"),
            vector=vector,
            codes=self.codes if vector is not None else None,
            k=TOP,
            offset=0,
            max_chars=WIDE,
        )

    def nearest(self, vector: Matrix, limit: int = TOP) -> list[int]:
        """Return the units of our vectors leg."""
        return [unit for unit, _ in self.codes.nearest(self.reader, vector, Scope(), limit)]


def measure(ground: Ground, rounds: int = ROUNDS) -> list[Row]:
    """Return the rows of searching."""
    searcher = Searcher(ground, rounds)
    size = f" at {searcher.units:,} units"
    return [
        *_vectors(searcher, size),
        *_fused(searcher, size),
        *_words(searcher, size),
        _memory(searcher, size),
    ]


def _vectors(searcher: Searcher, size: str) -> list[Row]:
    times = take_turns(
        {
            "ours": lambda n: searcher.nearest(searcher.vectors[n]),
            "vec0": lambda n: searcher.naive.nearest(searcher.vectors[n]),
        },
        searcher.rounds,
    )
    return [
        Row(
            "vector leg, top 50, re-scored" + size,
            "vec0 float32",
            times["ours"].p50 / times["vec0"].p50,
            0.1,
            f"{times['ours']} against {times['vec0']}",
        ),
        Row(
            "its recall@10" + size,
            "all vectors compared",
            recall(searcher),
            0.99,
            f"{searcher.rounds} queries that are in no index",
            at_least=True,
            unit="",
        ),
    ]


def _fused(searcher: Searcher, size: str) -> list[Row]:
    asked = questions(searcher.ground, searcher.rounds, 6)
    times = take_turns(
        {
            "ours": lambda n: searcher.ask(asked[n], searcher.vectors[n]),
            "naive": lambda n: searcher.naive.fused(asked[n], searcher.vectors[n]),
        },
        searcher.rounds,
    )
    ours, naive = times["ours"], times["naive"]
    return [
        Row(
            f"fused query, {name}{size}",
            "vec0 float32 + full OR by rank",
            ours.at(share) / naive.at(share),
            1 / 3,
            f"{ours} against {naive}" if name == "p50" else "",
        )
        for name, share in (("p50", 0.5), ("p95", 0.95))
    ]


def _words(searcher: Searcher, size: str) -> list[Row]:
    asked = questions(searcher.ground, searcher.rounds, 8)
    times = take_turns(
        {
            "ours": lambda n: searcher.ask(asked[n], None),
            "filtered": lambda n: searcher.ask(asked[n], None, "todo:DONE"),
            "naive": lambda n: searcher.naive.any_word(asked[n]),
        },
        searcher.rounds,
    )
    return [
        Row(
            "words-only answer, eight natural words" + size,
            "full OR by rank",
            times["ours"].p50 / times["naive"].p50,
            0.6,
            f"{times['ours']} against {times['naive']}",
        ),
        Row(
            "the same with a filter" + size,
            "without",
            times["filtered"].p50 / times["ours"].p50,
            1,
            str(times["filtered"]),
        ),
    ]


def _memory(searcher: Searcher, size: str) -> Row:
    return Row(
        "memory of the codes" + size,
        "",
        searcher.codes.nbytes / searcher.units,
        64,
        f"{searcher.codes.nbytes / 1e6:.1f} MB",
        unit=" bytes/unit",
    )


def recall(searcher: Searcher) -> float:
    """Return the share of the ten truly nearest units that our ten have."""
    units, matrix = _all_vectors(searcher.reader)
    found = 0
    for vector in searcher.vectors:
        scores = matrix @ vector
        best = units[np.argpartition(-scores, 10)[:10]]
        found += len(set(best.tolist()) & set(searcher.nearest(vector, 10)))
    return found / (10 * len(searcher.vectors))


def _all_vectors(reader: Connection) -> tuple[np.ndarray, Matrix]:
    active = vector_set(reader)
    assert active is not None
    count: int = reader.value(f"SELECT count(*) FROM {active.vectors}")
    units = np.empty(count, dtype=np.int64)
    matrix = np.empty((count, DIMENSION), dtype=np.float32)
    after = done = 0
    while rows := reader.rows(
        f"SELECT unit, v FROM {active.vectors} WHERE unit > ? ORDER BY unit LIMIT 10000", (after,)
    ):
        after = rows[-1][0]
        units[done : done + len(rows)] = [unit for unit, _ in rows]
        flat = np.frombuffer(b"".join(v for _, v in rows), dtype="<f2")
        matrix[done : done + len(rows)] = flat.reshape(len(rows), DIMENSION)
        done += len(rows)
    return units, matrix
