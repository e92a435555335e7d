"""The side panel in org-roam's buffer, with a real server and a real database."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.conftest import PYTHON
from tests.e2e.terminal import ROOT, Terminal

NOTE = "20210718203012-seasickness.org"


@pytest.fixture
def panel(home: Path, wire: str):
    """Return an Emacs that shows NOTE with org-roam's buffer below it, point in the panel."""
    emacs = Terminal(home, ROOT / "elisp", PYTHON, wire, "vault")
    emacs.press("C-x", "C-f")
    emacs.shows("Find file")
    emacs.press("C-a", "C-k")
    emacs.type(str(home / "vault" / NOTE))
    emacs.press("Enter")
    emacs.shows("#+title: Seasickness")
    emacs.command("org-roam-db-sync")
    emacs.state()
    emacs.command("roam-semantic-buffer-setup")
    emacs.shows("org-roam-buffer-toggle shows")
    emacs.command("org-roam-buffer-toggle")
    emacs.shows("*org-roam*")
    emacs.press("C-x", "o", "C-s")
    emacs.type("Related by")
    emacs.press("Enter", "C-l", "C-l")
    yield emacs
    emacs.close()


def test_the_panel_shows_what_is_related_and_why_and_leads_there(panel: Terminal):
    panel.shows("because")
    panel.press("C-s")
    panel.type("because")
    panel.press("Enter", "Enter")
    panel.shows("#+title: ")
    state = panel.state()

    assert Path(state["file"]).name.endswith(".org")
    assert NOTE != Path(state["file"]).name


def test_a_row_of_the_panel_becomes_a_link_in_the_note(panel: Terminal):
    panel.shows("because")
    panel.press("C-s")
    panel.type("because")
    panel.press("Enter", "l")
    panel.shows("Linked to")
    note = panel.home / "vault" / NOTE
    before = note.read_text("utf-8")
    panel.press("C-x", "o", "C-x", "C-s")
    panel.shows("Wrote")

    assert before.count("[[id:") + 1 == note.read_text("utf-8").count("[[id:")
    note.write_text(before, "utf-8")
