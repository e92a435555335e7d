from hypothesis import given
from hypothesis import strategies as st

from roam_semantic.store.words import MAX_TERMS, clean, extra_words, meta_words, query_terms


def words(text: str) -> list[str]:
    return extra_words(text).split()


def typed(text: str) -> list[str]:
    return [word.typed for word in query_terms(text)]


def test_plain_prose_needs_no_extra_word():
    assert "" == extra_words(
        "The indexes were rebuilt overnight. Then (at last) we slept, 42 hours!"
    )


def test_signs_that_a_tokenizer_drops_become_words():
    found = words("C++ and C#, F# on .NET, C++11; not a #tag nor #+title")

    assert ["cplusplus", "csharp", "fsharp", "dotnet"] == found


def test_a_sentence_end_makes_no_dot_word():
    assert "" == extra_words("The end. Start again... see 3.14 or /tmp/.cache")


def test_a_name_with_joints_is_also_one_word():
    assert ["email", "pol358", "orgroamdbsync", "getusername"] == words(
        "e-mail POL-358 org-roam-db-sync get_user_name 2024-01-31"
    )


def test_camel_case_is_split_and_its_words_stay_together():
    assert "get user name http server error decode utf8" == extra_words(
        "getUserName HTTPServerError decodeUTF8"
    )


def test_a_repeated_name_is_written_once():
    assert "get user name" == extra_words("getUserName getUserName\ngetUserName")


def test_cjk_runs_become_overlapping_pairs_that_end_in_their_last_letter():
    assert "設備 備清 清單 單" == extra_words("設備清單")


def test_latin_names_glued_to_cjk_letters_are_words():
    found = words("重跑gen-itgc后50条")

    assert ["gen", "itgc", "50"] == [word for word in found if word in ("gen", "itgc", "50")]


def test_yo_is_also_written_as_ye():
    assert "еще елка" == extra_words("Ещё одна ёлка, ещё")


def test_decomposed_and_wide_letters_are_also_written_composed():
    assert ["abc", "мой"] == words("ＡＢＣ мо\u0438\u0306")


def test_filters_are_tokens_a_stemmer_leaves_alone():
    tokens = meta_words("heading", ["Emacs", "emacs", "Emacs"], "TODO").split()

    assert 5 == len(set(tokens))
    assert all(token.isalnum() and token.endswith("0") for token in tokens)


def test_query_words_keep_what_was_typed():
    assert ["POL-358", "--error-on-warnings", "foo(bar)", "grammar::fa", "-x"] == typed(
        'POL-358 "--error-on-warnings" foo(bar), grammar::fa -x'
    )


def test_query_and_index_agree_on_every_whole_name():
    text = "C++ C# .NET e-mail POL-358 getUserName get_user_name node.js don't org-roam-db-sync"
    extra = set(words(text))

    assert all(set(word.whole) <= extra and set(word.parts) <= extra for word in query_terms(text))


def test_a_mixed_run_is_read_as_its_cjk_and_latin_words():
    assert ["重跑", "gen-itgc", "后"] == typed("重跑gen-itgc后")
    assert [("重跑",), ("gen", "itgc"), ("后",)] == [
        word.pieces for word in query_terms("重跑gen-itgc后")
    ]


def test_a_word_given_twice_is_asked_once():
    assert ["Search", "index"] == typed("Search search index SEARCH")


def test_signs_alone_are_no_word():
    assert () == query_terms("\" * ( ) ^ ' -- ? % _ {} \x00 \ud800")


def test_a_long_query_is_bounded():
    terms = query_terms(" ".join(f"word{i}" for i in range(500)) + "漢" * 5000)

    assert MAX_TERMS == sum(len(term.pieces) for term in terms)


@given(st.text(alphabet=st.characters(), max_size=200))
def test_no_text_is_refused_and_all_words_can_be_stored(text: str):
    stored = extra_words(clean(text)) + "".join(
        "".join(word.pieces + word.whole) for word in query_terms(text)
    )

    assert "\x00" not in stored
    assert stored == stored.encode().decode()


@given(st.text(alphabet="aZ9_.-#+'é漢かーｱё й", max_size=40))
def test_whatever_a_text_is_asked_by_whole_is_among_its_extra_words(text: str):
    for word in query_terms(text):
        if not word.cjk and word.typed == text:
            assert set(word.whole) <= set(words(text))
