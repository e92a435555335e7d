"""The long run under way, of this process or another, as answers tell of it."""

from __future__ import annotations

import os

from roam_semantic.operations.answers import Job
from roam_semantic.operations.core import Core
from roam_semantic.store.lease import holder


def running(core: Core) -> Job | None:
    """Return the job that indexes this vault now, or None."""
    job = core.job()
    if job is not None:
        left = (job.total - job.done) / job.rate if job.rate else None
        return Job("index", job.done, job.total, round(job.rate, 1), left, job.phase)
    pid = holder(core.index_path) if core.index_path and os.path.exists(core.index_path) else None
    if pid is not None and pid != os.getpid():
        return Job("index", 0, 0, 0.0, None, f"process {pid} is indexing")
    return None
