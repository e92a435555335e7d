"""A server of ours as Emacs has it: a child process, spoken to over EPC."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from collections.abc import Mapping

TOKEN = "benchmark"


class Server:
    """One `roam-semantic epc` with one client."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "roam_semantic", "epc"],
            env={**environment, "ROAM_SEMANTIC_TOKEN": TOKEN},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self._process.stdout is not None
        port = int(self._process.stdout.readline())
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._stream = self._socket.makefile("rb")
        self._calls = 0
        self._ask(f'hello ("{TOKEN}" "0.1.0")')

    @property
    def pid(self) -> int:
        """Return its process id."""
        return self._process.pid

    def search(self, words: str, options: str = "") -> str:
        """Return the printed answer of semantic-search; OPTIONS is more of the plist."""
        question = words.replace("\\", "\\\\").replace('"', '\\"')
        answer = self._ask(f'call ("q" "semantic-search" (:query "{question}" {options}) nil)')
        if "(:ok " not in answer[:40]:
            raise RuntimeError(answer[:300])
        return answer

    def _ask(self, call: str) -> str:
        self._calls += 1
        frame = f"(call {self._calls} {call})".encode()
        self._socket.sendall(b"%06x%b" % (len(frame), frame))
        while True:
            length = int(self._stream.read(6), 16)
            answer = self._stream.read(length).decode()
            if answer.startswith(f"(return {self._calls} "):
                return answer

    def memory(self) -> tuple[float, float]:
        """Return (own pages, all pages) of the process in MB."""
        return memory(self.pid)

    def close(self) -> None:
        """End it and wait until it is gone."""
        self._stream.close()
        self._socket.close()
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(10)
        self._process.stdout.close()


def memory(pid: int | str) -> tuple[float, float]:
    """Return (own pages, all pages) of process PID in MB; own: not backed by a file."""
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        status = file.read()
    own = re.search(r"RssAnon:\s+(\d+) kB", status)
    whole = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert own
    assert whole
    return int(own[1]) / 1024, int(whole[1]) / 1024


def environment(vault: str, database: str, index: str, cache: str) -> dict[str, str]:
    """Return the environment of a process of ours that reads INDEX."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": os.path.dirname(cache),
        "PYTHONPATH": os.pathsep.join(sys.path),
        "ROAM_DIR": vault,
        "ROAM_DB": database,
        "ROAM_INDEX": index,
        "XDG_CACHE_HOME": cache,
    }
