"""From ranked units to what a person sees: nodes, their best passage, a page of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from roam_semantic.retrieval.fuse import Fused
from roam_semantic.retrieval.names import exactly_named, seconds, tags_of
from roam_semantic.retrieval.passage import SIZE, passage
from roam_semantic.retrieval.query import Query
from roam_semantic.retrieval.scope import Scope, unit_ids
from roam_semantic.sqlite import Connection, Row
from roam_semantic.store.words import clean
from roam_semantic.values import Hit, Ranks


class RankedNode(msgspec.Struct, frozen=True):
    """A node with its best unit and its best rank in each leg."""

    key: int
    unit: int
    score: float
    ranks: dict[str, int] = {}
    named: bool = False


class Page(msgspec.Struct, frozen=True):
    """Which of the hits are shown, and how many characters of them."""

    k: int
    offset: int
    max_chars: int


class Shown(msgspec.Struct, frozen=True):
    """The hits of a page; more: others follow; truncated: they did not all fit."""

    hits: tuple[Hit, ...]
    more: bool
    truncated: bool


def collapse(reader: Connection, fused: Sequence[Fused]) -> list[RankedNode]:
    """Return the nodes of the units FUSED, best first, each with its best unit.

    Units that are gone meanwhile, and nodes whose id another file owns, are
    left out.
    """
    node_of = dict(
        reader.rows(
            "SELECT u.id, u.node FROM embed_units u JOIN embed_nodes n ON n.key = u.node"
            " WHERE n.owner = 1 AND u.id IN (SELECT value FROM json_each(?))",
            (_json(item.unit for item in fused),),
        )
    )
    nodes: dict[int, RankedNode] = {}
    for item in fused:
        key = node_of.get(item.unit)
        if key is None:
            continue
        held = nodes.setdefault(key, RankedNode(key, item.unit, item.score, dict(item.ranks)))
        for leg, rank in item.ranks.items():
            held.ranks[leg] = min(rank, held.ranks.get(leg, rank))
    return list(nodes.values())


def newest(reader: Connection, scope: Scope, most: int) -> list[RankedNode]:
    """Return the nodes in SCOPE, those of the last changed files first, unranked."""
    only, shut = unit_ids(reader, scope)
    rows = reader.rows(
        "SELECT n.key, min(u.id) FROM embed_units u JOIN embed_nodes n ON n.key = u.node"
        " JOIN embed_files f ON f.key = u.file WHERE n.owner = 1"
        + (" AND u.id IN (SELECT value FROM json_each(?1))" if only is not None else "")
        + " AND u.id NOT IN (SELECT value FROM json_each(?2))"
        " GROUP BY n.key ORDER BY f.mtime_ns DESC, n.key LIMIT ?3",
        (_json(only or ()), _json(shut), most),
    )
    return [RankedNode(key, unit, 0.0) for key, unit in rows]


def named_first(reader: Connection, query: Query, nodes: Sequence[RankedNode]) -> list[RankedNode]:
    """Return NODES with those first whose title or alias is the query itself.

    Such a node is added when no leg found it, unless the query has filters.
    """
    keys = exactly_named(reader, query.text)
    if not keys:
        return list(nodes)
    first = {node.key: node for node in nodes if node.key in keys}
    if not query.filters:
        missing = [key for key in keys if key not in first]
        for key, unit in reader.rows(
            "SELECT node, min(id) FROM embed_units"
            " WHERE node IN (SELECT value FROM json_each(?)) GROUP BY node",
            (_json(missing),),
        ):
            first[key] = RankedNode(key, unit, 1.0)
    named = [msgspec.structs.replace(node, score=1.0, named=True) for node in first.values()]
    return named + [node for node in nodes if node.key not in first]


def show(
    reader: Connection, nodes: Sequence[RankedNode], needles: Sequence[str], page: Page
) -> Shown:
    """Return the hits of PAGE, at least one where there is one.

    needles: beginnings of words that a passage should show.
    """
    wanted = nodes[page.offset : page.offset + page.k]
    rows = {
        row[0]: row[1:]
        for row in reader.rows(
            "SELECT u.id, n.id, n.title, f.path, u.outline_path, u.line, u.pos, u.type, u.text,"
            " n.todo, f.mtime_ns FROM embed_units u JOIN embed_nodes n ON n.key = u.node"
            " JOIN embed_files f ON f.key = u.file"
            " WHERE u.id IN (SELECT value FROM json_each(?))",
            (_json(node.unit for node in wanted),),
        )
    }
    tags = tags_of(reader, [node.key for node in wanted])
    size = min(SIZE, page.max_chars)
    hits: list[Hit] = []
    left = page.max_chars
    for node in wanted:
        hit = _hit(node, rows[node.unit], tags.get(node.key, ()), needles, size)
        left -= _length(hit)
        if left < 0 and hits:
            return Shown(tuple(hits), more=True, truncated=True)
        hits.append(hit)
    return Shown(tuple(hits), more=len(nodes) > page.offset + len(hits), truncated=False)


def _hit(
    node: RankedNode, row: Row, tags: tuple[str, ...], needles: Sequence[str], size: int
) -> Hit:
    node_id, title, path, outline, line, pos, kind, text, todo, mtime_ns = row
    return Hit(
        node_id=node_id,
        title=clean(title),
        file=path,
        outline_path=msgspec.json.decode(outline, type=tuple[str, ...]),
        line=line,
        pos=pos,
        unit_type=kind,
        passage=passage(text, needles, size),
        score=round(node.score, 4),
        ranks=Ranks(words=node.ranks.get("words"), vectors=node.ranks.get("vectors")),
        why=_why(node),
        tags=tags,
        todo=todo,
        matched="title" if node.named else None,
        modified=seconds(mtime_ns),
    )


def _why(node: RankedNode) -> str:
    if len(node.ranks) == 2:
        return "both"
    return "meaning" if "vectors" in node.ranks else "words"


def _length(hit: Hit) -> int:
    """Return about how many characters HIT takes in an answer."""
    return sum(map(len, (hit.title, hit.file, hit.passage, *hit.outline_path, *hit.tags)))


def _json(ids: Iterable[int]) -> str:
    return msgspec.json.encode(list(ids)).decode()
