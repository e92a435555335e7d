from hypothesis import given
from hypothesis import strategies as st

from roam_semantic.retrieval.passage import passage

LONG = "One two three. " * 40 + "Here the saffron grows beside the milk. " + "Four five six. " * 40


def test_a_short_text_is_shown_whole_with_its_lines():
    assert "one\ntwo  three".replace("  ", " ") == passage(" one \n\n two \t three ")


def test_a_long_text_is_shown_where_the_words_stand():
    shown = passage(LONG, ["saffron", "milk"], 120)

    assert "Here the saffron grows beside the milk." in shown
    assert shown.startswith("…")
    assert shown.endswith("…")


def test_without_a_match_the_beginning_is_shown():
    shown = passage(LONG, ["zebra"], 100)

    assert shown.startswith("One two three.")
    assert not shown.startswith("…")


def test_most_different_words_win_over_an_earlier_one():
    text = "milk " * 3 + "nothing here at all " * 30 + "saffron with milk and honey"

    assert "saffron with milk and honey" in passage(text, ["milk", "saffron", "honey"], 100)


def test_words_are_not_cut():
    shown = passage(LONG, ["saffron"], 100).strip("…").split()

    assert set(shown) <= set(LONG.split())


def test_a_needle_is_the_beginning_of_a_word_in_any_case():
    text = "unindexed " * 60 + "The Indexes were rebuilt" + " later" * 60

    assert "The Indexes were rebuilt" in passage(text, ["index"], 100)


def test_letters_without_blanks_are_cut_anywhere():
    shown = passage("漢字" * 300 + "設備" + "仮名" * 300, ["設備"], 80)

    assert "設備" in shown
    assert len(shown) <= 82


@given(st.text(max_size=900), st.lists(st.text(max_size=5), max_size=4), st.integers(40, 400))
def test_any_text_is_shown_within_bounds_and_fit_for_a_protocol(text, needles, size):
    shown = passage(text, needles, size)

    assert len(shown) <= size + 2
    assert "\x00" not in shown
    assert shown == shown.encode().decode()
