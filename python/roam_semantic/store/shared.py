"""The index inside org-roam's own database file (`ROAM_INDEX=shared`).

The same tables, read like the sibling's.  Written only through the gate that
Emacs opens (`store/gate.py`); the file is never made, removed, replaced, set
to another journal or touched outside the tables whose names start with embed_.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from roam_semantic import sqlite
from roam_semantic.errors import NotReady
from roam_semantic.sqlite import Broken, Connection
from roam_semantic.store.gate import Gate, closed
from roam_semantic.store.index import Index, is_shadow, table_names

# A reader waits at most so long for org-roam, which shuts readers out while it
# stores a large sync; a writer leaves the gate and comes again instead.
READER_WAIT_MS, WRITER_WAIT_MS = 1500, 10
MOST_ROWS = 64


class SharedIndex(Index):
    """Our tables in the database at PATH; read-only without a GATE."""

    def __init__(self, path: str, vault: str, gate: Gate | None) -> None:
        super().__init__(path, vault)
        self._gate = gate
        self._patience = threading.local()

    @property
    def writable(self) -> bool:
        """Return whether the Emacs that lets us write is there."""
        return self._gate is not None and self._gate.open

    def wait(self, wait_s: float, cancelled: Callable[[], bool] = lambda: False) -> None:
        """Have the writers this thread opens next wait WAIT_S for org-roam."""
        self._patience.held = wait_s, cancelled

    def _open_reader(self) -> Connection:
        return sqlite.open_guest(self.path, writable=False, wait_ms=READER_WAIT_MS)

    def _open_writer(self) -> Connection:
        if self._gate is None or not self._gate.open:
            raise closed()
        patience: tuple[float, Callable[[], bool]] = getattr(
            self._patience, "held", (0.0, lambda: False)
        )
        self._gate.settle(*patience)
        guard = self._gate.guard(*patience)
        connection = sqlite.open_guest(self.path, writable=True, wait_ms=READER_WAIT_MS)
        connection.most_rows = MOST_ROWS
        try:
            self._expect_org_roams(connection)
            connection.take_turns(guard, WRITER_WAIT_MS)
        except BaseException:
            connection.close()
            raise
        return connection

    def _expect_org_roams(self, connection: Connection) -> None:
        if "nodes" not in table_names(connection):
            raise NotReady(
                f"{self.path} is not org-roam's database yet", "run M-x org-roam-db-sync in Emacs"
            )
        mode = connection.value("PRAGMA journal_mode")
        if mode != "delete":
            raise NotReady(
                f"{self.path} has the journal mode {mode}, which somebody set by hand",
                "rebuild it with C-u M-x org-roam-db-sync in Emacs",
            )

    def open_writer(self, *, fresh: bool = False) -> Connection:
        """Return a connection that may write, with all our tables there.

        FRESH, or tables that do not hold together: ours are made anew.
        """
        if fresh:
            self._discard()
        try:
            return self._prepared()
        except Broken:
            self._discard()
            return self._prepared()

    def _discard(self) -> None:
        """Drop our tables; the file is org-roam's."""
        connection = self._open_writer()
        try:
            sqlite.load_vec(connection)
            with connection.writing():
                for name in table_names(connection):
                    if name.startswith("embed_") and not is_shadow(name):
                        connection.run(f'DROP TABLE IF EXISTS "{name}"')
        finally:
            connection.close()
