"""Org text to a Note, in one pass: what org-roam would store of it, and its text.

Agrees with org-roam 2.2.2, down to two habits of its own: `pos` of the first
heading stands after its stars, and outline paths lose statistics cookies.
Where newer org-roam mended a fault we follow it: links in properties and
keywords have their own place and source, and an id link loses its `::option`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

import msgspec

from roam_semantic.org.body import joined, keep
from roam_semantic.org.drawer import aliases, refs
from roam_semantic.org.elements import Elements, Span
from roam_semantic.org.headline import path_title, read_headline, shown, todo_words, without_tags
from roam_semantic.org.links import find_links
from roam_semantic.org.outline import AGAIN, HEADING, Meta, headings, meta, stretches, top_meta
from roam_semantic.org.planning import planned
from roam_semantic.values import Link, Node, Note, Section

ABBREVIATION = re.compile(r"(\S+)[ \t]+(.+)")
TODO_KEYS = ("typ_todo", "todo", "seq_todo")
# Properties whose values are ids and refs, not links.
NO_LINKS = re.compile(r"[ \t]*:(?:ID|ROAM_REFS)\+?:", re.IGNORECASE)
TASK_LEVEL = 15


def read_note(text: str, file: str) -> Note:
    """Return what TEXT, the decoded text of FILE, holds.

    nodes: the file first (id None when it has no ID, absent when excluded),
    then every heading with an ID; ids may repeat, whoever stores them decides.
    sections: the text before the first heading, then each heading, in order.
    links: in order; those in excluded text are left out.
    """
    return _Reader(text, file).note()


class _Above:
    """What a heading hands down; number: its place among the sections."""

    __slots__ = ("excluded", "level", "number", "path", "source", "tags")

    def __init__(
        self,
        level: int,
        path: tuple[str, ...],
        tags: tuple[str, ...],
        source: str | None,
        excluded: bool,
        number: int,
    ) -> None:
        self.level, self.path, self.tags = level, path, tags
        self.source, self.excluded, self.number = source, excluded, number


class _Reader:
    def __init__(self, text: str, file: str) -> None:
        self.text, self.file = text, file
        self.nodes: list[Node] = []
        self.links: list[Link] = []
        self.sections: list[Section] = []
        self.above: list[_Above] = []
        self.heads = headings(text)
        self.elements = Elements(text, self.heads)
        keywords = self.elements.keywords
        titles = (shown(value).strip() for value in keywords.get("title", ()))
        base = os.path.splitext(os.path.basename(file))[0]
        self.title = next(filter(None, titles), base)
        self.tags = _file_tags(keywords.get("filetags", ()))
        self.words = todo_words([value for key in TODO_KEYS for value in keywords.get(key, ())])
        pairs = map(ABBREVIATION.fullmatch, keywords.get("link", ()))
        abbreviations = {pair[1]: pair[2] for pair in pairs if pair}
        self.found = find_links(text, self.elements.opaque, abbreviations)
        self.next_link = 0
        self.cuts: list[Span] = []
        self.escaped = self.elements.escaped() if self.elements.blocks else []

    def note(self) -> Note:
        text, heads = self.text, self.heads
        parts = list(stretches(text, heads))
        top_end = heads[0] if heads else len(text)
        top = top_meta(text, top_end)
        metas = [meta(text, start, end) for start, end, _ in parts]
        self.cuts = self.elements.cuts(sum(found.properties is not None for found in (top, *metas)))
        self.top(top, top_end)
        line, here = 1, 0
        for number, ((start, end, kind), found) in enumerate(zip(parts, metas, strict=True)):
            line += text.count("\n", here, start)
            here = start
            if kind == HEADING:
                self.heading(start, end, line, found, first=number == 0)
            else:
                self.again(start, end, line, found, with_title=kind != AGAIN)
        return Note(
            self.file, self.title, tuple(self.nodes), tuple(self.links), tuple(self.sections)
        )

    def top(self, found: Meta, end: int) -> None:
        """Take the file itself and the text before the first heading."""
        own, start = found.properties or {}, found.text_start
        node_id = _node_id(own)
        excluded = "ROAM_EXCLUDE" in own
        if not excluded:
            self.nodes.append(
                Node(
                    id=node_id, file=self.file, level=0, pos=1, line=1, title=self.title,
                    tags=self.tags,
                    aliases=aliases(own["ROAM_ALIASES"]) if "ROAM_ALIASES" in own else (),
                    refs=refs(own["ROAM_REFS"]) if "ROAM_REFS" in own else (),
                    properties=own,
                )
            )  # fmt: skip
        here = _Above(0, (), self.tags, None if excluded else node_id, excluded, 0)
        self.above.append(here)
        first_line = 1 + self.text.count("\n", 0, start)
        body = keep(self.text, start, end, first_line, self.cuts, self.escaped)
        self.sections.append(
            Section(
                level=0, title=self.title, id=node_id, excluded=excluded, outline_path=(),
                line=1, pos=1, body=body[0], lines=body[1], tags=self.tags, todo=None,
                body_pos=body[3], starts=body[2],
            )
        )  # fmt: skip
        self.take_links(here, 0, end, 1, start)

    def heading(self, start: int, end: int, line: int, found: Meta, first: bool) -> None:
        """Take one heading; FIRST: it is the first of the file."""
        text, stack = self.text, self.above
        stop, planning, own, body_start = found
        blank = text.find(" ", start)
        level = blank - start
        rest = text[blank + 1 : stop]
        while stack[-1].level >= level:
            stack.pop()
        above = stack[-1]
        todo, priority, title, own_tags = read_headline(rest, self.words)
        name = shown(title) or rest.strip() or self.title
        tags = above.tags
        if own_tags:
            tags = (*(tag for tag in tags if tag not in own_tags), *dict.fromkeys(own_tags))
        node_id, source, excluded = None, above.source, above.excluded
        if own is not None:
            node_id = _node_id(own)
            excluded = "ROAM_EXCLUDE" in own or (node_id is None and excluded)
            if node_id is not None and not excluded:
                source = node_id
                pos = start + 1 + (level + 1 if first else 0)
                self.nodes.append(
                    Node(
                        id=node_id, file=self.file, level=level, pos=pos, line=line, title=name,
                        todo=todo, priority=priority,
                        scheduled=planned(planning, "SCHEDULED:") if planning else None,
                        deadline=planned(planning, "DEADLINE:") if planning else None,
                        outline_path=above.path, tags=tags,
                        aliases=aliases(own["ROAM_ALIASES"]) if "ROAM_ALIASES" in own else (),
                        refs=refs(own["ROAM_REFS"]) if "ROAM_REFS" in own else (),
                        properties=own,
                    )
                )  # fmt: skip
        path = (*above.path, path_title(title) or name)
        here = _Above(level, path, tags, source, excluded, len(self.sections))
        stack.append(here)
        first_line = line + text.count("\n", start, body_start)
        body = keep(text, body_start, end, first_line, self.cuts, self.escaped)
        self.sections.append(
            Section(
                level=level, title=name, id=node_id, excluded=excluded, outline_path=above.path,
                line=line, pos=start + 1, body=body[0], lines=body[1], tags=tags, todo=todo,
                body_pos=body[3], starts=body[2],
            )
        )  # fmt: skip
        self.take_links(here, start, end, line, body_start)

    def again(self, start: int, end: int, line: int, found: Meta, with_title: bool) -> None:
        """Give the text of an inline task, or after its end, to the section around it."""
        stack, text = self.above, self.text
        while stack[-1].level >= TASK_LEVEL:
            stack.pop()
        outer = stack[-1]
        section = self.sections[outer.number]
        body = (section.body, section.lines, section.starts, section.body_pos)
        if with_title:
            title = keep(text, text.find(" ", start) + 1, found.stop, line, (), ())
            body = joined(body, title)
        after = found.text_start
        first_line = line + text.count("\n", start, after)
        body = joined(body, keep(text, after, end, first_line, self.cuts, self.escaped))
        self.sections[outer.number] = msgspec.structs.replace(
            section, body=body[0], lines=body[1], starts=body[2], body_pos=body[3]
        )
        self.take_links(outer, start, end, line, after)

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


def _file_tags(values: Iterable[str]) -> tuple[str, ...]:
    tags = (tag for value in values for word in value.split() for tag in word.split(":"))
    return tuple(dict.fromkeys(filter(None, tags)))
