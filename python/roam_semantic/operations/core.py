"""What operations work with: one vault, its index, its models, its jobs.

Faces call operations from several threads; each thread has its own reader.
`serving` is True in a process that stays: it looks at the files at most once
a second and indexes behind the caller's back; a one-shot command does what
the call needs and ends.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from roam_semantic.errors import NotReady, RoamError, Unavailable
from roam_semantic.indexing.look import look
from roam_semantic.org_roam.database import RoamDatabase
from roam_semantic.settings import Settings
from roam_semantic.sqlite import Connection
from roam_semantic.store.index import Index
from roam_semantic.store.lease import Held
from roam_semantic.store.rows import FAILED, PENDING
from roam_semantic.store.vectors import unembedded, vector_set
from roam_semantic.values import IndexState

if TYPE_CHECKING:
    from roam_semantic.indexing.job import Job
    from roam_semantic.indexing.run import Indexer
    from roam_semantic.indexing.watch import Watch
    from roam_semantic.models.embedder import Embedder
    from roam_semantic.retrieval.vectors import CodeMatrix

LOOK_EVERY_S = 1.0
REFRESH_BUDGET_S = 0.5
FIRST_BUDGET_S = 5.0
# Up to so many units are embedded in this process, more by a child.
INLINE_UNITS = 32
RETRY_JOB_S = 60.0


class Core:
    """One vault and everything known about it in this process."""

    def __init__(
        self,
        settings: Settings,
        index_path: str | None,
        database: RoamDatabase | None,
        worker: Sequence[str],
        serving: bool = False,
    ) -> None:
        """worker: the command of a child process that indexes this vault."""
        self.settings = settings
        self.database = database
        self.serving = serving
        self.index_path = index_path
        self.message = ""
        self._worker = list(worker)
        self._lock = threading.RLock()
        self._embedder: Embedder | None = None
        self._codes: CodeMatrix | None = None
        self._job: Job | None = None
        self._job_failed_at = float("-inf")
        self._behind: threading.Thread | None = None
        self._looked = float("-inf")
        self._stale = 0
        self._index: Index | None = None
        self._counts = threading.local()
        self._watch: Watch | None = None

    @property
    def index(self) -> Index:
        """Return the index; raise NotReady while no vault or no place is known."""
        if self._index is None:
            vault = self.settings.require_vault()
            if self.index_path is None:
                raise NotReady(
                    "there is no place for the index",
                    "set ROAM_DB to org-roam's database"
                    if self.settings.shared
                    else "set ROAM_INDEX to a file",
                )
            self._index = self._placed(self.index_path, vault)
        return self._index

    def _placed(self, path: str, vault: str) -> Index:
        if not self.settings.shared:
            return Index(path, vault)
        from roam_semantic.store.gate import Gate  # only one in two placements needs them
        from roam_semantic.store.shared import SharedIndex

        gate = self.settings.gate
        return SharedIndex(path, vault, Gate(path, gate) if gate else None)

    @property
    def unwritten(self) -> tuple[str, ...]:
        """Return what an answer must say about notes that could not be taken in."""
        if self._stale == 0 or not self.settings.shared:
            return ()
        return (f"words: {self._stale} changed files are not read yet; {self.message}",)

    @property
    def indexer(self) -> Indexer:
        """Return what brings the index up to date."""
        return self._indexer(self.database)

    def _indexer(self, database: RoamDatabase | None) -> Indexer:
        # The parser of org files: most calls find nothing changed.
        from roam_semantic.indexing.run import Indexer

        return Indexer(self.index, database, self.settings.cache, self.embedder)

    def _asked_database(self) -> RoamDatabase | None:
        """Return org-roam's database unless a search would have to wait for it.

        While Emacs syncs, our own reading of the files serves; its rows are
        taken in at the first look after that.
        """
        if self.database is None or self.database.being_written():
            return None
        return self.database

    def embedder(self) -> Embedder:
        """Return the embedding model, loaded at first use."""
        with self._lock:
            if self._embedder is None:
                from roam_semantic.models.choose import choose  # onnxruntime: 80 ms

                self._embedder = choose(self.settings)
            return self._embedder

    def codes(self) -> CodeMatrix:
        """Return the matrix of sign bits all searches share."""
        with self._lock:
            if self._codes is None:
                from roam_semantic.retrieval.vectors import CodeMatrix  # numpy: 60 ms

                self._codes = CodeMatrix()
            return self._codes

    def reader(self) -> Connection:
        """Return this thread's reader of the index."""
        return self.index.reader()

    def freshen(self, at_once: bool = False) -> None:
        """Bring words up to the files on disk, within a short budget.

        What does not fit the budget, and all vectors, are left to a job behind
        the caller's back (a server) or to the next `index` (a command).
        at_once: look at the files even if a server did so this second.
        """
        with self._lock:
            looked = time.monotonic() - self._looked < LOOK_EVERY_S
            if looked and self.serving and not at_once:
                return
            first = not self.index.exists()
            if first or self._changed():
                self._refresh(FIRST_BUDGET_S if first else REFRESH_BUDGET_S)
            self._looked = time.monotonic()
            self._embed_behind()

    def _changed(self) -> bool:
        _, todo, message = look(self.reader(), self.index.vault, self._asked_database())
        self.message = message
        self._stale = len(todo.read) + len(todo.gone)
        return self._stale > 0

    def _refresh(self, budget_s: float) -> None:
        try:
            done = self._indexer(self._asked_database()).refresh(budget_s)
        except Held:
            return  # another process makes the index; it reads the files itself
        except Unavailable as error:
            if not self.settings.shared:
                raise
            self.message = error.message  # Emacs is writing, or not there
            return
        self._stale = done.left
        self.message = done.message

    def _embed_behind(self) -> None:
        """Have pending units embedded: here when few, by a child when many."""
        if not self.index.exists() or not self.index.writable:
            return
        pending = self.state().pending + self._stale
        if not pending or self.job() is not None:
            return
        if time.monotonic() - self._job_failed_at < RETRY_JOB_S:
            return
        if not self.serving:
            if pending <= INLINE_UNITS and self._stale == 0 and self._embedder is not None:
                self._run_inline()
        elif pending > INLINE_UNITS or self._stale:
            self.start_job()
        elif self._behind is None or not self._behind.is_alive():
            self._behind = threading.Thread(target=self._run_inline, name="embed", daemon=True)
            self._behind.start()

    def _run_inline(self) -> None:
        try:
            self.indexer.run()
        except Held:
            return
        except RoamError as error:
            self._job_failed_at = time.monotonic()
            self.message = error.message

    def start_job(self, force: bool = False) -> Job:
        """Return the job that indexes, a new one unless one is running."""
        with self._lock:
            from roam_semantic.indexing.job import Job  # subprocess: 10 ms

            running = self.job()
            if running is None:
                command = [*self._worker, "--force"] if force else self._worker
                running = self._job = Job(command)
            return running

    def job(self) -> Job | None:
        """Return the running job of this process, or None."""
        with self._lock:
            if self._job is not None and not self._job.running:
                if self._job.error is not None:
                    self._job_failed_at = time.monotonic()
                    self.message = self._job.error.message
                self._job = None
            return self._job

    @property
    def is_embedding(self) -> bool:
        """Return whether vectors are being made behind the caller's back."""
        behind = self._behind
        return self.job() is not None or (behind is not None and behind.is_alive())

    @property
    def watch(self) -> Watch:
        """Return what notices changes of the files while somebody waits for them."""
        with self._lock:
            if self._watch is None:
                from roam_semantic.indexing.watch import Watch  # nobody else needs it

                self._watch = Watch(self.index.vault, self.see)
            return self._watch

    def see(self) -> None:
        """Look at the files at once; what is not indexed at all is not begun."""
        if self.index.exists():
            self.freshen(at_once=True)

    def state(self) -> IndexState:
        """Return how far the index is; raise NotReady when there is none."""
        reader = self.reader()
        version = reader.value("PRAGMA data_version"), id(reader)
        held: tuple[object, IndexState] | None = getattr(self._counts, "held", None)
        if held is None or held[0] != version:
            held = version, _counted(reader)
            self._counts.held = held
        counted = held[1]
        return IndexState(
            indexed=counted.indexed,
            total=counted.total,
            pending=counted.pending,
            failed=counted.failed,
            age_s=round(self._age_s(), 3),
            model=counted.model,
            stale_files=self._stale,
        )

    def _age_s(self) -> float:
        if self._looked > float("-inf"):
            return time.monotonic() - self._looked
        return max(0.0, time.time() - os.stat(self.index.path).st_mtime)

    def close(self) -> None:
        """End what runs for this core."""
        if self._watch is not None:
            self._watch.stop()
        job = self.job()
        if job is not None:
            job.cancel()


def _counted(reader: Connection) -> IndexState:
    total: int = reader.value("SELECT count(*) FROM embed_units")
    rest = unembedded(reader)
    active = vector_set(reader)
    return IndexState(
        indexed=total - sum(rest.values()),
        total=total,
        pending=rest[PENDING],
        failed=rest[FAILED],
        age_s=0.0,
        model=None if active is None else active.model,
    )
