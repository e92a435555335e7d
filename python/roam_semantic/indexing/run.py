"""One indexing run: words first, vectors after, everything resumable."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress

import msgspec

from roam_semantic.errors import Unavailable
from roam_semantic.indexing.embedding import Embedded, embed_pending, store_boilerplate
from roam_semantic.indexing.refresh import Refreshed, refresh
from roam_semantic.models.embedder import Embedder
from roam_semantic.org_roam.database import RoamDatabase
from roam_semantic.sqlite import Connection
from roam_semantic.store import check
from roam_semantic.store.cache import VectorCache
from roam_semantic.store.gate import Replaced
from roam_semantic.store.index import Index
from roam_semantic.store.lease import lease
from roam_semantic.store.rows import FAILED, PENDING
from roam_semantic.store.schema import UNEMBEDDED
from roam_semantic.store.vectors import (
    VectorSet,
    activate,
    count_pending,
    create_set,
    drop_building,
    vector_set,
)

# Seconds between two looks at the files while vectors are being made.
LOOK_AGAIN_S = 2.0
# How long a search that found changed notes lets org-roam write before it goes on
# without them, in shared placement.
MOMENT_S = 0.1
# How long a run waits for org-roam: its first sync of 10,000 notes takes a minute.
AS_LONG_AS_A_SYNC_S = 600.0
# Org-roam may make its database anew under a run so often before the run gives up.
MOST_REPLACED = 5
# A run that read this share of the notes finds the boilerplate anew.
BULK_SHARE = 0.1


# Told of (done, total, phase): "reading" counts files, "embedding" units.
Tell = Callable[[int, int, str], None]


def silent(done: int, total: int, phase: str) -> None:
    """Tell nobody."""


class Result(msgspec.Struct):
    """What a run did; the counts of nodes and units are the whole index's."""

    refreshed: Refreshed
    embedded: Embedded
    seconds: float


class Indexer:
    """Indexes one vault into one index file."""

    def __init__(
        self,
        index: Index,
        database: RoamDatabase | None,
        cache_folder: str,
        embedder: Callable[[], Embedder],
    ) -> None:
        self._index = index
        self._database = database
        self._cache_folder = cache_folder
        self._embedder = embedder

    def refresh(self, budget_s: float) -> Refreshed:
        """Bring words up to the files for at most BUDGET_S seconds.

        Needs no lease once the index is there: a changed file is one short
        transaction, and a search must not wait for somebody's vectors.
        """
        self._index.wait(MOMENT_S)
        if not self._index.exists():
            with self._writing() as connection:
                return self._read_changes(connection, budget_s)
        connection = self._index.open_shared()
        try:
            return self._read_changes(connection, budget_s)
        finally:
            connection.close()

    def _read_changes(self, connection: Connection, budget_s: float) -> Refreshed:
        def too_long(text: str) -> bool:
            # Asked for few texts, so the model is loaded for few refreshes.
            return self._embedder().too_long(text)

        return refresh(connection, self._index.vault, self._database, too_long, budget_s=budget_s)

    @contextmanager
    def _writing(
        self, wait_s: float = 0.0, cancelled: Callable[[], bool] | None = None
    ) -> Generator[Connection, None, None]:
        with lease(self._index.path, wait_s=wait_s, cancelled=cancelled):
            connection = self._index.open_writer()
            try:
                yield connection
            finally:
                connection.close()

    def run(
        self,
        *,
        force: bool = False,
        wait_s: float = 0.0,
        cancelled: Callable[[], bool] = lambda: False,
        progress: Tell = silent,
    ) -> Result:
        """Index everything that is not; FORCE reads and embeds all again.

        Wait up to WAIT_S seconds for another indexer, then raise Held.  Raise
        Cancelled when CANCELLED says so; what is written stays.
        """
        start = time.monotonic()
        for _ in range(MOST_REPLACED):
            with suppress(Replaced):
                done = self._run(force, wait_s, cancelled, progress)
                return Result(*done, time.monotonic() - start)
        raise Unavailable(
            f"{self._index.path} was made anew again and again", "run it again when Emacs is quiet"
        )

    def _run(
        self, force: bool, wait_s: float, cancelled: Callable[[], bool], progress: Tell
    ) -> tuple[Refreshed, Embedded]:
        self._index.wait(max(wait_s, AS_LONG_AS_A_SYNC_S), cancelled)
        with self._writing(wait_s, cancelled) as connection:
            mend(connection)
            if force:
                with connection.writing():
                    connection.run("UPDATE embed_files SET stamp = ''")
            run = _Run(connection, self._index.vault, self._database, self._embedder(), cancelled)
            refreshed = run.read(_Pace("reading", progress).at)
            if refreshed.read > BULK_SHARE * refreshed.files:
                store_boilerplate(connection)
            embedded = run.embed(self._cache_folder, force, _Pace("embedding", progress).at)
        return refreshed, embedded


class _Run:
    """What the two halves of a run share."""

    def __init__(
        self,
        connection: Connection,
        vault: str,
        database: RoamDatabase | None,
        embedder: Embedder,
        cancelled: Callable[[], bool],
    ) -> None:
        self.connection = connection
        self.vault = vault
        self.database = database
        self.embedder = embedder
        self.cancelled = cancelled
        self.looked = time.monotonic()

    def read(self, at: Callable[[int, int], None] = lambda done, total: None) -> Refreshed:
        """Bring words up to the files."""
        return refresh(
            self.connection,
            self.vault,
            self.database,
            self.embedder.too_long,
            cancelled=self.cancelled,
            progress=at,
        )

    def look_again(self) -> None:
        """Read what changed meanwhile, every other second."""
        if time.monotonic() - self.looked > LOOK_AGAIN_S:
            self.read()
            self.looked = time.monotonic()

    def embed(self, cache_folder: str, force: bool, at: Callable[[int, int], None]) -> Embedded:
        """Give every unit its vector."""
        connection, model = self.connection, self.embedder
        target = target_set(connection, model, force)
        with connection.writing():
            connection.run(
                f"UPDATE embed_units SET state = {PENDING} WHERE {UNEMBEDDED} AND state = {FAILED}"
            )
        total = count_pending(connection, target)
        cache = VectorCache(cache_folder, model.digest, model.dimension, model.passage_prefix)
        try:
            counts = embed_pending(
                connection, target, model, cache,
                cancelled=self.cancelled,
                progress=lambda counts: at(counts.done, max(total, counts.done)),
                between=self.look_again,
            )  # fmt: skip
        finally:
            cache.trim()
            cache.close()
        if target != vector_set(connection):
            activate(connection)
        return counts


def mend(connection: Connection) -> None:
    """Repair what does not hold together, codes included."""
    layers = {fault.layer for fault in check.repair(connection)}
    active = vector_set(connection)
    if active is not None and layers & {"codes", "vectors"}:
        rebuild_codes(connection, active)


def target_set(connection: Connection, embedder: Embedder, force: bool) -> VectorSet:
    """Return the vector set to fill: the active one while its model is EMBEDDER's.

    Another model (or FORCE) builds a set beside it, so that the old vectors
    answer until the new ones are complete.
    """
    name, digest, dimension = embedder.name, embedder.digest, embedder.dimension
    active = vector_set(connection)
    if active is None:
        return create_set(connection, "vectors", 1, name, digest, dimension)
    building = vector_set(connection, "building")
    if active.digest == digest and not force:
        if building is not None:
            drop_building(connection, building)
        return active
    if building is not None and building.digest == digest:
        return building
    return create_set(connection, "building", 3 - active.key, name, digest, dimension)


def rebuild_codes(connection: Connection, active: VectorSet) -> None:
    """Make the sign bits again from the float16 rows."""
    from roam_semantic.models.vectors import code, unpack  # numpy only when it is needed

    if not connection.has_vec:
        return
    rows = connection.rows(f"SELECT unit, v FROM {active.vectors}")
    with connection.writing():
        connection.run(f"DROP TABLE IF EXISTS {active.codes}")
        connection.run(
            f"CREATE VIRTUAL TABLE {active.codes} USING vec0(code bit[{active.dimension}])"
        )
        connection.run_many(
            f"INSERT INTO {active.codes} (rowid, code) VALUES (?, vec_bit(?))",
            [(unit, code(unpack(v, active.dimension))) for unit, v in rows],
        )


class _Pace:
    """Tells of a phase at most ten times a second, and of its end."""

    def __init__(self, phase: str, tell: Tell) -> None:
        self._phase, self._tell = phase, tell
        self._last = 0.0

    def at(self, done: int, total: int) -> None:
        now = time.monotonic()
        if done >= total or now - self._last >= 0.1:
            self._last = now
            self._tell(done, total, self._phase)
