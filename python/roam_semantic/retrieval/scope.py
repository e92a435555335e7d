"""What the filters of a query leave, in the forms both legs can use.

Type, tag, todo are tokens of the index, so a filter makes the words leg
faster.  Title, file and date become keys of nodes and files first: beside
MATCH a subquery over unit ids costs seconds.

A daily, whose file name is a date, stands for that day; any other file for
the day of its last change, in local time.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable
from datetime import date

import msgspec

from roam_semantic.retrieval.query import Filter
from roam_semantic.sqlite import Connection
from roam_semantic.store.words import clean, meta_token

TOKENS = ("type", "tag", "todo")
# What SQLite can hold as nanoseconds.
MOST_SECONDS = 9_000_000_000
# Up to so many files their units are found by id, which spares the words leg most rows.
FEW_FILES = 64

_YEAR = "[0-9]" * 4
_DAILY = re.compile(r"(\d{4})([-_]?)(\d{2})\2(\d{2})(?!\d)")


class Scope(msgspec.Struct, frozen=True):
    """The units a search may find.

    match, without: FTS5 expressions over the meta column, "" for no condition.
    where: SQL over `embed_units u`, beginning with AND, "" for none; values:
        its values.  first, last: bounds of unit ids, when they are known.
    """

    match: str = ""
    without: str = ""
    where: str = ""
    values: tuple[str, ...] = ()
    first: int | None = None
    last: int | None = None

    @property
    def is_everything(self) -> bool:
        """Return whether there is no condition at all."""
        return not (self.match or self.without or self.where)

    def around(self, expression: str) -> str:
        """Return the FTS5 EXPRESSION under the conditions of the meta column."""
        if self.match:
            expression = f"({self.match}) AND ({expression})"
        if self.without:
            expression = f"({expression}) NOT ({self.without})"
        return expression

    def bounds(self, column: str) -> str:
        """Return SQL that keeps COLUMN, a unit id, within the bounds."""
        if self.first is None or self.last is None:
            return ""
        return f" AND {column} BETWEEN {self.first} AND {self.last}"


def scope_of(reader: Connection, filters: Iterable[Filter]) -> Scope:
    """Return what FILTERS leave; several types or todo keywords mean any of them."""
    filters = tuple(filters)
    conditions: list[str] = []
    values: list[str] = []
    first = last = None
    files = _files(reader, [item for item in filters if not item.negated])
    if files is not None:
        conditions.append("u.file IN (SELECT value FROM json_each(?))")
        values.append(_json(files))
        first, last = _bounds(reader, files)
    for item in filters:
        if item.name == "title" or (item.name == "file" and item.negated):
            column = "node" if item.name == "title" else "file"
            keys = _titled(reader, item.value) if column == "node" else _pathed(reader, item.value)
            no = "NOT " if item.negated else ""
            conditions.append(f"u.{column} {no}IN (SELECT value FROM json_each(?))")
            values.append(_json(keys))
    return Scope(
        match=_match(item for item in filters if not item.negated),
        without=_any(_token(item) for item in filters if item.negated and item.name in TOKENS),
        where="".join(f" AND {condition}" for condition in conditions),
        values=tuple(values),
        first=first,
        last=last,
    )


def unit_ids(reader: Connection, scope: Scope) -> tuple[list[int] | None, list[int]]:
    """Return (ids of the units in SCOPE, None for any; ids it shuts out)."""
    shut: list[int] = []
    if scope.without:
        shut = _ids(reader, "SELECT rowid FROM embed_fts WHERE embed_fts MATCH ?", (scope.without,))
    if scope.match and scope.where:
        found = _ids(
            reader,
            "SELECT f.rowid FROM embed_fts f CROSS JOIN embed_units u ON u.id = f.rowid"
            f" WHERE embed_fts MATCH ?{scope.bounds('f.rowid')}{scope.where}",
            (scope.match, *scope.values),
        )
    elif scope.match:
        found = _ids(reader, "SELECT rowid FROM embed_fts WHERE embed_fts MATCH ?", (scope.match,))
    elif scope.where:
        found = _ids(
            reader, f"SELECT u.id FROM embed_units u WHERE TRUE{scope.where}", scope.values
        )
    else:
        return None, shut
    return found, shut


def like(text: str) -> str:
    """Return the LIKE pattern (ESCAPE '\\') of what contains TEXT."""
    escaped = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


def _match(filters: Iterable[Filter]) -> str:
    tags: list[str] = []
    others: dict[str, list[str]] = {}
    for item in filters:
        if item.name == "tag":
            tags.append(_token(item))
        elif item.name in TOKENS:
            others.setdefault(item.name, []).append(_token(item))
    return " AND ".join(tags + [f"({_any(tokens)})" for tokens in others.values()])


def _any(tokens: Iterable[str]) -> str:
    return " OR ".join(tokens)


def _token(item: Filter) -> str:
    return f'"{meta_token(item.name, item.value)}"'


def _files(reader: Connection, filters: list[Filter]) -> list[int] | None:
    """Return the keys of the files FILTERS on file and date leave, or None for all."""
    sets: list[set[int]] = [
        set(_pathed(reader, item.value)) for item in filters if item.name == "file"
    ]
    since = max((item.value for item in filters if item.name == "since"), default=None)
    until = min((item.value for item in filters if item.name == "until"), default=None)
    if since or until:
        sets.append(_dated(reader, since or "0001-01-01", until or "9999-12-31"))
    return sorted(sets[0].intersection(*sets)) if sets else None


def _pathed(reader: Connection, text: str) -> list[int]:
    """Return the keys of files whose path below the vault contains TEXT, in any case."""
    wanted = clean(text).casefold()
    root = _common_folder(reader)
    if wanted.isascii():
        return _ids(
            reader,
            "SELECT key FROM embed_files WHERE substr(path, ?) LIKE ? ESCAPE '\\'",
            (root + 1, like(wanted)),
        )
    return [
        key
        for key, path in reader.rows("SELECT key, path FROM embed_files")
        if wanted in path[root:].casefold()
    ]


def _common_folder(reader: Connection) -> int:
    """Return how many characters of every path name the folder all files share."""
    ends = reader.row("SELECT min(path), max(path) FROM embed_files")
    if ends is None or ends[0] is None:
        return 0
    return os.path.commonprefix(list(ends)).rfind("/")


def _dated(reader: Connection, since: str, until: str) -> set[int]:
    """Return the keys of files of the days SINCE to UNTIL."""
    looks_daily = f"(path GLOB '*/{_YEAR}[-_]??[-_]??*' OR path GLOB '*/{_YEAR}????[^0-9]*')"
    changed = (_local_ns(since, 0), _local_ns(until, 1) - 1)
    found = set(
        _ids(
            reader,
            f"SELECT key FROM embed_files WHERE mtime_ns BETWEEN ? AND ? AND NOT {looks_daily}",
            changed,
        )
    )
    rows = reader.rows(f"SELECT key, path, mtime_ns FROM embed_files WHERE {looks_daily}")
    for key, path, changed_ns in rows:
        day = _daily(path)
        if changed[0] <= changed_ns <= changed[1] if day is None else since <= day <= until:
            found.add(key)
    return found


def _daily(path: str) -> str | None:
    """Return the ISO date a file is named after, or None.

    `2024-03-05.org`, `20240305.org`, `2024_03_05 Tuesday.org` are dailies; a
    time stamp before a title (`20240305101500-title.org`) is none.
    """
    named = _DAILY.match(os.path.basename(path))
    if named is None:
        return None
    try:
        return date(int(named[1]), int(named[3]), int(named[4])).isoformat()
    except ValueError:
        return None


def _local_ns(day: str, later: int) -> int:
    """Return when DAY (or LATER days after it) begins here, in nanoseconds, as SQLite can hold."""
    year, month, number = (int(part) for part in day.split("-"))
    try:
        seconds = int(time.mktime((year, month, number + later, 0, 0, 0, 0, 0, -1)))
    except (OverflowError, ValueError):
        seconds = -MOST_SECONDS if year < 1970 else MOST_SECONDS
    return max(-MOST_SECONDS, min(MOST_SECONDS, seconds)) * 1_000_000_000


def _titled(reader: Connection, text: str) -> list[int]:
    """Return the keys of nodes whose title or an alias contains TEXT, in any case."""
    wanted = clean(text).casefold()
    if wanted.isascii():
        rows = reader.rows(
            "SELECT key FROM embed_nodes WHERE title LIKE ?1 ESCAPE '\\'"
            " UNION SELECT node FROM embed_aliases WHERE alias LIKE ?1 ESCAPE '\\'",
            (like(wanted),),
        )
        return [key for (key,) in rows]
    rows = reader.rows(
        "SELECT key, title FROM embed_nodes UNION SELECT node, alias FROM embed_aliases"
    )
    return sorted({key for key, name in rows if wanted in name.casefold()})


def _bounds(reader: Connection, files: list[int]) -> tuple[int | None, int | None]:
    if len(files) > FEW_FILES:
        return None, None
    ends = reader.row(
        "SELECT min(id), max(id) FROM embed_units WHERE file IN (SELECT value FROM json_each(?))",
        (_json(files),),
    )
    first, last = ends or (None, None)
    return (0, 0) if first is None else (first, last)


def _ids(reader: Connection, sql: str, values: Iterable[str | int]) -> list[int]:
    return [key for (key,) in reader.rows(sql, tuple(values))]


def _json(keys: Iterable[int]) -> str:
    return msgspec.json.encode(list(keys)).decode()
