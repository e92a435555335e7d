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
from roam_semantic.org.elements import Elements, Span, between
from roam_semantic.org.headline import (
    DEFAULT_WORDS,
    path_title,
    read_headline,
    shown,
    todo_words,
    without_tags,
)
from roam_semantic.org.links import Found, find_links, links_of_prose
from roam_semantic.org.outline import (
    META_STARTS,
    TASK_STARS,
    Meta,
    is_task,
    is_task_end,
    meta,
    top_meta,
)
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
            self.words = todo_words([value for key in TODO_KEYS for value in keywords.get(key, ())])
        self.abbreviations = _abbreviations(keywords["link"]) if "link" in keywords else NONE
        self.escaped = elements.escaped() if elements.blocks else ()
        # Number of the line that comes next.
        self.line = 1
        # Text of sections that inline tasks interrupt, by place of the section.
        self.stretches: dict[int, list[Kept]] = {}

    def note(self) -> Note:
        text, heads = self.text, self.elements.heads
        self.top(heads[0] if heads else len(text))
        with_tasks = TASK_STARS in text
        for head, end in zip(heads, [*heads[1:], len(text)], strict=False):
            below = text.find("\n", head, end) + 1 or end
            found = None
            if below < end and text[below] in META_STARTS:
                found = meta(text, below, end)
            if with_tasks and is_task_end(text, head):
                self.again(head, below, end, None)
            elif with_tasks and is_task(text, head, end, found):
                self.task(head, below, end, found)
            else:
                self.heading(head, below, end, found)
        self.join_stretches()
        return Note(
            self.file, self.title, tuple(self.nodes), tuple(self.links), tuple(self.sections)
        )

    def top(self, end: int) -> None:
        """Take the file itself and the text before the first heading, up to END."""
        found = top_meta(self.text, end)
        own = found.properties if found else {}
        node_id = _node_id(own)
        excluded = "ROAM_EXCLUDE" in own
        here = _Above(0, (), self.tags, None if excluded else node_id, excluded, 0)
        self.above.append(here)
        if not excluded:
            self.add_node(here, node_id, 1, 1, self.title, (), own)
        self.add_section(here, self.title, node_id, (), None, 0, 0, end, found)

    def heading(self, head: int, below: int, end: int, found: Meta | None) -> None:
        """Take the heading at HEAD and what stands from BELOW its line up to END."""
        text, stack = self.text, self.above
        blank = text.find(" ", head)
        level = blank - head
        rest = text[blank + 1 : below].removesuffix("\n")
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
        node_id = None
        if found is not None and found.properties:
            own = found.properties
            node_id = _node_id(own)
            here.excluded = "ROAM_EXCLUDE" in own or (node_id is None and above.excluded)
            if node_id is not None and not here.excluded:
                here.source = node_id
                # Org-roam looks at the first heading from behind its stars.
                pos = head + 1 + (level + 1 if number == 1 else 0)
                self.add_node(
                    here, node_id, pos, self.line, name, above.path, own, todo, priority,
                    found.planning,
                )  # fmt: skip
        if ":" in title or "[[" in title:
            tagless = blank + 1 + len(without_tags(rest))
            links = find_links(text, head, tagless, self.abbreviations)
            self.take_links(here, links, head, self.line)
        self.add_section(here, name, node_id, above.path, todo, head, below, end, found)

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
        todo: str | None, head: int, below: int, end: int, found: Meta | None,
    ) -> None:  # fmt: skip
        line = self.line
        body, lines, starts, pos = self.text_below(here, head, below, end, found)
        self.sections.append(
            Section(
                here.level, title, node_id, here.excluded, path, line, head + 1, body, lines,
                here.tags, todo, pos, starts,
            )
        )  # fmt: skip

    def text_below(
        self, here: _Above, head: int, below: int, end: int, found: Meta | None
    ) -> tuple[str, tuple[int, ...], tuple[int, ...], int]:
        """Return the text of a section, from BELOW the line at HEAD, and take its links."""
        text, start = self.text, below
        first = self.line + (head < below)
        if found is not None:
            start = found.text_start
            lines_above = text.count("\n", below, start)
            drawer = found.drawer
            if drawer.count(":") > 2 * drawer.count("\n") or "[[" in drawer:
                self.property_links(here, found, first + lines_above - drawer.count("\n") - 1)
            first += lines_above
        prose = start < end and self.text_links(here, start, end, first)
        body, lines, starts, pos, self.line = keep(
            text, start, end, first, None if prose else self.elements.blocks, self.escaped
        )
        return body, lines, starts, pos

    def text_links(self, here: _Above, start: int, end: int, line: int) -> bool:
        """Take the links of the text from START, in line LINE, to END.

        Return whether it is plain prose, its blocks and keywords aside.
        """
        elements = self.elements
        opaque = between(start, end, elements.opaque) if elements.opaque else ()
        if not opaque:
            links, prose = self.stretch_links(start, end)
        else:
            links, prose = self.links_around(start, end, opaque)
        if links:
            self.take_links(here, links, start, line)
        return prose

    def stretch_links(self, start: int, end: int) -> tuple[list[Found], bool]:
        """Return the links of running text, and whether it is plain prose."""
        stretch = self.text[start:end]
        if "[" not in stretch and ":" not in stretch:
            return [], True
        found = links_of_prose(stretch, start)
        if found is not None:
            return found, True
        return find_links(self.text, start, end, self.abbreviations), False

    def links_around(
        self, start: int, end: int, opaque: Sequence[Span]
    ) -> tuple[list[Found], bool]:
        """Return the links of text with keywords and OPAQUE parts, and whether it is prose."""
        links: list[Found] = []
        linking = between(start, end, self.elements.linking)
        for span in linking:
            links += find_links(self.text, *span, self.abbreviations)
        plain = True
        for begin, after in (*opaque, (end, end)):
            if begin > start:
                found, prose = self.stretch_links(start, begin)
                links += found
                plain = plain and prose
            start = max(start, after)
        if linking:
            links.sort()
        return links, plain

    def property_links(self, here: _Above, found: Meta, line: int) -> None:
        """Take the links in a drawer whose first property stands in line LINE."""
        at = self.text.index("\n", found.drawer_start) + 1
        for property_line in found.drawer.split("\n"):
            name, colon, value = property_line.partition(": ")
            if colon and (":" in value or "[[" in value) and not NO_LINKS.match(property_line):
                links = find_links(self.text, at + len(name) + 2, at + len(property_line))
                self.take_links(here, links, at, line)
            line += 1
            at += len(property_line) + 1

    def task(self, head: int, below: int, end: int, found: Meta | None) -> None:
        """Give the title of an inline task to the section around it, then its text."""
        start = self.text.find(" ", head) + 1
        self.extend(keep(self.text, start, below, self.line, (), ()))
        self.again(head, below, end, found)

    def again(self, head: int, below: int, end: int, found: Meta | None) -> None:
        """Give the text below the line at HEAD to the section around the inline task."""
        while self.above[-1].level >= TASK_LEVEL:
            self.above.pop()
        self.extend((*self.text_below(self.above[-1], head, below, end, found), 0))

    def extend(self, more: Kept) -> None:
        """Add a stretch to the text of the section around an inline task."""
        number = next(above.number for above in reversed(self.above) if above.level < TASK_LEVEL)
        section = self.sections[number]
        own = (section.body, section.lines, section.starts, section.body_pos, 0)
        self.stretches.setdefault(number, [own]).append(more)

    def join_stretches(self) -> None:
        for number, parts in self.stretches.items():
            body, lines, starts, pos, _ = joined(parts)
            self.sections[number] = msgspec.structs.replace(
                self.sections[number], body=body, lines=lines, starts=starts, body_pos=pos
            )

    def take_links(self, here: _Above, links: Sequence[Found], start: int, line: int) -> None:
        """Add LINKS, found from offset START in line LINE on, to those of the note."""
        if here.excluded:
            return
        text, seen = self.text, start
        source, path = here.source, here.path
        for place, kind, dest in links:
            line += text.count("\n", seen, place)
            seen = place
            self.links.append(Link(source, kind, dest, place + 1, line, path))


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
