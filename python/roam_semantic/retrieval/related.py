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
# A margin below this is chance: as far from each other as from anything.
LEAST = -0.12


class Match(msgspec.Struct, frozen=True):
    """A node, its unit that fits best, the source's unit it fits, and how well (0 to 1)."""

    node: int
    unit: int
    own: int
    score: float


def nearest_nodes(
    reader: Connection,
    codes: CodeMatrix,
    own: Mapping[int, Vector],
    shut: Collection[int],
) -> list[Match]:
    """Return the nodes whose units are near to those of OWN (unit → vector), best first.

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
    margins = [
        (margin - nearness[other] / 2, unit, other)
        for margin, unit, other in pairs
        if other in nearness
    ]
    return _by_node(reader, margins)


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


def _by_node(reader: Connection, margins: list[tuple[float, int, int]]) -> list[Match]:
    """Return each node of MARGINS (margin, own unit, other unit) with its best pair."""
    others = msgspec.json.encode(sorted({other for _, _, other in margins})).decode()
    node_of = dict(
        reader.rows(
            "SELECT u.id, u.node FROM embed_units u JOIN embed_nodes n ON n.key = u.node"
            " WHERE n.owner = 1 AND u.id IN (SELECT value FROM json_each(?))",
            (others,),
        )
    )
    best: dict[int, Match] = {}
    for margin, unit, other in sorted(margins, key=lambda each: (-each[0], each[2], each[1])):
        node = node_of.get(other)
        if node is not None and margin >= LEAST:
            score = min(1.0, max(0.0, 0.5 + margin))
            best.setdefault(node, Match(node, other, unit, score))
    return list(best.values())


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
