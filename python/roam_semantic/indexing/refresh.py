"""Bring graph and words up to the files as they are now; vectors come after.

A refresh is cheap when nothing changed: a stat scan, one query, and one stat
of org-roam's database.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

import msgspec

from roam_semantic.errors import Cancelled, Unavailable
from roam_semantic.indexing.look import IMPORTED, identity_text, look
from roam_semantic.indexing.plan import Plan
from roam_semantic.indexing.read import prepare, read_bytes
from roam_semantic.indexing.scan import Entry, Scan
from roam_semantic.org.decode import NotText, decode
from roam_semantic.org.parse import read_note
from roam_semantic.org_roam.database import FileRows as RoamRows
from roam_semantic.org_roam.database import RoamDatabase
from roam_semantic.sqlite import Connection
from roam_semantic.store.index import meta, set_meta
from roam_semantic.store.rows import FileRows
from roam_semantic.store.writer import Writer
from roam_semantic.values import Skipped

# Files whose org-roam rows are asked for at once.
CHUNK = 256


class Refreshed(msgspec.Struct):
    """What a refresh did.  left: changed files it had no time for."""

    files: int = 0
    read: int = 0
    gone: int = 0
    left: int = 0
    skipped: tuple[Skipped, ...] = ()
    message: str = ""


def refresh(
    connection: Connection,
    vault: str,
    database: RoamDatabase | None,
    too_long: Callable[[str], bool] | None,
    *,
    budget_s: float | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Refreshed:
    """Write graph rows, units and words of every changed file; forget gone ones.

    The caller holds the indexing lease.  Stop after BUDGET_S seconds and say
    how many files are left; raise Cancelled when CANCELLED says so.
    """
    deadline = None if budget_s is None else time.monotonic() + budget_s
    identity = "" if database is None else identity_text(database)
    found, todo, message = look(connection, vault, database)
    writer = Writer(connection, lambda: cancelled() or _past(deadline))
    writer.delete_files(todo.gone)
    result = Refreshed(files=todo.total, gone=len(todo.gone), message=message)
    skipped = _named_skips(found, todo)
    # A file that gave up an id makes its other holders stale: look again.
    for _ in range(3):
        _write(writer, database, todo, too_long, result, skipped, deadline, cancelled, progress)
        if result.left or not (todo.read or todo.gone):
            break
        _, todo, _ = look(connection, vault, None)
    if result.read:
        writer.merge_words()
    if not result.left:
        writer.set_skipped(skipped)
        if database is not None and not message and identity != meta(connection, IMPORTED):
            with connection.writing():
                set_meta(connection, IMPORTED, identity)
    result.skipped = tuple(skipped)
    return result


def _past(deadline: float | None) -> bool:
    """Return whether DEADLINE, a time of `time.monotonic`, is over; None never is."""
    return deadline is not None and time.monotonic() > deadline


def _named_skips(found: Scan, todo: Plan) -> list[Skipped]:
    taken = {entry.path for entry in todo.read}
    return [
        *found.skipped,
        *(
            Skipped(entry.path, _doubt(entry))
            for entry in found.entries
            if entry.doubtful and entry.path not in taken
        ),
    ]


def _doubt(entry: Entry) -> str:
    """Return why ENTRY is not read, with the ids it claims, so that a person can clean up."""
    try:
        note = read_note(decode(read_bytes(entry.real_path)).text, entry.path)
    except (OSError, NotText):
        return entry.doubtful
    ids = ", ".join(node.id for node in note.nodes if node.id is not None)
    return f"{entry.doubtful}, claims {ids}" if ids else entry.doubtful


def _write(
    writer: Writer,
    database: RoamDatabase | None,
    todo: Plan,
    too_long: Callable[[str], bool] | None,
    result: Refreshed,
    skipped: list[Skipped],
    deadline: float | None,
    cancelled: Callable[[], bool],
    progress: Callable[[int, int], None],
) -> None:
    done = 0

    def prepared() -> Iterator[FileRows]:
        nonlocal done
        for start in range(0, len(todo.read), CHUNK):
            chunk = todo.read[start : start + CHUNK]
            rows, ids = _roam_rows(database, chunk, result)
            for entry in chunk:
                if cancelled():
                    raise Cancelled("indexing was cancelled", "what is done is kept; run it again")
                if _past(deadline):
                    result.left = len(todo.read) - done
                    return
                done += 1
                progress(done, len(todo.read))
                made = _prepared(entry, rows, ids, too_long)
                if isinstance(made, FileRows):
                    result.read += 1
                    yield made
                elif made is not None:
                    skipped.append(made)

    writer.write_files(prepared())


def _prepared(
    entry: Entry,
    rows: dict[str, RoamRows],
    ids: frozenset[str],
    too_long: Callable[[str], bool] | None,
) -> FileRows | Skipped | None:
    try:
        raw = read_bytes(entry.real_path)
    except FileNotFoundError:
        return None
    except OSError as error:
        return Skipped(entry.path, f"cannot be read ({error.strerror})")
    return prepare(entry, raw, rows.get(entry.path) or rows.get(entry.real_path), ids, too_long)


def _roam_rows(
    database: RoamDatabase | None, chunk: Sequence[Entry], result: Refreshed
) -> tuple[dict[str, RoamRows], frozenset[str]]:
    """Return org-roam's rows for the files of CHUNK, and the ids of all its nodes."""
    if database is None or result.message:
        return {}, frozenset()
    try:
        paths = {path for entry in chunk for path in (entry.path, entry.real_path)}
        return database.rows(paths), database.ids()
    except Unavailable as error:
        result.message = error.message
        return {}, frozenset()
