"""Links and citations of a file, found as org-element finds them.

Work goes with the number of colons and brackets, not of characters, and no
stretch is looked at more than a fixed number of times: a line of two
megabytes costs what as much text in short lines costs.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence

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
_LAST = "".join(sorted({name[-1] for name in (*TYPES, *CITE_TYPES)}))
LONGEST = max(map(len, (*TYPES, *CITE_TYPES)))

# Each pattern starts with a literal, which Python finds as fast as memchr.
# The counts bound what an unclosed bracket can cost.
BRACKET = re.compile(
    r"\[\[((?:[^\]\[\\]++|\\(?:\\\\)*+[\]\[]|\\+[^\]\[])++)\]"
    r"(?:\[([^\]]++(?:\](?!\])[^\]]*+){0,50}+)\])?\]"
)
COLON = re.compile(rf":(?<=[{_LAST}{_LAST.upper()}]:)(?=[^\s:\]\[<>])")
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
    r"(?:\[[^\]\n]*\])?:.*\n(?=.)|#\+(?:begin|end)",
    re.IGNORECASE,
)
MARK = re.compile(r"[=~](?=\S)|\\[(\[]|\{\{\{|@@")
LONGEST_CITATION = 4000
LONGEST_HIDDEN = 2200
# First characters of lines that may hide a link or part it.
WATCHED = frozenset(" \t#:|")

Span = tuple[int, int]
# start (offset from 0), type, destination
Found = tuple[int, str, str]


def find_links(
    text: str, opaque: Sequence[Span] = (), abbreviations: Mapping[str, str] | None = None
) -> list[Found]:
    """Return the links and citations of TEXT, in order.

    opaque: sorted (start, end) of blocks whose text is no Org text.
    abbreviations: name → replacement, from the file's `#+LINK` lines.
    """
    return _Search(text, opaque, abbreviations or {}).run()


class _Search:
    __slots__ = ("abbreviations", "after", "found", "line", "marks", "opaque", "seen", "text")

    def __init__(self, text: str, opaque: Sequence[Span], abbreviations: Mapping[str, str]) -> None:
        self.text, self.opaque, self.abbreviations = text, opaque, abbreviations
        # after: end of the last link; line: start of the line that `seen` stands in.
        self.after = self.line = self.seen = 0
        self.marks = [mark for mark in ("=", "~", "\\", "{{{", "@@") if mark in text]
        self.found: list[Found] = []

    def run(self) -> list[Found]:
        text = self.text
        if "[[" in text:
            for bracket in BRACKET.finditer(text):
                start, end = bracket.span()
                self.bare(start)
                if self.allowed(start, end):
                    self.add_bracket(start, bracket[1])
                self.after = end
        self.bare(len(text))
        if "[cite" in text:
            self.after = self.line = self.seen = 0
            self.citations()
            self.found.sort(key=_start)
        return self.found

    def add_bracket(self, start: int, raw: str) -> None:
        if raw.startswith("id:") and "::" not in raw and "\n" not in raw:
            self.found.append((start, "id", raw[3:]))
            return
        kind, dest = resolved_bracket(raw, self.abbreviations)
        if kind in CITE_TYPES:
            self.found += [(start, "cite", key) for key in split_keys(dest)]
        else:
            self.found.append((start, kind, dest))

    def bare(self, end: int) -> None:
        """Take the plain and angle links between the last link and END."""
        text = self.text
        colon = COLON.search(text, self.after, end)
        while colon is not None:
            at = colon.start()
            kind = TYPE.search(text, max(self.after, at - LONGEST), at)
            if kind is not None:
                self.typed(kind.start(), at)
            colon = COLON.search(text, max(at + 1, self.after), end)

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
        if citation:
            self.found += [(start, "cite", key) for key in split_keys(path)]
        else:
            self.found.append((start, *resolved(kind, path)))
        self.after = end

    def citations(self) -> None:
        text, at = self.text, 0
        while (head := CITE.search(text, at)) is not None:
            at = head.end()
            start, close = head.start(), _closing(text, head.start())
            if close > 0 and KEY.search(text, at, close) and self.allowed(start, close):
                self.found += _cited(text, at, close)
                at = self.after = close

    def allowed(self, start: int, end: int) -> bool:
        """Say whether Org sees a link in TEXT[START:END] and not something else."""
        text = self.text
        newline = text.rfind("\n", self.seen, start)
        if newline >= 0:
            self.line = newline + 1
        self.seen = start
        if self.opaque:
            before = bisect_right(self.opaque, (start, len(text))) - 1
            if before >= 0 and start < self.opaque[before][1]:
                return False
        if text[self.line] in WATCHED and not self.watched(start, end):
            return False
        if text.find("\n", start, end) >= 0 and BREAK.search(text, start, end):
            return False
        if self.marks:
            # No hiding mark reaches further than to the next line.
            begin = max(self.after, text.rfind("\n", self.after, max(0, self.line - 1)) + 1)
            for mark in self.marks:
                if text.find(mark, begin, start) >= 0:
                    return not self.hidden(begin, start)
        return True

    def watched(self, start: int, end: int) -> bool:
        """Say whether the line a link starts in is one that can hold it."""
        text, mark = self.text, self.line
        while text[mark] in " \t":
            mark += 1
        first, second = text[mark], text[mark + 1 : mark + 2]
        if first in "#:" and second in (" ", "\n"):
            return False
        if first == "#" and second == "+":
            return not AFFILIATED.match(text, mark) and text.find("\n", start, end) < 0
        return first != "|" or text.find("|", start, end) < 0

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


def _cited(text: str, begin: int, close: int) -> list[Found]:
    """Return the references of a citation, each where org-element lets it begin."""
    found: list[Found] = []
    first = KEY.search(text, begin, close)
    prefix = text.rfind(";", begin, first.end()) if first else -1
    begin = begin if prefix < 0 else prefix + 1
    while begin and (key := KEY.search(text, begin, close)) is not None:
        found.append((begin, "cite", key[1]))
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
    for colon in COLON.finditer(piece):
        kind = TYPE.search(piece, max(0, colon.start() - LONGEST), colon.start())
        if kind is not None:
            path = piece[colon.end() :].partition("]")[0]
            return kind[0].lower(), trimmed(path)
    return None


def split_keys(path: str) -> list[str]:
    """Return the citation keys in the PATH of an org-ref link: `a,b` or `&a;&b`."""
    return [key.strip("&@ ") for key in re.split("[,;]", path) if key.strip("&@ ")]
