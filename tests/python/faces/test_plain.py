"""Answers as a person reads them."""

import msgspec
import pytest

from roam_semantic.faces.plain import show
from roam_semantic.operations.answers import (
    Check,
    Clash,
    DoctorAnswer,
    FailedUnit,
    IndexAnswer,
    Job,
    LinksAnswer,
    NameAnswer,
    NameHit,
    NodeAnswer,
    RefreshAnswer,
    RelatedAnswer,
    RelatedHit,
    RelatedSource,
    SearchAnswer,
    StatusAnswer,
    Suggestion,
    WatchAnswer,
)
from roam_semantic.values import Hit, IndexState, Ranks, Skipped

DONE = IndexState(10, 10, 0, 0, 0.5, "a model")
HIT = Hit(
    "id", "Green tea", "/v/tea.org", ("Drinks", "Green tea"), 8, 120, "heading",
    "Use cooler water.\nAbout 80 degrees.", 0.5, Ranks(words=2, vectors=1),
)  # fmt: skip


def test_a_hit_tells_its_place_its_passage_and_its_reason():
    assert (
        "1. Green tea [Drinks]\n"
        "   /v/tea.org:8\n"
        "   Use cooler water. About 80 degrees.\n"
        "   score 0.50 (words #2, meaning #1)\n"
        "\n"
        "1 hit"
    ) == show(SearchAnswer((HIT,), DONE))


def test_nothing_found_is_said():
    assert "nothing found" == show(SearchAnswer((), DONE))


def test_the_end_of_an_answer_tells_what_is_missing():
    pending = msgspec.structs.replace(DONE, pending=3, stale_files=2)
    answer = SearchAnswer(
        (HIT,), pending, ("vectors: the model is gone",), True, 10, {"gren": "green"}
    )

    shown = show(answer).split("\n")

    assert "also searched: green for gren" == shown[0]
    assert [
        "1 hit; more with --offset 10",
        "not all is indexed: 3 passages wait for their vectors, 2 files are newer",
        "without vectors: the model is gone",
    ] == shown[-3:]


def test_a_long_passage_is_cut():
    long = msgspec.structs.replace(HIT, passage="word " * 500)

    lines = show(SearchAnswer((long,), DONE), 60).split("\n")

    assert 4 == sum(line.startswith("   word") for line in lines)
    assert "   …" in lines
    assert max(map(len, lines)) <= 60


def test_a_name_tells_by_what_it_was_found():
    hit = NameHit("id", "Tea", "/v/tea.org", (), 1, 1, "alias", "Chai")

    assert "Tea (alias Chai)\n   /v/tea.org:1\n\n1 hit" == show(NameAnswer((hit,), DONE))


def test_a_related_note_is_shown_with_what_fits_in_the_asked_one():
    source = RelatedSource("b", "Black tea", "/v/black.org", ("Drinks", "Black tea"), 3, 40)
    hit = RelatedHit(
        **msgspec.structs.asdict(HIT), linked=True, because="Use boiling water.\nNow.",
        because_line=4,
    )  # fmt: skip

    assert (
        "related to Black tea [Drinks]\n"
        "\n"
        "1. Green tea [Drinks]\n"
        "   /v/tea.org:8\n"
        "   Use cooler water. About 80 degrees.\n"
        "   score 0.50 (words #2, meaning #1)\n"
        "   because of line 4: Use boiling water. Now.\n"
        "   linked already\n"
        "\n"
        "1 hit"
    ) == show(RelatedAnswer(source, (hit,), DONE))


def test_a_suggested_link_tells_the_words_and_the_other_note():
    words = Suggestion("mention", 4, 9, 2, "green\ntea", "g", "Green tea", "/v/g.org", "", 0.7)
    passage = Suggestion("meaning", 9, 99, 3, "x " * 100, "b", "Black tea", "/v/b.org", "", 0.65)
    shown = show(LinksAnswer("hash", "/v/n.org", (words, passage), DONE, ("vectors: slow",)), 200)

    assert (
        "/v/n.org\n2: green tea\n   names Green tea (score 0.70)\n   /v/g.org\n3: x x"
    ) == shown[:72]
    assert "…\n   means Black tea (score 0.65)\n   /v/b.org\n\n2 links to make\n" in shown
    assert shown.endswith("without vectors: slow")
    assert "/v/n.org\n\nnothing to link" == show(LinksAnswer("hash", "/v/n.org", (), DONE))


def test_a_refresh_tells_what_is_left_to_do():
    state = IndexState(7, 10, 3, 0, 0.0, "a model", 2)
    job = Job("index", 1, 3, 2.0, 75.04, "embedding")

    assert (
        "passages: 7 of 10 with vectors, 3 waiting\n"
        "running: embedding 1 of 3, 75 s left\n"
        "files not read yet: 2\n"
        "the database is busy"
    ) == show(RefreshAnswer(state, job, "the database is busy"))


def test_a_watch_tells_the_state_first():
    job = Job("index", 0, 0, 0.0, None, "process 7 is indexing")

    assert (
        "indexing\npassages: 10 of 10 with vectors, 0 waiting\nrunning: process 7 is indexing"
    ) == show(WatchAnswer("token", "indexing", DONE, job))


def test_a_node_is_shown_with_its_text():
    node = NodeAnswer(
        "id", "Green tea", "/v/tea.org", 8, 120, 1, ("Drinks",), ("hot", "leaf"), ("Sencha",),
        ("@key",), "TODO", None, "* Green tea\n  Use \x1b[31mwater.\n", True, 40,
    )  # fmt: skip

    assert (
        "Drinks > Green tea\n/v/tea.org:8\nid: id\ntags: hot leaf\naliases: Sencha\nrefs: @key\n"
        "state: TODO\n\n* Green tea\n  Use \ufffd[31mwater.\n… more with --offset 40"
    ) == show(node)


def test_an_index_run_tells_what_it_left_out():
    answer = IndexAnswer(
        3, 4, 9, 7, 1, (Skipped("/v/x.org.gpg", "encrypted"),),
        (FailedUnit("/v/y.org", 5, "not a number"),), 75.04,
    )  # fmt: skip

    assert (
        "3 files, 4 nodes, 9 passages; 7 embedded, 1 from the cache, 0 waiting, in 75 s\n"
        "left out: 1\n  /v/x.org.gpg (encrypted)\n"
        "not embedded, to be tried again: 1\n  /v/y.org:5 (not a number)"
    ) == show(answer, 100)


def test_a_run_that_goes_on_says_so():
    answer = IndexAnswer(3, 4, 9, 7, 1, (), (), 20.0, "running", 90)

    assert show(answer).startswith("indexing goes on: 3 files")


def test_long_lists_are_cut_with_a_hint():
    skipped = tuple(Skipped(f"/v/{n}.org", "encrypted") for n in range(30))

    shown = show(IndexAnswer(0, 0, 0, 0, 0, skipped, (), 0.1))

    assert shown.endswith("/v/19.org (encrypted)\n  and 10 more, see --json")


def test_a_check_that_is_not_well_shows_its_remedy():
    answer = DoctorAnswer(
        False,
        (
            Check("vault", "ok", "/v", "never shown"),
            Check("database", "warning", "none is known", "set ROAM_DB"),
            Check("model", "failed", "it is gone", "install it"),
        ),
    )

    assert (
        "ok       vault: /v\n"
        "warning  database: none is known\n         -> set ROAM_DB\n"
        "FAILED   model: it is gone\n         -> install it\n"
        "1 of the checks failed"
    ) == show(answer)


def test_status_is_told_in_lines():
    answer = StatusAnswer(
        "0.1.0", "/v", None, "no database is set", "/c/index.db", DONE, "auto",
        Job("index", 3, 9, 1.0, 6.0, "embedding"), (), (Clash("id", ("/v/a.org", "/v/b.org")),),
        ("/v/c.org",), ("3 units wait",),
    )  # fmt: skip

    assert (
        "roam-semantic 0.1.0\nnotes: /v\norg-roam: no database: no database is set\n"
        "index: /c/index.db\npassages: 10 of 10 with vectors, 0 waiting\n"
        "running: embedding 3 of 9, 6 s left\n"
        "ids used twice: 1\n  id in /v/a.org, /v/b.org\n"
        "newer than org-roam's database: 1\n  /v/c.org\n3 units wait"
    ) == show(answer)


class Inner(msgspec.Struct):
    """A part of an answer nobody has seen yet."""

    name: str
    empty: str = ""


class Unknown(msgspec.Struct):
    """An answer nobody has seen yet."""

    count: int
    parts: tuple[Inner, ...]
    kinds: dict[str, int]
    none: None = None


def test_an_answer_of_a_later_day_is_shown_by_its_fields():
    answer = Unknown(3, (Inner("a"), Inner("b")), {"heading": 2})

    assert "count: 3\nparts:\n  name: a\n  name: b\nkinds:\n  heading: 2" == show(answer)


@pytest.mark.parametrize("width", [40, 80, 100])
def test_japanese_fits_the_width_too(width):
    hit = msgspec.structs.replace(
        HIT, title="日本語の題名" * 9, passage="これは長い文章です。" * 30
    )

    from roam_semantic.faces.terminal import shown_width

    assert max(map(shown_width, show(SearchAnswer((hit,), DONE), width).split("\n"))) <= width
