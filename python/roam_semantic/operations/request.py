"""What an operation knows about the call it serves: id, deadline, cancel, progress."""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

from roam_semantic.errors import Cancelled

PROGRESS_EVERY_S = 0.1
"""The least time between two reports of one phase; its end is always told."""


class Progress(msgspec.Struct, frozen=True):
    """How far a call is: done of total, things a second, seconds left if known."""

    done: int
    total: int
    phase: str
    rate: float = 0.0
    left_s: float | None = None


class Request:
    """One call under way.  A face makes it; the operation asks it.

    id: the caller's own name for the call, for logs and for cancelling.
    deadline: `time.monotonic()` after which nobody waits any more, or None.
    patience_s: seconds a long job may keep the caller waiting before it answers
        "running" and goes on by itself; None: until it is done.
    on_progress: told of each step, from whichever thread makes it.
    """

    def __init__(
        self,
        id: str = "",
        deadline: float | None = None,
        patience_s: float | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        self.id = id
        self.deadline = deadline
        self.patience_s = patience_s
        self._on_progress = on_progress
        self._cancelled = False
        self._phase: str | None = None
        self._phase_started = 0.0
        self._phase_first = 0
        self._told = 0.0

    def cancel(self) -> None:
        """Ask the operation to stop; safe from any thread or signal handler."""
        self._cancelled = True

    @property
    def stopping(self) -> bool:
        """Whether somebody asked it to stop."""
        return self._cancelled

    def cancelled(self) -> bool:
        """Whether to stop: somebody asked, or nobody waits any more."""
        return self._cancelled or self.is_late()

    def is_late(self) -> bool:
        """Whether the deadline has passed."""
        return self.deadline is not None and time.monotonic() >= self.deadline

    def check(self) -> None:
        """Raise Cancelled when the operation should stop."""
        if self._cancelled:
            raise Cancelled("the request was cancelled")
        if self.is_late():
            raise Cancelled("the request ran out of time", "ask again with a later deadline")

    def progress(self, done: int, total: int, phase: str) -> None:
        """Tell the caller that DONE of TOTAL things of PHASE are behind us."""
        if self._on_progress is None:
            return
        now = time.monotonic()
        if phase != self._phase:
            self._phase, self._phase_started, self._phase_first = phase, now, done
        elif done < total and now - self._told < PROGRESS_EVERY_S:
            return
        self._told = now
        seconds = now - self._phase_started
        rate = (done - self._phase_first) / seconds if seconds > 0 else 0.0
        left = (total - done) / rate if rate > 0 else None
        self._on_progress(Progress(done, total, phase, rate, left))
