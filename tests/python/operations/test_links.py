"""Suggested links: which names and passages, where exactly, and which not."""

from __future__ import annotations

import hashlib
import time

import pytest

from roam_semantic.app import build
from roam_semantic.errors import NotFound
from roam_semantic.operations.core import LOOK_EVERY_S
from roam_semantic.store.lease import lease

BREAD = "Knead the dough until smooth, let the sourdough rise overnight and bake the loaf hot."
YEAST = "Wild yeast in a starter makes bread dough rise; feed it flour and water every day."
SAILS = "Reef the mainsail early when the wind gets up, before the boat heels and rounds up."


@pytest.fixture
def work(workspace):
    workspace.note("emacs", "Emacs", "An editor.")
    workspace.write(
        "retard.org",
        ':PROPERTIES:\n:ID: retard\n:ROAM_ALIASES: "Fridge proof"\n:END:\n#+title: Cold retard\n',
    )
    return workspace


def suggested(work, node="note", **more):
    """Return (kind, node, text) of each suggestion."""
    answer = work.call("suggest-links", node=node, **more)
    return [(each.kind, each.node_id, each.text) for each in answer.suggestions]


def test_a_mention_says_where_it_stands_and_what_it_names(work):
    path = work.note("note", "Note", "I write in emacs 🍞 of\nthe cold\nretard.")
    text = path.read_text()
    answer = work.call("suggest-links", node="note")
    first, second = answer.suggestions

    assert (str(path), hashlib.sha1(path.read_bytes()).hexdigest()) == (answer.file, answer.hash)
    assert ("mention", "emacs", "Emacs", str(work.vault / "emacs.org"), "An editor.") == (
        first.kind, first.node_id, first.title, first.file, first.passage,
    )  # fmt: skip
    assert ("emacs", text.index("emacs 🍞") + 1, 6) == (first.text, first.pos, first.line)
    assert first.end == first.pos + len("emacs")
    assert ("retard", "cold\nretard", 7) == (second.node_id, second.text, second.line)
    assert "cold\nretard" == text[second.pos - 1 : second.end - 1]
    assert 0.5 < first.score < second.score <= 1


def test_an_alias_is_a_name_too(work):
    work.note("note", "Note", "A fridge proof.")

    assert [("mention", "retard", "fridge proof")] == suggested(work)


def test_only_the_first_place_of_each_note_is_told(work):
    work.note("note", "Note", "Emacs and emacs, fridge proof or cold retard.")

    assert [("mention", "emacs", "Emacs"), ("mention", "retard", "fridge proof")] == suggested(work)


@pytest.mark.parametrize(
    "body",
    [
        "See [[id:emacs][the editor]], I like Emacs.",
        "~emacs~ and =emacs=",
        "#+begin_src sh\nemacs\n#+end_src",
        "#+description: emacs",
        "[[https://gnu.org][Emacs]]",
        "* A node\n:PROPERTIES:\n:ID: child\n:NOTE: emacs\n:END:",
    ],
)
def test_where_nothing_is_suggested(work, body):
    work.note("note", "Note", body)

    assert [] == suggested(work)


def test_a_note_is_not_told_of_itself_or_of_its_own_headings(work):
    work.write(
        "own.org",
        ":PROPERTIES:\n:ID: own\n:END:\n#+title: Own things\nOwn things and a part of it.\n"
        "* A part of it\n:PROPERTIES:\n:ID: part\n:END:\nMore of own things.\n",
    )

    assert [] == suggested(work, "own")
    assert [] == suggested(work, "part")


def test_a_heading_is_looked_through_alone(work):
    work.write(
        "note.org",
        ":PROPERTIES:\n:ID: note\n:END:\n#+title: Note\nEmacs above.\n"
        "* Part\n:PROPERTIES:\n:ID: part\n:END:\nA cold retard.\n** Deeper\nEmacs below.\n"
        "* Other\nA fridge proof, [[id:emacs]].\n",
    )
    answer = work.call("suggest-links", node="part")

    assert ["cold retard", "Emacs"] == [each.text for each in answer.suggestions]
    assert [10, 12] == [each.line for each in answer.suggestions]
    assert ["cold retard"] == [text for _, _, text in suggested(work)]


def test_the_heading_of_a_plain_heading_may_hold_a_link(work):
    work.note("note", "Note", "* TODO Learn Emacs :emacs:")

    assert [("mention", "emacs", "Emacs")] == suggested(work)


def test_positions_are_those_emacs_shows_of_windows_line_ends(work):
    text = ":PROPERTIES:\n:ID: note\n:END:\n#+title: Note\n\nAbout\nEmacs.\n"
    path = work.write("note.org", "")
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())

    (only,) = work.call("suggest-links", node="note").suggestions

    assert (text.index("Emacs") + 1, 7) == (only.pos, only.line)


def test_k_keeps_the_surest_in_the_order_of_the_text(work):
    work.note("long", "Oven spring of a loaf")
    work.note("note", "Note", "Emacs, oven spring of a loaf, then cold retard.")

    assert ["oven spring of a loaf", "cold retard"] == [t for _, _, t in suggested(work, k=2)]


def test_a_passage_that_means_another_note_is_suggested(work):
    work.note("yeast", "Starter", YEAST)
    work.note("sails", "Reefing", SAILS)
    for number in range(12):
        work.note(f"n{number}", f"Budget {number}", f"Minutes of the meeting about tax {number}.")
    path = work.note("note", "Loaves", f"* How\n\n  {BREAD}\n\n* Why\nBecause I like it warm.")
    work.call("index")

    (only,) = work.call("suggest-links", node="note").suggestions

    assert ("meaning", "yeast", BREAD, 8) == (only.kind, only.node_id, only.text, only.line)
    assert BREAD == path.read_text()[only.pos - 1 : only.end - 1]
    assert (YEAST, True) == (only.passage, 0.6 < only.score <= 1)

    work.note("note", "Loaves", f"* How\n{BREAD}\nSee [[id:yeast][it]].")
    work.call("index")
    assert [] == suggested(work)


def test_a_note_that_is_mentioned_is_not_suggested_twice(work):
    work.note("yeast", "Starter", YEAST)
    for number in range(12):
        work.note(f"n{number}", f"Budget {number}", f"Minutes of the meeting about tax {number}.")
    work.note("note", "Loaves", f"{YEAST} This is my starter.")
    work.call("index")

    assert [("mention", "yeast")] == [pair[:2] for pair in suggested(work)]


def test_without_vectors_mentions_are_told_and_what_is_missing(work):
    work.note("note", "Note", f"{BREAD} Typed in Emacs.")
    work.core.indexer.refresh(5.0)
    with lease(work.settings.index):
        answer = work.call("suggest-links", node="note")

    assert ["Emacs"] == [each.text for each in answer.suggestions]
    assert ("vectors: no note has its vector yet",) == answer.degraded


def test_a_server_reads_what_was_saved_this_very_second(work):
    work.note("note", "Note", "Nothing.")
    work.call("index")
    work.core = build(work.settings, serving=True)
    suggested(work)
    assert time.monotonic() - work.core._looked < LOOK_EVERY_S
    work.note("note", "Note", "I write in Emacs.")
    answer = work.call("suggest-links", node="note")

    assert ["Emacs"] == [each.text for each in answer.suggestions]
    assert () == answer.degraded


def test_a_note_whose_file_is_gone_is_not_found(work):
    path = work.note("note", "Note", "Emacs.")
    suggested(work)
    path.unlink()

    with pytest.raises(NotFound):
        suggested(work)
