"""The few lines of Protocol Buffers an ONNX file needs, read and written.

An ONNX file is one protobuf message.  We read the tensors of one and write
another; the `onnx` package would do it too, for 33 MB of installation and
half a second of import.  Field numbers are those of `onnx.proto`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

FLOAT, INT8, INT32, INT64 = 1, 3, 6, 7

_VARINT, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5
_ATTRIBUTE_FLOAT, _ATTRIBUTE_INT = 1, 2

# A message is kept as its pieces until the end: tensors of 12 MB are copied once.
Pieces = list[bytes | memoryview]


class Tensor(msgspec.Struct, frozen=True):
    """A named constant: type is FLOAT, INT8 or INT64, raw its little-endian bytes."""

    name: str
    type: int
    shape: tuple[int, ...]
    raw: bytes | memoryview


class Operator(msgspec.Struct, frozen=True):
    """One node of a graph; an input named "" is left out."""

    kind: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    domain: str = ""
    attributes: Mapping[str, int | float] = {}


class Port(msgspec.Struct, frozen=True):
    """An input or output of a graph; a dimension that is a text may vary."""

    name: str
    type: int
    shape: tuple[int | str, ...]


def tensors(model: bytes) -> dict[str, Tensor]:
    """Return the constants of the ONNX file MODEL by name, as views into it.

    Only constants whose numbers stand as raw bytes have them; raise
    ValueError when MODEL is cut or no protobuf.
    """
    found: dict[str, Tensor] = {}
    for graph in _messages(memoryview(model), 7):
        for message in _messages(graph, 5):
            tensor = _read_tensor(message)
            found[tensor.name] = tensor
    return found


def model(
    name: str,
    constants: Sequence[Tensor],
    operators: Sequence[Operator],
    inputs: Sequence[Port],
    outputs: Sequence[Port],
) -> bytes:
    """Return the ONNX file (opset 17) of a graph; the same parts, the same bytes."""
    graph = [
        *_each(1, (_operator(operator) for operator in operators)),
        *_text(2, name),
        *_each(5, (_constant(tensor) for tensor in constants)),
        *_each(11, (_port(port) for port in inputs)),
        *_each(12, (_port(port) for port in outputs)),
    ]
    opsets = (("", 17), ("com.microsoft", 1))
    return b"".join(
        (
            *_number(1, 8),
            *_text(2, "roam-semantic"),
            *_message(7, graph),
            *_each(8, ([*_text(1, domain), *_number(2, version)] for domain, version in opsets)),
        )
    )


def _read_tensor(message: memoryview) -> Tensor:
    name, kind, raw = "", 0, memoryview(b"")
    shape: list[int] = []
    for number, value in _fields(message):
        if isinstance(value, int):
            if number == 1:
                shape.append(value)
            elif number == 2:
                kind = value
        elif number == 8:
            name = bytes(value).decode()
        elif number == 9:
            raw = value
    return Tensor(name, kind, tuple(shape), raw)


def _messages(message: memoryview, wanted: int) -> Iterator[memoryview]:
    for number, value in _fields(message):
        if number == wanted and not isinstance(value, int):
            yield value


def _fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    at = 0
    while at < len(message):
        tag, at = _read_varint(message, at)
        wire = tag & 7
        if wire == _VARINT:
            value, at = _read_varint(message, at)
            yield tag >> 3, value
            continue
        if wire == _BYTES:
            size, at = _read_varint(message, at)
        elif wire in (_EIGHT_BYTES, _FOUR_BYTES):
            size = 8 if wire == _EIGHT_BYTES else 4
        else:
            raise ValueError(f"wire type {wire} before byte {at}")
        if at + size > len(message):
            raise ValueError(f"cut after {len(message)} bytes")
        yield tag >> 3, message[at : at + size]
        at += size


def _read_varint(message: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(message) and shift < 64:
        byte = message[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
    raise ValueError(f"no number at byte {at} of {len(message)}")


def _operator(operator: Operator) -> Pieces:
    pieces = [piece for name in operator.inputs for piece in _text(1, name)]
    pieces += [piece for name in operator.outputs for piece in _text(2, name)]
    pieces += _text(4, operator.kind)
    pieces += _each(5, (_attribute(*pair) for pair in operator.attributes.items()))
    return pieces + _text(7, operator.domain)


def _attribute(name: str, value: float) -> Pieces:
    if isinstance(value, int):
        return [*_text(1, name), *_number(3, value), *_number(20, _ATTRIBUTE_INT)]
    fixed = bytes((2 << 3 | _FOUR_BYTES,)) + struct.pack("<f", value)
    return [*_text(1, name), fixed, *_number(20, _ATTRIBUTE_FLOAT)]


def _constant(tensor: Tensor) -> Pieces:
    pieces = [piece for size in tensor.shape for piece in _number(1, size)]
    return pieces + _number(2, tensor.type) + _text(8, tensor.name) + _message(9, [tensor.raw])


def _port(port: Port) -> Pieces:
    dimensions = _each(
        1, (_text(2, size) if isinstance(size, str) else _number(1, size) for size in port.shape)
    )
    kind = [*_number(1, port.type), *_message(2, dimensions)]
    return _text(1, port.name) + _message(2, _message(1, kind))


def _each(number: int, messages: Iterable[Pieces]) -> Pieces:
    return [piece for message in messages for piece in _message(number, message)]


def _text(number: int, text: str) -> Pieces:
    return _message(number, [text.encode()])


def _message(number: int, pieces: Pieces) -> Pieces:
    size = sum(len(piece) for piece in pieces)
    return [_varint(number << 3 | _BYTES) + _varint(size), *pieces]


def _number(number: int, value: int) -> Pieces:
    return [_varint(number << 3) + _varint(value & (1 << 64) - 1)]


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)
