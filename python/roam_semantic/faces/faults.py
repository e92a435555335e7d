"""Faults of ours: the details go to a file, the caller is told where."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping

from roam_semantic import settings
from roam_semantic.errors import Internal, RoamError

LOG_NAME = "faults.log"
LONGEST_LOG = 10 * 1024 * 1024


def record(error: BaseException, overrides: Mapping[str, str | None] | None = None) -> Internal:
    """Write the traceback of ERROR to the log; return what the caller is told.

    The traceback names files and lines of ours, never the text of a note.
    """
    import traceback

    name = type(error).__name__
    text = "".join(traceback.format_exception(error))
    try:
        path = _append(_log_file(overrides), text)
    except (OSError, RoamError):
        print(f"roam-semantic: a fault of ours: {name}", file=sys.stderr)
        return Internal(f"a fault of ours ({name})", "set ROAM_LOG to a file to see the details")
    return Internal(f"a fault of ours ({name})", f"please report it with the end of {path}")


def _log_file(overrides: Mapping[str, str | None] | None) -> str:
    told = settings.load(overrides)
    return told.log or os.path.join(told.state, LOG_NAME)


def _append(path: str, text: str) -> str:
    """Append TEXT under a time stamp to the file PATH, which only its owner may read."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    if os.path.exists(path) and os.path.getsize(path) > LONGEST_LOG:
        os.replace(path, path + ".old")
    stamp = time.strftime("%Y-%m-%d %H:%M:%S")
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    with os.fdopen(descriptor, "a", encoding="utf-8", errors="backslashreplace") as log:
        log.write(f"{stamp} process {os.getpid()}\n{text}\n")
    return path
