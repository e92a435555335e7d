"""From stored units to vectors: what the model reads, batches, the cache, failures.

The model works in its own threads while the vectors of the batch before are
written; no transaction spans a model call.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import msgspec

from roam_semantic.errors import Cancelled
from roam_semantic.models.embedder import Embedder, EmbeddingFailure
from roam_semantic.models.vectors import code, pack, unpack
from roam_semantic.sqlite import Connection
from roam_semantic.store.boilerplate import normal, own_lines, shared_lines
from roam_semantic.store.cache import VectorCache
from roam_semantic.store.vectors import (
    VectorSet,
    pending_units,
    write_failures,
    write_hopeless,
    write_vectors,
)

MAX_STEP = 300
# Units asked for at once; progress and cancelling are told between texts.
BATCH = 256
# A line that stands in this many notes, and this share of them, is boilerplate.
BOILERPLATE_FILES = 5
BOILERPLATE_SHARE = 0.01


class Embedded(msgspec.Struct):
    """What an embedding run did so far, in units."""

    embedded: int = 0
    from_cache: int = 0
    failed: int = 0

    @property
    def done(self) -> int:
        """Return how many units have been dealt with."""
        return self.embedded + self.from_cache + self.failed


def model_text(
    title: str, outline_path: Collection[str], text: str, boilerplate: Collection[str]
) -> str:
    """Return what the model reads of a unit: where it stands, then what it says.

    Lines that many notes share are left out; a unit of nothing else is known
    by its title and outline path alone.
    """
    steps = [title, *(step for step in outline_path if step != title)]
    head = ": ".join(step[:MAX_STEP] for step in steps if step)
    lines = own_lines(text, boilerplate)
    return "\n".join((head, *lines)) if lines else head


def find_boilerplate(connection: Connection) -> frozenset[str]:
    """Return the normalised lines that stand in many notes."""
    seen: Counter[str] = Counter()
    files = 0
    last: int | None = None
    lines: set[str] = set()
    for file, text in connection.rows("SELECT file, text FROM embed_units ORDER BY file"):
        if file != last:
            seen.update(lines)
            lines, last, files = set[str](), file, files + 1
        lines.update(normal(line) for line in text.split("\n"))
    seen.update(lines)
    least = max(BOILERPLATE_FILES, int(files * BOILERPLATE_SHARE))
    return frozenset(line for line, count in seen.items() if count >= least and line)


def store_boilerplate(connection: Connection) -> None:
    """Find the boilerplate of the whole index again and store it."""
    found = find_boilerplate(connection)
    with connection.writing():
        connection.run("DELETE FROM embed_boilerplate")
        connection.run_many("INSERT INTO embed_boilerplate VALUES (?)", [(x,) for x in found])


def embed_pending(
    connection: Connection,
    target: VectorSet,
    embedder: Embedder,
    cache: VectorCache,
    *,
    cancelled: Callable[[], bool],
    progress: Callable[[Embedded], None],
    between: Callable[[], None],
) -> Embedded:
    """Give every unit TARGET lacks its vector; return the counts.

    between: called after each written batch, for what must not wait for the
    end (changed notes).  Raise Cancelled when CANCELLED says so; what is
    written stays.
    """
    boilerplate = shared_lines(connection)
    counts = Embedded()
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="embed") as pool:
        waiting: tuple[_Batch, Future[list[object]]] | None = None
        for batch in _batches(connection, target, cache, boilerplate):
            future: Future[list[object]] = pool.submit(_embed, embedder, batch.texts, cancelled)
            if waiting is not None:
                _store(connection, target, cache, *waiting, counts)
                progress(counts)
                between()
            waiting = (batch, future)
            if cancelled():
                raise Cancelled("indexing was cancelled", "what is done is kept; run it again")
        if waiting is not None:
            _store(connection, target, cache, *waiting, counts)
            progress(counts)
    return counts


class _Batch(msgspec.Struct):
    """Units by their text; known: vectors the cache had."""

    units: dict[str, list[int]]
    known: dict[str, bytes]
    texts: list[str]


def _batches(
    connection: Connection, target: VectorSet, cache: VectorCache, boilerplate: Collection[str]
) -> Iterator[_Batch]:
    after = 0
    while True:
        rows = pending_units(connection, target, after, BATCH)
        if not rows:
            return
        after = rows[-1][0]
        units: dict[str, list[int]] = {}
        for unit, title, path, text in rows:
            steps = msgspec.json.decode(path, type=tuple[str, ...])
            units.setdefault(model_text(title, steps, text, boilerplate), []).append(unit)
        known = cache.find(list(units))
        yield _Batch(units, known, [text for text in units if text not in known])


def _embed(embedder: Embedder, texts: list[str], cancelled: Callable[[], bool]) -> list[object]:
    return list(embedder.embed_passages(texts, cancelled)) if texts else []


def _store(
    connection: Connection,
    target: VectorSet,
    cache: VectorCache,
    batch: _Batch,
    future: Future[list[object]],
    counts: Embedded,
) -> None:
    fresh: list[tuple[str, bytes]] = []
    rows: list[tuple[int, bytes, bytes]] = []
    failures: list[tuple[int, str]] = []
    hopeless: list[int] = []
    for text, result in zip(batch.texts, future.result(), strict=True):
        if isinstance(result, EmbeddingFailure):
            if result.retry:
                failures += [(unit, result.reason) for unit in batch.units[text]]
            else:
                hopeless += batch.units[text]
        else:
            packed = pack(result)  # pyright: ignore[reportArgumentType]
            fresh.append((text, packed))
            rows += [
                (unit, packed, code(unpack(packed, target.dimension))) for unit in batch.units[text]
            ]
    counts.embedded += len(rows)
    for text, packed in batch.known.items():
        bits = code(unpack(packed, target.dimension))
        rows += [(unit, packed, bits) for unit in batch.units[text]]
        counts.from_cache += len(batch.units[text])
    most = connection.most_rows
    for start in range(0, len(rows), most):
        write_vectors(connection, target, rows[start : start + most])
    write_failures(connection, failures)
    write_hopeless(connection, hopeless)
    counts.failed += len(failures)
    cache.add(fresh)
