"""A Note to units: the passages that are embedded and found.

Every node has one of its own, found by its title even when it is empty.
Headings without id that say less than a phrase share a unit of their owner;
long texts are cut.  No line's words stand in two units (a table's header
excepted: each part of the table repeats it).
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Sequence
from typing import get_args

import msgspec

from roam_semantic.org.kinds import COLLECTIONS, TRANSCRIPTS, heading_name, kind_of
from roam_semantic.org.passages import Passage, TooLong, passages
from roam_semantic.org.plain import plain
from roam_semantic.org.split import TARGET, size
from roam_semantic.values import Node, Note, Section, Unit, UnitType

# Characters; a heading without id that has less text shares a unit.
PHRASE = 120
# No markup makes a phrase of more than this many characters.
LONGEST_PHRASE = 2000
# A group this big (bytes) does not go on past the end of its parent.
FULL_ENOUGH = 250
EMBED = re.compile(r"[ \t]*#\+(begin|end)_embed\b(.*)", re.IGNORECASE)
EMBED_TYPE = re.compile(r":type[ \t]+(\S+)")
ABOUT = re.compile(r"#\+(?:description|subtitle|keywords|abstract):[ \t]*(.*)", re.IGNORECASE)
UNIT_TYPES: dict[str, UnitType] = {name: name for name in get_args(UnitType)}


def segment(note: Note, nodes: Sequence[Node], too_long: TooLong = None) -> tuple[Unit, ...]:
    """Return the units of NOTE in the order of its text.

    nodes: the nodes that count; a unit belongs to the nearest heading, its own
        or above, whose id is among them, else to the file's node, else to None.
    too_long: says whether a text is over the model's own limit.
    """
    return tuple(_Segmenter(note, nodes, too_long).run())


class _Above(msgspec.Struct):
    """What a heading hands down: owner, kind of its children, whether it is raw speech."""

    level: int
    owner: str | None
    kind: UnitType | None = None
    raw: bool = False


class _Short(msgspec.Struct):
    """A heading with little text.  parent: it has none, only headings below it."""

    section: Section
    text: str
    parent: bool


class _Segmenter:
    def __init__(self, note: Note, nodes: Sequence[Node], too_long: TooLong) -> None:
        self.note, self.too_long = note, too_long
        self.ids = {node.id for node in nodes}
        file_id = next((node.id for node in nodes if node.level == 0), None)
        self.above = [_Above(-1, file_id)]
        self.units: list[Unit] = []
        # Short headings that wait for company, all of one owner and kind.
        self.short: list[_Short] = []
        self.short_size = 0
        self.short_kind: UnitType = "heading"
        self.short_owner: str | None = None

    def run(self) -> list[Unit]:
        sections = [section for section in self.note.sections if not section.excluded]
        last = len(sections) - 1
        for place, section in enumerate(sections):
            if section.level == 0:
                self.top(section)
            else:
                leaf = place == last or sections[place + 1].level <= section.level
                self.heading(section, leaf)
        self.flush()
        return self.units

    def top(self, section: Section) -> None:
        owner = self.above[0].owner
        if "#" in section.body:
            about = " ".join(filter(None, map(str.strip, ABOUT.findall(section.body))))
            if about:
                self.units.append(Unit(owner, "metadata", section.title, (), 1, 1, plain(about)))
        self.own(section, owner, "preamble", owner is not None)

    def heading(self, section: Section, leaf: bool) -> None:
        stack, level, title = self.above, section.level, section.title
        while stack[-1].level >= level:
            stack.pop()
        above = stack[-1]
        is_node = section.id is not None and section.id in self.ids
        here = _Above(level, section.id if is_node else above.owner)
        stack.append(here)
        name = heading_name(title)
        kind = kind_of(name)
        if kind == "heading":
            kind = above.kind or kind
            here.raw = name in TRANSCRIPTS
        elif kind == "timestamp" and above.raw and not is_node:
            here.raw = True
            return
        elif name in COLLECTIONS:
            here.kind = kind
        if here.raw:
            section = msgspec.structs.replace(section, body="", lines=(), starts=())
            leaf = True
        if is_node or kind not in ("heading", "timestamp") or len(section.body) > LONGEST_PHRASE:
            self.own(section, here.owner, kind, is_node or leaf)
        else:
            self.maybe_short(section, here.owner, kind, leaf)

    def maybe_short(self, section: Section, owner: str | None, kind: UnitType, leaf: bool) -> None:
        """Let SECTION wait for company if it says less than a phrase."""
        body = section.body
        found = passages(body, self.too_long) if body else []
        text = found[0].text if found else ""
        if len(text) >= PHRASE or len(found) > 1 or "#" in body and has_embeds(body):
            self.own(section, owner, kind, True, found)
            return
        length = size(section.title) + size(text) + 2
        if self.short and not self.joins(section, owner, kind, length):
            waiting = self.open_parents() if owner == self.short_owner else []
            self.flush()
            self.short = waiting
            self.short_size = sum(size(parent.section.title) + 2 for parent in waiting)
        self.short.append(_Short(section, text, not text and not leaf))
        self.short_size += length
        self.short_kind, self.short_owner = kind, owner

    def open_parents(self) -> list[_Short]:
        """Return the last of the short ones that are only titles of what comes next."""
        count = len(self.short)
        while count and self.short[count - 1].parent:
            count -= 1
        return self.short[count:]

    def joins(self, section: Section, owner: str | None, kind: UnitType, length: int) -> bool:
        return (
            owner == self.short_owner
            and kind == self.short_kind
            and self.short_size + length <= TARGET
            and (section.level >= self.short[0].section.level or self.short_size < FULL_ENOUGH)
        )

    def flush(self) -> None:
        """Make the unit of the short headings that wait.

        Parents at the end are dropped: what follows names them in its path.
        """
        if not self.short:
            return
        shorts = self.short[: len(self.short) - len(self.open_parents())]
        self.short, self.short_size = [], 0
        if not shorts:
            return
        first = shorts[0].section
        path = (*first.outline_path, first.title)
        title, text = first.title, shorts[0].text
        if len(shorts) > 1:
            path = _common([short.section.outline_path for short in shorts])
            title = path[-1] if path else self.note.title
            text = "\n".join(
                f"{short.section.title}\n{short.text}" if short.text else short.section.title
                for short in shorts
            )
        self.units.append(
            Unit(self.short_owner, self.short_kind, title, path, first.line, first.pos, text)
        )

    def own(
        self,
        section: Section,
        owner: str | None,
        kind: UnitType,
        even_empty: bool,
        found: list[Passage] | None = None,
    ) -> None:
        """Make the units of SECTION alone; FOUND: its passages, if they are known."""
        if self.short:
            self.flush()
        path = (*section.outline_path, section.title) if section.level else ()
        body = section.body
        explicit: list[Unit] = []
        if "#" in body and has_embeds(body):
            body, explicit = self.embeds(section, owner, path)
            found = None
        if found is None:
            found = passages(body, self.too_long) if body else []
        if not found and even_empty:
            found = [Passage("", 0)]
        line, pos = section.line, section.pos
        for part, passage in enumerate(found):
            if (part or not section.level) and passage.text:
                line, pos = place(section, passage.line)
            self.units.append(Unit(owner, kind, section.title, path, line, pos, passage.text, part))
        self.units += explicit

    def embeds(
        self, section: Section, owner: str | None, path: tuple[str, ...]
    ) -> tuple[str, list[Unit]]:
        """Return the body of SECTION without `#+begin_embed` blocks, and their units."""
        lines = section.body.split("\n")
        units: list[Unit] = []
        opened: tuple[int, UnitType] | None = None
        for number, mark in enumerate(map(EMBED.match, section.body.split("\n"))):
            if mark is None:
                continue
            if mark[1].lower() == "begin":
                wanted = EMBED_TYPE.search(mark[2])
                kind = UNIT_TYPES.get(wanted[1].lower(), "explicit") if wanted else "explicit"
                opened = opened or (number, kind)
            elif opened is not None:
                first, kind = opened
                inner = passages("\n".join(lines[first + 1 : number]), self.too_long)
                for part, found in enumerate(inner):
                    line, pos = place(section, first + 1 + found.line)
                    units.append(
                        Unit(owner, kind, section.title, path, line, pos, found.text, part)
                    )
                lines[first : number + 1] = [""] * (number + 1 - first)
                opened = None
        return "\n".join(lines), units


def has_embeds(body: str) -> bool:
    """Say whether BODY may hold a `#+begin_embed` block."""
    return "_" in body and "_embed" in body.lower()


def place(section: Section, index: int) -> tuple[int, int]:
    """Return line and pos of line INDEX of the body of SECTION."""
    if index >= len(section.lines):
        return section.line, section.pos
    if section.starts:
        return section.lines[index], section.starts[index]
    return section.lines[index], section.body_pos + _line_starts(section.body)[index]


# A long section asks for one line after the other; counting anew each time is quadratic.
@functools.lru_cache(maxsize=1)
def _line_starts(body: str) -> list[int]:
    return list(itertools.accumulate((len(line) + 1 for line in body.split("\n")), initial=0))


def _common(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    first, last = min(paths), max(paths)
    for count, (left, right) in enumerate(zip(first, last, strict=False)):
        if left != right:
            return first[:count]
    return first[: min(len(first), len(last))]
