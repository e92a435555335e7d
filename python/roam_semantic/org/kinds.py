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
# Headings below these are of the kind their parent names.
COLLECTIONS = frozenset(("claims", "concepts", "definitions", "themes"))
TRANSCRIPTS = frozenset(("transcript", "raw transcript", "raw notes"))

_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?"
_DATE = r"\d{4}-\d{2}-\d{2}(?: [^\]>\n]*)?"
# A mark in brackets may have words behind it: `[00:12:30] Why sails turn`.
TIME_MARK = re.compile(rf"[\[(<]{_CLOCK}(?:\s*[-–—]\s*{_CLOCK})?[\])>]|\d{{1,2}}:\d{{2}}:\d{{2}}\b")
# Nothing but a time, a range of times, or a date.
ONLY_TIME = re.compile(
    rf"(?:[\[<]{_DATE}[\]>]|\d{{4}}-\d{{2}}-\d{{2}}|{_CLOCK})"
    rf"(?:\s*[-–—]+\s*(?:[\[<]{_DATE}[\]>]|{_CLOCK}))?"
)


def kind_of(title: str) -> UnitType:
    """Return the kind of unit a heading with TITLE starts, "heading" if nothing special."""
    name = title.rstrip(" :").lower()
    if name in KINDS:
        return KINDS[name]
    if title[:1] in "[(<0123456789" and is_time_mark(title):
        return "timestamp"
    label, colon, _ = name.partition(":")
    if colon and label in LABELS:
        return KINDS[label]
    return "heading"


def is_time_mark(title: str) -> bool:
    """Say whether TITLE is only a time or starts with a mark such as `[00:12:30]`."""
    return bool(TIME_MARK.match(title) or ONLY_TIME.fullmatch(title.strip()))


def is_transcript(title: str) -> bool:
    """Say whether the own text of a heading with TITLE is raw speech, left out of units."""
    return title.rstrip(" :").lower() in TRANSCRIPTS


def is_collection(title: str) -> bool:
    """Say whether each heading below TITLE is of the kind it names."""
    return title.rstrip(" :").lower() in COLLECTIONS
