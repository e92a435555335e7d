"""Text into pieces of a size a model reads whole, cut where a reader would pause."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

# Sizes are in bytes of UTF-8: 760 are about 120 English words, and as many
# tokens of a Chinese or Russian text as of an English one, near enough.
TARGET = 760
# A remainder as small as this is not worth a unit of its own.
SCRAP = 120
SENTENCE_END = re.compile(r"[.!?…][\"')\]]*\s|[。！？]")
# Prose of common words has about this many bytes a word; above, words break
# into many tokens, and the model itself must be asked.
PROSE = 8
SMALLEST = 40


def size(text: str) -> int:
    """Return the length of TEXT in bytes of UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def pieces(text: str, limit: int, *, by_line: bool = False) -> Iterator[tuple[int, str]]:
    """Yield (offset, piece) of TEXT, each at most LIMIT bytes, no word cut if it can be.

    Cut at the end of a sentence, else of a line, else of a word, else anywhere;
    BY_LINE: a line's end first.  Time grows with the length of TEXT.
    """
    at, end = 0, len(text)
    while at < end:
        stop = _reach(text, at, limit)
        if stop < end:
            stop = _pause(text, at, stop, by_line)
        yield at, text[at:stop]
        at = stop


def _reach(text: str, at: int, limit: int) -> int:
    """Return the furthest offset so that TEXT[AT:offset] has at most LIMIT bytes."""
    window = text[at : at + limit]
    if window.isascii():
        return at + len(window)
    raw = window.encode("utf-8", "replace")[:limit]
    return at + max(1, len(raw.decode("utf-8", "ignore")))


def _pause(text: str, at: int, stop: int, by_line: bool) -> int:
    """Return where to cut TEXT between AT and STOP, in its second half if possible."""
    half = at + (stop - at) // 2
    line = text.rfind("\n", half, stop + 1)
    if by_line and line > at:
        return line
    best = -1
    for sentence in SENTENCE_END.finditer(text, half, stop):
        best = sentence.end()
    if best > at:
        return best
    if line > at:
        return line
    for start in (half, at + 1):
        blank = max(text.rfind(" ", start, stop + 1), text.rfind("\t", start, stop + 1))
        comma = max(text.rfind("、", start, stop), text.rfind("，", start, stop)) + 1
        if max(blank, comma) > at:
            return max(blank, comma)
    return stop


def fitting(text: str, too_long: Callable[[str], bool] | None) -> Iterator[tuple[int, str]]:
    """Yield (offset, piece) of TEXT cut smaller until the model takes each piece.

    The model is asked only where the form of the text leaves a doubt.
    """
    if too_long is None or not _doubtful(text) or not too_long(text):
        yield 0, text
        return
    limit = size(text) // 2 + 8
    if limit < SMALLEST:
        yield 0, text
        return
    for at, piece in pieces(text, limit):
        for inner, small in fitting(piece, too_long):
            yield at + inner, small


def _doubtful(text: str) -> bool:
    total = size(text)
    if total <= 200:
        return False
    return total > TARGET + SCRAP or total > PROSE * len(text.split())
