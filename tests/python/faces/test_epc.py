"""EPC against everything that is not our Emacs, and the end of the process."""

import signal
import socket
import struct
import subprocess
import sys

import pytest

from roam_semantic.faces import sexp
from tests.contract.faces import PATIENCE_S, TOY, environment

HELLO = '(call 1 hello ("a token of the tests" "0.1.0"))'


class Wire:
    """A raw connection to the server."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
        self.stream = self.socket.makefile("rb")

    def send(self, text: str) -> None:
        data = text.encode()
        self.socket.sendall(b"%06x%b" % (len(data), data))

    def read(self) -> str | None:
        """Return the next frame, None when the server has closed the connection."""
        try:
            head = self.stream.read(6)
        except ConnectionResetError:
            return None
        return self.stream.read(int(head, 16)).decode() if head else None

    def ask(self, text: str) -> str | None:
        self.send(text)
        return self.read()

    def close(self) -> None:
        self.stream.close()
        self.socket.close()


def start(home) -> subprocess.Popen[bytes]:
    """Start a server as Emacs does."""
    return subprocess.Popen(
        [sys.executable, "-m", TOY, "epc"],
        env=environment(home),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    """Yield the port of a server that one client keeps alive."""
    process = start(tmp_path_factory.mktemp("home"))
    keeper = Wire(int(process.stdout.readline()))
    keeper.ask(HELLO)
    yield int(keeper.socket.getpeername()[1])
    keeper.close()
    process.communicate(timeout=PATIENCE_S)


@pytest.fixture
def process(tmp_path):
    """Yield a server of the test's own."""
    process = start(tmp_path)
    yield process
    process.kill()
    process.communicate()


@pytest.fixture
def own(process):
    """Return a connection to that server that has said hello."""
    wire = Wire(int(process.stdout.readline()))
    wire.ask(HELLO)
    yield wire
    wire.close()


@pytest.fixture
def connect(port):
    """Yield a function that opens connections."""
    opened = []

    def one() -> Wire:
        opened.append(Wire(port))
        return opened[-1]

    yield one
    for wire in opened:
        wire.close()


@pytest.fixture
def emacs(connect):
    """Return a connection that has said hello."""
    wire = connect()
    assert wire.ask(HELLO).startswith('(return 1 (:version "')
    return wire


STRANGERS = {
    "another call first": b'000022(call 1 call (1 "echo" (:query "x")))',
    "methods first": b"00000b(methods 1)",
    "a wrong token": b'00001c(call 1 hello ("x" "0.1.0"))',
    "no token": b"000010(call 1 hello ())",
    "half a token": b'000022(call 1 hello ("a token of the " 1))',
    "http": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "no expression": b"000004((((",
    "no list": b"0000015",
    "nothing": b"000000",
    "a huge length": b"ffffff" + b"x" * 1000,
    "a negative length": b"-0000f(call 1 hello ())",
    "deep": b"%06x" % 200_000 + b"(" * 200_000,
    "noise": bytes(range(256)) * 4,
}


@pytest.mark.parametrize("kind", STRANGERS)
def test_a_stranger_is_shut_out_without_a_word(connect, emacs, kind):
    stranger = connect()
    stranger.socket.sendall(STRANGERS[kind])

    assert stranger.read() is None
    assert "(return 2 (:ok" in emacs.ask('(call 2 call (1 "echo" (:query "x") nil))')


def test_a_stranger_that_resets_the_connection_does_no_harm(connect, emacs):
    stranger = connect()
    stranger.socket.sendall(b"0000")
    stranger.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    stranger.close()

    assert "(return 2 (:ok" in emacs.ask('(call 2 call (1 "echo" (:query "x") nil))')


def test_many_silent_strangers_keep_nobody_out(connect, emacs):
    for _ in range(80):
        connect()

    assert "(return 2 (:ok" in emacs.ask('(call 2 call (1 "echo" (:query "x") nil))')


def test_hello_tells_the_version_and_the_operations(connect):
    told = sexp.loads(connect().ask(HELLO))

    assert ["return", 1] == told[:2]
    hello = sexp.plist(told[2])
    assert ["big", "count", "echo", "fail", "last-end", "odd"] == hello["operations"]


@pytest.mark.parametrize(
    ("frame", "answer"),
    [
        ("((((", '(epc-error nil "no such message'),
        ("5", '(epc-error nil "no such message'),
        ("(dance 3 x)", '(epc-error 3 "no such message: dance")'),
        ("(call 3 dance (1))", '(epc-error 3 "no such method'),
        ("(call 3 call (1))", '(epc-error 3 "no such method'),
        ("(call 3 call 5)", '(epc-error 3 "no such method'),
        ('(call 3 call (1 "dance" nil))', '(return 3 (:error (:kind "bad-request"'),
        ("(call 3 call (1 echo (1 2)))", '(return 3 (:error (:kind "bad-request"'),
        ("(call 3 call (1 echo (:query)))", '(return 3 (:error (:kind "bad-request"'),
        ('(call 3 call (1 echo (:query "x") soon))', '(return 3 (:error (:kind "bad-request"'),
        ("(call 3 call (nil nil nil))", '(return 3 (:error (:kind "bad-request"'),
        ("(call 3 cancel (77))", "(return 3 nil)"),
        ("(methods 3)", "(return 3 ((hello nil"),
        (HELLO, '(return 1 (:version "'),
    ],
)
def test_what_a_known_client_gets_wrong_is_told(emacs, frame, answer):
    assert emacs.ask(frame).startswith(answer)
    assert "(return 9 (:ok" in emacs.ask('(call 9 call (1 "echo" (:query "x") nil))')


def test_replies_and_errors_from_the_client_are_taken_in_silence(emacs):
    for message in ("(return 7 nil)", '(return-error 7 "x")', '(epc-error nil "x")'):
        emacs.send(message)

    assert "(return 9 (:ok" in emacs.ask('(call 9 call (1 "echo" (:query "x") nil))')


def test_an_answer_too_large_for_a_frame_is_an_error_that_says_so(emacs):
    answer = emacs.ask('(call 2 call (1 "big" (:size 9000000) nil))')

    assert ':kind "internal" :message "the answer is too large to send (9 MB)"' in answer
    assert ':hint "ask for less: a smaller k or max-chars"' in answer


def test_large_answers_at_once_do_not_mix(emacs):
    for number in range(6):
        emacs.send(f'(call {number} call ("{number}" "big" (:size 1000000) nil))')

    replies = sorted(emacs.read() for _ in range(6))
    expected = [f'(return {n} (:ok (:text "{"x" * 1_000_000}")))\n' for n in range(6)]
    assert expected == replies


def test_progress_comes_as_calls_before_the_answer(emacs):
    emacs.send('(call 2 call ("a" "count" (:steps 40) nil))')
    frames = []
    while not (frame := emacs.read()).startswith("(return"):
        frames.append(frame)

    assert len(frames) >= 2
    assert (
        ' progress ("a" (:done 0 :total 40 :phase "counting" :rate 0.0 :left-s nil)))' in frames[0]
    )
    assert ":done 40 :total 40" in frames[-1]


def test_a_deadline_ends_a_call(emacs):
    emacs.send('(call 2 call (1 "count" (:steps 10000) 0.05))')
    while (frame := emacs.read()).startswith("(call"):
        pass

    assert '(return 2 (:error (:kind "cancelled" :message "the request ran out of time"' in frame


def test_an_id_under_way_cannot_be_given_twice(emacs):
    emacs.send('(call 2 call (1 "count" (:steps 10000) nil))')
    emacs.read()
    emacs.send('(call 3 call (1 "echo" (:query "x") nil))')
    while (frame := emacs.read()).startswith("(call"):
        pass

    assert '(return 3 (:error (:kind "bad-request" :message "a request with the id 1' in frame


def test_a_vault_that_cannot_be_opened_is_told_by_each_call(tmp_path):
    env = environment(tmp_path, ROAM_DIR="/broken")
    process = subprocess.Popen(
        [sys.executable, "-m", TOY, "epc"], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    wire = Wire(int(process.stdout.readline()))
    wire.ask(HELLO)

    for number in (2, 3):
        answer = wire.ask(f'(call {number} call (1 "echo" (:query "x") nil))')
        assert ':kind "not-ready" :message "the vault is broken" :hint "mend it"' in answer
    wire.close()
    process.communicate(timeout=PATIENCE_S)


def test_the_last_client_ends_the_process(process, own):
    second = Wire(own.socket.getpeername()[1])
    second.ask(HELLO)
    own.close()
    assert "(return 2 (:ok" in second.ask('(call 2 call (1 "echo" (:query "x") nil))')

    second.close()

    assert 0 == process.wait(PATIENCE_S)


def test_a_stranger_that_leaves_does_not_end_the_process(own):
    for _ in range(3):
        stranger = Wire(own.socket.getpeername()[1])
        stranger.send("(methods 1)")
        assert stranger.read() is None
        stranger.close()

    assert "(return 2 (:ok" in own.ask('(call 2 call (1 "echo" (:query "x") nil))')


def test_the_end_of_stdin_ends_the_process(process, own):
    process.stdin.close()

    assert 0 == process.wait(PATIENCE_S)
    process.stdin = None


def test_a_long_call_does_not_outlive_its_client(process, own):
    own.send('(call 2 call (1 "count" (:steps 10000) nil))')
    own.read()
    own.close()

    assert 0 == process.wait(PATIENCE_S)


def test_a_parent_that_is_killed_takes_the_process_with_it(tmp_path):
    code = (
        "import subprocess, sys, time;"
        f"p = subprocess.Popen([sys.executable, '-m', '{TOY}', 'epc'],"
        " stdin=subprocess.DEVNULL, stdout=subprocess.PIPE);"
        "print(p.stdout.readline().decode().strip(), flush=True); time.sleep(600)"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code], env=environment(tmp_path), stdout=subprocess.PIPE
    )
    wire = Wire(int(parent.stdout.readline()))
    wire.ask(HELLO)

    parent.send_signal(signal.SIGKILL)

    assert wire.read() is None
    wire.close()
    parent.communicate()


def test_without_a_token_there_is_no_server(tmp_path):
    env = environment(tmp_path)
    del env["ROAM_SEMANTIC_TOKEN"]
    done = subprocess.run(
        [sys.executable, "-m", TOY, "epc"], env=env, capture_output=True, check=False
    )

    assert (4, b"") == (done.returncode, done.stdout)
    assert b"set ROAM_SEMANTIC_TOKEN" in done.stderr
