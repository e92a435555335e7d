"""What stands in a file besides running text: keywords, blocks, drawers, clocks.

Each search goes for a rare pair of characters (`#+`, `\\begin`), so plain
prose costs next to nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence

HASH = re.compile(r"#\+(?:(begin|end)_(\S+)|(\S+):[ \t]*(.*))", re.IGNORECASE)
OPAQUE = frozenset(("src", "example", "export", "comment"))
LATEX = re.compile(r"\\begin\{([A-Za-z0-9*]+)\}")
# Only what a program keeps there goes; a drawer with a name of one's own is text.
DRAWER = re.compile(r":(logbook|properties|clock|clocking|end):[ \t]*(?:\n|\Z)", re.IGNORECASE)
ESCAPED = re.compile(r"^([ \t]*,*),(?=\*|#\+)", re.MULTILINE)
# Deeper indentation before `#+` or a drawer is not looked through.
INDENT = 80

Span = tuple[int, int]


class Elements:
    """The parts of TEXT that are not running text; HEADS: offsets of its headings.

    keywords: key in lower case → values, in order.
    blocks: spans of code, examples and comments; opaque: these and LaTeX.
    Both are sorted.
    """

    __slots__ = ("blocks", "heads", "keywords", "opaque", "text")

    def __init__(self, text: str, heads: Sequence[int]) -> None:
        self.text, self.heads = text, heads
        self.keywords: defaultdict[str, list[str]] = defaultdict(list)
        self.blocks: list[Span] = []
        self.opaque = self.blocks
        if "#+" in text:
            self._read_hashes()
        if "\\begin{" in text:
            self._read_latex()

    def _read_hashes(self) -> None:
        text = self.text
        marks: list[tuple[int, str, str, int]] = []
        for mark in HASH.finditer(text):
            start = mark.start()
            if not start or text[start - 1] == "\n" or (start := line_start(text, start)) >= 0:
                if mark[3] is None:
                    marks.append((start, mark[1].lower(), mark[2].lower(), mark.end()))
                elif marks:
                    marks.append((start, mark[3], mark[4].rstrip(" \t"), -1))
                else:
                    self.keywords[mark[3].lower()].append(mark[4].rstrip(" \t"))
        if marks:
            self._read_blocks(marks)

    def _read_blocks(self, marks: list[tuple[int, str, str, int]]) -> None:
        """Take blocks and the keywords outside them; a heading ends an open block."""
        heads = self.heads
        last_end = {
            (bisect_right(heads, start), name): start
            for start, kind, name, after in marks
            if kind == "end" and after >= 0
        }
        inside, opened = "", 0
        for start, kind, name, after in marks:
            if inside:
                if after >= 0 and kind == "end" and name == inside:
                    self.blocks.append((opened, line_end(self.text, after)))
                    inside = ""
            elif after < 0:
                self.keywords[kind.lower()].append(name)
            elif kind == "begin" and name in OPAQUE:
                if last_end.get((bisect_right(heads, start), name), -1) > start:
                    inside, opened = name, start

    def _read_latex(self) -> None:
        text, at = self.text, 0
        unclosed: set[str] = set()
        latex: list[Span] = []
        while (mark := LATEX.search(text, at)) is not None:
            at = mark.end()
            start = line_start(text, mark.start())
            if start < 0 or mark[1] in unclosed or within(start, self.blocks):
                continue
            close = text.find(f"\\end{{{mark[1]}}}", at)
            if close < 0:
                unclosed.add(mark[1])
            elif bisect_right(self.heads, start) == bisect_right(self.heads, close):
                at = line_end(text, close)
                latex.append((start, at))
        self.opaque = sorted(self.blocks + latex)

    def cuts(self, drawers_read: int) -> list[Span]:
        """Return the spans of whole lines that are no text: logs, clocks, lost drawers.

        DRAWERS_READ property drawers stand where they count; they are in the
        spans too, if there is any other.
        """
        text = self.text
        lost = text.count(":PROPERTIES:") + text.count(":properties:") > drawers_read
        found: list[Span] = []
        if lost or "LOGBOOK:" in text or "logbook:" in text or "CLOCK" in text:
            self._read_drawers(found)
        if "CLOCK:" in text:
            self._read_clocks(found)
        return sorted(found)

    def _read_drawers(self, found: list[Span]) -> None:
        opened, section = -1, -1
        for mark in DRAWER.finditer(self.text):
            start = line_start(self.text, mark.start())
            if start < 0 or within(start, self.blocks):
                continue
            here = bisect_right(self.heads, start)
            if here != section:
                opened, section = -1, here
            if mark[1].lower() != "end":
                opened = start if opened < 0 else opened
            elif opened >= 0:
                found.append((opened, mark.end()))
                opened = -1

    def _read_clocks(self, found: list[Span]) -> None:
        text, at = self.text, 0
        drawers = list(found)
        while (mark := text.find("CLOCK:", at)) >= 0:
            at = mark + 6
            start = line_start(text, mark)
            if start >= 0 and not within(start, self.blocks) and not within(start, drawers):
                at = line_end(text, mark)
                found.append((start, at))

    def escaped(self) -> list[Span]:
        """Return the blocks in which Org's commas hide stars or keywords."""
        if "\n," not in self.text and " ," not in self.text:
            return []
        return [block for block in self.blocks if ESCAPED.search(self.text, *block)]


def line_start(text: str, at: int) -> int:
    """Return where the line of AT starts if only blanks stand before AT, else -1."""
    if not at or text[at - 1] == "\n":
        return at
    if text[at - 1] not in " \t":
        return -1
    begin = text.rfind("\n", max(0, at - INDENT), at) + 1
    if (begin == 0 and at > INDENT) or text[begin:at].strip(" \t"):
        return -1
    return begin


def line_end(text: str, at: int) -> int:
    """Return the offset after the newline that ends the line of AT."""
    return text.find("\n", at) + 1 or len(text)


def within(at: int, spans: Sequence[Span]) -> bool:
    """Say whether AT lies in one of the sorted SPANS."""
    before = bisect_right(spans, at, key=_begin) - 1
    return before >= 0 and at < spans[before][1]


def _begin(span: Span) -> int:
    return span[0]
