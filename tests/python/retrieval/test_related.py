"""Units near to several vectors at once, and what of them counts."""

import numpy as np
import pytest

from roam_semantic.retrieval import related
from roam_semantic.retrieval.related import nearest_nodes, nearest_pairs, some_of, vectors_of
from roam_semantic.retrieval.scope import Scope
from roam_semantic.retrieval.vectors import CANDIDATES, FEW, CodeMatrix
from tests.python.retrieval.shelf import DIMENSION, vector


@pytest.fixture(scope="module")
def many():
    """Return vectors enough for a scan by bits, some near to each other."""
    random = np.random.default_rng(5)
    centres = random.normal(size=(30, DIMENSION))
    rows = centres[random.integers(0, 30, FEW * 2)] + random.normal(size=(FEW * 2, DIMENSION))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def filled(shelf, vectors):
    """Store a unit for each of VECTORS; return their ids."""
    ids = []
    for start in range(0, len(vectors), 100):
        ids += shelf.add(f"n{start}.org", f"n {start}", *(f"text {n}" for n in range(100)))
    pairs = list(zip(ids, vectors, strict=True))
    for start in range(0, len(pairs), 128):
        shelf.store(pairs[start : start + 128])
    return ids


@pytest.mark.parametrize("count", [0, 50, CANDIDATES + 200])
def test_each_vector_gets_its_nearest_without_those_that_are_shut(shelf, many, count):
    ids = filled(shelf, many)
    codes = CodeMatrix()
    shut = {unit for unit, _ in codes.nearest(shelf.reader, many[0], Scope(), 600)[:count]}

    found = codes.nearest_each(shelf.reader, many[:3], shut, 10)

    assert [10, 10, 10] == [len(near) for near in found]
    assert set() == shut & {unit for near in found for unit, _ in near}
    # What is far from all that is left, as the first is, is near to nothing in particular.
    for query, near in list(zip(many, found, strict=False))[1:]:
        cosines = dict(zip(ids, (many @ query).tolist(), strict=True))
        exact = sorted(cosines.keys() - shut, key=lambda unit: -cosines[unit])[:10]
        assert len({unit for unit, _ in near} & set(exact)) >= 9
        assert [cosines[unit] for unit, _ in near] == pytest.approx([c for _, c in near], abs=1e-3)


def test_without_a_vector_nothing_is_near(shelf):
    assert [] == nearest_pairs(shelf.reader, CodeMatrix(), {}, ())


def test_a_node_is_told_once_with_its_best_pair(shelf):
    own = shelf.add("own.org", "Own", "saffron crocus spice", "milk honey")
    other = shelf.add("other.org", "Other", "saffron crocus", "saffron", "wool")
    shelf.add("far.org", "Far", "granite quarry dust")
    shelf.embed()
    vectors = vectors_of(shelf.reader, own)

    first = nearest_nodes(shelf.reader, CodeMatrix(), vectors, own)[0]

    assert (own[0], other[0]) == (first.own, first.unit)
    found = nearest_nodes(shelf.reader, CodeMatrix(), vectors, own)
    assert len({pair.node for pair in found}) == len(found)
    assert all(0 <= pair.score <= 1 for pair in found)


def test_what_is_near_to_everything_is_less_near(shelf):
    own = shelf.add("own.org", "x", "alpha beta gamma delta")
    hub = [shelf.add(f"hub{n}.org", "x", "alpha beta gamma")[0] for n in range(14)]
    rare = shelf.add("rare.org", "x", "delta alpha epsilon")
    shelf.embed()

    plain = CodeMatrix().nearest_each(
        shelf.reader, np.stack([vector("x alpha beta gamma delta")]), own, 1
    )
    nodes = nearest_nodes(shelf.reader, CodeMatrix(), vectors_of(shelf.reader, own), own)

    assert plain[0][0][0] in hub
    assert rare[0] == nodes[0].unit


def test_a_unit_of_nothing_but_shared_lines_is_no_answer(shelf):
    own = shelf.add("own.org", "x", "alpha beta")
    shelf.add("template.org", "x", "alpha beta")
    shelf.embed()
    with shelf.writer.writing():
        shelf.writer.run("INSERT INTO embed_boilerplate VALUES ('alpha beta')")

    assert [] == nearest_nodes(shelf.reader, CodeMatrix(), vectors_of(shelf.reader, own), own)


def test_many_units_are_asked_for_here_and_there():
    assert [0, 1, 2] == some_of([0, 1, 2], 3)
    assert [0, 25, 50, 75] == some_of(range(100), 4)
    assert related.MOST_OWN == len(some_of(range(1000)))
