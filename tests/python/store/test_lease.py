"""One indexer at a time, across real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from roam_semantic.errors import Cancelled
from roam_semantic.store.lease import Held, holder, lease

HOLD = """
import sys, time
from roam_semantic.store.lease import lease
with lease(sys.argv[1]):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def other(tmp_path):
    path = str(tmp_path / "index.db")
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD, path],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert b"held\n" == child.stdout.readline()
    yield path, child
    child.kill()
    child.wait()
    child.stdout.close()


def test_nobody_else_gets_the_lease(other):
    path, child = other

    with pytest.raises(Held, match=str(child.pid)), lease(path):
        pass
    assert child.pid == holder(path)


def test_a_killed_holder_frees_it_at_once(other):
    path, child = other
    child.send_signal(signal.SIGKILL)
    child.wait()

    with lease(path):
        assert os.getpid() == holder(path)
    assert holder(path) is None


def test_waiting_can_be_cancelled(other):
    path, _ = other

    with pytest.raises(Cancelled), lease(path, wait_s=30, cancelled=lambda: True):
        pass
