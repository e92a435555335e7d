"""One parser of printed Lisp: what emacsql puts into a cell of org-roam's database.

Strings stand in double quotes with escapes; nil is NULL; lists, dotted pairs,
numbers, symbols and propertized strings (`#("text" 0 4 (face bold))`, whose
properties are dropped) are printed as Emacs' `prin1` prints them.
"""

from __future__ import annotations

import re
from typing import TypeAlias, Union

import msgspec


class Symbol(str):
    """A symbol or keyword by its name: `Symbol(":outline")`."""

    __slots__ = ()


class Pair(msgspec.Struct, frozen=True):
    """A dotted pair `(car . cdr)`; a dotted list ends in nested pairs."""

    car: Lisp
    cdr: Lisp


# nil is None, t is True, lists and vectors are tuples.
Lisp: TypeAlias = Union[None, bool, int, float, str, Symbol, Pair, tuple["Lisp", ...]]  # noqa: UP007


class LispError(ValueError):
    """The text is not printed Lisp, or is cut."""


TOKEN = re.compile(
    r"""[ \t\r\n\f]*+(?:
        "((?:[^"\\]++|\\.)*+)"           # 1 string
      | ([(\[] | \#\()                   # 2 open, "#(" before a propertized string
      | ([)\]])                          # 3 close
      | ((?:[^\s"()\[\];'`,\\\#?]|\\.)(?:[^\s"()\[\];'`,\\]|\\.)*+)  # 4 atom
      | (\#<[^>]*+>|\#s(?=\())           # 5 what cannot be read back
      | \?(\\?.)                         # 6 character
      | '|`|,@|,|\#'
      | ;[^\n]*+
    )""",
    re.VERBOSE | re.DOTALL,
)
STRING, OPEN, CLOSE, ATOM, UNREADABLE, CHARACTER = range(1, 7)
ESCAPE = re.compile(
    r"\\(?:([0-7]{1,3})|x([0-9a-fA-F]+)\\?|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL
)
_TEXT = r'"((?:[^"\\]++|\\.)*+)"'
_PAIR = rf'\({_TEXT} \. (?:{_TEXT}|\#\({_TEXT}(?: \d+ \d+ \([^()"]*+\))*+\))\)'
# The shapes of a node's properties and of an outline path, read in one sweep:
# most of what is printed.
ALIST = re.compile(rf"\({_PAIR}(?: {_PAIR})*+\)", re.DOTALL)
PAIRS = re.compile(_PAIR, re.DOTALL)
TEXTS = re.compile(rf"\({_TEXT}(?: {_TEXT})*+\)", re.DOTALL)
TEXT = re.compile(_TEXT, re.DOTALL)
INTEGER = re.compile(r"[+-]?\d+\.?")
FLOAT = re.compile(r"[+-]?(?:\d+\.\d+|\.\d+|\d+)(?:e[+-]?\d+)?", re.IGNORECASE)
NAMED = {
    "n": "\n", "t": "\t", "r": "\r", "f": "\f", "e": "\x1b", "a": "\a", "b": "\b", "v": "\v",
    "d": "\x7f", "s": " ", "\n": "", " ": "",
}  # fmt: skip
ESCAPED = re.compile(r"\\(.)", re.DOTALL)
# No other value is equal to it: the name of a symbol holds no bare NUL.
DOT = Symbol("\0.")
CONSTANTS: dict[str, Lisp] = {"nil": None, "t": True, ".": DOT}
# The byte of a file name that is not UTF-8, as `paths.to_text` shows it.
RAW_BYTE = 0x10FF00


def decode(cell: str | int | float | None) -> Lisp:
    """Return the Lisp value a CELL holds; raise LispError when it holds none.

    Lists become tuples, `(a . b)` a Pair, nil None, t True.
    """
    if not isinstance(cell, str):
        return cell
    # An escaped last quote closes nothing: the slow way says so.
    if len(cell) > 1 and cell[0] == '"' and cell.find('"', 1) == len(cell) - 1 and cell[-2] != "\\":
        return _unescaped(cell[1:-1])
    if cell.startswith('(("') and ALIST.fullmatch(cell):
        return tuple(
            Pair(_unescaped(key), _unescaped(plain or propertized))
            for key, plain, propertized in PAIRS.findall(cell)
        )
    if cell.startswith('("') and TEXTS.fullmatch(cell):
        return tuple(map(_unescaped, TEXT.findall(cell)))
    return _read(cell)


class _Open(list[Lisp]):
    """A list that is still being read, and how it opened: "(", "[" or "#("."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind


def _read(printed: str) -> Lisp:
    """Return the one value PRINTED holds; no recursion, so no nesting is too deep."""
    top = here = _Open("")
    outer: list[_Open] = []
    end, at = len(printed.rstrip()), 0
    for found in TOKEN.finditer(printed, 0, end):
        if found.start() != at:
            break
        at = found.end()
        kind = found.lastindex
        if kind == STRING:
            here.append(_unescaped(found[STRING]))
        elif kind == OPEN:
            outer.append(here)
            here = _Open(found[OPEN])
        elif kind == CLOSE:
            closed, here = here, outer.pop() if outer else top
            here.append(_closed(closed, found[CLOSE]))
        elif kind == ATOM:
            here.append(_atom(found[ATOM]))
        elif kind == CHARACTER:
            here.append(ord(found[CHARACTER][-1]))
        elif kind == UNREADABLE:
            here.append(Symbol(found[UNREADABLE]))
    if at != end or here is not top or len(top) != 1:
        raise LispError(f"not one whole value: {printed[:60]!r}")
    return top[0]


def _closed(items: _Open, closing: str) -> Lisp:
    if items.kind not in (("(", "#(") if closing == ")" else ("[",)):
        raise LispError("brackets do not match")
    if items.kind == "#(":
        if not items or not isinstance(items[0], str):
            raise LispError("no string in `#(`")
        return items[0]
    return _listed(items)


def _listed(items: list[Lisp]) -> Lisp:
    if DOT not in items:
        return tuple(items) or None
    if len(items) < 3 or items[-2] is not DOT or items.index(DOT) != len(items) - 2:
        raise LispError("a dot stands where it may not")
    found = items[-1]
    for item in reversed(items[:-2]):
        found = Pair(item, found)
    return found


def _atom(name: str) -> Lisp:
    if name in CONSTANTS:
        return CONSTANTS[name]
    if name[0] in "+-.0123456789":
        if INTEGER.fullmatch(name):
            return int(name.rstrip("."))
        if FLOAT.fullmatch(name):
            return float(name)
    return Symbol(ESCAPED.sub(r"\1", name))


def _unescaped(inner: str) -> str:
    return ESCAPE.sub(_escaped, inner) if "\\" in inner else inner


def _escaped(found: re.Match[str]) -> str:
    octal, hexadecimal, short, long, other = found.groups()
    if octal:
        code = int(octal, 8)
        return chr(RAW_BYTE + code) if 0x80 <= code <= 0xFF else chr(code)
    digits = hexadecimal or short or long
    if digits:
        code = int(digits, 16)
        return chr(code) if code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else "\ufffd"
    return NAMED.get(other, other)
