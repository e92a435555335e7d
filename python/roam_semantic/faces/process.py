"""What every server process does: keep stdout for the protocol, and end with its parent."""

from __future__ import annotations

import os
import stat
import sys
import threading
import time
from collections.abc import Callable
from typing import BinaryIO

LOOK_EVERY_S = 0.5


def take_stdout() -> BinaryIO:
    """Return the real stdout for the protocol alone.

    Descriptor 1 and `sys.stdout` then lead to stderr, so that a print of a
    library or of a child process cannot spoil a message.
    """
    sys.stdout.flush()
    wire = os.dup(1)
    os.set_inheritable(wire, False)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return os.fdopen(wire, "wb", buffering=0)


def take_stdin() -> BinaryIO:
    """Return the real stdin for the protocol alone; a child process reads nothing."""
    wire = os.dup(0)
    os.set_inheritable(wire, False)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return os.fdopen(wire, "rb")


def write_all(wire: BinaryIO, data: bytes) -> None:
    """Write DATA whole: an unbuffered pipe may take a part at a time."""
    view = memoryview(data)
    while view:
        view = view[wire.write(view) :]


def when_parent_ends(stop: Callable[[], None]) -> None:
    """Call STOP soon after another process has adopted us: our parent is gone."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(LOOK_EVERY_S)
        stop()

    threading.Thread(target=watch, name="parent", daemon=True).start()


def when_stdin_ends(stop: Callable[[], None]) -> None:
    """Call STOP at the end of stdin, if it is a pipe somebody holds open for us."""
    mode = os.fstat(0).st_mode
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        return

    def watch() -> None:
        while os.read(0, 65536):
            pass
        stop()

    threading.Thread(target=watch, name="stdin", daemon=True).start()
