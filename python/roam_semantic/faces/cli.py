"""The command line: results on stdout, progress and messages on stderr."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any

from roam_semantic import __version__, settings
from roam_semantic.errors import Cancelled, NotReady, RoamError
from roam_semantic.faces import arguments, faults
from roam_semantic.faces.arguments import SERVERS, CommandLine
from roam_semantic.faces.terminal import columns, one_line
from roam_semantic.operations.catalogue import Catalogue
from roam_semantic.operations.legible import legible
from roam_semantic.operations.request import Request

BROKEN_PIPE = 141
# How long a call may take to stop by itself after Ctrl-C.
STOPPING_S = 2.0


def main(words: Sequence[str], catalogue: Catalogue, build: Any) -> int:
    """Do what WORDS (without the program's name) ask for; return the exit code.

    build: `calls.Build`, called only by commands that need a core.
    """
    as_json = arguments.wants_json(words)
    overrides: dict[str, str] = {}
    try:
        line = arguments.parse(words, catalogue)
        overrides = line.overrides
        return _run(line, catalogue, build)
    except BrokenPipeError:
        # Nobody reads on; a second failure at exit must not be told either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return _fail(Cancelled("stopped by Ctrl-C"), as_json)
    except RoamError as error:
        return _fail(error, as_json)
    except Exception as error:  # noqa: BLE001 - the last line: nobody is shown a traceback
        return _fail(faults.record(error, overrides), as_json)


def _run(line: CommandLine, catalogue: Catalogue, build: Any) -> int:
    if line.version:
        _write(f"roam-semantic {__version__}")
    elif line.help or line.command is None:
        from roam_semantic.faces import help

        width = columns()
        if line.command is None:
            _write(help.overview(catalogue, width))
        else:
            _write(help.command(catalogue, line.command, width))
    elif line.command in SERVERS:
        return _serve(line, catalogue, build)
    elif line.command == "worker":
        from roam_semantic.faces import worker

        return worker.serve(build(settings.load(line.overrides)), line.rest)
    elif line.command == "catalogue":
        from roam_semantic.operations import schemas

        _write(schemas.document(catalogue))
    else:
        return _answer(line, catalogue, build)
    return 0


def _answer(line: CommandLine, catalogue: Catalogue, build: Any) -> int:
    """Print the answer; return 0, or NotReady's code when a check of doctor failed."""
    from roam_semantic.faces.meter import Meter

    meter = Meter(sys.stderr)
    request = Request(id="cli", on_progress=meter.show if meter.on else None)
    call = catalogue[line.command or ""].bind(line.given, request, from_text=True)
    _stop_gently(request)
    core = build(settings.load(line.overrides))
    # A print of a library must not spoil what a program reads from us.
    sys.stdout = sys.stderr
    try:
        answer = call(core)
    finally:
        sys.stdout = sys.__stdout__
        meter.clear()
        core.close()
    if line.as_json:
        from roam_semantic.faces.wire import write_json

        _write_bytes(write_json(answer) + b"\n")
    else:
        from roam_semantic.faces.plain import show

        _write(show(answer, columns()))
    return 0 if getattr(answer, "ok", True) else NotReady.exit_code


def _stop_gently(request: Request) -> None:
    """Let Ctrl-C ask first; what does not stop by itself, or a second one, is interrupted."""

    def interrupt(_: int, __: FrameType | None) -> None:
        if request.stopping:
            raise KeyboardInterrupt
        request.cancel()
        signal.setitimer(signal.ITIMER_REAL, STOPPING_S)

    def enough(_: int, __: FrameType | None) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGALRM, enough)


def _serve(line: CommandLine, catalogue: Catalogue, build: Any) -> int:
    from roam_semantic.faces.calls import Launch

    launch = Launch(catalogue, build, line.overrides)
    if line.command == "mcp":
        from roam_semantic.faces import mcp as face
    elif line.command == "http":
        from roam_semantic.faces import http as face
    elif line.command == "epc":
        from roam_semantic.faces import epc as face
    else:
        from roam_semantic.faces import jsonrpc as face
    code = face.serve(launch)
    # Threads of a server may sit in a model or in a read of a dead pipe.
    sys.stderr.flush()
    os._exit(code)


def _fail(error: RoamError, as_json: bool) -> int:
    """Tell ERROR the way it was asked for; return its exit code."""
    try:
        if as_json:
            from roam_semantic.faces.wire import write_json

            _write_bytes(write_json({"error": error.as_dict()}) + b"\n")
        else:
            hint = f"\n  {one_line(error.hint)}" if error.hint else ""
            text = f"roam-semantic: {one_line(error.message)}{hint}\n"
            sys.stderr.buffer.write(_as_bytes(text))
            sys.stderr.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return error.exit_code


def _as_bytes(text: str) -> bytes:
    """Return TEXT in UTF-8; bytes of a file name that are none as they are on disk."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return legible(text).encode()


def _write(text: str) -> None:
    _write_bytes(_as_bytes(text) + b"\n")


def _write_bytes(data: bytes) -> None:
    out = sys.__stdout__
    if out is not None:
        out.buffer.write(data)
        out.buffer.flush()
