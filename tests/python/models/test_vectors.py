import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from roam_semantic.models import vectors
from roam_semantic.sqlite import load_vec, open_index

small_floats = st.floats(-1, 1, width=32)


def vectors_of(size):
    return arrays(np.float32, size, elements=small_floats)


def test_a_sound_vector_has_no_fault():
    assert vectors.check(np.array([0.6, -0.8], np.float32), 2) is None


@pytest.mark.parametrize(
    ("numbers", "fault"),
    [
        ([1.0, 0.0, 0.0], "3 numbers instead of 2"),
        ([[1.0, 0.0]], "1x2 numbers instead of 2"),
        ([1.0, np.nan], "a number that is not finite"),
        ([np.inf, 1.0], "a number that is not finite"),
        ([-np.inf, np.inf], "a number that is not finite"),
        ([0.0, -0.0], "nothing but zeros"),
    ],
)
def test_a_vector_that_must_not_be_stored_says_why(numbers, fault):
    assert fault == vectors.check(np.array(numbers, np.float32), 2)


def test_the_largest_and_the_smallest_numbers_are_sound():
    limits = np.finfo(np.float32)

    for number in (limits.max, limits.tiny):
        vector = np.full(4, number, np.float32)

        assert vectors.check(vector, 4) is None
        assert 1.0 == pytest.approx(float(np.linalg.norm(vectors.normalised(vector))), abs=1e-6)


@given(vectors_of(16))
def test_a_packed_vector_comes_back_within_half_precision(vector):
    back = vectors.unpack(vectors.pack(vector), 16)

    assert np.float32 == back.dtype
    np.testing.assert_allclose(back, vector, atol=5e-4)


def test_packed_numbers_are_little_endian_half_floats():
    assert struct.pack("<3e", 1.0, -0.5, 0.25) == vectors.pack(np.array([1, -0.5, 0.25], "f4"))


def test_bytes_of_another_size_are_refused():
    with pytest.raises(ValueError, match="6 bytes instead of 8"):
        vectors.unpack(b"\0" * 6, 4)


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    connection = open_index(str(tmp_path_factory.mktemp("vec") / "codes.db"), writable=True)
    if not load_vec(connection):
        pytest.skip("sqlite-vec cannot be loaded here")
    yield connection
    connection.close()


@pytest.mark.parametrize("size", [8, 64, 384])
def test_codes_are_laid_out_as_sqlite_vec_does(database, size):
    random = np.random.default_rng(size)
    for vector in random.standard_normal((20, size)).astype(np.float32):
        vector[::7] = 0.0
        theirs = database.value("SELECT vec_quantize_binary(vec_f32(?))", (vector.tobytes(),))

        assert theirs == vectors.code(vector)


def test_a_zero_of_either_sign_is_a_cleared_bit(database):
    vector = np.array([0.0, -0.0, 1e-30, -1e-30, 1, -1, 0, 0], np.float32)

    assert bytes([0b00010100]) == vectors.code(vector)
    assert vectors.code(vector) == database.value(
        "SELECT vec_quantize_binary(vec_f32(?))", (vector.tobytes(),)
    )
