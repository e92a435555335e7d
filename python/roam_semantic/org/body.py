"""The lines of a section's own text, each with its place in the file."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate

from roam_semantic.org.elements import ESCAPED, Span

# text, line numbers, starts (empty: one whole piece from pos on), pos
Kept = tuple[str, tuple[int, ...], tuple[int, ...], int]
NOTHING: Kept = ("", (), (), 0)


def keep(
    text: str, start: int, end: int, line: int, cuts: Sequence[Span], escaped: Sequence[Span]
) -> Kept:
    """Return the lines of TEXT[START:END], of which START stands in line LINE.

    cuts: sorted spans of whole lines that are left out.  escaped: sorted
    blocks with escaped stars or keywords.
    """
    if cuts:
        cuts = cuts[bisect_left(cuts, (start, 0)) : bisect_left(cuts, (end, 0))]
    if escaped:
        escaped = escaped[bisect_left(escaped, (start, 0)) : bisect_left(escaped, (end, 0))]
    if cuts or escaped:
        return _kept_pieces(text, _outside(start, end, cuts), escaped, line, start)
    body = text[start:end].rstrip("\n")
    if not body:
        return NOTHING
    return body, tuple(range(line, line + body.count("\n") + 1)), (), start + 1


def _outside(start: int, end: int, cuts: Sequence[Span]) -> list[Span]:
    found: list[Span] = []
    for begin, after in cuts:
        if begin > start:
            found.append((start, begin))
        start = max(start, after)
    if start < end:
        found.append((start, end))
    return found


def _kept_pieces(
    text: str, pieces: list[Span], escaped: Sequence[Span], line: int, here: int
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
    if not texts:
        return NOTHING
    count = len(texts)
    return "\n".join(texts), tuple(lines[:count]), tuple(starts[:count]), starts[0]


def _starts(lines: list[str], first: int) -> list[int]:
    return list(accumulate((len(line) + 1 for line in lines), initial=first))[:-1]


def joined(first: Kept, second: Kept) -> Kept:
    """Return two stretches of one section as one."""
    if not first[1] or not second[1]:
        return second if second[1] else first
    starts = tuple(
        start
        for text, _, places, pos in (first, second)
        for start in places or _starts(text.split("\n"), pos)
    )
    return f"{first[0]}\n{second[0]}", first[1] + second[1], starts, first[3]
