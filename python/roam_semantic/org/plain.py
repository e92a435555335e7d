"""Org markup to readable words, line for line: line N of the answer is line N of the text."""

from __future__ import annotations

import re
import msgspec

BRACKET = re.compile(r"\[\[((?:[^\]\[\\]++|\\.)++)\](?:\[([^\]](?:[^\]]|\](?!\]))*+)\])?\]", re.DOTALL)
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
BLOCK = re.compile(r"[ \t]*#\+(begin|end)_(\S+)(.*)", re.IGNORECASE)
COMMENT_BLOCK = re.compile(r"[ \t]*#\+begin_comment", re.IGNORECASE)
KEYWORD = re.compile(r"[ \t]*#\+(\S+):[ \t]*(.*)", re.IGNORECASE)
RULE = re.compile(r"[ \t]*-{5,}[ \t]*")
DRAWER_LINE = re.compile(r"[ \t]*:[\w-]+:[ \t]*")
TABLE_RULE = re.compile(r"[ \t]*\|-[-+|]*[ \t]*")
# Keywords whose value a reader sees.
SEEN = frozenset(("caption", "attr_alt"))
VERBATIM = frozenset(("src", "example", "export", "comment"))
# A run of characters no person typed; the window finds one in a few jumps.
WINDOW = 200
ENCODED = re.compile(r"(?:data:[\w/+.-]+;base64,)?[A-Za-z0-9+/_=-]{250,}")
SPECIAL = re.compile(r"[ \t]*(?:[#|:]|-{5})")


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
    return plain_body(text).text


def plain_body(text: str) -> Plain:
    """Return the readable TEXT with what must be known to cut it well."""
    text = without_encoded(text)
    if "#" not in text and "|" not in text and ":" not in text and "-----" not in text:
        return Plain(inline(text))
    if not any(map(SPECIAL.match, text.split("\n"))):
        return Plain(inline(text))
    return _Lines(text).plain()


class _Lines:
    """Takes lines one after the other; a dropped line leaves a blank one."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.done: list[str] = []
        self.running: list[str] = []
        self.tables: dict[int, str] = {}
        self.code: set[int] = set()
        self.header: str | None = None

    def plain(self) -> Plain:
        lines, count = self.lines, len(self.lines)
        ends = _block_ends(lines)
        number = 0
        while number < count:
            line = lines[number]
            if SPECIAL.match(line) is None:
                self.header = None
                self.running.append(line)
            elif number in ends:
                self.block(number, ends[number])
                number = ends[number]
            else:
                self.special(number, line)
            number += 1
        self.flush()
        return Plain("\n".join(self.done), self.tables, frozenset(self.code))

    def flush(self) -> None:
        if self.running:
            self.done.append(inline("\n".join(self.running)))
            self.running = []

    def block(self, first: int, last: int) -> None:
        """Take the lines of a block of code as they are, of a comment not at all."""
        self.flush()
        self.header = None
        inner = self.lines[first + 1 : last]
        if COMMENT_BLOCK.match(self.lines[first]):
            inner = [""] * len(inner)
        self.code.update(range(first, last + 1))
        self.done += ["", *inner, ""]

    def special(self, number: int, line: str) -> None:
        stripped = line.lstrip(" \t")
        shown = ""
        if stripped[0] == "|":
            shown = self.row(number, stripped)
        else:
            self.header = None
            if stripped[0] == ":":
                shown = _colon(line, stripped)
            elif stripped[:2] == "#+":
                shown = _keyword(line)
            elif stripped[0] == "#" and stripped[1:2].strip():
                shown = line
            elif stripped[0] == "-" and not RULE.fullmatch(line):
                shown = line
        self.running.append(shown)

    def row(self, number: int, stripped: str) -> str:
        if TABLE_RULE.match(stripped):
            return ""
        cells = [cell.strip() for cell in stripped.rstrip().strip("|").split("|")]
        shown = ", ".join(filter(None, cells))
        if self.header is None:
            self.header = inline(shown)
        else:
            self.tables[number] = self.header
        return shown


def _block_ends(lines: list[str]) -> dict[int, int]:
    """Return first → last line number of each block whose lines are no Org text."""
    marks = [
        (number, mark[1].lower(), mark[2].lower())
        for number, line in enumerate(lines)
        if "#+" in line and (mark := BLOCK.match(line))
    ]
    last = {name: number for number, kind, name in marks if kind == "end"}
    ends: dict[int, int] = {}
    inside, opened = "", 0
    for number, kind, name in marks:
        if inside:
            if kind == "end" and name == inside:
                ends[opened] = number
                inside = ""
        elif kind == "begin" and name in VERBATIM and last.get(name, -1) > number:
            inside, opened = name, number
    return ends


def _colon(line: str, stripped: str) -> str:
    if stripped[1:2] in ("", " "):
        return stripped[2:]
    return "" if DRAWER_LINE.fullmatch(line) else line


def _keyword(line: str) -> str:
    keyword = KEYWORD.match(line)
    if keyword is None:
        return "" if BLOCK.match(line) else line
    return keyword[2] if keyword[1].lower() in SEEN else ""


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
    text = BRACKET.sub(_words_of_link, text)
    if "[" not in text:
        return text
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
