"""The index file: made, opened, checked, and thrown away when it is broken.

Everything in it can be made again from the notes and the vector cache, so a
broken file is replaced, never repaired by guessing.  Org-roam's own database
is never touched: a file that holds foreign tables is refused.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

from roam_semantic import sqlite
from roam_semantic.errors import NotReady
from roam_semantic.sqlite import Broken, Connection
from roam_semantic.store import schema

READABLE = frozenset({str(schema.SCHEMA_VERSION)})


class Index:
    """One index file.  Readers are one per thread, the writer is the caller's."""

    def __init__(self, path: str, vault: str) -> None:
        self.path = path
        self.vault = vault
        self._local = threading.local()

    def exists(self) -> bool:
        """Return whether there is an index with our tables."""
        try:
            return meta(self.reader(), "schema") is not None
        except (Broken, NotReady, sqlite.ReadOnly):
            return False

    def reader(self) -> Connection:
        """Return this thread's read connection; it notices a replaced file.

        Raise NotReady when nothing has been indexed yet.
        """
        identity = file_identity(self.path)
        held: tuple[tuple[int, int], Connection] | None = getattr(self._local, "held", None)
        if held is not None:
            if held[0] == identity:
                return held[1]
            held[1].close()
            self._local.held = None
        if identity is None:
            raise NotReady("no note has been indexed yet", "run `roam-semantic index`")
        connection = self._open_reader()
        try:
            self._expect_ours(connection)
        except BaseException:
            connection.close()
            raise
        self._local.held = (identity, connection)
        return connection

    def _open_reader(self) -> Connection:
        return sqlite.open_index(self.path)

    def _open_writer(self) -> Connection:
        return sqlite.open_index(self.path, writable=True)

    @property
    def writable(self) -> bool:
        """Return whether this process may write the index at all."""
        return True

    def wait(self, wait_s: float, cancelled: Callable[[], bool] = lambda: False) -> None:
        """Have the writers this thread opens next wait WAIT_S for others who write."""

    def _expect_ours(self, connection: Connection) -> None:
        names = table_names(connection)
        if "embed_meta" not in names:
            raise NotReady("no note has been indexed yet", "run `roam-semantic index`")
        version = meta(connection, "schema")
        if version not in READABLE:
            raise NotReady(
                f"the index {self.path} has schema {version}, this version reads "
                f"{schema.SCHEMA_VERSION}",
                "run `roam-semantic index --force`, or update roam-semantic",
            )
        vault = meta(connection, "vault")
        if vault not in (None, os.path.realpath(self.vault)):
            raise NotReady(
                f"the index {self.path} belongs to the vault {vault}",
                "set ROAM_INDEX to another file for this vault",
            )

    def close(self) -> None:
        """Close this thread's reader."""
        held: tuple[object, Connection] | None = getattr(self._local, "held", None)
        if held is not None:
            held[1].close()
            self._local.held = None

    def open_writer(self, *, fresh: bool = False) -> Connection:
        """Return a connection that may write, with all tables there.

        FRESH, a broken file or an older schema: start with an empty file.
        Only the holder of the indexing lease may call this.
        """
        # Asked before anything is set on the file: WAL alone would change it.
        if _holds_foreign_tables(self.path):
            raise NotReady(
                f"{self.path} is another program's database", "set ROAM_INDEX to a file of its own"
            )
        if fresh:
            self._discard()
        try:
            return self._prepared()
        except Broken:
            self._discard()
            return self._prepared()

    def open_shared(self) -> Connection:
        """Return a connection that may write into the index as it stands.

        For short writes of changed files beside an indexer: SQLite's own lock
        keeps them apart, and nothing is made, repaired or removed.
        """
        connection = self._open_writer()
        try:
            sqlite.load_vec(connection)
            self._expect_ours(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepared(self) -> Connection:
        connection = self._open_writer()
        try:
            sqlite.load_vec(connection)
            names = table_names(connection)
            if "embed_meta" not in names:
                self._create(connection)
            self._expect_ours(connection)
            probe(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _create(self, connection: Connection) -> None:
        with connection.writing():
            for name in table_names(connection):
                if name.startswith("embed_") and not is_shadow(name):
                    connection.run(f'DROP TABLE IF EXISTS "{name}"')
            for statement in schema.TABLES:
                connection.run(statement)
            set_meta(connection, "schema", str(schema.SCHEMA_VERSION))
            set_meta(connection, "vault", os.path.realpath(self.vault))
            set_meta(connection, "generation", os.urandom(8).hex())

    def _discard(self) -> None:
        """Remove the file with what SQLite keeps beside it."""
        for suffix in ("", "-wal", "-shm", "-journal"):
            if os.path.exists(self.path + suffix):
                os.remove(self.path + suffix)


def probe(connection: Connection) -> None:
    """Raise Broken when a table is missing or the words cannot be asked."""
    missing = {"embed_files", "embed_nodes", "embed_units", "embed_fts", "embed_links"} - set(
        table_names(connection)
    )
    if missing:
        raise Broken(f"{connection.path} lacks {', '.join(sorted(missing))}", "it is rebuilt")
    connection.rows("SELECT rowid FROM embed_fts WHERE embed_fts MATCH '\"probe\"' LIMIT 1")
    connection.rows("SELECT rowid FROM embed_names WHERE embed_names MATCH '\"probe\"' LIMIT 1")


def table_names(connection: Connection) -> list[str]:
    """Return the names of all tables."""
    sql = "SELECT name FROM sqlite_master WHERE type = 'table'"
    return [name for (name,) in connection.rows(sql)]


def is_shadow(name: str) -> bool:
    """Return whether NAME belongs to a virtual table and goes with it."""
    return name.startswith("sqlite_") or any(
        name.startswith(owner + "_") for owner in ("embed_fts", "embed_names", "embed_vec")
    )


def meta(connection: Connection, name: str) -> str | None:
    """Return the entry NAME of embed_meta, or None."""
    return connection.value("SELECT value FROM embed_meta WHERE name = ?", (name,))


def set_meta(connection: Connection, name: str, value: str) -> None:
    """Store VALUE under NAME in embed_meta; the caller holds the transaction."""
    connection.run("INSERT OR REPLACE INTO embed_meta (name, value) VALUES (?, ?)", (name, value))


def file_identity(path: str) -> tuple[int, int] | None:
    """Return device and inode of PATH, None when there is no file."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _holds_foreign_tables(path: str) -> bool:
    try:
        connection = sqlite.open_foreign(path)
    except (Broken, sqlite.ReadOnly):
        return False
    try:
        names = table_names(connection)
    except (Broken, sqlite.ReadOnly):
        return False
    finally:
        connection.close()
    return any(not name.startswith(("embed_", "sqlite_")) for name in names)
