"""The one pipeline from a query to hits: scope, legs, fusion, nodes, passages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from roam_semantic.retrieval import answer, fuse, plain
from roam_semantic.retrieval import words as words_leg
from roam_semantic.retrieval.answer import Page
from roam_semantic.retrieval.coverage import coverage, trusted
from roam_semantic.retrieval.query import Query
from roam_semantic.retrieval.scope import Scope, scope_of
from roam_semantic.sqlite import Connection
from roam_semantic.store.vectors import vector_set
from roam_semantic.values import Hit

if TYPE_CHECKING:
    from roam_semantic.models.embedder import Vector
    from roam_semantic.retrieval.vectors import CodeMatrix

Fusion = Literal["linear", "rrf10", "rrf60"]

MAX_DEPTH = 20_000


class Found(msgspec.Struct, frozen=True):
    """What a search found; more: other hits follow these.

    truncated: `max_chars` cut the page short.  corrected: typed word → word
    that was also looked for.  degraded: what could not take part, and why.
    """

    hits: tuple[Hit, ...]
    more: bool = False
    truncated: bool = False
    corrected: dict[str, str] = {}
    degraded: tuple[str, ...] = ()


class Legs(msgspec.Struct, frozen=True):
    """How a query is answered.

    vector: of its text; None: words alone.  codes: how vectors are searched;
    None: vec0 is asked.  words: whether words are searched.
    """

    vector: Vector | Sequence[float] | None = None
    codes: CodeMatrix | None = None
    words: bool = True
    fusion: Fusion = "linear"


def search(
    reader: Connection,
    query: Query,
    *,
    vector: Vector | Sequence[float] | None = None,
    codes: CodeMatrix | None = None,
    words: bool = True,
    k: int = 10,
    offset: int = 0,
    max_chars: int = 20_000,
    fusion: Fusion = "linear",
) -> Found:
    """Return the nodes QUERY finds from OFFSET on, at most K and MAX_CHARS of text.

    vector, codes, words, fusion: see Legs.
    A query without a word finds only what its filters leave, newest first.
    READER is in no transaction: all of the answer is read from one state.
    """
    page = Page(k, offset, max_chars)
    with reader.reading():
        scope = scope_of(reader, query.filters)
        if query.has_words:
            return _ranked(reader, query, scope, Legs(vector, codes, words, fusion), page)
        listed = [] if scope.is_everything else answer.newest(reader, scope, offset + k + 1)
        shown = answer.show(reader, answer.named_first(reader, query, listed), (), page)
        return Found(shown.hits, shown.more, shown.truncated)


def _ranked(reader: Connection, query: Query, scope: Scope, legs: Legs, page: Page) -> Found:
    depth = _depth(page.offset + page.k)
    ranked: dict[str, fuse.Leg] = {}
    degraded: list[str] = []
    found = words_leg.Found((), {}, ())
    if legs.words:
        found = words_leg.find(reader, query.text, query.phrases, scope, depth)
        ranked["words"] = found.units
    # A name found to the letter is what was meant; what is near it in meaning is noise.
    named = bool(found.units) and _only_names(query.text)
    near = None if named else _near(reader, legs, scope, depth, degraded)
    if near is not None:
        ranked["vectors"] = near
    nodes = answer.collapse(reader, _fused(reader, ranked, found, legs.fusion))
    shown = answer.show(reader, answer.named_first(reader, query, nodes), found.needles, page)
    return Found(shown.hits, shown.more, shown.truncated, found.corrected, tuple(degraded))


def _only_names(text: str) -> bool:
    """Return whether TEXT is nothing but identifiers: each word holds a digit or `_`."""
    words = text.split()
    return bool(words) and all(any(c.isdigit() or c == "_" for c in word) for word in words)


def _depth(wanted: int) -> int:
    """Return how many units a leg must rank so that WANTED nodes can be shown."""
    return fuse.TOP if wanted * 2 <= fuse.TOP else min(MAX_DEPTH, wanted * 4)


def _near(
    reader: Connection, legs: Legs, scope: Scope, limit: int, degraded: list[str]
) -> list[tuple[int, float]] | None:
    """Return the units nearest to the vector of LEGS, or None; why not goes to DEGRADED."""
    vector = legs.vector
    if vector is None:
        return None
    why = _unusable(reader, vector)
    if why:
        degraded.append(f"vectors: {why}")
        return None
    if legs.codes is not None:
        return legs.codes.nearest(reader, vector, scope, limit)
    near = plain.nearest(reader, [float(number) for number in vector], scope, limit)
    if near is None:
        degraded.append("vectors: neither numpy nor sqlite-vec can be loaded")
    return near


def _unusable(reader: Connection, vector: Vector | Sequence[float]) -> str | None:
    """Return why VECTOR cannot be compared with the index, or None: it can."""
    active = vector_set(reader)
    if active is None:
        return "no note has its vector yet"
    if len(vector) != active.dimension:
        return f"the query has {len(vector)} numbers, the index {active.dimension}"
    length = math.fsum(float(number) ** 2 for number in vector)
    if not math.isfinite(length) or length == 0:
        return "the model gave no usable vector for this query"
    return None


def _fused(
    reader: Connection, ranked: dict[str, fuse.Leg], found: words_leg.Found, fusion: Fusion
) -> list[fuse.Fused]:
    if fusion != "linear":
        return fuse.reciprocal(ranked, k=10 if fusion == "rrf10" else 60)
    if len(ranked) < 2:
        return fuse.linear(ranked)
    shares = coverage(reader, [unit for unit, _ in found.units], found.terms)
    weights = fuse.ONE_WORD if len(found.terms) == 1 else fuse.WEIGHTS
    return fuse.linear(ranked, weights, trust=trusted(found.units, shares))
