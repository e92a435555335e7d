"""Whatever a file says, it is read, and every place that is told lies in it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from roam_semantic.org.parse import read_note

# Pieces that mean something to Org, so that chance finds their combinations.
PIECES = st.sampled_from(
    [
        "* ", "** ", "*" * 15 + " ", "*" * 15 + " END", "TODO ", "[#A] ", " :a:b:", "\n", "\n",
        "\n", ":PROPERTIES:\n", ":ID: x\n", ":END:\n", ":LOGBOOK:\n", "CLOCK: [2024-01-01]\n",
        ":ROAM_EXCLUDE: t\n", "#+title: T\n", "#+TODO: A | B\n", "#+begin_src x\n",
        "#+end_src\n", "#+begin_embed :type claim\n", "#+end_embed\n", ",* ", "| a | b |\n",
        "SCHEDULED: <2024-02-30>", "[[id:a]", "]", "[b]]", "[cite:@a;", "https://a.b", "<", ">",
        "=", "~", "\\begin{a}", "\\end{a}", "{{{", "}}}", "@@x:", "[fn:1]", "\u3000", "蜂 ", " ",
        "word. ",
    ]
)  # fmt: skip
TEXTS = st.lists(PIECES | st.text(max_size=8), max_size=40).map("".join)


@given(TEXTS)
@settings(deadline=None, max_examples=150)
def test_whatever_stands_in_a_file_it_is_read_and_positions_are_in_it(text):
    note = read_note(text, "/vault/any.org")
    lines = text.count("\n") + 1

    places = [*note.nodes, *note.links, *note.sections]
    assert all(1 <= place.pos <= len(text) + 1 for place in places)
    assert all(1 <= place.line <= lines for place in places)


@given(TEXTS)
@settings(deadline=None, max_examples=150)
def test_every_line_of_a_body_is_told_with_its_place_in_the_file(text):
    file_lines = text.split("\n")
    for section in read_note(text, "/vault/any.org").sections:
        body = section.body.split("\n") if section.lines else []
        starts = section.starts or _starts(body, section.body_pos)

        assert len(section.lines) == len(body) == len(starts)
        for line, number, pos in zip(body, section.lines, starts, strict=True):
            # A comma that escapes is taken out of the middle of a line.
            assert file_lines[number - 1].replace(",", "").endswith(line.replace(",", ""))
            assert number == text.count("\n", 0, pos - 1) + 1


def _starts(body: list[str], first: int) -> list[int]:
    return [first + sum(len(line) + 1 for line in body[:count]) for count in range(len(body))]
