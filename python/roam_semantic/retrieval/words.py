"""The words leg: units that hold the words of a query, best first.

First units that hold every word, as typed before corrected; then, when those
are few, units that hold some of them.  A long OR would score every unit that
holds a common word, so its rarest words decide which units are looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from roam_semantic.retrieval.scope import Scope
from roam_semantic.retrieval.terms import Atom, Term, Terms, most_units, read_terms
from roam_semantic.sqlite import Connection

# Weights of title, aliases, path, text, extra, meta.
WEIGHTS = "6.0, 6.0, 2.5, 1.0, 0.5, 0.0"
# How many postings of rare words may be scored.
BUDGET = 20_000
MAX_ATOMS = 64

Scored = list[tuple[int, float]]


class Found(msgspec.Struct, frozen=True):
    """Units (id, score above 0), best first, and what was asked for."""

    units: tuple[tuple[int, float], ...]
    corrected: dict[str, str]
    needles: tuple[str, ...]
    terms: tuple[Term, ...] = ()


def find(reader: Connection, text: str, phrases: Sequence[str], scope: Scope, limit: int) -> Found:
    """Return the best LIMIT units in SCOPE for the words of TEXT.

    What PHRASES hold must stand side by side, unless no unit has it so.
    """
    asked = read_terms(reader, text, phrases)
    if not asked.terms:
        return Found((), {}, ())
    units = _ranked(reader, asked, asked.phrases, scope, limit)
    if not units and asked.phrases:
        units = _ranked(reader, asked, (), scope, limit)
    return Found(
        units=tuple(units[:limit]),
        corrected=asked.corrected,
        needles=tuple(needle for term in asked.terms for needle in term.needles),
        terms=asked.terms,
    )


def _ranked(
    reader: Connection, asked: Terms, phrases: tuple[str, ...], scope: Scope, limit: int
) -> Scored:
    exact = _all_words(reader, [term.exact for term in asked.terms], phrases, scope, limit)
    tiers = _literal_first(reader, exact, asked.terms)
    if len(exact) < limit and asked.corrected:
        tiers.append(
            _all_words(reader, [term.loose for term in asked.terms], phrases, scope, limit)
        )
    if sum(map(len, tiers)) < limit and not asked.only_stops:
        some = _some_words(reader, asked.terms, phrases, scope, limit)
        score = dict(some)
        tiers = [[(unit, score.get(unit, own)) for unit, own in tier] for tier in tiers]
        tiers.append(some)
    return stacked(tiers)


def stacked(tiers: Iterable[Scored]) -> Scored:
    """Return the units of TIERS, each once, every tier above all of the next.

    Scores of a higher tier are lifted by as little as that takes.
    """
    seen: set[int] = set()
    kept: list[Scored] = []
    for tier in tiers:
        fresh = sorted(
            ((unit, score) for unit, score in tier if unit not in seen),
            key=lambda pair: (-pair[1], pair[0]),
        )
        seen.update(unit for unit, _ in fresh)
        kept.append(fresh)
    result: Scored = []
    for tier in reversed(kept):
        if tier and result:
            lift = max(0.0, result[0][1] - tier[-1][1])
            tier = [(unit, score + lift) for unit, score in tier]
        result = tier + result
    return result


def _all_words(
    reader: Connection, words: list[str], phrases: tuple[str, ...], scope: Scope, limit: int
) -> Scored:
    return _asked(reader, " AND ".join((*words, *phrases)), scope, limit)


def _some_words(
    reader: Connection,
    terms: Sequence[Term],
    phrases: tuple[str, ...],
    scope: Scope,
    limit: int,
) -> Scored:
    atoms = {atom.expression: atom for term in terms for atom in term.atoms if atom.units}
    expression = gated(list(atoms.values()), most_units(reader))
    if not expression:
        return []
    return _asked(reader, " AND ".join((f"({expression})", *phrases)), scope, limit)


def gated(atoms: Sequence[Atom], total: int) -> str:
    """Return the OR of ATOMS; beyond BUDGET postings only the rarest let a unit in.

    total: units there are; a word in more than half of many has no weight in
        BM25 and is left out when there is another.
    """
    ordered = sorted(atoms, key=lambda atom: (atom.units, atom.expression))[:MAX_ATOMS]
    telling = ordered
    if total > BUDGET:
        telling = [atom for atom in ordered if atom.units * 2 <= total] or ordered[:1]
    every = " OR ".join(atom.expression for atom in telling)
    postings = 0
    rare: list[str] = []
    for atom in telling:
        postings += atom.units
        if rare and postings > BUDGET:
            return f"({' OR '.join(rare)}) AND ({every})"
        rare.append(atom.expression)
    return every


def _literal_first(reader: Connection, found: Scored, terms: Sequence[Term]) -> list[Scored]:
    """Return FOUND in two tiers: units that hold every name to the letter, the others."""
    literals = [term.literal for term in terms if term.literal]
    if not literals or not found:
        return [found]
    ids = msgspec.json.encode([unit for unit, _ in found]).decode()
    test = " AND ".join(
        "instr(lower(title || char(10) || aliases || char(10) || path || char(10) || text), ?)"
        for _ in literals
    )
    rows = reader.rows(
        f"SELECT id FROM embed_units WHERE id IN (SELECT value FROM json_each(?)) AND {test}",
        (ids, *(literal.lower() for literal in literals)),
    )
    exact = {unit for (unit,) in rows}
    return [
        [pair for pair in found if pair[0] in exact],
        [pair for pair in found if pair[0] not in exact],
    ]


def _asked(reader: Connection, expression: str, scope: Scope, limit: int) -> Scored:
    """Return (unit, score) for EXPRESSION, best first.

    The join stands beside MATCH in this order: a subquery over rowid there
    makes the planner read the whole index for every row.
    """
    join = "CROSS JOIN embed_units u ON u.id = f.rowid" if scope.where else ""
    rows = reader.rows(
        f"SELECT f.rowid, -bm25(embed_fts, {WEIGHTS}) AS score FROM embed_fts f {join}"
        f" WHERE embed_fts MATCH ?{scope.bounds('f.rowid')}{scope.where}"
        " ORDER BY score DESC LIMIT ?",
        (scope.around(expression), *scope.values, limit),
    )
    return [(unit, max(score, 1e-9)) for unit, score in rows]
