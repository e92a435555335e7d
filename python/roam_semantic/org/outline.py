"""From characters to parts: headings with their drawer, planning, links and text.

Nothing is understood yet that another line of the file could change: TODO
keywords, file tags and link abbreviations may be declared anywhere.
"""

from __future__ import annotations

import re
from collections import defaultdict

import msgspec

from roam_semantic.org.body import Kept, Keyword, affiliated, elements, keep, running
from roam_semantic.org.drawer import DRAWER, properties
from roam_semantic.org.headline import without_tags
from roam_semantic.org.links import Found, find_links
from roam_semantic.org.planning import PLANNING

STARS = re.compile(r"\*+ ")
COMMENTS = re.compile(r"(?:[ \t]*#(?: .*)?\n)*")
END_TASK = re.compile(r"\*{15,}[ \t]+END[ \t]*(?:\n|\Z)")
TASK_STARS = "*" * 15
# First characters of a planning line or a drawer.
META_STARTS = frozenset(" \t:CDScds")
# Properties that hold ids and refs, not links.
NO_LINKS = frozenset(("ID", "ROAM_REFS"))


class Part(msgspec.Struct):
    """A heading (level 0: the top of the file) as it stands.

    start: offset of its first star.  rest: its line without the stars.
    bodies: the stretches of its own text, usually one.
    """

    level: int
    start: int
    line: int
    rest: str = ""
    planning: str = ""
    properties: dict[str, str] = {}
    links: list[Found] = []
    bodies: list[Kept] = []


class Scan(msgspec.Struct):
    """A whole file: its parts in order, and keyword lines: key → values."""

    parts: list[Part]
    keywords: dict[str, list[str]]


def scan(text: str) -> Scan:
    """Return the parts of TEXT; the first is the text before every heading."""
    return _Scanner(text).scan()


def _headings(text: str) -> list[int]:
    """Return the offset of each heading; a star in a block is one, as in Org."""
    found: list[int] = []
    at = 0 if text.startswith("*") else text.find("\n*") + 1
    while at or not found and text.startswith("*"):
        if STARS.match(text, at):
            found.append(at)
        at = text.find("\n*", at) + 1
    return found


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.keywords: defaultdict[str, list[str]] = defaultdict(list)

    def scan(self) -> Scan:
        text, end = self.text, len(self.text)
        heads = [*_headings(text), end]
        outer = self.top(heads[0])
        parts = [outer]
        line, here = 1, 0
        for number, start in enumerate(heads[:-1]):
            line += text.count("\n", here, start)
            here, after = start, heads[number + 1]
            if not text.startswith(TASK_STARS, start):
                outer = self.heading(start, after, line)
                parts.append(outer)
            elif END_TASK.match(text, start):
                # Text after the END of an inline task is the section's again.
                self.body(outer, self.next_line(start, after), after, line + 1)
            elif END_TASK.match(text, after):
                self.task(parts, outer, start, after, line)
            else:
                outer = self.heading(start, after, line)
                parts.append(outer)
        return Scan(parts, self.keywords)

    def next_line(self, at: int, end: int) -> int:
        newline = self.text.find("\n", at, end)
        return end if newline < 0 else newline + 1

    def top(self, end: int) -> Part:
        part = Part(0, 0, 1)
        comments = COMMENTS.match(self.text, 0, end)
        start = comments.end() if comments else 0
        drawer = DRAWER.match(self.text, start, end)
        if drawer:
            part.properties = properties(drawer[1])
            self.property_links(part, drawer[1], drawer.start(1))
            start = drawer.end()
        self.body(part, start, end, 1 + self.text.count("\n", 0, start))
        return part

    def heading(self, start: int, end: int, line: int) -> Part:
        text = self.text
        blank = text.find(" ", start)
        at = self.next_line(start, end)
        part = Part(blank - start, start, line, text[blank + 1 : at].rstrip("\n"))
        if ":" in part.rest or "[[" in part.rest:
            part.links = find_links(text, start, blank + 1 + len(without_tags(part.rest)))
        if at < end:
            if text[at] in META_STARTS:
                at = self.meta(part, at, end)
            self.body(part, at, end, line + text.count("\n", start, at))
        return part

    def meta(self, part: Part, at: int, end: int) -> int:
        """Read planning and properties at AT; return where the text starts."""
        planning = PLANNING.match(self.text, at, end)
        if planning:
            part.planning = planning[0]
            at = planning.end()
        drawer = DRAWER.match(self.text, at, end)
        if drawer is None:
            return at
        part.properties = properties(drawer[1])
        self.property_links(part, drawer[1], drawer.start(1))
        return drawer.end()

    def task(self, parts: list[Part], outer: Part, start: int, end: int, line: int) -> None:
        """Read an inline task: a part of its own if it has an ID, else words of OUTER."""
        part = self.heading(start, end, line)
        if part.properties.get("ID"):
            parts.append(part)
            return
        title = self.text.find(" ", start) + 1
        outer.bodies.append(keep(self.text, title, self.next_line(start, end), None, line))
        outer.bodies += part.bodies
        outer.links += part.links

    def body(self, part: Part, start: int, end: int, line: int) -> None:
        """Add the text from START to END, which starts LINE, to PART."""
        if start >= end:
            return
        text = self.text
        found = elements(text, start, end)
        if found is None:
            part.links += find_links(text, start, end)
        else:
            for begin, after in running(start, end, found.opaque):
                part.links += find_links(text, begin, after)
            for keyword in found.keywords:
                self.keyword(part, keyword)
            part.links.sort(key=lambda link: link.start)
        part.bodies.append(keep(text, start, end, found, line))

    def keyword(self, part: Part, keyword: Keyword) -> None:
        self.keywords[keyword.key].append(keyword.value)
        if ":" in keyword.value or "[[" in keyword.value:
            if not affiliated(keyword, self.text):
                part.links += find_links(self.text, keyword.start, keyword.end)

    def property_links(self, part: Part, lines: str, start: int) -> None:
        if lines.count(":") == 2 * lines.count("\n") and "[[" not in lines:
            return
        for line in lines.split("\n"):
            name, colon, value = line.partition(": ")
            if colon and (":" in value or "[[" in value):
                if name.strip(" \t:").upper() not in NO_LINKS:
                    part.links += find_links(
                        self.text, start + len(name) + 2, start + len(line)
                    )
            start += len(line) + 1
