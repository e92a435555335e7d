"""What the model reads of a unit."""

from __future__ import annotations

from roam_semantic.indexing.embedding import model_text, normal


def test_the_model_reads_where_the_text_stands():
    assert "Bread: Rye: Crust\nBake it dark." == model_text(
        "Bread", ("Rye", "Crust"), "Bake it dark.", frozenset()
    )


def test_a_title_that_is_also_the_heading_is_read_once():
    assert "Rye\nx" == model_text("Rye", ("Rye",), "x", frozenset())


def test_lines_of_a_template_are_left_out():
    shared = frozenset({normal("Status:  draft")})

    assert "A\nOwn words." == model_text("A", (), "status: draft\nOwn words.", shared)


def test_a_unit_of_nothing_but_template_is_known_by_its_title():
    assert "A" == model_text("A", (), "x y", frozenset({"x y"}))
