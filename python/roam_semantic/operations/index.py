"""Indexing, and how far it is."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta

from roam_semantic.errors import Cancelled
from roam_semantic.graph.counts import counts, unit_types
from roam_semantic.operations.answers import FailedUnit, IndexAnswer, StatsAnswer
from roam_semantic.operations.catalogue import NOBODY, operation
from roam_semantic.operations.core import Core
from roam_semantic.operations.request import Request
from roam_semantic.sqlite import Connection
from roam_semantic.store.rows import FAILED
from roam_semantic.store.vectors import vector_set
from roam_semantic.values import Skipped

if TYPE_CHECKING:
    from roam_semantic.indexing.job import Job
    from roam_semantic.indexing.run import Result

FOR_EVER_S = 365 * 86_400.0
MOST_LISTED = 200


@operation(idempotent=True)
def index(
    core: Core,
    force: Annotated[
        bool, Meta(description="read and embed every note again, not only changed ones")
    ] = False,
    request: Request = NOBODY,
) -> IndexAnswer:
    """Bring the index up to date with the notes; a second call joins a running one."""
    core.index  # noqa: B018 - says what is missing before anything starts
    if core.serving:
        return _in_child(core, force, request)
    result = core.indexer.run(
        force=force,
        wait_s=FOR_EVER_S if request.patience_s is None else request.patience_s,
        cancelled=request.cancelled,
        progress=request.progress,
    )
    return answer(core, result)


def _in_child(core: Core, force: bool, request: Request) -> IndexAnswer:
    job = core.start_job(force)

    def watch() -> bool:
        request.progress(job.done, job.total, job.phase)
        return request.cancelled()

    if job.wait(request.patience_s, watch):
        # The last step of a short job is soon over: it is told all the same.
        request.progress(job.done, job.total, job.phase)
        return msgspec.convert(job.answer(), IndexAnswer)
    if request.cancelled() and not request.is_late():
        job.cancel()
        raise Cancelled("indexing was cancelled", "what is done is kept; run it again")
    return _running(core, job)


def _running(core: Core, job: Job) -> IndexAnswer:
    state = core.state() if core.index.exists() else None
    found = counts(core.reader()) if state is not None else {}
    return IndexAnswer(
        files=found.get("files", 0),
        nodes=found.get("file_nodes", 0) + found.get("heading_nodes", 0),
        units=state.total if state else 0,
        embedded=job.done if job.phase == "embedding" else 0,
        from_cache=0,
        skipped=skipped(core.reader()) if state else (),
        failed=(),
        seconds=round(time.monotonic() - job.started, 3),
        state="running",
        pending=state.pending if state else 0,
    )


def answer(core: Core, result: Result) -> IndexAnswer:
    """Return what a finished run did."""
    reader = core.reader()
    found = counts(reader)
    state = core.state()
    return IndexAnswer(
        files=found["files"],
        nodes=found["file_nodes"] + found["heading_nodes"],
        units=state.total,
        embedded=result.embedded.embedded,
        from_cache=result.embedded.from_cache,
        skipped=skipped(reader),
        failed=failed(reader),
        seconds=round(result.seconds, 3),
        pending=state.pending,
    )


def skipped(reader: Connection) -> tuple[Skipped, ...]:
    """Return the files that are not read, with reasons, at most 200."""
    return tuple(
        Skipped(path, reason)
        for path, reason in reader.rows(
            "SELECT path, reason FROM embed_skipped ORDER BY path LIMIT ?", (MOST_LISTED,)
        )
    )


def failed(reader: Connection) -> tuple[FailedUnit, ...]:
    """Return the units the model could not embed, at most 200."""
    return tuple(
        FailedUnit(path, line, reason or "")
        for path, line, reason in reader.rows(
            "SELECT f.path, u.line, u.error FROM embed_units u JOIN embed_files f ON f.key = u.file"
            f" WHERE u.state = {FAILED} ORDER BY f.path, u.line LIMIT ?",
            (MOST_LISTED,),
        )
    )


@operation(read_only=True)
def index_stats(core: Core) -> StatsAnswer:
    """Count what is indexed: files, nodes, links, tags, units by type, vectors."""
    core.freshen()
    reader = core.reader()
    found = counts(reader)
    active = vector_set(reader)
    return StatsAnswer(
        files=found["files"],
        nodes=found["file_nodes"] + found["heading_nodes"],
        file_nodes=found["file_nodes"],
        heading_nodes=found["heading_nodes"],
        files_without_id=found["files_without_id"],
        links=found["links"],
        id_links=found["id_links"],
        tags=found["tags"],
        units=reader.value("SELECT count(*) FROM embed_units"),
        unit_types=unit_types(reader),
        index=core.state(),
        index_file=core.index.path,
        index_bytes=os.path.getsize(core.index.path),
        model=None if active is None else active.model,
        dimension=None if active is None else active.dimension,
    )
