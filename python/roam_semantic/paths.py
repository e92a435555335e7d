"""File names as text that every database, JSON and Emacs can hold.

A file name is bytes.  Python shows bytes that are not UTF-8 as lone
surrogates, which neither SQLite nor JSON takes.  We show them as the last 128
characters of the private plane 16 (U+10FF80 to U+10FFFF), and back.
"""

from __future__ import annotations

_SURROGATE, _PRIVATE = 0xDC80, 0x10FF80
_TO_TEXT = {_SURROGATE + byte: _PRIVATE + byte for byte in range(128)}
_TO_PATH = {_PRIVATE + byte: _SURROGATE + byte for byte in range(128)}


def to_text(path: str) -> str:
    """Return PATH, as the system gave it, without lone surrogates."""
    return path if path.isascii() else path.translate(_TO_TEXT)


def to_path(text: str) -> str:
    """Return the path TEXT was made of, to be opened."""
    return text if text.isascii() else text.translate(_TO_PATH)
