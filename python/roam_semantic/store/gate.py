"""Taking turns with org-roam in its own database file: a folder both can see.

In shared placement our tables live in org-roam's file, and SQLite's locks are
not enough to keep us apart: a writer that meets org-roam in the middle of its
transaction makes a sync fail (Emacs 28) or lose updates in silence (Emacs 30).
So each says beforehand that it is about to write, by making a folder in
DATABASE.gate, which is atomic on every local file system:

    emacs-PID   this Emacs wraps every write of org-roam; it names our gate
    pause-PID   this Emacs writes, or is about to
    busy-PID    this process of ours is in a transaction, or is about to be

    Emacs: make pause; wait while a busy is there; write; remove pause
    we:    make busy; if a pause is there: remove busy, wait, again;
           transaction; remove busy

Whoever comes second sees the first, since each makes its own before it looks
for the other's; Emacs goes first, since it keeps its pause while it waits.
There is no message that could be late and no answer that could be missing: a
process of ours that is stopped anywhere outside a transaction holds nothing,
and when it goes on it meets the pause.  One that is stopped or hangs inside is
killed by Emacs, which frees its locks; SQLite takes back what it had begun.

Without a gate, or without its Emacs, nothing is written.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable

from roam_semantic.errors import Cancelled, Unavailable
from roam_semantic.sqlite import Busy, Connection
from roam_semantic.store.index import file_identity

# A pause is as short as a save or as long as a first sync.
SHORTEST_WAIT_S, LONGEST_WAIT_S = 0.001, 0.05


class Closed(Unavailable):
    """No Emacs lets us write into org-roam's database."""


class Paused(Unavailable):
    """Org-roam is writing; what was to be written is written later."""


class Replaced(Unavailable):
    """Another file has taken the database's place."""


def closed() -> Closed:
    """Return the error that says who may write a shared index."""
    return Closed(
        "an index in org-roam's database is written only by the server that Emacs started",
        "start roam-semantic in Emacs with `roam-semantic-index-placement' as shared,"
        " or set ROAM_INDEX to a file of its own",
    )


class Gate:
    """The right to write into the database at PATH while Emacs does not.

    token: the folder emacs-PID that the Emacs which started us has made.
    """

    def __init__(self, path: str, token: str) -> None:
        self._path = path
        self._token = token
        self._folder, name = os.path.split(token)
        self._emacs = _pid(name)
        self._busy = os.path.join(self._folder, f"busy-{os.getpid()}")
        self._turn = threading.Lock()

    @property
    def open(self) -> bool:
        """Return whether the Emacs that lets us write is there."""
        return _alive(self._emacs) and os.path.isdir(self._token)

    def guard(self, wait_s: float, cancelled: Callable[[], bool]) -> Guard:
        """Return the guard of one connection that is opened next.

        Each of its transactions waits up to WAIT_S seconds for org-roam.
        """
        return Guard(self, file_identity(self._path), wait_s, cancelled)

    def enter(self, connection: Connection, guard: Guard) -> None:
        """Begin a transaction of CONNECTION as soon as nobody else is in one.

        Raise Closed, Paused, Replaced or Cancelled, holding nothing.
        """
        self._retry(lambda: self._try(connection, guard), guard.wait_s, guard.cancelled)

    def settle(self, wait_s: float, cancelled: Callable[[], bool]) -> None:
        """Wait until no Emacs writes; the file may be gone or half made until then."""
        self._retry(lambda: not self._paused(), wait_s, cancelled)

    def _retry(
        self, done: Callable[[], bool], wait_s: float, cancelled: Callable[[], bool]
    ) -> None:
        deadline = time.monotonic() + wait_s
        pause = SHORTEST_WAIT_S
        while not done():
            if cancelled():
                raise Cancelled("waiting for org-roam was cancelled")
            if time.monotonic() >= deadline:
                raise Paused("org-roam is writing its database", "it is tried again")
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_WAIT_S)

    def _try(self, connection: Connection, guard: Guard) -> bool:
        if not self._turn.acquire(timeout=LONGEST_WAIT_S):
            return False
        try:
            os.mkdir(self._busy)
        except FileExistsError:
            pass  # of a process that had our number and was killed
        except OSError as error:
            self._turn.release()
            raise closed() from error
        begun = False
        try:
            if not self._paused():
                begun = self._begin(connection, guard)
        finally:
            if not begun:
                self.leave()
        return begun

    def _begin(self, connection: Connection, guard: Guard) -> bool:
        """Begin a transaction on the file that is at our path, or not at all."""
        guard.check(self._path)
        try:
            connection.run("BEGIN IMMEDIATE")
        except Busy:
            return False  # somebody who knows nothing of gates
        try:
            guard.check(self._path)
        except Replaced:
            connection.run("ROLLBACK")
            raise
        return True

    def leave(self) -> None:
        """Say that the transaction is over."""
        with contextlib.suppress(OSError):
            os.rmdir(self._busy)
        self._turn.release()

    def _paused(self) -> bool:
        """Return whether an Emacs writes; the pause of a dead one is removed."""
        paused = False
        if not self.open:
            raise closed()
        for name in os.listdir(self._folder):
            if name.startswith("pause-"):
                if _alive(_pid(name)):
                    paused = True
                else:
                    with contextlib.suppress(OSError):
                        os.rmdir(os.path.join(self._folder, name))
        return paused


class Guard:
    """What a connection asks before and after each transaction (`sqlite.Turn`)."""

    def __init__(
        self,
        gate: Gate,
        file: tuple[int, int] | None,
        wait_s: float,
        cancelled: Callable[[], bool],
    ) -> None:
        self.wait_s = wait_s
        self.cancelled = cancelled
        self._gate = gate
        self._file = file

    def begin(self, connection: Connection) -> None:
        """Begin a transaction of CONNECTION."""
        self._gate.enter(connection, self)

    def end(self) -> None:
        """Let others write."""
        self._gate.leave()

    def check(self, path: str) -> None:
        """Raise Replaced unless PATH is still the file the connection has open."""
        if file_identity(path) != self._file:
            raise Replaced(f"{path} was made anew by org-roam", "it is tried again")


def _pid(name: str) -> int:
    digits = name.rpartition("-")[2]
    return int(digits) if digits.isascii() and digits.isdigit() else 0


def _alive(pid: int) -> bool:
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
