import threading

import numpy as np
import pytest

from roam_semantic.models import vectors as packed
from roam_semantic.retrieval import bits, plain
from roam_semantic.retrieval.query import parse
from roam_semantic.retrieval.scope import Scope, scope_of
from roam_semantic.retrieval.vectors import FEW, REMEMBERED, CodeMatrix
from roam_semantic.sqlite import open_index
from roam_semantic.store.vectors import activate, create_set, vector_set, write_vectors
from roam_semantic.store.writer import Writer
from tests.python.retrieval.shelf import DIMENSION, vector

ALL = Scope()
GROUP = 100


def normalised(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def some_vectors(count, seed=1):
    """Return COUNT vectors, some near to each other, as those of texts are."""
    random = np.random.default_rng(seed)
    centres = np.random.default_rng(0).normal(size=(40, DIMENSION))
    return normalised(
        centres[random.integers(0, 40, count)] + random.normal(size=(count, DIMENSION))
    )


def around(centre, count, noise):
    """Return COUNT vectors about as far from CENTRE as NOISE says."""
    random = np.random.default_rng(count)
    return normalised(centre + noise * random.normal(size=(count, DIMENSION)) / DIMENSION**0.5)


def fill(shelf, vectors, name="note", tags=()):
    """Store notes of GROUP units for VECTORS; return the unit ids."""
    ids = []
    for start in range(0, len(vectors), GROUP):
        texts = [f"text {start + i}" for i in range(min(GROUP, len(vectors) - start))]
        ids += shelf.add(f"{name}{start}.org", f"{name} {start}", *texts, tags=tags)
    pairs = list(zip(ids, vectors, strict=True))
    for start in range(0, len(pairs), 128):
        shelf.store(pairs[start : start + 128])
    return ids


def exact(ids, vectors, query, limit):
    """Return the nearest of IDS by comparing every vector as stored."""
    stored = vectors.astype(np.float16).astype(np.float32) @ query
    order = sorted(range(len(ids)), key=lambda i: (-float(stored[i]), ids[i]))
    return [ids[i] for i in order[:limit]]


def units(found):
    return [unit for unit, _ in found]


def test_the_codes_are_those_the_store_writes():
    vectors = some_vectors(3)
    stored = np.array([np.frombuffer(packed.code(row), np.uint8) for row in vectors])

    assert (bits.signs(vectors) == bits.lines(stored)).all()


def test_odd_dimensions_are_filled_up():
    vectors = np.array([[1.0, -1.0, 1.0]], dtype=np.float32)

    assert [[0b101]] == bits.signs(vectors).tolist()


def test_every_float16_is_read_as_numpy_reads_it():
    halves = np.arange(1 << 16, dtype="<u2").view("<f2")
    with np.errstate(invalid="ignore"):
        expected = halves.astype(np.float32)

    found = bits.matrix([halves.tobytes()], 1 << 16)[0]

    assert np.array_equal(expected, found, equal_nan=True)


def in_blocks(vectors):
    codes = bits.signs(vectors)
    blocks = []
    for start in range(0, len(vectors), bits.BLOCK):
        block = bits.new_block(len(codes))
        part = codes[:, start : start + bits.BLOCK]
        block[0][:, : part.shape[1]] = part
        blocks.append(block)
    return blocks


def test_distances_count_the_differing_bits_of_the_larger_half():
    vectors = some_vectors(bits.BLOCK + 50)
    query = vectors[7]
    large = np.abs(query) > np.median(np.abs(query))
    differing = (vectors > 0) != (query > 0)
    expected = (differing & large).sum(axis=1)
    places = np.array([0, 5, bits.BLOCK - 1, bits.BLOCK, bits.BLOCK + 49])
    blocks = in_blocks(vectors)

    found = bits.distances(blocks, len(vectors), query, None)

    assert (expected == found).all()
    assert (expected[places] == bits.distances(blocks, len(vectors), query, places)).all()


def test_the_likeliest_agree_best_with_the_numbers_of_the_query():
    vectors = some_vectors(bits.BLOCK + 50)
    query = some_vectors(1, seed=9)[0]
    places = np.arange(3, len(vectors), 1000)
    agreement = (vectors[places] > 0).astype(np.float32) @ query
    expected = sorted(places[np.argsort(-agreement)[:5]].tolist())

    assert expected == bits.likeliest(in_blocks(vectors), places, query, 5).tolist()
    assert places.tolist() == bits.likeliest([], places, query, len(places)).tolist()


def test_nearest_takes_ties_along():
    distances = np.array([5, 1, 3, 3, 3, 9], dtype=np.uint16)

    assert [1, 2, 3, 4] == bits.nearest(distances, 2).tolist()
    assert [0, 1, 2, 3, 4, 5] == bits.nearest(distances, 6).tolist()


def test_few_vectors_are_compared_exactly(shelf):
    vectors = some_vectors(300)
    ids = fill(shelf, vectors)

    found = CodeMatrix().nearest(shelf.reader, vectors[3] * 7, ALL, 20)

    assert exact(ids, vectors, vectors[3], 20) == units(found)
    assert found[0][1] == pytest.approx(1.0, abs=1e-3)


def test_many_vectors_are_found_by_their_bits(shelf):
    vectors = some_vectors(FEW + 1000)
    ids = fill(shelf, vectors)
    queries = some_vectors(30, seed=2)
    matrix = CodeMatrix()

    kept = [
        len(
            set(exact(ids, vectors, query, 10))
            & set(units(matrix.nearest(shelf.reader, query, ALL, 10)))
        )
        for query in queries
    ]

    assert sum(kept) >= 0.95 * 10 * len(queries)


def test_filters_are_applied_before_the_scan(shelf):
    vectors = some_vectors(FEW + 1500)
    rare = fill(shelf, vectors[:30], "rare", tags=("rare",))
    common = fill(shelf, vectors[30:], "common", tags=("common",))
    matrix, query = CodeMatrix(), vectors[1000]

    def found(text):
        scope = scope_of(shelf.reader, parse(text).filters)
        return set(units(matrix.nearest(shelf.reader, query, scope, 10)))

    assert set(exact(rare, vectors[:30], query, 10)) == found("x tag:rare")
    assert found("x tag:common") == found("x -tag:rare")
    assert len(found("x tag:common") & set(exact(common, vectors[30:], query, 10))) >= 9
    assert set() == found("x tag:rare tag:common")
    assert found("x -tag:common") == found("x tag:rare")


def test_what_is_written_later_is_taken_in(shelf):
    vectors = some_vectors(400)
    matrix = CodeMatrix()
    first = fill(shelf, vectors[:200], "first")
    matrix.refresh(shelf.reader)

    later = fill(shelf, vectors[200:], "later")

    found = matrix.nearest(shelf.reader, vectors[300], ALL, 10)
    assert exact(first + later, vectors, vectors[300], 10) == units(found)
    assert 400 == matrix.size


def test_a_deleted_note_is_never_found_again(shelf):
    vectors = some_vectors(400)
    matrix = CodeMatrix()
    gone = fill(shelf, vectors[:100], "gone")
    kept = fill(shelf, vectors[100:], "kept")
    assert gone[7] == units(matrix.nearest(shelf.reader, vectors[7], ALL, 1))[0]

    Writer(shelf.writer).delete_files([str(shelf.vault / "gone0.org")])

    found = matrix.nearest(shelf.reader, vectors[7], ALL, 10)
    assert exact(kept, vectors[100:], vectors[7], 10) == units(found)


def test_a_row_number_given_out_again_is_noticed(shelf):
    vectors = some_vectors(60)
    matrix = CodeMatrix()
    kept = fill(shelf, vectors[:40], "kept")
    fill(shelf, vectors[40:50], "last")
    matrix.refresh(shelf.reader)

    Writer(shelf.writer).delete_files([str(shelf.vault / "last0.org")])
    new = fill(shelf, vectors[50:], "new")

    found = matrix.nearest(shelf.reader, vectors[55], ALL, 5)
    expected = exact(kept + new, np.concatenate([vectors[:40], vectors[50:]]), vectors[55], 5)
    assert expected == units(found)


def test_a_vector_written_again_replaces_the_old_one(shelf):
    vectors = some_vectors(50)
    ids = fill(shelf, vectors)
    matrix = CodeMatrix()
    matrix.refresh(shelf.reader)

    shelf.store([(ids[0], vectors[20])])

    found = dict(matrix.nearest(shelf.reader, vectors[20], ALL, 50))
    assert found[ids[0]] == pytest.approx(found[ids[20]])
    assert 50 == len(found)


def test_many_deletions_do_not_hide_what_is_left(shelf):
    query = some_vectors(1)[0]
    vectors = np.concatenate([around(query, 20, 0.8), some_vectors(FEW + 500, seed=3)])
    fill(shelf, around(query, 1500, 0.3), "near")
    ids = fill(shelf, vectors, "kept")
    matrix = CodeMatrix()
    matrix.refresh(shelf.reader)

    Writer(shelf.writer).delete_files(
        [str(shelf.vault / f"near{start}.org") for start in range(0, 1500, GROUP)]
    )

    found = matrix.nearest(shelf.reader, query, ALL, 20)
    assert exact(ids, vectors, query, 20) == units(found)
    matrix.refresh(shelf.reader)
    assert len(ids) == matrix.size


def test_more_deletions_than_are_remembered_cost_one_reload(shelf):
    vectors = some_vectors(REMEMBERED + 300)
    kept = fill(shelf, vectors[:200], "kept")
    fill(shelf, vectors[200:], "gone")
    matrix = CodeMatrix()
    matrix.refresh(shelf.reader)

    shelf.writer.run("DELETE FROM embed_units WHERE id > ?", (kept[-1],))
    shelf.writer.run("DELETE FROM embed_vectors WHERE unit > ?", (kept[-1],))
    matrix.refresh(shelf.reader)

    assert 200 == matrix.size


def test_codes_are_read_from_the_vectors_when_vec0_has_others(shelf):
    vectors = some_vectors(300)
    ids = fill(shelf, vectors)
    shelf.writer.run("DELETE FROM embed_vec WHERE rowid = ?", (ids[5],))
    matrix = CodeMatrix()

    found = matrix.nearest(shelf.reader, vectors[5], ALL, 1)

    assert [ids[5]] == units(found)


def test_another_model_brings_its_own_vectors(shelf):
    vectors = some_vectors(50)
    ids = fill(shelf, vectors)
    matrix = CodeMatrix()
    matrix.refresh(shelf.reader)
    building = create_set(shelf.writer, "building", 2, "other", "other digest", 8)
    short = normalised(vectors[:, :8])
    write_vectors(
        shelf.writer,
        building,
        [(key, packed.pack(row), packed.code(row)) for key, row in zip(ids, short, strict=True)],
    )

    activate(shelf.writer)

    active = matrix.refresh(shelf.reader)
    assert active == vector_set(shelf.reader)
    assert ids[9] == units(matrix.nearest(shelf.reader, short[9], ALL, 1))[0]


def test_an_index_without_vectors_gives_none(shelf):
    assert [] == CodeMatrix().nearest(shelf.reader, vector("x"), ALL, 5)


def test_rows_take_at_most_64_bytes_at_384_numbers():
    words = len(bits.signs(np.ones((1, 384), dtype=np.float32)))
    codes, ids = bits.new_block(words)

    assert (codes.nbytes + ids.nbytes) / bits.BLOCK <= 64


def test_many_threads_search_while_notes_come_and_go(shelf):
    vectors = some_vectors(1200)
    matrix = CodeMatrix()
    ids = fill(shelf, vectors[:300], "start")
    problems: list[object] = []
    done = threading.Event()

    def read():
        reader = shelf.index.reader()
        try:
            while not done.is_set():
                with reader.reading():
                    if ids[4] != matrix.nearest(reader, vectors[4], ALL, 5)[0][0]:
                        problems.append("lost")
        except Exception as error:  # noqa: BLE001 - shown below
            problems.append(error)
        finally:
            shelf.index.close()

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    for start in range(300, 1200, GROUP):
        fill(shelf, vectors[start : start + GROUP], f"later{start}-")
        Writer(shelf.writer).delete_files([str(shelf.vault / f"later{start - GROUP}-0.org")])
    done.set()
    for thread in threads:
        thread.join()

    assert [] == problems
    assert ids[4] == matrix.nearest(shelf.reader, vectors[4], ALL, 1)[0][0]


def test_a_reader_of_an_older_state_takes_no_new_note_for_a_deleted_one(shelf):
    vectors = some_vectors(20)
    fill(shelf, vectors[:10], "old")
    matrix = CodeMatrix()
    late = open_index(shelf.index.path)
    with late.reading():
        assert 10 == late.value("SELECT count(*) FROM embed_vectors")
        new = fill(shelf, vectors[10:], "new")
        assert new[5] == units(matrix.nearest(shelf.reader, vectors[15], ALL, 1))[0]

        assert not set(new) & set(units(matrix.nearest(late, vectors[15], ALL, 20)))
    late.close()

    assert new[5] == units(matrix.nearest(shelf.reader, vectors[15], ALL, 1))[0]


def test_without_numpy_vec0_finds_the_same(shelf):
    vectors = some_vectors(FEW + 500)
    fill(shelf, vectors[:100], "rare", tags=("rare",))
    fill(shelf, vectors[100:], "common")
    numbers = [float(number) for number in vectors[40]]

    for text in ("x", "x tag:rare", "x -tag:rare"):
        scope = scope_of(shelf.reader, parse(text).filters)
        expected = CodeMatrix().nearest(shelf.reader, vectors[40], scope, 5)
        found = plain.nearest(shelf.reader, numbers, scope, 5)

        assert found is not None
        assert units(expected) == units(found)
        assert [score for _, score in expected] == pytest.approx([score for _, score in found])


def test_without_vec0_few_vectors_are_compared_one_by_one(shelf):
    vectors = some_vectors(100)
    ids = fill(shelf, vectors)
    shelf.writer.run("DROP TABLE embed_vec")

    found = plain.nearest(shelf.reader, [float(number) for number in vectors[6]], ALL, 3)

    assert found is not None
    assert exact(ids, vectors, vectors[6], 3) == units(found)


def test_without_vec0_many_vectors_are_too_many(shelf):
    vectors = some_vectors(FEW + 1)
    fill(shelf, vectors)
    shelf.writer.run("DROP TABLE embed_vec")

    assert plain.nearest(shelf.reader, [float(number) for number in vectors[6]], ALL, 3) is None
    assert units(CodeMatrix().nearest(shelf.reader, vectors[6], ALL, 3))
