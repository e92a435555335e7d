"""One indexer per index: an advisory lock on a file of its own.

Never on a database file: closing any descriptor of one drops SQLite's own
locks.  The lock goes with the process, also when it is killed.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from roam_semantic.errors import Cancelled, Unavailable


class Held(Unavailable):
    """Another process is indexing; its pid is in the message."""


@contextmanager
def lease(
    index_path: str, *, wait_s: float = 0.0, cancelled: Callable[[], bool] | None = None
) -> Generator[None, None, None]:
    """Hold the right to write INDEX_PATH for the block.

    Wait up to WAIT_S seconds for another holder, then raise Held.  Raise
    Cancelled when CANCELLED says so while waiting.
    """
    os.makedirs(os.path.dirname(index_path) or ".", mode=0o700, exist_ok=True)
    descriptor = os.open(index_path + ".lock", os.O_CREAT | os.O_RDWR, 0o600)
    try:
        _acquire(descriptor, index_path, wait_s, cancelled)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _acquire(
    descriptor: int, index_path: str, wait_s: float, cancelled: Callable[[], bool] | None
) -> None:
    deadline = time.monotonic() + wait_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if cancelled is not None and cancelled():
                raise Cancelled("waiting for another indexer was cancelled") from error
            if time.monotonic() >= deadline:
                holder = os.pread(descriptor, 20, 0).decode("ascii", "replace") or "unknown"
                raise Held(
                    f"process {holder} is indexing {index_path}",
                    "wait until it is done, or ask `roam-semantic status`",
                ) from error
        else:
            return
        time.sleep(0.05)


def holder(index_path: str) -> int | None:
    """Return the pid of the process that is indexing, or None."""
    try:
        with lease(index_path):
            return None
    except Held:
        with open(index_path + ".lock", encoding="ascii", errors="replace") as file:
            text = file.read().strip()
        return int(text) if text.isdigit() else None
    except OSError:
        return None
