"""Killed at any moment, the index holds no half note, and the next run ends the work."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time

import pytest

from roam_semantic.store.check import faults
from tests.support import Workspace

KILLS = 8


@pytest.fixture
def work(tmp_path):
    made = Workspace(tmp_path)
    for number in range(150):
        made.note(
            f"n{number}",
            f"Note {number}",
            f"Text about subject{number} and the weather.\n\n* Part one\nMore of topic{number}.\n"
            f"* Part two\nThe other half of matter{number}.",
        )
    yield made
    made.close()


def command(work):
    return [
        sys.executable, "-m", "roam_semantic", "--dir", str(work.vault),
        "--index", work.settings.index, "index",
    ]  # fmt: skip


def environment(work):
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "XDG_CACHE_HOME": os.path.dirname(work.settings.cache),
    }


def test_a_killed_indexer_leaves_whole_notes_and_is_taken_up(work):
    chance = random.Random(7)
    killed = 0
    for _ in range(KILLS):
        child = subprocess.Popen(command(work), env=environment(work), stdout=subprocess.DEVNULL)
        time.sleep(0.3 + chance.random() * 1.5)
        killed += child.poll() is None
        child.send_signal(signal.SIGKILL)
        child.wait()
        if work.core.index.exists():
            reader = work.core.reader()
            assert [] == faults(reader, deep=True)
            # All notes are alike, so a note with fewer units than another is a half.
            sizes = reader.rows(
                "SELECT DISTINCT n FROM (SELECT count(*) AS n FROM embed_units GROUP BY file)"
            )
            assert len(sizes) < 2

    assert killed > KILLS / 3
    assert 0 == subprocess.run(command(work), env=environment(work), capture_output=True).returncode
    stats = work.call("index-stats")
    assert (150, 0) == (stats.files, stats.index.pending)
    assert 0 == stats.units % 150
