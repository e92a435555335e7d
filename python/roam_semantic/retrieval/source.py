"""The units a question about a note starts from: of a node, or of the heading at a place."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from roam_semantic.org.heading import Heading
from roam_semantic.sqlite import Connection
from roam_semantic.store.boilerplate import own_lines, shared_lines


class OwnUnit(msgspec.Struct, frozen=True):
    """A unit of the source; outline_path is still JSON."""

    id: int
    node: int
    pos: int
    line: int
    title: str
    outline_path: str
    text: str


class Source(msgspec.Struct, frozen=True):
    """What is asked about.

    node: key of the node; file: key of its file; level: 0 for a file.
    units: those that speak for it.  shut: units that are no answer.
    """

    node: int
    file: int
    level: int
    units: tuple[OwnUnit, ...]
    shut: frozenset[int]


def source_of(reader: Connection, node: int, heading: Heading | None = None) -> Source:
    """Return NODE as a source, or only HEADING, which stands in its file.

    A file speaks with all of its text, a heading with its own and that of the
    headings below it; neither is answered with itself, a file not with a part
    of itself.
    """
    row = reader.row("SELECT file, level FROM embed_nodes WHERE key = ?", (node,))
    file, level = row if row is not None else (-1, 0)
    units = _units(reader, file)
    if heading is not None:
        own = [unit for unit in units if heading.pos <= unit.pos < heading.end]
        own = own or _around(units, heading.pos)
    elif level == 0:
        own = sorted(units, key=lambda unit: unit.node != node)
    else:
        own = [unit for unit in units if unit.node == node]
    if heading is not None and own:
        node, nodes = own[0].node, {unit.node for unit in own}
    else:
        nodes = {node}
    whole = level == 0 and heading is None
    shut = frozenset(unit.id for unit in units if whole or unit.node in nodes)
    shared = shared_lines(reader)
    telling = [unit for unit in own if own_lines(unit.text, shared)]
    return Source(node, file, level, tuple(telling or own), shut)


def _units(reader: Connection, file: int) -> list[OwnUnit]:
    return [
        OwnUnit(*row)
        for row in reader.rows(
            "SELECT id, node, pos, line, title, outline_path, text FROM embed_units"
            " WHERE file = ? ORDER BY pos, part, id",
            (file,),
        )
    ]


def _around(units: Sequence[OwnUnit], pos: int) -> list[OwnUnit]:
    """Return the unit that a short heading at POS shares with others before it."""
    before = [unit for unit in units if unit.pos <= pos]
    return before[-1:] or list(units[:1])


def linked_nodes(reader: Connection, source: Source, nodes: Sequence[int]) -> set[int]:
    """Return those of NODES that SOURCE's file links to, or whose file links to SOURCE's.

    Within one file only links between the two nodes themselves count.
    """
    given = msgspec.json.encode(list(nodes)).decode()
    rows = reader.rows(
        "WITH asked AS (SELECT n.key, n.id, n.file FROM embed_nodes n"
        "  WHERE n.key IN (SELECT value FROM json_each(?1))),"
        " own AS (SELECT id FROM embed_nodes WHERE key = ?2)"
        " SELECT a.key FROM asked a WHERE a.file != ?3 AND ("
        "  EXISTS (SELECT 1 FROM embed_links k JOIN embed_nodes t ON t.id = k.dest AND t.owner = 1"
        "   WHERE k.file = ?3 AND k.type = 'id' AND t.file = a.file)"
        "  OR EXISTS (SELECT 1 FROM embed_links k JOIN embed_nodes t ON t.id = k.dest"
        "   AND t.owner = 1 WHERE k.file = a.file AND k.type = 'id' AND t.file = ?3))"
        " UNION SELECT a.key FROM asked a, own WHERE a.file = ?3 AND EXISTS"
        "  (SELECT 1 FROM embed_links k WHERE k.file = ?3 AND k.type = 'id'"
        "   AND ((k.source = own.id AND k.dest = a.id) OR (k.source = a.id AND k.dest = own.id)))",
        (given, source.node, source.file),
    )
    return {key for (key,) in rows}
