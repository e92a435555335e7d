"""What the rows are measured on: generated notes, indexed by our own code.

Text goes through our parser and writer; only the vectors are generated, and
stored under the name of the real model, so that a real server answers from
this index.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice

import msgspec

from benchmarks import notes, vectors
from benchmarks.reader import Reader
from benchmarks.rivals import Naive, floats
from benchmarks.timing import Times
from roam_semantic.indexing.read import prepare, read_bytes
from roam_semantic.indexing.scan import scan
from roam_semantic.models.embedder import Embedder
from roam_semantic.models.vectors import code, pack
from roam_semantic.sqlite import Connection, Row
from roam_semantic.store.index import Index
from roam_semantic.store.rows import FileRows
from roam_semantic.store.vectors import create_set, pending_units, vector_set, write_vectors
from roam_semantic.store.writer import Writer

BATCH = 128
FILES = 500


class Ground(msgspec.Struct, frozen=True):
    """A vault and its index; lies in one folder, made anew by every run."""

    folder: str
    notes: int

    @property
    def vault(self) -> str:
        """Return the folder of the notes."""
        return os.path.join(self.folder, "vault")

    @property
    def index_path(self) -> str:
        """Return the file of the index."""
        return os.path.join(self.folder, "index.db")

    @property
    def cache(self) -> str:
        """Return the folder for the model and for cached vectors."""
        return os.path.join(os.path.dirname(self.folder), "cache")

    @property
    def roam_database(self) -> str:
        """Return the file of org-roam's database."""
        return os.path.join(self.folder, "org-roam.db")

    @property
    def index(self) -> Index:
        """Return the index."""
        return Index(self.index_path, self.vault)

    @property
    def naive(self) -> Naive:
        """Return the rival over the same units."""
        return Naive.open(os.path.join(self.folder, "naive.db"))


class Written(msgspec.Struct, frozen=True):
    """What writing took, and what a reader met meanwhile.

    seconds: of the processor; real_seconds: by the clock.  locks: how long
    transactions held the lock by the clock, in ms; worked: of the processor.
    """

    units: int
    seconds: float
    real_seconds: float
    locks: Times
    worked: Times
    asked: int
    busy: int


class _Timed(Connection):
    """A connection that notes how long each transaction held the lock."""

    held: list[float]
    worked: list[float]
    _begun: tuple[float, float]

    def run(self, sql: str, values: Sequence[object] = ()) -> None:
        """Execute SQL; from the end of BEGIN to the end of COMMIT the lock is held."""
        super().run(sql, values)
        if sql == "BEGIN IMMEDIATE":
            self._begun = time.perf_counter(), time.thread_time()
        elif sql == "COMMIT":
            begun, work_begun = self._begun
            self.held.append(1000 * (time.perf_counter() - begun))
            self.worked.append(1000 * (time.thread_time() - work_begun))


class _Watch:
    """Adds up the time of what it is held around."""

    def __init__(self) -> None:
        self.seconds = self.real_seconds = 0.0

    @contextmanager
    def running(self) -> Generator[None]:
        start, start_work = time.perf_counter(), time.thread_time()
        yield
        self.real_seconds += time.perf_counter() - start
        self.seconds += time.thread_time() - start_work


def build(folder: str, count: int, model: Embedder, tell: Callable[[str], None]) -> Written:
    """Make the ground of COUNT notes in FOLDER; return what our writer took."""
    shutil.rmtree(folder, ignore_errors=True)
    ground = Ground(folder, count)
    tell(f"generating {count:,} notes")
    size = notes.write(ground.vault, count)
    tell(f"indexing {size / 1e6:,.0f} MB of notes")
    written = _index(ground, model)
    tell(f"building the rival over {written.units:,} units")
    _build_naive(ground)
    return written


def _index(ground: Ground, model: Embedder) -> Written:
    connection = ground.index.open_writer()
    connection.__class__ = _Timed
    assert isinstance(connection, _Timed)
    connection.held, connection.worked = [], []
    reader = Reader(ground.index_path)
    watch = _Watch()
    _write_words(connection, ground.vault, watch)
    _write_vectors(connection, model, watch)
    asked, busy = reader.stop()
    units: int = connection.value("SELECT count(*) FROM embed_units")
    connection.run("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    locks, worked = (Times(tuple(sorted(v))) for v in (connection.held, connection.worked))
    return Written(units, watch.seconds, watch.real_seconds, locks, worked, asked, busy)


def _write_words(connection: Connection, vault: str, watch: _Watch) -> None:
    writer = Writer(connection)
    entries = iter(scan(vault).entries)
    while chunk := list(islice(entries, FILES)):
        made = [prepare(entry, read_bytes(entry.real_path), None) for entry in chunk]
        rows = [row for row in made if isinstance(row, FileRows)]
        with watch.running():
            writer.write_files(rows)
    with watch.running():
        writer.merge_words()


def _write_vectors(connection: Connection, model: Embedder, watch: _Watch) -> None:
    target = create_set(connection, "vectors", 1, model.name, model.digest, model.dimension)
    total: int = connection.value("SELECT count(*) FROM embed_units")
    rows = (row for block in vectors.blocks(total) for row in block)
    after = 0
    while units := pending_units(connection, target, after, BATCH):
        after = units[-1][0]
        batch = [(unit[0], pack(row), code(row)) for unit, row in zip(units, rows, strict=False)]
        with watch.running():
            write_vectors(connection, target, batch)


def _build_naive(ground: Ground) -> None:
    reader = ground.index.reader()
    active = vector_set(reader)
    assert active is not None
    Naive.build(
        os.path.join(ground.folder, "naive.db"),
        _pages(reader, "embed_units", "id", "id, title || ' ' || path, text"),
        ((unit, floats(half)) for unit, half in _pages(reader, active.vectors, "unit", "unit, v")),
    )


def _pages(reader: Connection, table: str, key: str, columns: str) -> Iterator[Row]:
    """Yield COLUMNS of all rows of TABLE by KEY, a few thousand at a time."""
    after = 0
    while rows := reader.rows(
        f"SELECT {columns} FROM {table} WHERE {key} > ? ORDER BY {key} LIMIT 5000", (after,)
    ):
        after = rows[-1][0]
        yield from rows


def questions(ground: Ground, count: int, words: int) -> list[list[str]]:
    """Return COUNT times so many consecutive WORDS of some unit, stop words left in."""
    reader = ground.index.reader()
    most: int = reader.value("SELECT max(id) FROM embed_units")
    rng = random.Random(7)
    found: list[list[str]] = []
    while len(found) < count:
        text: str = reader.value(
            "SELECT text FROM embed_units WHERE id >= ? LIMIT 1", (rng.randint(1, most),)
        )
        drawn = re.findall(r"[a-z]+", text)
        if len(drawn) >= words:
            start = rng.randrange(len(drawn) - words + 1)
            found.append(drawn[start : start + words])
    return found
