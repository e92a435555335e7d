"""Lines of a file that are not running text: headings, keywords, blocks, drawers.

One pattern finds what every file needs in one sweep.  It starts with a
newline, so that Python jumps from line to line and looks at the first
characters of each; drawers and clocks are looked for only where there are any.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence

MARK = re.compile(
    r"""\n(?=[*\#\ \t\\])(?:
        (\*+)\                                                          # 1 heading
      | [ \t]*(?:
            \#\+(?:((?i:begin|end))_(\S+) | (\S+):[ \t]*(.*))           # 3 block, 5 keyword
          | \\begin\{([A-Za-z0-9*]+)\}                                  # 6 LaTeX
        )
    )""",
    re.VERBOSE,
)
HEADING, BLOCK, KEYWORD, LATEX = 1, 3, 5, 6
OPAQUE = frozenset(("src", "example", "export", "comment"))
ESCAPED = re.compile(r"^([ \t]*,*),(?=\*|#\+)", re.MULTILINE)
# Only what a program keeps there goes; a drawer with a name of one's own is text.
LOG = re.compile(
    r"\n[ \t]*(?::(logbook|properties|clock|clocking|end):[ \t]*(?=\n|\Z)|clock:)", re.IGNORECASE
)

Span = tuple[int, int]


class Elements:
    """What TEXT holds besides running text, each list in order.

    heads: offset of each heading; a star in a block is one, as in Org.
    keywords: key in lower case → values.  opaque: spans where no link is.
    blocks: the opaque spans that are code, examples or comments.
    """

    __slots__ = ("blocks", "heads", "keywords", "opaque", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.heads: list[int] = []
        self.keywords: dict[str, list[str]] = {}
        self.blocks: list[Span] = []
        words: list[tuple[int, str, str]] = []
        sides: list[tuple[int, str, str]] = []
        latex: list[tuple[int, str]] = []
        for mark in MARK.finditer(f"\n{text}"):
            # One newline was put before the text: the line starts here.
            kind, start = mark.lastindex, mark.start()
            if kind == HEADING:
                self.heads.append(start)
            elif kind == KEYWORD:
                words.append((start, mark[4].lower(), mark[5].rstrip(" \t")))
            elif kind == BLOCK:
                sides.append((start, mark[2].lower(), mark[3].lower()))
            else:
                latex.append((start, mark[6]))
        if sides:
            self._read_blocks(sides)
        self.opaque = self.blocks
        for start, key, value in words:
            if not self.blocks or not within(start, self.blocks):
                self.keywords.setdefault(key, []).append(value)
        if latex:
            self._read_latex(latex)

    def _read_blocks(self, sides: list[tuple[int, str, str]]) -> None:
        """Take the blocks; one that is open when a heading comes is none."""
        heads = self.heads
        last_end = {
            (bisect_right(heads, start), name): start for start, side, name in sides if side == "end"
        }
        inside, opened = "", 0
        for start, side, name in sides:
            if inside:
                if side == "end" and name == inside:
                    self.blocks.append((opened, line_end(self.text, start)))
                    inside = ""
            elif side == "begin" and name in OPAQUE:
                if last_end.get((bisect_right(heads, start), name), -1) > start:
                    inside, opened = name, start

    def _read_latex(self, marks: list[tuple[int, str]]) -> None:
        """Take LaTeX environments that end before the next heading."""
        text, after = self.text, 0
        unclosed: set[str] = set()
        found: list[Span] = []
        for start, name in marks:
            if name in unclosed or start < after or within(start, self.blocks):
                continue
            close = text.find(f"\\end{{{name}}}", start)
            if close < 0:
                unclosed.add(name)
            elif bisect_right(self.heads, start) == bisect_right(self.heads, close):
                after = line_end(text, close)
                found.append((start, after))
        self.opaque = sorted(self.blocks + found)

    def cuts(self, drawers: Collection[int]) -> list[Span]:
        """Return the spans of whole lines that are no text: logs, clocks, lost drawers.

        drawers: offsets of the property drawers that count; these are no cuts.
        """
        text = self.text
        # Each drawer that counts has one end, written in upper case as a rule.
        if text.count(":END:") == len(drawers) and ":end:" not in text and "CLOCK:" not in text:
            return []
        found: list[Span] = []
        opened, section, skipped = -1, -1, False
        for mark in LOG.finditer(f"\n{text}"):
            start = mark.start()
            if self.blocks and within(start, self.blocks):
                continue
            here = bisect_right(self.heads, start)
            if here != section:
                opened, section, skipped = -1, here, False
            if mark[1] is None:
                if opened < 0 and not skipped:
                    found.append((start, line_end(text, start)))
            elif mark[1].lower() != "end":
                skipped = skipped or start in drawers
                opened = start if opened < 0 and not skipped else opened
            else:
                if opened >= 0:
                    found.append((opened, line_end(text, start)))
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


def between(start: int, end: int, spans: Sequence[Span]) -> Sequence[Span]:
    """Return those of the sorted SPANS that start from START to before END."""
    return spans[bisect_left(spans, start, key=_begin) : bisect_left(spans, end, key=_begin)]


def _begin(span: Span) -> int:
    return span[0]
