"""How much of a query a unit holds."""

from __future__ import annotations

import pytest

from roam_semantic.retrieval.coverage import coverage, trusted
from roam_semantic.retrieval.terms import read_terms


def shares(workspace, query):
    workspace.note("a", "Kiln", "Fire the clay slowly in the kiln.")
    workspace.note("b", "Stove", "The clay stove smokes.")
    workspace.note("c", "Графы", "О графах и дугах. 設備の点検。")
    workspace.call("semantic-search", query="x", mode="words")
    reader = workspace.core.reader()
    rows = reader.rows("SELECT u.id, n.id FROM embed_units u JOIN embed_nodes n ON n.key = u.node")
    terms = read_terms(reader, query, ()).terms
    found = coverage(reader, [unit for unit, _ in rows], terms)
    return {node: found[unit] for unit, node in rows}


def test_a_unit_with_every_word_holds_all(workspace):
    assert 1.0 == pytest.approx(shares(workspace, "clay kiln")["a"])


def test_a_rare_word_weighs_more_than_a_common_one(workspace):
    found = shares(workspace, "clay kiln")

    assert 0 < found["b"] < 0.5
    assert 0 == found["c"]


@pytest.mark.parametrize("query", ["графами", "設備"])
def test_inflected_and_unspaced_words_count(workspace, query):
    assert 1.0 == pytest.approx(shares(workspace, query)["c"])


def test_a_share_counts_by_its_square():
    assert {1: 0.25, 2: 1.0} == trusted([(1, 9.0), (2, 8.0)], {1: 0.5})


def test_an_identifier_that_is_found_is_not_joined_by_its_neighbours(workspace):
    workspace.note("a", "Twelve", "The text of grain12.")
    workspace.note("b", "Two", "The text of grain2.")
    workspace.call("index")

    assert ["a"] == workspace.found("grain12")
    assert "a" in workspace.found("the grain12")
    assert workspace.found("grain99")
