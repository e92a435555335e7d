from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roam_semantic.errors import BadRequest
from roam_semantic.retrieval.query import MAX_CHARS, Filter, parse

TODAY = date(2024, 3, 15)


def filters(text):
    return [(item.name, item.value, item.negated) for item in parse(text, TODAY).filters]


def test_filters_leave_the_text_in_order():
    query = parse('tag:emacs how to -tag:draft title:"two words" file:daily/ save todo:WAIT', TODAY)

    assert "how to save" == query.text
    assert (
        Filter("tag", "emacs"),
        Filter("tag", "draft", negated=True),
        Filter("title", "two words"),
        Filter("file", "daily/"),
        Filter("todo", "WAIT"),
    ) == query.filters


def test_a_quoted_phrase_stays_in_the_text():
    query = parse('find "error on warnings" here and “curly ones”', TODAY)

    assert "find error on warnings here and curly ones" == query.text
    assert ("error on warnings", "curly ones") == query.phrases


def test_what_only_looks_like_a_filter_is_text():
    text = "title: tag: colour:red type:poem since:soon until:2024-02-30 -since:2024 http://a.b"

    query = parse(text, TODAY)

    assert text == query.text
    assert () == query.filters


def test_a_lone_quote_is_text():
    query = parse('a 5" pipe', TODAY)

    assert 'a 5" pipe' == query.text
    assert () == query.phrases


def test_dates_name_days_months_years_and_times_ago():
    assert [("since", "2024-03-05", False)] == filters("since:2024-3-5")
    assert [("since", "2024-02-01", False)] == filters("since:2024-02")
    assert [("until", "2024-02-29", False)] == filters("until:2024-02")
    assert [("since", "2023-01-01", False)] == filters("since:2023")
    assert [("until", "2023-12-31", False)] == filters("until:2023")
    assert [("since", "2024-03-08", False)] == filters("since:7d")
    assert [("since", "2024-03-01", False)] == filters("since:2w")
    assert [("until", "2024-03-14", False)] == filters("until:yesterday")
    assert [("since", "0001-01-01", False)] == filters("since:9999y")


def test_a_tag_may_be_written_as_in_org():
    assert [("tag", "Emacs", False)] == filters("tag::Emacs:")
    assert [("tag", "Emacs", False)] == filters("tag:#Emacs")


def test_a_query_of_signs_has_no_words():
    assert not parse("* ( ) ? %", TODAY).has_words
    assert parse("x", TODAY).has_words


@pytest.mark.parametrize("text", ["", "  \n ", "\x00", "x" * (MAX_CHARS + 1)])
def test_an_empty_or_huge_query_is_refused_by_name(text):
    with pytest.raises(BadRequest, match="^query is "):
        parse(text)


@given(st.text(min_size=1, max_size=300).filter(lambda text: text.replace("\x00", "").strip()))
def test_any_other_text_is_a_query(text):
    query = parse(text, TODAY)

    assert query.text.encode().decode() == query.text
