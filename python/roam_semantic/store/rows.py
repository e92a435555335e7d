"""What the writer stores for one file: the nouns between indexing and tables."""

from __future__ import annotations

import msgspec

from roam_semantic.values import Link, Node, UnitType

PENDING, EMBEDDED, FAILED, NOTHING = 0, 1, 2, 3


class UnitRow(msgspec.Struct, frozen=True):
    """A unit with everything its tables need.

    node: position of its node in FileRows.nodes.  path … meta: the columns of
    embed_fts.  embed_text: what the model reads, "" for nothing to embed.
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
    embed_text: str


class FileRows(msgspec.Struct, frozen=True):
    """One file, complete: what one transaction writes."""

    path: str
    real_path: str
    hash: str
    mtime_ns: int
    size: int
    stamp: str
    title: str
    from_roam: bool
    language: str
    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    units: tuple[UnitRow, ...]
