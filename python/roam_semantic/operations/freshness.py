"""Keeping up with the files: a look at them now, and word of what changes."""

from __future__ import annotations

import hashlib
import time
from typing import Annotated, Literal

from msgspec import Meta

from roam_semantic.operations.answers import Job, RefreshAnswer, WatchAnswer
from roam_semantic.operations.catalogue import NOBODY, operation
from roam_semantic.operations.core import Core
from roam_semantic.operations.jobs import running
from roam_semantic.operations.request import Request
from roam_semantic.store.vectors import vector_set
from roam_semantic.values import IndexState

# How soon a cancelled wait ends.
TURN_S = 0.05
NOTHING = IndexState(0, 0, 0, 0, 0.0, None)

State = Literal["ready", "indexing", "stale", "empty"]


@operation(idempotent=True)
def refresh(core: Core) -> RefreshAnswer:
    """Look at the files now: words are up to date at once, vectors follow by themselves."""
    core.freshen(at_once=True)
    return RefreshAnswer(index=core.state(), job=running(core), message=core.message)


@operation(read_only=True)
def watch(
    core: Core,
    seen: Annotated[
        str, Meta(description="`seen` of the last answer, if there was one", max_length=64)
    ] = "",
    seconds: Annotated[float, Meta(description="most seconds to wait", ge=0, le=300)] = 30.0,
    request: Request = NOBODY,
) -> WatchAnswer:
    """Wait until files, index or progress change, and tell how the index is."""
    patience = seconds if request.patience_s is None else min(seconds, request.patience_s)
    deadline = time.monotonic() + patience
    files = core.watch
    if not seen and not core.serving:
        # A command line has no last answer: it waits for what comes from now on.
        core.see()
        seen = files.paced(lambda: _now(core)).seen
    with files.attended():
        while True:
            answer = files.paced(lambda: _now(core))
            left = deadline - time.monotonic()
            if answer.seen != seen or left <= 0:
                return answer
            request.check()
            time.sleep(min(TURN_S, left))


def _now(core: Core) -> WatchAnswer:
    exists = core.index.exists()
    index = core.state() if exists else NOTHING
    job = running(core)
    state: State = "ready"
    if not index.total:
        state = "empty"
    elif index.pending or index.stale_files:
        state = "stale"
    if job is not None or core.is_embedding:
        state = "indexing"
    message = core.message or core.watch.message
    parts = (state, index, *_progress(job), message, *(_generation(core) if exists else ()))
    return WatchAnswer(_token(parts), state, index, job, message)


def _progress(job: Job | None) -> tuple[object, ...]:
    return () if job is None else (job.phase, job.done, job.total)


def _generation(core: Core) -> tuple[int, ...]:
    """Return numbers that grow when a text or a vector is stored."""
    reader = core.reader()
    active = vector_set(reader)
    written = reader.value("SELECT seq FROM sqlite_sequence WHERE name = 'embed_units'") or 0
    if active is None:
        return (written,)
    return written, active.key, reader.value(f"SELECT max(seq) FROM {active.vectors}") or 0


def _token(parts: tuple[object, ...]) -> str:
    words = [
        (part.indexed, part.total, part.pending, part.failed, part.model, part.stale_files)
        if isinstance(part, IndexState)
        else part
        for part in parts
    ]
    return hashlib.blake2s(repr(words).encode(errors="replace"), digest_size=8).hexdigest()
