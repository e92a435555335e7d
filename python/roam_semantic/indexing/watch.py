"""Noticing changes of the files while somebody waits for them.

Events of the file system are only hints to look: they may be late, lost or of
files that do not matter.  What changed is found by the look itself, and one is
taken now and then without any hint.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from roam_semantic.errors import RoamError, Unavailable
from roam_semantic.org import names

# How long after the last one who waited the files are still watched.
LINGER_S = 60.0
# Events are gathered until none came for so long, but not for longer than the second.
QUIET_MS, LONGEST_MS = 300, 2000
# Without events the files are looked at so often; with events now and then all the same.
SCAN_EVERY_S, SURE_EVERY_S = 5.0, 30.0
# How often the watching thread looks whether it is still wanted.
TURN_S = 1.0
# A state is made out at most so often, however many ask for it.
PACE_S = 0.5
# Each who waits takes a thread of a server; most of them must stay free.
MOST_WAITING = 4

Made = TypeVar("Made")


class Watch:
    """Watches VAULT in a thread of its own while it is attended, and a while after.

    see: called in that thread when the files should be looked at.
    """

    def __init__(self, vault: str, see: Callable[[], None], linger_s: float = LINGER_S) -> None:
        self._vault = vault
        self._see = see
        self._linger_s = linger_s
        self._lock = threading.Lock()
        self._pacing = threading.Lock()
        self._made: tuple[float, Any] | None = None
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._waiting = 0
        self._left = 0.0
        self._trouble = ""
        self._without_events = ""

    @property
    def running(self) -> bool:
        """Return whether the files are being watched."""
        return self._thread is not None

    @property
    def message(self) -> str:
        """Return what does not work as it should, or ""."""
        return self._trouble or self._without_events

    @contextmanager
    def attended(self) -> Generator[None, None, None]:
        """Have the files watched for the block; raise Unavailable when too many wait."""
        with self._lock:
            if self._waiting >= MOST_WAITING:
                raise Unavailable(
                    f"{MOST_WAITING} requests wait for changes already",
                    "cancel one of them, or ask `status`",
                )
            self._waiting += 1
            if self._thread is None and not self._stop.is_set():
                self._thread = threading.Thread(target=self._run, name="watch", daemon=True)
                self._thread.start()
        try:
            yield
        finally:
            with self._lock:
                self._waiting -= 1
                self._left = time.monotonic()

    def paced(self, make: Callable[[], Made]) -> Made:
        """Return what MAKE returns, or what it returned less than half a second ago."""
        with self._pacing:
            if self._made is None or time.monotonic() - self._made[0] >= PACE_S:
                self._made = time.monotonic(), make()
            return self._made[1]

    def stop(self) -> None:
        """Watch no more."""
        self._stop.set()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(2 * TURN_S)

    def _run(self) -> None:
        looked = float("-inf")
        for changed in self._hints():
            if self._is_over():
                return
            if changed or time.monotonic() - looked >= SURE_EVERY_S:
                self._look()
                looked = time.monotonic()

    def _is_over(self) -> bool:
        with self._lock:
            idle = not self._waiting and time.monotonic() - self._left >= self._linger_s
            if idle or self._stop.is_set():
                self._thread = None
                return True
            return False

    def _look(self) -> None:
        try:
            self._see()
        except RoamError as error:
            self._trouble = error.message
        else:
            self._trouble = ""

    def _hints(self) -> Iterator[bool]:
        """Yield at least once a turn whether something may have changed."""
        yield True
        try:
            yield from self._events()
        except (ImportError, OSError, RuntimeError, ValueError) as error:
            self._without_events = (
                f"changes are looked for every {SCAN_EVERY_S:.0f} s, not noticed at once ({error})"
            )
        scanned = time.monotonic()
        while True:
            self._stop.wait(TURN_S)
            due = time.monotonic() - scanned >= SCAN_EVERY_S
            if due:
                scanned = time.monotonic()
            yield due

    def _events(self) -> Iterator[bool]:
        from watchfiles import watch  # a compiled library, for who waits only

        first = True
        # Its own filter would keep a batch of nothing but filtered changes from us, and
        # us from looking whether we are still wanted: an indexer at work makes no end of them.
        for changes in watch(
            self._vault,
            watch_filter=None,
            debounce=LONGEST_MS,
            step=QUIET_MS,
            rust_timeout=int(TURN_S * 1000),
            yield_on_timeout=True,
            stop_event=self._stop,
            raise_interrupt=False,
            # True hides every failure to watch, not only a folder nobody may read.
            ignore_permission_denied=False,
        ):
            # What changed before the first of them was not yet watched.
            yield first or any(matters(self._vault, path) for _, path in changes)
            first = False


def matters(vault: str, path: str) -> bool:
    """Return whether a change of PATH may be one of a note below VAULT, or of a folder."""
    below = path.removeprefix(vault).strip("/").split("/")
    name = below[-1]
    if any(names.is_hidden_folder(folder) for folder in below):
        return False
    if ".org" in name:
        return name.endswith(".org") and names.skip_reason(name) is None
    return "." not in name or os.path.isdir(path)
