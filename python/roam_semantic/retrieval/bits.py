"""Sign bits of vectors in numpy: pure functions over arrays.

Codes lie "words × rows": the first 64 bits of every row side by side, then
the next 64 of every row.  Counting the bits of one such line is one call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Codes = NDArray[np.uint64]
    Ids = NDArray[np.int64]
    Block = tuple[Codes, Ids]
    Vector = NDArray[np.float32]

# Rows of a block: its lines stay in the processor's cache.
BLOCK = 1 << 15
# Every float16 as float32: looking up is twice as fast as converting.
with np.errstate(invalid="ignore"):
    _FLOATS = np.arange(1 << 16, dtype="<u2").view("<f2").astype(np.float32)


def matrix(blobs: Sequence[bytes], dimension: int) -> Vector:
    """Return the float16 BLOBS as rows of float32."""
    flat = np.frombuffer(b"".join(blobs), dtype="<u2")
    return _FLOATS.take(flat, mode="clip").reshape(len(blobs), dimension)


def signs(vectors: Vector) -> Codes:
    """Return the codes of VECTORS, a row each: 1 where a number is above 0."""
    return lines(np.packbits(vectors > 0, axis=1, bitorder="little"))


def lines(packed: NDArray[np.uint8]) -> Codes:
    """Return rows of bytes as words × rows; a last word is filled up with zeros."""
    spare = -packed.shape[1] % 8
    if spare:
        packed = np.pad(packed, ((0, 0), (0, spare)))
    return np.ascontiguousarray(np.ascontiguousarray(packed).view("<u8").T)


def new_block(words: int) -> Block:
    """Return room for BLOCK rows of WORDS words each, and their ids."""
    return np.empty((words, BLOCK), dtype=np.uint64), np.empty(BLOCK, dtype=np.int64)


def all_ids(blocks: Sequence[Block], size: int) -> Ids:
    """Return the ids of the first SIZE rows."""
    if not blocks:
        return np.empty(0, dtype=np.int64)
    return np.concatenate([ids for _, ids in blocks])[:size]


def ids_at(blocks: Sequence[Block], places: Ids) -> Ids:
    """Return the ids of the rows at PLACES, which ascend."""
    parts = [ids[rows] for (_, ids), rows in zip(blocks, _by_block(blocks, places), strict=True)]
    return np.concatenate(parts) if parts else places


def distances(
    blocks: Sequence[Block], size: int, code: NDArray[np.uint64], places: Ids | None
) -> NDArray[np.uint16]:
    """Return how many bits of each row differ from CODE.

    size: how many rows there are.  places: the rows looked at, ascending,
        None for all; the result is in their order.
    """
    result = np.empty(size if places is None else len(places), dtype=np.uint16)
    differing = np.empty(BLOCK, dtype=np.uint64)
    counted = np.empty(BLOCK, dtype=np.uint8)
    chosen = None if places is None else _by_block(blocks, places)
    done = 0
    for number, (codes, _) in enumerate(blocks):
        rows = slice(0, min(BLOCK, size - done)) if chosen is None else chosen[number]
        count = rows.stop if isinstance(rows, slice) else len(rows)
        part = result[done : done + count]
        part[:] = 0
        for line, mask in zip(codes, code, strict=True):
            np.bitwise_xor(line[rows], mask, out=differing[:count])
            np.bitwise_count(differing[:count], out=counted[:count])
            np.add(part, counted[:count], out=part)
        done += count
    return result


def nearest(found: NDArray[np.uint16], wanted: int) -> NDArray[np.int64]:
    """Return the places of the WANTED smallest distances in FOUND, ties included."""
    if len(found) <= wanted:
        return np.arange(len(found))
    upto = np.cumsum(np.bincount(found))
    return np.flatnonzero(found <= np.searchsorted(upto, wanted))


def _by_block(blocks: Sequence[Block], places: Ids) -> list[Ids]:
    starts = np.searchsorted(places, np.arange(len(blocks) + 1) * BLOCK)
    return [
        places[starts[number] : starts[number + 1]] - number * BLOCK
        for number in range(len(blocks))
    ]
