"""Each face as a test sees it: call an operation, get its answer as JSON values or a failure.

Every one of them starts the real program as a process of its own and speaks to
it over the real wire.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
TOY = "tests.contract.toy"
PATIENCE_S = 60


class Failed(Exception):
    """An operation's failure, as the face told it."""

    def __init__(self, kind: str, message: str, hint: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.message = message
        self.hint = hint


def environment(home: Path, **settings: str) -> dict[str, str]:
    """Return the environment of a program that knows nothing of this machine's user."""
    return {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": f"{ROOT / 'python'}:{ROOT}",
        "ROAM_SEMANTIC_TOKEN": "a token of the tests",
        "ROAM_SEARCH_PORT": "0",
        **settings,
    }


def until(condition: Callable[[], bool]) -> bool:
    """Wait until CONDITION holds; return whether it ever did."""
    for _ in range(PATIENCE_S * 50):
        if condition():
            return True
        time.sleep(0.02)
    return False


class Face:
    """A way in.  has_types: arguments keep their types; has_nil: None is false and empty."""

    name = ""
    has_types = True
    has_nil = False

    def __init__(self, module: str, env: dict[str, str]) -> None:
        self.module = module
        self.env = env
        self.start()

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", self.module, *words]

    def start(self) -> None:
        """Start what stays between two calls."""

    def stop(self) -> None:
        """End it."""

    def call(self, operation: str, **arguments: Any) -> Any:
        """Return the answer of OPERATION as JSON values; raise Failed."""
        raise NotImplementedError

    def cancel(self, operation: str, **arguments: Any) -> str:
        """Start OPERATION, stop it while it runs, return the kind of failure it ended with."""
        raise NotImplementedError

    def view(self, value: Any) -> Any:
        """Return VALUE, an answer, the way this face can show it."""
        return value


class Cli(Face):
    """The command line: a process for each call."""

    name = "cli"
    has_types = False

    def words(self, operation: str, arguments: dict[str, Any]) -> list[str]:
        words = [operation, "--json"]
        for name, value in arguments.items():
            option = "--" + name.replace("_", "-")
            if value is True:
                words.append(option)
            elif isinstance(value, (list, tuple)):
                words += [f"{option}={each}" for each in value]
            else:
                words.append(f"{option}={value}")
        return words

    def run(self, *words: str, **settings: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            self.command(*words),
            env={**self.env, **settings},
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
        )

    def call(self, operation: str, **arguments: Any) -> Any:
        done = self.run(*self.words(operation, arguments))
        answer = json.loads(done.stdout)
        assert (done.returncode != 0) == ("error" in answer)
        if "error" in answer:
            raise Failed(**answer["error"])
        return answer

    def cancel(self, operation: str, **arguments: Any) -> str:
        # The toy says on stderr that it has begun, so that the signal is not too early.
        process = subprocess.Popen(
            self.command(*self.words(operation, arguments)),
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stderr is not None
        process.stderr.readline()
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE_S)
        assert 130 == process.returncode
        return json.loads(out)["error"]["kind"]


class Http(Face):
    """Loopback HTTP: a request for each call."""

    name = "http"

    def start(self) -> None:
        self.process = subprocess.Popen(
            self.command("http"),
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        found = re.match(rb"http://127\.0\.0\.1:(\d+)\n", self.process.stdout.readline())
        assert found, self.process.stderr.read()
        self.port = int(found[1])
        said = self.process.stderr.readline().decode()
        self.token = Path(said.rpartition(" ")[2].strip()).read_text().strip()
        # What a careless library prints must not fill the pipe.
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(PATIENCE_S)
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)

    def post(self, connection: http.client.HTTPConnection, path: str, body: bytes) -> None:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        connection.request("POST", path, body, headers)

    def call(self, operation: str, **arguments: Any) -> Any:
        connection = self.connect()
        try:
            path = "/search" if operation == "semantic-search" else f"/operations/{operation}"
            self.post(connection, path, json.dumps(arguments).encode())
            response = connection.getresponse()
            answer = json.loads(response.read())
        finally:
            connection.close()
        assert (response.status != 200) == ("error" in answer)
        if "error" in answer:
            raise Failed(**answer["error"])
        return answer

    def cancel(self, operation: str, **arguments: Any) -> str:
        connection = self.connect()
        self.post(connection, f"/operations/{operation}", json.dumps(arguments).encode())
        time.sleep(0.3)
        connection.close()
        # Nobody is left to be told; the toy remembers how it ended.
        assert until(lambda: self.call("last-end")["text"] == "it was cancelled")
        return "cancelled"
