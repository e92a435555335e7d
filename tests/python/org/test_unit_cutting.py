"""A note to units: whose they are, what they say, where they stand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roam_semantic.org.parse import read_note
from roam_semantic.org.segment import segment
from roam_semantic.org.split import SCRAP, TARGET, size

SENTENCE = "Bees carry pollen from one flower to the next while they look for nectar. "
PHRASE = SENTENCE * 3
LONG = 2 * TARGET


def drawer(node_id: str, *more: str) -> str:
    lines = "".join(f"{line}\n" for line in more)
    return f":PROPERTIES:\n:ID: {node_id}\n{lines}:END:\n"


def units(text: str, too_long=None, only=None):
    """Return the units of TEXT; ONLY: the ids that count, all when None."""
    note = read_note(text, "/vault/bees.org")
    nodes = [node for node in note.nodes if only is None or node.id in only]
    return segment(note, nodes, too_long)


def shape(text: str, **arguments) -> list[tuple[str | None, str]]:
    return [(unit.node_id, unit.title) for unit in units(text, **arguments)]


def prose(count: int) -> str:
    """Return COUNT paragraphs, each of its own words."""
    return "\n\n".join(f"Paragraph p{number}. {SENTENCE}" for number in range(count))


# -- owners


def test_every_node_has_a_unit_of_its_own_even_without_words():
    text = drawer("f") + "* One\n" + drawer("one") + "** Two\n" + drawer("two")

    assert [("f", "bees"), ("one", "One"), ("two", "Two")] == shape(text)
    assert ["", "", ""] == [unit.text for unit in units(text)]


def test_a_file_without_id_and_words_has_no_unit_and_with_words_it_has():
    assert [] == shape("#+title: Bees\n")
    assert [(None, "Bees")] == shape("#+title: Bees\nHum.\n")


def test_text_below_a_heading_without_id_is_of_the_node_above():
    text = drawer("f") + "* One\n" + drawer("one") + "** Plain\n" + PHRASE + "\n* Other\n" + PHRASE

    assert [("f", "bees"), ("one", "One"), ("one", "Plain"), ("f", "Other")] == shape(text)


def test_a_heading_whose_id_does_not_count_is_no_owner():
    text = drawer("f") + "* One\n" + drawer("one") + PHRASE + "\n"

    assert [("f", "bees"), ("f", "One")] == shape(text, only={"f"})
    assert [(None, "One")] == shape(text, only=set())


def test_a_unit_knows_the_path_to_its_heading_and_a_preamble_has_none():
    text = drawer("f") + "* One\n** Two\n" + PHRASE

    assert [("preamble", ()), ("heading", ("One", "Two"))] == [
        (unit.type, unit.outline_path) for unit in units(text)
    ]


def test_excluded_text_is_nowhere():
    text = (
        drawer("f") + "Seen.\n* One\n" + drawer("one", ":ROAM_EXCLUDE: t")
        + "Secret one.\n** Two\n" + "Secret two.\n* Three\nSeen too.\n"
    )  # fmt: skip
    said = " ".join(unit.text + unit.title for unit in units(text))

    assert "Seen." in said
    assert "Seen too." in said
    assert "ecret" not in said


# -- short headings


def test_short_siblings_share_a_unit_that_names_each():
    text = "* Hive\n" + drawer("h") + "** Queen\nOne.\n** Drones\nMany.\n** Workers\n"
    (hive, shared) = units(text)

    assert ("h", "Hive") == (hive.node_id, hive.title)
    assert ("h", "Hive", ("Hive",), "Queen\nOne.\nDrones\nMany.\nWorkers") == (
        shared.node_id, shared.title, shared.outline_path, shared.text,
    )  # fmt: skip
    assert (5, text.index("** Queen") + 1) == (shared.line, shared.pos)


def test_a_short_heading_alone_keeps_its_own_name():
    text = drawer("f") + "* Queen\nOne.\n"

    assert [("bees", ""), ("Queen", "One.")] == [(unit.title, unit.text) for unit in units(text)]


def test_short_headings_of_two_owners_do_not_mix():
    text = "* A\n" + drawer("a") + "** One\nx\n* B\n" + drawer("b") + "** Two\ny\n"

    assert [("a", "A"), ("a", "One"), ("b", "B"), ("b", "Two")] == shape(text)


def test_a_shared_unit_does_not_grow_past_the_target():
    text = "".join(f"* Number {number}\n{SENTENCE}\n" for number in range(40))
    found = units(text)

    assert 1 < len(found) < 40
    assert all(size(unit.text) <= TARGET for unit in found)
    assert 40 == sum(unit.text.count("Number") for unit in found)


def test_a_heading_that_only_holds_others_is_in_their_path():
    text = "* Hive\n** Queen\n" + PHRASE

    assert [("Queen", ("Hive", "Queen"))] == [
        (unit.title, unit.outline_path) for unit in units(text)
    ]


# -- kinds


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Summary", "summary"),
        ("TL;DR:", "summary"),
        ("Claim: bees see violet", "claim"),
        ("Definition", "concept"),
        ("Themes", "theme"),
        ("[00:12:30] Why bees dance", "timestamp"),
        ("Bees in summary", "heading"),
    ],
)
def test_the_words_of_a_heading_tell_the_kind(title, expected):
    (found,) = units(f"* {title}\n{PHRASE}")

    assert expected == found.type


def test_headings_below_a_collection_are_of_its_kind():
    text = "* Claims\n** Bees see violet\nYes.\n** Bees dance\nYes.\n"

    assert ["claim", "claim"] == [unit.type for unit in units(text) if unit.text]


def test_description_and_keywords_of_a_file_are_a_unit_of_metadata():
    text = drawer("f") + "#+description: All of the hive\n#+keywords: wax\n\nHum.\n"

    assert [("metadata", "All of the hive wax"), ("preamble", "Hum.")] == [
        (unit.type, unit.text) for unit in units(text)
    ]


# -- explicit blocks


def test_an_embed_block_is_a_unit_of_its_own_and_its_text_nowhere_else():
    text = (
        drawer("f") + "Before.\n#+begin_embed :type claim\nBees see violet.\n#+end_embed\nAfter.\n"
    )
    own, block = units(text)

    assert ("claim", "Bees see violet.", 6) == (block.type, block.text, block.line)
    assert text.index("Bees see") + 1 == block.pos
    assert "Before." in own.text
    assert "After." in own.text
    assert "violet" not in own.text


def test_an_embed_block_without_a_known_type_is_explicit():
    text = "#+BEGIN_EMBED\nOne.\n#+END_EMBED\n#+begin_embed :type nonsense\nTwo.\n#+end_embed\n"

    assert [("explicit", "One."), ("explicit", "Two.")] == [
        (unit.type, unit.text) for unit in units(text)
    ]


def test_an_embed_block_that_never_ends_is_plain_text():
    (found,) = units("#+begin_embed\nOne.\n")

    assert ("preamble", "One.") == (found.type, found.text)


def test_an_embed_block_below_a_short_heading_belongs_to_that_heading():
    text = drawer("f") + "* One\nx\n* Two\n#+begin_embed\nWax.\n#+end_embed\n"

    assert [("Two", ("Two",))] == [
        (unit.title, unit.outline_path) for unit in units(text) if unit.type == "explicit"
    ]


# -- long texts


def test_a_long_text_is_cut_between_paragraphs_and_none_is_lost():
    found = units(drawer("f") + prose(40))

    assert list(range(len(found))) == [unit.part for unit in found]
    assert all(size(unit.text) <= TARGET + 2 * SCRAP for unit in found)
    assert [f"p{number}." for number in range(40)] == _marked(found)


def _marked(found) -> list[str]:
    words = " ".join(unit.text for unit in found).split()
    return [word for word in words if word[0] == "p" and word[1:-1].isdigit()]


def test_a_long_paragraph_is_cut_behind_a_sentence():
    found = units(SENTENCE * 40)

    assert len(found) > 2
    assert all(unit.text.endswith("nectar.") for unit in found)


@pytest.mark.parametrize("word", ["x" * 5000, "蜂" * 2000, "é" * 3000])
def test_a_word_without_end_is_cut_anywhere_rather_than_kept_whole(word):
    found = units(f"Bees {word[:240]} " + word)

    assert all(size(unit.text) <= TARGET + SCRAP for unit in found)


def test_every_part_points_to_its_own_first_line():
    text = "* One\n" + drawer("one") + prose(40) + "\n"
    lines = text.split("\n")
    first, *later = units(text)

    assert (1, 1) == (first.line, first.pos)
    assert later
    for unit in later:
        assert unit.text.split("\n")[0] == lines[unit.line - 1].strip()
        assert text.startswith(unit.text.split("\n")[0], unit.pos - 1)


def test_a_preamble_points_to_its_text_and_not_to_the_drawer():
    text = drawer("f") + "#+title: Bees\n\nHum.\n"
    (found,) = units(text)

    assert (6, text.index("Hum.") + 1) == (found.line, found.pos)


def test_what_the_model_cannot_read_whole_is_cut_until_it_can():
    words = "Bienenwachstuchproduktion " * 90
    found = units(drawer("f") + "* One\n" + words, lambda text: len(text) > 300)

    assert all(len(unit.text) <= 300 for unit in found)
    assert words.split() == " ".join(unit.text for unit in found).split()


def test_the_model_is_not_asked_about_short_prose():
    asked = []

    units(drawer("f") + "Bees hum.\n* One\n" + SENTENCE, lambda words: bool(asked.append(words)))

    assert [] == asked


def test_a_model_that_never_has_enough_still_gets_an_end():
    assert units(PHRASE * 10, lambda words: True)


# -- what is text


def test_raw_speech_is_left_out_and_its_title_stays():
    text = (
        "* Talk\n" + drawer("t") + "** Transcript\nUm, well.\n*** [00:00:10]\nSo, yes.\n"
        "** Thoughts\nBees.\n"
    )
    said = "\n".join(f"{unit.title} {unit.text}" for unit in units(text))

    assert "Transcript" in said
    assert "Bees." in said
    assert "well" not in said
    assert "yes" not in said


def test_a_node_below_raw_speech_is_read():
    text = "* Transcript\nUm.\n** A thought\n" + drawer("x") + "Bees dance.\n"

    assert [("x", "Bees dance.")] == [
        (unit.node_id, unit.text) for unit in units(text) if unit.text
    ]


def test_a_table_is_read_as_its_cells():
    (found,) = units("| Bee | Wax |\n|-----+-----|\n| Mia | 3   |\n")

    assert "Bee, Wax\n\nMia, 3" == found.text


def test_each_part_of_a_long_table_repeats_the_header():
    rows = "".join(f"| bee number {number} | {number} grams of wax |\n" for number in range(80))
    text = "Bees:\n\n| Name | Weight |\n" + rows
    _, first, *later = units(text)

    assert first.text.startswith("Name, Weight\nbee number 0,")
    assert later
    for unit in later:
        header, row = unit.text.split("\n")[:2]
        assert "Name, Weight" == header
        assert row.partition(",")[0] in text.split("\n")[unit.line - 1]


def test_logs_and_comments_and_keywords_are_no_words():
    text = (
        drawer("f") + "#+title: B\n# hidden\n:LOGBOOK:\n- hidden\n:END:\nHum.\n"
        "#+begin_comment\nhidden\n#+end_comment\n"
    )
    (found,) = units(text)

    assert "Hum." == found.text


def test_code_keeps_its_signs_and_loses_its_commas():
    (found,) = units("#+begin_src org\n,* =x= [[id:a][b]]\n#+end_src\n")

    assert "* =x= [[id:a][b]]" == found.text


def test_markup_is_taken_off_and_links_say_their_words():
    text = (
        "A *bold* /slanted/ =code= [[id:x][wild bee]] on <2024-03-01 Fri>, see [cite:@a] "
        "and [[file:/v/wax.org]].[fn:1]\n- [X] done\n"
    )
    (found,) = units(text)

    assert (
        "A bold slanted code wild bee on 2024-03-01 Fri, see @a and wax.org.\n- done" == found.text
    )


def test_blanks_nobody_sees_are_no_text():
    assert () == units("\u3000\n\xa0\u200b \t\n\u2060\ufeff\n")


def test_a_picture_in_letters_is_no_text():
    (found,) = units("Bees.\n" + "QUJD" * 500 + "\nHum.\n")

    assert "QUJD" not in found.text
    assert "Bees." in found.text
    assert "Hum." in found.text


# -- any text

PIECES = st.sampled_from(
    [
        "* ", "** ", "*** Summary\n", "* Transcript\n", "* [00:01:02]\n", "\n", "\n", "\n\n",
        ":PROPERTIES:\n:ID: x\n:END:\n", ":PROPERTIES:\n:ID: y\n:ROAM_EXCLUDE: t\n:END:\n",
        ":LOGBOOK:\n", ":END:\n", "*" * 15 + " task\n", "*" * 15 + " END\n", "#+title: T\n",
        "#+description: d\n", "#+begin_src x\n", "#+end_src\n", "#+begin_embed :type claim\n",
        "#+end_embed\n", ",* ", "| a | b |\n", "|--+--|\n", "[[id:a][b\nc]]", "[[file:\n\n]]",
        "[fn:1] ", "- [ ] ", "\u3000", "\u200b", "\xa0", "蜂", SENTENCE, SENTENCE * 15, "蜂" * 300,
        "w" * 900, "| " + "cell | " * 30 + "\n", "x y z " * 200, "/a\nb/", ": fixed\n",
    ]
)  # fmt: skip
TEXTS = st.lists(PIECES | st.text(max_size=8), max_size=40).map("".join)
LIMITS = st.sampled_from([None, 0, 60, 300])


@given(TEXTS, LIMITS)
@settings(deadline=None, max_examples=150)
def test_whatever_stands_in_a_file_it_is_cut_and_units_stand_in_it(text, limit):
    too_long = None if limit is None else lambda words: len(words) > limit
    lines = text.count("\n") + 1

    for unit in units(text, too_long):
        assert 1 <= unit.line <= lines
        assert 1 <= unit.pos <= len(text) + 1
        assert unit.line == text.count("\n", 0, unit.pos - 1) + 1


@given(TEXTS)
@settings(deadline=None, max_examples=150)
def test_every_node_is_found_by_a_unit_of_its_own(text):
    note = read_note(text, "/vault/any.org")
    owners = {unit.node_id for unit in segment(note, note.nodes)}

    assert {node.id for node in note.nodes if node.id} <= owners


def test_a_table_right_below_its_heading_repeats_its_header():
    rows = "".join(f"| bee {n} | {n} grams of wax |\n" for n in range(80))
    note = read_note(f"* H\n:PROPERTIES:\n:ID: h\n:END:\n| N | W |\n{rows}", "a.org")

    texts = [unit.text for unit in segment(note, note.nodes) if unit.text]

    assert len(texts) > 1
    assert all(text.startswith("N, W\n") for text in texts)
