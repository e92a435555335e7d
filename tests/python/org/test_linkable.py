"""Where a link may be made: running text, and nothing else."""

import pytest

from roam_semantic.org.linkable import HOLE, linkable
from roam_semantic.org.parse import read_note


def left(text):
    """Return what is left of TEXT, holes taken out."""
    made = linkable(text, read_note(text, "/v/note.org"))
    assert len(made) == len(text)
    assert all(mine in (HOLE, theirs) for mine, theirs in zip(made, text, strict=True))
    return made.replace(HOLE, "").strip()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain words", "plain words"),
        ("a [[id:x][described link]] here", "a  here"),
        ("a [[https://example.org]] here", "a  here"),
        ("see https://example.org/emacs here", "see  here"),
        ("mail mailto:me@example.org here", "mail  here"),
        ("<https://example.org/a b> here", "here"),
        ("code =(setq x)= and ~emacs~ here", "code  and  here"),
        ("a \\(x + y\\) here and $x^2$ too", "a  here and  too"),
        ("cited [cite:@knuth1984] here", "cited  here"),
        ("a note[fn:1] here", "a note here"),
        ("a note[fn:: with words] here", "a note with words] here"),
        ("<<target>> here", "here"),
        ("on <2024-01-02 Tue> here", "on  here"),
        ("src_python{print(1)} here", "here"),
        ("{{{macro(words)}}} here", "here"),
        ("#+title: Emacs\nhere", "here"),
        ("# a comment\nhere", "here"),
        (": as it is\nhere", "here"),
        ("SCHEDULED: <2024-01-02>\nhere", "here"),
        (":PROPERTIES:\n:ID: x\n:NOTE: words\n:END:\nhere", "here"),
        ("* A heading\nhere", "A heading\nhere"),
        ("* TODO A heading :tag:other:\nhere", "A heading\nhere"),
        ("* A node\n:PROPERTIES:\n:ID: x\n:END:\nhere", "here"),
        ("* H\n:LOGBOOK:\nCLOCK: [2024-01-02]\n- words\n:END:\nhere", "H\n\nhere"),
        ("* H\nCLOCK: [2024-01-02 Tue 10:00]\nhere", "H\n\nhere"),
        ("* Out\n:PROPERTIES:\n:ROAM_EXCLUDE: t\n:ID: x\n:END:\nno\n* In\nhere", "In\nhere"),
        ("#+begin_quote\nquoted\n#+end_quote", "quoted"),
        ("a: b", "a: b"),
        ("| a cell | other |", "| a cell | other |"),
    ],
)
def test_what_is_left_of_a_text(text, expected):
    assert expected == left(text)


@pytest.mark.parametrize("block", ["src python", "example", "export html", "comment"])
def test_a_block_that_is_no_text_is_a_hole(block):
    name = block.split()[0]

    text = f"before\n#+begin_{block}\nemacs\n#+end_{name}\nafter"

    assert "before\nafter" == left(text)


def test_a_drawer_that_is_never_closed_ends_with_its_heading():
    assert "Next\nhere" in left("* H\n:LOGBOOK:\n- words\n* Next\nhere")


def test_a_long_text_of_open_brackets_is_soon_read():
    text = "[[ =a ~b [cite: :LOGBOOK:\n" * 5000

    assert len(text) == len(linkable(text, read_note(text, "/v/note.org")))
