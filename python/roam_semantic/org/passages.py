"""A section's body to passages of readable text, none much over the target size."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec

from roam_semantic.org.plain import Plain, inline, prose, special
from roam_semantic.org.split import SCRAP, TARGET, fitting, pieces, size

# What Python's `strip` takes for a letter although nobody sees it.
BLANK = " \t\n\r\f\v\xa0\u200b\u200c\u200d\u2060\u3000\ufeff"
GAP = re.compile(r"\n(?:[ \t\xa0\u200b]*\n){2,}")
# A header is repeated above each part of its table, up to this many characters.
LONGEST_HEADER = 200

TooLong = Callable[[str], bool] | None


class Passage(msgspec.Struct):
    """Readable text.  line: index of its first line among the body's, from 0."""

    text: str
    line: int


def passages(body: str, too_long: TooLong = None) -> list[Passage]:
    """Return the passages of BODY in order, none blank; [] when nothing is readable.

    too_long: says whether a text is over the model's own limit.
    """
    if not body:
        return []
    readable, lines = prose(body), None
    if readable is None:
        lines = special(body)
        readable = lines.text
    text = readable.strip(BLANK) if lines is None else tidy(readable)
    if size(text) > TARGET + SCRAP:
        found = _packed(lines or Plain(readable))
    elif text:
        found = [Passage(text, 0 if readable[0] == text[0] else _blank_lines(readable))]
    else:
        found = []
    if too_long is None:
        return found
    return [
        Passage(small.strip(BLANK), passage.line + passage.text.count("\n", 0, at))
        for passage in found
        for at, small in fitting(passage.text, too_long)
        if small.strip(BLANK)
    ]


def tidy(text: str) -> str:
    """Return TEXT without blanks around it and with one blank line between paragraphs."""
    return GAP.sub("\n\n", text.strip(BLANK))


def _blank_lines(text: str) -> int:
    return text.count("\n", 0, len(text) - len(text.lstrip(BLANK)))


def _packed(readable: Plain) -> list[Passage]:
    """Fill passages with whole paragraphs; cut only those that fit in none."""
    packed: list[Passage] = []
    open_size = 0
    for paragraph in _paragraphs(readable):
        length = size(paragraph.text)
        if open_size and open_size + length <= TARGET:
            packed[-1].text += f"\n\n{paragraph.text}"
            open_size += length + 2
        elif length <= TARGET + SCRAP:
            packed.append(paragraph)
            open_size = length
        else:
            packed += _cut(paragraph, length, readable)
            open_size = 0
    if len(packed) > 1 and size(packed[-1].text) < SCRAP:
        last = packed.pop()
        packed[-1].text += f"\n\n{last.text}"
    return packed


def _paragraphs(readable: Plain) -> list[Passage]:
    found: list[Passage] = []
    lines: list[str] = []
    first = 0
    for number, line in enumerate((*readable.text.split("\n"), "")):
        if line.strip(BLANK):
            if not lines:
                first = number
            lines.append(line.rstrip())
        elif lines:
            found.append(Passage("\n".join(lines), first))
            lines = []
    return found


def _cut(paragraph: Passage, length: int, readable: Plain) -> list[Passage]:
    """Return PARAGRAPH in parts of about equal size."""
    by_line = paragraph.line in readable.code or paragraph.line + 1 in readable.tables
    parts = -(-length // TARGET)
    # Equal parts, a little room added because a cut comes before its limit.
    limit = min(TARGET + SCRAP // 2, length // parts + SCRAP)
    found: list[Passage] = []
    line, seen = paragraph.line, 0
    for at, piece in pieces(paragraph.text, limit, by_line=by_line):
        begin = at + len(piece) - len(piece.lstrip(BLANK))
        line += paragraph.text.count("\n", seen, begin)
        seen = begin
        text = piece.strip(BLANK)
        if text and line in readable.tables:
            header = inline(readable.tables[line])[:LONGEST_HEADER]
            text = f"{header}\n{text}"
        if text:
            found.append(Passage(text, line))
    return found
