"""What a text is searched by, beside its own words: pure, no database.

FTS5's `porter unicode61 remove_diacritics 2` makes one token of a Chinese
sentence, one of `getUserName`, drops the signs of C++ and keeps ё apart from
е.  Indexing writes what is missing as extra words (`extra_words`), queries
are read into the same words (`query_terms`), so both always agree.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache

import msgspec

MAX_TERMS = 32
MAX_JOINED = 24
MAX_PIECES = 4

# Letters of scripts written without spaces; the middle dot and the marks
# inside the kana block are separators for FTS5 too.
_CJK = (
    "\u3005\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_WORD = re.compile(r"[^\W_]+")
_CHUNK = re.compile(
    r"[^\s,;!?|\"\u00ab\u00bb\u2010-\u2018\u201a-\u2027\u3000-\u3004\u3008-\u3020\uff00-\uff0f]+"
)
_JOINED = re.compile(r"[A-Za-z0-9]++(?:[-_.&'’][A-Za-z0-9]++)+")
_ALNUM = re.compile(r"[A-Za-z0-9]+")
_GLUED = re.compile(r"[A-Za-z0-9]+(?:[-_.]+[A-Za-z0-9]+)*")
_SIGN = re.compile(r"(?:\+\+|#)(?![#+A-Za-z_])")
_BEFORE_SIGN = re.compile(r"(?<![\w#+])[A-Za-z]\w{0,15}$")
_DOTTED = re.compile(r"\.(?<![\w./\\].)([A-Za-z]\w{1,15})(?![\w/])")
# Where a joined or a camel case name may be: looking for these few letters
# and reading the name around them is five times faster than for whole names.
_JOINT = re.compile(r"[-_.&'’](?=[A-Za-z0-9])(?<=[A-Za-z0-9].)")
_HUMP = re.compile(r"[A-Z](?:(?<=[a-z0-9].)|(?=[a-z])(?<=[A-Z].))")
_CAMEL_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+[0-9]*|[A-Z]+[0-9]*|[0-9]+")
_WITHOUT_JOINTS = dict.fromkeys(map(ord, "-_.&'’"))
_SIGNS = {"++": "plusplus", "#": "sharp"}


@cache
def _cjk_run() -> re.Pattern[str]:
    # Compiling these two takes 7 ms, and most texts hold no such letter.
    return re.compile(f"[{_CJK}]+")


@cache
def _cjk_or_not() -> re.Pattern[str]:
    return re.compile(f"[{_CJK}]+|[^{_CJK}]+")


class Word(msgspec.Struct, frozen=True):
    """One word of a query as the index knows it.

    typed: as the person wrote it.
    pieces: what FTS5 sees of it, in order, lower case, ё as е; for a run of
        CJK letters its overlapping pairs (or its only letter).
    whole: single tokens that stand for the whole of it ("cplusplus").
    parts: the words of a name in camel case.
    cjk: a run of CJK letters.  signed: C++, C#, .NET: its pieces alone are
        another word.
    """

    typed: str
    pieces: tuple[str, ...]
    whole: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    cjk: bool = False
    signed: bool = False


def clean(text: str) -> str:
    """Return TEXT without U+0000 and lone surrogates, which SQLite cannot take."""
    text = text.replace("\x00", "")
    if text.isascii():
        return text
    return text.encode("utf-8", "replace").decode("utf-8")


def fold(text: str) -> str:
    """Return TEXT in the one spelling queries and extra words share."""
    return unicodedata.normalize("NFKC", text).lower().replace("ё", "е")


def is_cjk(char: str) -> bool:
    """Return whether CHAR is of a script written without spaces."""
    return not char.isascii() and _cjk_run().match(char) is not None


def runs(text: str) -> list[str]:
    """Return TEXT cut into runs that are all CJK letters and runs that hold none."""
    if text.isascii():
        return [text] if text else []
    return _cjk_or_not().findall(text)


def pairs(run: str) -> list[str]:
    """Return the overlapping pairs of letters in a CJK RUN, none for a single letter."""
    return [run[i : i + 2] for i in range(len(run) - 1)]


def extra_words(text: str) -> str:
    """Return the words TEXT should also be found by, separated by blanks.

    text: everything of the unit a person may search: title, aliases, path
        and body, separated by line ends.
    The words of one name stand side by side, so a phrase finds them.
    """
    extra = dict.fromkeys(_latin_extras(text))
    if not text.isascii():
        extra.update(dict.fromkeys(_respelled(text)))
        unspaced = [" ".join([*pairs(run), run[-1]]) for run in _cjk_run().findall(_composed(text))]
        if unspaced:
            extra.update(dict.fromkeys(_glued(text)))
            return " ".join([*extra, *unspaced])
    return " ".join(extra)


def meta_words(
    unit_type: str, tags: Iterable[str], todo: str | None = None, kind: str = "note"
) -> str:
    """Return the tokens of the meta column, by which filters find a unit.

    tags: own and inherited; their case counts, as in org-roam.
    """
    tokens = [meta_token("kind", kind), meta_token("type", unit_type)]
    tokens += [meta_token("tag", tag) for tag in dict.fromkeys(tags)]
    if todo:
        tokens.append(meta_token("todo", todo))
    return " ".join(tokens)


def meta_token(name: str, value: str) -> str:
    """Return the one token that says NAME is VALUE; only a tag's case counts.

    A digest, for a tag may hold anything; it ends in a digit so that the
    English stemmer leaves it alone.
    """
    if name != "tag":
        value = value.casefold()
    digest = hashlib.blake2b(value.encode("utf-8", "surrogatepass"), digest_size=8)
    return f"xq{name}{digest.hexdigest()}0"


def query_terms(text: str) -> tuple[Word, ...]:
    """Return the words of TEXT in order, each once, at most MAX_TERMS pieces in all."""
    words: dict[tuple[str, ...], Word] = {}
    left = MAX_TERMS
    for chunk in _CHUNK.findall(unicodedata.normalize("NFKC", clean(text))):
        for word in _words_of(chunk):
            key = word.pieces + word.whole
            if key in words:
                continue
            left -= len(word.pieces)
            if left < 0:
                return tuple(words.values())
            words[key] = word
    return tuple(words.values())


def _words_of(chunk: str) -> Iterator[Word]:
    if chunk.isascii():
        yield from _latin_word(chunk)
        return
    for run in runs(chunk):
        if is_cjk(run[0]):
            yield Word(typed=run, pieces=tuple(pairs(run)[:MAX_TERMS]) or (run,), cjk=True)
        else:
            yield from _latin_word(run)


def _latin_word(chunk: str) -> Iterator[Word]:
    pieces = tuple(_WORD.findall(fold(chunk)))[:MAX_TERMS]
    if not pieces:
        return
    signs = _sign_words(chunk)
    if signs:
        # C++11, C#/.NET: what the signs belong to is a word of its own.
        yield Word(chunk, pieces, whole=tuple(signs), signed=True)
        return
    joined = [_join(name) for name in _JOINED.findall(chunk)]
    whole = tuple(name for name in joined if name and len(pieces) > 1)
    parts = () if len(pieces) > 1 else tuple(_camel_parts(chunk.strip("=~*/()[]{}<>.:'`")))
    yield Word(chunk, pieces, whole, parts)


def _latin_extras(text: str) -> Iterator[str]:
    yield from _sign_words(text)
    for name in _names_around(_JOINT, _JOINED, text):
        joined = _join(name)
        if joined:
            yield joined
    for name in _names_around(_HUMP, _ALNUM, text):
        parts = _camel_parts(name)
        if parts:
            yield " ".join(parts)


def _names_around(seed: re.Pattern[str], name: re.Pattern[str], text: str) -> Iterator[str]:
    """Yield each NAME of TEXT that holds a match of SEED, once a place."""
    end = 0
    for match in seed.finditer(text):
        start = match.start()
        if start < end:
            continue
        while start > end and _is_latin(text[start - 1]):
            start -= 1
        found = name.match(text, start)
        if found:
            end = found.end()
            yield found.group()


def _sign_words(text: str) -> list[str]:
    found: list[str] = []
    if "++" in text or "#" in text:
        for match in _SIGN.finditer(text):
            start = match.start()
            if start and text[start - 1].isalnum():
                name = _BEFORE_SIGN.search(text[max(0, start - 17) : start])
                found += [name.group().lower() + _SIGNS[match.group()]] if name else []
    if "." in text:
        found += ["dot" + name.lower() for name in _DOTTED.findall(text)]
    return found


def _join(name: str) -> str:
    """Return NAME without its signs ("e-mail" → "email"), "" for dates and long ones."""
    joined = name.translate(_WITHOUT_JOINTS)
    pieces = 1 + len(name) - len(joined)
    if pieces > MAX_PIECES or len(joined) > MAX_JOINED or joined.isdigit():
        return ""
    return joined.lower()


def _camel_parts(name: str) -> list[str]:
    if not _HUMP.search(name) or not name.isalnum() or not name.isascii():
        return []
    parts = [part.lower() for part in _CAMEL_PART.findall(name)]
    return parts if len(parts) > 1 and any(len(part) > 1 for part in parts) else []


def _respelled(text: str) -> Iterator[str]:
    """Yield each word the tokenizer would see in another spelling than queries use."""
    if "ё" in text or "Ё" in text:
        yield from (fold(word) for word in _WORD.findall(text) if "ё" in word or "Ё" in word)
    composed = _composed(text)
    if composed is not text:
        known = set(_WORD.findall(text))
        for word in _WORD.findall(composed):
            if word not in known and not _cjk_run().search(word):
                yield fold(word)


def _composed(text: str) -> str:
    if unicodedata.is_normalized("NFKC", text):
        return text
    return unicodedata.normalize("NFKC", text)


def _glued(text: str) -> Iterator[str]:
    """Yield the words of each Latin name that stands beside CJK letters without a blank."""
    text = _composed(text)
    for run in _cjk_run().finditer(text):
        start = run.start()
        while start and (_is_latin(text[start - 1]) or text[start - 1] in "-_."):
            start -= 1
        for at in (start, run.end()):
            name = _GLUED.match(text, at)
            if name:
                yield " ".join(_WORD.findall(name.group())).lower()


def _is_latin(char: str) -> bool:
    return char.isascii() and char.isalnum()
