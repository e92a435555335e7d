"""A catalogue of small operations that do what the real ones cannot do on demand.

    python -m tests.contract.toy COMMAND …

They fail in each of the six ways, take as long as they are told, and give back
whatever they were given, so that a face is tested without a vault.
"""

from __future__ import annotations

import sys
import time
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from roam_semantic import errors
from roam_semantic.faces import cli
from roam_semantic.operations.catalogue import NOBODY, TEXT, Catalogue, operation
from roam_semantic.operations.request import Request
from roam_semantic.settings import Settings

CATALOGUE = Catalogue()
KINDS = {
    kind.kind: kind
    for kind in (
        errors.BadRequest,
        errors.NotFound,
        errors.NotReady,
        errors.Unavailable,
        errors.Cancelled,
        errors.Internal,
    )
}


class Echo(msgspec.Struct, frozen=True):
    """What was given."""

    query: str
    k: int
    loud: bool
    mode: str
    words: tuple[str, ...]
    within_s: float | None
    counts: dict[str, int]
    nothing: None = None


class Text(msgspec.Struct, frozen=True):
    """A text."""

    text: str


class Core:
    """What the operations below stand on."""

    def __init__(self, vault: str | None) -> None:
        self.vault = vault
        self.ended = "nothing has been counted"

    def close(self) -> None:
        """Hold nothing, let go of nothing."""


def build(settings: Settings, *, serving: bool = False) -> Core:
    """Return the core; a vault called `broken` cannot be opened."""
    if settings.vault and settings.vault.endswith("broken"):
        raise errors.NotReady("the vault is broken", "mend it")
    return Core(settings.vault)


@operation(read_only=True, positional=("query",), catalogue=CATALOGUE)
def echo(
    core: Core,
    query: Annotated[str, Meta(description="any text", extra=TEXT)],
    k: Annotated[int, Meta(description="a number", ge=1, le=100)] = 10,
    loud: Annotated[bool, Meta(description="whether to shout")] = False,
    mode: Annotated[Literal["auto", "words"], Meta(description="a word")] = "auto",
    words: Annotated[tuple[str, ...], Meta(description="some words")] = (),
    within_s: Annotated[float, Meta(description="seconds, if any", ge=0)] | None = None,
) -> Echo:
    """Give back what was given.

    This paragraph is for programmers.
    """
    return Echo(query, k, loud, mode, words, within_s, {query: k})


@operation(read_only=True, positional=("kind",), catalogue=CATALOGUE)
def fail(core: Core, kind: Annotated[str, Meta(description="one of the six")]) -> Text:
    """Fail in the way that is asked for."""
    if kind == "fault":
        raise ZeroDivisionError("a secret detail")
    raise KINDS[kind](f"this is {kind}", "do as the hint says")


@operation(idempotent=True, catalogue=CATALOGUE)
def count(
    core: Core,
    steps: Annotated[int, Meta(description="how far to count", ge=0, le=10_000)] = 10,
    pause_s: Annotated[float, Meta(description="seconds a step", ge=0)] = 0.01,
    request: Request = NOBODY,
) -> Text:
    """Count slowly, tell how far it is, stop when asked."""
    print("a careless print of a library", flush=True)
    for step in range(steps):
        if request.cancelled():
            core.ended = "it was cancelled"
            request.check()
        request.progress(step, steps, "counting")
        time.sleep(pause_s)
    request.progress(steps, steps, "counting")
    core.ended = f"counted to {steps}"
    return Text(core.ended)


@operation(read_only=True, catalogue=CATALOGUE)
def last_end(core: Core) -> Text:
    """Tell how the last count ended."""
    return Text(core.ended)


@operation(read_only=True, catalogue=CATALOGUE)
def big(
    core: Core, size: Annotated[int, Meta(description="how many characters", ge=0)] = 10
) -> Text:
    """Give a long text."""
    return Text("x" * size)


@operation(read_only=True, catalogue=CATALOGUE)
def odd(core: Core) -> Text:
    """Give a text with everything that is hard to send."""
    return Text('"\\\0\x1b[31m\r\n\t\x85 чай 日本 🧑‍🚀 \ud800 \u202e\U000e0041 (:a . nil) \\u0000')


def main(words: list[str]) -> int:
    """Run the command line WORDS."""
    return cli.main(words, CATALOGUE, build)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
