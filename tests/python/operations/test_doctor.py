"""What doctor says about the installation, permissions and the lock."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.support import ROOT, Workspace

INDEXING = """
import sys
from roam_semantic.store.lease import lease
with lease(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def work(tmp_path):
    made = Workspace(tmp_path)
    made.note("a", "Sourdough")
    made.call("index")
    yield made
    made.close()


def check(work, name):
    """Return the check NAME, None when doctor has none."""
    return next((check for check in work.call("doctor").checks if check.name == name), None)


def test_doctor_names_the_python_it_runs_in(work):
    assert sys.prefix in check(work, "program").message


def test_doctor_is_content_with_an_index_only_its_owner_reads(work):

    assert "ok" == check(work, "permissions").state


def test_doctor_warns_of_an_index_others_can_read(work):
    os.chmod(work.settings.index, 0o644)
    found = check(work, "permissions")

    assert "warning" == found.state
    assert f"run `chmod 600 {work.settings.index}`" == found.remedy


def test_doctor_fails_an_index_that_cannot_be_written(work, monkeypatch):
    # Root may write anything, so the file mode would not tell.
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    found = check(work, "permissions")

    assert "failed" == found.state
    assert "ROAM_INDEX" in found.remedy


def test_doctor_tells_who_is_indexing(work):
    assert check(work, "lock") is None
    with subprocess.Popen(
        [sys.executable, "-c", INDEXING, work.settings.index],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(ROOT / "python")},
    ) as other:
        assert b"held\n" == other.stdout.readline()
        found = check(work, "lock")
        other.communicate()

    assert f"process {other.pid} is bringing the index up to date" == found.message
