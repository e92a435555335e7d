"""Notes related to a note: which come, why, and what is said about each."""

from __future__ import annotations

import pytest

from roam_semantic.app import build
from roam_semantic.errors import NotFound
from roam_semantic.models.embedder import EmbeddingFailure
from roam_semantic.store.lease import lease
from tests.support import model

BREAD = "Knead the dough until smooth, let the sourdough rise overnight and bake the loaf hot."
YEAST = "Wild yeast in a starter makes bread dough rise; feed it flour and water every day."
SAILS = "Reef the mainsail early when the wind gets up, before the boat heels and rounds up."
ANCHOR = "Let out chain five times the depth, so that the anchor of the boat holds in the wind."
TEMPLATE = "What did I learn? What will I try next? Who else should read this?"
GARDEN = """\
:PROPERTIES:
:ID:       garden
:END:
#+title: Garden

Notes from the allotment.

* Tomatoes
:PROPERTIES:
:ID:       tomatoes
:END:
Tomato plants want sun, a stake to climb and water at their roots.
* Oven day
On a rainy day I heat the oven for cake and a tray of buns, and the kitchen is warm.
** Crust
A hot oven and steam give the bread its crust.
"""


@pytest.fixture
def work(workspace):
    workspace.note("bread", "Baking", BREAD)
    workspace.note("yeast", "Starter", f"{YEAST}\n\nSee [[id:bread][baking]].")
    workspace.note("sails", "Reefing", SAILS)
    workspace.note("anchor", "Anchoring", ANCHOR)
    workspace.write("garden.org", GARDEN)
    workspace.call("index")
    return workspace


def related(work, node, **more):
    return [hit.node_id for hit in work.call("related", node=node, **more).hits]


def test_the_note_that_means_the_same_comes_first(work):
    assert "yeast" == related(work, "bread")[0]
    assert "anchor" == related(work, "sails")[0]


def test_a_hit_says_what_of_both_notes_fits_and_where(work):
    answer = work.call("related", node="bread")
    hit = answer.hits[0]

    assert ("bread", "Baking", 1, 1) == (
        answer.source.node_id, answer.source.title, answer.source.line, answer.source.pos,
    )  # fmt: skip
    assert (BREAD, 6) == (hit.because, hit.because_line)
    assert YEAST in hit.passage
    assert ("meaning", 1, None) == (hit.why, hit.ranks.vectors, hit.ranks.words)
    assert (work.vault / "yeast.org").stat().st_mtime == pytest.approx(hit.modified, abs=0.001)
    assert sorted((h.score for h in answer.hits), reverse=True) == [h.score for h in answer.hits]
    assert all(0 <= h.score <= 1 for h in answer.hits)


def test_a_link_either_way_is_told(work):
    linked = {hit.node_id: hit.linked for hit in work.call("related", node="bread").hits}
    back = {hit.node_id: hit.linked for hit in work.call("related", node="yeast").hits}

    assert linked["yeast"]
    assert back["bread"]
    assert not linked.get("garden")


def test_a_file_is_not_answered_with_itself_or_a_part_of_itself(work):
    assert {"garden", "tomatoes"} & set(related(work, "garden", k=100)) == set()


def test_a_heading_may_be_answered_with_another_part_of_its_file(work):
    work.note("vines", "Vines", "Grape vines climb a stake and want sun and water at their roots.")
    work.call("index")

    assert "vines" == related(work, "tomatoes")[0]
    assert "tomatoes" not in related(work, "tomatoes", k=100)


def test_a_place_asks_for_the_heading_that_stands_there(work):
    answer = work.call("related", node="garden", pos=GARDEN.index("a rainy day") + 1)

    assert ("Oven day", ("Oven day",)) == (answer.source.title, answer.source.outline_path)
    assert (GARDEN.index("* Oven") + 1, 13) == (answer.source.pos, answer.source.line)
    assert "garden" == answer.source.node_id
    assert {"bread", "yeast"} == {hit.node_id for hit in answer.hits[:2]}
    assert "garden" not in [hit.node_id for hit in answer.hits]


def test_a_place_before_the_first_heading_asks_for_the_node(work):
    assert "Garden" == work.call("related", node="garden", pos=1).source.title


def test_k_bounds_the_hits(work):
    assert 1 == len(work.call("related", node="bread", k=1).hits)


def test_a_template_many_notes_share_does_not_decide(workspace):
    texts = {"bread": BREAD, "yeast": YEAST, "sails": SAILS, "anchor": ANCHOR}
    texts |= {f"n{n}": f"Minutes of the meeting about budget number {n}." for n in range(12)}
    for name, text in texts.items():
        workspace.note(name, name.title(), f"{text}\n\n* Review questions\n{TEMPLATE * 2}")
    workspace.call("index")

    assert "yeast" == related(workspace, "bread")[0]
    assert "sails" == related(workspace, "anchor")[0]


def test_a_note_without_a_vector_gets_one_for_the_question(work):
    work.note("new", "Rye", "A rye loaf from sourdough, baked in a hot oven after rising.")
    with lease(work.settings.index):
        answer = work.call("related", node="new")

    assert () == answer.degraded
    assert answer.hits[0].node_id in ("bread", "yeast")
    assert answer.index.pending


def test_without_any_vector_words_answer_and_it_is_said(workspace):
    workspace.note("bread", "Baking", BREAD)
    workspace.note("yeast", "Starter", YEAST)
    workspace.note("sails", "Reefing", SAILS)

    workspace.core.indexer.refresh(5.0)
    with lease(workspace.settings.index):
        answer = workspace.call("related", node="bread")

    assert ("vectors: no note has its vector yet",) == answer.degraded
    assert "yeast" == answer.hits[0].node_id
    assert ("words", 1) == (answer.hits[0].why, answer.hits[0].ranks.words)
    assert BREAD == answer.hits[0].because


def test_a_model_that_fails_leaves_words(work, monkeypatch):
    work.note("new", "Rye", "A rye loaf of sourdough, baked in a hot oven.")
    failing = [EmbeddingFailure("out of memory")]
    monkeypatch.setattr(type(model()), "embed_passages", lambda *_, **__: failing)

    with lease(work.settings.index):
        answer = work.call("related", node="new")

    assert ("vectors: the model gave none for this note",) == answer.degraded
    assert "words" == answer.hits[0].why


def test_a_note_of_nothing_but_a_title_is_answered(work):
    work.note("empty", "Sourdough bread")
    work.call("index")
    answer = work.call("related", node="empty")

    assert answer.hits[0].node_id in ("bread", "yeast")
    assert "Sourdough bread" == answer.hits[0].because


def test_an_unknown_note_is_not_found(work):
    with pytest.raises(NotFound):
        work.call("related", node="no such note")


def test_a_server_answers_from_the_stored_vectors_without_the_model(work, monkeypatch):
    core = build(work.settings, serving=True)
    monkeypatch.setattr(core, "embedder", lambda: pytest.fail("the model was asked for"))
    work.core = core

    assert "yeast" == related(work, "bread")[0]
