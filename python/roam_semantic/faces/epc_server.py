"""The EPC server: frames, the handshake, and calls that answer later.

    hello (TOKEN CLIENT-VERSION)              -> (:version V :operations (…))
    call (ID OPERATION ARGUMENTS DEADLINE-S)  -> (:ok ANSWER) or (:error (…))
    cancel (ID)                               -> t when ID was under way
    progress (ID (:done N :total N …))        from us to Emacs

Any local process can reach the port, so the first call must bring the token
that Emacs put into our environment; anything else is closed.  The `epc` library
alone has no such check, lets the frames of two threads interleave, and hangs on
a huge length; what is overridden here is there for that.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from hmac import compare_digest
from socketserver import ThreadingMixIn
from typing import Any, BinaryIO, cast

from epc.handler import EPCHandler
from epc.server import EPCServer

from roam_semantic import __version__
from roam_semantic.errors import BadRequest, Internal, RoamError
from roam_semantic.faces import sexp
from roam_semantic.faces.calls import Calls, Outcome
from roam_semantic.operations.legible import legible
from roam_semantic.operations.request import Progress, Request

LONGEST_FRAME = 8 * 1024 * 1024
HANDSHAKE_S = 10.0
MOST_CLIENTS = 64
METHODS = (
    '((hello nil "TOKEN VERSION") (call nil "ID OPERATION ARGUMENTS DEADLINE") (cancel nil "ID"))'
)


class Handler(EPCHandler):
    """One connection: frames in by its own thread, out by any thread under a lock."""

    # The library has no types; these are the ones socketserver gives.
    request: socket.socket
    rfile: BinaryIO
    wfile: BinaryIO

    def setup(self) -> None:
        """Start the clock of the handshake."""
        self.is_known = False
        self.home = cast("Server", cast("Any", self).server)
        self._sending = threading.Lock()
        self._clock = threading.Timer(HANDSHAKE_S, self._drop_stranger)
        self._clock.daemon = True
        self._clock.start()
        self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        super().setup()

    def handle(self) -> None:
        """Answer frames until the client leaves or breaks a rule."""
        with contextlib.suppress(OSError, ValueError):
            for frame in self._frames():
                self._answer(frame)

    def finish(self) -> None:
        """Take leave; what the client waited for is stopped."""
        self._clock.cancel()
        with contextlib.suppress(OSError):
            super().finish()

    def _frames(self) -> Iterator[str]:
        while head := self.rfile.read(6):
            length = int(head, 16)
            frame = self.rfile.read(length) if length <= LONGEST_FRAME else b""
            if len(frame) < length:
                raise ValueError("the frame is too long or cut")
            yield frame.decode("utf-8", "replace")

    def _answer(self, frame: str) -> None:
        try:
            message = _as_list(sexp.loads(frame))
        except sexp.BadExpression as error:
            message = [str(error)]
        name, uid, *rest = message if len(message) > 1 else [*message, None, None][:2]
        if name == "call" and len(rest) == 2:
            self._answer_call(uid, rest[0], _as_list(rest[1]))
        elif not self.is_known:
            raise ValueError("the first call must be hello")
        elif name == "methods":
            self.send(f"(return {sexp.dumps(uid)} {METHODS})")
        elif name not in ("return", "return-error", "epc-error"):
            self.refuse(uid, f"no such message: {name}")

    def _answer_call(self, uid: Any, method: Any, arguments: list[Any]) -> None:
        if not self.is_known:
            self._admit(method, arguments)
        calls = self.home.calls
        if method == "hello":
            operations = [operation.command for operation in calls.catalogue]
            self.reply(uid, sexp.dumps({"version": __version__, "operations": operations}))
        elif method == "call" and len(arguments) in (3, 4):
            self._start(uid, *arguments)
        elif method == "cancel" and len(arguments) == 1:
            self.reply(uid, sexp.dumps(calls.cancel((self, str(arguments[0])))))
        else:
            self.refuse(uid, f"no such method or wrong arguments: {method}")

    def _admit(self, method: Any, arguments: list[Any]) -> None:
        """Let the client in if it says hello with the token; raise ValueError if not."""
        given = str(arguments[0]) if arguments else ""
        if method != "hello" or not compare_digest(given.encode(), self.home.token.encode()):
            raise ValueError("the first call must be hello with the token")
        self._clock.cancel()
        self.is_known = True
        self.home.calls.warm()

    def _start(self, uid: Any, id: Any, name: Any, given: Any, deadline_s: Any = None) -> None:
        """Start an operation; its end will be the reply to UID."""
        try:
            arguments = sexp.plist(given)
            seconds = None if deadline_s is None else float(deadline_s)
        except (sexp.BadExpression, ValueError, TypeError) as error:
            self.reply(uid, _printed(Outcome(error=BadRequest(str(error)))))
            return

        def tell(progress: Progress) -> None:
            self.send(f"(call {self.home.next_id()} progress ({sexp.dumps([id, progress])[1:-1]}))")

        request = Request(
            id=str(id),
            deadline=None if seconds is None else time.monotonic() + seconds,
            on_progress=tell,
        )
        self.home.calls.start(
            (self, str(id)), str(name), arguments, request, lambda o: self.reply(uid, _printed(o))
        )

    def reply(self, uid: Any, printed: str) -> None:
        """Send the printed value as the answer to call UID."""
        self.send(f"(return {sexp.dumps(uid)} {printed})")

    def refuse(self, uid: Any, why: str) -> None:
        """Tell the client that its message UID is not EPC as we speak it."""
        self.send(f"(epc-error {sexp.dumps(uid)} {sexp.dumps(why)})")

    def send(self, text: str) -> None:
        """Send one frame; a client that is gone is no error."""
        data = legible(text).encode() + b"\n"
        with contextlib.suppress(OSError, ValueError), self._sending:
            self.wfile.write(b"%06x%b" % (len(data), data))

    def _drop_stranger(self) -> None:
        if not self.is_known:
            with contextlib.suppress(OSError):
                self.request.shutdown(socket.SHUT_RDWR)


class Server(ThreadingMixIn, EPCServer):
    """Listens on a socket that is bound already; a thread for each client."""

    daemon_threads = True
    block_on_close = False
    clients: list[Handler]

    def __init__(
        self, listening: socket.socket, token: str, calls: Calls, stop: Callable[[], None]
    ) -> None:
        start = cast("Callable[..., None]", EPCServer.__init__)  # pyright: ignore[reportUnknownMemberType]
        start(self, listening.getsockname(), Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listening
        self.token = token
        self.calls = calls
        self._stop = stop
        self._counter = 0
        self._counting = threading.Lock()

    def run(self) -> None:
        """Take clients until the process ends."""
        cast("Any", self).serve_forever()

    def verify_request(self, request: Any, client_address: Any) -> bool:
        """Refuse more clients than one Emacs will ever be."""
        return len(self.clients) < MOST_CLIENTS

    def next_id(self) -> int:
        """Return a number no call of ours had before."""
        with self._counting:
            self._counter += 1
            return self._counter

    def handle_client_disconnect(self, handler: Handler) -> None:
        """Stop what a lost client asked; end with the last one that was let in."""
        if handler.is_known:
            self.calls.cancel_all(lambda key: isinstance(key, tuple) and handler in key)
            if not any(client.is_known for client in self.clients):
                self._stop()


def _as_list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _printed(outcome: Outcome) -> str:
    """Return the reply for OUTCOME: (:ok …) or (:error …), never too long for a frame."""
    error: RoamError | None = outcome.error
    if error is None:
        printed = sexp.dumps(outcome.answer)
        # A character is up to four bytes; only a long text is worth counting.
        if len(printed) < LONGEST_FRAME // 4 or len(printed.encode()) < LONGEST_FRAME - 1024:
            return f"(:ok {printed})"
        size = len(printed) // 1_000_000
        error = Internal(
            f"the answer is too large to send ({size} MB)", "ask for less: a smaller k or max-chars"
        )
    return f"(:error {sexp.dumps(error.as_dict())})"
