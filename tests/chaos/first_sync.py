"""How long does a search take while org-roam syncs 2,000 files for the first time?

    python -m tests.chaos.first_sync

Prints p50 and p95 of searches of an idle server and during the sync, in ms,
and their ratios.  Needs an Emacs with org-roam (see test_org_roam.py).
"""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from roam_semantic.app import build
from roam_semantic.operations.catalogue import CATALOGUE
from roam_semantic.settings import load
from tests.chaos.test_org_roam import HERE, emacs_command

FILES = 2000
WORDS = ["anchor", "bread", "candle", "delta", "ember", "ferry", "garden", "harbour", "isle", "jam"]
IDLE_S = 8.0


def write_notes(vault: Path) -> None:
    """Write FILES notes of a few words, with two nodes each."""
    vault.mkdir()
    for number in range(FILES):
        first, second = WORDS[number % 10], WORDS[number // 10 % 10]
        (vault / f"n{number}.org").write_text(
            f":PROPERTIES:\n:ID: n{number}\n:END:\n#+title: The {first} of the {second}\n\n"
            f"About {first}.\n\n* Part\n:PROPERTIES:\n:ID: p{number}\n:END:\nMore of {second}.\n"
        )


def search(core: object, number: int) -> float:
    """Return the milliseconds one search takes."""
    query = f"{WORDS[number % 10]} and {WORDS[number // 3 % 10]}"
    start = time.perf_counter()
    CATALOGUE["semantic-search"].call(core, {"query": query})
    return (time.perf_counter() - start) * 1000


def show(name: str, times: list[float]) -> tuple[float, float]:
    """Print and return p50 and p95."""
    cut = statistics.quantiles(times, n=20)
    middle, late = statistics.median(times), cut[18]
    print(f"{name:12s} {len(times):5d} searches  p50 {middle:7.1f}  p95 {late:7.1f} ms")
    return middle, late


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        vault, database = Path(folder, "vault"), os.path.join(folder, "org-roam.db")
        write_notes(vault)
        settings = load({"vault": str(vault), "database": database}, dict(os.environ))
        CATALOGUE["index"].call(build(settings), {})
        core = build(settings, serving=True)
        search(core, 0)
        times: list[float] = []
        end = time.monotonic() + IDLE_S
        while time.monotonic() < end:
            times.append(search(core, len(times)))
            time.sleep(0.02)
        idle = show("idle", times)
        command = [*emacs_command(), "--batch", "-l", str(HERE / "org_roam.el")]
        sync = subprocess.Popen(
            [*command, "--", str(vault), database, "sync"], stdout=subprocess.PIPE
        )
        times = []
        while sync.poll() is None:
            times.append(search(core, len(times)))
            time.sleep(0.02)
        print(sync.communicate()[0].decode().strip())
        busy = show("during sync", times)
        print(f"ratio        p50 {busy[0] / idle[0]:.2f}  p95 {busy[1] / idle[1]:.2f}")
        core.close()


if __name__ == "__main__":
    main()
