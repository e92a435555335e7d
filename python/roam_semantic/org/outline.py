"""Where planning lines and property drawers stand, and what inline tasks are."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from roam_semantic.org.drawer import drawer_end, properties
from roam_semantic.org.planning import PLANNING

COMMENT = re.compile(r"[ \t]*#(?: |\Z)")
END_TASK = re.compile(r"\*{15,}[ \t]+END[ \t]*\Z")
TASK_STARS = "*" * 15
# First characters of a planning line or a drawer.
META_STARTS = frozenset(" \t:CDScds")


class Meta(msgspec.Struct):
    """What stands above a heading's text; lines count from 0.

    first: line the text starts at.  properties: None without a drawer, which
    starts at line `drawer`.
    """

    first: int
    planning: str = ""
    properties: dict[str, str] | None = None
    drawer: int = -1


def top_meta(lines: Sequence[str], after: int) -> Meta:
    """Return the properties of the file itself; only comments may stand before them."""
    first = 0
    while first < after and COMMENT.match(lines[first]):
        first += 1
    end = drawer_end(lines, first, after)
    if not end:
        return Meta(first)
    return Meta(end + 1, "", properties(lines[first + 1 : end]), first)


def meta(lines: Sequence[str], first: int, after: int) -> Meta:
    """Return planning and properties above line FIRST, which a heading precedes."""
    if first >= after or lines[first][:1] not in META_STARTS:
        return Meta(first)
    planning = ""
    if PLANNING.match(lines[first]):
        planning = lines[first]
        first += 1
    end = drawer_end(lines, first, after)
    if not end:
        return Meta(first, planning)
    return Meta(end + 1, planning, properties(lines[first + 1 : end]), first)


def is_task_end(line: str) -> bool:
    """Say whether LINE is the END of an inline task.

    What stands below it belongs to the section around the task again.
    """
    return END_TASK.match(line) is not None


def is_task(line: str, next_heading: str, properties: dict[str, str] | None) -> bool:
    """Say whether heading LINE is an inline task without an ID.

    Its words belong to the section around it.
    """
    return (
        line.startswith(TASK_STARS)
        and is_task_end(next_heading)
        and "ID" not in (properties or ())
    )
