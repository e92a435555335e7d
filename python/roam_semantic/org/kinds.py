"""What a heading's words say about the kind of text below it."""

from __future__ import annotations

import re

from roam_semantic.values import UnitType

KINDS: dict[str, UnitType] = {
    "summary": "summary",
    "tl;dr": "summary",
    "tldr": "summary",
    "abstract": "summary",
    "claim": "claim",
    "claims": "claim",
    "concept": "concept",
    "concepts": "concept",
    "definition": "concept",
    "definitions": "concept",
    "theme": "theme",
    "themes": "theme",
    "metadata": "metadata",
}
# `Claim: bees see violet` is one; `Theme: …` and `Definition: …` likewise.
LABELS = frozenset(("claim", "concept", "definition", "theme", "summary", "tl;dr"))
# Headings right below these are of the kind they name.
COLLECTIONS = frozenset(("claims", "concepts", "definitions", "themes"))
# Raw speech, left out of units.
TRANSCRIPTS = frozenset(("transcript", "raw transcript", "raw notes"))

TIME_STARTS = frozenset("[(<0123456789")
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?"
_DATE = r"\d{4}-\d{2}-\d{2}(?: [^\]>\n]*)?"
# A mark in brackets may have words behind it: `[00:12:30] Why sails turn`.
TIME_MARK = re.compile(rf"[\[(<]{_CLOCK}(?:\s*[-–—]\s*{_CLOCK})?[\])>]|\d{{1,2}}:\d{{2}}:\d{{2}}\b")
# Nothing but a time, a range of times, or a date.
ONLY_TIME = re.compile(
    rf"(?:[\[<]{_DATE}[\]>]|\d{{4}}-\d{{2}}-\d{{2}}|{_CLOCK})"
    rf"(?:\s*[-–—]+\s*(?:[\[<]{_DATE}[\]>]|{_CLOCK}))?\s*"
)


def heading_name(title: str) -> str:
    """Return TITLE as the names above are written: lower case, no final colon."""
    return title.rstrip(" :").lower()


def kind_of(name: str) -> UnitType:
    """Return the kind of unit a heading called NAME starts, "heading" if nothing special.

    name: as `heading_name` makes it.
    """
    if name in KINDS:
        return KINDS[name]
    if name[:1] in TIME_STARTS and is_time_mark(name):
        return "timestamp"
    if ":" in name:
        label = name.partition(":")[0]
        if label in LABELS:
            return KINDS[label]
    return "heading"


def is_time_mark(title: str) -> bool:
    """Say whether TITLE is only a time or starts with a mark such as `[00:12:30]`."""
    return bool(TIME_MARK.match(title) or ONLY_TIME.fullmatch(title))
