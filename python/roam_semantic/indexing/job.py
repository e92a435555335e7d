"""Indexing in a child process at low priority, so that searches stay fast.

The child writes one JSON object a line: {"done", "total", "phase"} while it
works, then {"result": …} or {"error": {kind, message, hint}}.  It stops when
its input ends, which it does when we die, however we die.
"""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from roam_semantic.errors import Cancelled, Internal, RoamError, from_dict

STOP_S = 1.0


class Job:
    """One child that indexes.  All methods are safe from any thread."""

    def __init__(self, command: Sequence[str]) -> None:
        self.done = 0
        self.total = 0
        self.phase = "starting"
        self.started = time.monotonic()
        self.phase_started = self.started
        self.result: dict[str, Any] | None = None
        self.error: RoamError | None = None
        self._ended = threading.Event()
        self._cancelled = False
        self._child = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        threading.Thread(target=self._follow, name="index-job", daemon=True).start()

    @property
    def running(self) -> bool:
        """Return whether the child is still at work."""
        return not self._ended.is_set()

    @property
    def rate(self) -> float:
        """Return things a second in the present phase."""
        spent = time.monotonic() - self.phase_started
        return self.done / spent if spent > 0 else 0.0

    def wait(self, seconds: float | None, watch: Callable[[], bool] | None = None) -> bool:
        """Wait until the job ended, SECONDS passed or WATCH says True.

        Return whether it ended.
        """
        deadline = None if seconds is None else time.monotonic() + seconds
        while self.running:
            if deadline is not None and time.monotonic() >= deadline:
                return False
            if watch is not None and watch():
                return False
            self._ended.wait(0.05)
        return True

    def cancel(self) -> None:
        """Ask the child to stop; kill it when it does not within a second."""
        self._cancelled = True
        self._child.terminate()
        if not self._ended.wait(STOP_S):
            self._child.kill()
            self._ended.wait(STOP_S)

    def answer(self) -> dict[str, Any]:
        """Return the ended job's result; raise what stopped it."""
        if self.error is not None:
            raise self.error
        if self.result is None:
            raise Internal(
                "the indexing process ended without a result", "see `roam-semantic doctor`"
            )
        return self.result

    def _follow(self) -> None:
        stream = self._child.stdout
        assert stream is not None  # noqa: S101 - it was asked for
        for line in stream:
            self._take(line)
        self._child.communicate()  # closes its pipes and waits for its end
        if self._cancelled and self.result is None:
            self.error = Cancelled("indexing was cancelled", "what is done is kept; run it again")
        self._ended.set()

    def _take(self, line: bytes) -> None:
        try:
            said: dict[str, Any] = msgspec.json.decode(line)
        except msgspec.DecodeError:
            return
        if "result" in said:
            self.result = said["result"]
        elif "error" in said:
            self.error = from_dict(said["error"])
        elif "phase" in said:
            if said["phase"] != self.phase:
                self.phase, self.phase_started = str(said["phase"]), time.monotonic()
            self.done, self.total = said["done"], said["total"]
