import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from roam_semantic.retrieval.query import parse
from roam_semantic.retrieval.search import search
from roam_semantic.retrieval.vectors import CodeMatrix
from roam_semantic.store.writer import Writer
from tests.python.retrieval.shelf import DAY_NS, DIMENSION, vector

SOURCE = Path(__file__).parents[3] / "python"


@pytest.fixture
def spices(shelf):
    shelf.add(
        "spices.org", "Spices", "saffron grows from a crocus", "pepper is hot and dry",
        outline=("Kitchen",), tags=("food",), todo="WAIT",
    )  # fmt: skip
    shelf.add("milk.org", "Milk", "warm milk with honey", "milk and saffron")
    shelf.add("wool.org", "Wool", "sheep give wool and milk")
    shelf.embed()
    return shelf


def ask(shelf, text, meaning=None, **more):
    query = parse(text)
    if meaning is not None:
        more["vector"] = vector(meaning)
    more.setdefault("codes", CodeMatrix() if "vector" in more else None)
    return search(shelf.reader, query, **more)


def ids(found):
    return [hit.node_id for hit in found.hits]


def test_a_hit_says_what_where_and_why(spices):
    hit = ask(spices, "saffron crocus", "saffron crocus").hits[0]

    assert ("spices", "Spices", str(spices.vault / "spices.org")) == (
        hit.node_id, hit.title, hit.file,
    )  # fmt: skip
    assert (("Kitchen",), 1, 1, "heading") == (
        hit.outline_path, hit.line, hit.pos, hit.unit_type,
    )  # fmt: skip
    assert "saffron grows from a crocus" == hit.passage
    assert (1, 1) == (hit.ranks.words, hit.ranks.vectors)
    assert ("both", ("food",), "WAIT") == (hit.why, hit.tags, hit.todo)
    assert 86_400.0 == hit.modified
    assert 0 < hit.score <= 1


def test_words_alone_need_no_vector(spices):
    found = ask(spices, "honey")

    assert ["milk"] == ids(found)
    assert ("words", None) == (found.hits[0].why, found.hits[0].ranks.vectors)
    assert () == found.degraded


def test_meaning_alone_ranks_every_note(spices):
    found = ask(spices, "zebra", "sheep give wool", words=False)

    assert "wool" == ids(found)[0]
    assert {"meaning"} == {hit.why for hit in found.hits}


def test_what_both_legs_find_comes_first(spices):
    found = ask(spices, "saffron", "warm milk with honey and saffron")

    assert "milk" == ids(found)[0]
    assert "both" == found.hits[0].why


def test_a_note_is_shown_once_with_its_best_unit(spices):
    found = ask(spices, "milk saffron")

    assert len(set(ids(found))) == len(ids(found))
    (milk,) = [hit for hit in found.hits if hit.node_id == "milk"]
    assert "milk and saffron" == milk.passage


def test_a_note_named_like_the_query_comes_first(spices):
    spices.add("more.org", "Wool and more", "wool wool wool wool wool")
    spices.add("alias.org", "Sheep hair", "nothing else", aliases=("wool",))

    found = ask(spices, "wool", "sheep give wool")

    assert {"wool", "alias"} == set(ids(found)[:2])
    assert ["title", "title", None] == [hit.matched for hit in found.hits[:3]]
    assert [1.0, 1.0] == [hit.score for hit in found.hits[:2]]


def test_a_title_without_a_letter_is_found(spices):
    spices.add("smile.org", "🙂", "🙂")

    assert ["smile"] == ids(ask(spices, "🙂", "anything"))


@pytest.mark.parametrize("text", ['"', "*", "(", ")", "^", "'", "--", "?", "%", "_"])
def test_signs_find_nothing_even_with_a_vector(spices, text):
    assert () == ask(spices, text, "milk").hits


def test_filters_alone_list_the_last_changed_first(spices):
    spices.add("old.org", "Old", "x", tags=("food",), changed_ns=DAY_NS // 2)
    spices.add("new.org", "New", "x", "y", tags=("food",), changed_ns=DAY_NS * 2)

    assert ["new", "spices", "old"] == ids(ask(spices, "tag:food"))
    assert ["milk", "wool"] == sorted(ids(ask(spices, "-tag:food")))
    assert [] == ids(ask(spices, "tag:nobody"))


def test_filters_hold_for_meaning_too(spices):
    for text in ("milk tag:food", "milk title:spices", "milk file:spices", "milk todo:wait"):
        assert ["spices"] == ids(ask(spices, text, "warm milk with honey"))
    assert "spices" not in ids(ask(spices, "saffron -tag:food", "saffron crocus"))
    assert ["spices"] == ids(ask(spices, "spices tag:food", "x"))


def test_a_filter_is_not_evaded_by_an_exact_title(spices):
    assert [] == ids(ask(spices, "wool tag:food"))


def test_since_and_until_look_at_the_day_in_a_name_or_the_last_change(shelf):
    day = 1_710_000_000_000_000_000  # 2024-03-09, about 16:00 UTC
    shelf.add("daily/2024-03-05.org", "2024-03-05", "milk", node_id="daily", changed_ns=day * 2)
    shelf.add("daily/20240306.org", "2024-03-06", "milk", node_id="short")
    shelf.add("20240307101500-slip.org", "Slip", "milk", node_id="slip", changed_ns=day)
    shelf.add("plain.org", "Plain", "milk", node_id="plain", changed_ns=day)

    assert {"daily", "short"} == set(ids(ask(shelf, "milk until:2024-03-07")))
    assert {"daily"} == set(ids(ask(shelf, "milk until:2024-03-05")))
    assert {"short", "slip", "plain"} == set(ids(ask(shelf, "milk since:2024-03-06")))
    assert {"slip", "plain"} == set(ids(ask(shelf, "milk since:2024-03-08 until:2024-03-10")))
    assert {"daily", "short", "slip", "plain"} == set(ids(ask(shelf, "milk since:2024-03")))
    assert set() == set(ids(ask(shelf, "milk since:2025")))


def test_pages_follow_each_other_and_repeat_nothing(shelf):
    for number in range(130):
        shelf.add(
            f"{number}.org", f"Note {number}", f"milk number {number} " + "word " * (number % 7)
        )
    shelf.embed()
    matrix, seen = CodeMatrix(), []

    for offset in range(0, 130, 10):
        found = ask(shelf, "milk", "milk number 7", codes=matrix, k=10, offset=offset)
        assert found.more is (offset < 120)
        seen += ids(found)

    assert 130 == len(set(seen)) == len(seen)


def test_an_answer_stays_within_its_characters(shelf):
    for number in range(20):
        shelf.add(f"{number}.org", f"Note {number}", "milk " * 200)

    found = ask(shelf, "milk", max_chars=1500, k=20)

    assert 1 < len(found.hits) < 20
    assert found.truncated
    assert found.more
    rest = ask(shelf, "milk", max_chars=200_000, k=20, offset=len(found.hits))
    assert 20 == len(set(ids(found) + ids(rest)))


def test_one_hit_is_shown_however_small_the_answer(shelf):
    shelf.add("a.org", "A long title that is longer than the limit", "milk " * 200)

    (hit,) = ask(shelf, "milk", max_chars=30).hits

    assert len(hit.passage) <= 32


def test_a_shadowed_node_is_never_returned(shelf):
    shelf.add("a.org", "First", "milk", node_id="same")
    shelf.add("b.org", "Second", "milk", node_id="same")
    shelf.embed()

    assert ["First"] == [hit.title for hit in ask(shelf, "milk", "milk").hits]


def test_a_file_without_an_id_is_found(shelf):
    shelf.add("a.org", "No id", "milk", node_id=None)

    (hit,) = ask(shelf, "milk").hits

    assert (None, "No id") == (hit.node_id, hit.title)


def test_a_slip_is_reported(spices):
    spices.add("more.org", "More saffron", "saffron saffron")

    found = ask(spices, "safron")

    assert {"safron": "saffron"} == found.corrected
    assert "more" == ids(found)[0]


@pytest.mark.parametrize(
    ("numbers", "reason"),
    [
        (np.ones(3, dtype=np.float32), "the query has 3 numbers, the index 128"),
        (np.zeros(DIMENSION, dtype=np.float32), "no usable vector"),
        (np.full(DIMENSION, np.nan, dtype=np.float32), "no usable vector"),
        (np.full(DIMENSION, np.inf, dtype=np.float32), "no usable vector"),
    ],
)
def test_a_useless_vector_degrades_to_words(spices, numbers, reason):
    found = ask(spices, "honey", vector=numbers)

    assert ["milk"] == ids(found)
    assert reason in found.degraded[0]


def test_a_missing_set_of_vectors_degrades_to_words(spices):
    spices.writer.run("DELETE FROM embed_meta WHERE name = 'vectors'")

    found = ask(spices, "honey", "honey")

    assert ["milk"] == ids(found)
    assert ("vectors: no note has its vector yet",) == found.degraded


def test_without_codes_vec0_answers(spices):
    expected = ask(spices, "saffron", "saffron crocus")

    found = ask(spices, "saffron", "saffron crocus", codes=None)

    assert [hit.node_id for hit in expected.hits] == ids(found)
    assert () == found.degraded


@pytest.mark.parametrize("fusion", ["linear", "rrf10", "rrf60"])
def test_every_fusion_finds_the_same_notes(spices, fusion):
    found = ask(spices, "saffron", "saffron crocus", fusion=fusion)

    assert {"spices", "milk", "wool"} == set(ids(found))
    assert "spices" == ids(found)[0]


def test_passages_are_fit_for_every_protocol(shelf):
    shelf.add("a.org", "A", "milk \x00 and\nhoney " + "much text " * 100)

    (hit,) = ask(shelf, "milk").hits

    assert "\x00" not in hit.passage
    assert "milk and\nhoney" in hit.passage


def test_a_note_deleted_between_two_searches_is_gone(spices):
    matrix = CodeMatrix()
    assert "milk" in ids(ask(spices, "milk", "milk", codes=matrix))

    Writer(spices.writer).delete_files([str(spices.vault / "milk.org")])

    assert "milk" not in ids(ask(spices, "milk", "milk", codes=matrix))


def test_a_words_only_search_loads_no_numpy(spices):
    code = """
import sys
from roam_semantic.sqlite import open_index
from roam_semantic.retrieval.query import parse
from roam_semantic.retrieval.search import search
from roam_semantic.retrieval.names import resolve, search_names
reader = open_index(sys.argv[1])
assert search(reader, parse("saffron tag:food")).hits
assert search_names(reader, "spices").hits
assert resolve(reader, "Spices")
assert "numpy" not in sys.modules
"""
    done = subprocess.run(
        [sys.executable, "-c", code, spices.index.path],
        env={"PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert "" == done.stderr
