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

from roam_semantic.org.body import joined
from roam_semantic.org.drawer import aliases, refs
from roam_semantic.org.headline import path_title, read_headline, shown, todo_words
from roam_semantic.org.links import CITE_TYPES, Found, resolved_bracket, split_keys
from roam_semantic.org.planning import planned
from roam_semantic.org.scan import Part, Scan, scan
from roam_semantic.values import Link, Node, Note, Section

ABBREVIATION = re.compile(r"(\S+)[ \t]+(.+)")
TODO_KEYS = ("typ_todo", "todo", "seq_todo")


def read_note(text: str, file: str) -> Note:
    """Return what TEXT, the decoded text of FILE, holds.

    nodes: the file first (id None when it has no ID, absent when excluded),
    then every heading with an ID; ids may repeat, whoever stores them decides.
    sections: the text before the first heading, then each heading, in order.
    links: in order; those in excluded text are left out.
    """
    scanned = scan(text)
    reader = _Reader(text, file, scanned)
    reader.top(scanned.parts[0])
    for number, part in enumerate(scanned.parts[1:]):
        reader.heading(part, first=number == 0)
    return Note(
        file, reader.title, tuple(reader.nodes), tuple(reader.links), tuple(reader.sections)
    )


class _Above(msgspec.Struct, frozen=True):
    """What a heading hands down to those below it."""

    level: int
    path: tuple[str, ...]
    tags: tuple[str, ...]
    source: str | None
    excluded: bool


class _Reader:
    def __init__(self, text: str, file: str, scanned: Scan) -> None:
        self.text, self.file = text, file
        self.nodes: list[Node] = []
        self.links: list[Link] = []
        self.sections: list[Section] = []
        self.above: list[_Above] = []
        keywords = scanned.keywords
        titles = (shown(value).strip() for value in keywords.get("title", ()))
        base = os.path.splitext(os.path.basename(file))[0]
        self.title = next(filter(None, titles), base)
        self.tags = _file_tags(keywords.get("filetags", ()))
        self.words = todo_words([value for key in TODO_KEYS for value in keywords.get(key, ())])
        pairs = map(ABBREVIATION.fullmatch, keywords.get("link", ()))
        self.abbreviations = {pair[1]: pair[2] for pair in pairs if pair}

    def top(self, part: Part) -> None:
        """Take the file itself and the text before the first heading."""
        own = part.properties
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
        source = None if excluded else node_id
        self.above.append(_Above(0, (), self.tags, source, excluded))
        self.section(part, node_id, self.title, (), None)

    def heading(self, part: Part, first: bool) -> None:
        """Take one heading; FIRST: it is the first of the file."""
        while self.above[-1].level >= part.level:
            self.above.pop()
        above = self.above[-1]
        todo, priority, title, own_tags = read_headline(part.rest, self.words)
        name = shown(title) or part.rest.strip() or self.title
        tags = above.tags
        if own_tags:
            tags = (*(tag for tag in tags if tag not in own_tags), *dict.fromkeys(own_tags))
        own = part.properties
        node_id = _node_id(own)
        excluded = "ROAM_EXCLUDE" in own
        source = above.source
        if node_id is not None and not excluded:
            source = node_id
            self.nodes.append(
                Node(
                    id=node_id, file=self.file, level=part.level,
                    pos=part.start + 1 + (part.level + 1 if first else 0),
                    line=part.line, title=name, todo=todo, priority=priority,
                    scheduled=planned(part.planning, "SCHEDULED:") if part.planning else None,
                    deadline=planned(part.planning, "DEADLINE:") if part.planning else None,
                    outline_path=above.path, tags=tags,
                    aliases=aliases(own["ROAM_ALIASES"]) if "ROAM_ALIASES" in own else (),
                    refs=refs(own["ROAM_REFS"]) if "ROAM_REFS" in own else (),
                    properties=own,
                )
            )  # fmt: skip
        elif above.excluded:
            excluded = True
        path = (*above.path, path_title(title) or name)
        self.above.append(_Above(part.level, path, tags, source, excluded))
        self.section(part, node_id, name, above.path, todo)

    def section(
        self, part: Part, node_id: str | None, title: str, path: tuple[str, ...], todo: str | None
    ) -> None:
        here = self.above[-1]
        body = part.bodies[0] if len(part.bodies) == 1 else joined(part.bodies)
        self.sections.append(
            Section(
                level=part.level, title=title, id=node_id, excluded=here.excluded,
                outline_path=path, line=part.line, pos=part.start + 1,
                body=body.text, lines=body.lines, tags=here.tags, todo=todo,
                body_pos=body.pos, starts=body.starts,
            )
        )  # fmt: skip
        if part.links and not here.excluded:
            self.add_links(part, here)

    def add_links(self, part: Part, here: _Above) -> None:
        line, seen = part.line, part.start
        for found in part.links:
            line += self.text.count("\n", seen, found.start)
            seen = found.start
            for kind, dest in self.targets(found):
                self.links.append(Link(here.source, kind, dest, seen + 1, line, here.path))

    def targets(self, found: Found) -> list[tuple[str, str]]:
        if found.type:
            return [(found.type, found.dest)]
        kind, dest = resolved_bracket(found.dest, self.abbreviations)
        if kind in CITE_TYPES:
            return [("cite", key) for key in split_keys(dest)]
        return [(kind, dest)]


def _node_id(properties: dict[str, str]) -> str | None:
    return properties.get("ID", "").strip() or None


def _file_tags(values: Iterable[str]) -> tuple[str, ...]:
    tags = (tag for value in values for word in value.split() for tag in word.split(":"))
    return tuple(dict.fromkeys(filter(None, tags)))
