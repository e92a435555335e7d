"""JSON in and out: what is mended, what is refused."""

import json

import msgspec
import pytest

from roam_semantic.faces import wire


class Thing(msgspec.Struct):
    """A thing."""

    name: str


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (b'{"a": [1, 2.5, null, true]}', {"a": [1, 2.5, None, True]}),
        (b'"\\ud800 lone"', "\ufffd lone"),
        (b'"\\ud83d\\ude42"', "🙂"),
        (b'{"\\udfff": 1}', {"\ufffd": 1}),
        (b'"\xff"', "\ufffd"),
        (b"1000000000000000000000000000000", 10**30),
    ],
)
def test_what_can_be_mended_is_read(raw, value):
    assert value == wire.read_json(raw)


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"NaN", b"-Infinity", b"[" * 100_000, b"[" * 900 + b"]" * 900 + b"x", b"a"]
)
def test_what_is_no_json_is_refused(raw):
    with pytest.raises(wire.BadMessage):
        wire.read_json(raw)


def test_bytes_that_are_no_text_are_refused_where_it_matters():
    with pytest.raises(wire.BadMessage):
        wire.read_json(b'"\xff"', strict=True)


def test_a_lone_surrogate_in_an_answer_is_mended():
    assert b'{"name":"\xef\xbf\xbd"}' == wire.write_json(Thing("\udcff"))


@pytest.mark.parametrize("text", ["a\0b", "\\u0000", "\\\0", "\\\\u0000"])
def test_no_answer_to_emacs_holds_nul(text):
    written = wire.write_json_without_nul({"name": text, text: [Thing(text)]})

    expected = text.replace("\0", "\ufffd")
    assert {"name": expected, expected: [{"name": expected}]} == json.loads(written)
