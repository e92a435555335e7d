"""A vault, indexed, and an Emacs on it, for every file of scenarios."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.terminal import ROOT, Terminal

PYTHON = os.environ.get("ROAM_SEMANTIC_TEST_PYTHON") or sys.executable


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a copy of the sample vault, indexed, and the Emacs package."""
    folder = tmp_path_factory.mktemp("home")
    shutil.copytree(ROOT / "tests" / "vault", folder / "vault")
    (folder / "emacs").mkdir()
    index_sample_notes(folder)
    return folder


@pytest.fixture(params=["epc", "jsonrpc"])
def wire(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def emacs(home: Path, wire: str):
    opened = Terminal(home, ROOT / "elisp", PYTHON, wire, "vault")
    yield opened
    opened.close()


def index_sample_notes(home: Path) -> None:
    """Index the copy of the sample notes in HOME."""
    done = subprocess.run(
        [PYTHON, "-m", "roam_semantic", "--dir", str(home / "vault")]
        + ["--index", str(home / "vault.db"), "--db", str(home / "org-roam.db"), "index"],
        env=os.environ
        | {
            "PYTHONPATH": str(ROOT / "python"),
            "XDG_CACHE_HOME": str(home / "cache"),
            "XDG_STATE_HOME": str(home / "state"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep to one wire where the wire does not matter, unless all is asked for.

    Every file over both: ROAM_SEMANTIC_E2E=all.
    """
    if os.environ.get("ROAM_SEMANTIC_E2E") == "all":
        return
    left_out = [
        item for item in items if item.path.name != "scenarios.py" and "jsonrpc" in item.name
    ]
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=left_out)
