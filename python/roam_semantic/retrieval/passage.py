"""The piece of a unit that an answer shows: bounded, cut at words."""

from __future__ import annotations

from collections.abc import Sequence

from roam_semantic.store.words import clean, is_cjk

SIZE = 320
# How far a cut is moved to fall between words.
SLACK = 24
# What is shown before the first word that was found.
LEAD = 60
# More matches of one needle tell nothing new.
MAX_MATCHES = 20


def passage(text: str, needles: Sequence[str] = (), size: int = SIZE) -> str:
    """Return up to SIZE characters of TEXT where most NEEDLES stand, "…" where it is cut.

    needles: beginnings of words, in any case; without them, or where none
        stands, the beginning is shown.  Lines stay lines; other blanks become
        one each.
    """
    text = clean(text).strip()
    if len(text) <= size:
        return _tidy(text)
    start = _start(text, needles, size)
    end = _end(text, start + size)
    before = "…" if start else ""
    after = "…" if end < len(text) else ""
    return before + _tidy(text[start:end]) + after


def _tidy(text: str) -> str:
    lines = (" ".join(line.split()) for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def _start(text: str, needles: Sequence[str], size: int) -> int:
    """Return where the passage begins: at the start of a line, sentence or word."""
    at = _best(_matches(text, needles), size - LEAD)
    start = max(0, min(at - LEAD, len(text) - size))
    if start == 0:
        return 0
    line = max(text.rfind("\n", start, at), text.rfind(". ", start, at))
    if line >= 0:
        return line + 1
    blank = text.find(" ", start, min(start + SLACK, at))
    return blank + 1 if blank >= 0 else start


def _best(places: Sequence[tuple[int, str]], window: int) -> int:
    """Return the first of PLACES after which most needles stand within WINDOW, or 0."""
    best, most = 0, 0
    for number, (at, _) in enumerate(places):
        near: set[str] = set()
        for later, needle in places[number:]:
            if later >= at + window:
                break
            near.add(needle)
        if len(near) > most:
            best, most = at, len(near)
    return best


def _end(text: str, end: int) -> int:
    if end >= len(text):
        return len(text)
    blank = max(text.rfind(" ", end - SLACK, end + 1), text.rfind("\n", end - SLACK, end + 1))
    return blank if blank > 0 else end


def _matches(text: str, needles: Sequence[str]) -> list[tuple[int, str]]:
    """Return (position, needle) where NEEDLES begin a word of TEXT, in order."""
    lowered = _lowered(text)
    found: list[tuple[int, str]] = []
    for needle in {_lowered(needle) for needle in needles if needle}:
        anywhere = is_cjk(needle[0]) or not needle[0].isalnum()
        at = lowered.find(needle)
        left = MAX_MATCHES
        while at >= 0 and left:
            if anywhere or at == 0 or not lowered[at - 1].isalnum():
                found.append((at, needle))
                left -= 1
            at = lowered.find(needle, at + len(needle))
    return sorted(found)


def _lowered(text: str) -> str:
    """Return TEXT in lower case with е for ё, every letter at its place."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
    return lowered.replace("ё", "е")
