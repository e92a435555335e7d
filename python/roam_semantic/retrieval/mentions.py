"""Names of notes in running text: titles and aliases, found in one pass.

A name is a run of words.  Its first word says where it may begin, so a text is
read once however many names there are.  Case, accents of composition, the kind
of blank or hyphen between words, and a plural s make no difference; any other
ending does.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import msgspec

from roam_semantic.retrieval.stopwords import STOP_WORDS
from roam_semantic.store.words import fold, is_cjk

# A name needs so many letters; one with a Chinese, Japanese or Korean one fewer.
LETTERS, CJK_CHARS = 3, 2
# A plural is known by its s; a word that is all of a name must be long for that,
# or "Mean" would stand where something means.
SINGULAR, PLURAL = 3, 6
TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
BLANK = re.compile(r"[ \t\xa0\u2010\u2011-]+|[ \t]*\n[ \t]*")
# What a name may lose at its ends: quotes, brackets, punctuation.
ENDS = " \t\"'“”„«»‘’()[]{}<>?!,;:…."
# Beside these the words are part of a path, an address, a compound or markup of code.
BEFORE = frozenset("/\\@#$_-=~.&")
AFTER = frozenset("/\\@_-=~")
NAMES_HELD = 1 << 16


Words = tuple[str, ...]
Place = tuple[int, int, set[int]]


class Mention(msgspec.Struct, frozen=True):
    """A name in a text, from START to before END (offsets from 0), and its node."""

    start: int
    end: int
    node: int
    name: str


class _Name(msgspec.Struct, frozen=True):
    """A name cut into words and what stands between, before and behind them.

    alone: the word of a short name of one word, which has no plural.
    """

    words: Words
    gaps: Words
    before: str
    after: str
    alone: str = ""


def find_mentions(text: str, names: Iterable[tuple[str, int]]) -> list[Mention]:
    """Return where NAMES (name, node) stand in TEXT, in order, none over another.

    The longest name wins.  One that several nodes have is nobody's, and takes
    its place all the same.
    """
    tokens = [(found.start(), found.end()) for found in TOKEN.finditer(text)]
    words = tuple(_word(text[start:end]) for start, end in tokens)
    present = frozenset(words)
    spaced: defaultdict[Words, dict[_Name, set[int]]] = defaultdict(dict)
    dense: defaultdict[str, dict[str, set[int]]] = defaultdict(dict)
    for name, node in names:
        read = _read(name)
        if isinstance(read, str):
            dense[read[:2]].setdefault(read, set()).add(node)
        elif read is not None and read.words[0] in present:
            spaced[read.words].setdefault(read, set()).add(node)
    found = [*_spaced(text, tokens, words, spaced), *(_unspaced(text, dense) if dense else ())]
    found.sort(key=lambda each: (each[0], -each[1]))
    mentions: list[Mention] = []
    done = 0
    for start, end, nodes in found:
        if start >= done:
            done = end
            if len(nodes) == 1:
                mentions.append(Mention(start, end, next(iter(nodes)), text[start:end]))
    return mentions


@lru_cache(NAMES_HELD)
def _read(name: str) -> _Name | str | None:
    """Return NAME cut into words, as it is when it has no blanks, or None: it is no name."""
    if not name.isascii() and any(map(is_cjk, name)):
        return _dense(name)
    return _cut(name)


def _cut(name: str) -> _Name | None:
    """Return NAME cut into words, or None: it is too short, a number or a stop word."""
    core = name.strip(ENDS) if not name.startswith(".") else name.rstrip(ENDS)
    tokens = list(TOKEN.finditer(core))
    if not tokens or sum(map(str.isalpha, core)) < LETTERS:
        return None
    words = tuple(_word(token[0]) for token in tokens)
    if all(token[0].lower() in STOP_WORDS or token[0].isdigit() for token in tokens):
        return None
    gaps = tuple(
        _gap(core[left.end() : right.start()])
        for left, right in zip(tokens, tokens[1:], strict=False)
    )
    alone = _folded(tokens[0][0]) if len(tokens) == 1 else ""
    return _Name(
        words=words,
        gaps=gaps,
        before=core[: tokens[0].start()],
        after=core[tokens[-1].end() :],
        alone=alone if len(alone) < PLURAL else "",
    )


def _dense(name: str) -> str | None:
    """Return NAME, of a script without blanks, as it is compared, or None: it is too short."""
    core = _lowered(name.strip(ENDS))
    is_kana = all("\u3041" <= char <= "\u309f" for char in core)
    return core if len(core) >= CJK_CHARS + is_kana else None


@lru_cache(NAMES_HELD)
def _word(token: str) -> str:
    word = _folded(token)
    if len(word) > SINGULAR and word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def _folded(token: str) -> str:
    return fold(token).replace("’", "'").removesuffix("'s")


def _gap(between: str) -> str:
    return " " if BLANK.fullmatch(between) else between


def _spaced(
    text: str,
    tokens: Sequence[tuple[int, int]],
    words: Words,
    names: dict[Words, dict[_Name, set[int]]],
) -> Iterator[Place]:
    """Yield (start, end, nodes) for each name in TEXT, the longest at each place."""
    lengths: defaultdict[str, set[int]] = defaultdict(set)
    for name in names:
        lengths[name[0]].add(len(name))
    for place, word in enumerate(words):
        for length in sorted(lengths.get(word, ()), reverse=True):
            spans = tokens[place : place + length]
            best = [
                (*span, nodes)
                for name, nodes in names.get(words[place : place + length], {}).items()
                if (span := _span(text, name, spans)) is not None
            ]
            if best:
                yield max(best, key=lambda each: each[1] - each[0])
                break


def _span(text: str, name: _Name, tokens: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    """Return where NAME stands if its words are TOKENS of TEXT, or None."""
    if name.alone and _folded(text[slice(*tokens[0])]) != name.alone:
        return None
    for gap, (_, left), (right, _) in zip(name.gaps, tokens, tokens[1:], strict=False):
        if _gap(text[left:right]) != gap:
            return None
    start, end = tokens[0][0] - len(name.before), tokens[-1][1] + len(name.after)
    if not text.startswith(name.before, max(start, 0)) or not text.startswith(
        name.after, tokens[-1][1]
    ):
        return None
    return (start, end) if start >= 0 and _is_apart(text, start, end) else None


def _is_apart(text: str, start: int, end: int) -> bool:
    """Return whether TEXT[START:END] is no part of a longer word, path or name."""
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    if before in BEFORE or before.isalnum() or after in AFTER or after.isalnum():
        return False
    # "emacs.el" is a file, "Emacs." ends a sentence; so with "C++" and "C".
    if after in (".", ":", "+", "#"):
        following = text[end + 1 : end + 2]
        return after in (".", ":") and not following.isalnum()
    return True


def _unspaced(text: str, names: dict[str, dict[str, set[int]]]) -> Iterator[Place]:
    """Yield (start, end, nodes) for each name of a script without blanks in TEXT."""
    if text.isascii():
        return
    lowered = _lowered(text)
    for start in range(len(lowered) - 1):
        best = ""
        for name in names.get(lowered[start : start + 2], ()):
            if (
                len(name) > len(best)
                and lowered.startswith(name, start)
                and _is_whole(lowered, start, start + len(name))
            ):
                best = name
        if best:
            yield start, start + len(best), names[best[:2]][best]


def _is_whole(text: str, start: int, end: int) -> bool:
    """Return whether a name without blanks in TEXT[START:END] is no part of a longer word.

    Chinese does not show where a word ends; katakana, Hangul and Latin letters do.
    """
    for outer, inner in ((start - 1, start), (end, end - 1)):
        if not 0 <= outer < len(text):
            continue
        if _kind(text[outer]) and _kind(text[outer]) == _kind(text[inner]):
            # A particle follows a Korean word without a blank.
            if outer == end and _kind(text[outer]) == "hangul":
                continue
            return False
    return True


def _kind(char: str) -> str:
    if "\u30a1" <= char <= "\u30fe":
        return "katakana"
    if "\uac00" <= char <= "\ud7af":
        return "hangul"
    return "word" if char.isalnum() and not is_cjk(char) else ""


def _lowered(text: str) -> str:
    """Return TEXT in lower case, every letter at its place."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
