"""Where planning lines and property drawers stand, and what inline tasks are."""

from __future__ import annotations

import re
from typing import NamedTuple

from roam_semantic.org.drawer import DRAWER, properties
from roam_semantic.org.planning import PLANNING

COMMENTS = re.compile(r"(?:[ \t]*#(?: .*)?\n)*")
END_TASK = re.compile(r"\*{15,}[ \t]+END[ \t]*(?:\n|\Z)")
TASK_STARS = "*" * 15
# First characters of a planning line or a drawer.
META_STARTS = frozenset(" \t:CDScds")


class Meta(NamedTuple):
    """What stands above a heading's text.

    stop: offset of the end of its line.  properties: None without a drawer,
    which starts at `drawer`.  text_start: offset of the text below all of it.
    """

    stop: int
    text_start: int
    planning: str = ""
    properties: dict[str, str] | None = None
    drawer: int = -1


def top_meta(text: str, end: int) -> Meta:
    """Return the properties of the file itself; only comments may stand before them."""
    start = 0
    if text.startswith(("#", " ", "\t"), 0, end):
        comments = COMMENTS.match(text, 0, end)
        start = comments.end() if comments else 0
    drawer = DRAWER.match(text, start, end)
    if drawer is None:
        return Meta(0, start)
    return Meta(0, drawer.end(), "", properties(drawer[1]), start)


def meta(text: str, start: int, end: int) -> Meta:
    """Return planning and properties of the heading at START, whose text stops at END."""
    stop = text.find("\n", start, end)
    if stop < 0:
        return Meta(end, end)
    at = stop + 1
    if at == end or text[at] not in META_STARTS:
        return Meta(stop, at)
    planning = PLANNING.match(text, at, end)
    line = ""
    if planning is not None:
        line, at = planning[0], planning.end()
    drawer = DRAWER.match(text, at, end)
    if drawer is None:
        return Meta(stop, at, line)
    return Meta(stop, drawer.end(), line, properties(drawer[1]), at)


def is_task_end(text: str, start: int) -> bool:
    """Say whether the heading at START is the END of an inline task.

    What stands below it belongs to the section around the task again.
    """
    return text.startswith(TASK_STARS, start) and END_TASK.match(text, start) is not None


def is_task(text: str, start: int, end: int, properties: dict[str, str] | None) -> bool:
    """Say whether the heading at START, up to END, is an inline task without an ID.

    Its words belong to the section around it.
    """
    return (
        text.startswith(TASK_STARS, start)
        and END_TASK.match(text, end) is not None
        and "ID" not in (properties or ())
    )
