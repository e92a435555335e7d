"""Generated embeddings: clustered, with the uneven spread real ones have.

The share of true neighbours among the nearest sign codes follows that of real
all-MiniLM-L6-v2 vectors (of ten, 5 to 6 among the first 10 codes, nearly all
among the first 500), so recall measured here says something.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]

DIMENSION = 384
SEED = 20250102
CLUSTERS = 1500
BLOCK = 10_000
BEYOND = 1 << 40


def blocks(count: int) -> Iterator[Matrix]:
    """Yield COUNT vectors of norm 1 in matrices of at most BLOCK rows."""
    for start in range(0, count, BLOCK):
        yield _block(start, min(BLOCK, count - start))


def matrix(count: int) -> Matrix:
    """Return COUNT vectors of norm 1 as one matrix."""
    return np.concatenate(list(blocks(count)))


def queries(count: int) -> Matrix:
    """Return COUNT vectors from the same clusters that are in no matrix."""
    return _block(BEYOND, count)


def _block(start: int, rows: int) -> Matrix:
    rng = np.random.default_rng((SEED, start))
    sizes = 1 / (np.arange(CLUSTERS) + 20.0)
    chosen = rng.choice(CLUSTERS, rows, p=sizes / sizes.sum())
    vectors = (_centres()[chosen] + _spread(rng, rows)) @ _basis()
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / lengths).astype(np.float32)


@cache
def _centres() -> Matrix:
    return _spread(np.random.default_rng(SEED), CLUSTERS)


@cache
def _basis() -> Matrix:
    """Return a fixed random basis: no axis of a model is special."""
    rng = np.random.default_rng(SEED + 1)
    basis = np.linalg.qr(rng.standard_normal((DIMENSION, DIMENSION)))[0]
    return basis.astype(np.float32)


def _spread(rng: np.random.Generator, rows: int) -> Matrix:
    """Return noise whose strength falls from axis to axis."""
    axes = (np.arange(DIMENSION) + 8.0) ** -0.5
    noise = rng.standard_normal((rows, DIMENSION), dtype=np.float32)
    return noise * axes.astype(np.float32)
