"""Vectors as they are stored: checked, as float16 bytes, as sign bits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from roam_semantic.models.embedder import Vector

if TYPE_CHECKING:
    from numpy.typing import NDArray


def check(vector: NDArray[Any], dimension: int) -> str | None:
    """Return why VECTOR must not be stored, or None: it is sound.

    Sound: one row of DIMENSION finite numbers that are not all zero.
    """
    import numpy as np

    if vector.shape != (dimension,):
        return f"{'x'.join(map(str, vector.shape))} numbers instead of {dimension}"
    # One sum tells of any NaN or infinity; squares of float32 fit a float64.
    square = float(np.dot(vector, vector.astype(np.float64)))
    if not np.isfinite(square):
        return "a number that is not finite"
    return None if square > 0 else "nothing but zeros"


def normalised(vector: NDArray[Any]) -> Vector:
    """Return a sound VECTOR as float32 of length 1."""
    import numpy as np

    exact = vector.astype(np.float64)
    return (exact / np.sqrt(np.dot(exact, exact))).astype(np.float32)


def pack(vector: Vector) -> bytes:
    """Return VECTOR as little-endian float16, two bytes a number."""
    return vector.astype("<f2").tobytes()


def unpack(packed: bytes, dimension: int) -> Vector:
    """Return what `pack` made, as float32; raise ValueError when the size is off."""
    import numpy as np

    if len(packed) != 2 * dimension:
        raise ValueError(f"{len(packed)} bytes instead of {2 * dimension}")
    return np.frombuffer(packed, "<f2").astype(np.float32)


def code(vector: Vector) -> bytes:
    """Return the signs of VECTOR, a bit each: 1 where the number is above 0.

    Number i is bit i % 8, lowest first, of byte i // 8: the layout of
    sqlite-vec's vec_quantize_binary, so vec0 and numpy read the same codes.
    """
    import numpy as np

    return np.packbits(vector > 0, bitorder="little").tobytes()
