"""A note as it is on disk, with what must be known to put links into it."""

from __future__ import annotations

from bisect import bisect_right

import msgspec

from roam_semantic.errors import NotFound
from roam_semantic.graph.text import read_file
from roam_semantic.org.heading import END, end_of
from roam_semantic.org.parse import read_note
from roam_semantic.sqlite import Connection
from roam_semantic.values import Note


class Draft(msgspec.Struct, frozen=True):
    """A node's text in its file.

    text: the whole file as Emacs shows it; hash: SHA-1 of its bytes.
    start, end: offsets of what belongs to the node.
    shut: keys of nodes it needs no link to: itself, those above and below it
        in the file, those it links to.
    units: pos of each unit of the file, in order.
    is_indexed: the index was made of these very bytes.
    """

    key: int
    path: str
    text: str
    hash: str
    note: Note
    start: int
    end: int
    shut: frozenset[int]
    units: tuple[int, ...]
    is_indexed: bool

    def part(self, text: str) -> str:
        """Return TEXT, as long as the file's, with nothing but holes outside of the node."""
        hole = "\0"
        return hole * self.start + text[self.start : self.end] + hole * (len(text) - self.end)

    def passage_at(self, pos: int) -> tuple[int, int] | None:
        """Return the offsets of the words of the unit at POS, or None: there are none.

        They end where the next unit or heading begins.
        """
        sections = self.note.sections
        place = bisect_right([section.pos for section in sections], pos) - 1
        if place < 0:
            return None
        section = sections[place]
        start, end = pos - 1, len(self.text)
        if place + 1 < len(sections):
            end = sections[place + 1].pos - 1
        after = bisect_right(self.units, pos)
        if after < len(self.units):
            end = min(end, self.units[after] - 1)
        if section.level and pos == section.pos:
            start = section.body_pos - 1
        words = self.text[max(0, start) : end]
        if start < 0 or not words.strip():
            return None
        return start + len(words) - len(words.lstrip()), start + len(words.rstrip())


def read_draft(reader: Connection, key: int) -> Draft:
    """Return the node KEY as it is on disk; raise as `graph.text.read_node`."""
    row = reader.row(
        "SELECT n.id, n.level, f.key, f.path, f.real_path, f.hash FROM embed_nodes n"
        " JOIN embed_files f ON f.key = n.file WHERE n.key = ?",
        (key,),
    )
    if row is None:
        raise NotFound("the note is no longer in the index", "search for it again")
    node_id, level, file, path, real_path, stored = row
    found = read_file(path, real_path)
    note = read_note(found.text, path)
    first, last = _extent(note, node_id, level, path)
    start, end = first - 1, min(len(found.text), last - 1)
    return Draft(
        key=key,
        path=path,
        text=found.text,
        hash=found.hash,
        note=note,
        start=start,
        end=end,
        shut=_shut(reader, note, key, file, level, (first, last)),
        units=tuple(
            pos
            for (pos,) in reader.rows(
                "SELECT DISTINCT pos FROM embed_units WHERE file = ? ORDER BY pos", (file,)
            )
        ),
        is_indexed=stored == found.hash,
    )


def _extent(note: Note, node_id: str | None, level: int, path: str) -> tuple[int, int]:
    """Return pos and end pos of the node's text."""
    if level == 0:
        return 1, END
    for place, section in enumerate(note.sections):
        if section.level and section.id == node_id:
            return section.pos, end_of(note.sections, place)
    raise NotFound(f"the heading is no longer in {path}", "run `roam-semantic index`")


def _shut(
    reader: Connection, note: Note, key: int, file: int, level: int, extent: tuple[int, int]
) -> frozenset[int]:
    """Return the keys of nodes that need no link from the node KEY."""
    inside = {
        link.dest for link in note.links if link.type == "id" and extent[0] <= link.pos < extent[1]
    }
    here = [section for section in note.sections if section.pos <= extent[0]]
    above: set[str | None] = set()
    lowest = level
    for section in reversed(here):
        if section.level < lowest:
            lowest = section.level
            above.add(section.id)
    below = {s.id for s in note.sections if extent[0] <= s.pos < extent[1]}
    ids = inside | {each for each in above | below if each is not None}
    rows = reader.rows(
        "SELECT key FROM embed_nodes WHERE owner = 1 AND id IN (SELECT value FROM json_each(?))",
        (msgspec.json.encode(sorted(ids)).decode(),),
    )
    shut = {key, *(node for (node,) in rows)}
    if level == 0:
        shut |= {n for (n,) in reader.rows("SELECT key FROM embed_nodes WHERE file = ?", (file,))}
    return frozenset(shut)
