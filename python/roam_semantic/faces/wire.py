"""JSON in and out, the same for every face that speaks it; pure."""

from __future__ import annotations

from typing import Any, NoReturn, cast

import msgspec

from roam_semantic.operations.legible import legible_value


class BadMessage(ValueError):
    """The bytes are not JSON we take; the text says why in a few words."""


def read_json(raw: bytes, *, strict: bool = False) -> Any:
    """Return the value RAW stands for, its texts legible; raise BadMessage.

    strict: bytes that are not UTF-8 are refused, not replaced.

    Not by msgspec: the standard library reads a lone `\\ud800`, which clients
    do send, so that it can be mended instead of leaving them without answer.
    """
    import json  # not for the command line, which only writes

    try:
        value = json.loads(
            raw.decode("utf-8", "strict" if strict else "replace"), parse_constant=_refuse_constant
        )
        return legible_value(value)
    except RecursionError:
        raise BadMessage("the message is nested too deeply") from None
    except ValueError as error:
        raise BadMessage(f"the message is not JSON: {error}") from None


def write_json(value: Any) -> bytes:
    """Return VALUE (structs, dicts, lists, plain values) as JSON in UTF-8."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(legible_value(msgspec.to_builtins(value)))


def write_json_without_nul(value: Any) -> bytes:
    """Return VALUE as JSON with U+FFFD for NUL, which Emacs 28 refuses to read."""
    written = write_json(value)
    if b"\\u0000" not in written:
        return written
    return msgspec.json.encode(_without_nul(legible_value(msgspec.to_builtins(value))))


def _without_nul(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("\0", "\ufffd")
    if isinstance(value, dict):
        pairs = cast("dict[str, Any]", value).items()
        return {_without_nul(key): _without_nul(part) for key, part in pairs}
    if isinstance(value, list):
        return [_without_nul(part) for part in cast("list[Any]", value)]
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")
