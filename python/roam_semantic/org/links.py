"""Links and citations in running text, found as org-element finds them.

Work goes with the number of colons and brackets, not of characters, and never
twice over the same stretch: a line of two megabytes is as cheap as many short
ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

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
LAST_LETTERS = frozenset(name[-1] for name in (*TYPES, *CITE_TYPES))
LAST_LETTERS |= {letter.upper() for letter in LAST_LETTERS}
LONGEST = max(map(len, (*TYPES, *CITE_TYPES)))

# An apostrophe is part of a word in Org's syntax table, an underscore is not.
TYPE = re.compile(rf"(?<![^\W_])(?<!')(?:{_ALL_TYPES})\Z", re.IGNORECASE)
TYPED = re.compile(rf"({_ALL_TYPES}):", re.IGNORECASE)
OPENING = re.compile(r"\[(?:\[|cite[:/])")
COLON = re.compile(r":(?=[^\s:\]\[<>])")
TARGET = re.compile(r"\[\[((?:[^\]\[\\]++|\\(?:\\\\)*+[\]\[]|\\+[^\]\[])++)\]")
_NAKED = r"[^\]\[ \t\n()<>]++"
_NESTED = rf"\((?:{_NAKED}|\([^\]\[ \t\n()<>]*+\))*+\)"
PATH = re.compile(rf"(?:{_NAKED}|{_NESTED})++")
ANGLE = re.compile(r"[^>\n]{0,2000}(?:\n[ \t]*[^> \t\n][^>\n]{0,2000}){0,9}>")
CITE = re.compile(r"\[cite(?:/[\w/-]+)?:[\t\n ]*")
KEY = re.compile(r"@([-.:?!`'/*@+|(){}<>&_^$#%~\w]+)")
WRAP = re.compile(r"[ \t]*\n[ \t]*")
ESCAPES = re.compile(r"(\\+)(?=[\]\[]|\Z)")
OPTION = re.compile(r"::.*\Z", re.DOTALL)
SLASHES = re.compile(r"\A///*(.:)?/")
# Where a paragraph ends although the text goes on.
BREAK = re.compile(r"\n[ \t]*(?:\n|[-+] |\d+[.)][ \t]|\||#\+|:END:|\Z)", re.IGNORECASE)
# What hides a link: =verbatim=, ~code~, LaTeX, macros, export snippets.
HIDDEN = re.compile(
    r"""(?:(?<=[-\s('"{])|(?<![\s\S]))([=~])(?=\S)[^\n]{1,1000}?(?:\n[^\n]{0,1000}?)??(?<=\S)\1
        (?=[-\s.,:!?;'")}\[]|\Z)
      | \\\(.{1,1000}?\\\) | \\\[.{1,1000}?\\\] | \{\{\{.{1,1000}?\}\}\} | @@.{1,1000}?@@""",
    re.VERBOSE | re.DOTALL,
)
# A longer description is an unclosed bracket.
LONGEST_DESCRIPTION = 4000


class Found(msgspec.Struct, frozen=True):
    """A link as it stands: type "" means that DEST is the raw text in brackets.

    start: offset in the text, from 0.
    """

    start: int
    type: str
    dest: str


def find_links(text: str, start: int, end: int) -> list[Found]:
    """Return the links and citations of TEXT[START:END], in order.

    The stretch starts at the start of a line (or in a heading) and holds no
    block, keyword or other element without links.
    """
    return _Search(text, start, end).run()


class _Search:
    __slots__ = ("at", "end", "found", "line", "seen", "text")

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text, self.end = text, end
        # at: end of the last link; line: start of the line `seen` stands in.
        self.at = self.line = self.seen = start
        self.found: list[Found] = []

    def run(self) -> list[Found]:
        text, end, opening = self.text, self.end, OPENING.search
        at = self.at
        while True:
            bracket = opening(text, at, end)
            stop = bracket.start() if bracket else end
            self.bare(stop)
            if bracket is None:
                return self.found
            after = self.cited(stop) if text[stop + 1] == "c" else self.bracketed(stop)
            if after is None:
                at = stop + 1
            else:
                at = self.at = after

    def bare(self, stop: int) -> None:
        """Take the plain and angle links between the last link and STOP."""
        text, start = self.text, self.at
        for colon in COLON.finditer(text, start, stop):
            at = colon.start()
            if at <= start or text[at - 1] not in LAST_LETTERS or at < self.at:
                continue
            kind = TYPE.search(text, max(start, at - LONGEST), at)
            if kind is not None:
                self.typed(kind.start(), at)

    def typed(self, start: int, colon: int) -> None:
        text = self.text
        kind = text[start:colon].lower()
        path = ""
        after = colon
        if start > self.at and text[start - 1] == "<":
            angle = ANGLE.match(text, colon + 1, self.end)
            if angle is not None:
                path, after, start = WRAP.sub("", angle[0][:-1]), angle.end(), start - 1
        if not path:
            plain = PATH.match(text, colon + 1, self.end)
            path = trimmed(plain[0]) if plain else ""
            after = colon + 1 + len(path)
        if len(path) > 1 and self.allowed(start, after):
            self.add(start, kind, path)
            self.at = after

    def add(self, start: int, kind: str, path: str) -> None:
        if kind in CITE_TYPES:
            self.found += [Found(start, "cite", key) for key in split_keys(path)]
        else:
            self.found.append(Found(start, *resolved(kind, path)))

    def bracketed(self, start: int) -> int | None:
        """Take the link at START; return where it ends, None when it is none."""
        text = self.text
        target = TARGET.match(text, start, self.end)
        if target is None:
            return None
        after = target.end()
        if text[after : after + 1] == "[":
            close = text.find("]]", after + 2, min(self.end, after + LONGEST_DESCRIPTION))
            after = close + 2
            if close < 0:
                return None
        elif text[after : after + 1] == "]" and after < self.end:
            after += 1
        else:
            return None
        if not self.allowed(start, after):
            return None
        self.found.append(Found(start, "", target[1]))
        return after

    def cited(self, start: int) -> int | None:
        """Take the citation at START; return where it ends, None when it is none."""
        text = self.text
        head = CITE.match(text, start, self.end)
        close = _closing(text, start, self.end) if head else -1
        if head is None or close < 0 or not self.allowed(start, close):
            return None
        first = KEY.search(text, head.end(), close)
        if first is None:
            return None
        prefix = text.rfind(";", head.end(), first.end())
        begin = head.end() if prefix < 0 else prefix + 1
        while (key := KEY.search(text, begin, close)) is not None:
            self.found.append(Found(begin, "cite", key[1]))
            begin = text.find(";", key.end(), close) + 1
            if not begin:
                break
        return close + 1

    def allowed(self, start: int, after: int) -> bool:
        """Say whether Org sees a link in TEXT[START:AFTER] and not something else."""
        text = self.text
        newline = text.rfind("\n", self.seen, start)
        if newline >= 0:
            self.line = newline + 1
        self.seen = start
        mark = self.line
        while text[mark : mark + 1] in (" ", "\t"):
            mark += 1
        first, second = text[mark : mark + 1], text[mark + 1 : mark + 2]
        if first in "#:" and second in (" ", "\n", "") and first:
            return False
        if first == "|" and text.find("|", start, after) >= 0:
            return False
        if text.find("\n", start, after) >= 0 and BREAK.search(text, start, after):
            return False
        return not self.hidden(start)

    def hidden(self, start: int) -> bool:
        text, at = self.text, self.at
        find = text.find
        if (
            find("=", at, start) < 0
            and find("~", at, start) < 0
            and find("\\", at, start) < 0
            and find("{{{", at, start) < 0
            and find("@@", at, start) < 0
        ):
            return False
        at = max(at, text.rfind("\n\n", at, start))
        for hiding in HIDDEN.finditer(text, at, self.end):
            if hiding.start() >= start:
                return False
            if hiding.end() > start:
                return True
        return False


def _closing(text: str, start: int, end: int) -> int:
    """Return where the bracket opened at START closes, -1 if nowhere near."""
    depth = 0
    for at in range(start, min(end, start + LONGEST_DESCRIPTION)):
        char = text[at]
        if char == "[":
            depth += 1
        elif char == "]":
            depth -= 1
            if not depth:
                return at
    return -1


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
    for colon in COLON.finditer(piece):
        kind = TYPE.search(piece, max(0, colon.start() - LONGEST), colon.start())
        if kind is not None:
            path = piece[colon.end() :].partition("]")[0]
            return kind[0].lower(), trimmed(path)
    return None


def split_keys(path: str) -> list[str]:
    """Return the citation keys in the PATH of an org-ref link: `a,b` or `&a;&b`."""
    return [key.strip("&@ ") for key in re.split("[,;]", path) if key.strip("&@ ")]
