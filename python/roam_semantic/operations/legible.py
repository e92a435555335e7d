"""Text that every encoder takes: lone surrogates become U+FFFD."""

from __future__ import annotations

from typing import Any, cast


def legible(text: str) -> str:
    """Return TEXT with each lone surrogate replaced and each pair joined.

    A file name that is not UTF-8, a `\\ud800` in JSON and a broken client all
    bring lone surrogates; SQLite, JSON and UTF-8 refuse them.
    """
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def legible_value(value: Any) -> Any:
    """Return VALUE, made of dicts, lists and plain values, with legible texts."""
    if isinstance(value, str):
        return legible(value)
    if isinstance(value, dict):
        pairs = cast("dict[Any, Any]", value).items()
        return {legible_value(key): legible_value(part) for key, part in pairs}
    if isinstance(value, (list, tuple)):
        return [legible_value(part) for part in cast("list[Any]", value)]
    return value
