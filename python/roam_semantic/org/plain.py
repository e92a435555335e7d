"""Org markup to readable words, line for line: line N of the answer is line N of the text."""

from __future__ import annotations

import re

import msgspec

# The counts bound what an unclosed mark can cost.
BRACKET = re.compile(
    r"\[\[((?:[^\]\[\\]++|\\.)++)\](?:\[([^\]]++(?:\](?!\])[^\]]*+){0,50}+)\])?\]", re.DOTALL
)
FOOTNOTE = re.compile(r"\[fn:[^\]\[:\s]*+(?::([^\]\[]*+))?\]")
DEFINITION = re.compile(r"^\[fn:[^\]\[:\s]+\][ \t]*", re.MULTILINE)
CITATION = re.compile(r"\[cite(?:/[\w/-]+)?:([^\]\[]*+)\]")
STAMP = re.compile(r"<(\d{4}-\d\d-\d\d[^<>\n]*+)>")
ANGLE = re.compile(r"<([A-Za-z][\w+]{0,20}+:[^<>\n]*+)>")
TARGET = re.compile(r"<<<?([^<>\n]+)>>>?")
MACRO = re.compile(r"\{\{\{[^\n]{0,300}?\}\}\}")
SNIPPET = re.compile(r"@@[\w-]+:([^\n]{0,300}?)@@")
CHECKBOX = re.compile(r"^([ \t]*(?:[-+*]|\d+[.)])[ \t]+)\[[ Xx-]\][ \t]+", re.MULTILINE)
LINE_BREAK = re.compile(r"\\\\[ \t]*(?=\n|\Z)")
# Marks that stand around words.  The mark comes first in the pattern and what
# must stand before it second, because Python looks for a literal fastest.
EMPHASIS = [
    (
        mark,
        re.compile(
            rf"{sign}(?<![^-\s('\"{{]{sign})(?=[^\s{sign}])"
            rf"([^\n]{{1,300}}?(?:\n[^\n]{{1,300}}?)??)(?<=\S){sign}(?=[-\s.,:!?;'\")}}\[]|\Z)"
        ),
    )
    for mark, sign in (("*", r"\*"), ("/", "/"), ("_", "_"), ("=", "="), ("~", "~"), ("+", r"\+"))
]
BLOCK = re.compile(r"[ \t]*#\+(begin|end)_(\S+)", re.IGNORECASE)
COMMENT_BLOCK = re.compile(r"#\+begin_comment", re.IGNORECASE)
RULE = re.compile(r"-{5,}[ \t]*")
DRAWER_LINE = re.compile(r":[\w-]+:[ \t]*")
BLANKS = ("", " ")
VERBATIM = frozenset(("src", "example", "export", "comment"))
# A run of characters no person typed; windows of this size find a long one in
# a few jumps.
WINDOW = 400
ENCODED = re.compile(r"(?:data:[\w/+.-]+;base64,)?[A-Za-z0-9+/_=-]{250,}")
SPECIAL = re.compile(r"[ \t]*(?:[#|:]|-----)")
# First characters of lines that may be special.
STARTS = frozenset("#|:- \t")
SPECIALS = frozenset("#:-")


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
    readable = prose(text)
    return special(text) if readable is None else Plain(readable)


def prose(text: str) -> str | None:
    """Return the readable TEXT if none of its lines is special, else None."""
    text = without_encoded(text)
    if "#" in text or "|" in text or ("-" in text and "-----" in text):
        return None
    linkless = _brackets(text) if "[" in text else text
    # Most colons stand in links.
    if ":" in linkless and any(map(SPECIAL.match, text.split("\n"))):
        return None
    return _without_marks(linkless)


def special(text: str) -> Plain:
    """Return TEXT, which has special lines, made readable; a dropped one leaves a blank one."""
    lines = without_encoded(text).split("\n")
    blocks: dict[int, int] | None = None
    tables: dict[int, str] = {}
    code: set[int] = set()
    done: list[str] = []
    after, header, last_row = 0, "", -2
    for number in [number for number, line in enumerate(lines) if line[:1] in STARTS]:
        if number < after:
            continue
        line = lines[number].lstrip(" \t")
        first = line[:1]
        if first == "|":
            lines[number] = shown = _row(line)
            if number != last_row + 1:
                header = shown
            elif shown:
                tables[number] = header
            last_row = number
        elif first == "#" and line[:8].lower() == "#+begin_":
            blocks = _blocks(lines) if blocks is None else blocks
            end = blocks.get(number)
            if end is None:
                lines[number] = ""
                continue
            done.append(inline("\n".join([*lines[after:number], ""])))
            after = end + 1
            code.update(range(number, after))
            done.append(_code(lines[number + 1 : end], COMMENT_BLOCK.match(line) is not None))
        elif first in SPECIALS:
            lines[number] = _shown(line, lines[number])
    done.append(inline("\n".join(lines[after:])))
    return Plain("".join(done), tables, frozenset(code))


def _code(lines: list[str], hidden: bool) -> str:
    """Return the text of a block with its LINES, and blank ones around them."""
    return "\n" * (len(lines) + 2) if hidden else "\n".join(["", *lines, "", ""])


def _blocks(lines: list[str]) -> dict[int, int]:
    """Return first → last line of each block whose lines are no Org text."""
    marks = [
        (number, mark[1].lower(), mark[2].lower())
        for number, line in enumerate(lines)
        if "#" in line and (mark := BLOCK.match(line))
    ]
    last = {name: number for number, side, name in marks if side == "end"}
    found: dict[int, int] = {}
    inside, opened = "", 0
    for number, side, name in marks:
        if inside:
            if side == "end" and name == inside:
                found[opened] = number
                inside = ""
        elif side == "begin" and name in VERBATIM and last.get(name, -1) > number:
            inside, opened = name, number
    return found


def _row(line: str) -> str:
    """Return the cells of a table's row LINE, which is not indented."""
    cells = line.strip(" \t|")
    if line[1:2] == "-":
        return ""
    cells = cells.replace(" | ", ", ")
    if "|" in cells or "  " in cells:
        return ", ".join([cell for cell in map(str.strip, cells.split("|")) if cell])
    return cells


def _shown(stripped: str, line: str) -> str:
    """Return what a reader sees of LINE, which is STRIPPED without its indentation."""
    first, second = stripped[0], stripped[1:2]
    if first == ":":
        if second in BLANKS:
            return stripped[2:]
        return "" if DRAWER_LINE.fullmatch(stripped) else line
    if first == "-":
        return "" if RULE.fullmatch(stripped) else line
    if stripped[:9].lower() == "#+caption":
        return stripped.partition(":")[2].strip()
    return "" if second == "+" or second in BLANKS else line


def without_encoded(text: str) -> str:
    """Return TEXT without base64 and other runs no person typed."""
    if len(text) < 2 * WINDOW:
        return text
    # A run of two windows holds a whole one; most windows of prose hold a blank.
    for start in range(0, len(text) - WINDOW + 1, WINDOW):
        window = text[start : start + WINDOW]
        if " " not in window and "\n" not in window:
            return ENCODED.sub("", text)
    return text


def inline(text: str) -> str:
    """Return running TEXT without inline markup; it keeps its number of lines."""
    return _without_marks(_brackets(text) if "[" in text else text)


def _without_marks(text: str) -> str:
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
    if "*" in text or "/" in text or "_" in text or "=" in text or "~" in text or "+" in text:
        for mark, pair in EMPHASIS:
            if mark in text:
                text = pair.sub(r"\1", text)
    return text


def _brackets(text: str) -> str:
    text = _links(text)
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


def _links(text: str) -> str:
    """Return TEXT with each bracket link replaced by its words."""
    at = text.find("[[")
    if at < 0:
        return text
    # Positions instead of pieces: long pieces are costly to make and to forget.
    find = text.find
    done: list[str] = []
    after = 0
    while at >= 0:
        close = end = find("]", at)
        mark = text[close + 1 : close + 2] if close > 0 else ""
        target = text[at + 2 : close]
        if mark == "[":
            end = find("]]", close + 3)
            words = text[close + 2 : end]
        elif mark == "]":
            words = _words_of_link(target)
        else:
            return _all_links(text)
        if end < 0 or "[" in target or "\\" in target or "\n" in target:
            return _all_links(text)
        done += (text[after:at], words)
        after = end + 2
        at = find("[[", after)
    done.append(text[after:])
    return "".join(done)


def _all_links(text: str) -> str:
    return BRACKET.sub(
        lambda link: (
            f"{link[2]}{_breaks(link[1])}" if link[2] is not None else _words_of_link(link[1])
        ),
        text,
    )


def _breaks(target: str) -> str:
    return "\n" * target.count("\n")


def _words_of_link(target: str) -> str:
    """Return what a reader sees of a link without description, with its line breaks."""
    breaks = _breaks(target)
    kind, colon, path = target.partition(":")
    if colon and kind.lower() == "id":
        return breaks
    if colon and kind.lower() in ("file", "attachment"):
        target = path
    if "://" in target:
        return target
    name = target[1:] if target.startswith("*") else target.partition("::")[0]
    return name.rstrip("/").rpartition("/")[2].lstrip("#") or breaks
