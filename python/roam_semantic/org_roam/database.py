"""Org-roam's database: opened for one short read, everything fetched, closed.

Never made, written, repaired or tuned by us.  Schema versions 16 to 20 are
known: 16 has no citations, 16 and 17 no title of files, 19 links without
properties.  A newer one is read as long as the columns we need are there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from typing import TypeVar

import msgspec

from roam_semantic import sqlite
from roam_semantic.errors import Unavailable
from roam_semantic.org_roam.rows import FileRows, assembled, string
from roam_semantic.paths import to_text
from roam_semantic.sqlite import Broken, Connection, Row

__all__ = ["DatabaseState", "FileRows", "RoamDatabase"]

Result = TypeVar("Result")

OLDEST, NEWEST = 16, 20
COLUMNS = {
    "files": "file, hash",
    "nodes": "id, file, level, pos, todo, priority, scheduled, deadline, title, properties, olp",
    "aliases": "node_id, alias",
    "refs": "node_id, ref, type",
    "tags": "node_id, tag",
    "links": "pos, source, dest, type, properties",
}
CITATIONS = "pos, node_id, cite_key, properties"
OF_FILES = {
    "files": "file IN ({files})",
    "nodes": "file IN ({files})",
    "aliases": "node_id IN (SELECT id FROM nodes WHERE file IN ({files}))",
    "refs": "node_id IN (SELECT id FROM nodes WHERE file IN ({files}))",
    "tags": "node_id IN (SELECT id FROM nodes WHERE file IN ({files}))",
    "links": "source IN (SELECT id FROM nodes WHERE file IN ({files}))",
    "citations": "node_id IN (SELECT id FROM nodes WHERE file IN ({files}))",
}
# A question about more files than this reads the whole database instead.
FEW = 400
MEANWHILE = "the notes are read from their files meanwhile"
SYNC = f"run M-x org-roam-db-sync in Emacs; {MEANWHILE}"
REBUILD = f"rebuild it with C-u M-x org-roam-db-sync in Emacs; {MEANWHILE}"
UPGRADE = f"use an org-roam of version 2.2 or newer; {MEANWHILE}"


class DatabaseState(msgspec.Struct, frozen=True):
    """Whether the database can be read.  version: None when there is no telling.

    sentence: one sentence without period.  remedy: what to do about it.
    """

    readable: bool
    version: int | None
    sentence: str
    remedy: str


class RoamDatabase:
    """Reads of the database file PATH.  Holds no file open between calls."""

    def __init__(self, path: str) -> None:
        self.path = path

    def hashes(self) -> dict[str, str]:
        """Return the SHA-1 of each file as org-roam last read it, by path.

        Raise Unavailable, with one sentence, when the database cannot be read.
        """
        rows = self._fetch(lambda connection: connection.rows("SELECT file, hash FROM files"))
        return {string(file): string(found) for file, found in rows}

    def ids(self) -> frozenset[str]:
        """Return the id of every node.

        Raise Unavailable, with one sentence, when the database cannot be read.
        """
        rows = self._fetch(lambda connection: connection.rows("SELECT id FROM nodes"))
        return frozenset(string(found) for (found,) in rows)

    def rows(self, files: Collection[str] | None = None) -> dict[str, FileRows]:
        """Return the rows of each of FILES that is known, of all when None.

        Raise Unavailable, with one sentence, when the database cannot be read.
        """
        if files is not None and not files:
            return {}
        found = assembled(self._fetch(lambda connection: _tables(connection, files)))
        if files is None:
            return found
        wanted = frozenset(files)
        return {path: rows for path, rows in found.items() if path in wanted}

    def covers(self, folder: str) -> bool:
        """Say whether a file below FOLDER is in the database; False if unreadable."""
        try:
            known = self.hashes()
        except Unavailable:
            return False
        tops = tuple(to_text(os.path.join(top, "")) for top in (folder, os.path.realpath(folder)))
        return any(path.startswith(tops) for path in known)

    def being_written(self) -> bool:
        """Say whether somebody is in the middle of a transaction that writes.

        Then a read may wait, or be refused; what matters can be asked later.
        """
        return os.path.exists(self.path + "-journal")

    def identity(self) -> tuple[int, int, int, int] | None:
        """Return (device, inode, mtime in ns, size), None when there is no file.

        Equal twice: nothing was written between, and no other file took its place.
        """
        try:
            found = os.stat(self.path)
        except OSError:
            return None
        return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size

    def state(self) -> DatabaseState:
        """Return whether the database can be read now, and a sentence about it."""
        if not os.path.exists(self.path):
            return DatabaseState(False, None, f"{self.path} does not exist", SYNC)
        try:
            return self._open(lambda connection: _state(connection))
        except sqlite.Busy:
            return DatabaseState(
                False, None, f"{self.path} is locked while Emacs writes it",
                f"nothing: it is read later; {MEANWHILE}",
            )  # fmt: skip
        except sqlite.ReadOnly as error:
            return DatabaseState(False, None, error.message, f"{error.hint}; {MEANWHILE}")
        except Unavailable as error:
            return DatabaseState(False, None, error.message, REBUILD)

    def _fetch(self, read: Callable[[Connection], Result]) -> Result:
        def checked(connection: Connection) -> Result:
            state = _schema(connection)
            if not state.readable:
                raise Broken(state.sentence, state.remedy)
            return read(connection)

        return self._open(checked)

    def _open(self, read: Callable[[Connection], Result]) -> Result:
        connection = sqlite.open_foreign(self.path)
        try:
            with connection.reading():
                return read(connection)
        finally:
            connection.close()


def _state(connection: Connection) -> DatabaseState:
    # A cut file often has a sound first page: read every page of the tables.
    for (name,) in connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table'"):
        if name in OF_FILES:
            connection.value(f"SELECT count(*) FROM {name}")
    return _schema(connection)


def _schema(connection: Connection) -> DatabaseState:
    """Return what kind of database this is, judged by its tables and columns."""
    path, version = connection.path, connection.value("PRAGMA user_version")
    found: dict[str, set[str]] = {}
    for table, column in connection.rows(
        "SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c"
        " WHERE t.type = 'table' AND t.sql NOT LIKE 'CREATE VIRTUAL%'"
    ):
        found.setdefault(table, set()).add(column)
    missing = [
        f"{table}.{column}"
        for table, columns in COLUMNS.items()
        for column in columns.split(", ")
        if column not in found.get(table, ())
    ]
    if not missing and version >= OLDEST:
        known = version <= NEWEST
        sentence = f"{path} is read, schema version {version}" + (
            "" if known else f", newer than the known {OLDEST} to {NEWEST}"
        )
        return DatabaseState(True, version, sentence, "" if known else "update roam-semantic")
    return DatabaseState(False, version, *_foreign(path, version, found, missing))


def _foreign(
    path: str, version: int, found: dict[str, set[str]], missing: list[str]
) -> tuple[str, str]:
    """Return sentence and remedy about a database that is not one we read."""
    reads = f"versions {OLDEST} to {NEWEST} are read"
    if not found:
        return f"{path} has no tables yet", SYNC
    if "headlines" in found or {"titles", "files"} <= found.keys():
        return f"{path} is of org-roam 1 (schema version {version}); {reads}", UPGRADE
    if "notes" in found and "nodes" not in found:
        return f"{path} is vulpea's database, not org-roam's", "set ROAM_DB to org-roam's"
    if "nodes" not in found or "files" not in found:
        return f"{path} is not org-roam's database (no table {missing[0].split('.')[0]})", (
            "set ROAM_DB to org-roam's"
        )
    if version > NEWEST:
        return (
            f"{path} has schema version {version} without {missing[0]}; {reads}",
            f"update roam-semantic; {MEANWHILE}",
        )
    if version < OLDEST:
        return f"{path} has schema version {version}; {reads}", UPGRADE
    return f"{path} lacks {', '.join(missing)}", REBUILD


def _tables(connection: Connection, files: Collection[str] | None) -> dict[str, list[Row]]:
    """Return the cells, as they are printed, of every table (of FILES alone)."""
    columns = dict(COLUMNS)
    if connection.value("SELECT 1 FROM pragma_table_info('citations') WHERE name = 'cite_key'"):
        columns["citations"] = CITATIONS
    if files is None or len(files) > FEW:
        return {
            table: connection.rows(f"SELECT {names} FROM {table} ORDER BY rowid")
            for table, names in columns.items()
        }
    wanted = frozenset(files)
    cells = [file for (file,) in connection.rows("SELECT file FROM files")]
    chosen = [cell for cell in cells if string(cell) in wanted]
    marks = ", ".join("?" * len(chosen))
    return {
        table: connection.rows(
            f"SELECT {names} FROM {table} WHERE {OF_FILES[table].format(files=marks)}"
            " ORDER BY rowid",
            chosen,
        )
        for table, names in columns.items()
    }
