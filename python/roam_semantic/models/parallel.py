"""The same work on many texts by a few threads, stoppable at any moment."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Generic, TypeVar

from roam_semantic.errors import Cancelled

Result = TypeVar("Result")

ASK_EVERY_S = 0.05


def spread(
    work: Callable[[str, Callable[[], None]], Result],
    texts: Sequence[str],
    cancelled: Callable[[], bool] | None,
    threads: int,
) -> list[Result]:
    """Return WORK of each text, in their order; the calling thread works too.

    work: takes a text and a check it calls between steps; the check raises
        Cancelled when the whole is to stop.
    cancelled: asked only from the calling thread.
    Raise what a WORK raised, once every thread has stopped.
    """
    run = _Run(work, texts, cancelled)
    helpers = min(threads, len(texts)) - 1
    run.guard(run.ask)
    if helpers < 1:
        run.go(run.ask)
    else:
        with ThreadPoolExecutor(helpers, thread_name_prefix="embed") as pool:
            futures = [pool.submit(run.go, run.check) for _ in range(helpers)]
            try:
                run.go(run.ask)
                while wait(futures, ASK_EVERY_S).not_done:
                    run.guard(run.ask)
            finally:
                run.stop.set()
    return run.results()


class _Run(Generic[Result]):
    """Texts still to do, results by place, and the wish to stop."""

    def __init__(
        self,
        work: Callable[[str, Callable[[], None]], Result],
        texts: Sequence[str],
        cancelled: Callable[[], bool] | None,
    ) -> None:
        self._work = work
        self._cancelled = cancelled
        self._todo: queue.SimpleQueue[tuple[int, str]] = queue.SimpleQueue()
        for place in enumerate(texts):
            self._todo.put(place)
        self._done: dict[int, Result] = {}
        self._failure: BaseException | None = None
        self.stop = threading.Event()

    def results(self) -> list[Result]:
        """Return what was done, or raise what failed first."""
        if self._failure is not None:
            raise self._failure
        return [self._done[place] for place in range(len(self._done))]

    def go(self, check: Callable[[], None]) -> None:
        """Work until nothing is left or somebody failed."""
        while not self.stop.is_set():
            try:
                place, text = self._todo.get_nowait()
            except queue.Empty:
                return
            self.guard(lambda place=place, text=text: self._step(place, text, check))

    def guard(self, action: Callable[[], None]) -> None:
        """Do ACTION; keep the first failure of all threads, which stops them."""
        try:
            action()
        except BaseException as error:  # noqa: BLE001 - raised again by `results`
            if self._failure is None:
                self._failure = error
            self.stop.set()

    def check(self) -> None:
        """Raise Cancelled when another thread stopped."""
        if self.stop.is_set():
            raise Cancelled("embedding was cancelled", "what is done is kept; run it again")

    def ask(self) -> None:
        """Raise Cancelled when the caller wants to stop, or another thread did."""
        if self._cancelled is not None and self._cancelled():
            self.stop.set()
        self.check()

    def _step(self, place: int, text: str, check: Callable[[], None]) -> None:
        check()
        self._done[place] = self._work(text, check)
