import pytest
from hypothesis import given
from hypothesis import strategies as st

from roam_semantic.models import tokens, weights
from tests.python.models.tiny import WORDS

LIMIT = 32
VOCABULARY = weights.read_vocabulary()
NUMBERS = {token: at for at, token in enumerate(VOCABULARY.decode().split("\n"))}
MINI = tokens.from_vocabulary(VOCABULARY, LIMIT)
UNLIMITED = tokens.from_vocabulary(VOCABULARY, 100_000)

words = st.lists(
    st.sampled_from(
        ["the", "a", "note", "of", "roam", "with", "linked", "ideas", "größe", "Zürich", "日本"]
    )
)
anything = st.text(max_size=300)


def numbers(text):
    return [NUMBERS[token] for token in text.split()]


def test_a_text_is_read_between_its_two_marks():
    assert [numbers("[CLS] org - roam ##s [SEP]")] == MINI.windows("Org-ROAMs")


def test_accents_and_case_do_not_matter():
    assert MINI.windows("zurich grosse cafe") == MINI.windows(
        "Zürich große CAFÉ".replace("ß", "ss")
    )


def test_a_mark_in_a_note_is_text():
    (window,) = MINI.windows("a [SEP] b")

    assert numbers("[CLS] a [ sep ] b [SEP]") == window


def test_half_a_surrogate_pair_is_read_as_a_sign():
    assert MINI.windows("a ? b") == MINI.windows("a \ud800 b")


@pytest.mark.parametrize("text", ["", "  \n", "\x00\x01", "\u200b", "🎉 🎉"])
def test_a_text_of_which_nothing_is_known_has_no_window(text):
    assert [] == MINI.windows(text)


@given(words)
def test_windows_overlap_and_together_hold_every_token(given_words):
    windows = MINI.windows(" ".join(given_words * 4))
    if not windows:
        return
    (whole,) = UNLIMITED.windows(" ".join(given_words * 4))
    joined = windows[0][1:-1]
    for window in windows[1:]:
        inner = window[1:-1]
        overlap = min((LIMIT - 2) // 4, len(inner))
        assert joined[-overlap:] == inner[:overlap]
        joined += inner[overlap:]

    assert whole[1:-1] == joined
    assert all(len(window) <= LIMIT for window in windows)


@given(anything | words.map(" ".join))
def test_a_text_is_too_long_exactly_when_one_window_does_not_hold_it(text):
    assert MINI.too_long(text) == (len(UNLIMITED._encode(text).ids) > LIMIT)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("word " * 30, False),
        ("word " * 31, True),
        ("x" * 99, True),
        ("x" * 101, False),  # a word of over a hundred letters is one unknown token
        ("漢" * 30, False),
        ("漢" * 31, True),
        ("漢" * 100_000, True),
        ("word " * 100_000, True),
        (" " * 100_000, False),
        ("", False),
    ],
)
def test_the_limit_counts_tokens_not_letters(text, expected):
    assert expected == MINI.too_long(text)


def test_case_is_kept_when_the_vocabulary_has_it():
    cased = tokens.from_vocabulary(b"[UNK]\n[CLS]\n[SEP]\nOrg\norg\n", 8, lowercase=False)

    assert [[1, 3, 4, 2]] == cased.windows("Org org")


def test_line_ends_of_windows_do_not_become_part_of_tokens():
    dos = tokens.from_vocabulary("\r\n".join(WORDS).encode(), 8)

    assert [[2, 7, 8, 3]] == dos.windows("cat dog")


def test_a_vocabulary_without_marks_is_refused():
    with pytest.raises(ValueError, match=r"\[SEP\]"):
        tokens.from_vocabulary(b"[UNK]\n[CLS]\ncat\n", 8)


def test_a_file_that_is_no_tokenizer_is_refused(tmp_path):
    file = tmp_path / "tokenizer.json"
    file.write_text('{"version": "1.0"}')

    with pytest.raises(ValueError, match="."):
        tokens.from_file(str(file), 8)


def test_padding_and_limit_baked_into_a_tokenizer_file_are_ignored(tmp_path):
    tokenizer = tokens.from_vocabulary("\n".join(WORDS).encode(), 8)._tokenizer
    tokenizer.enable_padding(length=8)
    tokenizer.enable_truncation(4)
    tokenizer.save(str(tmp_path / "tokenizer.json"))

    ours = tokens.from_file(str(tmp_path / "tokenizer.json"), 8)

    assert [[2, 7, 8, 7, 3]] == ours.windows("cat dog cat")
