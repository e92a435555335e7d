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

from roam_semantic.org.body import Kept, joined, keep
from roam_semantic.org.drawer import aliases, refs
from roam_semantic.org.elements import Elements, Span
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
        self.found = find_links(text, elements.opaque, abbreviations)
        self.next_link = 0
        self.cuts: list[Span] = []
        self.escaped = elements.escaped() if elements.blocks else []

    def note(self) -> Note:
        text, heads = self.text, self.elements.heads
        ends = [*heads[1:], len(text)]
        top_end = heads[0] if heads else len(text)
        top = top_meta(text, top_end)
        metas = [meta(text, *span) for span in zip(heads, ends, strict=False)]
        if self.elements.marks:
            drawers = {found.drawer for found in (top, *metas) if found.drawer >= 0}
            self.cuts = self.elements.cuts(drawers)
        self.top(top, top_end)
        with_tasks = TASK_STARS in text
        line, here = 1, 0
        for start, end, found in zip(heads, ends, metas, strict=False):
            line += text.count("\n", here, start)
            here = start
            if with_tasks and is_task_end(text, start):
                self.again(start, end, line, found)
            elif with_tasks and is_task(text, start, end, found.properties):
                self.task(start, end, line, found)
            else:
                self.heading(start, end, line, found)
        return Note(
            self.file, self.title, tuple(self.nodes), tuple(self.links), tuple(self.sections)
        )

    def top(self, found: Meta, end: int) -> None:
        """Take the file itself and the text before the first heading."""
        own, start = found.properties or {}, found.text_start
        node_id = _node_id(own)
        excluded = "ROAM_EXCLUDE" in own
        here = _Above(0, (), self.tags, None if excluded else node_id, excluded, 0)
        self.above.append(here)
        if not excluded:
            self.add_node(here, node_id, 1, 1, self.title, (), own)
        self.add_section(here, self.title, node_id, (), None, 0, start, end, 1)

    def heading(self, start: int, end: int, line: int, found: Meta) -> None:
        """Take one heading and the text below it."""
        text, stack = self.text, self.above
        blank = text.find(" ", start)
        level = blank - start
        rest = text[blank + 1 : found.stop]
        while stack[-1].level >= level:
            stack.pop()
        above = stack[-1]
        todo, priority, title, own_tags = read_headline(rest, self.words)
        name = shown(title) or rest.strip() or self.title
        tags = above.tags
        if own_tags:
            tags = (*(tag for tag in tags if tag not in own_tags), *dict.fromkeys(own_tags))
        path = (*above.path, path_title(title) or name)
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
                pos = start + 1 + (level + 1 if number == 1 else 0)
                self.add_node(
                    here, node_id, pos, line, name, above.path, own, todo, priority, found.planning
                )
        self.add_section(
            here, name, node_id, above.path, todo, start, found.text_start, end, line
        )

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
        todo: str | None, start: int, text_start: int, end: int, line: int,
    ) -> None:  # fmt: skip
        first_line = line + self.text.count("\n", start, text_start)
        body, lines, starts, pos = keep(
            self.text, text_start, end, first_line, self.cuts, self.escaped
        )
        self.sections.append(
            Section(
                here.level, title, node_id, here.excluded, path, line, start + 1, body, lines,
                here.tags, todo, pos, starts,
            )
        )  # fmt: skip
        if self.next_link < len(self.found) and self.found[self.next_link][0] < end:
            self.take_links(here, start, end, line, text_start)

    def task(self, start: int, end: int, line: int, found: Meta) -> None:
        """Give the title of an inline task to the section around it, then its text."""
        title = keep(self.text, self.text.find(" ", start) + 1, found.stop, line, (), ())
        self.extend(title)
        self.again(start, end, line, found)

    def again(self, start: int, end: int, line: int, found: Meta) -> None:
        """Give the text below START to the section around the inline task."""
        after = found.text_start
        first_line = line + self.text.count("\n", start, after)
        self.extend(keep(self.text, after, end, first_line, self.cuts, self.escaped))
        self.take_links(self.above[-1], start, end, line, after)

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

    def take_links(self, here: _Above, start: int, end: int, line: int, body_start: int) -> None:
        """Take the links found up to END; START stands in line LINE."""
        text, found, at = self.text, self.found, self.next_link
        count, seen = len(found), start
        while at < count and found[at][0] < end:
            place, kind, dest = found[at]
            at += 1
            if here.excluded or (place < body_start and self.no_link(start, place)):
                continue
            line += text.count("\n", seen, place)
            seen = place
            self.links.append(Link(here.source, kind, dest, place + 1, line, here.path))
        self.next_link = at

    def no_link(self, start: int, place: int) -> bool:
        """Say whether PLACE, above the text of the heading at START, can hold no link."""
        text = self.text
        begin = text.rfind("\n", start, place) + 1
        if begin and begin > start:
            return NO_LINKS.match(text, begin) is not None
        if not text.startswith("*", start):
            return False
        stop = text.find("\n", place)
        return place >= start + len(without_tags(text[start : stop if stop >= 0 else None]))


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
