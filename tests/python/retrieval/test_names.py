import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roam_semantic.errors import BadRequest, NotFound, RoamError
from roam_semantic.retrieval.names import exactly_named, resolve, search_names
from tests.python.retrieval.shelf import Ref, Shelf


def found(shelf, text, **page):
    return [(hit.node_id, hit.matched) for hit in search_names(shelf.reader, text, **page).hits]


def ids(shelf, text):
    return [node_id for node_id, _ in found(shelf, text)]


def test_exact_titles_come_first_then_aliases_then_beginnings_then_parts(shelf):
    shelf.add("part.org", "More about emacs")
    shelf.add("inside.org", "Xemacsen")
    shelf.add("start.org", "Emacs Lisp")
    shelf.add("alias.org", "The editor", aliases=("EMACS",))
    shelf.add("tagged.org", "Other", tags=("emacs",))
    shelf.add("exact.org", "Emacs")

    assert ["exact", "alias", "start", "part", "tagged", "inside"] == ids(shelf, "emacs")


def test_a_hit_says_by_what_it_matched_and_where_it_is(shelf):
    shelf.add("a.org", "Crocus sativus", aliases=("Saffron",), tags=("spice", "red"), todo="WAIT")

    (hit,) = search_names(shelf.reader, "saffron").hits

    assert ("alias", "Saffron") == (hit.matched, hit.value)
    assert ("Crocus sativus", str(shelf.vault / "a.org"), 1, 1) == (
        hit.title, hit.file, hit.line, hit.pos,
    )  # fmt: skip
    assert (("spice", "red"), "WAIT", 86_400.0) == (hit.tags, hit.todo, hit.modified)


def test_percent_and_underscore_are_letters(shelf):
    shelf.add("percent.org", "100% sure")
    shelf.add("snake.org", "a_b")
    shelf.add("other.org", "1000 axb")

    assert ["percent"] == ids(shelf, "0%")
    assert ["percent"] == ids(shelf, "100%")
    assert ["snake"] == ids(shelf, "a_b")
    assert ["snake"] == ids(shelf, "_")
    assert ["percent"] == ids(shelf, "%")


def test_quotes_and_syntax_are_letters(shelf):
    shelf.add("quote.org", 'The "new" note* OR (old)')

    for text in ('"new"', '"new', "note*", "OR (old)", "(old)", 'the "new" note* or (old)'):
        assert ["quote"] == ids(shelf, text)


def test_words_are_found_in_any_order(shelf):
    shelf.add("a.org", "Syncing the org-roam database")

    assert ["a"] == ids(shelf, "database sync")
    assert [] == ids(shelf, "database zebra")


def test_a_tag_is_asked_for_by_its_sign_in_its_own_case_first(shelf):
    shelf.add("lower.org", "B", tags=("emacs", "x"))
    shelf.add("upper.org", "A", tags=("Emacs",))
    shelf.add("longer.org", "C", tags=("emacs_lisp",))

    assert [("upper", "tag"), ("lower", "tag")] == found(shelf, "#Emacs")
    assert [("lower", "tag"), ("upper", "tag")] == found(shelf, "#emacs")


def test_refs_are_found_by_url_and_by_key(shelf):
    shelf.add("url.org", "Page", refs=(Ref("//example.com/a_b", "https"),))
    shelf.add("near.org", "Near", refs=(Ref("//example.com/axb", "https"),))
    shelf.add("cite.org", "Paper", refs=(Ref("doe2024", "cite"),))

    assert [("url", "ref")] == found(shelf, "https://example.com/a_b")
    assert [("url", "ref")] == found(shelf, "https://example.com/a_b/")
    assert [("url", "ref")] == found(shelf, "example.com/a_b")
    assert [("cite", "ref")] == found(shelf, "@doe2024")
    assert [("cite", "ref")] == found(shelf, "doe2024")
    assert [("cite", "ref")] == found(shelf, "doe20")
    assert ["@doe2024"] == [hit.value for hit in search_names(shelf.reader, "@doe2024").hits]
    assert {"url", "near"} == set(ids(shelf, "https://example.com"))


def test_a_url_of_another_scheme_is_found_only_when_there_is_none_of_its_own(shelf):
    shelf.add("plain.org", "A", refs=(Ref("//example.com", "http"),))

    assert ["plain"] == ids(shelf, "https://example.com")

    shelf.add("safe.org", "B", refs=(Ref("//example.com", "https"),))

    assert "safe" == ids(shelf, "https://example.com")[0]


def test_short_and_unspaced_words_are_found(shelf):
    shelf.add("zh.org", "家裡的設備清單")
    shelf.add("ru.org", "Ёлка и мойка")
    shelf.add("c.org", "Go")
    shelf.add("cafe.org", "Café au lait")
    shelf.add("vi.org", "Tiếng Việt")

    assert ["zh"] == ids(shelf, "設備")
    assert ["zh"] == ids(shelf, "單")
    assert ["ru"] == ids(shelf, "елка")
    assert ["ru"] == ids(shelf, "ЁЛК")
    assert ["ru"] == ids(shelf, "мойка")
    assert ["c"] == ids(shelf, "go")
    assert ["cafe"] == ids(shelf, "cafe")
    assert ["cafe"] == ids(shelf, "CAFÉ")
    assert ["vi"] == ids(shelf, "tiếng")
    assert ["vi"] == ids(shelf, "vie\u0323\u0302t")


def test_pages_follow_each_other(shelf):
    for number in range(7):
        shelf.add(f"{number}.org", f"Note {number}")

    first = search_names(shelf.reader, "note", k=4)
    second = search_names(shelf.reader, "note", k=4, offset=4)

    assert (4, True) == (len(first.hits), first.more)
    assert (3, False) == (len(second.hits), second.more)
    assert 7 == len({hit.node_id for hit in first.hits + second.hits})


def test_a_shadowed_node_is_never_found(shelf):
    shelf.add("a.org", "Twice", node_id="same")
    shelf.add("b.org", "Twice", node_id="same")

    assert [str(shelf.vault / "a.org")] == [
        hit.file for hit in search_names(shelf.reader, "twice").hits
    ]


def test_an_empty_name_is_refused(shelf):
    with pytest.raises(BadRequest, match="query is empty"):
        search_names(shelf.reader, " \x00 ")
    with pytest.raises(BadRequest, match="query is 1001 characters long"):
        search_names(shelf.reader, "x" * 1001)


def key(shelf, node_id):
    return shelf.reader.value("SELECT key FROM embed_nodes WHERE id = ?", (node_id,))


def test_a_node_is_named_by_id_path_title_alias_or_ref(shelf):
    shelf.add(
        "daily/a.org", "A title", node_id="1f2e", aliases=("Other name",),
        refs=(Ref("//example.com/x", "https"), Ref("doe2024", "cite")),
    )  # fmt: skip
    shelf.add("b.org", "B")
    vault, expected = str(shelf.vault), key(shelf, "1f2e")

    for text in (
        "1f2e", "id:1f2e", "[[id:1f2e]]", "[[id:1f2e][A title]]", "A title", "a TITLE",
        "Other name", "other name", "https://example.com/x", "@doe2024", "doe2024",
        f"{vault}/daily/a.org", "daily/a.org", "file:daily/a.org", "daily/a",
    ):  # fmt: skip
        assert expected == resolve(shelf.reader, text, vault), text


def test_a_title_wins_over_a_file_that_only_has_its_name(shelf):
    shelf.add("Foo.org", "Bar", node_id="1")
    shelf.add("other.org", "Foo", node_id="2")

    assert key(shelf, "2") == resolve(shelf.reader, "Foo", str(shelf.vault))
    assert key(shelf, "1") == resolve(shelf.reader, "Foo.org", str(shelf.vault))


def test_the_case_of_a_title_decides_between_two(shelf):
    shelf.add("a.org", "Foo")
    shelf.add("b.org", "foo")

    assert key(shelf, "b") == resolve(shelf.reader, "foo")
    with pytest.raises(BadRequest, match="'FOO' names 2 notes"):
        resolve(shelf.reader, "FOO")


def test_several_notes_of_one_title_are_shown_as_candidates(shelf):
    shelf.add("a.org", "Ideas")
    shelf.add("b.org", "Ideas")

    with pytest.raises(BadRequest, match="node 'Ideas' names 2 notes") as caught:
        resolve(shelf.reader, "Ideas")
    assert "a (" in caught.value.hint
    assert "b.org:1)" in caught.value.hint


def test_a_name_nobody_has_is_not_found_with_near_ones(shelf):
    shelf.add("a.org", "Saffron milk")

    with pytest.raises(NotFound, match="no node has the id") as caught:
        resolve(shelf.reader, "saffron")
    assert "did you mean Saffron milk" == caught.value.hint
    with pytest.raises(NotFound) as caught:
        resolve(shelf.reader, "zebra")
    assert "find it with" in caught.value.hint


def test_a_file_of_several_nodes_without_its_own_names_them_all(shelf):
    shelf.add("a.org", "One", node_id="one")
    shelf.writer.run("UPDATE embed_nodes SET level = 1")
    assert key(shelf, "one") == resolve(shelf.reader, "a.org", str(shelf.vault))


def test_exact_names_are_found_in_any_case_and_script(shelf):
    shelf.add("a.org", "Большая Заметка", aliases=("🙂",))

    assert [key(shelf, "a")] == exactly_named(shelf.reader, "большая заметка")
    assert [key(shelf, "a")] == exactly_named(shelf.reader, "🙂")
    assert [] == exactly_named(shelf.reader, "большая")
    assert [] == exactly_named(shelf.reader, " ")


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    made = Shelf(tmp_path_factory.mktemp("full"))
    made.add("a.org", "C++ и ёлка", aliases=("設備",), tags=("x",), refs=(Ref("k", "cite"),))
    yield made
    made.close()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.text(alphabet="\"%_'*()\\^-:#@[]/~. aё設C+k\x00\ud800", min_size=1, max_size=30))
def test_no_name_is_an_error_but_one_of_ours(full, text):
    try:
        search_names(full.reader, text)
        resolve(full.reader, text, str(full.vault))
    except RoamError as error:
        assert error.kind in ("bad-request", "not-found")  # noqa: PT017 - or no error at all
