"""Bytes of a file to text, one character for each character Emacs shows.

LF line ends, no byte-order mark.  A control character becomes a blank, so
that no database, JSON or model ever meets one and positions stay Emacs' own.
"""

from __future__ import annotations

import codecs
import re

import msgspec

BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
MAGIC = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"%PDF-", b"PK\x03\x04", b"\x7fELF", b"\x1f\x8b")
CONTROLS = bytes(code for code in range(32) if code not in (9, 10, 13)) + b"\x7f"
BLANKED = bytes.maketrans(CONTROLS, b" " * len(CONTROLS))
# A text may hold a few stray control characters; a binary file is full of them.
CONTROL_SHARE = 0.1
COOKIE = re.compile(rb"-\*-.*?\bcoding:[ \t]*([\w.+-]+)")
EMACS_SUFFIX = re.compile(r"-(?:unix|dos|mac|with-signature|auto)\b")


class NotText(ValueError):
    """The bytes are no text; the argument says what they look like instead."""


class Decoded(msgspec.Struct, frozen=True):
    """A file's text, and what is needed to write it back as it was.

    newline: "\\n" or "\\r\\n".  encoding: a name Python knows.
    """

    text: str
    newline: str
    bom: bool
    encoding: str


def decode(raw: bytes) -> Decoded:
    """Return the text of RAW; raise NotText when it is a binary file."""
    for mark, encoding in BOMS:
        if raw.startswith(mark):
            return _marked(raw[len(mark) :], encoding)
    if raw.startswith(MAGIC):
        raise NotText("a binary file, not text")
    # One search for each control character is faster than one pass over all bytes.
    clean = raw.translate(BLANKED) if any(map(raw.__contains__, CONTROLS)) else raw
    newline = "\n"
    if b"\r" in clean:
        clean, newline = _line_ends(clean)
    try:
        text = clean.decode()
    except UnicodeDecodeError:
        text, encoding = _legacy(raw, clean)
    else:
        encoding = "utf-8"
        if clean != raw and _controls(raw) > CONTROL_SHARE * len(raw):
            raise NotText("a binary file, not text")
    return Decoded(text, newline, False, encoding)


def _marked(rest: bytes, encoding: str) -> Decoded:
    text = rest.decode(encoding, "replace")
    newline = "\n"
    if "\r\n" in text and text.count("\r\n") == text.count("\n"):
        text, newline = text.replace("\r\n", "\n"), "\r\n"
    controls = {code: " " for code in (*CONTROLS, 13)}
    return Decoded(text.translate(controls), newline, True, encoding)


def _line_ends(clean: bytes) -> tuple[bytes, str]:
    """Return CLEAN with LF ends only; like Emacs, trust the first three of them."""
    first = re.findall(rb"\r?\n", clean, flags=0)[:3] if len(clean) < 4096 else _first_ends(clean)
    if first and all(end == b"\r\n" for end in first):
        return clean.replace(b"\r\n", b"\n").replace(b"\r", b" "), "\r\n"
    return clean.replace(b"\r", b" "), "\n"


def _first_ends(clean: bytes) -> list[bytes]:
    ends: list[bytes] = []
    for match in re.finditer(rb"\r?\n", clean):
        ends.append(match[0])
        if len(ends) == 3:
            break
    return ends


def _controls(raw: bytes) -> int:
    return len(raw) - len(raw.translate(None, CONTROLS))


def _legacy(raw: bytes, clean: bytes) -> tuple[str, str]:
    """Return text and encoding of bytes that are not UTF-8."""
    if b"\0" in raw:
        raise NotText("a binary file, not text")
    named = _cookie(raw)
    if named is not None:
        try:
            return clean.decode(named), named
        except UnicodeDecodeError:
            pass
    damaged = clean.decode("utf-8", "surrogateescape")
    bad = sum("\udc80" <= char <= "\udcff" for char in damaged)
    good = sum(char > "\x7f" for char in damaged) - bad
    if good > bad:
        # UTF-8 with a few damaged bytes: one mark for each, as Emacs shows them.
        return re.sub("[\udc80-\udcff]", "\ufffd", damaged), "utf-8"
    try:
        return clean.decode("cp1252"), "cp1252"
    except UnicodeDecodeError:
        return clean.decode("latin-1"), "latin-1"


def _cookie(raw: bytes) -> str | None:
    head = b"\n".join(raw[:2000].split(b"\n", 2)[:2])
    found = COOKIE.search(head)
    if found is None:
        return None
    name = EMACS_SUFFIX.sub("", found[1].decode("ascii", "replace").lower())
    try:
        codec = codecs.lookup({"windows-1251": "cp1251", "mule-utf-8": "utf-8"}.get(name, name))
    except LookupError:
        return None
    # Codecs such as "rot13" or "zip" are no character encodings.
    return codec.name if getattr(codec, "_is_text_encoding", True) else None
