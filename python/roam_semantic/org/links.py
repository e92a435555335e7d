"""Links and citations of a file, found as org-element finds them.

Work goes with the number of colons and brackets, not of characters (they are
looked for with `find`, which is far faster than any pattern), and no stretch
is looked at more than a fixed number of times: a line of two megabytes costs
what as much text in short lines costs.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence

from roam_semantic.org.elements import Elements

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
LONGEST = max(map(len, (*TYPES, *CITE_TYPES)))

# The counts bound what an unclosed bracket can cost.
BRACKET = re.compile(
    r"\[\[((?:[^\]\[\\]++|\\(?:\\\\)*+[\]\[]|\\+[^\]\[])++)\]"
    r"(?:\[([^\]]++(?:\](?!\])[^\]]*+){0,50}+)\])?\]"
)
LAST_LETTERS = frozenset(_LAST + _LAST.upper())
NO_PATH = frozenset(("", " ", "\t", "\n", ":", "[", "]", "<", ">"))
# An apostrophe is part of a word in Org's syntax table, an underscore is not.
TYPE = re.compile(rf"(?<![^\W_])(?<!')(?:{_ALL_TYPES})\Z", re.IGNORECASE)
TYPED = re.compile(rf"({_ALL_TYPES}):", re.IGNORECASE)
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
BREAK = re.compile(r"\n[ \t]*(?:\n|[-+] |\d+[.)][ \t]|\||#\+|\*+ |:END:|\Z)", re.IGNORECASE)
# What hides a link: =verbatim=, ~code~, LaTeX, macros, export snippets.
HIDDEN = re.compile(
    r"""(?:(?<=[-\s('"{])|(?<![\s\S]))([=~])(?=\S)[^\n]{1,1000}?(?:\n[^\n]{0,1000}?)??(?<=\S)\1
        (?=[-\s.,:!?;'")}\[]|\Z)
      | \\\(.{1,1000}?\\\) | \\\[.{1,1000}?\\\] | \{\{\{.{1,1000}?\}\}\} | @@.{1,1000}?@@""",
    re.VERBOSE | re.DOTALL,
)
# Keywords that belong to the element below them; only a caption holds objects.
AFFILIATED = re.compile(
    r"#\+(?:attr_\S+|data|headers?|label|name|plot|resname|results?|source|srcname|tblname|call)"
    r"(?:\[[^\]\n]*\])?:|#\+(?:begin|end)",
    re.IGNORECASE,
)
MARK = re.compile(r"[=~](?=\S)|\\[(\[]|\{\{\{|@@")
LONGEST_CITATION = 4000
LONGEST_HIDDEN = 2200
# First characters of lines that may hide a link or part it.
WATCHED = frozenset(" \t#:|")

# start (offset from 0), type, destination, line (from 0)
Found = tuple[int, str, str, int]


def find_links(
    text: str, elements: Elements, abbreviations: Mapping[str, str] | None = None
) -> list[Found]:
    """Return the links and citations of TEXT, in order.

    elements: its lines, and where no link can be.
    abbreviations: name → replacement, from the file's `#+LINK` lines.
    """
    return _Search(text, elements, abbreviations or {}).run()


class _Search:
    __slots__ = (
        "abbreviations", "after", "found", "lines", "marks", "number", "opaque", "starts", "text",
    )  # fmt: skip

    def __init__(self, text: str, elements: Elements, abbreviations: Mapping[str, str]) -> None:
        self.text, self.abbreviations = text, abbreviations
        self.lines, self.starts, self.opaque = elements.lines, elements.starts, elements.opaque
        # after: end of the last link; number: line of the link in hand.
        self.after = self.number = 0
        self.marks = [
            mark for mark in ("=", "~", "\\", "{{{", "@@") if mark[0] in text and mark in text
        ]
        self.found: list[Found] = []

    def run(self) -> list[Found]:
        text, find, match = self.text, self.text.find, BRACKET.match
        at = find("[")
        colon = find(":")
        while at >= 0:
            bracket = match(text, at)
            if bracket is None:
                at = find("[", at + 1)
                continue
            if 0 <= colon < at:
                self.bare(colon, at)
            end = bracket.end()
            if self.allowed(at, end):
                raw = bracket[1]
                if raw[:3] == "id:" and "::" not in raw and "\n" not in raw:
                    self.found.append((at, "id", raw[3:], self.number))
                else:
                    self.add_bracket(at, raw)
            self.after = end
            colon = find(":", end)
            at = find("[", end)
        if colon >= 0:
            self.bare(colon, len(text))
        if "@" in text and "[cite" in text:
            self.after = 0
            self.citations()
            self.found.sort(key=_start)
        return self.found

    def add_bracket(self, start: int, raw: str) -> None:
        kind, dest = resolved_bracket(raw, self.abbreviations)
        keys = split_keys(dest) if kind in CITE_TYPES else None
        self.add(start, kind, dest, keys)

    def add(self, start: int, kind: str, dest: str, keys: Sequence[str] | None) -> None:
        if keys is None:
            self.found.append((start, kind, dest, self.number))
        else:
            self.found += [(start, "cite", key, self.number) for key in keys]

    def bare(self, colon: int, end: int) -> None:
        """Take the plain and angle links from the colon at COLON on to END."""
        text = self.text
        while 0 <= colon < end:
            if text[colon - 1] in LAST_LETTERS and text[colon + 1 : colon + 2] not in NO_PATH:
                kind = TYPE.search(text, max(self.after, colon - LONGEST), colon)
                if kind is not None:
                    self.typed(kind.start(), colon)
            colon = text.find(":", max(colon + 1, self.after), end)

    def typed(self, start: int, colon: int) -> None:
        text = self.text
        kind = text[start:colon].lower()
        before = text[start - 1] if start > self.after else ""
        path, end = "", colon
        if before == "<":
            angle = ANGLE.match(text, colon + 1)
            if angle is not None:
                path, end, start = WRAP.sub("", angle[0][:-1]), angle.end(), start - 1
        if not path:
            plain = PATH.match(text, colon + 1)
            path = trimmed(plain[0]) if plain else ""
            end = colon + 1 + len(path)
        citation = kind in CITE_TYPES
        # `[cite:` is a citation, and no link.
        if len(path) < 2 or citation and before == "[" or not self.allowed(start, end):
            return
        self.add(start, *resolved(kind, path), split_keys(path) if citation else None)
        self.after = end

    def citations(self) -> None:
        text, at = self.text, 0
        while (head := CITE.search(text, at)) is not None:
            at = head.end()
            start, close = head.start(), _closing(text, head.start())
            if close > 0 and KEY.search(text, at, close) and self.allowed(start, close):
                for begin, key in _cited(text, at, close):
                    self.add(begin, "cite", key, None)
                at = self.after = close

    def allowed(self, start: int, end: int) -> bool:
        """Say whether Org sees a link in TEXT[START:END] and not something else."""
        starts = self.starts
        number = self.number = bisect_right(starts, start) - 1
        if number in self.opaque:
            return False
        line = self.lines[number]
        if line[:1] in WATCHED and not self.watched(line, start, end):
            return False
        if end > starts[number + 1] and BREAK.search(self.text, start, end):
            return False
        if self.marks:
            # No hiding mark reaches further than to the next line.
            begin = max(self.after, starts[number - 1] if number else 0)
            find = self.text.find
            for mark in self.marks:
                if find(mark, begin, start) >= 0:
                    return not self.hidden(begin, start)
        return True

    def watched(self, line: str, start: int, end: int) -> bool:
        """Say whether LINE, a link starts in, is one that can hold it."""
        stripped = line.lstrip(" \t")
        first, second = stripped[:1], stripped[1:2]
        if first in ("#", ":") and second in ("", " "):
            return False
        if first == "#" and second == "+":
            inside = end <= self.starts[self.number + 1]
            return inside and not self.affiliated(stripped)
        return first != "|" or self.text.find("|", start, end) < 0

    def affiliated(self, line: str) -> bool:
        """Say whether LINE belongs to what stands below it, so that it holds no link."""
        if AFFILIATED.match(line) is None:
            return False
        below = self.number + 1
        return line[2:5].lower() in ("beg", "end") or (
            below < len(self.lines) and bool(self.lines[below].strip())
        )

    def hidden(self, begin: int, start: int) -> bool:
        """Say whether =verbatim= or the like that opens after BEGIN covers START."""
        text = self.text
        while (opening := MARK.search(text, begin, start + 1)) is not None:
            hiding = HIDDEN.match(text, opening.start(), start + LONGEST_HIDDEN)
            if hiding is None:
                begin = opening.end()
            elif hiding.end() > start:
                return True
            else:
                begin = hiding.end()
        return False


def _start(link: Found) -> int:
    return link[0]


def _cited(text: str, begin: int, close: int) -> list[tuple[int, str]]:
    """Return the references of a citation, each where org-element lets it begin."""
    found: list[tuple[int, str]] = []
    first = KEY.search(text, begin, close)
    prefix = text.rfind(";", begin, first.end()) if first else -1
    begin = begin if prefix < 0 else prefix + 1
    while begin and (key := KEY.search(text, begin, close)) is not None:
        found.append((begin, key[1]))
        begin = text.find(";", key.end(), close) + 1
    return found


def _closing(text: str, start: int) -> int:
    """Return where the bracket opened at START closes, -1 if nowhere near."""
    depth = 0
    for at in range(start, min(len(text), start + LONGEST_CITATION)):
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
