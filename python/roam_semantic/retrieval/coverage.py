"""How much of a query a unit's words cover: what its place among words is worth.

BM25 ranks the units that hold any word; the best of them may hold one word of
six, by chance.  On paraphrases such a unit took the first place from the one
that means the question.  So a unit's score in the words leg counts by the
share of the query's weight (inverse document frequency) that it holds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec

from roam_semantic.retrieval.terms import Term
from roam_semantic.sqlite import Connection
from roam_semantic.store.words import fold

# From here on scripts are written without blanks: a word may begin anywhere.
CJK = 0x2E80
LEAST_WEIGHT = 0.01


def coverage(reader: Connection, units: Sequence[int], terms: Sequence[Term]) -> dict[int, float]:
    """Return for each of UNITS the share, 0 to 1, of TERMS' weight it holds."""
    total = reader.value("SELECT max(id) FROM embed_units") or 1
    weights = [_weight(term, total) for term in terms]
    whole = sum(weights) or 1.0
    rows = reader.rows(
        "SELECT id, title || char(10) || aliases || char(10) || path || char(10) || text"
        " || char(10) || extra FROM embed_units WHERE id IN (SELECT value FROM json_each(?))",
        (msgspec.json.encode(list(units)).decode(),),
    )
    wanted = [[fold(needle) for needle in term.needles if needle] for term in terms]
    return {unit: _share(fold(text), wanted, weights) / whole for unit, text in rows}


def _weight(term: Term, total: int) -> float:
    """Return the inverse document frequency of TERM, as BM25 has it; never 0."""
    units = max((atom.units for atom in term.atoms), default=0)
    return max(LEAST_WEIGHT, math.log(max(1.0, (total - units + 0.5) / (units + 0.5))))


def _share(text: str, wanted: Sequence[Sequence[str]], weights: Sequence[float]) -> float:
    return sum(
        weight
        for needles, weight in zip(wanted, weights, strict=True)
        if not needles or any(_holds(text, needle) for needle in needles)
    )


def _holds(text: str, needle: str) -> bool:
    """Return whether a word of TEXT begins with NEEDLE."""
    place = text.find(needle)
    while place >= 0:
        if place == 0 or ord(needle[0]) >= CJK or not text[place - 1].isalnum():
            return True
        place = text.find(needle, place + 1)
    return False


def trusted(leg: Sequence[tuple[int, float]], shares: Mapping[int, float]) -> dict[int, float]:
    """Return what the place of each unit of LEG is worth, 0 to 1: its share squared."""
    return {unit: min(1.0, shares.get(unit, 1.0)) ** 2 for unit, _ in leg}
