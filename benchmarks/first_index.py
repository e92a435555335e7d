"""A first index with the real model, against the model alone on the same texts."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time

import msgspec

from benchmarks import notes
from benchmarks.ground import Ground
from benchmarks.server import environment
from benchmarks.table import Row, number
from roam_semantic.indexing.embedding import model_text
from roam_semantic.models.embedder import Embedder

# Made-up words cost the model five tokens each, so few notes are much work.
NOTES = 100
ROUNDS = 2


def measure(ground: Ground, model: Embedder) -> list[Row]:
    """Return the row of a first index."""
    made = Ground(os.path.join(ground.folder, "first"), NOTES)
    shutil.rmtree(made.folder, ignore_errors=True)
    notes.write(made.vault, NOTES, seed=5)
    whole: list[float] = []
    alone: list[float] = []
    texts: list[str] = []
    for _ in range(ROUNDS):
        whole.append(_index(made))
        texts = texts or _texts(made)
        start = time.perf_counter()
        model.embed_passages(texts)
        alone.append(time.perf_counter() - start)
    rate = len(texts) / min(alone)
    return [
        Row(
            "first index, start to end",
            "texts ÷ the model's own rate",
            min(whole) / min(alone),
            1.1,
            f"{NOTES} notes, {len(texts):,} texts in {number(min(whole))} s; "
            f"the model alone {number(rate)} texts/s",
        )
    ]


def _index(ground: Ground) -> float:
    """Index without any cached vector; return the seconds the command took."""
    for name in os.listdir(ground.folder):
        if name.startswith("index.db"):
            os.remove(os.path.join(ground.folder, name))
    surroundings = environment(ground.vault, ground.roam_database, ground.index_path, ground.cache)
    vectors = os.path.join(ground.cache, "roam-semantic", "vectors.db")
    for suffix in ("", "-wal", "-shm"):
        if os.path.exists(vectors + suffix):
            os.remove(vectors + suffix)
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "roam_semantic", "index"],
        env=surroundings,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    return time.perf_counter() - start


def _texts(ground: Ground) -> list[str]:
    rows = ground.index.reader().rows("SELECT title, outline_path, text FROM embed_units")
    return [
        model_text(title, msgspec.json.decode(path, type=tuple[str, ...]), text, frozenset())
        for title, path, text in rows
    ]
