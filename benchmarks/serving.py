"""A server at work: its memory, and searching while it indexes."""

from __future__ import annotations

import os
import subprocess
import sys
import time

from benchmarks import notes
from benchmarks.ground import Ground, questions
from benchmarks.server import Server, environment
from benchmarks.table import Row
from benchmarks.timing import Times

QUESTIONS = 150
NEW_NOTES = 400
MODEL_ONLY = """
import sys
from benchmarks.server import memory
from roam_semantic.models.choose import choose
from roam_semantic.settings import load
choose(load()).embed_query("how much the model alone takes")
print(*memory("self"))
"""


def measure(ground: Ground) -> list[Row]:
    """Return the rows of a server over the whole index."""
    surroundings = environment(ground.vault, ground.roam_database, ground.index_path, ground.cache)
    asked = [" ".join(words) for words in questions(ground, QUESTIONS, 6)]
    server = Server(surroundings)
    try:
        return [_memory(ground, server, asked), _while_indexing(ground, server, asked)]
    finally:
        server.close()


def _memory(ground: Ground, server: Server, asked: list[str]) -> Row:
    for question in asked[:30]:
        server.search(question)
    done = subprocess.run(
        [sys.executable, "-c", MODEL_ONLY],
        env=environment(ground.vault, ground.roam_database, ground.index_path, ground.cache),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    own, whole = server.memory()
    model_own, model_whole = (float(word) for word in done.stdout.split())
    return Row(
        "memory beyond the model",
        "",
        own - model_own,
        150,
        f"own pages {own:.0f} against {model_own:.0f} MB; "
        f"with mapped files {whole:.0f} against {model_whole:.0f} MB",
        unit=" MB",
    )


def _while_indexing(ground: Ground, server: Server, asked: list[str]) -> Row:
    """Return how much slower searches are while new notes are being embedded."""
    idle = [_search(server, question) for question in asked[30:]]
    folder = os.path.join(ground.vault, "new")
    notes.write(folder, NEW_NOTES, seed=99)
    busy: list[float] = []
    deadline = time.monotonic() + 60
    turn = 0
    _search(server, asked[0])
    while time.monotonic() < deadline and (turn < 20 or _pending(server)):
        busy.append(_search(server, asked[30 + turn % (QUESTIONS - 30)]))
        turn += 1
        time.sleep(0.02)
    idle_times, busy_times = Times(tuple(sorted(idle))), Times(tuple(sorted(busy)))
    return Row(
        "search p95 while indexing",
        "idle",
        busy_times.p95 / idle_times.p95,
        2,
        f"{busy_times} against {idle_times}, {len(busy)} searches, the model's work included",
    )


def _search(server: Server, question: str) -> float:
    start = time.perf_counter()
    server.search(question)
    return 1000 * (time.perf_counter() - start)


def _pending(server: Server) -> bool:
    return ":pending 0" not in server.search("pending", ':k 1 :mode "words"')
