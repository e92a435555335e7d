"""The HTTP server: who may ask, what they ask, and one JSON answer each."""

from __future__ import annotations

import contextlib
import select
import socket
import sys
import threading
import time
from hmac import compare_digest
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from socketserver import TCPServer, ThreadingMixIn
from typing import Any, cast

from roam_semantic import __version__
from roam_semantic.errors import BadRequest, RoamError, Unavailable
from roam_semantic.faces import wire
from roam_semantic.faces.calls import Calls, Outcome
from roam_semantic.operations.request import Request

LONGEST_BODY = 256 * 1024
READING_S = 5.0
PATIENCE_S = 20.0
# A waiting connection costs a sleeping thread; what runs at once is bounded in `calls`.
MOST_CONNECTIONS = 512
NAMES = ("127.0.0.1", "localhost", "[::1]")
STATUS = {
    "bad-request": HTTPStatus.BAD_REQUEST,
    "not-found": HTTPStatus.NOT_FOUND,
    "not-ready": HTTPStatus.CONFLICT,
    "unavailable": HTTPStatus.SERVICE_UNAVAILABLE,
    "cancelled": HTTPStatus.SERVICE_UNAVAILABLE,
    "internal": HTTPStatus.INTERNAL_SERVER_ERROR,
}


class Refused(Exception):
    """A request that is answered without looking further."""

    def __init__(self, status: HTTPStatus, message: str, hint: str = "", **headers: str) -> None:
        super().__init__(message)
        self.status = status
        self.error = BadRequest(message, hint)
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    timeout = READING_S
    disable_nagle_algorithm = True

    @property
    def home(self) -> Server:
        """The server it belongs to."""
        return cast("Server", self.server)

    def handle_one_request(self) -> None:
        """Read one request within the time a request may take, and answer it."""
        self.home.reading[self.connection] = time.monotonic()
        try:
            super().handle_one_request()
        except OSError:
            self.close_connection = True
        finally:
            self.home.reading.pop(self.connection, None)

    def do_GET(self) -> None:
        """Answer GET."""
        self._answer()

    def do_POST(self) -> None:
        """Answer POST."""
        self._answer()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer what the library refuses (a bad line, too many headers) as JSON too."""
        status = HTTPStatus.METHOD_NOT_ALLOWED if code == 501 else HTTPStatus(code)
        allow = {"Allow": "GET, POST"} if code == 501 else {}
        self._send(status, BadRequest(status.phrase.lower()), **allow)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep no log: a query is nobody's business."""

    def _answer(self) -> None:
        try:
            self._check_sender()
            path = self.path.partition("?")[0]
            if path == "/health":
                self._check_method("GET")
                self._send(HTTPStatus.OK, {"status": "ok", "version": __version__})
                return
            self._check_token()
            name = self._operation(path)
            self._check_method("POST")
            given = self._read_body()
        except Refused as refused:
            self._send(refused.status, refused.error, **refused.headers)
            return
        self.home.reading.pop(self.connection, None)
        outcome = self._run(name, given)
        if outcome is None:
            self.close_connection = True
        elif outcome.error is None:
            self._send(HTTPStatus.OK, outcome.answer)
        else:
            self._send(STATUS[outcome.error.kind], outcome.error)

    def _check_sender(self) -> None:
        """Refuse what a web page could send: a foreign name for us, or an origin."""
        hosts = self.headers.get_all("Host") or []
        port = self.home.server_address[1]
        if len(hosts) != 1 or hosts[0].lower() not in {f"{name}:{port}" for name in NAMES}:
            raise Refused(
                HTTPStatus.MISDIRECTED_REQUEST, "the Host header must name this loopback address"
            )
        if not self.path.startswith("/"):
            raise Refused(HTTPStatus.MISDIRECTED_REQUEST, "the target must be a path")
        site = self.headers.get("Sec-Fetch-Site", "none")
        if "Origin" in self.headers or site not in ("none", "same-origin"):
            raise Refused(HTTPStatus.FORBIDDEN, "web pages may not ask here")

    def _check_token(self) -> None:
        given = self.headers.get("Authorization", "")
        expected = f"Bearer {self.home.token}"
        if not compare_digest(given.encode("utf-8", "replace"), expected.encode()):
            raise Refused(
                HTTPStatus.UNAUTHORIZED,
                "the token is missing or wrong",
                "send `Authorization: Bearer` and the text of the file that the start names",
                WWW_Authenticate="Bearer",
            )

    def _check_method(self, method: str) -> None:
        if self.command != method:
            raise Refused(
                HTTPStatus.METHOD_NOT_ALLOWED, f"{self.path} takes {method}", Allow=method
            )

    def _operation(self, path: str) -> str:
        """Return the name of the operation PATH stands for."""
        name = "semantic_search" if path == "/search" else path.removeprefix("/operations/")
        if (path != "/search" and name == path) or self.home.calls.catalogue.find(name) is None:
            known = ", ".join(operation.command for operation in self.home.calls.catalogue)
            raise Refused(
                HTTPStatus.NOT_FOUND, f"there is no path {path[:80]}", f"/operations/ has {known}"
            )
        return name

    def _read_body(self) -> dict[str, Any]:
        if self.headers.get_content_type() != "application/json":
            raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "the body must be application/json")
        lengths = self.headers.get_all("Content-Length") or []
        if not lengths or "Transfer-Encoding" in self.headers:
            raise Refused(HTTPStatus.LENGTH_REQUIRED, "the request must say its Content-Length")
        text = lengths[0].strip()
        if len(lengths) > 1 or not text.isdecimal() or int(text[:9]) > LONGEST_BODY:
            raise Refused(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"the body must be at most {LONGEST_BODY} bytes",
            )
        body = self.rfile.read(int(text))
        if len(body) < int(text):
            raise Refused(HTTPStatus.BAD_REQUEST, "the body is shorter than its Content-Length")
        try:
            given = wire.read_json(body, strict=True)
        except wire.BadMessage as error:
            raise Refused(HTTPStatus.BAD_REQUEST, str(error)) from None
        if not isinstance(given, dict):
            raise Refused(HTTPStatus.BAD_REQUEST, "the body must be one object of arguments")
        return cast("dict[str, Any]", given)

    def _run(self, name: str, given: dict[str, Any]) -> Outcome | None:
        """Return how the operation ended, None when the client has gone meanwhile."""
        ended = threading.Event()
        outcomes: list[Outcome] = []
        request = Request(id=f"{self.client_address[1]}", patience_s=PATIENCE_S)

        def end(outcome: Outcome) -> None:
            outcomes.append(outcome)
            ended.set()

        self.home.calls.start((self, time.monotonic()), name, given, request, end)
        while not ended.wait(0.2):
            if self._is_gone():
                request.cancel()
                return None
        return outcomes[0]

    def _is_gone(self) -> bool:
        poll = select.poll()
        poll.register(self.connection, select.POLLIN)
        if not poll.poll(0):
            return False
        try:
            return self.connection.recv(1, socket.MSG_PEEK) == b""
        except OSError:
            return True

    def _send(self, status: HTTPStatus, answer: Any, **headers: str) -> None:
        """Send the whole response in one write: two small ones cost 40 ms each."""
        if isinstance(answer, RoamError):
            answer = {"error": answer.as_dict()}
            if status == HTTPStatus.SERVICE_UNAVAILABLE:
                headers["Retry-After"] = "1"
        if status >= HTTPStatus.BAD_REQUEST:
            # What is left of a refused request must not be read as the next one.
            self.close_connection = True
        body = wire.write_json(answer)
        lines = [
            f"HTTP/1.1 {status.value} {status.phrase}",
            "Content-Type: application/json",
            f"Content-Length: {len(body)}",
            "Cache-Control: no-store",
            "X-Content-Type-Options: nosniff",
            f"Connection: {'close' if self.close_connection else 'keep-alive'}",
            *(f"{name}: {value}" for name, value in headers.items()),
        ]
        self.wfile.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)


class Server(ThreadingMixIn, TCPServer):
    """A thread for each connection, on a socket that is bound already."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, listening: socket.socket, token: str, calls: Calls) -> None:
        TCPServer.__init__(self, ("127.0.0.1", 0), Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listening
        self.server_address = listening.getsockname()
        self.token = token
        self.calls = calls
        self.reading: dict[socket.socket, float] = {}
        self._open = threading.Semaphore(MOST_CONNECTIONS)

    def run(self) -> None:
        """Take connections until the process ends."""
        threading.Thread(target=self._sweep, name="sweeper", daemon=True).start()
        self.serve_forever()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Give the connection a thread, or turn it away when there are too many."""
        if self._open.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            with contextlib.suppress(OSError):
                request.sendall(BUSY)
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve one connection and give its place back."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._open.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Record a fault of ours; a client that resets its connection is none."""
        error = sys.exception()
        if error is not None and not isinstance(error, OSError):
            self.calls.fault(error)

    def _sweep(self) -> None:
        """Close connections that take too long to say what they want."""
        while True:
            time.sleep(READING_S / 5)
            latest = time.monotonic() - READING_S
            for connection, since in list(self.reading.items()):
                if since < latest:
                    with contextlib.suppress(OSError):
                        connection.shutdown(socket.SHUT_RDWR)


def _busy() -> bytes:
    error = Unavailable("too many connections are open", "try again in a second")
    body = wire.write_json({"error": error.as_dict()})
    head = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\nRetry-After: 1\r\n".encode() + (
        b"Connection: close\r\n\r\n" + body
    )


BUSY = _busy()
