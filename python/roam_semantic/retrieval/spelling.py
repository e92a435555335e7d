"""Looking words up in the index: how common, in which forms, meant how.

The vocabulary is `embed_terms`, whose terms are stemmed by FTS5's English
stemmer.  A correction is only ever added to a query; it takes a rare word and
a much commoner one within one edit (a wrong, missing, extra or swapped
letter).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

import msgspec

from roam_semantic.retrieval import russian
from roam_semantic.sqlite import Connection
from roam_semantic.store.schema import TOKENIZER
from roam_semantic.store.words import fold

MIN_LETTERS = 5
MAX_LETTERS = 24
# A word that occurs more often than this is meant as written.
RARE = 5
# A correction must stand in one of so many units, for one of so many terms.
UNITS_READ = 30
MAX_READ_FOR = 3
MAX_FORMS = 12
MAX_SCANNED = 1000
LONGEST_ENDING = 7

_LETTERS = re.compile(r"[^\W\d_]+")
_VOWELS = frozenset("aeiouyаеиоуыэюя")
_ALPHABETS = (
    (re.compile("[a-z]+"), "abcdefghijklmnopqrstuvwxyz"),
    (re.compile("[а-я]+"), "абвгдежзийклмнопрстуфхцчшщъыьэюя"),
)


class Count(msgspec.Struct, frozen=True):
    """How often a term occurs: in so many units, so many times."""

    units: int = 0
    times: int = 0


NEVER = Count()


def stems(reader: Connection, text: str) -> list[str]:
    """Return the terms the index makes of TEXT."""
    return reader.tokens(text, TOKENIZER)


def counts(reader: Connection, terms: Iterable[str]) -> dict[str, Count]:
    """Return term → Count for those of TERMS that occur."""
    wanted = msgspec.json.encode(list(dict.fromkeys(terms))).decode()
    rows = reader.rows(
        "SELECT term, doc, cnt FROM embed_terms WHERE term IN (SELECT value FROM json_each(?))",
        (wanted,),
    )
    return {term: Count(units, times) for term, units, times in rows}


def forms(reader: Connection, word: str) -> dict[str, Count]:
    """Return the terms of the index that are forms of the Russian WORD, commonest first.

    At most MAX_FORMS, WORD itself always among them when it occurs.
    """
    root = russian.stem(word)
    rows = reader.rows(
        "SELECT term, doc, cnt FROM embed_terms WHERE term >= ? AND term < ? LIMIT ?",
        (root, root + "\U0010ffff", MAX_SCANNED),
    )
    found = [
        (term, Count(units, times))
        for term, units, times in rows
        if len(term) <= len(root) + LONGEST_ENDING
        and (term == word or russian.is_russian(term) and russian.stem(term) == root)
    ]
    found.sort(key=lambda pair: (pair[0] != word, -pair[1].units, pair[0]))
    return dict(found[:MAX_FORMS])


def correction(reader: Connection, word: str, known: Count, total: int) -> str | None:
    """Return the much commoner word WORD (lower case) may stand for, or None.

    known: how often WORD itself occurs.  total: how many units there are.
    A slip people often make needs three times as many occurrences; any other
    wrong letter ten times as many, and one in a hundred units: most words a
    corpus lacks are no slips at all.
    """
    if not MIN_LETTERS <= len(word) <= MAX_LETTERS or known.times > RARE:
        return None
    own = stems(reader, word)
    slips = {slip.word: slip for slip in _slips(word)}
    spelled: dict[str, list[_Slip]] = {}
    for slip, term in zip(slips.values(), stems(reader, " ".join(slips)), strict=True):
        if term not in own:
            spelled.setdefault(term, []).append(slip)
    likely = max(2, 3 * known.times)
    unlikely = max(3, 10 * known.times, total // 100)
    commonest = sorted(
        (-count.times, term)
        for term, count in counts(reader, spelled).items()
        if count.times >= (likely if spelled[term][0].likely else unlikely)
    )
    for _, term in commonest[:MAX_READ_FOR]:
        written = _written(reader, spelled[term])
        if written is not None:
            return written
    return None


class _Slip(msgspec.Struct, frozen=True):
    """A word one edit away; likely: people often slip so."""

    word: str
    likely: bool


def _written(reader: Connection, slips: list[_Slip]) -> str | None:
    """Return the word of SLIPS, all of one term, that a unit holds as it is.

    A term is the beginning many words share: "potteds" is "pot" to the index,
    yet nobody wrote it.
    """
    rows = reader.rows(
        "SELECT u.title || ' ' || u.aliases || ' ' || u.path || ' ' || u.text"
        " FROM embed_fts f CROSS JOIN embed_units u ON u.id = f.rowid"
        " WHERE embed_fts MATCH ? LIMIT ?",
        (f'"{slips[0].word}"', UNITS_READ),
    )
    words = {word for (text,) in rows for word in _LETTERS.findall(fold(text))}
    return next((slip.word for slip in slips if slip.word in words), None)


@lru_cache(maxsize=64)
def _slips(word: str) -> tuple[_Slip, ...]:
    """Return every word one edit from WORD, the likely slips first."""
    alphabet = next((letters for script, letters in _ALPHABETS if script.fullmatch(word)), "")
    if not alphabet:
        return ()
    likely: list[str] = []
    unlikely: list[str] = []
    for at in range(len(word) + 1):
        left, right = word[:at], word[at:]
        beside = left[-1:] + right[:1]
        if len(right) > 1:
            likely.append(left + right[1] + right[0] + right[2:])
        for letter in alphabet:
            missing = letter in beside or letter in _VOWELS
            (likely if missing else unlikely).append(left + letter + right)
            if right:
                wrong = at > 0 and letter in _VOWELS and right[0] in _VOWELS
                (likely if wrong else unlikely).append(left + letter + right[1:])
        if right:
            double = right[0] in left[-1:] + right[1:2]
            (likely if double else unlikely).append(left + right[1:])
    first = dict.fromkeys(likely, True)
    both = first | {found: False for found in unlikely if found not in first}
    return tuple(_Slip(found, good) for found, good in both.items())
