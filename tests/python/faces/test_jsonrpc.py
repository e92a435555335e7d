"""JSON-RPC against messages that are none, and the end of the process."""

import subprocess
import sys

import pytest

from tests.contract.faces import PATIENCE_S, TOY, environment
from tests.contract.sessions import JsonRpc


@pytest.fixture(scope="module")
def emacs(tmp_path_factory):
    """Yield a session that the tests share."""
    face = JsonRpc(TOY, environment(tmp_path_factory.mktemp("home")))
    yield face
    face.stop()


@pytest.fixture
def own(tmp_path):
    """Yield a session that the test ends."""
    face = JsonRpc(TOY, environment(tmp_path))
    yield face
    face.process.stdin.close()
    assert 0 == face.process.wait(PATIENCE_S)
    face.reader.join(PATIENCE_S)
    face.process.stdout.close()


def stray(emacs):
    return emacs.strays.get(timeout=PATIENCE_S)


def test_hello_tells_the_version_and_the_operations(emacs):
    assert ["big", "count", "echo", "fail", "last-end", "odd"] == emacs.hello["operations"]


WRONG = {
    "no json": (b"{bad", -32700, None),
    "nothing": (b"", -32700, None),
    "deep": (b"[" * 200_000, -32700, None),
    "a constant": (b'{"jsonrpc":"2.0","id":1,"method":"echo","params":{"k":NaN}}', -32700, None),
    "a batch": (b"[]", -32600, None),
    "a number": (b"5", -32600, None),
    "an odd id": (b'{"jsonrpc":"2.0","id":{},"method":"echo"}', -32600, None),
    "a true id": (b'{"jsonrpc":"2.0","id":true,"method":"echo"}', -32600, None),
    "no method": (b'{"jsonrpc":"2.0","id":7}', -32600, 7),
    "an odd method": (b'{"jsonrpc":"2.0","id":7,"method":5}', -32600, 7),
    "odd params": (b'{"jsonrpc":"2.0","id":7,"method":"echo","params":[1]}', -32602, 7),
    "no such method": (b'{"jsonrpc":"2.0","id":7,"method":"dance"}', -32601, 7),
    "no such text": (b"\xff\xfe", -32700, None),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_message_that_is_none_gets_one_error(emacs, kind):
    body, code, number = WRONG[kind]
    emacs.send_raw(body)

    told = stray(emacs)

    assert (code, number) == (told["error"]["code"], told["id"])
    assert "bad-request" == told["error"]["data"]["kind"]
    assert "x" == emacs.call("echo", query="x")["query"]
    assert emacs.strays.empty()


def test_a_message_too_long_is_skipped(emacs):
    emacs.send_raw(b"x" * (9 * 1024 * 1024))

    assert "longer than" in stray(emacs)["error"]["message"]
    assert "x" == emacs.call("echo", query="x")["query"]


def test_answers_and_notifications_from_the_client_get_none(emacs):
    emacs.send(id=99, result=5)
    emacs.send(id=99, error={"code": 1, "message": "x"})
    emacs.send(method="dance", params={})
    emacs.send(method="$/cancelRequest", params={"id": 4711})
    emacs.send(method="$/cancelRequest", params={"id": []})

    assert "x" == emacs.call("echo", query="x")["query"]
    assert emacs.strays.empty()


def test_progress_is_told_under_the_id_of_the_request(emacs):
    assert "counted to 40" == emacs.call("count", steps=40)["text"]

    first = emacs.progress.get(timeout=PATIENCE_S)
    assert {"id", "done", "total", "phase", "rate", "left_s"} == set(first)
    assert (0, 40, "counting") == (first["done"], first["total"], first["phase"])


HEADS = {
    "a stray line": b"hello\r\n\r\n",
    "no number": b"Content-Length: many\r\n\r\n",
    "a negative number": b"Content-Length: -5\r\n\r\n",
    "an endless line": b"x" * 10_000,
}


@pytest.mark.parametrize("kind", HEADS)
def test_a_stream_out_of_step_is_told_and_left(own, kind):
    own.process.stdin.write(HEADS[kind])
    own.process.stdin.flush()

    assert -32700 == stray(own)["error"]["code"]
    assert 0 == own.process.wait(PATIENCE_S)


def test_other_headers_and_any_case_are_taken(emacs):
    reply = emacs.replies["a"] = type(emacs.ask("echo", {"query": "x"}))()
    body = b'{"jsonrpc":"2.0","id":"a","method":"echo","params":{"query":"y"}}'
    head = b"Content-Type: application/vscode-jsonrpc\r\ncontent-length:%d\r\n\r\n" % len(body)
    emacs.process.stdin.write(head + body)
    emacs.process.stdin.flush()

    assert "y" == emacs.result(reply)["query"]


@pytest.mark.parametrize("sent", [b"", b"Content-Le", b"Content-Length: 50\r\n\r\n{", b"\r\n"])
def test_the_end_of_stdin_ends_the_process(tmp_path, sent):
    done = subprocess.run(
        [sys.executable, "-m", TOY, "jsonrpc"],
        env=environment(tmp_path),
        input=sent,
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )

    assert 0 == done.returncode
    assert b"Traceback" not in done.stderr


def test_a_long_call_does_not_outlive_its_client(own):
    own.ask("count", {"steps": 10_000})
    own.progress.get(timeout=PATIENCE_S)

    own.process.stdin.close()

    assert 0 == own.process.wait(PATIENCE_S)
