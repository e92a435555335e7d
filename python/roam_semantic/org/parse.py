"""Org text to a Note, in one pass: what org-roam would store of it, and its text.

Agrees with org-roam 2.2.2, down to two habits of its own: `pos` of the first
heading stands after its stars, and outline paths lose statistics cookies.
Where newer org-roam mended a fault we follow it: links in properties and
keywords have their own place and source, and an id link loses its `::option`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

import msgspec

from roam_semantic.org.body import NOTHING, Kept, joined, keep
from roam_semantic.org.drawer import aliases, refs
from roam_semantic.org.elements import Elements, Lines
from roam_semantic.org.headline import (
    DEFAULT_WORDS,
    path_title,
    read_headline,
    shown,
    todo_words,
    without_tags,
)
from roam_semantic.org.links import find_links
from roam_semantic.org.outline import TASK_STARS, Meta, is_task, is_task_end, meta, top_meta
from roam_semantic.org.planning import planned
from roam_semantic.values import Link, Node, Note, Section

ABBREVIATION = re.compile(r"(\S+)[ \t]+(.+)")
TODO_KEYS = ("typ_todo", "todo", "seq_todo")
# Properties whose values are ids and refs, not links.
NO_LINKS = re.compile(r"[ \t]*:(?:ID|ROAM_REFS)\+?:", re.IGNORECASE)
TASK_LEVEL = len(TASK_STARS)
NONE: dict[str, str] = {}


def read_note(text: str, file: str) -> Note:
    """Return what TEXT, the decoded text of FILE, holds.

    nodes: the file first (id None when it has no ID, absent when excluded),
    then every heading with an ID; ids may repeat, whoever stores them decides.
    sections: the text before the first heading, then each heading, in order.
    links: in order; those in excluded text are left out.
    """
    return _Reader(text, file).note()


class _Above(msgspec.Struct):
    """What a heading hands down; number: its place among the sections."""

    level: int
    path: tuple[str, ...]
    tags: tuple[str, ...]
    source: str | None
    excluded: bool
    number: int


class _Reader:
    def __init__(self, text: str, file: str) -> None:
        self.text, self.file = text, file
        self.nodes: list[Node] = []
        self.links: list[Link] = []
        self.sections: list[Section] = []
        self.above: list[_Above] = []
        elements = self.elements = Elements(text)
        keywords = elements.keywords
        self.title = _title(keywords.get("title", ()), file)
        self.tags = _file_tags(keywords["filetags"]) if "filetags" in keywords else ()
        self.words = DEFAULT_WORDS
        if not keywords.keys().isdisjoint(TODO_KEYS):
            self.words = todo_words(
                [value for key in TODO_KEYS for value in keywords.get(key, ())]
            )
        abbreviations = _abbreviations(keywords["link"]) if "link" in keywords else NONE
        self.found = find_links(text, elements, abbreviations)
        self.next_link = 0
        self.cuts: list[Lines] = []
        self.escaped = elements.escaped() if elements.blocks else {}

    def note(self) -> Note:
        elements = self.elements
        lines, heads = elements.lines, elements.heads
        ends = [*heads[1:], len(lines)]
        top_end = heads[0] if heads else len(lines)
        top = top_meta(lines, top_end)
        metas = [meta(lines, head + 1, end) for head, end in zip(heads, ends, strict=False)]
        if elements.drawers:
            self.cuts = elements.cuts({top.drawer, *[found.drawer for found in metas]} - {-1})
        self.top(top, top_end)
        with_tasks = any(lines[head].startswith(TASK_STARS) for head in heads)
        for head, end, found in zip(heads, ends, metas, strict=False):
            line = lines[head]
            if with_tasks and is_task_end(line):
                self.again(head, end, found)
            elif with_tasks and end < len(lines) and is_task(line, lines[end], found.properties):
                self.task(head, end, found)
            else:
                self.heading(line, head, end, found)
        return Note(
            self.file, self.title, tuple(self.nodes), tuple(self.links), tuple(self.sections)
        )

    def top(self, found: Meta, end: int) -> None:
        """Take the file itself and the text before the first heading."""
        own = found.properties or {}
        node_id = _node_id(own)
        excluded = "ROAM_EXCLUDE" in own
        here = _Above(0, (), self.tags, None if excluded else node_id, excluded, 0)
        self.above.append(here)
        if not excluded:
            self.add_node(here, node_id, 1, 1, self.title, (), own)
        self.add_section(here, self.title, node_id, (), None, 0, found.first, end)

    def heading(self, line: str, head: int, end: int, found: Meta) -> None:
        """Take the heading LINE, which is line HEAD, and the text up to END."""
        stack = self.above
        level = line.index(" ")
        rest = line[level + 1 :]
        while stack[-1].level >= level:
            stack.pop()
        above = stack[-1]
        todo, priority, title, own_tags = read_headline(rest, self.words)
        name = in_path = title or rest.strip() or self.title
        if "[" in title:
            name = shown(title)
            in_path = path_title(title) or name
        tags = merged(above.tags, own_tags) if own_tags else above.tags
        path = (*above.path, in_path)
        number = len(self.sections)
        here = _Above(level, path, tags, above.source, above.excluded, number)
        stack.append(here)
        node_id, own = None, found.properties
        if own is not None:
            node_id = _node_id(own)
            here.excluded = "ROAM_EXCLUDE" in own or (node_id is None and above.excluded)
            if node_id is not None and not here.excluded:
                here.source = node_id
                # Org-roam looks at the first heading from behind its stars.
                pos = self.elements.starts[head] + 1 + (level + 1 if number == 1 else 0)
                self.add_node(
                    here, node_id, pos, head + 1, name, above.path, own, todo, priority,
                    found.planning,
                )  # fmt: skip
        self.add_section(here, name, node_id, above.path, todo, head, found.first, end)

    def add_node(
        self, here: _Above, node_id: str | None, pos: int, line: int, title: str,
        path: tuple[str, ...], own: dict[str, str], todo: str | None = None,
        priority: str | None = None, planning: str = "",
    ) -> None:  # fmt: skip
        self.nodes.append(
            Node(
                id=node_id, file=self.file, level=here.level, pos=pos, line=line, title=title,
                todo=todo, priority=priority,
                scheduled=planned(planning, "SCHEDULED:") if planning else None,
                deadline=planned(planning, "DEADLINE:") if planning else None,
                outline_path=path, tags=here.tags,
                aliases=aliases(own["ROAM_ALIASES"]) if "ROAM_ALIASES" in own else (),
                refs=refs(own["ROAM_REFS"]) if "ROAM_REFS" in own else (),
                properties=own,
            )
        )  # fmt: skip

    def add_section(
        self, here: _Above, title: str, node_id: str | None, path: tuple[str, ...],
        todo: str | None, head: int, first: int, end: int,
    ) -> None:  # fmt: skip
        elements = self.elements
        body, lines, starts, pos = keep(
            self.text, elements, first, end, self.cuts, self.escaped
        )
        self.sections.append(
            Section(
                here.level, title, node_id, here.excluded, path, head + 1,
                elements.starts[head] + 1, body, lines, here.tags, todo, pos, starts,
            )
        )  # fmt: skip
        if self.next_link < len(self.found) and self.found[self.next_link][3] < end:
            self.take_links(here, head, first, end)

    def task(self, head: int, end: int, found: Meta) -> None:
        """Give the title of an inline task to the section around it, then its text."""
        start = self.elements.starts[head]
        title = self.elements.lines[head].lstrip("*").strip(" \t")
        pos = start + 1 + self.elements.lines[head].index(title)
        self.extend((title, (head + 1,), (pos,), pos) if title else NOTHING)
        self.again(head, end, found)

    def again(self, head: int, end: int, found: Meta) -> None:
        """Give the text below line HEAD to the section around the inline task."""
        self.extend(keep(self.text, self.elements, found.first, end, self.cuts, self.escaped))
        self.take_links(self.above[-1], head, found.first, end)

    def extend(self, more: Kept) -> None:
        stack = self.above
        while stack[-1].level >= TASK_LEVEL:
            stack.pop()
        number = stack[-1].number
        section = self.sections[number]
        body, lines, starts, pos = joined(
            (section.body, section.lines, section.starts, section.body_pos), more
        )
        self.sections[number] = msgspec.structs.replace(
            section, body=body, lines=lines, starts=starts, body_pos=pos
        )

    def take_links(self, here: _Above, head: int, first: int, end: int) -> None:
        """Take the links found before line END; HEAD: line of the heading, FIRST: of its text."""
        found, at = self.found, self.next_link
        count = len(found)
        while at < count and found[at][3] < end:
            start, kind, dest, line = found[at]
            at += 1
            if not here.excluded and (line >= first or self.is_link(start, line, head)):
                self.links.append(Link(here.source, kind, dest, start + 1, line + 1, here.path))
        self.next_link = at

    def is_link(self, start: int, number: int, head: int) -> bool:
        """Say whether a link above the text can be one: not in tags, ids or refs."""
        line = self.elements.lines[number]
        if number > head or line[:1] != "*":
            return NO_LINKS.match(line) is None
        return start < self.elements.starts[number] + len(without_tags(line))


def merged(above: tuple[str, ...], own: tuple[str, ...]) -> tuple[str, ...]:
    """Return the tags of a heading: those from above first, each once."""
    if len(own) == 1 and own[0] not in above:
        return above + own
    return (*(tag for tag in above if tag not in own), *dict.fromkeys(own))


def _node_id(properties: dict[str, str]) -> str | None:
    return properties.get("ID", "").strip() or None


def _title(values: Sequence[str], file: str) -> str:
    for value in values:
        title = shown(value).strip()
        if title:
            return title
    return os.path.splitext(os.path.basename(file))[0]


def _file_tags(values: Sequence[str]) -> tuple[str, ...]:
    tags = (tag for value in values for word in value.split() for tag in word.split(":"))
    return tuple(dict.fromkeys(filter(None, tags)))


def _abbreviations(values: Sequence[str]) -> dict[str, str]:
    pairs = map(ABBREVIATION.fullmatch, values)
    return {pair[1]: pair[2] for pair in pairs if pair}
