"""The catalogue: each operation is defined once, as a typed function.

    @operation(read_only=True, positional=("query",))
    def semantic_search(
        core: Core,
        query: Annotated[str, Meta(description="what you look for", extra=TEXT)],
        k: Annotated[int, Meta(description="how many hits", ge=1, le=100)] = 10,
        request: Request = NOBODY,
    ) -> SearchAnswer:
        '''First paragraph: what agents and people read.'''

The first argument is the core; an argument annotated `Request` is the call
itself; all others make the operation's arguments.  Faces read everything they
need from here, so a new operation adds no line to any of them.

Besides msgspec's own bounds a `Meta(extra=…)` may hold `max_bytes` (of the
UTF-8 form) and `blank: False` (the text must say something).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, TypeVar

import msgspec

from roam_semantic.errors import BadRequest, Internal
from roam_semantic.operations.legible import legible, legible_value
from roam_semantic.operations.parameters import Parameter, Signature, read_signature
from roam_semantic.operations.request import Request

TEXT: dict[str, Any] = {"max_bytes": 4096, "blank": False}
"""Limits of a text a person types: a query, a title, an id."""

NOBODY = Request()
"""The request of a call that nobody can cancel and nobody watches."""

Function = TypeVar("Function", bound=Callable[..., Any])


class Hints(msgspec.Struct, frozen=True):
    """What a client may assume before it calls.

    read_only: it changes nothing a person keeps.  idempotent: a second call
    does nothing more.  destructive: it may remove.  open_world: it reaches
    beyond this machine.
    """

    read_only: bool = False
    idempotent: bool = False
    destructive: bool = False
    open_world: bool = False


class Operation:
    """One thing the core can do, with everything a face needs to offer it.

    name: `get_node`; command: `get-node`; tool: `roam_get_node`.
    positional: the arguments a command line takes bare, in order.
    """

    def __init__(
        self, function: Callable[..., Any], hints: Hints, positional: tuple[str, ...] = ()
    ) -> None:
        self.function = function
        self.hints = hints
        self.positional = positional
        self.name: str = function.__name__
        self.command = self.name.replace("_", "-")
        self.tool = "roam_" + self.name
        self.description = " ".join((function.__doc__ or "").strip().split("\n\n")[0].split())
        self._signature: Signature | None = None
        self._arguments: type[msgspec.Struct] | None = None

    @property
    def signature(self) -> Signature:
        """What its function takes and returns, read at first use."""
        if self._signature is None:
            self._signature = read_signature(self.function)
        return self._signature

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Its arguments, in the order of the function."""
        return self.signature.parameters

    @property
    def arguments(self) -> type[msgspec.Struct]:
        """The struct of its arguments, made at first use."""
        if self._arguments is None:
            fields = [
                (p.name, p.annotation) if p.required else (p.name, p.annotation, p.default)
                for p in self.parameters
            ]
            title = "".join(word.capitalize() for word in self.name.split("_"))
            self._arguments = msgspec.defstruct(
                title, fields, kw_only=True, forbid_unknown_fields=True
            )
        return self._arguments

    def decode(
        self, given: Mapping[str, Any], *, from_text: bool = False, from_lisp: bool = False
    ) -> dict[str, Any]:
        """Return the checked arguments of a call, defaults filled in.

        given: name → value; `max-chars` and `max_chars` are the same name.
        from_text: values were typed on a command line, so "10" may be a number.
        from_lisp: None is nil: false, the empty list, or "not given".
        Raise BadRequest naming the argument and what it may be.
        """
        values = self._known(given)
        for parameter in self.parameters:
            name = parameter.name
            if name in values:
                value = legible_value(values[name])
                values[name] = parameter.from_text(value) if from_text else value
            if from_lisp and name in values and values[name] is None:
                values[name] = parameter.from_nil()
            if values.get(name, msgspec.NODEFAULT) is msgspec.NODEFAULT:
                values.pop(name, None)
                if parameter.required:
                    raise BadRequest(f"{name} is missing", self.usage())
        decoded = self._convert(values)
        for parameter in self.parameters:
            parameter.check(decoded[parameter.name])
        return decoded

    def bind(
        self,
        given: Mapping[str, Any],
        request: Request = NOBODY,
        *,
        from_text: bool = False,
        from_lisp: bool = False,
    ) -> Callable[[Any], Any]:
        """Check GIVEN (see `decode`); return the call, which only wants the core.

        Apart from the call, so that a wrong argument is told before a core is
        opened, and even where none can be.
        """
        arguments = self.decode(given, from_text=from_text, from_lisp=from_lisp)
        if self.signature.request is not None:
            arguments[self.signature.request] = request
        return lambda core: self.function(core, **arguments)

    def call(self, core: object, given: Mapping[str, Any], request: Request = NOBODY) -> Any:
        """Check GIVEN, run the operation on CORE, and return its answer."""
        return self.bind(given, request)(core)

    def usage(self) -> str:
        """Return one line that names the arguments."""
        names = [p.name if p.required else f"[{p.name}]" for p in self.parameters]
        return f"{self.command} takes {' '.join(names) or 'no argument'}"

    def _known(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return GIVEN under the names of our parameters; refuse any other name."""
        names = {p.name for p in self.parameters}
        values: dict[str, Any] = {}
        for key, value in given.items():
            name = key.replace("-", "_")
            if name not in names:
                wrong = legible(key)[:80]
                raise BadRequest(f"{self.command} has no argument {wrong}", self.usage())
            values[name] = value
        return values

    def _convert(self, values: dict[str, Any]) -> dict[str, Any]:
        try:
            checked = msgspec.convert(values, self.arguments, strict=True)
        except msgspec.ValidationError as error:
            for parameter in self.parameters:
                if f"`$.{parameter.name}" in str(error):
                    raise parameter.refusal(values[parameter.name]) from None
            raise BadRequest(str(error), self.usage()) from None
        return {p.name: getattr(checked, p.name) for p in self.parameters}


class Catalogue:
    """Every operation by name, in the order of the names.

    The modules that define them are imported when they are needed: a command
    that only searches does not pay for what indexing needs.
    """

    def __init__(self) -> None:
        self._operations: dict[str, Operation] = {}
        self._modules: list[str] = []

    def __iter__(self) -> Iterator[Operation]:
        self.load()
        return iter(sorted(self._operations.values(), key=lambda each: each.name))

    def __len__(self) -> int:
        self.load()
        return len(self._operations)

    def expect(self, *modules: str) -> None:
        """Take note of MODULES that define operations, most used first."""
        self._modules += [each for each in modules if each not in self._modules]

    def load(self) -> None:
        """Import every module that is expected; a server does so before it has threads."""
        while self._modules:
            import_module(self._modules[0])
            del self._modules[0]

    def add(self, operation: Operation) -> None:
        """Take OPERATION in; refuse a name that is already there."""
        if operation.name in self._operations:
            raise Internal(f"the operation {operation.name} is defined twice")
        self._operations[operation.name] = operation

    def find(self, name: str) -> Operation | None:
        """Return the operation NAME (`get_node` or `get-node`), or None."""
        key = name.replace("-", "_")
        while key not in self._operations and self._modules:
            import_module(self._modules[0])
            del self._modules[0]
        return self._operations.get(key)

    def __getitem__(self, name: str) -> Operation:
        """Return the operation NAME; raise BadRequest that lists the known ones."""
        found = self.find(name)
        if found is None:
            known = ", ".join(operation.command for operation in self)
            wrong = legible(name)[:80]
            raise BadRequest(f"there is no operation {wrong}", f"use one of {known}")
        return found


CATALOGUE = Catalogue()


def operation(
    *,
    read_only: bool = False,
    idempotent: bool = False,
    destructive: bool = False,
    open_world: bool = False,
    positional: tuple[str, ...] = (),
    catalogue: Catalogue = CATALOGUE,
) -> Callable[[Function], Function]:
    """Enter the decorated function in CATALOGUE and return it unchanged.

    The hints are those of `Hints`; a reader is idempotent by nature.
    """
    hints = Hints(read_only, idempotent or read_only, destructive, open_world)

    def enter(function: Function) -> Function:
        catalogue.add(Operation(function, hints, positional))
        return function

    return enter
