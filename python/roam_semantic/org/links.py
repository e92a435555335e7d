"""Links and citations in running text, found as org-element finds them.

Prose with plain id links, which is most of what there is, is only split; a
stretch with marks that could hide a link or make other ones is looked at in
full.  Either way no part of it is looked at more than a fixed number of
times: a line of two megabytes costs what as much text in short lines costs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from roam_semantic.org.targets import (
    CITE_TYPES,
    KEY,
    LAST_LETTERS,
    LONGEST,
    TYPE,
    resolved,
    resolved_bracket,
    split_keys,
    trimmed,
)

# The counts bound what an unclosed bracket can cost.
BRACKET = re.compile(
    r"\[\[((?:[^\]\[\\]++|\\(?:\\\\)*+[\]\[]|\\+[^\]\[])++)\]"
    r"(?:\[([^\]]++(?:\](?!\])[^\]]*+){0,50}+)\])?\]"
)
COLON = re.compile(r":(?=[^\s:\]\[<>])")
_NAKED = r"[^\]\[ \t\n()<>]++"
_NESTED = rf"\((?:{_NAKED}|\([^\]\[ \t\n()<>]*+\))*+\)"
PATH = re.compile(rf"(?:{_NAKED}|{_NESTED})++")
ANGLE = re.compile(r"[^<>\n]{0,1000}+(?:\n[ \t]*+[^<> \t\n][^<>\n]{0,1000}+){0,3}+>")
CITE = re.compile(r"\[cite(?:/[\w/-]+)?:[\t\n ]*")
# Brackets may stand in it, in pairs.
CITATION = re.compile(r"\[(?:[^\]\[]++|\[[^\]\[]*+\])*+\]")
WRAP = re.compile(r"[ \t]*\n[ \t]*")
# Where a paragraph ends although the text goes on.
BREAK = re.compile(r"\n[ \t]*(?:\n|[-+] |\d+[.)][ \t]|\||#\+|\*+ |:END:|\Z)", re.IGNORECASE)
# What hides a link: =verbatim=, ~code~, LaTeX, macros, export snippets.
SLASH = re.compile(r"(?:(?<=[-\s('\"{])|(?<![\s\S]))/(?=[^\s/])")
ITALICS = re.compile(r"/[^\n]{1,300}?(?:\n[^\n]{0,300}?)??(?<=\S)/(?=[-\s.,:!?;'\")}\[]|\Z)")
MARK = re.compile(r"[=~](?=\S)|\\[(\[]|\{\{\{|@@")
HIDDEN = re.compile(
    r"""(?:(?<=[-\s('"{])|(?<![\s\S]))([=~])(?=\S)[^\n]{1,300}?(?:\n[^\n]{0,300}?)??(?<=\S)\1
        (?=[-\s.,:!?;'")}\[]|\Z)
      | \\\(.{1,300}?\\\) | \\\[.{1,300}?\\\] | \{\{\{.{1,300}?\}\}\} | @@.{1,300}?@@""",
    re.VERBOSE | re.DOTALL,
)
# First characters of lines that may hide a link or part it.
WATCHED = frozenset(" \t:|%")
BRACKETS = frozenset("[]")
PLAIN_TYPES = frozenset(("id", "https", "http"))
LONGEST_HIDDEN = 700

# start (offset from 0), type, destination
Found = tuple[int, str, str]


def links_of_prose(stretch: str, start: int) -> list[Found] | None:
    """Return the links of STRETCH, or None if it is not plain enough to tell.

    Plain: only id and web links in double brackets, and nothing that could
    hide one (code, tables) or be one without brackets.
    start: offset of the stretch in its text.
    """
    if "|" in stretch:
        table = _line_of(stretch, "|")
        if ":" in stretch[table:] or "[" in stretch[table:]:
            return None
        stretch = stretch[:table]
    if (
        "=" in stretch or "~" in stretch or "\\" in stretch or "@" in stretch
        or "{" in stretch or ("%" in stretch and "%%(" in stretch)
    ):  # fmt: skip
        return None
    # Positions instead of pieces: long pieces are costly to make and to forget.
    find = stretch.find
    found: list[Found] = []
    colons, at = 0, find("[[")
    while at >= 0:
        close = end = find("]", at)
        mark = stretch[close + 1 : close + 2] if close > 0 else ""
        if mark == "[":
            end = find("]]", close + 3)
            description = stretch[close:end]
            if "\n" in description and BREAK.search(description):
                return None
            if ":" in description:
                colons += description.count(":")
        kind, _, path = stretch[at + 2 : close].partition(":")
        if end < 0 or mark not in BRACKETS or kind not in PLAIN_TYPES or "[" in path:
            return None
        if ":" in path or "\n" in path:
            return None
        found.append((start + at, kind, path))
        at = find("[[", end)
    # One colon more than links have may make a link of its own.
    return found if stretch.count(":") == len(found) + colons else None


def _line_of(text: str, mark: str) -> int:
    """Return where the first line with MARK starts."""
    return text.rfind("\n", 0, text.index(mark)) + 1


def find_links(
    text: str,
    start: int,
    end: int,
    abbreviations: Mapping[str, str] | None = None,
) -> list[Found]:
    """Return the links and citations of TEXT[START:END], in order.

    START is the start of a line, or stands in one that can hold links; no
    block, comment or keyword is in the stretch.
    abbreviations: name → replacement, from the file's `#+LINK` lines.
    """
    return _Search(text, start, end, abbreviations or {}).run()


class _Search:
    def __init__(self, text: str, start: int, end: int, abbreviations: Mapping[str, str]) -> None:
        self.text, self.start, self.end = text, start, end
        self.abbreviations = abbreviations
        # after: end of the last link; line: start of the line that `seen` stands in.
        self.after = self.line = self.seen = start
        self.found: list[Found] = []

    def run(self) -> list[Found]:
        text, end = self.text, self.end
        at = text.find("[[", self.start, end)
        while at >= 0:
            bracket = BRACKET.match(text, at, end)
            if bracket is None:
                at = text.find("[[", at + 1, end)
                continue
            after = bracket.end()
            self.bare(at)
            if self.allowed(at, after):
                raw = bracket[1]
                self.add(at, *resolved_bracket(raw, self.abbreviations))
            self.after = after
            at = text.find("[[", after, end)
        self.bare(end)
        if text.find("[cite", self.start, end) >= 0:
            self.after = self.line = self.seen = self.start
            self.citations()
            self.found.sort(key=_start)
        return self.found

    def add(self, start: int, kind: str, dest: str) -> None:
        if kind in CITE_TYPES:
            self.found += [(start, "cite", key) for key in split_keys(dest)]
        else:
            self.found.append((start, kind, dest))

    def bare(self, end: int) -> None:
        """Take the plain and angle links between the last link and END."""
        text = self.text
        if ":" not in text[self.after : end]:
            return
        colon = COLON.search(text, self.after, end)
        while colon is not None:
            at = colon.start()
            if at > self.after and text[at - 1] in LAST_LETTERS:
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
            angle = ANGLE.match(text, colon + 1, self.end)
            if angle is not None:
                path, end, start = WRAP.sub("", angle[0][:-1]), angle.end(), start - 1
        if not path:
            plain = PATH.match(text, colon + 1, self.end)
            path = trimmed(plain[0]) if plain else ""
            if path[-1:] == "/" and self.ends_italics(start, colon + 1 + len(path)):
                path = trimmed(path[:-1])
            end = colon + 1 + len(path)
        # `[cite:` is a citation, and no link.
        citation = kind in CITE_TYPES and before == "["
        if len(path) > 1 and not citation and self.allowed(start, end):
            self.add(start, *resolved(kind, path))
            self.after = end

    def ends_italics(self, start: int, end: int) -> bool:
        """Say whether the slash before END closes /italics/ that open before START."""
        text = self.text
        line = text.rfind("\n", self.after, start)
        begin = max(self.after, text.rfind("\n", self.after, max(line, self.after)) + 1)
        if "/" not in text[begin:start]:
            return False
        for opening in SLASH.finditer(text, begin, start):
            italics = ITALICS.match(text, opening.start(), end + 1)
            if italics is not None:
                return italics.end() == end
        return False

    def citations(self) -> None:
        text, at = self.text, self.start
        while (head := CITE.search(text, at, self.end)) is not None:
            at = head.end()
            start = head.start()
            whole = CITATION.match(text, start, self.end)
            close = whole.end() - 1 if whole else at
            if whole and KEY.search(text, at, close) and self.allowed(start, close):
                self.found += _cited(text, at, close)
                at = self.after = close

    def allowed(self, start: int, end: int) -> bool:
        """Say whether Org sees a link in TEXT[START:END] and not something else."""
        text = self.text
        newline = text.rfind("\n", self.seen, start)
        if newline >= 0:
            self.line = newline + 1
        self.seen = start
        if text[self.line] in WATCHED and not self.watched(start, end):
            return False
        if "\n" in text[start:end] and BREAK.search(text, start, end):
            return False
        # No hiding mark reaches further than to the next line.
        begin = max(self.after, text.rfind("\n", self.start, max(0, self.line - 1)) + 1)
        before_link = text[begin:start]
        if (
            "=" in before_link or "~" in before_link or "\\" in before_link
            or "{{{" in before_link or "@@" in before_link
        ):  # fmt: skip
            return not self.hidden(begin, start)
        return True

    def watched(self, start: int, end: int) -> bool:
        """Say whether the line a link starts in is one that can hold it."""
        text, mark = self.text, self.line
        while text[mark] in " \t":
            mark += 1
        first, second = text[mark], text[mark + 1 : mark + 2]
        if first == ":" and second in (" ", "\n") or text.startswith("%%(", self.line):
            return False
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
