"""Everything that can fail, in six kinds that never change.

    RoamError
    ├── BadRequest    bad-request   2    the caller's words are off
    ├── NotFound      not-found     3    no such node, file or symbol
    ├── NotReady      not-ready     4    something must be done or set first
    ├── Unavailable   unavailable   5    a part outside us does not answer now
    ├── Cancelled     cancelled     130  somebody asked us to stop
    └── Internal      internal      1    a fault of ours

The number is the exit code of the command line.  A new failure is a class
under one of the six.  Messages are one sentence without a final period; the
hint says what to do.
"""

from __future__ import annotations

from typing import ClassVar


class RoamError(Exception):
    """A failure a person or an agent is told about: kind, message, hint."""

    kind: ClassVar[str] = "internal"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def as_dict(self) -> dict[str, str]:
        """Return the object every face shows: {kind, message, hint}."""
        return {"kind": self.kind, "message": self.message, "hint": self.hint}


class BadRequest(RoamError):
    """The caller's words are off; the message names the argument."""

    kind = "bad-request"
    exit_code = 2


class NotFound(RoamError):
    """What was asked for is not there."""

    kind = "not-found"
    exit_code = 3


class NotReady(RoamError):
    """Something must be set or done first; the hint says what."""

    kind = "not-ready"
    exit_code = 4


class Unavailable(RoamError):
    """A part outside this process does not answer now."""

    kind = "unavailable"
    exit_code = 5


class Cancelled(RoamError):
    """Somebody asked us to stop."""

    kind = "cancelled"
    exit_code = 130


class Internal(RoamError):
    """A fault of ours; the details are in the log, not in the message."""

    kind = "internal"
    exit_code = 1


def from_dict(given: dict[str, str]) -> RoamError:
    """Return the error another process told us of as {kind, message, hint}."""
    kinds = (BadRequest, NotFound, NotReady, Unavailable, Cancelled)
    found = next((kind for kind in kinds if kind.kind == given.get("kind")), Internal)
    return found(given.get("message", ""), given.get("hint", ""))
