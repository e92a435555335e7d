"""The benchmark's ground is the same everywhere, and its table says what it means."""

import hashlib
import itertools
import math

import numpy as np
import pytest

from benchmarks import markdown, notes, retrieval, vectors
from benchmarks.retrieval import Known
from benchmarks.table import Row, org_table
from benchmarks.timing import Times, brief
from roam_semantic.org.parse import read_note


def test_the_generated_notes_are_the_same_on_every_run():
    first, again = (list(itertools.islice(notes.texts(50), 20)) for _ in range(2))

    assert first == again
    assert 20 == len({hashlib.sha1(text.encode()).digest() for _, text in first})


def test_a_generated_note_has_a_file_node_and_a_heading_node():
    _, text = next(notes.texts(3))
    note = read_note(text, "/vault/000000.org")

    assert [0, 1] == [node.level for node in note.nodes if node.id]
    assert 5_000 == pytest.approx(len(text), rel=0.3)


def test_generated_vectors_have_length_one_and_do_not_depend_on_their_number():
    many = vectors.matrix(vectors.BLOCK + 10)

    assert np.allclose(1, np.linalg.norm(many, axis=1), atol=1e-5)
    assert np.array_equal(many[: vectors.BLOCK], vectors.matrix(vectors.BLOCK))


def test_queries_are_in_no_matrix():
    best = (vectors.queries(5) @ vectors.matrix(1000).T).max()

    assert best < 0.99


def test_a_row_that_falls_short_is_marked():
    short = Row("a", "b", 0.5, 0.1, "")
    kept = Row("c", "d", 13_000, 12_000, "", at_least=True, unit=" units/s")

    assert [False, True] == [short.kept, kept.kept]
    table = org_table([short, kept]).splitlines()
    assert "*no*" in table[2]
    assert "13,000 units/s" in table[3]
    assert 1 == len({len(line) for line in table})


def test_times_are_told_by_their_order():
    times = Times(tuple(float(n) for n in range(1, 101)))

    assert (1, 51, 96) == (times.least, times.p50, times.p95)
    assert ["0.653", "32.5", "1150"] == [brief(number) for number in (0.6526, 32.49, 1150.2)]


def test_recall_counts_the_share_of_right_notes_within_the_cut():
    assert math.isclose(0.75, retrieval.recall([[1], [3, 31]], 5))


def test_known_answers_are_told_by_kind():
    queries = [Known("q", "typo", ("a",)), Known("r", "question", ("b",))]
    table = retrieval.table(queries, {"words": [[1], [7]]})

    assert ["typo", "question", "all"] == [
        line.split()[1] for line in table.splitlines()[2:] if "--" not in line
    ]
    assert "0.50" in table.splitlines()[-1]


def test_a_markdown_page_becomes_a_note_with_its_path_as_id():
    page = '---\ntitle: "A page"\n---\n# Head\nSee [there](x.md).\n'
    note = read_note(markdown.as_org(page, "content/a.md"), "/vault/a.org")

    assert ("content/a.md", "A page") == (note.nodes[0].id, note.title)
    assert "See there." in note.sections[1].body
