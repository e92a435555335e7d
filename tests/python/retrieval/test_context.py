"""What a unit is found by besides its title and text: note, headings, tags."""

from __future__ import annotations

import pytest


@pytest.fixture
def garden(workspace):
    workspace.write(
        "garden.org",
        ":PROPERTIES:\n:ID: garden\n:END:\n#+title: Garden\n#+filetags: :hobby:\n\n"
        "* Spring\n** Sowing\n:PROPERTIES:\n:ID: sowing\n:END:\nSeeds in rows.\n",
    )
    workspace.note("kitchen", "Kitchen", "Sowing discord with seeds.")
    return workspace


@pytest.mark.parametrize("query", ["garden sowing", "spring seeds", "hobby seeds", "hobby sowing"])
def test_a_heading_is_found_with_a_word_of_its_surroundings(garden, query):
    assert "sowing" == garden.found(query, mode="words")[0]


def test_a_tag_is_a_word_of_middle_weight(garden):
    garden.note("club", "Hobby club", "Meets on Fridays.")

    assert "club" == garden.found("hobby", mode="words")[0]
    assert {"garden", "sowing"} <= set(garden.found("hobby", mode="words"))


def test_a_tag_alone_is_nothing_for_the_model(workspace):
    workspace.write("smile.org", ":PROPERTIES:\n:ID: smile\n:END:\n#+title: 🙂\n#+filetags: :a:\n")
    workspace.call("index")

    assert [(3,)] == workspace.core.reader().rows("SELECT state FROM embed_units")
