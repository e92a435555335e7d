"""Where headings, their planning lines and their drawers stand."""

from __future__ import annotations

import re
from typing import NamedTuple

from roam_semantic.org.drawer import DRAWER, properties
from roam_semantic.org.planning import PLANNING

STARS = re.compile(r"\*+ ")
COMMENTS = re.compile(r"(?:[ \t]*#(?: .*)?\n)*")
END_TASK = re.compile(r"\*{15,}[ \t]+END[ \t]*(?:\n|\Z)")
TASK_STARS = "*" * 15
# First characters of a planning line or a drawer.
META_STARTS = frozenset(" \t:CDScds")
# A heading; text that goes on for the section around an inline task; such a
# task without an ID, whose words belong to the section around it.
HEADING, AGAIN, TASK = "heading", "again", "task"


class Meta(NamedTuple):
    """What stands above a heading's text.

    stop: offset of the end of its line.  properties: None without a drawer.
    text_start: offset of the text below all of it.
    """

    stop: int
    planning: str
    properties: dict[str, str] | None
    text_start: int


def headings(text: str) -> list[int]:
    """Return the offset of each heading; a star in a block is one, as in Org."""
    found: list[int] = []
    if text.startswith("*") and STARS.match(text):
        found.append(0)
    find = text.find
    at = find("\n*") + 1
    while at:
        if STARS.match(text, at):
            found.append(at)
        at = find("\n*", at) + 1
    return found


def stretches(text: str, heads: list[int]) -> list[tuple[int, int, str]]:
    """Return (start, end, kind) of each heading with the text below it."""
    ends = [*heads[1:], len(text)]
    if TASK_STARS not in text:
        return [(start, end, HEADING) for start, end in zip(heads, ends, strict=False)]
    return [(start, end, _kind(text, start, end)) for start, end in zip(heads, ends, strict=False)]


def _kind(text: str, start: int, end: int) -> str:
    if text.startswith(TASK_STARS, start):
        if END_TASK.match(text, start):
            return AGAIN
        if END_TASK.match(text, end) and "ID" not in (meta(text, start, end).properties or ()):
            return TASK
    return HEADING


def top_meta(text: str, end: int) -> Meta:
    """Return the properties of the file itself; only comments may stand before them."""
    start = 0
    if text.startswith(("#", " ", "\t"), 0, end):
        comments = COMMENTS.match(text, 0, end)
        start = comments.end() if comments else 0
    drawer = DRAWER.match(text, start, end)
    if drawer is None:
        return Meta(0, "", None, start)
    return Meta(0, "", properties(drawer[1]), drawer.end())


def meta(text: str, start: int, end: int) -> Meta:
    """Return planning and properties of the heading at START."""
    stop = text.find("\n", start, end)
    if stop < 0:
        return Meta(end, "", None, end)
    at = stop + 1
    if at == end or text[at] not in META_STARTS:
        return Meta(stop, "", None, at)
    planning = PLANNING.match(text, at, end)
    line = ""
    if planning is not None:
        line, at = planning[0], planning.end()
    drawer = DRAWER.match(text, at, end)
    if drawer is None:
        return Meta(stop, line, None, at)
    return Meta(stop, line, properties(drawer[1]), drawer.end())
