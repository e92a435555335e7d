"""JSON-RPC 2.0 over stdio with Content-Length headers, as Emacs' jsonrpc.el speaks it.

    initialize {client_version}     -> {version, operations}
    OPERATION {arguments}           -> the answer
    $/cancelRequest {id}            notification: stop that request
    $/progress {id, done, total, phase, rate, left_s}   notification from us

A failure of an operation is error -32000 with data {kind, message, hint}.
"""

from __future__ import annotations

import sys
import threading
from typing import Any, BinaryIO, cast

from roam_semantic import __version__
from roam_semantic.errors import BadRequest, RoamError
from roam_semantic.faces import process, wire
from roam_semantic.faces.calls import Calls, Launch, Outcome
from roam_semantic.operations.request import Progress, Request

LONGEST_MESSAGE = 8 * 1024 * 1024
LONGEST_HEADER = 4096
PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS, FAILED = (
    -32700,
    -32600,
    -32601,
    -32602,
    -32000,
)
Id = str | int | None


class Lost(ValueError):
    """The stream has no next message that could be found."""


def read_message(stream: BinaryIO) -> bytes | None:
    """Return the body of the next message; None at the end of the stream.

    Raise `wire.BadMessage` when the message is too long (it is skipped), `Lost`
    when the headers are no headers, so that nothing after them makes sense.
    """
    length: int | None = None
    while line := stream.readline(LONGEST_HEADER):
        name, _, value = line.partition(b":")
        if not line.endswith(b"\n"):
            raise Lost("a header is too long")
        if line in (b"\r\n", b"\n"):
            if length is None:
                raise Lost("a message has no Content-Length")
            return _read_body(stream, length)
        if name.strip().lower() == b"content-length":
            if not value.strip().isdigit():
                raise Lost("Content-Length is no number")
            length = int(value)
    return None


def _read_body(stream: BinaryIO, length: int) -> bytes | None:
    if length > LONGEST_MESSAGE:
        while length > 0 and (skipped := stream.read(min(length, 65536))):
            length -= len(skipped)
        raise wire.BadMessage(f"the message is longer than {LONGEST_MESSAGE} bytes")
    body = stream.read(length)
    return body if len(body) == length else None


class Session:
    """One client on a pair of streams."""

    def __init__(self, calls: Calls, out: BinaryIO) -> None:
        self._calls = calls
        self._out = out
        self._sending = threading.Lock()

    def run(self, stream: BinaryIO) -> None:
        """Answer the messages of STREAM until it ends."""
        while True:
            try:
                body = read_message(stream)
                if body is None:
                    return
                self.take(wire.read_json(body))
            except wire.BadMessage as error:
                self.fail(None, PARSE_ERROR, str(error))
            except Lost as error:
                self.fail(None, PARSE_ERROR, str(error))
                return

    def take(self, message: Any) -> None:
        """Act on one message; a request gets exactly one answer."""
        if not isinstance(message, dict):
            self.fail(None, INVALID_REQUEST, "a message must be one object")
            return
        fields = cast("dict[str, Any]", message)
        method, id = fields.get("method"), fields.get("id")
        params: Any = {} if fields.get("params") is None else fields["params"]
        if method is None and ("result" in fields or "error" in fields):
            return
        if isinstance(id, bool) or not isinstance(id, str | int | None):
            self.fail(None, INVALID_REQUEST, "an id must be a text or a number")
        elif not isinstance(method, str):
            self.fail(id, INVALID_REQUEST, "a request must have a method")
        elif not isinstance(params, dict):
            self.fail(id, INVALID_PARAMS, "params must be an object")
        elif id is None:
            self._take_notification(method, cast("dict[str, Any]", params))
        else:
            self._take_request(id, method, cast("dict[str, Any]", params))

    def _take_notification(self, method: str, params: dict[str, Any]) -> None:
        if method == "$/cancelRequest" and isinstance(params.get("id"), str | int):
            self._calls.cancel(params["id"])

    def _take_request(self, id: str | int, method: str, params: dict[str, Any]) -> None:
        if method == "initialize":
            operations = [operation.command for operation in self._calls.catalogue]
            self._calls.warm()
            self.send({"id": id, "result": {"version": __version__, "operations": operations}})
            return
        try:
            self._calls.catalogue[method]
        except BadRequest as error:
            self.fail(id, NO_METHOD, error.message, error)
            return

        def tell(progress: Progress) -> None:
            self.send({"method": "$/progress", "params": {"id": id, **_fields(progress)}})

        request = Request(id=str(id), on_progress=tell)
        self._calls.start(id, method, params, request, lambda outcome: self._end(id, outcome))

    def _end(self, id: Id, outcome: Outcome) -> None:
        if outcome.error is None:
            self.send({"id": id, "result": outcome.answer})
        else:
            self.fail(id, FAILED, outcome.error.message, outcome.error)

    def fail(self, id: Id, code: int, message: str, error: RoamError | None = None) -> None:
        """Send an error; ERROR, as {kind, message, hint}, is its data."""
        told = (error or BadRequest(message)).as_dict()
        self.send({"id": id, "error": {"code": code, "message": message, "data": told}})

    def send(self, message: dict[str, Any]) -> None:
        """Send one message whole; a client that is gone is no error."""
        body = wire.write_json_without_nul({"jsonrpc": "2.0", **message})
        head = b"Content-Length: %d\r\n\r\n" % len(body)
        try:
            with self._sending:
                process.write_all(self._out, head + body)
        except OSError:
            self._calls.cancel_all()


def serve(launch: Launch) -> int:
    """Serve stdin and stdout until stdin ends or our parent is gone."""
    out = process.take_stdout()
    calls = Calls(launch, from_lisp=True)
    session = Session(calls, out)
    stopped = threading.Event()

    def read() -> None:
        try:
            session.run(sys.stdin.buffer)
        finally:
            stopped.set()

    process.when_parent_ends(stopped.set)
    threading.Thread(target=read, name="jsonrpc", daemon=True).start()
    stopped.wait()
    calls.close()
    return 0


def _fields(progress: Progress) -> dict[str, Any]:
    return {name: getattr(progress, name) for name in progress.__struct_fields__}
