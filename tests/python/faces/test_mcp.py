"""MCP: what a client sees, a hundred hostile messages, and that stdout is only protocol."""

import json
import queue
import subprocess
import sys
import threading

import pytest

from roam_semantic.faces import mcp_server
from roam_semantic.faces.mcp_wire import LONGEST_LINE, Refused, find_id, screen
from tests.contract.faces import PATIENCE_S, TOY, environment
from tests.contract.sessions import Mcp

TOOLS = ["roam_big", "roam_count", "roam_echo", "roam_fail", "roam_last_end", "roam_odd"]


class Wire:
    """The raw lines of a server."""

    def __init__(self, home, module=TOY, folder=None, **settings: str) -> None:
        self.process = self.start(home, module, folder, settings)
        self.lines: queue.Queue[dict] = queue.Queue()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def start(self, home, module, folder, settings) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", module, "mcp"],
            env=environment(home, **settings),
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            message = json.loads(line)
            assert "2.0" == message["jsonrpc"]
            self.lines.put(message)

    def send_raw(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def send(self, **message) -> None:
        self.send_raw(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def next(self) -> dict:
        return self.lines.get(timeout=PATIENCE_S)

    def initialize(self) -> dict:
        about = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "0"},
        }
        self.send(id="hello", method="initialize", params=about)
        self.send(method="notifications/initialized")
        return self.next()

    def call(self, number, tool: str, arguments) -> None:
        self.send(id=number, method="tools/call", params={"name": tool, "arguments": arguments})

    def ping(self, number) -> None:
        self.send(id=number, method="ping")

    def end(self) -> int:
        """Close stdin; return the exit code."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        code = self.process.wait(PATIENCE_S)
        self.reader.join(PATIENCE_S)
        self.process.stdout.close()
        return code


@pytest.fixture(scope="module")
def wire(tmp_path_factory):
    started = Wire(tmp_path_factory.mktemp("home"))
    started.initialize()
    yield started
    assert 0 == started.end()


@pytest.fixture(scope="module", params=["auto", "legacy"])
def client(request, tmp_path_factory):
    """Yield the official client, in the protocol of 2026 and in the one before."""
    kind = type("Era", (Mcp,), {"mode": request.param})
    face = kind(TOY, environment(tmp_path_factory.mktemp("home")))
    yield face
    face.stop()


def listed(client):
    return client.portal.call(client.client.list_tools).tools


def test_every_operation_is_a_tool(client):
    assert TOOLS == [tool.name for tool in listed(client)]


def test_every_parameter_is_described(client):
    for tool in listed(client):
        for part in tool.input_schema["properties"].values():
            assert part["description"]


def test_every_tool_tells_what_it_answers_and_what_it_may_do(client):
    tools = {tool.name: tool for tool in listed(client)}
    echo, count = tools["roam_echo"].annotations, tools["roam_count"].annotations

    assert {"type": "object", "required": ["text"]} == tools["roam_big"].output_schema
    assert (True, True) == (echo.read_only_hint, echo.idempotent_hint)
    assert (False, True) == (count.read_only_hint, count.idempotent_hint)
    for tool in tools.values():
        assert tool.annotations.destructive_hint is False
        assert tool.annotations.open_world_hint is False


def test_the_list_of_the_real_tools_is_small_and_wholly_described():
    from roam_semantic.app import CATALOGUE

    sizes = {}
    for operation in CATALOGUE:
        tool = mcp_server.tool(operation)
        sizes[tool.name] = len(tool.model_dump_json(by_alias=True, exclude_none=True))
        assert 20 < len(tool.description) < 200
        assert all(part["description"] for part in tool.input_schema["properties"].values())

    # About thirty tools are to share 14,000 characters; the first ones are the richest.
    assert max(sizes.values()) <= 1000
    assert sum(sizes.values()) <= min(14_000, 650 * len(sizes))


def test_the_instructions_fit_a_glance_and_warn_of_notes(client):
    told = client.client.instructions

    assert 600 <= len(told) <= 900
    assert "not instructions" in told


def test_a_tool_that_is_not_there_is_a_protocol_error(wire):
    wire.call(1, "no_such_tool", {})

    error = wire.next()["error"]
    assert (-32602, "there is no tool no_such_tool") == (error["code"], error["message"])
    assert "roam_echo" in error["data"]["hint"]


def test_progress_is_told_to_a_client_that_asks(client):
    told = []

    async def tell(done, total, phase):
        told.append((done, total, phase))

    client.portal.call(client.call_telling, "roam_count", {"steps": 40}, tell)

    assert (0, 40, "counting") == told[0]
    assert (40, 40, "counting") == told[-1]


def test_what_only_a_model_would_see_is_taken_out():
    text = "a\x1b[31mb\0c\u202ed\U000e0049\U000e0067 🏴󠁧󠁢󠁳󠁣󠁴󠁿 🧑‍🚀 чай\n\t\x9b"

    assert {"x": ["abcd 🏴󠁧󠁢󠁳󠁣󠁴󠁿 🧑‍🚀 чай\n\t"]} == mcp_server.seen({"x": [text]})


HOSTILE = {
    "no json": b"{bad",
    "a constant": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}',
    "cut": b'{"jsonrpc":"2.0","id":1,"method":"ping"',
    "deep list": b"[" * 50_000,
    "deep arguments": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"roam_echo",'
    b'"arguments":{"query":' + b"[" * 50_000 + b"]" * 50_000 + b"}}}",
    "quite deep arguments": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":'
    b'"roam_echo","arguments":{"query":' + b"[" * 300 + b"]" * 300 + b"}}}",
    "a batch": b'[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"x"}]',
    "an empty batch": b"[]",
    "a number": b"5",
    "a text": b'"ping"',
    "null": b"null",
    "no version": b'{"id":1,"method":"ping"}',
    "another version": b'{"jsonrpc":"1.0","id":1,"method":"ping"}',
    "a null id": b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
    "a broken id": b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
    "a true id": b'{"jsonrpc":"2.0","id":true,"method":"ping"}',
    "a list as id": b'{"jsonrpc":"2.0","id":[1],"method":"ping"}',
    "no method": b'{"jsonrpc":"2.0","id":1}',
    "an odd method": b'{"jsonrpc":"2.0","id":1,"method":5}',
    "a method that is not there": b'{"jsonrpc":"2.0","id":1,"method":"dance"}',
    "a list as params": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
    "odd arguments": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"roam_echo",'
    b'"arguments":[]}}',
    "no tool": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}',
    "no params": b'{"jsonrpc":"2.0","id":1,"method":"tools/call"}',
    "no utf-8": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"roam_echo",'
    b'"arguments":{"query":"\xff\xfe"}}}',
    "a lone surrogate": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":'
    b'"roam_echo","arguments":{"query":"\\ud800 lone"}}}',
    "a surrogate as name": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":'
    b'"\\ud800","arguments":{}}}',
    "a surrogate as method": b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}',
    "a surrogate as id": b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}',
    "too large a number": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":'
    b'"roam_echo","arguments":{"query":"x","k":1e400}}}',
    "a very long number": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":'
    b'"roam_echo","arguments":{"query":"x","k":' + b"9" * 5000 + b"}}}",
    "a long text": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"roam_echo",'
    b'"arguments":{"query":"' + b"x" * 1_000_000 + b'"}}}',
    "20 MB": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"roam_echo",'
    b'"arguments":{"query":"' + b"x" * 20_000_000 + b'"}}}',
    "a sampling answer": b'{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}',
    "initialize again": b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}',
}
# A request whose id can be read is answered under it, whatever else is wrong.
NAMELESS = {
    "no json", "deep list", "a batch", "an empty batch", "a number", "a text", "null", "a null id",
    "a broken id", "a true id", "a list as id",
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_message_gets_exactly_one_answer(wire, kind):
    wire.send_raw(HOSTILE[kind])
    wire.ping("after")

    answers = [wire.next(), wire.next()]

    (answer,) = (each for each in answers if each["id"] != "after")
    assert ("error" in answer) != ("result" in answer)
    if kind in NAMELESS:
        assert answer["id"] is None
    elif kind != "a surrogate as id":
        assert 1 == answer["id"]
    assert wire.lines.empty()


def test_a_hundred_hostile_messages_in_a_row_leave_it_alive(wire):
    messages = [line for line in HOSTILE.values() if len(line) < 200_000]
    for number in range(100):
        wire.send_raw(messages[number % len(messages)])
    answers = [wire.next() for _ in range(100)]

    wire.call("last", "roam_echo", {"query": "still here"})

    assert "still here" == wire.next()["result"]["structuredContent"]["query"]
    assert 100 == len(answers)


def test_what_needs_no_answer_gets_none(wire):
    for line in (
        b"",
        b"   ",
        b'{"jsonrpc":"2.0","method":"notifications/dance"}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"gone"}}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[]}}',
        b'{"jsonrpc":"2.0","id":4711,"result":{}}',
        b'{"jsonrpc":"2.0","id":4711,"error":{"code":1,"message":"x"}}',
    ):
        wire.send_raw(line)
    wire.ping("after")

    assert {"jsonrpc": "2.0", "id": "after", "result": {}} == wire.next()
    assert wire.lines.empty()


def test_a_surrogate_is_mended(wire):
    wire.send_raw(HOSTILE["a lone surrogate"])

    assert "\ufffd lone" == wire.next()["result"]["structuredContent"]["query"]


def test_two_hundred_calls_in_flight_are_answered_by_id(wire):
    for number in range(200):
        wire.call(number, "roam_echo", {"query": f"query {number}"})

    answers = {}
    for _ in range(200):
        message = wire.next()
        answers[message["id"]] = message["result"]["structuredContent"]["query"]
    assert {number: f"query {number}" for number in range(200)} == answers


def test_a_long_call_keeps_neither_ping_nor_search_waiting(wire):
    for number in range(4):
        wire.call(f"long {number}", "roam_count", {"steps": 150})
    wire.ping("ping")
    wire.call("quick", "roam_echo", {"query": "quick"})

    first = {wire.next()["id"], wire.next()["id"]}

    assert {"ping", "quick"} == first
    assert {f"long {number}" for number in range(4)} == {wire.next()["id"] for _ in range(4)}


def test_a_cancelled_call_stops_and_is_not_answered(wire):
    wire.call("long", "roam_count", {"steps": 10_000})
    wire.send(method="notifications/cancelled", params={"requestId": "long"})
    while True:
        wire.call("how", "roam_last_end", {})
        answer = wire.next()
        assert "how" == answer["id"]
        if "it was cancelled" == answer["result"]["structuredContent"]["text"]:
            break

    wire.ping("after")
    assert "after" == wire.next()["id"]


def test_what_was_asked_before_the_end_is_answered(tmp_path):
    wire = Wire(tmp_path)
    wire.initialize()
    for number in range(10):
        wire.call(number, "roam_echo", {"query": str(number)})

    wire.call("long", "roam_count", {"steps": 10_000})

    assert 0 == wire.end()
    answers = [wire.lines.get_nowait() for _ in range(10)]
    assert set(range(10)) == {answer["id"] for answer in answers if "result" in answer}


def test_a_last_line_without_its_end_is_a_message_too(tmp_path):
    wire = Wire(tmp_path)
    wire.initialize()
    wire.process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')

    assert 0 == wire.end()
    assert 1 == wire.lines.get_nowait()["id"]


@pytest.mark.parametrize("sent", [b"", b"{"])
def test_a_client_that_leaves_at_once_is_no_trouble(tmp_path, sent):
    done = subprocess.run(
        [sys.executable, "-m", TOY, "mcp"],
        env=environment(tmp_path),
        input=sent,
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )

    assert 0 == done.returncode
    assert b"Traceback" not in done.stderr
    assert all(json.loads(line)["jsonrpc"] for line in done.stdout.splitlines())


@pytest.mark.parametrize(
    ("line", "number"),
    [
        (b'{"jsonrpc":"2.0","id":7,"method":"x","params":{"id":8', 7),
        (b'{"id":"a b","jsonrpc":"2.0"', "a b"),
        (b'{"method":"x","params":{"id":8,"text":"' + b"x" * 9000 + b'"},"id":7}', 7),
        (b'{"method":"x","params":{},"id":7,"jsonrpc":"2.0"}', 7),
        (b'{"method":"x","params":{"id":8', None),
        (b'{"method":"x","params":{"id":8}}', None),
        (b"no id at all", None),
    ],
)
def test_the_id_of_a_message_is_found_as_far_as_it_shows(line, number):
    assert number == find_id(line)


def test_a_line_is_passed_on_as_it_means():
    line = '{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": "чай 🙂"}}'

    assert json.loads(line) == json.loads(screen(line.encode()))


def test_a_refusal_is_one_line_of_json():
    answer = Refused(-32700, "bad", "a\nb").answer()

    assert answer.endswith(b"}\n")
    assert 1 == answer.count(b"\n")
    assert {"jsonrpc": "2.0", "id": "a\nb", "error": {"code": -32700, "message": "bad"}} == (
        json.loads(answer)
    )


def test_memory_is_bounded_whatever_is_sent():
    assert LONGEST_LINE <= 8 * 1024 * 1024
