"""One file from bytes to rows: read, parse, let org-roam judge, cut into units."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Callable, Collection

import msgspec

from roam_semantic.indexing.scan import Entry
from roam_semantic.models.language import guess
from roam_semantic.org.decode import NotText, decode
from roam_semantic.org.parse import read_note
from roam_semantic.org.segment import segment
from roam_semantic.org_roam.database import FileRows as RoamRows
from roam_semantic.paths import to_path
from roam_semantic.store.rows import FileRows, UnitRow
from roam_semantic.store.words import extra_words, meta_words
from roam_semantic.values import Link, Node, Note, Ref, Skipped, Unit

# A text needs one letter or digit to mean something to a model.
MEANS_SOMETHING = re.compile(r"[^\W_]")


def read_bytes(path: str) -> bytes:
    """Return the bytes of the regular file PATH; raise OSError otherwise.

    A FIFO put in its place meanwhile cannot make us hang.
    """
    descriptor = os.open(to_path(path), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(0, "not a regular file")
        return file.read()


def digest(raw: bytes) -> str:
    """Return the SHA-1 of RAW in hex, as org-roam stores it."""
    return hashlib.sha1(raw, usedforsecurity=False).hexdigest()


def prepare(
    entry: Entry,
    raw: bytes,
    roam: RoamRows | None,
    roam_ids: Collection[str] = frozenset(),
    too_long: Callable[[str], bool] | None = None,
) -> FileRows | Skipped:
    """Turn ENTRY's bytes RAW into everything the index stores of it.

    roam: org-roam's rows, used when their hash is RAW's.  roam_ids: ids of all
    its nodes; one of ours that is there but not in ROAM is another file's.
    """
    try:
        decoded = decode(raw)
    except NotText as error:
        return Skipped(entry.path, str(error))
    found = digest(raw)
    note = read_note(decoded.text, entry.path)
    current = roam is not None and roam.hash == found
    nodes, links = _judged(note, roam if current else None, roam_ids)
    nodes = _with_file(note, nodes)
    units = segment(note, [node for node in nodes if node.id is not None], too_long)
    return FileRows(
        path=entry.path,
        real_path=entry.real_path,
        hash=found,
        mtime_ns=entry.mtime_ns,
        size=entry.size,
        stamp=entry.stamp,
        title=note.title,
        from_roam=(2 if roam and roam.nodes else 1) if current else 0,
        language=guess(decoded.text[:20000]),
        nodes=nodes,
        links=links,
        units=tuple(_unit_rows(units, nodes)),
        foreign=_foreign(note, roam, roam_ids) if current else frozenset(),
    )


def _judged(
    note: Note, roam: RoamRows | None, roam_ids: Collection[str]
) -> tuple[tuple[Node, ...], tuple[Link, ...]]:
    """Return nodes and links: org-roam's where it has rows for this text.

    A file it dropped whole (no node although we see some) is served as we
    read it.  Lines are ours: its rows have none.
    """
    if roam is None or not roam.nodes:
        return note.nodes, note.links
    theirs = {node.id for node in roam.nodes}
    ours: dict[str | None, Node] = {}
    claimed: list[Node] = []
    for node in note.nodes:
        if node.id in ours or (node.id in roam_ids and node.id not in theirs):
            claimed.append(node)
        else:
            ours[node.id] = node
    nodes = tuple(_placed(row, ours.get(row.id), note) for row in roam.nodes)
    return (*nodes, *claimed), _links(note, roam)


def _foreign(note: Note, roam: RoamRows | None, roam_ids: Collection[str]) -> frozenset[str]:
    """Return the ids of NOTE that org-roam gives to a node of another file."""
    theirs = {node.id for node in roam.nodes} if roam is not None else set[str | None]()
    return frozenset(
        node.id
        for node in note.nodes
        if node.id is not None and node.id in roam_ids and node.id not in theirs
    )


def _links(note: Note, roam: RoamRows) -> tuple[Link, ...]:
    """Return org-roam's links with our lines; its schema 16 knows no citation."""
    lines = {link.pos: link for link in note.links}
    links = [
        msgspec.structs.replace(
            link, line=lines[link.pos].line, outline_path=lines[link.pos].outline_path
        )
        if link.pos in lines
        else link
        for link in roam.links
    ]
    if not any(link.type == "cite" for link in links):
        links += [link for link in note.links if link.type == "cite"]
    return tuple(links)


def _placed(row: Node, ours: Node | None, note: Note) -> Node:
    """Return org-roam's ROW with the line we read and without its bad pieces."""
    if ours is None:
        return msgspec.structs.replace(row, file=note.file, line=1, title=row.title or note.title)
    # Org-roam cuts a citation list at its blanks and keeps a stray bracket.
    refs = {Ref(ref.ref.rstrip("]"), ref.type) for ref in row.refs} | set(ours.refs)
    return msgspec.structs.replace(
        row,
        file=note.file,
        line=ours.line,
        title=row.title or ours.title,
        refs=tuple(sorted(refs, key=lambda ref: (ref.type, ref.ref))),
    )


def _with_file(note: Note, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """Return NODES with a node without id for the file's own text, if it has none."""
    nodes = tuple(node for node in nodes if node.id is not None or node.level == 0)
    excluded = bool(note.sections) and note.sections[0].level == 0 and note.sections[0].excluded
    if excluded or any(node.level == 0 for node in nodes):
        return nodes
    own = next((node for node in note.nodes if node.level == 0), None)
    tags = own.tags if own is not None else ()
    return (
        Node(id=None, file=note.file, level=0, pos=1, line=1, title=note.title, tags=tags),
        *nodes,
    )


def _unit_rows(units: Collection[Unit], nodes: tuple[Node, ...]) -> list[UnitRow]:
    place: dict[str | None, int] = {}
    for number, node in enumerate(nodes):
        place.setdefault(node.id, number)
    note_title = next((node.title for node in nodes if node.level == 0), "")
    return [
        _unit_row(unit, nodes[place[unit.node_id]], place[unit.node_id], note_title)
        for unit in units
        if unit.node_id in place
    ]


def _unit_row(unit: Unit, node: Node, place: int, note_title: str) -> UnitRow:
    """Return UNIT's row; what a person knows it by besides its title is its path.

    That is the note a heading node stands in, the headings, and the tags.
    """
    outline = " / ".join(unit.outline_path)
    note = (note_title,) if node.level else ()
    path = " / ".join((*note, *unit.outline_path, *node.tags))
    aliases = " / ".join((*node.aliases, *(ref.ref for ref in node.refs)))
    return UnitRow(
        node=place,
        type=unit.type,
        outline_path=unit.outline_path,
        line=unit.line,
        pos=unit.pos,
        part=unit.part,
        title=node.title,
        aliases=aliases,
        path=path,
        text=unit.text,
        extra=extra_words(f"{node.title}\n{aliases}\n{path}\n{unit.text}"),
        meta=meta_words(unit.type, node.tags, node.todo),
        embeddable=bool(MEANS_SOMETHING.search(f"{node.title}{outline}{unit.text}")),
    )
