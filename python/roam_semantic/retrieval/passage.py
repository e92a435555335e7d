"""The piece of a unit that an answer shows: bounded, cut at words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from roam_semantic.store.words import clean, is_cjk

SIZE = 320
# How far a cut is moved to fall between words.
SLACK = 24
# What is shown before the first word that was found.
LEAD = 60
MAX_MATCHES = 200

_BLANKS = re.compile(r"[^\S\n]+")
_LINES = re.compile(r"\s*\n\s*")


def passage(text: str, needles: Sequence[str] = (), size: int = SIZE) -> str:
    """Return up to SIZE characters of TEXT where most NEEDLES stand, "…" where it is cut.

    needles: beginnings of words, in any case; without them, or where none
        stands, the beginning is shown.
    """
    text = _LINES.sub("\n", _BLANKS.sub(" ", clean(text))).strip()
    if len(text) <= size:
        return text
    start = _start(text, needles, size)
    end = _end(text, start + size)
    before = "…" if start else ""
    after = "…" if end < len(text) else ""
    return before + text[start:end].strip() + after


def _start(text: str, needles: Sequence[str], size: int) -> int:
    """Return where the passage begins: at the start of a line, sentence or word."""
    places = _matches(text, needles)
    if not places:
        return 0
    window = size - LEAD
    best = max(
        range(len(places)),
        key=lambda i: (
            len({needle for at, needle in places[i:] if at < places[i][0] + window}),
            -i,
        ),
    )
    start = max(0, min(places[best][0] - LEAD, len(text) - size))
    if start == 0:
        return 0
    line = max(text.rfind("\n", start, places[best][0]), text.rfind(". ", start, places[best][0]))
    if line >= 0:
        return line + 1
    blank = text.find(" ", start, min(start + SLACK, places[best][0]))
    return blank + 1 if blank >= 0 else start


def _end(text: str, end: int) -> int:
    if end >= len(text):
        return len(text)
    blank = max(text.rfind(" ", end - SLACK, end + 1), text.rfind("\n", end - SLACK, end + 1))
    return blank if blank > 0 else end


def _matches(text: str, needles: Sequence[str]) -> list[tuple[int, str]]:
    """Return (position, needle) for the first matches of NEEDLES in TEXT."""
    known = {needle.lower() for needle in needles if needle}
    if not known:
        return []
    pattern = "|".join(_pattern(needle) for needle in sorted(known, key=len, reverse=True))
    found: list[tuple[int, str]] = []
    for match in re.finditer(pattern, text, re.IGNORECASE):
        found.append((match.start(), match.group().lower()))
        if len(found) == MAX_MATCHES:
            break
    return found


def _pattern(needle: str) -> str:
    """Return the expression for NEEDLE at the beginning of a word; ё is е."""
    escaped = re.escape(needle).replace("е", "[её]")
    starts_inside = is_cjk(needle[0]) or not needle[0].isalnum()
    return escaped if starts_inside else r"(?<![^\W_])" + escaped
