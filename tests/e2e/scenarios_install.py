"""A new user's path: install, index, find; and installations that are cut short.

The real pip fetches from the network, so all of it happens over one wire.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.e2e.scenarios import HEADING, QUESTION, ask
from tests.e2e.terminal import ROOT, Terminal, eventually

SLOW_S = 600.0


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the repository as package-vc makes one; its name holds a blank."""
    folder = tmp_path_factory.mktemp("elpa") / "roam semantic"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "elisp", "python", "pyproject.toml", "README.org", "LICENSE"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    return folder


@pytest.fixture
def bare(home: Path, checkout: Path, monkeypatch: pytest.MonkeyPatch):
    """Yield an Emacs in which no Python is named."""
    monkeypatch.setattr("tests.e2e.terminal.PATIENCE_S", SLOW_S)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    opened = Terminal(home, checkout / "elisp", "", "epc", "vault", more="bare.el")
    yield opened
    opened.close()


def venv(home: Path) -> Path:
    return home / "bare emacs" / "roam-semantic" / "venv"


def builders(home: Path) -> list[int]:
    """Return the processes that build an environment."""
    found: list[int] = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if os.fsencode(venv(home)) + b".new" in words:
            found.append(int(folder.name))
    return found


def install(emacs: Terminal) -> str:
    emacs.command("roam-semantic-install")
    screen = emacs.shows("(y or n)")
    emacs.press("y")
    return screen


def test_a_new_user_installs_indexes_and_finds(bare: Terminal, home: Path):
    ask(bare, QUESTION)
    bare.shows("M-x roam-semantic-install")
    offered = install(bare)
    bare.shows("is installed; M-x roam-semantic-index")
    bare.command("roam-semantic-index")
    bare.shows("Indexed")
    ask(bare, QUESTION)
    bare.shows("Note")
    bare.press("Enter")
    bare.shows(HEADING)
    state = bare.state()
    server = Path(f"/proc/{state['server']}/cmdline").read_bytes()

    assert "-m venv --clear" in offered
    assert "-m pip install" in offered
    assert HEADING == state["text"]
    assert os.fsencode(venv(home) / "bin" / "python") == server.split(b"\0")[0]
    # An agent can run what stands there too.
    told = subprocess.run(
        [venv(home) / "bin" / "roam-semantic", "--version"], capture_output=True, check=True
    )
    assert told.stdout.startswith(b"roam-semantic ")


def test_an_installation_that_is_stopped_leaves_the_old_one(bare: Terminal, home: Path):
    assert venv(home).is_dir(), "the test before this one installs it"
    install(bare)
    eventually(lambda: (venv(home).parent / "venv.new" / "bin" / "pip").exists(), bare.screen)
    bare.command("roam-semantic-cancel")
    bare.shows("Installation cancelled")
    eventually(lambda: not builders(home), lambda: "pip outlived its end")
    eventually(
        lambda: ["venv"] == os.listdir(venv(home).parent),
        lambda: str(os.listdir(venv(home).parent)),
    )
    ask(bare, QUESTION)

    bare.shows("Note")


def test_a_killed_emacs_takes_its_installation_along(bare: Terminal, home: Path):
    assert venv(home).is_dir(), "the first test here installs it"
    install(bare)
    eventually(lambda: (venv(home).parent / "venv.new" / "bin" / "pip").exists(), bare.screen)
    os.kill(bare.pid, signal.SIGKILL)
    eventually(lambda: not builders(home), lambda: "pip outlived Emacs")
    told = subprocess.run(
        [venv(home) / "bin" / "python", "-m", "roam_semantic", "--version"],
        capture_output=True,
        check=True,
    )

    assert told.stdout.startswith(b"roam-semantic ")
    assert (venv(home) / "roam-semantic-version").exists()
