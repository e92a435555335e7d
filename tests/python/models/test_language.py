import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roam_semantic.models.language import NAMES, guess, mostly_foreign

ROOT = Path(__file__).parents[3]
VAULTS = Path(os.environ.get("ROAM_SEMANTIC_SHARED") or ROOT.parent / "shared") / "vaults"

SENTENCES = {
    "en": "The cat is not a dog, but both of them live in this house.",
    "de": "Die Katze ist kein Hund, aber beide leben in diesem Haus und mögen sich nicht.",
    "fr": "Le chat n'est pas un chien, mais les deux vivent dans cette maison.",
    "es": "El gato no es un perro, pero los dos viven en esta casa.",
    "pt": "O gato não é um cachorro, mas os dois vivem nesta casa.",
    "it": "Il gatto non è un cane, ma tutti e due vivono nella casa.",
    "nl": "De kat is geen hond, maar ze wonen allebei in dit huis en dat is niet erg.",
    "sv": "Katten är inte en hund, men båda bor i det här huset och det är bra.",
    "pl": "Kot nie jest psem, ale oba są w tym domu.",
    "tr": "Kedi bir köpek değil ama ikisi de bu evde ve çok mutlu.",
    "ru": "Кошка не собака, но обе живут в этом доме.",
    "uk": "Кішка не собака, але обидві живуть у цій хаті.",
    "ja": "猫は犬ではないが、どちらもこの家に住んでいる。",
    "zh": "猫不是狗，但是它们都住在这个房子里。",
    "ko": "고양이는 개가 아니지만 둘 다 이 집에 산다.",
    "el": "Η γάτα δεν είναι σκύλος, αλλά ζουν και οι δύο εδώ.",
    "ar": "القطة ليست كلبا ولكن كلاهما يعيش في هذا البيت",
    "he": "החתול אינו כלב אבל שניהם גרים בבית הזה",
    "th": "แมวไม่ใช่สุนัข แต่ทั้งสองอาศัยอยู่ในบ้านหลังนี้",
    "hi": "बिल्ली कुत्ता नहीं है लेकिन दोनों इस घर में रहते हैं",
}


@pytest.mark.parametrize(("language", "sentence"), SENTENCES.items())
def test_a_sentence_is_enough(language, sentence):
    assert language == guess(sentence)


def test_every_language_has_a_name_and_an_example():
    assert set(NAMES) == set(SENTENCES)


@pytest.mark.parametrize("text", ["", "Emacs", "12:30 --- 45%", "🎉", "naïve café", "x = f(y)"])
def test_too_little_to_tell_is_no_language(text):
    assert "" == guess(text)


@given(st.text(max_size=400))
def test_any_text_gives_a_known_language_or_none(text):
    assert guess(text) in {"", *NAMES}


def test_properties_keywords_tables_and_code_do_not_count():
    note = """:PROPERTIES:
:ID: the-id-of-the-note-is-this
:SUMMARY: this is not what the note is about and it has to be left out
:END:
#+title: Заметка
#+filetags: :the:of:and:
| the | of | and |
#+begin_src python
# this is the comment of a programmer and it is in English as they are
#+end_src
Кошка спит.
"""

    assert "ru" == guess(note)


def test_a_title_alone_may_tell():
    assert "ja" == guess("#+title: 機械学習のノート\n")


def test_english_terms_in_japanese_notes_do_not_change_the_language():
    assert "ja" == guess("DockerのコンテナはLinux kernelのnamespaceとcgroupsで動いている。")


def test_a_japanese_word_in_an_english_note_does_not_change_the_language():
    assert "en" == guess("The word for it is 木漏れ日, and there is no word for this in English.")


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({}, None),
        ({"": 9}, None),
        ({"en": 5, "ru": 5}, None),
        ({"en": 4, "ru": 5}, "Russian"),
        ({"en": 4, "ru": 2, "ja": 3, "": 90}, "Japanese"),
        ({"en": 0, "eo": 1}, "eo"),
        ({"en": 1, "de": 0}, None),
    ],
)
def test_a_vault_is_foreign_when_less_than_half_of_its_notes_are_english(counts, expected):
    assert expected == mostly_foreign(counts)


@pytest.mark.parametrize(
    ("vault", "main", "foreign"),
    [
        ("kijimaD-roam", "ja", "Japanese"),
        ("karlicoss-exobrain", "en", None),
        ("bphenriques-knowledge-base", "en", None),
    ],
)
def test_real_vaults_are_told_apart(vault, main, foreign):
    folder = VAULTS / vault
    if not folder.is_dir():
        pytest.skip(f"no vault at {folder}")
    counts = Counter(guess(path.read_text("utf-8", "replace")) for path in folder.rglob("*.org"))

    assert foreign == mostly_foreign(counts)
    assert counts[main] >= 0.9 * counts.total()
