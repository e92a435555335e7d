"""Each word of a query as FTS5 expressions: exact, corrected, and its parts.

Every word is quoted, so nothing a person types is syntax.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from roam_semantic.retrieval import russian, spelling
from roam_semantic.retrieval.spelling import NEVER, Count
from roam_semantic.retrieval.stopwords import STOP_WORDS
from roam_semantic.sqlite import Connection
from roam_semantic.store.words import Word, clean, fold, is_cjk, pairs, query_terms, runs

# Looking for what a rare word may stand for costs milliseconds.
MAX_CORRECTED = 4
# Nobody counted it, but it is not in every unit.
GUESS = 500

_KANA = re.compile("[\u3041-\u309f]+")


class Atom(msgspec.Struct, frozen=True):
    """One expression of the OR, and in how many units it occurs at most."""

    expression: str
    units: int


class Term(msgspec.Struct, frozen=True):
    """One word of the query.

    exact: what a unit must match to hold the word as meant literally.
    loose: the same or a corrected spelling.
    atoms: what of it may take part in an OR.
    literal: the name as typed when its signs or capitals matter, else "".
    needles: beginnings of words that show it in a passage.
    """

    exact: str
    loose: str
    atoms: tuple[Atom, ...]
    literal: str = ""
    needles: tuple[str, ...] = ()


class Terms(msgspec.Struct, frozen=True):
    """A query's words; corrected: typed word → the word that was added."""

    terms: tuple[Term, ...]
    phrases: tuple[str, ...]
    corrected: dict[str, str]
    only_stops: bool


def read_terms(reader: Connection, text: str, phrases: Sequence[str]) -> Terms:
    """Return the words of TEXT, looked up in the index; what stands in PHRASES too."""
    words = query_terms(text)
    kept = [word for word in words if not _is_stop(word)]
    quoted = {word.typed for phrase in phrases for word in query_terms(phrase)}
    found = kept or list(words)
    pieces = [piece for word in found for piece in (*word.pieces, *word.whole, *word.parts)]
    lookup = _Lookup(reader, pieces)
    corrected: dict[str, str] = {}
    terms = [_term(lookup, word, corrected, quoted) for word in found]
    return Terms(
        terms=tuple(terms),
        phrases=tuple(filter(None, (phrase_expression(phrase) for phrase in phrases))),
        corrected=corrected,
        only_stops=not kept,
    )


def phrase_expression(phrase: str) -> str:
    """Return the expression for words of PHRASE side by side, "" when it has none."""
    parts: list[str] = []
    for run in runs(clean(phrase).replace('"', " ")):
        if is_cjk(run[0]):
            letters = pairs(run)
            parts.append(_quoted(*letters) if letters else f"{_quoted(run)} *")
        elif any(char.isalnum() for char in run):
            same = fold(run) == run.lower()
            parts.append(_quoted(run) if same else f"({_quoted(run)} OR {_quoted(fold(run))})")
    signs = [name for word in query_terms(phrase) if word.signed for name in word.whole]
    return " AND ".join(parts + [_quoted(name) for name in signs])


def most_units(reader: Connection) -> int:
    """Return how many units the index holds at most."""
    return reader.value("SELECT max(id) FROM embed_units") or 0


class _Lookup:
    """How often the pieces of a query occur, all asked at once."""

    def __init__(self, reader: Connection, pieces: Iterable[str]) -> None:
        self.reader = reader
        self.total: int = most_units(reader)
        self._terms = {piece: spelling.stems(reader, piece) for piece in pieces}
        self._counts = spelling.counts(
            reader, [term for terms in self._terms.values() for term in terms]
        )

    def count(self, piece: str) -> Count:
        """Return how often PIECE occurs; a piece of several terms as its rarest."""
        found = [self._counts.get(term, NEVER) for term in self._terms[piece]]
        return min(found, key=lambda count: count.units, default=NEVER)

    def atom(self, piece: str) -> Atom:
        """Return PIECE as part of an OR."""
        return Atom(_quoted(piece), self.count(piece).units)

    def beginning(self, piece: str) -> str:
        """Return what the inflections of PIECE begin with."""
        term = self._terms[piece][0] if self._terms[piece] else piece
        shared = 0
        while shared < min(len(term), len(piece)) and term[shared] == piece[shared]:
            shared += 1
        return piece[:shared] if shared > 2 else piece


def _term(lookup: _Lookup, word: Word, corrected: dict[str, str], quoted: set[str]) -> Term:
    if word.cjk:
        return _cjk_term(lookup, word)
    if word.signed:
        return _signed_term(lookup, word)
    if len(word.pieces) > 1 or word.parts:
        return _name_term(lookup, word)
    piece = next(iter(word.pieces))
    plain = _plain(lookup, piece)
    better = None
    if word.typed not in quoted and len(corrected) < MAX_CORRECTED:
        better = spelling.correction(lookup.reader, piece, plain.count, lookup.total)
    if better is None:
        return Term(plain.exact, plain.exact, plain.atoms, needles=plain.needles)
    corrected[word.typed] = better
    other = _plain(_Lookup(lookup.reader, [better]), better)
    return Term(
        exact=plain.exact,
        loose=f"({plain.exact} OR {other.exact})",
        atoms=plain.atoms + other.atoms,
        needles=plain.needles + other.needles,
    )


class _Plain(msgspec.Struct, frozen=True):
    """An ordinary word in all its forms; count: of all of them."""

    exact: str
    atoms: tuple[Atom, ...]
    needles: tuple[str, ...]
    count: Count


def _plain(lookup: _Lookup, piece: str) -> _Plain:
    if not russian.is_russian(piece):
        exact = _quoted(piece)
        return _Plain(exact, (lookup.atom(piece),), (lookup.beginning(piece),), lookup.count(piece))
    known = spelling.forms(lookup.reader, piece) or {piece: NEVER}
    atoms = tuple(Atom(_quoted(form), count.units) for form, count in known.items())
    exact = " OR ".join(atom.expression for atom in atoms)
    return _Plain(
        exact=f"({exact})" if len(atoms) > 1 else exact,
        atoms=atoms,
        needles=(russian.stem(piece),),
        count=Count(
            units=sum(count.units for count in known.values()),
            times=sum(count.times for count in known.values()),
        ),
    )


def _cjk_term(lookup: _Lookup, word: Word) -> Term:
    if len(word.pieces[0]) == 1:
        exact = f"{_quoted(word.typed)} *"
        return Term(exact, exact, (Atom(exact, GUESS),), needles=(word.typed,))
    exact = _quoted(*word.pieces)
    # Pairs of kana alone are mostly particles and endings.
    telling = [pair for pair in word.pieces if not _KANA.fullmatch(pair)] or word.pieces
    atoms = tuple(lookup.atom(pair) for pair in telling)
    return Term(exact, exact, atoms, needles=(word.typed, *telling))


def _signed_term(lookup: _Lookup, word: Word) -> Term:
    longer = [piece for piece in word.pieces if len(piece) > 1]
    exact = " AND ".join(_quoted(piece) for piece in (*word.whole, *longer))
    known = any(lookup.count(name).units for name in word.whole)
    atoms = tuple(lookup.atom(name) for name in word.whole)
    if not known:
        atoms += tuple(lookup.atom(piece) for piece in word.pieces)
    exact = f"({exact})"
    return Term(exact, exact, atoms, literal=word.typed, needles=(word.typed, *longer))


def _name_term(lookup: _Lookup, word: Word) -> Term:
    """Return the term of org-roam-db-sync, foo(bar) or getUserName."""
    if word.parts:
        whole, parts = word.pieces, word.parts
    else:
        whole, parts = word.whole, word.pieces
    phrase = _quoted(*parts)
    alone = [piece for piece in parts if piece not in STOP_WORDS and len(piece) > 1]
    fewest = min((lookup.count(piece).units for piece in parts), default=0)
    atoms = [lookup.atom(name) for name in whole]
    atoms.append(Atom(phrase, fewest))
    atoms += [lookup.atom(piece) for piece in alone]
    exact = " OR ".join([phrase, *(_quoted(name) for name in whole)])
    return Term(
        exact=f"({exact})",
        loose=f"({exact})",
        atoms=tuple(atoms),
        literal=word.typed.strip(".,:;'’`=~*/()[]{}<>") or word.typed,
        needles=(word.typed, *parts),
    )


def _is_stop(word: Word) -> bool:
    names = (*word.whole, *word.pieces) if len(word.pieces) == 1 else word.whole
    return not word.signed and any(name in STOP_WORDS for name in names)


def _quoted(*pieces: str) -> str:
    return '"' + " ".join(pieces).replace('"', " ") + '"'
