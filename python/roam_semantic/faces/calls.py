"""Calls under way: a face starts them here, they run in a few threads, each can be stopped."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Hashable, Mapping
from typing import Any, Protocol

import msgspec

from roam_semantic import settings
from roam_semantic.errors import BadRequest, Internal, RoamError, Unavailable
from roam_semantic.faces import faults
from roam_semantic.operations.catalogue import Catalogue, Operation
from roam_semantic.operations.request import Request

READERS = 8
WRITERS = 4
LONGEST_QUEUE = 1000
CLOSING_S = 1.0


class Core(Protocol):
    """What every operation works on; a face only opens and closes it."""

    def close(self) -> None:
        """Let go of every file and thread."""
        ...


class Build(Protocol):
    """What makes a core; serving: for a process that stays."""

    def __call__(self, settings: settings.Settings, *, serving: bool = False) -> Core:
        """Return a core for SETTINGS; raise a RoamError that says what is missing."""
        ...


class Launch(msgspec.Struct, frozen=True):
    """What a face serves, and how to open it.

    overrides: settings of the command line (field → text).
    """

    catalogue: Catalogue
    build: Build
    overrides: Mapping[str, str | None] = {}

    def settings(self) -> settings.Settings:
        """Return the settings; raise BadRequest when one cannot be meant."""
        return settings.load(self.overrides)

    def open(self) -> Core:
        """Return a core that stays; raise a RoamError that says what is missing."""
        return self.build(self.settings(), serving=True)


class Outcome(msgspec.Struct, frozen=True):
    """How a call ended: with an answer, or with an error."""

    answer: Any = None
    error: RoamError | None = None


Done = Callable[[Outcome], None]


class Calls:
    """The calls of one face.

    The core is opened by the first call, not at start: a server without a
    vault still answers, and each call says which setting is missing.
    from_lisp: None in arguments is Lisp's nil.
    """

    def __init__(self, launch: Launch, *, from_lisp: bool = False) -> None:
        self.catalogue = launch.catalogue
        self.catalogue.load()
        self._launch = launch
        self._from_lisp = from_lisp
        self._core: Core | None = None
        self._opening = threading.Lock()
        self._lock = threading.Lock()
        self._requests: dict[Hashable, Request] = {}
        self._readers = _Lane("reader", READERS)
        self._writers = _Lane("writer", WRITERS)

    def start(
        self, key: Hashable, name: str, given: Mapping[str, Any], request: Request, done: Done
    ) -> None:
        """Run operation NAME with GIVEN in a thread; DONE is told once how it ended.

        key: what `cancel` will call it by; one call at a time may have it.
        """
        try:
            operation = self.catalogue[name]
            with self._lock:
                if key in self._requests:
                    raise BadRequest(f"a request with the id {request.id} is under way")
                self._requests[key] = request
        except RoamError as error:
            done(Outcome(error=error))
            return
        lane = self._readers if operation.hints.read_only else self._writers

        def work() -> None:
            outcome = self.outcome(operation, given, request)
            with self._lock:
                self._requests.pop(key, None)
            done(outcome)

        if not lane.put(work):
            with self._lock:
                self._requests.pop(key, None)
            hint = "wait for answers before asking more"
            done(Outcome(error=Unavailable("too many requests are waiting", hint)))

    def outcome(self, operation: Operation, given: Mapping[str, Any], request: Request) -> Outcome:
        """Run OPERATION in this thread; every failure becomes an error of the six kinds."""
        try:
            call = operation.bind(given, request, from_lisp=self._from_lisp)
            request.check()
            return Outcome(call(self.core()))
        except RoamError as error:
            return Outcome(error=error)
        except Exception as error:  # noqa: BLE001 - the last line: a fault of ours is an answer
            return Outcome(error=self.fault(error))

    def fault(self, error: BaseException) -> Internal:
        """Record a fault of ours; return what the caller is told."""
        return faults.record(error, self._launch.overrides)

    def core(self) -> Core:
        """Return the core, opened once."""
        with self._opening:
            if self._core is None:
                self._core = self._launch.open()
            return self._core

    def warm(self) -> None:
        """Open the core in the background; what fails will be told by the first call."""
        self._readers.put(self._try_opening)

    def _try_opening(self) -> None:
        try:
            self.core()
        except RoamError:
            return
        except Exception as error:  # noqa: BLE001 - the first call will meet and tell it
            self.fault(error)

    def cancel(self, key: Hashable) -> bool:
        """Ask the call KEY to stop; return whether it is under way."""
        with self._lock:
            request = self._requests.get(key)
        if request is None:
            return False
        request.cancel()
        return True

    def cancel_all(self, wanted: Callable[[Hashable], bool] = lambda _: True) -> None:
        """Ask every call whose key is WANTED to stop."""
        with self._lock:
            requests = [r for key, r in self._requests.items() if wanted(key)]
        for request in requests:
            request.cancel()

    def close(self) -> None:
        """Stop everything, wait a moment for it, and close the core if it is idle."""
        self.cancel_all()
        deadline = time.monotonic() + CLOSING_S
        while self._requests and time.monotonic() < deadline:
            time.sleep(0.01)
        with self._opening:
            if self._core is not None and not self._requests:
                self._core.close()
                self._core = None


class _Lane:
    """A few daemon threads with one queue; threads are made when there is work."""

    def __init__(self, name: str, threads: int) -> None:
        self._name = name
        self._most = threads
        self._queue: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._threads = 0
        self._idle = 0

    def put(self, work: Callable[[], None]) -> bool:
        """Queue WORK; return False when the queue is full."""
        with self._lock:
            if self._queue.qsize() >= LONGEST_QUEUE:
                return False
            self._queue.put(work)
            if self._queue.qsize() > self._idle and self._threads < self._most:
                self._threads += 1
                name = f"{self._name} {self._threads}"
                threading.Thread(target=self._run, name=name, daemon=True).start()
            return True

    def _run(self) -> None:
        while True:
            with self._lock:
                self._idle += 1
            work = self._queue.get()
            with self._lock:
                self._idle -= 1
            work()
