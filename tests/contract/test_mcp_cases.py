"""The shared cases of the MCP process: 29 to 31, each as its EXPECT.md says."""

import os
import subprocess
import sys
import time
from pathlib import Path

from tests.contract.faces import ROOT, until
from tests.python.faces.test_mcp import Wire
from tests.support import load_database, materialise, needs_shared

pytestmark = needs_shared
PROGRAM = "roam_semantic"


def call(wire: Wire, number, tool: str, **arguments):
    """Call TOOL and return its result; progress and other answers are not expected."""
    wire.call(number, tool, arguments)
    message = wire.next()
    assert number == message["id"]
    return message["result"]


def found(result) -> list[str]:
    return [hit["node_id"] for hit in result["structuredContent"]["hits"]]


class Desktop(Wire):
    """A server started by `run.sh` of case 29: in /, with next to no environment."""

    def __init__(self, run: Path, vault: Path, *settings: str) -> None:
        self.command = ["sh", str(run), str(vault), "env", *settings, f"PYTHONPATH={ROOT}/python"]
        super().__init__(vault.parent)

    def start(self, home, module, folder, settings):
        return subprocess.Popen(
            [*self.command, sys.executable, "-m", PROGRAM, "mcp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )


def top_level() -> set[str]:
    return set(os.listdir("/"))


def test_29_started_in_the_root_with_an_empty_environment(tmp_path):
    laid = materialise("29-started-in-root-with-empty-env", tmp_path)
    before = top_level()
    # HOME is not set by the client; where the tests may write is told explicitly.
    wire = Desktop(
        laid / "run.sh",
        laid / "vault",
        f"XDG_CACHE_HOME={tmp_path}/cache",
        f"XDG_STATE_HOME={tmp_path}/state",
    )
    hello = wire.initialize()
    wire.send(id="list", method="tools/list")
    tools = wire.next()["result"]["tools"]
    answer = call(wire, 1, "roam_semantic_search", query="mooring posts", mode="words")

    assert "roam-semantic" == hello["result"]["serverInfo"]["name"]
    assert "roam_semantic_search" in {tool["name"] for tool in tools}
    assert ["t29-a"] == found(answer)
    assert "Ærø ferry — café" == answer["structuredContent"]["hits"][0]["title"]
    relative = call(wire, 2, "roam_get_node", node="etc/hostname")
    assert "not-found" == relative["structuredContent"]["kind"]
    assert (
        "Text about mooring posts."
        in (call(wire, 3, "roam_get_node", node="a.org")["structuredContent"]["text"])
    )
    assert 0 == wire.end()
    assert before == top_level()


def test_29_a_missing_setting_is_told_by_the_tool_not_by_exiting(tmp_path):
    laid = materialise("29-started-in-root-with-empty-env", tmp_path)
    wire = Desktop(laid / "run.sh", tmp_path / "nowhere", f"XDG_STATE_HOME={tmp_path}/state")
    wire.initialize()

    result = call(wire, 1, "roam_semantic_search", query="mooring posts")

    assert result["isError"]
    assert "not-ready" == result["structuredContent"]["kind"]
    assert "ROAM_DIR" in result["structuredContent"]["hint"]
    assert 0 == wire.end()


def test_30_stdout_is_only_protocol(tmp_path):
    laid = materialise("30-stdout-must-be-protocol-only", tmp_path)
    (laid / ".env").chmod(0)
    database = load_database("30-stdout-must-be-protocol-only", laid, tmp_path / "org-roam.db")
    # `Wire` reads every line as JSON-RPC and fails on any other.
    wire = Wire(
        tmp_path,
        PROGRAM,
        ROAM_DIR=str(laid / "vault"),
        ROAM_DB=database,
        OLLAMA_HOST="127.0.0.1:9",
        folder=laid,
    )
    wire.initialize()

    assert not call(wire, 1, "roam_index").get("isError")
    assert ["t30-a"] == found(call(wire, 2, "roam_semantic_search", query="fenders"))
    assert call(wire, 3, "roam_get_node", node="broken.py")["isError"]
    assert call(wire, 4, "roam_index", force="x")["isError"]
    assert not call(wire, 5, "roam_doctor").get("isError")
    assert 0 == wire.end()


def test_30b_big_and_hostile_messages(tmp_path):
    laid = materialise("30b-big-and-hostile-messages", tmp_path)
    lines = (laid / "requests.jsonl").read_bytes().splitlines()
    vault = tmp_path / "vault"
    vault.mkdir()
    head = ":PROPERTIES:\n:ID: big\n:END:\n#+title: Big\n\n"
    (vault / "big.org").write_text(head + ("* More\n" + "words upon words\n" * 60) * 2000)
    wire = Wire(tmp_path, PROGRAM, ROAM_DIR=str(vault))
    wire.initialize()
    for line in lines:
        wire.send_raw(line)
    answers = {}
    for _ in lines:
        answer = wire.next()
        assert answer["id"] not in answers
        answers[answer["id"]] = answer

    assert set(range(1, 11)) == set(answers)
    for number in (1, 2, 5, 6):
        assert "query must" in answers[number]["result"]["structuredContent"]["message"]
    assert "limit" in answers[7]["result"]["structuredContent"]["message"]
    assert "surprise" in answers[9]["result"]["structuredContent"]["message"]
    for number in (3, 4):
        assert not answers[number]["result"]["isError"]
    assert "no_such_tool" in answers[8]["error"]["message"]
    assert {} == answers[10]["result"]

    cut = call(wire, 11, "roam_get_node", node="big")["structuredContent"]
    assert cut["truncated"]
    assert 20_000 == len(cut["text"]) == cut["next_offset"]
    long = call(wire, 12, "roam_search", query="x" * 100_000)
    assert "query must be at most 4096 bytes" in long["structuredContent"]["message"]
    for number, query in ((13, "🙂🙂🙂"), (14, "a\x00b")):
        assert not call(wire, number, "roam_semantic_search", query=query)["isError"]
    nothing = call(wire, 15, "roam_semantic_search", query="\x00")
    assert "query is empty" == nothing["structuredContent"]["message"]
    wire.ping("at the end")
    assert "at the end" == wire.next()["id"]
    assert 0 == wire.end()


def slow_model(tmp_path) -> Path:
    """Return a folder put before the libraries, where each text takes long to embed."""
    folder = tmp_path / "slow"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(
        "import time\n"
        "from roam_semantic.models import embedded\n"
        "for kind in vars(embedded).values():\n"
        "    if isinstance(kind, type) and 'embed_passages' in vars(kind):\n"
        "        fast = kind.embed_passages\n"
        "        def slow(self, texts, *rest, _fast=fast, **named):\n"
        "            time.sleep(0.2 * len(texts))\n"
        "            return _fast(self, texts, *rest, **named)\n"
        "        kind.embed_passages = slow\n"
    )
    return folder


def test_31_an_index_longer_than_the_client_waits(tmp_path):
    vault = materialise("31-index-longer-than-client-timeout", tmp_path)
    slow = slow_model(tmp_path)
    settings = {
        "ROAM_DIR": str(vault),
        "ROAM_INDEX": str(tmp_path / "index.db"),
        "PYTHONPATH": f"{slow}:{ROOT / 'python'}",
    }
    wire = Wire(tmp_path, PROGRAM, **settings)
    wire.initialize()
    # The first search answers without waiting for two hundred texts of 0.2 seconds each.
    started = time.monotonic()
    first = call(wire, 1, "roam_semantic_search", query="subject7")
    assert "t31-007" in found(first)
    wire.call("a", "roam_index", {})
    wire.call("b", "roam_index", {})
    # While it runs, everything else is answered.
    for number, tool in ((2, "roam_status"), (3, "roam_search"), (4, "roam_semantic_search")):
        arguments = {} if tool == "roam_status" else {"query": "subject7"}
        assert not call(wire, number, tool, **arguments)["isError"]
    wire.ping("ping")
    assert "ping" == wire.next()["id"]
    # All that took less than the index alone would have: nobody waited for it.
    assert time.monotonic() - started < 200 * 0.2
    both = [wire.next(), wire.next()]
    states = {each["result"]["structuredContent"]["state"] for each in both}
    assert {"running"} == states
    assert {"a", "b"} == {each["id"] for each in both}
    status = call(wire, 5, "roam_status")["structuredContent"]
    assert "index" == status["job"]["operation"]
    done = status["index"]["indexed"]
    assert 0 == wire.end()
    taken_up(Wire(tmp_path, PROGRAM, **settings | {"PYTHONPATH": str(ROOT / "python")}), done)


def taken_up(again, done):
    """The next start goes on where the one before was stopped, with DONE units made."""
    again.initialize()
    assert until(lambda: not call(again, "s", "roam_status")["structuredContent"]["job"])
    answer = call(again, "i", "roam_index")["structuredContent"]
    stats = call(again, "n", "roam_index_stats")["structuredContent"]["index"]
    assert "done" == answer["state"]
    assert (200, 0, 0) == (stats["indexed"], stats["pending"], stats["failed"])
    assert done <= 200
    assert 0 == again.end()


def test_31_a_client_that_disconnects_leaves_a_whole_index(tmp_path):
    vault = materialise("31-index-longer-than-client-timeout", tmp_path)
    slow = slow_model(tmp_path)
    settings = {"ROAM_DIR": str(vault), "ROAM_INDEX": str(tmp_path / "index.db")}
    wire = Wire(tmp_path, PROGRAM, PYTHONPATH=f"{slow}:{ROOT / 'python'}", **settings)
    wire.initialize()
    wire.call(1, "roam_index", {})
    time.sleep(2)
    wire.process.kill()
    wire.process.communicate()

    again = Wire(tmp_path, PROGRAM, **settings)
    again.initialize()
    assert "done" == call(again, 1, "roam_index")["structuredContent"]["state"]
    checks = call(again, 2, "roam_doctor")["structuredContent"]["checks"]
    assert [] == [check for check in checks if check["state"] == "failed"]
    assert 0 == again.end()
