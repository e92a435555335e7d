"""Finding while typing, links and actions, as a person does them, over both wires."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.e2e.conftest import PYTHON
from tests.e2e.terminal import ROOT, Terminal, eventually

# No word of it stands in the note.
QUESTION = "spontaneous combustion of dirty fabric"
HEADING = "* Rags"
LINK = r"\[\[id:f7b84258-22ed-42ef-afd1-202b9ffb6ba2\]\[(.*?)\]\]"
NONSENSE = "tag:nosuchtag zxqv flurbish"
PROMPT = "Find notes about"
NOTE = r"Note( \(.*\))?:"


@pytest.fixture
def full(home: Path, wire: str):
    """Return an Emacs with vertico, marginalia, embark and consult."""
    for package in ("vertico", "marginalia", "embark", "consult"):
        if not list(Path("/usr/share/emacs/site-lisp/elpa").glob(package + "-[0-9]*")):
            pytest.skip(f"{package} is not installed")
    opened = Terminal(home, ROOT / "elisp", PYTHON, wire, "vault", more="full.el")
    yield opened
    opened.close()


@pytest.fixture
def draft(home: Path):
    """Return a note of the person's own to write into, outside the vault."""
    path = home / "draft.org"
    path.write_text("Mind the oily rags here.\n", encoding="utf-8")
    yield path
    path.unlink()


def evaluate(emacs: Terminal, form: str) -> None:
    emacs.press("M-:")
    emacs.shows("Eval:")
    emacs.type(form)
    emacs.press("Enter")
    eventually(lambda: "Eval:" not in emacs.screen(), lambda: f"Emacs is stuck on {form}")


def command(emacs: Terminal, name: str) -> None:
    """Run NAME; vertico shows candidates below the prompt, so that is not the last line."""
    emacs.press("M-x")
    emacs.shows("M-x")
    emacs.type(name)
    emacs.press("Enter")


def find(emacs: Terminal, question: str, first: str, name: str = "roam-semantic-find") -> str:
    """Type QUESTION and wait until FIRST is the first hit; return the screen."""
    command(emacs, name)
    emacs.shows(PROMPT)
    emacs.type(question)
    return eventually(
        lambda: re.search(rf"{PROMPT}.*\n.*{first}.*%", screen := emacs.screen()) and screen,
        lambda: f"{first} never came first:\n{emacs.screen()}",
    )


def visit(emacs: Terminal, path: Path) -> None:
    evaluate(emacs, f'(find-file "{path}")')
    emacs.shows(path.name)


def lands_on_the_heading(emacs: Terminal) -> None:
    emacs.shows("linseed_oil_and_wax.org ")
    eventually(
        lambda: emacs.state()["text"] == HEADING and not emacs.state()["hidden"],
        lambda: f"point is not at {HEADING}:\n{emacs.screen()}",
    )


def test_through_consult_hits_come_while_typing_and_are_previewed(full: Terminal):
    screen = find(full, QUESTION, "Rags")
    full.press("C-n", "C-p")
    full.shows("Preview:20210124140000-linseed_oil_and_wax.org")
    full.press("Enter")

    assert re.search(r"Rags .*% (meaning|both) .*#woodworking", screen)
    lands_on_the_heading(full)
    assert "Preview:" not in full.screen()


def test_leaving_consult_leaves_no_preview_behind(full: Terminal):
    find(full, QUESTION, "Rags")
    full.press("C-n", "C-p")
    full.shows("Preview:20210124140000-linseed_oil_and_wax.org")
    full.press("C-g")
    full.shows("Quit")
    evaluate(
        full,
        '(message "left: %S" (seq-filter (lambda (b)'
        ' (string-match-p "Preview\\\\|linseed" (buffer-name b))) (buffer-list)))',
    )

    full.shows("left: nil")


def test_narrowing_to_dailies_asks_the_server_again(full: Terminal):
    screen = find(full, "sleep badly", "Sleep inertia")
    full.type("<d")
    full.shows("[Dailies]")
    narrowed = eventually(
        lambda: (now := full.screen()) and "Sleep inertia  " not in now and "2022-07-04" in now
        and now,
        lambda: f"other notes than dailies stayed:\n{full.screen()}",
    )  # fmt: skip

    assert "2022-07-04" not in screen
    assert re.search(r"2023-01-18 › 23:00 .*%", narrowed)


def test_embark_offers_our_actions_and_copies_a_link(full: Terminal):
    find(full, QUESTION, "Rags")
    full.press("C-c", "e")
    full.shows("roam-semantic-embark-copy-link")
    full.press("l")

    full.shows("Copied [[id:f7b84258-22ed-42ef-afd1-202b9ffb6ba2][Rags]]")


def test_embark_s_default_action_goes_to_the_heading(full: Terminal):
    find(full, QUESTION, "Rags")
    full.press("C-c", "e")
    full.shows("Act on org-roam-node 'Rags'")
    full.press("Enter")

    lands_on_the_heading(full)


def test_without_consult_vertico_shows_hits_while_typing(full: Terminal):
    evaluate(full, "(setq roam-semantic-find-live 'plain)")
    screen = find(full, QUESTION, "Rags")
    full.press("Enter")

    assert f"{PROMPT}: {QUESTION}" in screen
    lands_on_the_heading(full)


def test_in_bare_emacs_icomplete_shows_hits_while_typing(emacs: Terminal):
    command(emacs, "icomplete-vertical-mode")
    find(emacs, QUESTION, "Rags")
    emacs.press("Enter")

    lands_on_the_heading(emacs)


def test_an_answer_that_is_not_awaited_comes_all_the_same(full: Terminal):
    command(full, "roam-semantic-find")
    full.shows(PROMPT)
    full.tmux("send-keys", "-l", QUESTION)
    full.press("Enter")
    eventually(
        lambda: "Rags" in (now := full.screen()) and (re.search(NOTE, now) or HEADING in now),
        lambda: f"nothing came:\n{full.screen()}",
    )
    if re.search(NOTE, full.screen()):
        full.press("Enter")

    lands_on_the_heading(full)


def test_a_region_becomes_a_link_and_one_undo_takes_it_away(full: Terminal, draft: Path):
    visit(full, draft)
    evaluate(full, "(goto-char 10)")
    full.press("C-@", "M-f", "M-f")
    find(full, "", "Rags", "roam-semantic-insert")
    full.press("Enter")
    full.shows("Mind the oily rags here.")
    full.press("C-x", "C-s")
    linked = eventually(
        lambda: "id:" in (text := draft.read_text("utf-8")) and text,
        lambda: f"there is no link:\n{full.screen()}",
    )
    full.press("C-_")
    full.press("C-x", "C-s")
    eventually(lambda: "id:" not in draft.read_text("utf-8"), lambda: "one undo was not enough")

    assert re.fullmatch(rf"Mind the {LINK} here\.\n", linked)
    assert "oily rags" in linked
    assert draft.read_text("utf-8") == "Mind the oily rags here.\n"


def test_in_bare_emacs_a_link_is_inserted_in_two_steps(emacs: Terminal, draft: Path):
    visit(emacs, draft)
    evaluate(emacs, "(goto-char (point-max))")
    command(emacs, "roam-semantic-insert")
    emacs.shows(PROMPT)
    emacs.type(QUESTION)
    emacs.press("Enter")
    emacs.shows("Note")
    emacs.press("Enter")
    emacs.press("C-x", "C-s")
    linked = eventually(
        lambda: "id:" in (text := draft.read_text("utf-8")) and text,
        lambda: f"there is no link:\n{emacs.screen()}",
    )

    assert re.search(LINK, linked)[1] == "Rags"


def test_nothing_found_offers_to_capture_a_note(full: Terminal, home: Path):
    command(full, "roam-semantic-find")
    full.shows(PROMPT)
    full.type(NONSENSE)
    full.press("Enter")
    full.shows("No such note; capture “zxqv flurbish”?")
    full.press("y")
    full.shows("CAPTURE-")
    full.press("C-c", "C-k")

    eventually(lambda: "CAPTURE-" not in full.screen(), lambda: full.screen())
    # An aborted capture may leave its file behind: other tests want the vault as it was.
    for left in (home / "vault").glob("*zxqv*"):
        left.unlink()


def test_in_bare_emacs_nothing_found_captures_only_when_told_to(emacs: Terminal, home: Path):
    before = sorted((home / "vault").iterdir())
    command(emacs, "roam-semantic-find")
    emacs.shows(PROMPT)
    emacs.type(NONSENSE)
    emacs.press("Enter")
    emacs.shows("No such note; capture “zxqv flurbish”?")
    emacs.press("n")
    emacs.shows("Nothing captured")

    assert sorted((home / "vault").iterdir()) == before
