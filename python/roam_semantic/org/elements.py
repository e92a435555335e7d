"""A file line by line: headings, keywords, blocks and drawers by their line numbers.

Only the first characters of a line are looked at, and most lines have none
that says more.  Line numbers here count from 0.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection

STARS = re.compile(r"\*+ ")
HASH = re.compile(r"[ \t]*#\+(?:(begin|end)_(\S+)|(\S+):[ \t]*(.*))", re.IGNORECASE)
LATEX = re.compile(r"[ \t]*\\begin\{([a-z0-9*]+)\}", re.IGNORECASE)
# Only what a program keeps there goes; a drawer with a name of one's own is text.
DRAWERS = frozenset((":logbook:", ":properties:", ":clock:", ":clocking:", ":end:"))
OPAQUE = frozenset(("src", "example", "export", "comment"))
ESCAPED = re.compile(r"([ \t]*,*),(?=\*|#\+)")
# First characters of lines that are looked at.
MARKED = frozenset("*#:Cc\\ \t")
INDENT = frozenset(" \t")

# first line, line after the last
Lines = tuple[int, int]


class Elements:
    """What TEXT holds besides running text, in order.

    lines: its lines.  starts: offset of each, and of one more behind the end.
    heads: line of each heading; a star in a block is one, as in Org.
    keywords: key in lower case → values.  opaque: lines where no link is.
    blocks: lines of code, examples and comments.
    """

    __slots__ = (
        "blocks", "drawers", "heads", "keywords", "latex", "lines", "opaque", "sides", "starts",
    )  # fmt: skip

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.starts: list[int] = []
        self.heads: list[int] = []
        self.keywords: dict[str, list[str]] = {}
        self.blocks: list[Lines] = []
        self.opaque: set[int] = set()
        # Lines of drawers and clocks; of LaTeX; first and last lines of blocks.
        self.drawers: list[tuple[int, str]] = []
        self.latex: list[tuple[int, str]] = []
        self.sides: list[tuple[int, str, str]] = []
        words: list[tuple[int, str, str]] = []
        at, add = 0, self.starts.append
        for number, line in enumerate(self.lines):
            add(at)
            at += len(line) + 1
            if line[:1] in MARKED:
                if line[0] == "*":
                    if STARS.match(line):
                        self.heads.append(number)
                else:
                    self._mark(number, line, words)
        add(at)
        if self.sides:
            self._read_blocks()
        if self.latex:
            self._read_latex()
        for number, key, value in words:
            if number not in self.opaque:
                self.keywords.setdefault(key, []).append(value)

    def _mark(self, number: int, line: str, words: list[tuple[int, str, str]]) -> None:
        first = line[0]
        if first in INDENT:
            first = line.lstrip(" \t")[:1]
        if first == ":":
            name = line.strip(" \t").lower()
            if name in DRAWERS:
                self.drawers.append((number, name))
        elif first == "#":
            mark = HASH.match(line)
            if mark is not None:
                side, name, key, value = mark.groups()
                if key:
                    words.append((number, key.lower(), value.rstrip(" \t")))
                else:
                    self.sides.append((number, side.lower(), name.lower()))
        elif first == "\\":
            mark = LATEX.match(line)
            if mark is not None:
                self.latex.append((number, mark[1]))
        elif first in ("C", "c") and line.lstrip(" \t")[:6].upper() == "CLOCK:":
            self.drawers.append((number, "clock:"))

    def _read_blocks(self) -> None:
        """Take the blocks; one that is open when a heading comes is none."""
        heads = self.heads
        last_end = {
            (bisect_right(heads, number), name): number
            for number, side, name in self.sides
            if side == "end"
        }
        inside, opened = "", 0
        for number, side, name in self.sides:
            if inside:
                if side == "end" and name == inside:
                    self.blocks.append((opened, number + 1))
                    self.opaque.update(range(opened, number + 1))
                    inside = ""
            elif side == "begin" and name in OPAQUE:
                if last_end.get((bisect_right(heads, number), name), -1) > number:
                    inside, opened = name, number

    def _read_latex(self) -> None:
        """Take LaTeX environments that end before the next heading."""
        ends: dict[str, list[int]] = {}
        for number, line in enumerate(self.lines):
            if "\\end{" in line:
                name = line.partition("\\end{")[2].partition("}")[0]
                ends.setdefault(name, []).append(number)
        for number, name in self.latex:
            if number in self.opaque:
                continue
            later = ends.get(name, [])
            place = bisect_right(later, number - 1)
            if place < len(later):
                close = later[place]
                if bisect_right(self.heads, number) == bisect_right(self.heads, close):
                    self.opaque.update(range(number, close + 1))

    def cuts(self, drawers: Collection[int]) -> list[Lines]:
        """Return the lines that are no text: logs, clocks, lost property drawers.

        drawers: first lines of the property drawers that count; these are no cuts.
        """
        # Each drawer has a first and a last line.
        if len(self.drawers) == 2 * len(drawers):
            return []
        found: list[Lines] = []
        opened, section, skipped = -1, -1, False
        for number, name in self.drawers:
            if number in self.opaque:
                continue
            here = bisect_right(self.heads, number)
            if here != section:
                opened, section, skipped = -1, here, False
            if name == "clock:":
                if opened < 0 and not skipped:
                    found.append((number, number + 1))
            elif name != ":end:":
                skipped = skipped or number in drawers
                opened = number if opened < 0 and not skipped else opened
            else:
                if opened >= 0:
                    found.append((opened, number + 1))
                opened, skipped = -1, False
        return found

    def escaped(self) -> dict[int, str]:
        """Return line → its text without Org's comma, in blocks that hide stars so."""
        lines = self.lines
        return {
            number: ESCAPED.sub(r"\1", lines[number], count=1)
            for first, after in self.blocks
            for number in range(first, after)
            if "," in lines[number] and ESCAPED.match(lines[number])
        }
