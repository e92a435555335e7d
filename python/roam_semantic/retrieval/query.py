"""What a person typed, read as text, quoted phrases and filters.

`tag:emacs -tag:draft title:"two words" file:daily/ todo:WAIT type:claim
since:2024-03 until:7d` are filters; everything else is text, whatever its
signs.  A word that looks like a filter but cannot be one is text as well, so
no query is a syntax error.
"""

from __future__ import annotations

import calendar
import re
from datetime import date, timedelta
from typing import get_args

import msgspec

from roam_semantic.errors import BadRequest
from roam_semantic.store.words import clean, query_terms
from roam_semantic.values import UnitType

MAX_CHARS = 8000
MAX_FILTERS = 32
TYPES = frozenset(get_args(UnitType))
FILTERS = ("tag", "title", "file", "todo", "type", "since", "until")

_PART = re.compile(
    rf"""(?<!\S)(?P<minus>-)?(?P<name>{"|".join(FILTERS)}):
           (?:"(?P<quoted>[^"]+)"|(?P<value>[^\s"]+))(?!\S)
       | (?<!\S)"(?P<phrase>[^"]*)"
       | (?P<text>\S+)""",
    re.VERBOSE | re.IGNORECASE,
)
_QUOTES = str.maketrans("\u201c\u201d\u201e\u00ab\u00bb", '"""""')
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")
_AGO = re.compile(r"(\d{1,4})([dwmy])", re.IGNORECASE)
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}


class Filter(msgspec.Struct, frozen=True):
    """One condition every hit must meet; since and until hold an ISO date."""

    name: str
    value: str
    negated: bool = False


class Query(msgspec.Struct, frozen=True):
    """A query, read.

    text: the free text with its phrases, without filters and quotes: what is
        embedded and compared with titles.
    phrases: what stood in quotes; these words must stand side by side.
    """

    text: str
    phrases: tuple[str, ...] = ()
    filters: tuple[Filter, ...] = ()

    @property
    def has_words(self) -> bool:
        """Return whether the text holds a word; signs alone find nothing."""
        return bool(query_terms(self.text))


def parse(text: str, today: date | None = None) -> Query:
    """Return TEXT as a Query; raise BadRequest when it is empty or very long.

    today: what `since:7d` counts from, by default this machine's date.
    """
    text = clean(text).strip()
    if not text:
        raise BadRequest("query is empty", "say what to look for")
    if len(text) > MAX_CHARS:
        raise BadRequest(
            f"query is {len(text)} characters long", f"use at most {MAX_CHARS} characters"
        )
    words: list[str] = []
    phrases: list[str] = []
    filters: list[Filter] = []
    for part in _PART.finditer(text.translate(_QUOTES)):
        found = _filter(part, today or date.today())
        if found is not None and len(filters) < MAX_FILTERS:
            filters.append(found)
        elif part["phrase"] is not None:
            phrases.append(part["phrase"])
            words.append(part["phrase"])
        else:
            words.append(part.group())
    return Query(
        text=" ".join(" ".join(words).split()),
        phrases=tuple(phrase for phrase in phrases if query_terms(phrase)),
        filters=tuple(filters),
    )


def _filter(part: re.Match[str], today: date) -> Filter | None:
    if part["name"] is None:
        return None
    name = part["name"].lower()
    value = part["quoted"] or part["value"]
    negated = part["minus"] is not None
    if name in ("since", "until"):
        days = _days(value, today)
        if days is None or negated:
            return None
        return Filter(name, days[name == "until"].isoformat())
    if name == "type":
        value = value.lower()
        return Filter(name, value, negated) if value in TYPES else None
    if name == "tag":
        value = value.strip("#:")
    return Filter(name, value, negated) if value.strip() else None


def _days(value: str, today: date) -> tuple[date, date] | None:
    """Return the first and last day VALUE names, or None when it names none."""
    value = value.lower()
    if value in ("today", "yesterday"):
        day = today - timedelta(days=value == "yesterday")
        return day, day
    ago = _AGO.fullmatch(value)
    if ago:
        day = date.fromordinal(max(1, today.toordinal() - int(ago[1]) * _DAYS[ago[2]]))
        return day, day
    named = _DATE.fullmatch(value)
    if not named:
        return None
    year, month, day_of_month = (int(number) if number else None for number in named.groups())
    try:
        first = date(year or 0, month or 1, day_of_month or 1)
    except ValueError:
        return None
    if day_of_month:
        return first, first
    last_month = month or 12
    return first, date(first.year, last_month, calendar.monthrange(first.year, last_month)[1])
