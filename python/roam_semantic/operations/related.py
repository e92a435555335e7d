"""Notes related to a note, by the vectors of its units; by its words while it has none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta

from roam_semantic.errors import RoamError
from roam_semantic.operations.answers import RelatedAnswer, RelatedHit, RelatedSource
from roam_semantic.operations.catalogue import operation
from roam_semantic.operations.core import Core
from roam_semantic.operations.nodes import NodeName
from roam_semantic.retrieval import answer, words
from roam_semantic.retrieval.names import resolve
from roam_semantic.retrieval.passage import passage
from roam_semantic.retrieval.scope import Scope
from roam_semantic.retrieval.source import OwnUnit, Source, linked_nodes, source_of
from roam_semantic.retrieval.stopwords import STOP_WORDS
from roam_semantic.sqlite import Connection
from roam_semantic.store.boilerplate import shared_lines
from roam_semantic.store.vectors import vector_set

if TYPE_CHECKING:
    from roam_semantic.models.embedder import Vector
    from roam_semantic.org.heading import Heading

# So many units are embedded on the spot when none has its vector yet.
EMBEDDED_HERE = 4
# Words of a note that stand for it while it has no vector.
TELLING = 24
DEEP = 100
ROOM = 20_000
WORD = re.compile(r"[^\W_]{4,}")

Place = Annotated[
    int, Meta(description="only the heading at this Emacs point of the node's file", ge=1)
]
Pairs = list[tuple[answer.RankedNode, OwnUnit]]


@operation(read_only=True, positional=("node",))
def related(
    core: Core,
    node: NodeName,
    pos: Place | None = None,
    k: Annotated[int, Meta(description="how many hits", ge=1, le=100)] = 10,
) -> RelatedAnswer:
    """Find notes that mean what a note, or one heading of it, means; linked or not."""
    core.freshen()
    reader = core.reader()
    degraded: list[str] = []
    with reader.reading():
        key = resolve(reader, node, core.index.vault)
        heading = None if pos is None else _heading(reader, key, pos)
        source = source_of(reader, key, heading)
        own = own_vectors(core, source, degraded)
        pairs = _near(core, reader, source, own) if own else _alike(reader, source)
        hits = _hits(reader, source, pairs[:k])
        asked = _asked(reader, source, heading)
    return RelatedAnswer(asked, hits, core.state(), tuple(degraded))


def _heading(reader: Connection, key: int, pos: int) -> Heading | None:
    from roam_semantic.graph.text import read_file  # the parser of org files: 20 ms
    from roam_semantic.org.heading import heading_at
    from roam_semantic.org.parse import read_note

    path, real_path = reader.rows(
        "SELECT f.path, f.real_path FROM embed_nodes n JOIN embed_files f ON f.key = n.file"
        " WHERE n.key = ?",
        (key,),
    )[0]
    return heading_at(read_note(read_file(path, real_path).text, path), pos)


def _asked(reader: Connection, source: Source, heading: Heading | None) -> RelatedSource:
    node_id, title, path, outline, line, pos = reader.rows(
        "SELECT n.id, n.title, f.path, n.outline_path, n.line, n.pos FROM embed_nodes n"
        " JOIN embed_files f ON f.key = n.file WHERE n.key = ?",
        (source.node,),
    )[0]
    if heading is not None:
        title, line, pos = heading.title, heading.line, heading.pos
        outline_path = heading.outline_path
    else:
        outline_path = msgspec.json.decode(outline, type=tuple[str, ...])
    return RelatedSource(node_id, title, path, outline_path, line, pos)


def own_vectors(core: Core, source: Source, degraded: list[str]) -> dict[int, Vector]:
    """Return vectors of SOURCE's units, of some when there are many.

    A few are made here when none is stored; why there is none goes to DEGRADED.
    """
    reader = core.reader()
    active = vector_set(reader)
    if active is None:
        degraded.append("vectors: no note has its vector yet")
        return {}
    try:
        from roam_semantic.retrieval.related import some_of, vectors_of  # numpy: 60 ms

        found = vectors_of(reader, some_of([unit.id for unit in source.units]))
        if found:
            return found
        embedder = core.embedder()
        if embedder.digest != active.digest:
            degraded.append(
                f"vectors: the index holds {active.model}, the model is {embedder.name};"
                " run `roam-semantic index`"
            )
            return {}
        found = _embedded(core, source)
        if not found:
            degraded.append("vectors: the model gave none for this note")
        return found
    except RoamError as error:
        degraded.append(f"vectors: {error.message}")
    except ImportError as error:
        degraded.append(f"vectors: {error.name or 'numpy'} cannot be loaded")
    return {}


def _embedded(core: Core, source: Source) -> dict[int, Vector]:
    """Return vectors of the first few units of SOURCE, made now."""
    from roam_semantic.indexing.embedding import model_text  # numpy
    from roam_semantic.models.embedder import EmbeddingFailure

    lines = shared_lines(core.reader())
    units = source.units[:EMBEDDED_HERE]
    texts = [
        model_text(
            unit.title, msgspec.json.decode(unit.outline_path, type=list[str]), unit.text, lines
        )
        for unit in units
    ]
    made = core.embedder().embed_passages(texts)
    return {
        unit.id: vector
        for unit, vector in zip(units, made, strict=True)
        if not isinstance(vector, EmbeddingFailure)
    }


def _near(core: Core, reader: Connection, source: Source, own: dict[int, Vector]) -> Pairs:
    from roam_semantic.retrieval.related import nearest_nodes  # numpy

    units = {unit.id: unit for unit in source.units}
    return [
        (answer.RankedNode(m.node, m.unit, m.score, {"vectors": rank}), units[m.own])
        for rank, m in enumerate(nearest_nodes(reader, core.codes(), own, source.shut), 1)
    ]


def _alike(reader: Connection, source: Source) -> Pairs:
    """Return nodes that share SOURCE's telling words, best first; it is known by its first unit."""
    title = " ".join(dict.fromkeys(unit.title for unit in source.units))
    text = " ".join(unit.text for unit in source.units)
    telling = list(dict.fromkeys(telling_words(f"{title} {text}")))[:TELLING]
    found = words.find(reader, " ".join(telling) or title, (), Scope(), DEEP + len(source.shut))
    units = [pair for pair in found.units if pair[0] not in source.shut][:DEEP]
    best = max((score for _, score in units), default=1.0)
    rows = dict(
        reader.rows(
            "SELECT u.id, u.node FROM embed_units u JOIN embed_nodes n ON n.key = u.node"
            " WHERE n.owner = 1 AND u.id IN (SELECT value FROM json_each(?))",
            (msgspec.json.encode([unit for unit, _ in units]).decode(),),
        )
    )
    nodes: dict[int, answer.RankedNode] = {}
    for unit, score in units:
        if unit in rows:
            ranks = {"words": len(nodes) + 1}
            nodes.setdefault(rows[unit], answer.RankedNode(rows[unit], unit, score / best, ranks))
    return [(node, source.units[0]) for node in nodes.values()] if source.units else []


def _hits(reader: Connection, source: Source, pairs: Pairs) -> tuple[RelatedHit, ...]:
    linked = linked_nodes(reader, source, [node.key for node, _ in pairs])
    texts = dict(
        reader.rows(
            "SELECT id, text FROM embed_units WHERE id IN (SELECT value FROM json_each(?))",
            (msgspec.json.encode([node.unit for node, _ in pairs]).decode(),),
        )
    )
    hits: list[RelatedHit] = []
    for node, own in pairs:
        shown = answer.show(reader, [node], telling_words(own.text), answer.Page(1, 0, ROOM))
        hits += (
            RelatedHit(
                **msgspec.structs.asdict(hit),
                linked=node.key in linked,
                because=passage(own.text, telling_words(texts.get(node.unit, ""))) or own.title,
                because_line=own.line,
            )
            for hit in shown.hits
        )
    return tuple(hits)


def telling_words(text: str) -> Sequence[str]:
    """Return the words of TEXT that say something."""
    return [word for word in WORD.findall(text.lower()) if word not in STOP_WORDS]
