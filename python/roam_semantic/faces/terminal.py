"""Text as a terminal can take it: no control characters, wrapped by the width it shows."""

from __future__ import annotations

import os
import re
import unicodedata

NARROWEST, WIDEST = 40, 100
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def safe(text: str) -> str:
    """Return TEXT without what a terminal would obey: escapes, controls, direction marks."""
    return CONTROLS.sub("\ufffd", text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """Return TEXT safe and on one line."""
    return " ".join(safe(text).split())


def columns() -> int:
    """Return how wide lines may be here."""
    try:
        width = os.get_terminal_size(1).columns
    except OSError:
        width = 80
    return max(NARROWEST, min(width, WIDEST))


def shown_width(text: str) -> int:
    """Return the columns TEXT takes; wide East Asian characters take two."""
    if text.isascii():
        return len(text)
    return sum(_char_width(char) for char in text)


def _char_width(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def wrap(text: str, width: int, indent: str = "") -> str:
    """Return TEXT in lines of at most WIDTH columns, each after INDENT.

    A word that is longer than a line, as a whole sentence in Japanese may be,
    is broken anywhere.
    """
    room = max(1, width - len(indent))
    lines: list[str] = []
    line, used = "", 0
    for word in one_line(text).split(" "):
        for piece in _pieces(word, room):
            size = shown_width(piece)
            if line and used + 1 + size > room:
                lines.append(line)
                line, used = piece, size
            else:
                line, used = (f"{line} {piece}", used + 1 + size) if line else (piece, size)
    return "\n".join(indent + each for each in [*lines, line] if each)


def _pieces(word: str, room: int) -> list[str]:
    if shown_width(word) <= room:
        return [word]
    pieces, piece, used = list[str](), "", 0
    for char in word:
        size = _char_width(char)
        if used + size > room:
            pieces.append(piece)
            piece, used = "", 0
        piece += char
        used += size
    return [*pieces, piece]
