"""Lines of a file that are not running text: headings, keywords, blocks, drawers.

One pattern finds them all in one sweep.  It starts with a newline, so that
Python jumps from line to line and looks at the first characters of each.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Sequence

MARK = re.compile(
    r"""\n(?:
        (\*+)\x20                                                         # 1 heading
      | [ \t]*(?:
            \#\+(?:(begin|end)_(\S+) | (\S+):[ \t]*(.*))                  # 3 block 5 keyword
          | :(logbook|properties|clock|clocking|end):[ \t]*(?=\n|\Z)      # 6 drawer
          | (clock:)                                                      # 7
          | \\begin\{([a-z0-9*]+)\}                                       # 8
        )
    )""",
    re.VERBOSE | re.IGNORECASE,
)
HEADING, BLOCK, KEYWORD, DRAWER, CLOCK, LATEX = 1, 3, 5, 6, 7, 8
OPAQUE = frozenset(("src", "example", "export", "comment"))
ESCAPED = re.compile(r"^([ \t]*,*),(?=\*|#\+)", re.MULTILINE)

Span = tuple[int, int]
# kind, offset of the line's start, name in lower case, value ("end" of a block)
Mark = tuple[int, int, str, str]


class Elements:
    """What TEXT holds besides running text, each list in order.

    heads: offset of each heading; a star in a block is one, as in Org.
    keywords: key in lower case → values.  opaque: spans where no link is.
    blocks: the opaque spans that are code, examples or comments.
    """

    __slots__ = ("blocks", "heads", "keywords", "marks", "opaque", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.heads: list[int] = []
        self.keywords: dict[str, list[str]] = {}
        self.blocks: list[Span] = []
        self.marks: list[Mark] = []
        words: list[Mark] = []
        for mark in MARK.finditer(f"\n{text}"):
            # One newline was put before the text: the line starts here.
            kind, start = mark.lastindex or 0, mark.start()
            if kind == HEADING:
                self.heads.append(start)
            elif kind == KEYWORD:
                words.append((kind, start, mark[4].lower(), mark[5].rstrip(" \t")))
            elif kind == BLOCK:
                self.marks.append((kind, start, mark[3].lower(), mark[2].lower()))
            else:
                self.marks.append((kind, start, mark[kind].lower(), ""))
        if self.marks:
            self._read_blocks()
        self.opaque = self.blocks
        for _, start, key, value in words:
            if not self.blocks or not within(start, self.blocks):
                self.keywords.setdefault(key, []).append(value)
        if any(kind == LATEX for kind, _, _, _ in self.marks):
            self._read_latex()

    def _read_blocks(self) -> None:
        """Take the blocks; one that is open when a heading comes is none."""
        heads, marks = self.heads, [mark for mark in self.marks if mark[0] == BLOCK]
        last_end = {
            (bisect_right(heads, start), name): start
            for _, start, name, side in marks
            if side == "end"
        }
        inside, opened = "", 0
        for _, start, name, side in marks:
            if inside:
                if side == "end" and name == inside:
                    self.blocks.append((opened, line_end(self.text, start)))
                    inside = ""
            elif side == "begin" and name in OPAQUE:
                if last_end.get((bisect_right(heads, start), name), -1) > start:
                    inside, opened = name, start

    def _read_latex(self) -> None:
        text, after = self.text, 0
        unclosed: set[str] = set()
        found: list[Span] = []
        for kind, start, name, _ in self.marks:
            if kind != LATEX or name in unclosed or start < after or within(start, self.blocks):
                continue
            close = re.compile(rf"\\end\{{{re.escape(name)}\}}", re.IGNORECASE).search(text, start)
            if close is None:
                unclosed.add(name)
            elif bisect_right(self.heads, start) == bisect_right(self.heads, close.start()):
                after = line_end(text, close.start())
                found.append((start, after))
        self.opaque = sorted(self.blocks + found)

    def cuts(self, drawers: Collection[int]) -> list[Span]:
        """Return the spans of whole lines that are no text: logs, clocks, lost drawers.

        drawers: offsets of the property drawers that count; they are no cuts.
        """
        marks = [mark for mark in self.marks if mark[0] in (DRAWER, CLOCK)]
        # Each drawer has a first and a last line.
        if len(marks) == 2 * len(drawers):
            return []
        if self.blocks:
            marks = [mark for mark in marks if not within(mark[1], self.blocks)]
        found: list[Span] = []
        opened, section, skipped = -1, -1, False
        for kind, start, name, _ in marks:
            here = bisect_right(self.heads, start)
            if here != section:
                opened, section, skipped = -1, here, False
            if kind == CLOCK:
                if opened < 0 and not skipped:
                    found.append((start, line_end(self.text, start)))
            elif name != "end":
                skipped = skipped or start in drawers
                opened = start if opened < 0 and not skipped else opened
            else:
                if opened >= 0:
                    found.append((opened, line_end(self.text, start)))
                opened, skipped = -1, False
        return found

    def escaped(self) -> list[Span]:
        """Return the blocks in which Org's commas hide stars or keywords."""
        text = self.text
        return [
            block
            for block in self.blocks
            if text.find(",", *block) >= 0 and ESCAPED.search(text, *block)
        ]


def line_end(text: str, at: int) -> int:
    """Return the offset after the newline that ends the line of AT."""
    return text.find("\n", at) + 1 or len(text)


def within(at: int, spans: Sequence[Span]) -> bool:
    """Say whether AT lies in one of the sorted SPANS."""
    before = bisect_right(spans, at, key=_begin) - 1
    return before >= 0 and at < spans[before][1]


def _begin(span: Span) -> int:
    return span[0]
