"""The stem of a Russian word, by Snowball's rules.

The index keeps Russian words as written, so that any SQLite can open it and
English rules never touch them; a query asks for every word of the same stem.
"""

from __future__ import annotations

import re

_VOWELS = "аеиоуыэюя"
_RUSSIAN = re.compile("[а-я]{3,}")
_GERUND = re.compile("(?:(?<=[ая])(?:вшись|вши|в)|(?:ившись|ывшись|ивши|ывши|ив|ыв))$")
_REFLEXIVE = re.compile("(?:ся|сь)$")
_PARTICIPLE = re.compile("(?:(?<=[ая])(?:ем|нн|вш|ющ|щ)|(?:ивш|ывш|ующ))$")
_SUPERLATIVE = re.compile("(?:ейше|ейш)$")


def _endings(words: str) -> tuple[str, ...]:
    return tuple(sorted(words.split(), key=len, reverse=True))


_ADJECTIVE = _endings(
    "ее ие ые ое ими ыми ей ий ый ой ем им ым ом его ого ему ому их ых ую юю ая яя ою ею"
)
_VERB = _endings(
    "ила ыла ена ейте уйте ите или ыли ей уй ил ыл им ым ен ило ыло ено ят ует уют ит ыт ены"
    " ить ыть ишь ую ю"
)
# These count only after а or я.
_VERB_AFTER_A = _endings("ла на ете йте ли й л ем н ло но ет ют ны ть ешь нно")
_NOUN = _endings(
    "а ев ов ие ье е иями ями ами еи ии и ией ей ой ий й иям ям ием ем ам ом о у ах иях ях ы ь"
    " ию ью ю ия ья я"
)


def is_russian(word: str) -> bool:
    """Return whether WORD (lower case, ё as е) is of Cyrillic letters, three or more."""
    return _RUSSIAN.fullmatch(word) is not None


def stem(word: str) -> str:
    """Return the Snowball stem of WORD (lower case, ё as е)."""
    first = next((i for i, letter in enumerate(word) if letter in _VOWELS), None)
    if first is None:
        return word
    head = word[: first + 1]
    rest = _without_inflection(word[first + 1 :]).removesuffix("и")
    rest = _without_derivation(word, rest, len(head))
    shorter = _SUPERLATIVE.sub("", rest)
    if shorter.endswith("нн"):
        return head + shorter[:-1]
    return head + (shorter if shorter != rest else rest.removesuffix("ь"))


def _without_inflection(rest: str) -> str:
    shorter = _cut(_GERUND, rest)
    if shorter != rest:
        return shorter
    rest = _cut(_REFLEXIVE, rest)
    adjective = _ending(_ADJECTIVE, rest)
    if adjective:
        return _cut(_PARTICIPLE, rest[: -len(adjective)])
    ending = _verb_ending(rest) or _ending(_NOUN, rest)
    return rest[: len(rest) - len(ending)]


def _cut(ending: re.Pattern[str], rest: str) -> str:
    match = ending.search(rest)
    return rest[: match.start()] if match else rest


def _ending(endings: tuple[str, ...], rest: str) -> str:
    """Return the longest of ENDINGS that REST ends in, or ""."""
    if not rest.endswith(endings):
        return ""
    return next(ending for ending in endings if rest.endswith(ending))


def _verb_ending(rest: str) -> str:
    """Return the longest verb ending; some of them count only after а or я."""
    plain = _ending(_VERB, rest)
    for ending in _VERB_AFTER_A:
        if len(ending) > len(plain) and rest.endswith(("а" + ending, "я" + ending)):
            return ending
    return plain


def _without_derivation(word: str, rest: str, at: int) -> str:
    ending = _ending(("ость", "ост"), rest)
    if ending and at + len(rest) - len(ending) >= _second_region(word):
        return rest[: -len(ending)]
    return rest


def _second_region(word: str) -> int:
    """Return where the second region of WORD starts, in which suffixes are cut."""
    at = 0
    for _ in range(2):
        while at < len(word) and word[at] not in _VOWELS:
            at += 1
        while at < len(word) and word[at] in _VOWELS:
            at += 1
        at += 1
    return min(at, len(word))
