"""The only importer of a SQLite driver: opens, retries, translates, checks.

apsw, because its SQLite loads extensions on every platform and is new.  One
process opens a database file through this one library only, and never forks
with an open handle (both are on SQLite's own list of ways to corrupt a file).
"""

from __future__ import annotations

import importlib.util
import os
import random
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

import apsw

from roam_semantic.errors import Unavailable

Row = tuple[Any, ...]
Result = TypeVar("Result")

CACHE_KIB = 32768
MAP_BYTES = 1 << 30
# How long the write-ahead log may grow: 32 MB of pages.
CHECKPOINT_PAGES = 8000


class Busy(Unavailable):
    """Another process holds the lock; try again later."""


class Broken(Unavailable):
    """The file is not a database, is cut, or lacks a table."""


class ReadOnly(Unavailable):
    """The file or its folder may not be written."""


class Turn(Protocol):
    """Who says when a connection may write into a file that is not ours alone."""

    def begin(self, connection: Connection) -> None:
        """Begin a transaction that may write, or raise why not."""
        ...

    def end(self) -> None:
        """Hear that the transaction is over, whatever became of it."""
        ...


class Connection:
    """One open database.  Use it from one thread at a time.

    most_rows: how many vectors one transaction may write.
    """

    def __init__(self, path: str, raw: Any) -> None:
        self.path = path
        self.most_rows = 128
        self._raw = raw
        self._turn: Turn | None = None
        self._tokenizer: Any = None
        self._log_pages = 0
        self.has_vec = False

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """Return every row of SQL at once, so that no read lock outlives the call."""
        try:
            return self._raw.execute(sql, values).fetchall()
        except apsw.Error as error:
            raise _translation(self.path, error) from error

    def row(self, sql: str, values: Sequence[Any] = ()) -> Row | None:
        """Return the first row, or None."""
        found = self.rows(sql, values)
        return found[0] if found else None

    def value(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """Return the first column of the first row, or None."""
        found = self.row(sql, values)
        return found[0] if found else None

    def run(self, sql: str, values: Sequence[Any] = ()) -> None:
        """Execute one statement whose rows do not matter."""
        self.rows(sql, values)

    def run_many(self, sql: str, values: Iterable[Sequence[Any]]) -> None:
        """Execute SQL once for each row of VALUES."""
        try:
            self._raw.executemany(sql, values).fetchall()
        except apsw.Error as error:
            raise _translation(self.path, error) from error

    def last_id(self) -> int:
        """Return the rowid of the last insert."""
        return self._raw.last_insert_rowid()

    def changes(self) -> int:
        """Return how many rows the last statement changed."""
        return self._raw.changes()

    def all_changes(self) -> int:
        """Return how many rows this connection has changed since it was opened."""
        return self._raw.total_changes()

    def tokens(self, text: str, tokenizer: str) -> list[str]:
        """Return the tokens of TEXT, in order, as FTS5's TOKENIZER cuts and stems them."""
        if self._tokenizer is None:
            name, *arguments = tokenizer.split()
            self._tokenizer = self._raw.fts5_tokenizer(name, arguments)
        found = self._tokenizer(
            text.encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False
        )
        return [token for group in found for token in group if isinstance(token, str)]

    def interrupt(self) -> None:
        """Stop what runs on this connection; callable from another thread."""
        self._raw.interrupt()

    @contextmanager
    def writing(self) -> Generator[None, None, None]:
        """Hold the write lock for the block: all of it is stored, or nothing."""
        if self._turn is None:
            with self._transaction(lambda: retried(lambda: self.run("BEGIN IMMEDIATE"))):
                yield
        else:
            turn = self._turn
            turn.begin(self)
            try:
                with self._transaction(lambda: None):
                    yield
            finally:
                turn.end()
        if self._log_pages >= CHECKPOINT_PAGES:
            # Here and not in COMMIT, so that nobody who wants to write waits for it.
            self._log_pages = 0
            self.run("PRAGMA wal_checkpoint(PASSIVE)")

    @contextmanager
    def _transaction(self, begin: Callable[[], None]) -> Generator[None, None, None]:
        begin()
        try:
            yield
            retried(lambda: self.run("COMMIT"))
        except BaseException:
            if self._raw.in_transaction:
                self._raw.execute("ROLLBACK").fetchall()
            raise

    def take_turns(self, turn: Turn, wait_ms: int) -> None:
        """Have TURN asked before each transaction; it waits, SQLite only WAIT_MS."""
        self._turn = turn
        self._raw.set_busy_timeout(wait_ms)

    def watch_log(self) -> None:
        """Copy the write-ahead log into the file when it has grown, after a transaction."""

        def grown(_raw: object, _name: str, pages: int) -> int:
            self._log_pages = pages
            return 0

        self._raw.set_wal_hook(grown)

    @contextmanager
    def reading(self) -> Generator[None, None, None]:
        """See one state of the database for the whole block."""
        self.run("BEGIN")
        try:
            yield
        finally:
            if self._raw.in_transaction:
                self._raw.execute("ROLLBACK").fetchall()

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        self._raw.close()


@contextmanager
def translated(path: str) -> Generator[None, None, None]:
    """Turn the driver's errors into ours."""
    try:
        yield
    except apsw.Error as error:
        raise _translation(path, error) from error


def _translation(path: str, error: apsw.Error) -> Exception:
    """Return the error to raise for ERROR; a fault of ours stays what it is."""
    match error:
        case apsw.BusyError() | apsw.LockedError():
            return Busy(f"{path} is locked by another program", "it is tried again")
        case apsw.ReadOnlyError() | apsw.CantOpenError() | apsw.PermissionsError():
            return ReadOnly(f"{path} cannot be opened ({error})", "check its permissions")
        case apsw.NotADBError() | apsw.CorruptError() | apsw.SQLError() | apsw.IOError():
            return Broken(f"{path} is not readable ({error})", "run `roam-semantic doctor`")
        case apsw.FullError():
            return Unavailable(f"no room to write {path}", "free some disk space")
        case apsw.InterruptError():
            return Busy(f"a query of {path} was stopped", "ask again")
        case _:
            return error


def retried(action: Callable[[], Result], seconds: float = 30.0) -> Result:
    """Return ACTION's value; while it is Busy, wait and try again for SECONDS."""
    deadline = time.monotonic() + seconds
    pause = 0.002
    while True:
        try:
            return action()
        except Busy:
            if time.monotonic() > deadline:
                raise
        time.sleep(pause * (0.5 + random.random()))  # noqa: S311 - jitter, not a secret
        pause = min(pause * 2, 0.25)


def open_index(path: str, *, writable: bool = False, wait_ms: int = 5000) -> Connection:
    """Open our own index file (WAL); WRITABLE makes it, mode 0600, when missing."""
    flags = apsw.SQLITE_OPEN_URI | apsw.SQLITE_OPEN_NOMUTEX
    if writable:
        flags |= apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        _make_private(path)
    else:
        flags |= apsw.SQLITE_OPEN_READONLY
    with translated(path):
        connection = Connection(path, apsw.Connection(path, flags=flags))
    try:
        _tune(connection, writable, wait_ms)
    except BaseException:
        connection.close()
        raise
    return connection


def open_guest(path: str, *, writable: bool, wait_ms: int) -> Connection:
    """Open org-roam's database for our tables in it: never made, journal mode kept.

    What is set here is this connection's alone, nothing of it is in the file.
    """
    if not os.path.exists(path):
        raise Broken(f"{path} does not exist", "run M-x org-roam-db-sync in Emacs")
    access = apsw.SQLITE_OPEN_READWRITE if writable else apsw.SQLITE_OPEN_READONLY
    flags = apsw.SQLITE_OPEN_URI | apsw.SQLITE_OPEN_NOMUTEX | access
    with translated(path):
        connection = Connection(path, apsw.Connection(path, flags=flags))
    connection._raw.set_busy_timeout(wait_ms)  # pyright: ignore[reportPrivateUsage]
    try:
        if writable:
            connection.run("PRAGMA secure_delete=ON")
        connection.run(f"PRAGMA cache_size=-{CACHE_KIB}")
    except BaseException:
        connection.close()
        raise
    return connection


def open_foreign(path: str, *, wait_ms: int = 250) -> Connection:
    """Open somebody else's database for one short read: never made, never written."""
    if not os.path.exists(path):
        raise Broken(f"{path} does not exist", "nothing is needed: the files are read instead")
    uri = "file:" + _uri_path(path) + "?mode=ro"
    with translated(path):
        raw = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_URI | apsw.SQLITE_OPEN_READONLY)
    raw.set_busy_timeout(wait_ms)
    return Connection(path, raw)


def _uri_path(path: str) -> str:
    return "".join(
        char if char not in "%?#" else f"%{ord(char):02x}" for char in os.path.abspath(path)
    )


def _make_private(path: str) -> None:
    os.makedirs(os.path.dirname(path) or ".", mode=0o700, exist_ok=True)
    if not os.path.exists(path):
        with translated(path):
            _create_empty(path)


def _create_empty(path: str) -> None:
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise ReadOnly(
            f"{path} cannot be made ({error.strerror})", "set ROAM_INDEX to a file you may write"
        ) from error


def _tune(connection: Connection, writable: bool, wait_ms: int) -> None:
    with translated(connection.path):
        connection._raw.set_busy_timeout(wait_ms)  # pyright: ignore[reportPrivateUsage]
    if writable:
        retried(lambda: connection.run("PRAGMA journal_mode=WAL"))
        connection.run("PRAGMA synchronous=NORMAL")
        connection.run("PRAGMA secure_delete=ON")
        connection.watch_log()
    connection.run(f"PRAGMA cache_size=-{CACHE_KIB}")
    connection.run(f"PRAGMA mmap_size={MAP_BYTES}")


def load_vec(connection: Connection) -> bool:
    """Load sqlite-vec's vec0 into CONNECTION; False when it cannot be had.

    By path, because importing the package imports numpy (55 ms against 2).
    """
    if connection.has_vec:
        return True
    path = vec_path()
    if path is None:
        return False
    raw = connection._raw  # pyright: ignore[reportPrivateUsage]
    try:
        raw.enable_load_extension(True)
        raw.load_extension(path)
    except (apsw.Error, AttributeError):
        return False
    finally:
        if hasattr(raw, "enable_load_extension"):
            raw.enable_load_extension(False)
    connection.has_vec = True
    return True


def vec_path() -> str | None:
    """Return the file of the vec0 extension without its suffix, or None."""
    spec = importlib.util.find_spec("sqlite_vec")
    if spec is None or not spec.submodule_search_locations:
        return None
    return os.path.join(spec.submodule_search_locations[0], "vec0")


def library_version() -> str:
    """Return the version of SQLite itself, for doctor."""
    return apsw.sqlite_lib_version()
