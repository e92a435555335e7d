"""Links a note could have, suggested and made in a real Emacs over both wires."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.e2e.conftest import PYTHON
from tests.e2e.terminal import ROOT, Terminal

NOTE = """:PROPERTIES:
:ID: sails-e2e
:END:
#+title: Sails for a rough day

I would rather practise reefing early than be sorry.
"""
FILE = "sails.org"


@pytest.fixture
def sailing(home: Path, wire: str):
    (home / "vault" / FILE).write_text(NOTE, encoding="utf-8")
    shutil.rmtree(home / "emacs" / "roam-semantic", ignore_errors=True)
    opened = Terminal(home, ROOT / "elisp", PYTHON, wire, "vault")
    opened.press("M-:")
    opened.shows("Eval:")
    opened.type(f'(progn (require \'roam-semantic-links) (find-file (e2e-file "vault/{FILE}")))')
    opened.press("Enter")
    opened.shows("rather practise")
    yield opened
    opened.close()
    (home / "vault" / FILE).unlink()


def suggest(emacs: Terminal) -> str:
    emacs.command("roam-semantic-suggest-links")
    return emacs.shows("to make: n next")


def test_a_key_makes_a_link_and_undo_takes_it_back(sailing: Terminal, home: Path):
    screen = suggest(sailing)
    sailing.press("n")
    sailing.shows("%")
    sailing.press("l")
    sailing.shows("Linked to")
    linked = sailing.state()["text"]
    sailing.press("C-/")
    sailing.shows("Undo")

    assert "→" in screen
    assert "[[id:" in linked
    assert "][reefing early]]" in linked
    assert "[[id:" not in sailing.state()["text"]
    assert NOTE == (home / "vault" / FILE).read_text(encoding="utf-8")


def test_what_is_dismissed_is_not_suggested_again(sailing: Terminal):
    screen = suggest(sailing)
    sailing.press("n")
    sailing.press("d")
    sailing.shows("Dismissed for good")
    sailing.press("q")
    sailing.command("roam-semantic-suggest-links")
    again = sailing.shows("o suggest") if screen.count("→") == 1 else suggest(sailing)

    assert screen.count("→") == again.count("→") + 1
