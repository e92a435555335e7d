"""The vectors leg without numpy: vec0's bits, re-scored in plain Python.

For a command that never loaded numpy, and for a Python that has none.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from operator import mul

import msgspec

from roam_semantic.retrieval.scope import Scope, unit_ids
from roam_semantic.sqlite import Connection, load_vec
from roam_semantic.store.vectors import VectorSet, vector_set

# What vec0 takes; its time grows with k.
LEAST, MOST = 500, 4096
# So many vectors are compared one by one where there is no vec0.
FEW = 2000


def nearest(
    reader: Connection, vector: Sequence[float], scope: Scope, limit: int
) -> list[tuple[int, float]] | None:
    """Return the LIMIT units in SCOPE nearest to VECTOR with their cosine, best first.

    None when it cannot be done: no vec0, and too many vectors to compare.
    """
    active = vector_set(reader)
    if active is None:
        return []
    only, shut = unit_ids(reader, scope)
    ids = _candidates(reader, active, vector, only, limit + len(shut))
    if ids is None:
        return None
    length = math.sqrt(sum(map(mul, vector, vector)))
    unpack = struct.Struct(f"<{active.dimension}e").unpack
    refused = set(shut)
    found = [
        (unit, sum(map(mul, unpack(v), vector)) / length)
        for unit, v in reader.rows(
            f"SELECT unit, v FROM {active.vectors} WHERE unit IN (SELECT value FROM json_each(?))",
            (_json(ids),),
        )
        if unit not in refused and len(v) == 2 * active.dimension
    ]
    found.sort(key=lambda pair: (-pair[1], pair[0]))
    return found[:limit]


def _candidates(
    reader: Connection,
    active: VectorSet,
    vector: Sequence[float],
    only: list[int] | None,
    limit: int,
) -> list[int] | None:
    if only is not None and len(only) <= LEAST:
        return only
    if load_vec(reader) and _has(reader, active.codes):
        within = "" if only is None else " AND rowid IN (SELECT value FROM json_each(?))"
        rows = reader.rows(
            f"SELECT rowid FROM {active.codes} WHERE code MATCH vec_bit(?) AND k = ?{within}",
            (
                _code(vector),
                min(MOST, max(LEAST, 2 * limit)),
                *([] if only is None else [_json(only)]),
            ),
        )
        return [unit for (unit,) in rows]
    count = reader.value(f"SELECT count(*) FROM {active.vectors}")
    if count > FEW:
        return None
    rows = reader.rows(f"SELECT unit FROM {active.vectors}")
    allowed = None if only is None else set(only)
    return [unit for (unit,) in rows if allowed is None or unit in allowed]


def _code(vector: Sequence[float]) -> bytes:
    """Return the signs of VECTOR as vec0 lays them out: the lowest bit first."""
    bits = sum(1 << place for place, number in enumerate(vector) if number > 0)
    return bits.to_bytes(-(-len(vector) // 8), "little")


def _has(reader: Connection, table: str) -> bool:
    return reader.value("SELECT count(*) FROM sqlite_master WHERE name = ?", (table,)) == 1


def _json(ids: Sequence[int]) -> str:
    return msgspec.json.encode(ids).decode()
