"""Finding nodes by what they are called: title, alias, tag, ref, id, path."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Sequence

import msgspec

from roam_semantic.errors import BadRequest, NotFound
from roam_semantic.retrieval.scope import like
from roam_semantic.sqlite import Connection
from roam_semantic.store.words import clean
from roam_semantic.values import Matched, NameHit

# Shorter words have no trigram.
TRIGRAM = 3
# So many nodes are compared one by one before the best are chosen.
MOST = 5000
MAX_CHARS = 1000
SHOWN = 5

# How well a name fits, best first.
EXACT_TITLE, EXACT_ALIAS, EXACT_REF, ASKED_TAG, STARTS, WORD_STARTS = range(6)
EXACT_TAG, CONTAINS, IN_REF, IN_TAG = range(6, 10)

# Trigrams keep ё and е, й and и apart, which are the same in a query; a quote is syntax.
_SEPARATE = re.compile('[еёий"]')
_EITHER = re.compile("[еёийЕЁИЙ]")

_COLUMNS = (
    "n.key, n.id, n.title, f.path, n.outline_path, n.line, n.pos, n.todo, f.mtime_ns"
    " FROM embed_nodes n JOIN embed_files f ON f.key = n.file"
)


class FoundNames(msgspec.Struct, frozen=True):
    """Nodes, best first; more: whether others follow."""

    hits: tuple[NameHit, ...]
    more: bool


class _Match(msgspec.Struct, frozen=True, order=True):
    """How a node fits; the smallest is the best."""

    fit: int
    length: int
    node: int
    matched: Matched
    value: str


def search_names(reader: Connection, text: str, k: int = 20, offset: int = 0) -> FoundNames:
    """Return nodes whose title, alias, tag or ref is TEXT, begins with it or holds its words.

    `#tag` asks for a tag, `@key` for a citation key, a URL for a ref.  Raise
    BadRequest when TEXT is empty.
    """
    wanted = _checked(text, "query")
    found: dict[int, _Match] = {}
    for match in _all_matches(reader, wanted):
        held = found.get(match.node)
        if held is None or match < held:
            found[match.node] = match
    ordered = sorted(found.values())
    page = ordered[offset : offset + k]
    return FoundNames(tuple(_hits(reader, page)), len(ordered) > offset + k)


def exactly_named(reader: Connection, text: str, most: int = 10) -> list[int]:
    """Return the keys of nodes whose title or alias is TEXT in any case, at most MOST."""
    wanted = _fold(text)
    if not wanted:
        return []
    spellings = {text, wanted, text.upper(), text.capitalize(), text.title()}
    values = _json(spellings)
    rows = reader.rows(
        "SELECT key FROM embed_nodes WHERE owner = 1"
        " AND title COLLATE NOCASE IN (SELECT value FROM json_each(?1))"
        " UNION SELECT a.node FROM embed_aliases a JOIN embed_nodes n ON n.key = a.node"
        " WHERE n.owner = 1 AND a.alias COLLATE NOCASE IN (SELECT value FROM json_each(?1))"
        " ORDER BY 1 LIMIT ?2",
        (values, most),
    )
    return [key for (key,) in rows]


def resolve(reader: Connection, text: str, vault: str | None = None) -> int:
    """Return the key of the node TEXT names: id, path, title, alias or ref, in this order.

    Raise NotFound when there is none, BadRequest when several fit as well.
    """
    wanted = _checked(text, "node").removeprefix("[[").split("]]")[0].split("][")[0]
    for keys in _resolutions(reader, wanted, vault):
        if len(keys) == 1:
            return keys[0]
        if keys:
            raise BadRequest(
                f"node {wanted!r} names {len(keys)} notes",
                "say which by its id or path: " + "; ".join(_shown(reader, keys)),
            )
    near = [hit.title for hit in search_names(reader, wanted, k=SHOWN).hits]
    raise NotFound(
        f"no node has the id, title, alias, ref or path {wanted!r}",
        "did you mean " + ", ".join(near) if near else "find it with `roam-semantic search`",
    )


def _resolutions(reader: Connection, wanted: str, vault: str | None) -> Iterable[list[int]]:
    """Yield the keys each reading of WANTED gives, the strictest reading first."""
    yield _keys(
        reader, "SELECT key FROM embed_nodes WHERE owner = 1 AND id = ?", wanted.removeprefix("id:")
    )
    path = wanted.removeprefix("file:")
    yield _by_path(reader, path, vault)
    yield _keys(
        reader,
        "SELECT key FROM embed_nodes WHERE owner = 1 AND title COLLATE NOCASE = ?1 AND title = ?1",
        wanted,
    )
    yield _keys(
        reader,
        "SELECT DISTINCT n.key FROM embed_aliases a JOIN embed_nodes n ON n.key = a.node"
        " WHERE n.owner = 1 AND a.alias COLLATE NOCASE = ?1 AND a.alias = ?1",
        wanted,
    )
    yield sorted({key for key, *_ in _by_ref(reader, wanted)})
    yield exactly_named(reader, wanted)
    yield _by_path(reader, path + ".org", vault)


def _by_path(reader: Connection, wanted: str, vault: str | None) -> list[int]:
    """Return the file node of the path WANTED, or else the only node of that file."""
    paths = {wanted, os.path.abspath(os.path.expanduser(wanted))} if "/" in wanted else {wanted}
    if vault is not None:
        paths.add(os.path.join(vault, wanted))
    rows = reader.rows(
        "SELECT n.key, n.level FROM embed_nodes n JOIN embed_files f ON f.key = n.file"
        " WHERE f.path IN (SELECT value FROM json_each(?1))"
        " OR f.real_path IN (SELECT value FROM json_each(?1)) ORDER BY n.level, n.pos",
        (_json(paths),),
    )
    top = [key for key, level in rows if level == 0]
    return top[:1] or [key for key, _ in rows]


def _all_matches(reader: Connection, wanted: str) -> Iterable[_Match]:
    if wanted.startswith("#") and len(wanted) > 1:
        yield from _by_tag(reader, wanted[1:])
    for key, value, exact in _by_ref(reader, wanted, partly=True):
        yield _Match(EXACT_REF if exact else IN_REF, len(value), key, "ref", value)
    words = _fold(wanted).split()
    keys = exactly_named(reader, wanted) + _candidates(reader, wanted)
    for key, name, matched in _names_of(reader, keys):
        fit = _fit(_fold(name), _fold(wanted), words, matched)
        if fit is not None:
            yield _Match(fit, len(name), key, matched, name)


def _fit(name: str, wanted: str, words: Sequence[str], matched: Matched) -> int | None:
    """Return how well NAME answers WANTED, or None."""
    if matched == "tag":
        if name == wanted:
            return EXACT_TAG
        return IN_TAG if all(word in name for word in words) else None
    if name == wanted:
        return EXACT_TITLE if matched == "title" else EXACT_ALIAS
    if name.startswith(wanted):
        return STARTS
    if not all(word in name for word in words):
        return None
    return WORD_STARTS if all(_begins_word(name, word) for word in words) else CONTAINS


def _begins_word(name: str, word: str) -> bool:
    at = name.find(word)
    while at > 0 and name[at - 1].isalnum():
        at = name.find(word, at + 1)
    return at >= 0


def _candidates(reader: Connection, wanted: str) -> list[int]:
    """Return the keys of nodes that may hold all words of WANTED in their names."""
    words = unicodedata.normalize("NFKC", wanted).casefold().split()
    probes = [probe for probe in map(_probe, words) if probe]
    if probes:
        rows = reader.rows(
            "SELECT rowid FROM embed_names WHERE embed_names MATCH ? ORDER BY rowid LIMIT ?",
            (" AND ".join(probes), MOST),
        )
        return [key for (key,) in rows]
    if not words:
        return []
    short = max(words, key=len)
    # LIKE knows the case of ASCII letters only; its "_" is any letter.
    patterns = [
        _EITHER.sub("_", like(spelling))
        for spelling in sorted({short, short.upper(), short.capitalize()})
    ]
    test = " OR ".join("names LIKE ? ESCAPE '\\'" for _ in patterns)
    rows = reader.rows(
        f"SELECT rowid FROM embed_names WHERE {test} ORDER BY rowid LIMIT ?", (*patterns, MOST)
    )
    return [key for (key,) in rows]


def _probe(word: str) -> str:
    """Return the trigram expression of WORD with and without its accents, "" when short.

    FTS5 takes one accent off a letter, not two.
    """
    either: list[str] = []
    for spelling in dict.fromkeys((word, _fold(word))):
        pieces = [piece for piece in _SEPARATE.split(spelling) if len(piece) >= TRIGRAM]
        if not pieces:
            return ""
        either.append("(" + " AND ".join(f'"{piece}"' for piece in pieces) + ")")
    return f"({' OR '.join(either)})"


def _names_of(reader: Connection, keys: Sequence[int]) -> list[tuple[int, str, Matched]]:
    rows = reader.rows(
        "SELECT key, title, 'title' FROM embed_nodes"
        " WHERE owner = 1 AND key IN (SELECT value FROM json_each(?1))"
        " UNION ALL SELECT node, alias, 'alias' FROM embed_aliases"
        " WHERE node IN (SELECT value FROM json_each(?1))"
        " UNION ALL SELECT node, tag, 'tag' FROM embed_tags"
        " WHERE node IN (SELECT value FROM json_each(?1))",
        (msgspec.json.encode(keys).decode(),),
    )
    return [(key, name, matched) for key, name, matched in rows]


def _by_tag(reader: Connection, tag: str) -> Iterable[_Match]:
    """Yield the nodes that carry TAG; in this very case before any other."""
    rows = reader.rows(
        "SELECT t.node, t.tag FROM embed_tags t JOIN embed_nodes n ON n.key = t.node"
        " WHERE n.owner = 1 AND t.tag LIKE ? ESCAPE '\\'",
        (like(tag)[1:-1],),
    )
    for key, value in rows:
        yield _Match(ASKED_TAG, 0 if value == tag else 1, key, "tag", value)


def _by_ref(
    reader: Connection, wanted: str, *, partly: bool = False
) -> list[tuple[int, str, bool]]:
    """Return (node, ref as written, whether exact) for URL, @key or bare key WANTED."""
    scheme, _, rest = wanted.partition(":")
    bare = rest if rest.startswith("//") else wanted.lstrip("@").removeprefix("cite:")
    exact = {bare, bare.rstrip("/"), bare + "/", "//" + bare, wanted}
    rows = reader.rows(
        "SELECT r.node, r.ref, r.type FROM embed_refs r JOIN embed_nodes n ON n.key = r.node"
        " WHERE n.owner = 1 AND r.ref IN (SELECT value FROM json_each(?)) ORDER BY r.node",
        (_json(exact),),
    )
    if any(kind == scheme for *_, kind in rows):
        rows = [row for row in rows if row[2] == scheme]
    found = [(key, _written(ref, kind), True) for key, ref, kind in rows]
    if partly and len(bare) >= TRIGRAM:
        rows = reader.rows(
            "SELECT r.node, r.ref, r.type FROM embed_refs r JOIN embed_nodes n ON n.key = r.node"
            " WHERE n.owner = 1 AND r.ref LIKE ? ESCAPE '\\' ORDER BY r.node LIMIT ?",
            (like(bare), MOST),
        )
        found += [(key, _written(ref, kind), False) for key, ref, kind in rows]
    return found


def _written(ref: str, kind: str) -> str:
    return f"@{ref}" if kind == "cite" else f"{kind}:{ref}"


def _hits(reader: Connection, matches: Sequence[_Match]) -> Iterable[NameHit]:
    keys = msgspec.json.encode([match.node for match in matches]).decode()
    rows = {
        row[0]: row[1:]
        for row in reader.rows(
            f"SELECT {_COLUMNS} WHERE n.key IN (SELECT value FROM json_each(?))", (keys,)
        )
    }
    tags = tags_of(reader, list(rows))
    for match in matches:
        if match.node not in rows:
            continue
        node_id, title, path, outline, line, pos, todo, mtime_ns = rows[match.node]
        yield NameHit(
            node_id=node_id,
            title=title,
            file=path,
            outline_path=msgspec.json.decode(outline, type=tuple[str, ...]),
            line=line,
            pos=pos,
            matched=match.matched,
            value=match.value,
            tags=tags.get(match.node, ()),
            todo=todo,
            modified=seconds(mtime_ns),
        )


def seconds(mtime_ns: int) -> float:
    """Return a file's time MTIME_NS in seconds, to the millisecond."""
    return round(mtime_ns / 1e9, 3)


def tags_of(reader: Connection, nodes: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Return the tags of NODES, in org-roam's order; a node without tags is left out."""
    found: dict[int, tuple[str, ...]] = {}
    for node, tag in reader.rows(
        "SELECT node, tag FROM embed_tags WHERE node IN (SELECT value FROM json_each(?))"
        " ORDER BY rowid",
        (msgspec.json.encode(nodes).decode(),),
    ):
        found[node] = (*found.get(node, ()), tag)
    return found


def _shown(reader: Connection, keys: Sequence[int]) -> list[str]:
    rows = reader.rows(
        f"SELECT {_COLUMNS} WHERE n.key IN (SELECT value FROM json_each(?)) ORDER BY n.key LIMIT ?",
        (msgspec.json.encode(keys).decode(), SHOWN),
    )
    shown = [f"{row[1] or 'no id'} ({row[3]}:{row[5]})" for row in rows]
    return [*shown, "…"] if len(keys) > SHOWN else shown


def _keys(reader: Connection, sql: str, value: str) -> list[int]:
    return [key for (key,) in reader.rows(sql, (value,))]


def _json(values: Iterable[str]) -> str:
    return msgspec.json.encode(sorted(values)).decode()


def _fold(text: str) -> str:
    """Return TEXT in the one spelling names are compared in: no case, no accents."""
    if text.isascii():
        return text.casefold().strip()
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in apart if not unicodedata.combining(char)).strip()


def _checked(text: str, argument: str) -> str:
    wanted = clean(text).strip()
    if not wanted:
        raise BadRequest(f"{argument} is empty", "name a note by its title, alias, tag or ref")
    if len(wanted) > MAX_CHARS:
        raise BadRequest(
            f"{argument} is {len(wanted)} characters long", f"use at most {MAX_CHARS} characters"
        )
    return wanted
