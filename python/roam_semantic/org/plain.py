"""Org markup to readable words, line for line: line N of the answer is line N of the text."""

from __future__ import annotations

import re

import msgspec

BRACKET = re.compile(r"\[\[((?:[^\]\[\\]++|\\.)++)\](?:\[([^\]](?:[^\]]|\](?!\]))*+)\])?\]", re.DOTALL)
# The usual link: a description that a template can put in its place.
DESCRIBED = re.compile(r"\[(?=\[)\[[^\]\[\n]++\]\[([^\]\[\n]++)\]\]")
FOOTNOTE = re.compile(r"\[fn:[^\]\[:\s]*+(?::([^\]\[]*+))?\]")
DEFINITION = re.compile(r"^\[fn:[^\]\[:\s]+\][ \t]*", re.MULTILINE)
CITATION = re.compile(r"\[cite(?:/[\w/-]+)?:([^\]\[]*+)\]")
STAMP = re.compile(r"<(\d{4}-\d\d-\d\d[^>\n]*)>")
ANGLE = re.compile(r"<([A-Za-z][\w+]*:[^>\n]*)>")
TARGET = re.compile(r"<<<?([^<>\n]+)>>>?")
MACRO = re.compile(r"\{\{\{[^\n]{0,1000}?\}\}\}")
SNIPPET = re.compile(r"@@[\w-]+:([^\n]{0,1000}?)@@")
CHECKBOX = re.compile(r"^([ \t]*(?:[-+*]|\d+[.)])[ \t]+)\[[ Xx-]\][ \t]+", re.MULTILINE)
LINE_BREAK = re.compile(r"\\\\[ \t]*(?=\n|\Z)")
# Marks that stand around words.  The mark comes first in the pattern and what
# must stand before it second, because Python looks for a literal fastest.
EMPHASIS = {
    mark: re.compile(
        rf"{sign}(?<![^-\s('\"{{]{sign})(?=[^\s{sign}])([^\n]{{1,1000}}?(?:\n[^\n]{{1,1000}}?)??)"
        rf"(?<=\S){sign}(?=[-\s.,:!?;'\")}}\[]|\Z)"
    )
    for mark, sign in (("*", r"\*"), ("/", "/"), ("_", "_"), ("=", "="), ("~", "~"), ("+", r"\+"))
}
BLOCK = re.compile(r"\n[ \t]*#\+(begin|end)_(\S+).*\n?", re.IGNORECASE)
COMMENT_BLOCK = re.compile(r"[ \t]*#\+begin_comment", re.IGNORECASE)
RULE = re.compile(r"-{4,}[ \t]*")
DRAWER_LINE = re.compile(r"[\w-]+:[ \t]*")
BLANKS = ("", " ")
VERBATIM = frozenset(("src", "example", "export", "comment"))
# A run of characters no person typed; windows of this size find a long one in
# a few jumps.
WINDOW = 300
ENCODED = re.compile(r"(?:data:[\w/+.-]+;base64,)?[A-Za-z0-9+/_=-]{250,}")
SPECIAL = re.compile(r"\n(?=[ \t#|:-])[ \t]*([#|:]|-(?=----))(.*)")


class Plain(msgspec.Struct):
    """Readable text of a body; lines are numbered from 0.

    tables: line → the header of the table whose row it is, header excepted.
    code: lines of code and examples.
    """

    text: str
    tables: dict[int, str] = {}
    code: frozenset[int] = frozenset()


def plain(text: str) -> str:
    """Return TEXT without markup: links by their description, tables by their cells."""
    text = without_encoded(text)
    if SPECIAL.search(f"\n{text}") is None:
        return inline(text)
    return _Lines(text).plain().text


def plain_body(text: str) -> Plain:
    """Return the readable TEXT with what must be known to cut it well."""
    return _Lines(without_encoded(text)).plain()


class _Lines:
    """Goes from special line to special line; a dropped one leaves a blank line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.done: list[str] = []
        self.tables: dict[int, str] = {}
        self.code: set[int] = set()
        # The table in hand: offset where its next row would start, and its header.
        self.row_end, self.header = -1, ""

    def plain(self) -> Plain:
        text, at = self.text, 0
        blocks = _blocks(text) if "#" in text else {}
        running: list[str] = []
        for special in SPECIAL.finditer(f"\n{text}"):
            start = special.start()
            if start < at:
                continue
            running.append(text[at:start])
            first, rest = special.groups()
            if start in blocks:
                self.done += (inline("".join(running)), self.block(start, *blocks[start]))
                running, at = [], blocks[start][2]
                continue
            # One newline was put before the text: the end is one too high.
            at = special.end() - 1
            if first == "|":
                running.append(self.row(rest, start, at))
            elif first == ":":
                running.append(_colon(rest, text[start:at]))
            elif first == "#" and (rest[:1] == "+" or rest[:1] in BLANKS):
                if rest[:8].lower() == "+caption":
                    running.append(rest.partition(":")[2].strip())
            elif first == "#" or not RULE.fullmatch(rest):
                running.append(text[start:at])
        self.done.append(inline("".join(running) + text[at:]))
        return Plain("".join(self.done), self.tables, frozenset(self.code))

    def block(self, start: int, inner: int, close: int, end: int) -> str:
        """Return the lines of a block of code as they are, of a comment none."""
        text = self.text
        code = text[inner:close]
        first = text.count("\n", 0, start)
        self.code.update(range(first, first + code.count("\n") + 2))
        if COMMENT_BLOCK.match(text, start):
            code = "\n" * code.count("\n")
        return f"\n{code}\n" if text[end - 1] == "\n" else f"\n{code}"

    def row(self, rest: str, start: int, end: int) -> str:
        """Return the cells of a table's row; remember which table it is of."""
        same, self.row_end = start == self.row_end, end + 1
        if rest[:1] == "-":
            return ""
        shown = ", ".join([cell for cell in map(str.strip, rest.split("|")) if cell])
        if same and self.header:
            self.tables[self.text.count("\n", 0, start)] = self.header
        else:
            self.header = shown
        return shown


def _colon(rest: str, line: str) -> str:
    """Return what a reader sees of a LINE that starts with a colon and REST."""
    if rest[:1] in BLANKS:
        return rest[1:]
    return "" if DRAWER_LINE.fullmatch(rest) else line


def _blocks(text: str) -> dict[int, tuple[int, int, int]]:
    """Return start → (start of the code, start and end of the last line) of blocks."""
    # One newline was put before the text: offsets of ends are one too high.
    marks = [
        (mark.start(), mark.end() - 1, mark[1].lower(), mark[2].lower())
        for mark in BLOCK.finditer(f"\n{text}")
    ]
    last = {name: start for start, _, side, name in marks if side == "end"}
    found: dict[int, tuple[int, int, int]] = {}
    inside, opened, inner = "", 0, 0
    for start, end, side, name in marks:
        if inside:
            if side == "end" and name == inside:
                found[opened] = (inner, start, end)
                inside = ""
        elif side == "begin" and name in VERBATIM and last.get(name, -1) > start:
            inside, opened, inner = name, start, end
    return found


def without_encoded(text: str) -> str:
    """Return TEXT without base64 and other runs no person typed."""
    length, find = len(text), text.find
    # A run of two windows holds a whole one; most windows of prose hold a blank.
    for start in range(0, length - WINDOW + 1, WINDOW):
        if find(" ", start, start + WINDOW) < 0 and find("\n", start, start + WINDOW) < 0:
            return ENCODED.sub("", text)
    return text


def inline(text: str) -> str:
    """Return running TEXT without inline markup; it keeps its number of lines."""
    if "[" in text:
        text = _brackets(text)
    if "<" in text:
        text = STAMP.sub(r"\1", text)
        text = ANGLE.sub(r"\1", text)
        text = TARGET.sub(r"\1", text)
    if "{" in text:
        text = MACRO.sub("", text)
    if "@" in text:
        text = SNIPPET.sub(r"\1", text)
    if "\\" in text:
        text = LINE_BREAK.sub("", text)
    for mark in EMPHASIS:
        if mark in text:
            text = EMPHASIS[mark].sub(r"\1", text)
    return text


def _brackets(text: str) -> str:
    text = DESCRIBED.sub(r"\1", text)
    if "[" not in text:
        return text
    text = BRACKET.sub(_words_of_link, text)
    if "[fn:" in text:
        text = DEFINITION.sub("", text)
        text = FOOTNOTE.sub(lambda note: f"({note[1].strip()})" if note[1] else "", text)
    if "[cite" in text:
        text = CITATION.sub(r"\1", text)
    if "[ ]" in text or "[X]" in text or "[-]" in text:
        text = CHECKBOX.sub(r"\1", text)
    return text


def _words_of_link(link: re.Match[str]) -> str:
    """Return what a reader sees of a link, with as many line breaks as it had."""
    target, description = link[1], link[2]
    if description is not None:
        return description + "\n" * target.count("\n")
    kind, colon, path = target.partition(":")
    breaks = "\n" * target.count("\n")
    if colon and kind.lower() == "id":
        return breaks
    if colon and kind.lower() in ("file", "attachment"):
        target = path
    if "://" in target:
        return target
    name = target.partition("::")[0] if not target.startswith("*") else target[1:]
    return name.rstrip("/").rpartition("/")[2].lstrip("#") or breaks
