"""Nodes that mean what a node means: the vectors of its units against all others.

Two units are compared by their cosine, less half of what each has with its ten
nearest on average.  A passage of a template, a list or a diary is near to
everything; without this it is near to every note.  Over the links of the
sample vault the mean average precision rises from .50 to .55; means of two or
three pairs of units give less than the best pair alone.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from roam_semantic.retrieval.vectors import CodeMatrix, fetched, stored_vectors
from roam_semantic.sqlite import Connection
from roam_semantic.store.boilerplate import is_boilerplate, shared_lines
from roam_semantic.store.vectors import vector_set

if TYPE_CHECKING:
    from roam_semantic.models.embedder import Vector

# So many units of the source are compared; of a longer note every n-th.
MOST_OWN = 24
# How many neighbours tell what is near to everything.
TEN = 10
# Units in all whose neighbours are looked at.
POOL = 256
DEEPEST, SHALLOWEST = 80, 20
# Two units that are no nearer to each other than to their neighbours score 0.5;
# below this they are so far apart that what they share is chance.
LEAST = 0.38


class Pair(msgspec.Struct, frozen=True):
    """A unit of the source, one that is near to it, its node, and how near (0 to 1)."""

    own: int
    unit: int
    node: int
    score: float


def nearest_nodes(
    reader: Connection, codes: CodeMatrix, own: Mapping[int, Vector], shut: Collection[int]
) -> list[Pair]:
    """Return the nodes with a unit near to one of OWN, best first, each with its best pair."""
    best: dict[int, Pair] = {}
    for pair in nearest_pairs(reader, codes, own, shut):
        best.setdefault(pair.node, pair)
    return list(best.values())


def nearest_pairs(
    reader: Connection, codes: CodeMatrix, own: Mapping[int, Vector], shut: Collection[int]
) -> list[Pair]:
    """Return the units that are near to those of OWN (unit → vector), best first.

    shut: units that do not count, those of the source among them.
    """
    units = list(own)
    if not units:
        return []
    depth = min(DEEPEST, max(SHALLOWEST, 2 * POOL // len(units)))
    found = codes.nearest_each(reader, np.stack([own[unit] for unit in units]), shut, depth)
    pairs = [
        (cosine - _mean(near) / 2, unit, other)
        for unit, near in zip(units, found, strict=True)
        for other, cosine in near
    ]
    nearness = _nearness(reader, {other for _, _, other in sorted(pairs, reverse=True)[:POOL]})
    node_of = _telling(reader, list(nearness))
    near = [
        Pair(unit, other, node_of[other], min(1.0, max(0.0, 0.5 + margin - nearness[other] / 2)))
        for margin, unit, other in pairs
        if other in node_of
    ]
    near.sort(key=lambda pair: (-pair.score, pair.unit, pair.own))
    return [pair for pair in near if pair.score >= LEAST]


def _mean(near: Sequence[tuple[int, float]]) -> float:
    return sum(cosine for _, cosine in near[:TEN]) / max(1, len(near[:TEN]))


def _nearness(reader: Connection, units: Collection[int]) -> dict[int, float]:
    """Return for each of UNITS its mean cosine with the ten nearest of the others."""
    active = vector_set(reader)
    if active is None or not units:
        return {}
    ids, vectors = fetched(reader, active, sorted(units))
    if len(ids) < 2:
        return dict.fromkeys(ids.tolist(), 0.0)
    cosines = np.einsum("ij,kj->ik", vectors, vectors)
    np.fill_diagonal(cosines, -1.0)
    count = min(TEN, len(ids) - 1)
    highest = np.partition(cosines, -count, axis=1)[:, -count:]
    return dict(zip(ids.tolist(), highest.mean(axis=1).tolist(), strict=True))


def _telling(reader: Connection, units: Sequence[int]) -> dict[int, int]:
    """Return the node of each of UNITS that is owned, and not boilerplate alone."""
    shared = shared_lines(reader)
    rows = reader.rows(
        "SELECT u.id, u.node, u.text FROM embed_units u JOIN embed_nodes n ON n.key = u.node"
        " WHERE n.owner = 1 AND u.id IN (SELECT value FROM json_each(?))",
        (msgspec.json.encode(units).decode(),),
    )
    return {unit: node for unit, node, text in rows if not is_boilerplate(text, shared)}


def some_of(units: Sequence[int], most: int = MOST_OWN) -> list[int]:
    """Return at most MOST of UNITS, spread over all of them."""
    if len(units) <= most:
        return list(units)
    return [units[place * len(units) // most] for place in range(most)]


def vectors_of(reader: Connection, units: Sequence[int]) -> dict[int, Vector]:
    """Return the vectors the index has of UNITS, in their order."""
    active = vector_set(reader)
    found = stored_vectors(reader, active, units) if active is not None else {}
    return {unit: found[unit] for unit in units if unit in found}
