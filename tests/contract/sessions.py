"""The faces that keep a session: EPC, JSON-RPC and MCP, each with a client of its own kind."""

from __future__ import annotations

import itertools
import json
import queue
import socket
import subprocess
import threading
from concurrent.futures import Future
from typing import Any

import anyio.from_thread
import sexpdata
from epc.client import EPCClient
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.contract.faces import PATIENCE_S, Face, Failed, until


def lisp_view(value: Any) -> Any:
    """Return VALUE as Lisp shows it: false, null and everything empty are one."""
    if value is False or value is None or value in ([], {}, ()):
        return None
    if isinstance(value, dict):
        return {name: lisp_view(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [lisp_view(part) for part in value]
    return value


def from_lisp(value: Any) -> Any:
    """Return what sexpdata read as JSON values; a plist is a dict."""
    if isinstance(value, list):
        if value and isinstance(value[0], sexpdata.Symbol):
            names = [str.__str__(name)[1:].replace("-", "_") for name in value[::2]]
            return dict(zip(names, map(from_lisp, value[1::2]), strict=True))
        return [from_lisp(part) for part in value] or None
    return value


class Epc(Face):
    """EPC with the library's own client."""

    name = "epc"
    has_nil = True

    def start(self) -> None:
        self.process = subprocess.Popen(
            self.command("epc"), env=self.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline())
        self.numbers = itertools.count(1)
        self.progress: queue.Queue[tuple[int, Any]] = queue.Queue()
        self.socket = socket.create_connection(("127.0.0.1", self.port))
        self.client = EPCClient(self.socket)
        self.client.register_function(lambda *told: self.progress.put(told) or True, "progress")
        self.hello = from_lisp(
            self.client.call_sync("hello", ["a token of the tests", "0.1.0"], timeout=PATIENCE_S)
        )

    def stop(self) -> None:
        self.socket.shutdown(socket.SHUT_RDWR)
        self.process.wait(PATIENCE_S)
        self.client.close()
        self.client.handler_thread.join(PATIENCE_S)
        self.socket.close()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()

    def begin(self, operation: str, arguments: dict[str, Any]) -> tuple[int, Future[Any]]:
        number = next(self.numbers)
        reply: Future[Any] = Future()
        # sexpdata names keys as they are, so they are written as in Emacs here.
        given = {name.replace("_", "-"): value for name, value in arguments.items()}
        self.client.call(
            "call",
            [number, operation, given, None],
            callback=reply.set_result,
            errback=reply.set_exception,
        )
        return number, reply

    def ended(self, reply: Future[Any]) -> Any:
        told = from_lisp(reply.result(PATIENCE_S))
        if "error" in told:
            raise Failed(**{name: text or "" for name, text in told["error"].items()})
        return told["ok"]

    def call(self, operation: str, **arguments: Any) -> Any:
        return self.ended(self.begin(operation, arguments)[1])

    def cancel(self, operation: str, **arguments: Any) -> str:
        number, reply = self.begin(operation, arguments)
        self.progress.get(timeout=PATIENCE_S)
        assert self.client.call_sync("cancel", [number], timeout=PATIENCE_S) is True
        try:
            self.ended(reply)
        except Failed as failure:
            return failure.kind
        return "not cancelled"

    def view(self, value: Any) -> Any:
        return lisp_view(value)


class JsonRpc(Face):
    """JSON-RPC with Content-Length headers, as jsonrpc.el sends it."""

    name = "jsonrpc"
    has_nil = True

    def start(self) -> None:
        self.process = subprocess.Popen(
            self.command("jsonrpc"), env=self.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.numbers = itertools.count(1)
        self.sending = threading.Lock()
        self.replies: dict[Any, Future[Any]] = {}
        self.progress: queue.Queue[dict[str, Any]] = queue.Queue()
        self.strays: queue.Queue[dict[str, Any]] = queue.Queue()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        self.hello = self.result(self.ask("initialize", {"client_version": "0.1.0"}))

    def stop(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        assert 0 == self.process.wait(PATIENCE_S)
        self.reader.join(PATIENCE_S)
        self.process.stdout.close()

    def read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while line := stream.readline():
            assert line.startswith(b"Content-Length: "), line
            assert b"\r\n" == stream.readline()
            body = stream.read(int(line.split(b":")[1]))
            assert b"\\u0000" not in body.replace(b"\\\\", b"")
            message = json.loads(body)
            if message.get("method") == "$/progress":
                self.progress.put(message["params"])
            elif message.get("id") in self.replies:
                self.replies.pop(message["id"]).set_result(message)
            else:
                self.strays.put(message)

    def send_raw(self, body: bytes) -> None:
        assert self.process.stdin is not None
        with self.sending:
            self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            self.process.stdin.flush()

    def send(self, **message: Any) -> None:
        self.send_raw(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def ask(self, method: str, params: Any, number: Any = None) -> Future[Any]:
        number = next(self.numbers) if number is None else number
        reply = self.replies[number] = Future()
        self.send(id=number, method=method, params=params)
        return reply

    def result(self, reply: Future[Any]) -> Any:
        message = reply.result(PATIENCE_S)
        if "error" in message:
            assert message["error"]["message"] == message["error"]["data"]["message"]
            raise Failed(**message["error"]["data"])
        return message["result"]

    def call(self, operation: str, **arguments: Any) -> Any:
        return self.result(self.ask(operation, arguments))

    def cancel(self, operation: str, **arguments: Any) -> str:
        reply = self.ask(operation, arguments, "to cancel")
        self.progress.get(timeout=PATIENCE_S)
        self.send(method="$/cancelRequest", params={"id": "to cancel"})
        try:
            self.result(reply)
        except Failed as failure:
            return failure.kind
        return "not cancelled"

    def view(self, value: Any) -> Any:
        """Return VALUE without NUL, which Emacs 28 refuses to read."""
        return json.loads(json.dumps(value).replace("\\u0000", "\\ufffd"))


class Mcp(Face):
    """MCP over stdio with the official client; its loop runs in a thread of its own."""

    name = "mcp"
    mode = "auto"

    def start(self) -> None:
        words = self.command("mcp")
        parameters = StdioServerParameters(command=words[0], args=words[1:], env=self.env)
        self.portal_context = anyio.from_thread.start_blocking_portal()
        self.portal = self.portal_context.__enter__()
        self.session = self.portal.wrap_async_context_manager(
            Client(stdio_client(parameters), mode=self.mode)
        )
        self.client = self.session.__enter__()

    def stop(self) -> None:
        self.session.__exit__(None, None, None)
        self.portal_context.__exit__(None, None, None)

    def call(self, operation: str, **arguments: Any) -> Any:
        name = "roam_" + operation.replace("-", "_")
        result = self.portal.call(self.client.call_tool, name, arguments)
        assert json.loads(result.content[0].text) == result.structured_content
        if result.is_error:
            raise Failed(**result.structured_content)
        return result.structured_content

    def cancel(self, operation: str, **arguments: Any) -> str:
        name = "roam_" + operation
        begun = threading.Event()

        async def tell(*_: Any) -> None:
            begun.set()

        task = self.portal.start_task_soon(self.call_telling, name, arguments, tell)
        assert begun.wait(PATIENCE_S)
        task.cancel()
        # The protocol forbids an answer to a cancelled request; the toy remembers.
        assert until(lambda: self.call("last-end")["text"] == "it was cancelled")
        return "cancelled"

    async def call_telling(self, name: str, arguments: dict[str, Any], tell: Any) -> None:
        await self.client.call_tool(name, arguments, progress_callback=tell)
