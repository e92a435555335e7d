"""What stands in a section's text besides running text: blocks, keywords, drawers.

Each search goes for a rare pair of characters (`#+`, `:END:`), so plain prose
costs next to nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

import msgspec

HASH = re.compile(r"#\+(?:(begin|end)_(\S+)|(\S+):[ \t]*(.*))?", re.IGNORECASE)
OPAQUE = frozenset(("src", "example", "export", "comment"))
LATEX = re.compile(r"\\begin\{([A-Za-z0-9*]+)\}")
# Only what a program keeps there goes; a drawer with a name of one's own is text.
DRAWER = re.compile(r":(logbook|properties|clock|clocking|end):[ \t]*(?:\n|\Z)", re.IGNORECASE)
ESCAPED = re.compile(r"^([ \t]*,*),(?=\*|#\+)", re.MULTILINE)
# Keywords that belong to the element below them; only a caption holds objects.
AFFILIATED = re.compile(
    r"attr_\S+|data|headers?|label|name|plot|resname|results?|source|srcname|tblname|call",
    re.IGNORECASE,
)
# Deeper indentation before `#+` or a drawer is not looked through.
INDENT = 80

Span = tuple[int, int]


class Keyword(msgspec.Struct, frozen=True):
    """A line `#+KEY: VALUE`.  start: offset of the value; end: of the line's end."""

    key: str
    value: str
    start: int
    end: int


class Elements(msgspec.Struct):
    """The parts of a stretch of text that are not running text.

    opaque: (start, end) where no link is; cuts: (start, end) of whole lines
    that are no text at all; blocks: the opaque parts with escaped lines.
    """

    keywords: list[Keyword]
    opaque: list[Span]
    cuts: list[Span]
    blocks: list[Span]


def elements(text: str, start: int, end: int) -> Elements | None:
    """Return what interrupts the running text of TEXT[START:END], None if nothing does."""
    find = text.find
    hashes = find("#+", start, end) >= 0
    latex = find("\\begin{", start, end) >= 0
    drawers = find(":END:", start, end) >= 0 or find(":end:", start, end) >= 0
    clocks = find("CLOCK:", start, end) >= 0
    if not (hashes or latex or drawers or clocks):
        return None
    found = Elements([], [], [], [])
    if hashes:
        _hashes(text, start, end, found)
    if latex:
        _latex(text, start, end, found)
    if drawers:
        _drawers(text, start, end, found)
    if clocks:
        _clocks(text, start, end, found)
    found.opaque.sort()
    found.cuts.sort()
    return found


def line_start(text: str, at: int, start: int) -> int:
    """Return where the line of AT starts if only blanks stand before AT, else -1."""
    if at == start or text[at - 1] == "\n":
        return at
    begin = text.rfind("\n", max(start, at - INDENT), at) + 1
    if begin == 0:
        begin = start if at - start <= INDENT else -1
    if begin < 0 or text[begin:at].strip(" \t"):
        return -1
    return begin


def line_end(text: str, at: int, end: int) -> int:
    """Return the offset after the newline that ends the line of AT."""
    newline = text.find("\n", at, end)
    return end if newline < 0 else newline + 1


def _hashes(text: str, start: int, end: int, found: Elements) -> None:
    marks = [
        (begin, mark)
        for mark in HASH.finditer(text, start, end)
        if (begin := line_start(text, mark.start(), start)) >= 0
    ]
    last_end = {mark[2].lower(): begin for begin, mark in marks if mark[1] and len(mark[1]) == 3}
    inside, opened = "", 0
    for begin, mark in marks:
        name = mark[2].lower() if mark[2] else ""
        if inside:
            if name == inside and len(mark[1]) == 3:
                block = (opened, line_end(text, begin, end))
                found.opaque.append(block)
                found.blocks.append(block)
                inside = ""
        elif not name:
            if mark[3]:
                at = mark.start(4)
                keyword = Keyword(mark[3].lower(), mark[4].rstrip(" \t"), at, mark.end())
                found.keywords.append(keyword)
            found.opaque.append((begin, line_end(text, begin, end)))
        elif name in OPAQUE and len(mark[1]) == 5 and last_end.get(name, -1) > begin:
            inside, opened = name, begin


def _latex(text: str, start: int, end: int, found: Elements) -> None:
    at = start
    unclosed: set[str] = set()
    while (mark := LATEX.search(text, at, end)) is not None:
        at = mark.end()
        begin = line_start(text, mark.start(), start)
        if begin < 0 or mark[1] in unclosed or _within(begin, found.blocks):
            continue
        close = text.find(f"\\end{{{mark[1]}}}", at, end)
        if close < 0:
            unclosed.add(mark[1])
        else:
            at = line_end(text, close, end)
            found.opaque.append((begin, at))


def _drawers(text: str, start: int, end: int, found: Elements) -> None:
    opened = -1
    for mark in DRAWER.finditer(text, start, end):
        begin = line_start(text, mark.start(), start)
        if begin < 0 or _within(begin, found.blocks):
            continue
        if mark[1].lower() != "end":
            opened = begin if opened < 0 else opened
        elif opened >= 0:
            found.cuts.append((opened, mark.end()))
            opened = -1


def _clocks(text: str, start: int, end: int, found: Elements) -> None:
    at = start
    while (mark := text.find("CLOCK:", at, end)) >= 0:
        at = mark + 6
        begin = line_start(text, mark, start)
        if begin >= 0 and not _within(begin, found.blocks) and not _within(begin, found.cuts):
            at = line_end(text, mark, end)
            found.cuts.append((begin, at))


def _within(at: int, spans: list[Span]) -> bool:
    before = bisect_right(spans, at, key=lambda span: span[0])
    return before > 0 and at < spans[before - 1][1]


def running(start: int, end: int, opaque: list[Span]) -> list[Span]:
    """Return the stretches of START to END outside the sorted spans OPAQUE."""
    found: list[Span] = []
    for begin, after in opaque:
        if begin > start:
            found.append((start, begin))
        start = max(start, after)
    if start < end:
        found.append((start, end))
    return found


def affiliated(keyword: Keyword, text: str) -> bool:
    """Say whether KEYWORD belongs to an element below it, so that it holds no link."""
    below = text[keyword.end + 1 : keyword.end + 2]
    return below not in ("", "\n") and AFFILIATED.fullmatch(keyword.key) is not None


class Kept(msgspec.Struct, frozen=True):
    """Lines of a section's body; starts as in `values.Section`."""

    text: str
    lines: tuple[int, ...]
    starts: tuple[int, ...]
    pos: int


def keep(text: str, start: int, end: int, found: Elements | None, line: int) -> Kept:
    """Return the lines of TEXT[START:END] without what FOUND cuts out.

    line: number of the line START stands in.
    """
    if found is not None:
        escaped = [block for block in found.blocks if ESCAPED.search(text, *block)]
        if found.cuts or escaped:
            return _kept_pieces(text, running(start, end, found.cuts), escaped, line, start)
    body = text[start:end].rstrip("\n")
    lines = tuple(range(line, line + body.count("\n") + 1)) if body else ()
    return Kept(body, lines, (), start + 1)


def _kept_pieces(
    text: str, pieces: list[Span], escaped: list[Span], line: int, here: int
) -> Kept:
    texts: list[str] = []
    lines: list[int] = []
    starts: list[int] = []
    for begin, after in pieces:
        line += text.count("\n", here, begin)
        here = begin
        piece = text[begin:after].removesuffix("\n").split("\n")
        starts += _starts(piece, begin + 1)
        lines += range(line, line + len(piece))
        texts += piece
    for begin, after in escaped:
        for place in range(bisect_right(starts, begin), bisect_right(starts, after)):
            texts[place] = ESCAPED.sub(r"\1", texts[place])
    while texts and not texts[-1]:
        texts.pop()
    count = len(texts)
    pos = starts[0] if starts else 0
    return Kept("\n".join(texts), tuple(lines[:count]), tuple(starts[:count]), pos)


def _starts(lines: list[str], first: int) -> list[int]:
    return list(accumulate((len(line) + 1 for line in lines), initial=first))[:-1]


def joined(parts: list[Kept]) -> Kept:
    """Return several stretches of one section as one."""
    parts = [part for part in parts if part.lines]
    if len(parts) < 2:
        return parts[0] if parts else Kept("", (), (), 0)
    starts: list[int] = []
    for part in parts:
        starts += part.starts or _starts(part.text.split("\n"), part.pos)
    lines = tuple(line for part in parts for line in part.lines)
    return Kept("\n".join(part.text for part in parts), lines, tuple(starts), parts[0].pos)
