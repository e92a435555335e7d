"""Twice the text is twice the work, whatever it holds; and no word is told twice.

Work is counted in calls, not seconds: a count is the same on every machine.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roam_semantic.org.parse import read_note
from roam_semantic.org.segment import segment

PIECES = {
    "headings": "* heading\ntext\n",
    "nodes": "* heading\n:PROPERTIES:\n:ID: x\n:END:\n",
    "links": "see [[id:a][b]] and https://a.b here\n",
    "wrapped links": "see [[id:a][b\nc]] here\n",
    "open brackets": "[[",
    "open descriptions": "[[a][",
    "open citations": "[cite:@a",
    "open angles": "<id:x ",
    "open verbatim": " =x",
    "open blocks": "#+begin_src\n",
    "blocks": "#+begin_src\n,* a\n#+end_src\n",
    "open drawers": ":LOGBOOK:\n",
    "clocks": "CLOCK: [2024-01-01]\n",
    "keywords": "#+title: a\n",
    "hash signs": "#+",
    "tables": "| a | b |\n",
    "inline tasks": f"{'*' * 15} a\nx\n{'*' * 15} END\n",
    "embed blocks": "#+begin_embed\nx\n#+end_embed\n",
    "formulas": "\\begin{a}\n",
    "one long line": "some words without end ",
    "one long word": "蜂",
    "base64": "QUJD",
}


def calls_for(text: str) -> int:
    count = 0

    def counted(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        note = read_note(text, "/vault/long.org")
        segment(note, note.nodes)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES)
def test_twice_the_text_is_twice_the_work(piece: str):
    times = 6000 // len(piece)
    once, twice = calls_for(piece * times), calls_for(piece * 2 * times)

    assert twice <= 2.3 * once + 200


@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES)
def test_a_long_file_of_nothing_else_comes_to_an_end(piece: str):
    text = piece * (100_000 // len(piece))
    note = read_note(text, "/vault/long.org")

    assert segment(note, note.nodes) is not None


LINES: list[Callable[[str], str]] = [
    lambda word: f"* {word}",
    lambda word: f"** TODO {word} :tag:",
    lambda word: f"* {word}\n:PROPERTIES:\n:ID: {word}-id\n:END:",
    lambda word: f"{word} says [[id:x][something]] to =code=.",
    lambda word: f"- [ ] {word}",
    lambda word: f"#+begin_src x\n{word}\n#+end_src",
    lambda word: f"#+begin_embed :type claim\n{word}\n#+end_embed",
    lambda word: f": {word}",
    lambda word: f"# {word}",
    lambda word: f":LOGBOOK:\n- {word}\n:END:",
    lambda word: f"{'*' * 15} {word}\nwithin\n{'*' * 15} END",
    lambda word: " ".join([word] + ["and more words for it"] * 30),
    lambda word: f"\n{word}\n",
]


@given(st.lists(st.sampled_from(LINES), max_size=30))
@settings(deadline=None, max_examples=150)
def test_the_words_of_a_line_stand_in_one_unit_at_most(chosen: list[Callable[[str], str]]):
    words = [f"w{number}q" for number in range(len(chosen))]
    text = "\n".join(line(word) for line, word in zip(chosen, words, strict=True))
    note = read_note(text, "/vault/any.org")
    units = segment(note, note.nodes, lambda unit: len(unit) > 400)

    told = Counter(word for unit in units for word in set(re.findall(r"\bw\d+q\b", unit.text)))
    assert [] == [word for word, times in told.items() if times > 1]


def test_a_link_whose_description_never_ends_hides_the_next_one_as_in_org():
    note = read_note(":PROPERTIES:\n:ID: n\n:END:\n[[id:a][open [[id:b][closed]] end\n", "f.org")

    assert ["a"] == [link.dest for link in note.links]
