"""What a person does in Emacs, end to end, over both wires."""

from __future__ import annotations

import os
import random
import signal
from pathlib import Path

import pytest

from tests.e2e.conftest import PYTHON
from tests.e2e.terminal import ROOT, Terminal, eventually, is_alive

# No word of it stands in the note.
QUESTION = "spontaneous combustion of dirty fabric"
HEADING = "* Rags"
FILE = "20210124140000-linseed_oil_and_wax.org"
GONE_WITHIN_S = 2.0


def ask(emacs: Terminal, question: str) -> None:
    emacs.command("roam-semantic-find")
    emacs.shows("Find notes about")
    emacs.type(question)
    emacs.press("Enter")


def test_a_paraphrase_leads_to_the_right_heading(emacs: Terminal):
    ask(emacs, QUESTION)
    screen = emacs.shows("Note")
    emacs.press("Enter")
    emacs.shows(HEADING)
    state = emacs.state()

    assert "Rags" in screen
    assert HEADING == state["text"]
    assert FILE == Path(state["file"]).name
    assert state["hidden"] is None


def test_after_a_killed_server_the_next_question_is_answered(emacs: Terminal):
    ask(emacs, QUESTION)
    emacs.shows("Note")
    emacs.press("C-g")
    first = emacs.state()["server"]
    os.kill(first, signal.SIGKILL)
    eventually(lambda: not is_alive(first), lambda: "the server outlived its death")
    ask(emacs, QUESTION)
    emacs.shows("Note")
    emacs.press("Enter")
    emacs.shows(HEADING)
    state = emacs.state()

    assert HEADING == state["text"]
    assert state["server"] not in (None, first)


def test_a_killed_emacs_takes_its_server_along(emacs: Terminal, monkeypatch: pytest.MonkeyPatch):
    ask(emacs, QUESTION)
    emacs.shows("Note")
    emacs.press("C-g")
    server = emacs.state()["server"]
    monkeypatch.setattr("tests.e2e.terminal.PATIENCE_S", GONE_WITHIN_S)
    os.kill(emacs.pid, signal.SIGKILL)

    eventually(lambda: not is_alive(server), lambda: "the server outlived Emacs")


@pytest.fixture
def many(home: Path) -> str:
    """Return the name of a vault that takes a while to index."""
    words = random.Random(1)
    folder = home / "many"
    if not folder.exists():
        folder.mkdir()
        for number in range(1500):
            body = " ".join(f"word{words.randrange(9000)}" for _ in range(150))
            text = f":PROPERTIES:\n:ID: many-{number}\n:END:\n#+title: Note {number}\n\n{body}\n"
            (folder / f"{number}.org").write_text(text, encoding="utf-8")
    return "many"


def test_an_index_run_shows_its_progress_and_ends_with_c_g(home: Path, wire: str, many: str):
    emacs = Terminal(home, ROOT / "elisp", PYTHON, wire, many)
    try:
        emacs.command("roam-semantic-index")
        emacs.shows("%)")
        # Emacs is free meanwhile: the state is written and the quit key is the run's.
        emacs.state()
        emacs.press("C-g")

        emacs.shows("Indexing cancelled")
    finally:
        emacs.close()


def test_the_doctor_has_a_remedy_when_no_server_can_start(home: Path, wire: str):
    emacs = Terminal(home, ROOT / "elisp", "/nowhere/python", wire, "vault")
    try:
        emacs.command("roam-semantic-doctor")
        screen = emacs.shows("2 failed")

        assert "failed  command: /nowhere/python is not there" in screen
        assert "→ set `roam-semantic-python' right or to nil" in screen
    finally:
        emacs.close()
