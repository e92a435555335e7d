"""The child that indexes for a server: JSON lines out, ends when its input ends."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Sequence
from types import FrameType

import msgspec

from roam_semantic.errors import Internal, RoamError
from roam_semantic.operations.core import Core
from roam_semantic.operations.index import index
from roam_semantic.operations.request import Progress, Request

NICENESS = 10


def serve(core: Core, arguments: Sequence[str]) -> int:
    """Index once and tell how it goes; return the exit code.

    ARGUMENTS may hold --force.  Another indexer is waited for.
    """
    os.nice(NICENESS)
    request = Request(id="worker", on_progress=_tell)

    def stop(_: int, __: FrameType | None) -> None:
        request.cancel()

    signal.signal(signal.SIGTERM, stop)
    threading.Thread(target=_watch_parent, name="parent", daemon=True).start()
    try:
        answer = index(core, force="--force" in arguments, request=request)
    except RoamError as error:
        _say({"error": error.as_dict()})
        return error.exit_code
    except Exception as error:  # noqa: BLE001 - the parent must be told, whatever it was
        _say(
            {"error": Internal(f"indexing failed: {error}", "see `roam-semantic doctor`").as_dict()}
        )
        return Internal.exit_code
    _say({"result": answer})
    return 0


def _tell(progress: Progress) -> None:
    _say({"done": progress.done, "total": progress.total, "phase": progress.phase})


def _say(message: object) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(message) + b"\n")
    sys.stdout.buffer.flush()


def _watch_parent() -> None:
    """End at once when the pipe from the parent closes: each write is atomic."""
    # Not by `sys.stdin`: its lock, held by this thread, aborts the interpreter at its end.
    while os.read(0, 4096):
        pass
    os._exit(0)
