"""Where planning lines and property drawers stand, and what inline tasks are."""

from __future__ import annotations

import re

import msgspec

from roam_semantic.org.drawer import DRAWER, properties
from roam_semantic.org.planning import PLANNING

COMMENTS = re.compile(r"(?:[ \t]*#(?: .*)?\n)*")
END_TASK = re.compile(r"\*{15,}[ \t]+END[ \t]*(?:\n|\Z)")
TASK_STARS = "*" * 15
# First characters of a planning line or a drawer.
META_STARTS = frozenset(" \t:CDScds")


class Meta(msgspec.Struct):
    """What stands above a heading's text.

    text_start: offset of the text below it.  drawer: text between the first
    and the last line of the property drawer, which start at `drawer_start`.
    """

    text_start: int
    planning: str
    properties: dict[str, str]
    drawer: str
    drawer_start: int


def top_meta(text: str, end: int) -> Meta | None:
    """Return the properties of the file itself; only comments may stand before them."""
    start = 0
    if text.startswith(("#", " ", "\t"), 0, end):
        comments = COMMENTS.match(text, 0, end)
        start = comments.end() if comments else 0
    return _meta(text, start, end, "")


def meta(text: str, start: int, end: int) -> Meta | None:
    """Return planning and properties at START, below the line of a heading, if any.

    The character there is one of META_STARTS, or there is nothing to find.
    """
    if text[start] == ":":
        return _meta(text, start, end, "")
    planning = PLANNING.match(text, start, end)
    if planning is None:
        return _meta(text, start, end, "")
    after = planning.end()
    return _meta(text, after, end, planning[0]) or Meta(after, planning[0], {}, "", -1)


def _meta(text: str, start: int, end: int, planning: str) -> Meta | None:
    drawer = DRAWER.match(text, start, end)
    if drawer is None:
        return None
    return Meta(drawer.end(), planning, properties(drawer[1]), drawer[1], start)


def is_task_end(text: str, start: int) -> bool:
    """Say whether the heading at START is the END of an inline task.

    What stands below it belongs to the section around the task again.
    """
    return text.startswith(TASK_STARS, start) and END_TASK.match(text, start) is not None


def is_task(text: str, start: int, end: int, found: Meta | None) -> bool:
    """Say whether the heading at START, up to END, is an inline task without an ID.

    Its words belong to the section around it.
    """
    return (
        text.startswith(TASK_STARS, start)
        and END_TASK.match(text, end) is not None
        and (found is None or "ID" not in found.properties)
    )
