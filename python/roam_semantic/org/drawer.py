"""Property drawers and what org-roam keeps in them: ids, aliases, refs."""

from __future__ import annotations

import re

from roam_semantic.org.targets import KEY, link_of, split_keys
from roam_semantic.values import Ref

# A drawer with one line that is no property is no property drawer at all.
DRAWER = re.compile(
    r"[ \t]*:PROPERTIES:[ \t]*\n((?:[ \t]*:(?!END:[ \t]*(?:\n|\Z))\S+:(?: .*)?[ \t]*\n)*+)"
    r"[ \t]*:END:[ \t]*(?:\n|\Z)",
    re.IGNORECASE,
)
# What Emacs' syntax table calls white space.
BLANKS = re.compile(r"[\t\n\f\r \xa0\u2000-\u200b\u202f\u205f\u3000]+")
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
ESCAPED = re.compile(r"\\(.)", re.DOTALL)
CITATION = re.compile(r"\[cite(?:/[\w/-]+)?:[^\]]*\]?")
REF = re.compile(rf'{CITATION.pattern}|{QUOTED.pattern}|[^\s"]+', re.DOTALL)


def properties(lines: str) -> dict[str, str]:
    """Return name → value of the LINES of a property drawer; names in upper case.

    The first value of a name counts, `:NAME+:` adds to it, "nil" is no value.
    """
    found: dict[str, str] = {}
    added: list[tuple[str, str]] = []
    for line in lines.split("\n"):
        stripped = line.strip(" \t")
        if not stripped:
            continue
        name, colon, value = stripped[1:].partition(": ")
        name = (name if colon else stripped[1:-1]).upper()
        value = value.lstrip(" \t")
        if name[-1:] == "+":
            added.append((name[:-1], value))
        elif name not in found:
            found[name] = value
    for name, value in added:
        found[name] = f"{found[name]} {value}" if name in found else value
    if "nil" in found.values():
        return {name: value for name, value in found.items() if value != "nil"}
    return found


def aliases(value: str) -> tuple[str, ...]:
    """Return the entries of ROAM_ALIASES, a shell-like list, each once."""
    if '"' not in value:
        return tuple(dict.fromkeys(filter(None, BLANKS.split(value))))
    found: list[str] = []
    at = 0
    for quoted in QUOTED.finditer(value):
        found += BLANKS.split(value[at : quoted.start()])
        found.append(ESCAPED.sub(r"\1", quoted[1]))
        at = quoted.end()
    found += BLANKS.split(value[at:].replace('"', ""))
    return tuple(dict.fromkeys(filter(None, found)))


def refs(value: str) -> tuple[Ref, ...]:
    """Return the entries of ROAM_REFS: URLs without scheme, every citation key.

    A piece that is neither is left out, as org-roam does.
    """
    found: dict[Ref, None] = {}
    for match in REF.finditer(value):
        piece = ESCAPED.sub(r"\1", match[1]) if match[1] is not None else match[0]
        found.update(dict.fromkeys(_refs_of(piece)))
    return tuple(found)


def _refs_of(piece: str) -> list[Ref]:
    if piece.startswith("@"):
        key = piece[1:].rstrip("]")
        return [Ref(key, "cite")] if key else []
    if piece.startswith("[cite"):
        return [Ref(key[1], "cite") for key in KEY.finditer(piece)]
    link = link_of(piece)
    if link is None:
        return []
    kind, path = link
    if kind == "cite":
        return [Ref(key, "cite") for key in split_keys(path)]
    return [Ref(path, kind)]
