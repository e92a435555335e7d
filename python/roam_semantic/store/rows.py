"""What the writer stores for one file: the nouns between indexing and tables."""

from __future__ import annotations

import msgspec

from roam_semantic.values import Link, Node, UnitType

PENDING, EMBEDDED, FAILED, NOTHING = 0, 1, 2, 3


class UnitRow(msgspec.Struct, frozen=True):
    """A unit with everything its tables need.

    node: position of its node in FileRows.nodes.  path … meta: the columns of
    embed_fts.  embeddable: there is a word for the model to read.
    """

    node: int
    type: UnitType
    outline_path: tuple[str, ...]
    line: int
    pos: int
    part: int
    title: str
    aliases: str
    path: str
    text: str
    extra: str
    meta: str
    embeddable: bool


class FileRows(msgspec.Struct, frozen=True):
    """One file, complete: what one transaction writes.

    from_roam: 0 our own reading, 1 org-roam has rows for these bytes but no
    node, 2 its rows judged what is a node.  foreign: ids of nodes that org-roam
    gives to another file, which this one must not own.
    """

    path: str
    real_path: str
    hash: str
    mtime_ns: int
    size: int
    stamp: str
    title: str
    from_roam: int
    language: str
    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    units: tuple[UnitRow, ...]
    foreign: frozenset[str] = frozenset()
