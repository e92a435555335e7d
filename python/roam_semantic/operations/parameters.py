"""One argument of an operation: what it may be, and what to say when it is not."""

from __future__ import annotations

import math
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from roam_semantic.errors import BadRequest
from roam_semantic.operations.request import Request

KINDS: dict[Any, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}
WORDS = {"true": True, "yes": True, "false": False, "no": False}
BOUNDS = ("ge", "le", "min_length", "max_length")


class Parameter(msgspec.Struct, frozen=True):
    """One argument of an operation.

    kinds: the alternatives of its type, None left out; optional: None is one.
    default: `msgspec.NODEFAULT` when the argument is required.
    limits: ge, le, min_length, max_length, max_bytes, blank, as far as set.
    """

    name: str
    annotation: Any
    kinds: tuple[Any, ...]
    optional: bool
    default: Any
    description: str
    limits: dict[str, Any]

    @property
    def option(self) -> str:
        """Its name on the command line and in Emacs: `max-chars`."""
        return self.name.replace("_", "-")

    @property
    def required(self) -> bool:
        """Whether a call without it is refused."""
        return self.default is msgspec.NODEFAULT

    @property
    def is_flag(self) -> bool:
        """Whether it is true or false, and on the command line needs no value."""
        return self.kinds == (bool,)

    @property
    def is_list(self) -> bool:
        """Whether it takes several values."""
        return typing.get_origin(self.kinds[0]) in (tuple, list)

    @property
    def choices(self) -> tuple[str, ...]:
        """The words it may be, when its type is a Literal."""
        if typing.get_origin(self.kinds[0]) is not typing.Literal:
            return ()
        return typing.get_args(self.kinds[0])

    def from_text(self, value: Any) -> Any:
        """Return what VALUE, typed on a command line, stands for; itself if nothing."""
        if not isinstance(value, str) or str in self.kinds:
            return value
        if bool in self.kinds and value.lower() in WORDS:
            return WORDS[value.lower()]
        for kind in (int, float):
            if kind in self.kinds:
                try:
                    return kind(value)
                except ValueError:
                    continue
        return value

    def from_nil(self) -> Any:
        """Return what Lisp's nil stands for here; NODEFAULT: not given."""
        if self.optional:
            return None
        if self.is_flag:
            return False
        return () if self.is_list and self.required else msgspec.NODEFAULT

    def check(self, value: object) -> None:
        """Raise BadRequest when VALUE breaks a limit msgspec does not know."""
        if isinstance(value, str):
            if too_long := self._too_long(value):
                raise too_long
            if self.limits.get("blank") is False and not value.strip():
                raise BadRequest(f"{self.name} must not be empty")
        elif isinstance(value, float) and not math.isfinite(value):
            raise BadRequest(f"{self.name} must be a finite number, got {value}")

    def refusal(self, value: object) -> BadRequest:
        """Return what to tell the caller whose VALUE is none of ours."""
        if self.choices:
            allowed = ", ".join(self.choices)
            return BadRequest(f"{self.name} must be one of {allowed}, got {shown(value)}")
        if isinstance(value, str) and str in self.kinds:
            return self._too_long(value) or BadRequest(f"{self.name} must not be empty")
        if type(value) in self.kinds or (type(value) is int and float in self.kinds):
            return BadRequest(f"{self.name} must be {self._range()}, got {shown(value)}")
        kind = " or ".join(_kind_name(kind) for kind in self.kinds)
        return BadRequest(f"{self.name} must be {kind}, got {shown(value)}")

    def _range(self) -> str:
        low, high = self.limits.get("ge"), self.limits.get("le")
        if low is not None and high is not None:
            return f"between {low} and {high}"
        return f"at least {low}" if low is not None else f"at most {high}"

    def _too_long(self, value: str) -> BadRequest | None:
        hint = "send a shorter text"
        for limit, size, unit in (
            (self.limits.get("max_bytes"), len(value.encode(errors="replace")), "bytes"),
            (self.limits.get("max_length"), len(value), "characters"),
        ):
            if limit is not None and size > limit:
                return BadRequest(f"{self.name} must be at most {limit} {unit}, got {size}", hint)
        return None


class Signature(msgspec.Struct, frozen=True):
    """What a function says about itself; request: name of its Request argument."""

    parameters: tuple[Parameter, ...]
    request: str | None
    answer: Any


def read_signature(function: Callable[..., Any]) -> Signature:
    """Return the arguments of FUNCTION after the first, which is the core.

    Not by `inspect`: it costs every start of the command line some 10 ms.
    """
    hints = typing.get_type_hints(function, include_extras=True)
    plain = typing.cast("types.FunctionType", function)
    count = plain.__code__.co_argcount
    names = plain.__code__.co_varnames
    values = plain.__defaults__ or ()
    defaults = dict(zip(names[count - len(values) : count], values, strict=True))
    defaults.update(plain.__kwdefaults__ or {})
    request: str | None = None
    parameters: list[Parameter] = []
    for name in names[1 : count + plain.__code__.co_kwonlyargcount]:
        if hints[name] is Request:
            request = name
        else:
            default = defaults.get(name, msgspec.NODEFAULT)
            parameters.append(_parameter(name, hints[name], default))
    return Signature(tuple(parameters), request, hints["return"])


def shown(value: object) -> str:
    """Return VALUE as a short word for a message."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value) if abs(value) < 10**20 else "a huge number"
    if isinstance(value, str):
        return f'"{value[:40]}…"' if len(value) > 40 else f'"{value}"'
    return "an object" if isinstance(value, Mapping) else "a list"


def _parameter(name: str, annotation: Any, default: Any) -> Parameter:
    kind, metas = _apart(annotation)
    is_union = typing.get_origin(kind) in (typing.Union, types.UnionType)
    members = [_apart(member) for member in (typing.get_args(kind) if is_union else (kind,))]
    limits: dict[str, Any] = {}
    described = ""
    for meta in (*metas, *(meta for _, found in members for meta in found)):
        limits.update(meta.extra or {})
        limits.update((b, getattr(meta, b)) for b in BOUNDS if getattr(meta, b) is not None)
        described = described or meta.description or ""
    kinds = tuple(member for member, _ in members if member is not type(None))
    optional = len(kinds) < len(members)
    return Parameter(name, annotation, kinds, optional, default, described, limits)


def _apart(annotation: Any) -> tuple[Any, list[msgspec.Meta]]:
    """Return ANNOTATION without what `Annotated` adds to it, and its Metas."""
    added = getattr(annotation, "__metadata__", ())
    metas = [meta for meta in added if isinstance(meta, msgspec.Meta)]
    return (annotation.__origin__ if added else annotation), metas


def _kind_name(kind: Any) -> str:
    if typing.get_origin(kind) in (tuple, list):
        return "a list of " + _kind_name(typing.get_args(kind)[0])
    return KINDS.get(kind, "an object")
