"""Keeping up with the notes, and hits in a buffer, end to end, over both wires."""

from __future__ import annotations

import os
import re
import shutil
import signal
from pathlib import Path

import pytest

from tests.e2e.conftest import PYTHON
from tests.e2e.terminal import ROOT, Terminal, eventually, is_alive

ANSWERED = re.compile(r"”: \d+ hit")
COUNTS = re.compile(r"Index: \d+ of \d+ passages")
WORDS = "quagmire lighthouse marzipan"


@pytest.fixture
def vault(home: Path, wire: str) -> Path:
    """Return a copy of the sample notes that only this Emacs has."""
    folder = home / f"mode-{wire}"
    if not folder.exists():
        shutil.copytree(ROOT / "tests" / "vault", folder)
    return folder


@pytest.fixture
def fresh(home: Path, wire: str, vault: Path):
    """Yield an Emacs with the mode on whose index is up to date."""
    opened = Terminal(home, ROOT / "elisp", PYTHON, wire, vault.name)
    try:
        # The mode waits until somebody loads org-roam; M-x would compute for seconds
        # how its command could have been abbreviated, and show nothing meanwhile.
        evaluate(opened, "(setq x (require 'org-roam) suggest-key-bindings nil)")
        evaluate(opened, "(setq roam-semantic-mode-start-idle-s 0.1)")
        opened.command("roam-semantic-mode")
        opened.command("roam-semantic-index")
        opened.shows("Indexed ")
        lights(opened, "RS")
        yield opened
    finally:
        opened.close()


def evaluate(emacs: Terminal, form: str) -> None:
    """Evaluate FORM as a person does."""
    emacs.press("M-:")
    emacs.shows("Eval:")
    emacs.type(form)
    emacs.press("Enter")


def lights(emacs: Terminal, lighter: str) -> None:
    """Wait until a mode line says LIGHTER."""
    expected = re.compile(rf"\(.* {re.escape(lighter)}(?! \d)[ )]")
    eventually(
        lambda: expected.search(emacs.screen()),
        lambda: f"the mode line never said {lighter!r}:\n{emacs.screen()}",
    )


def ask(emacs: Terminal, query: str) -> None:
    """Ask QUERY into a buffer of its own and wait for the hits."""
    emacs.command("roam-semantic-search-buffer")
    emacs.shows("Notes about")
    emacs.type(query)
    emacs.press("Enter")
    emacs.shows(f"“{query}”: ")
    eventually(
        lambda: ANSWERED.search(emacs.screen()),
        lambda: f"no hits came:\n{emacs.screen()}",
    )


def write_note(emacs: Terminal, path: Path, title: str, words: str) -> None:
    """Type a note into PATH and save it."""
    emacs.press("C-x", "C-f")
    emacs.shows("Find file")
    emacs.press("C-a", "C-k")
    emacs.type(str(path))
    emacs.press("Enter")
    emacs.shows(path.name)
    for line in (":PROPERTIES:", f":ID: {path.stem}", ":END:", f"#+title: {title}", "", words):
        emacs.type(line)
        emacs.press("C-q", "C-j")
    emacs.press("C-x", "C-s")
    emacs.shows("Wrote")


def found(emacs: Terminal, query: str, text: str) -> None:
    """Wait until asking QUERY shows TEXT among the hits."""
    ask(emacs, query)

    def look() -> bool:
        screen = emacs.screen()
        if text in screen:
            return True
        if ANSWERED.search(screen):
            emacs.press("g")
        return False

    eventually(look, lambda: f"{text!r} was not found:\n{emacs.screen()}")


def test_a_saved_note_is_found_without_indexing(fresh: Terminal, vault: Path):
    write_note(fresh, vault / "new.org", "Brand new", WORDS)

    found(fresh, WORDS, "* Brand new")


def test_a_note_written_by_something_else_is_noticed(fresh: Terminal, vault: Path):
    settled = tooltip(fresh)
    (vault / "other.org").write_text(
        ":PROPERTIES:\n:ID: other\n:END:\n#+title: From outside\n\nzeppelin gramophone\n"
    )
    eventually(
        lambda: tooltip(fresh) != settled,
        lambda: f"the tooltip did not change:\n{settled}",
    )

    found(fresh, "zeppelin gramophone", "* From outside")


def tooltip(emacs: Terminal) -> str:
    """Return the counts that the tooltip of the lighter tells."""
    evaluate(emacs, '(message "%S" (cadr (split-string (roam-semantic-state-text) "\\n")))')
    return eventually(
        lambda: (found := COUNTS.search(emacs.screen())) and found[0],
        lambda: f"no counts are told:\n{emacs.screen()}",
    )


def test_a_killed_server_is_shown_and_comes_back(fresh: Terminal):
    first = fresh.state()["server"]
    os.kill(first, signal.SIGSTOP)
    os.kill(first, signal.SIGKILL)
    eventually(lambda: not is_alive(first), lambda: "the server outlived its death")
    lights(fresh, "RS!")
    lights(fresh, "RS")

    assert fresh.state()["server"] not in (None, first)


def test_hits_are_walked_with_n_and_with_next_error(fresh: Terminal):
    ask(fresh, "spontaneous combustion of dirty fabric")
    screen = fresh.screen()
    first = fresh.state()
    fresh.press("n")
    second = fresh.state()
    fresh.press("M-g", "n")
    fresh.shows("Next locus")
    visited = fresh.state()

    assert "linseed_oil" in screen
    assert first["text"].startswith("* ")
    assert second["text"].startswith("* ")
    assert first["text"] != second["text"]
    assert first["buffer"].startswith("*notes: ")
    assert visited["file"].endswith(".org")


def test_turned_off_the_mode_leaves_no_lighter(fresh: Terminal):
    fresh.command("roam-semantic-mode")
    fresh.shows("Roam-Semantic mode disabled")

    assert " RS" not in fresh.screen()


def test_the_menu_shows_the_state_and_runs_commands(fresh: Terminal):
    fresh.command("roam-semantic-menu")
    screen = fresh.shows("Settings")
    fresh.press("s")
    fresh.shows("passages (")

    assert "Server: ready" in screen
    assert "Index: " in screen
    assert "keep the index fresh (on)" in screen
