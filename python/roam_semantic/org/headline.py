"""One heading line: TODO keyword, priority, title and tags, as Org takes it apart."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

DEFAULT_WORDS = frozenset(("TODO", "DONE"))
TAGS = re.compile(r":[\w@#%:]+:")
COOKIE = re.compile(r"\[\d+%\]|\[\d+/\d+\]")
DESCRIBED = re.compile(r"\[\[((?:[^\]\[\\]++|\\.)++)\](?:\[([^\n]+?)\])?\]", re.DOTALL)
WORD = re.compile(r"(.*?)(?:\(.*\))?")


def read_headline(
    rest: str, words: Collection[str] = DEFAULT_WORDS
) -> tuple[str | None, str | None, str, tuple[str, ...]]:
    """Return (todo, priority, title, own tags) of a heading without its stars.

    words: the TODO keywords of the file.  The title is as written, links and
    statistics cookies included; "" when the heading has no words.
    """
    rest = rest.strip(" ")
    if rest[-1:] == "\t":
        rest = rest.rstrip(" \t")
    tags: tuple[str, ...] = ()
    if rest[-1:] == ":":
        rest, tags = _cut_tags(rest)
    todo = priority = None
    head, _, tail = rest.partition(" ")
    if head in words:
        todo, rest = head, tail.lstrip(" ")
    if rest[:2] == "[#" and rest[3:4] == "]" and rest[4:5] in ("", " "):
        priority, rest = rest[2], rest[4:].lstrip(" ")
    return todo, priority, rest, tags


def _cut_tags(rest: str) -> tuple[str, tuple[str, ...]]:
    start = max(rest.rfind(" "), rest.rfind("\t")) + 1
    last = rest[start:]
    if len(last) < 3 or not (TAGS.fullmatch(last) or _has_marked_letters(last)):
        return rest, ()
    tags = tuple(tag for tag in last.split(":") if tag)
    return rest[:start].rstrip(" \t"), tags


def without_tags(rest: str) -> str:
    """Return a heading's line REST without trailing tags and blanks."""
    rest = rest.rstrip(" \t")
    return _cut_tags(rest)[0] if rest[-1:] == ":" else rest


def _has_marked_letters(last: str) -> bool:
    # Emacs counts combining marks (Devanagari vowels, emoji selectors) as letters.
    return (
        last[0] == ":"
        and not last.isascii()
        and all(
            char in ":_@#%" or char.isalnum() or unicodedata.category(char)[0] == "M"
            for char in last
        )
    )


def shown(title: str) -> str:
    """Return TITLE with links reduced to their description, as org-roam stores it."""
    if "[[" not in title:
        return title
    return DESCRIBED.sub(lambda link: link[2] or link[1], title)


def path_title(title: str) -> str:
    """Return TITLE as it stands in an outline path: no cookies, links reduced."""
    if "[" not in title:
        return title
    return shown(COOKIE.sub("", title)).strip(" \t")


def todo_words(values: Collection[str]) -> frozenset[str]:
    """Return the keywords declared by the VALUES of a file's `#+TODO` lines.

    One declaration is enough to put the defaults out of use.
    """
    words = (word for value in values for word in value.split() if word != "|")
    found = frozenset(match[1] for word in words if (match := WORD.fullmatch(word)))
    return found or DEFAULT_WORDS
