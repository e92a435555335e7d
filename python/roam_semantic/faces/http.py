"""Loopback HTTP: every operation as one POST.

    GET  /health                  no token: {"status": "ok", "version": …}
    POST /search {query, …}       the answer of semantic-search
    POST /operations/NAME {…}     the answer of any operation

Any web page a person visits can send requests to this machine, so a request
must name us by a loopback name (`Host`), come from no page (`Origin`), be JSON,
and bring the token that only this user can read from a file.
"""

from __future__ import annotations

import ipaddress
import os
import secrets
import socket
import sys
import threading

from roam_semantic.errors import BadRequest, Unavailable
from roam_semantic.faces import process
from roam_semantic.faces.calls import Calls, Launch

TOKEN_NAME = "http-token"


def serve(launch: Launch) -> int:
    """Serve until our parent is gone or Ctrl-C is pressed."""
    told = launch.settings()
    listening = bind(told.host, told.port)
    path, token = read_token(told.state)
    address = _shown(listening)
    print(f"roam-semantic listens on http://{address}; its token is in {path}", file=sys.stderr)
    sys.stdout.write(f"http://{address}\n")
    sys.stdout.flush()

    from roam_semantic.faces.http_server import Server

    stopped = threading.Event()
    calls = Calls(launch)
    calls.warm()
    server = Server(listening, token, calls)
    process.when_parent_ends(stopped.set)
    threading.Thread(target=server.run, name="http", daemon=True).start()
    stopped.wait()
    calls.close()
    return 0


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that listens on the loopback literal HOST; refuse any other address."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    if not is_loopback(host):
        raise BadRequest(
            f"host must be a loopback address, got {host}",
            "use 127.0.0.1 or ::1; nothing here is meant for a network",
        )
    try:
        return socket.create_server((host, port), family=family, backlog=128)
    except OSError as error:
        raise Unavailable(
            f"port {port} of {host} cannot be used: {error.strerror}",
            "set ROAM_SEARCH_PORT to another one, or to 0 for any",
        ) from error


def is_loopback(host: str) -> bool:
    """Whether HOST is written as a loopback address; a name never is."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback and str(address) == host


def read_token(state: str) -> tuple[str, str]:
    """Return the file of the token and the token, made at first use; only the user reads it."""
    path = os.path.join(state, TOKEN_NAME)
    try:
        os.makedirs(state, mode=0o700, exist_ok=True)
        token = _read_private(path)
        if token is None:
            token = secrets.token_urlsafe(32)
            _write_private(path, token)
    except OSError as error:
        raise Unavailable(
            f"the token file {path} cannot be used: {error.strerror}",
            "set XDG_STATE_HOME to a folder you may write to",
        ) from error
    return path, token


def _read_private(path: str) -> str | None:
    """Return the token in PATH; None when there is none that nobody else could know."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    with os.fdopen(descriptor, encoding="ascii", errors="replace") as file:
        state = os.fstat(descriptor)
        token = file.read(200).strip()
    is_private = state.st_uid == os.getuid() and not state.st_mode & 0o077
    return token if is_private and len(token) >= 32 else None


def _write_private(path: str, token: str) -> None:
    new = f"{path}.{os.getpid()}"
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(token + "\n")
    os.replace(new, path)


def _shown(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
