"""The nouns all parts share, as frozen values.

They are `msgspec.Struct`s and not dataclasses: forty frozen dataclasses cost
50 ms to define, forty structs 1 ms, and every command pays for it at start.
Positions are Emacs' own: `pos` counts characters from 1 over the text as
Emacs decodes it (LF line ends, no byte-order mark), `line` counts from 1.
"""

from __future__ import annotations

from typing import Literal

import msgspec

UnitType = Literal[
    "summary",
    "concept",
    "claim",
    "heading",
    "preamble",
    "metadata",
    "theme",
    "timestamp",
    "explicit",
]

Matched = Literal["title", "alias", "tag", "ref"]


class Link(msgspec.Struct, frozen=True):
    """One link as it stands in a file.

    source: id of the node whose text holds it, None outside every node.
    type: lower case; "id" for every spelling of an id link.
    dest: id (without `::search`), path, URL without its scheme, or key.
    """

    source: str | None
    type: str
    dest: str
    pos: int
    line: int = 0
    outline_path: tuple[str, ...] = ()


class Ref(msgspec.Struct, frozen=True):
    """One entry of ROAM_REFS: type "cite", "https", …; ref without scheme."""

    ref: str
    type: str


class Node(msgspec.Struct, frozen=True):
    """A file (level 0) or a heading with an id; id None: a file without one.

    priority: a letter or None.  scheduled, deadline: ISO text or None.
    outline_path: titles of the ancestor headings, root first.
    tags: own and inherited, in org-roam's order, each once.
    """

    id: str | None
    file: str
    level: int
    pos: int
    line: int
    title: str
    todo: str | None = None
    priority: str | None = None
    scheduled: str | None = None
    deadline: str | None = None
    outline_path: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    refs: tuple[Ref, ...] = ()
    properties: dict[str, str] = {}


class Section(msgspec.Struct, frozen=True):
    """A heading (or the text before the first one, level 0) with its own body.

    id: its :ID:, whether or not it counts as a node.
    excluded: it carries ROAM_EXCLUDE, so neither it nor its text is indexed.
    body: own lines joined by LF, subheadings not included; drawers and
        planning are already taken out, escaped commas removed.
    lines: for each line of body, its line number in the file.
    body_pos: pos of the first body line.
    starts: for each line of body, its pos; empty when the body is one whole
        piece of the file, so that body_pos and the line lengths tell.
    """

    level: int
    title: str
    id: str | None
    excluded: bool
    outline_path: tuple[str, ...]
    line: int
    pos: int
    body: str
    lines: tuple[int, ...] = ()
    tags: tuple[str, ...] = ()
    todo: str | None = None
    body_pos: int = 0
    starts: tuple[int, ...] = ()


class Note(msgspec.Struct, frozen=True):
    """One org file as read: what is a node, what links, what is said where."""

    file: str
    title: str
    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    sections: tuple[Section, ...]


class Unit(msgspec.Struct, frozen=True):
    """The smallest passage that is embedded and found.

    node_id: owner; None for text of a file without an id.
    title: title of the heading (or note) the text stands under.
    outline_path: titles from the first heading down to and including the
        heading the text stands under; empty for a preamble.
    text: readable words, no markup; "" when only the title is findable.
    part: 0 for the first piece of a heading's text, 1, 2 … for later ones.
    """

    node_id: str | None
    type: UnitType
    title: str
    outline_path: tuple[str, ...]
    line: int
    pos: int
    text: str
    part: int = 0


class Skipped(msgspec.Struct, frozen=True):
    """A file that is not read, and why, in a few words for a person."""

    file: str
    reason: str


class Ranks(msgspec.Struct, frozen=True):
    """Place of a hit in each leg, 1 = first; None where the leg did not rank it."""

    words: int | None = None
    vectors: int | None = None
    rerank: int | None = None


class Hit(msgspec.Struct, frozen=True):
    """A node an answer returns, with its best passage and where it stands.

    node_id: None for a file without an id.  score: 0 to 1, comparable within
    one answer only.  line and pos: where Emacs must jump (the heading or the
    passage).  why: "words", "meaning" or "both".  modified: when the file was
    last changed, in seconds since 1970.
    """

    node_id: str | None
    title: str
    file: str
    outline_path: tuple[str, ...]
    line: int
    pos: int
    unit_type: str
    passage: str
    score: float
    ranks: Ranks
    why: str = ""
    tags: tuple[str, ...] = ()
    todo: str | None = None
    matched: str | None = None
    modified: float = 0.0


class NameHit(msgspec.Struct, frozen=True):
    """A node found by its title, alias, tag or ref; `matched` says by which.

    modified: when the file was last changed, in seconds since 1970.
    """

    node_id: str | None
    title: str
    file: str
    outline_path: tuple[str, ...]
    line: int
    pos: int
    matched: Matched
    value: str
    tags: tuple[str, ...] = ()
    todo: str | None = None
    modified: float = 0.0


class IndexState(msgspec.Struct, frozen=True):
    """How far an answer can be trusted; part of every answer of a search.

    indexed, total, pending, failed: units.  stale_files: files on disk that
    are newer than their rows.  age_s: seconds since the files were last
    compared with the index.  model: name of the embedding model, or None.
    """

    indexed: int
    total: int
    pending: int
    failed: int
    age_s: float
    model: str | None
    stale_files: int = 0
