"""From nothing to the first answer: a server, and a one-shot command."""

from __future__ import annotations

import subprocess
import sys
import time

from benchmarks.ground import Ground, questions
from benchmarks.server import Server, environment
from benchmarks.table import Row
from benchmarks.timing import Times

ROUNDS = 15


def measure(ground: Ground) -> list[Row]:
    """Return the rows of starting; times are real ones, variants in turn."""
    question = " ".join(questions(ground, 1, 3)[0])
    search = ("-m", "roam_semantic", "semantic-search", question, "--mode", "words")
    found: dict[str, list[float]] = {"bare": [], "help": [], "command": [], "server": []}
    for _ in range(ROUNDS + 1):
        found["bare"].append(_command(ground, "-c", "pass"))
        found["help"].append(_command(ground, "-m", "roam_semantic", "--help"))
        found["command"].append(_command(ground, *search))
        found["server"].append(_server(ground, question))
    # The first round fills the machine's file cache.
    times = {name: Times(tuple(sorted(values[1:]))) for name, values in found.items()}
    bare = times["bare"].p50
    return [
        Row(
            "server start to first words answer",
            "bare Python's start",
            times["server"].p50 / bare,
            3,
            f"{times['server']} against {times['bare']}",
        ),
        Row(
            "command: a search by words",
            "bare Python's start",
            times["command"].p50 / bare,
            4,
            str(times["command"]),
        ),
        Row("command: --help", "bare Python's start", times["help"].p50 / bare, None, ""),
    ]


def _command(ground: Ground, *words: str) -> float:
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, *words],
        env=_environment(ground),
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return 1000 * (time.perf_counter() - start)


def _server(ground: Ground, question: str) -> float:
    start = time.perf_counter()
    server = Server(_environment(ground))
    server.search(question, ':mode "words"')
    spent = 1000 * (time.perf_counter() - start)
    server.close()
    return spent


def _environment(ground: Ground) -> dict[str, str]:
    return environment(ground.vault, ground.roam_database, ground.index_path, ground.cache)
