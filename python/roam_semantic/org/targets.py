"""What a link points to: its type, its destination, citation keys."""

from __future__ import annotations

import re
from collections.abc import Mapping

TYPES = (
    "attachment", "bbdb", "bibtex", "docview", "doi", "elisp", "eww", "file+emacs", "file+sys",
    "file", "ftp", "gnus", "help", "https", "http", "id", "info", "irc", "mailto", "mhe", "news",
    "rmail", "roam", "shell", "w3m",
)  # fmt: skip
# Types of the org-ref package: their paths are citation keys.
CITE_TYPES = (
    "autocite", "citealp", "citealt", "citeauthor", "citenum", "citep", "citet", "citeyear",
    "cite", "footcite", "fullcite", "nocite", "parencite", "textcite",
)  # fmt: skip
_ALL_TYPES = "|".join(re.escape(name) for name in (*TYPES, *CITE_TYPES))
_LAST = "".join({name[-1] for name in (*TYPES, *CITE_TYPES)})
LAST_LETTERS = frozenset(_LAST + _LAST.upper())
LONGEST = max(map(len, (*TYPES, *CITE_TYPES)))

# An apostrophe is part of a word in Org's syntax table, an underscore is not.
TYPE = re.compile(rf"(?<![^\W_])(?<!['$%])(?:{_ALL_TYPES})\Z", re.IGNORECASE)
TYPED = re.compile(rf"({_ALL_TYPES}):", re.IGNORECASE)
KEY = re.compile(r"@([-.:?!`'/*@+|(){}<>&_^$#%~\w]+)")
WRAP = re.compile(r"[ \t]*\n[ \t]*")
ESCAPES = re.compile(r"(\\+)(?=[\]\[]|\Z)")
OPTION = re.compile(r"::.*\Z", re.DOTALL)
SLASHES = re.compile(r"\A///*(.:)?/")


def trimmed(path: str) -> str:
    """Return PATH without the punctuation that ends the sentence, not the link."""
    end = len(path)
    while end and not (path[end - 1].isalnum() or path[end - 1] in "/)"):
        end -= 1
    return path[:end]


def resolved(kind: str, path: str) -> tuple[str, str]:
    """Return type and destination of a link of type KIND to PATH, without options."""
    if kind == "id":
        return kind, path.partition("::")[0]
    if kind.startswith("file"):
        path = OPTION.sub("", path)
        return "file", SLASHES.sub(lambda found: f"{found[1] or ''}/", path)
    return kind, path


def resolved_bracket(raw: str, abbreviations: Mapping[str, str]) -> tuple[str, str]:
    """Return type and destination of `[[RAW]]`.

    abbreviations: name → replacement, from the file's `#+LINK` lines.
    """
    if raw[:3] == "id:" and "\\" not in raw and "\n" not in raw:
        return "id", raw[3:].partition("::")[0]
    target = WRAP.sub(" ", raw) if "\n" in raw else raw
    if "\\" in target:
        target = ESCAPES.sub(lambda found: "\\" * (len(found[1]) // 2), target)
    if abbreviations:
        target = _expanded(target, abbreviations)
    if target.startswith(("/", "~", "./", "../")):
        return resolved("file", target)
    typed = TYPED.match(target)
    if typed is not None:
        return resolved(typed[1].lower(), target[typed.end() :])
    if target[0:1] == "(" and target.endswith(")"):
        return "coderef", target[1:-1]
    if target[0:1] == "#":
        return "custom-id", target[1:]
    return "fuzzy", target


def _expanded(target: str, abbreviations: Mapping[str, str]) -> str:
    name, _, tag = target.partition(":")
    replacement = abbreviations.get(name)
    if replacement is None:
        return target
    tag = tag.removeprefix(":")
    if "%s" in replacement:
        return replacement.replace("%s", tag, 1)
    return replacement + tag


def link_of(piece: str) -> tuple[str, str] | None:
    """Return (type, path) of the first link in PIECE, one entry of ROAM_REFS.

    A blank in it is part of the path: the entry stood in quotes.
    """
    colon = piece.find(":")
    while colon >= 0:
        kind = TYPE.search(piece, max(0, colon - LONGEST), colon)
        if kind is not None:
            path = trimmed(piece[colon + 1 :].partition("]")[0])
            return (kind[0].lower(), path) if path else None
        colon = piece.find(":", colon + 1)
    return None


def split_keys(path: str) -> list[str]:
    """Return the citation keys in the PATH of an org-ref link: `a,b` or `&a;&b`."""
    return [key.strip("&@ ") for key in re.split("[,;]", path) if key.strip("&@ ")]
