"""In front of the MCP library: lines it would drop without an answer are answered here.

The library leaves a request without answer when the line is not JSON, holds a
lone surrogate, is nested deeply, or is no message it knows; the client then
waits for ever.  Here each such line gets one error, lone surrogates are mended,
and a line of any length costs a bounded amount of memory.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import AsyncIterator
from typing import Any, BinaryIO, cast

import anyio.to_thread
import mcp_types
from pydantic import ValidationError

from roam_semantic.faces import process, wire

LONGEST_LINE = 4 * 1024 * 1024
PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS = -32700, -32600, -32602
ID = rb'"id"\s*:\s*(-?\d{1,18}|"[^"\\]{0,200}")\s*'
ID_AT_START = re.compile(ID + b"[,}]")
ID_AT_END = re.compile(ID + rb'(?:,\s*"(?:jsonrpc|method)"\s*:\s*"[^"]*"\s*)*}\s*$')


class Refused(ValueError):
    """A line the library must not see.  id: whose answer the error is, if known."""

    def __init__(self, code: int, message: str, id: str | int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.id = id

    def answer(self) -> bytes:
        """Return the error as a line of JSON-RPC."""
        error = {"code": self.code, "message": str(self)}
        return wire.write_json({"jsonrpc": "2.0", "id": self.id, "error": error}) + b"\n"


def screen(line: bytes) -> str:
    """Return LINE as text the library will take; raise Refused with the answer."""
    try:
        message = wire.read_json(line)
    except wire.BadMessage as error:
        raise Refused(PARSE_ERROR, str(error), find_id(line)) from None
    if not isinstance(message, dict):
        raise Refused(INVALID_REQUEST, "a message must be one object; batches are not taken")
    fields = cast("dict[str, Any]", message)
    id = fields.get("id")
    has_id = isinstance(id, str | int) and not isinstance(id, bool)
    known = id if has_id else None
    if fields.get("jsonrpc") != "2.0":
        raise Refused(INVALID_REQUEST, 'a message must say "jsonrpc": "2.0"', known)
    if "id" in fields and not has_id and "error" not in fields:
        raise Refused(INVALID_REQUEST, "an id must be a text or a whole number")
    if "method" in fields and not isinstance(fields.get("params", {}), dict):
        raise Refused(INVALID_PARAMS, "params must be an object", known)
    text = json.dumps(fields, ensure_ascii=False)
    try:
        mcp_types.jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError:
        raise Refused(INVALID_REQUEST, "the message is no request we know", known) from None
    return text


def find_id(line: bytes) -> str | int | None:
    """Return the id of a message that cannot be read, as far as it shows.

    It stands before the parameters or at the very end, never inside them.
    """
    head = line[:4096].partition(b'"params"')[0]
    found = ID_AT_START.search(head) or ID_AT_END.search(line[-256:])
    return json.loads(found[1].decode("utf-8", "replace")) if found else None


class Lines:
    """The lines of a stream, in the form the library reads its stdin: bad ones answered."""

    def __init__(self, stream: BinaryIO, out: Output) -> None:
        self._stream = stream
        self._out = out

    async def __aiter__(self) -> AsyncIterator[str]:
        """Yield each line that is a message, until the stream ends."""
        while line := await anyio.to_thread.run_sync(self._read, abandon_on_cancel=True):
            if not line.strip():
                continue
            try:
                if len(line) >= LONGEST_LINE:
                    limit = f"the message is longer than {LONGEST_LINE} bytes"
                    raise Refused(INVALID_REQUEST, limit, find_id(line))
                yield screen(line)
            except Refused as refused:
                await self._out.write_line(refused.answer())

    def _read(self) -> bytes:
        """Return the next line; of one that is too long, its two ends."""
        line = self._stream.readline(LONGEST_LINE)
        if len(line) < LONGEST_LINE or line.endswith(b"\n"):
            return line
        tail = b""
        while part := self._stream.readline(LONGEST_LINE):
            tail = (tail + part)[-256:]
            if part.endswith(b"\n"):
                break
        return line + tail


class Output:
    """What the library takes for its stdout: whole lines, one at a time."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    async def write(self, text: str) -> None:
        """Write TEXT, which is a whole line."""
        await self.write_line(text.encode("utf-8", "replace"))

    async def flush(self) -> None:
        """Do nothing: each line is on its way already."""

    async def write_line(self, line: bytes) -> None:
        """Write LINE in a thread: a client that does not read must not stop the others."""
        await anyio.to_thread.run_sync(self._write, line)

    def _write(self, line: bytes) -> None:
        with self._lock:
            process.write_all(self._stream, line)
