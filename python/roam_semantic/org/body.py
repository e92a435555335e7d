"""The lines of a section's own text, each with its place in the file."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from roam_semantic.org.elements import ESCAPED, Span, between, logs

# text, line numbers, starts (empty: one whole piece from pos on), pos,
# number of the line that follows
Kept = tuple[str, tuple[int, ...], tuple[int, ...], int, int]


def keep(
    text: str,
    start: int,
    end: int,
    line: int,
    blocks: Sequence[Span] | None,
    escaped: Sequence[Span],
) -> Kept:
    """Return the lines of TEXT[START:END], of which START stands in line LINE.

    Logs and clocks are left out.  blocks: sorted spans in which they are text;
    None: there are no logs.  escaped: blocks with escaped stars or keywords.
    """
    body = text[start:end].rstrip("\n")
    if not body:
        return "", (), (), 0, line + end - start
    cuts = () if blocks is None else logs(text, start, end, blocks)
    if escaped:
        escaped = between(start, end, escaped)
    if cuts or escaped:
        return _pieces(text, start, end, line, cuts, escaped)
    after = line + body.count("\n") + 1
    # Every newline cut off is a line more, the one that ends the body excepted.
    return body, tuple(range(line, after)), (), start + 1, after + end - start - len(body) - 1


def _pieces(
    text: str, start: int, end: int, line: int, cuts: Sequence[Span], escaped: Sequence[Span]
) -> Kept:
    texts: list[str] = []
    lines: list[int] = []
    starts: list[int] = []
    here = start
    for begin, after in (*cuts, (end, end)):
        if begin > start:
            line += text.count("\n", here, start)
            here = start
            piece = text[start:begin].removesuffix("\n").split("\n")
            starts += _starts(piece, start + 1)
            lines += range(line, line + len(piece))
            texts += piece
        start = max(start, after)
    line += text.count("\n", here, end)
    for begin, after in escaped:
        for place in range(bisect_right(starts, begin), bisect_right(starts, after)):
            texts[place] = ESCAPED.sub(r"\1", texts[place])
    while texts and not texts[-1]:
        texts.pop()
    count = len(texts)
    pos = starts[0] if count else 0
    return "\n".join(texts), tuple(lines[:count]), tuple(starts[:count]), pos, line


def _starts(lines: list[str], first: int) -> list[int]:
    return list(accumulate([len(line) + 1 for line in lines], initial=first))[:-1]


def joined(parts: Sequence[Kept]) -> Kept:
    """Return several stretches of one section as one."""
    parts = [part for part in parts if part[1]]
    if len(parts) < 2:
        return parts[0] if parts else ("", (), (), 0, 0)
    starts = tuple(
        start
        for text, _, places, pos, _ in parts
        for start in places or _starts(text.split("\n"), pos)
    )
    lines = tuple(line for part in parts for line in part[1])
    return "\n".join([part[0] for part in parts]), lines, starts, parts[0][3], parts[-1][4]
