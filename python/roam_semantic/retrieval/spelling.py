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

MIN_LETTERS = 5
MAX_LETTERS = 24
# A word that occurs more often than this is meant as written.
RARE = 5
MAX_FORMS = 12
MAX_SCANNED = 1000
LONGEST_ENDING = 7

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


def correction(reader: Connection, word: str, known: Count) -> str | None:
    """Return the much commoner word WORD (lower case) may stand for, or None.

    known: how often WORD itself occurs.
    """
    if not MIN_LETTERS <= len(word) <= MAX_LETTERS or known.times > RARE:
        return None
    candidates = _edits(word)
    if not candidates:
        return None
    own = stems(reader, word)
    spelled: dict[str, str] = {}
    for candidate, term in zip(candidates, stems(reader, " ".join(candidates)), strict=True):
        spelled.setdefault(term, candidate)
    for term in own:
        spelled.pop(term, None)
    enough = max(2, (3 if known.times <= 1 else 10) * known.times)
    found = [
        (-count.times, spelled[term])
        for term, count in counts(reader, spelled).items()
        if count.times >= enough
    ]
    return min(found)[1] if found else None


@lru_cache(maxsize=64)
def _edits(word: str) -> tuple[str, ...]:
    """Return every word one edit away, the likeliest slips first."""
    alphabet = next((letters for script, letters in _ALPHABETS if script.fullmatch(word)), "")
    if not alphabet:
        return ()
    halves = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    swapped = [a + b[1] + b[0] + b[2:] for a, b in halves if len(b) > 1]
    missing = [a + letter + b for a, b in halves for letter in alphabet]
    wrong = [a + letter + b[1:] for a, b in halves if b for letter in alphabet]
    extra = [a + b[1:] for a, b in halves if b]
    return tuple(dict.fromkeys(swapped + missing + wrong + extra))
