"""HTTP: who may ask, what is refused, and that one bad client harms no other."""

import json
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from roam_semantic.errors import BadRequest, Unavailable
from roam_semantic.faces import http as face
from tests.contract.faces import PATIENCE_S, TOY, Cli, Http, environment


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    running = Http(TOY, environment(tmp_path_factory.mktemp("home")))
    yield running
    running.stop()


class Answer:
    """A response: its status, headers in lower case, and body."""

    def __init__(self, raw: bytes) -> None:
        head, _, self.body = raw.partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        self.status = int(first.split()[1])
        pairs = (line.split(": ", 1) for line in lines)
        self.headers = {name.lower(): value for name, value in pairs}

    def error(self):
        return json.loads(self.body)["error"]


def exchange(server, raw: bytes) -> Answer:
    """Send RAW on a connection of its own; return the first response."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S) as wire:
        wire.sendall(raw)
        received = b""
        while b"\r\n\r\n" not in received and (part := wire.recv(65536)):
            received += part
        length = int(received.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
        while len(received.partition(b"\r\n\r\n")[2]) < length:
            received += wire.recv(65536)
        return Answer(received)


def request(server, method="POST", path="/operations/echo", body=b'{"query":"x"}', **headers):
    """Return the response to a request that is right but for what is given."""
    sent = {
        "Host": f"127.0.0.1:{server.port}",
        "Authorization": f"Bearer {server.token}",
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
    }
    sent.update((name.replace("_", "-"), value) for name, value in headers.items())
    lines = [f"{method} {path} HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in sent.items() if value is not None]
    return exchange(server, "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body)


def test_a_right_request_is_answered(server):
    answer = request(server)

    assert (200, "x") == (answer.status, json.loads(answer.body)["query"])
    assert "application/json" == answer.headers["content-type"]


def test_health_needs_no_token(server):
    answer = request(server, "GET", "/health", b"", Authorization=None, Content_Type=None)

    assert (200, "ok") == (answer.status, json.loads(answer.body)["status"])


@pytest.mark.parametrize("name", ["localhost", "LOCALHOST", "127.0.0.1", "[::1]"])
def test_every_name_of_this_machine_is_ours(server, name):
    assert 200 == request(server, Host=f"{name}:{server.port}").status


REFUSED = {
    "a foreign host": (421, {"Host": "evil.example"}),
    "a foreign host on our port": (421, {"Host": "evil.example:{port}"}),
    "a host that ends like ours": (421, {"Host": "evil.localhost:{port}"}),
    "our host on another port": (421, {"Host": "127.0.0.1:1"}),
    "no port": (421, {"Host": "127.0.0.1"}),
    "no host": (421, {"Host": None}),
    "two hosts": (421, {"Host": "127.0.0.1:{port}\r\nHost: 127.0.0.1:{port}"}),
    "an origin": (403, {"Origin": "http://evil.example"}),
    "no page's origin": (403, {"Origin": "null"}),
    "our own origin": (403, {"Origin": "http://127.0.0.1:{port}"}),
    "another site": (403, {"Sec_Fetch_Site": "cross-site"}),
    "the same site": (403, {"Sec_Fetch_Site": "same-site"}),
    "no token": (401, {"Authorization": None}),
    "a wrong token": (401, {"Authorization": "Bearer x"}),
    "another scheme": (401, {"Authorization": "Basic x"}),
    "an odd token": (401, {"Authorization": "Bearer \xe9"}),
    "a form": (415, {"Content_Type": "text/plain"}),
    "a form of a page": (415, {"Content_Type": "application/x-www-form-urlencoded"}),
    "no type": (415, {"Content_Type": None}),
    "no length": (411, {"Content_Length": None}),
    "chunks": (411, {"Transfer_Encoding": "chunked"}),
    "a negative length": (413, {"Content_Length": "-1"}),
    "a huge length": (413, {"Content_Length": "99999999999999999999"}),
    "a length too much": (413, {"Content_Length": "262145"}),
    "an odd length": (413, {"Content_Length": "0x5"}),
    "two lengths": (413, {"Content_Length": "13\r\nContent-Length: 14"}),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_request_that_may_not_be_is_refused(server, kind):
    status, headers = REFUSED[kind]
    given = {
        name: value and value.replace("{port}", str(server.port)) for name, value in headers.items()
    }

    answer = request(server, **given)

    assert (status, "bad-request") == (answer.status, answer.error()["kind"])
    assert "close" == answer.headers["connection"]
    assert not any(name.startswith("access-control") for name in answer.headers)


@pytest.mark.parametrize("method", ["OPTIONS", "PUT", "DELETE", "HEAD", "TRACE", "CONNECT"])
def test_no_other_method_is_taken(server, method):
    answer = request(server, method)

    assert (405, "GET, POST") == (answer.status, answer.headers["allow"])


def test_each_path_has_its_method(server):
    assert 405 == request(server, "GET").status
    assert 405 == request(server, "POST", "/health").status


@pytest.mark.parametrize(
    "path", ["/", "/echo", "/operations", "/operations/", "/operations/dance", "/../etc/passwd"]
)
def test_a_path_that_is_not_there_is_told(server, path):
    answer = request(server, path=path)

    assert 404 == answer.status
    assert path[:80] in answer.error()["message"]


def test_a_path_of_another_machine_is_refused(server):
    assert 421 == request(server, path="http://evil.example/operations/echo").status


def test_both_spellings_of_an_operation_are_paths(server):
    assert 200 == request(server, path="/operations/last-end", body=b"{}").status
    assert 200 == request(server, path="/operations/last_end", body=b"{}").status


BODIES = {
    "no json": b"{",
    "a constant": b'{"query": NaN}',
    "deep": b"[" * 100_000,
    "no text": b'{"query": "\xff"}',
    "a list": b"[]",
    "a text": b'"x"',
    "nothing": b"",
    "two": b'{"query":"x"}{"query":"x"}',
}


@pytest.mark.parametrize("kind", BODIES)
def test_a_body_that_is_no_object_is_refused(server, kind):
    answer = request(server, body=BODIES[kind])

    assert (400, "bad-request") == (answer.status, answer.error()["kind"])


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("bad-request", 400),
        ("not-found", 404),
        ("not-ready", 409),
        ("unavailable", 503),
        ("cancelled", 503),
        ("internal", 500),
        ("fault", 500),
    ],
)
def test_the_status_tells_the_kind_of_failure(server, kind, status):
    answer = request(server, path="/operations/fail", body=json.dumps({"kind": kind}).encode())

    assert status == answer.status
    assert ("1" if status == 503 else None) == answer.headers.get("retry-after")


RAW = {
    "noise": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
    "no version": (b"GET /health HTTP/x.y\r\n\r\n", 400),
    "another version": (b"GET /health HTTP/3.0\r\n\r\n", 505),
    "an old version": (b"GET /health\r\n\r\n", 421),
    "a long target": (b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n", 414),
    "a long header": (b"GET / HTTP/1.1\r\nX: " + b"x" * 70_000 + b"\r\n\r\n", 431),
    "many headers": (b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 200 + b"\r\n", 431),
}


@pytest.mark.parametrize("kind", RAW)
def test_what_is_no_request_is_refused_as_json(server, kind):
    raw, status = RAW[kind]

    answer = exchange(server, raw)

    assert (status, "bad-request") == (answer.status, answer.error()["kind"])
    assert b"<" not in answer.body


def test_a_connection_serves_one_request_after_the_other(server):
    connection = server.connect()
    for number in range(3):
        server.post(connection, "/operations/echo", b'{"query":"%d"}' % number)
        response = connection.getresponse()
        assert str(number) == json.loads(response.read())["query"]
    connection.close()


def test_the_body_of_a_refused_request_is_not_the_next_request(server):
    smuggled = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % server.port
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S) as wire:
        wire.sendall(
            b"POST /search HTTP/1.1\r\nHost: evil\r\nContent-Length: %d\r\n\r\n" % len(smuggled)
            + smuggled
        )
        received = b""
        while part := receive(wire):
            received += part

    assert 1 == received.count(b"HTTP/1.1 ")


def receive(wire: socket.socket) -> bytes:
    try:
        return wire.recv(65536)
    except ConnectionResetError:
        return b""


def test_hundreds_of_silent_connections_keep_nobody_out_and_are_closed(server):
    silent = [
        socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S) for _ in range(300)
    ]
    for wire in silent:
        wire.sendall(b"POST /search HT")

    assert 200 == request(server).status
    for wire in silent:
        assert b"" == receive(wire)
        wire.close()


def test_a_body_that_never_comes_is_not_waited_for(server):
    head = (
        f"POST /operations/echo HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
        f"Authorization: Bearer {server.token}\r\nContent-Type: application/json\r\n"
        "Content-Length: 100\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S) as wire:
        wire.sendall(head.encode() + b"{")

        assert b"" == receive(wire)


def test_a_client_that_resets_its_connection_does_no_harm(server):
    for _ in range(20):
        wire = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S)
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        wire.sendall(b"POST /search HTTP/1.1\r\n")
        wire.close()

    assert 200 == request(server).status


def test_the_token_is_only_the_users(server, tmp_path):
    token = Path(server.env["HOME"]) / ".local/state/roam-semantic/http-token"

    assert 0o600 == stat.S_IMODE(token.stat().st_mode)
    assert 0o700 == stat.S_IMODE(token.parent.stat().st_mode)
    assert len(server.token) >= 40


def test_the_token_is_kept(tmp_path):
    assert face.read_token(str(tmp_path / "new")) == face.read_token(str(tmp_path / "new"))


@pytest.mark.parametrize("spoil", ["short", "open to all", "linked"])
def test_a_token_others_could_know_is_made_anew(tmp_path, spoil):
    path, token = face.read_token(str(tmp_path))
    if spoil == "short":
        Path(path).write_text("short")
    elif spoil == "open to all":
        Path(path).chmod(0o644)
    else:
        Path(path).rename(tmp_path / "elsewhere")
        Path(path).symlink_to(tmp_path / "elsewhere")
        with pytest.raises(Unavailable, match="cannot be used"):
            face.read_token(str(tmp_path))
        return

    assert token != face.read_token(str(tmp_path))[1]
    assert 0o600 == stat.S_IMODE(Path(path).stat().st_mode)


@pytest.mark.parametrize(
    "host",
    [
        "0.0.0.0", "::", "192.168.1.1", "localhost", "127.1", "0x7f000001", "2130706433",
        "evil.example", "", "127.0.0.1 ", "::ffff:127.0.0.1", "１２７.0.0.1",
    ],
)  # fmt: skip
def test_only_a_loopback_literal_can_be_listened_on(host):
    with pytest.raises(BadRequest, match="host must be a loopback address"):
        face.bind(host, 0)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2"])
def test_a_loopback_literal_can_be_listened_on(host):
    with face.bind(host, 0) as listening:
        assert host == listening.getsockname()[0]


def test_a_port_in_use_is_told(server, tmp_path):
    done = Cli(TOY, environment(tmp_path)).run("http", "--port", str(server.port))

    assert 5 == done.returncode
    assert f"port {server.port} of 127.0.0.1 cannot be used".encode() in done.stderr
    assert b"ROAM_SEARCH_PORT" in done.stderr


def test_the_token_itself_is_never_printed(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", TOY, "http"],
        env=environment(tmp_path),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert process.stdout is not None
    said = process.stdout.readline() + process.stdout.readline()
    process.terminate()
    said += process.communicate()[0]

    token = (tmp_path / ".local/state/roam-semantic/http-token").read_bytes().strip()
    assert token not in said
    assert b"http-token" in said
