"""Lines of a file that are not running text: headings, keywords, blocks, drawers.

Stars and hash signs are looked for with `find`, which goes over text without
any as fast as memory can be read; only what it stops at is matched.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

STARS = re.compile(r"\*+ ")
# A comment, or the first or last line of a block, or a keyword.
HASH = re.compile(
    r"#(?:\+(?:(begin|end)_(\S+).*|(\S+):[ \t]*(.*))|(?: .*)?(?=\n|\Z))", re.IGNORECASE
)
# Keywords that belong to the element below them; only a caption holds objects.
AFFILIATED = re.compile(
    r"(?:attr_\S+|call|data|headers?|label|name|plot|resname|results?|source|srcname|tblname)"
    r"(?:\[.*\])?"
)
LATEX = re.compile(r"\\begin\{([A-Za-z0-9*]+)\}")
OPAQUE = frozenset(("src", "example", "export", "comment"))
ESCAPED = re.compile(r"^([ \t]*,*),(?=\*|#\+)", re.MULTILINE)
# Only what a program keeps there goes; a drawer with a name of one's own is text.
LOG = re.compile(
    r"\n[ \t]*(?::(logbook|properties|clock|clocking|end):[ \t]*(?=\n|\Z)|clock:)", re.IGNORECASE
)
# What follows a keyword that belongs to nothing.
ALONE = re.compile(r"\Z|\n(?:\Z|\n|\*+ |[ \t]*#\+end_)", re.IGNORECASE)
# Deeper indentation before `#+` is not looked through.
INDENT = 80

Span = tuple[int, int]


class Elements:
    """What TEXT holds besides running text, each list in order.

    heads: offset of each heading; a star in a block is one, as in Org.
    keywords: key in lower case → values.
    blocks: spans of code, examples and comments.
    opaque: these, LaTeX, and every line that starts with a hash sign.
    linking: spans of the values of keywords that may hold links.
    """

    __slots__ = ("blocks", "heads", "keywords", "linking", "opaque", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.heads = headings(text)
        self.keywords: dict[str, list[str]] = {}
        self.blocks: list[Span] = []
        self.opaque: list[Span] = []
        self.linking: list[Span] = []
        sides, words = self._read_marks()
        if sides:
            self._read_blocks(sides)
        for span, key, value in words:
            if not self.blocks or not within(span[0], self.blocks):
                self.keywords.setdefault(key, []).append(value.rstrip(" \t"))
                if key != "filetags" and (":" in value or "[" in value):
                    self._read_links(key, span)
        if "\\" in text and "\\begin{" in text:
            self._read_latex()
        if self.blocks:
            self.opaque = sorted(self.opaque + self.blocks)

    def _read_marks(
        self,
    ) -> tuple[list[tuple[int, str, str]], list[tuple[Span, str, str]]]:
        """Take lines that start with a hash sign; return sides of blocks, and keywords."""
        text = self.text
        sides: list[tuple[int, str, str]] = []
        words: list[tuple[Span, str, str]] = []
        find, match = text.find, HASH.match
        at = find("#")
        while at >= 0:
            start = line_start(text, at)
            mark = match(text, at) if start >= 0 else None
            if mark is not None:
                at = mark.end()
                self.opaque.append((start, at))
                key = mark[3]
                if key:
                    words.append((mark.span(4), key.lower(), mark[4]))
                elif mark[1]:
                    sides.append((start, mark[1].lower(), mark[2].lower()))
            at = find("#", at + 1)
        return sides, words

    def _read_links(self, key: str, span: Span) -> None:
        """Note that a keyword may hold links, unless it belongs to what is below it."""
        if AFFILIATED.fullmatch(key) is None or ALONE.match(self.text, span[1]):
            self.linking.append(span)

    def _read_blocks(self, sides: list[tuple[int, str, str]]) -> None:
        """Take the blocks; one that is open when a heading comes is none."""
        heads = self.heads
        last_end = {
            (bisect_right(heads, start), name): start
            for start, side, name in sides
            if side == "end"
        }
        inside, opened = "", 0
        for start, side, name in sides:
            if inside:
                if side == "end" and name == inside:
                    self.blocks.append((opened, line_end(self.text, start)))
                    inside = ""
            elif (
                side == "begin"
                and name in OPAQUE
                and last_end.get((bisect_right(heads, start), name), -1) > start
            ):
                inside, opened = name, start

    def _read_latex(self) -> None:
        """Take LaTeX environments that end before the next heading."""
        text, after = self.text, 0
        unclosed: set[str] = set()
        found: list[Span] = []
        for mark in LATEX.finditer(text):
            start, name = line_start(text, mark.start()), mark[1]
            if start < after or name in unclosed or within(start, self.blocks):
                continue
            close = text.find(f"\\end{{{name}}}", start)
            if close < 0:
                unclosed.add(name)
            elif bisect_right(self.heads, start) == bisect_right(self.heads, close):
                after = line_end(text, close)
                found.append((start, after))
        self.opaque += found
        self.opaque.sort()

    def escaped(self) -> list[Span]:
        """Return the blocks in which Org's commas hide stars or keywords."""
        text = self.text
        return [
            block
            for block in self.blocks
            if text.find(",", *block) >= 0 and ESCAPED.search(text, *block)
        ]


def headings(text: str) -> list[int]:
    """Return the offset of each heading of TEXT."""
    found: list[int] = []
    find, match = text.find, STARS.match
    at = find("*")
    while at >= 0:
        if at == 0 or text[at - 1] == "\n":
            stars = match(text, at)
            if stars is not None:
                found.append(at)
                at = stars.end()
        at = find("*", at + 1)
    return found


def logs(text: str, start: int, end: int, blocks: Sequence[Span]) -> list[Span]:
    """Return the spans of whole lines of TEXT[START:END] that are no text.

    These are logs, clocks and property drawers that do not count; all between
    two headings.
    """
    found: list[Span] = []
    opened = -1
    for mark in LOG.finditer(f"\n{text[start:end]}"):
        # One newline was put before the stretch: the line starts here.
        at = start + mark.start()
        if blocks and within(at, blocks):
            continue
        if mark[1] is None:
            if opened < 0:
                found.append((at, line_end(text, at)))
        elif mark[1].lower() != "end":
            opened = at if opened < 0 else opened
        elif opened >= 0:
            found.append((opened, line_end(text, at)))
            opened = -1
    return found


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
    before = bisect_left(spans, (at + 1,)) - 1
    return before >= 0 and at < spans[before][1]


def between(start: int, end: int, spans: Sequence[Span]) -> Sequence[Span]:
    """Return those of the sorted SPANS that start from START to before END."""
    return spans[bisect_left(spans, (start,)) : bisect_left(spans, (end,))]
