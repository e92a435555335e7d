"""Lines that many notes share: a template's, not a note's own."""

from __future__ import annotations

import re
from collections.abc import Collection

from roam_semantic.sqlite import Connection

BLANKS = re.compile(r"\s+")


def normal(line: str) -> str:
    """Return LINE as it is compared with other notes' lines."""
    return BLANKS.sub(" ", line).strip().casefold()


def shared_lines(connection: Connection) -> frozenset[str]:
    """Return the normalised lines that were found in many notes."""
    return frozenset(line for (line,) in connection.rows("SELECT line FROM embed_boilerplate"))


def own_lines(text: str, shared: Collection[str]) -> list[str]:
    """Return the lines of TEXT that say something and are not SHARED."""
    return [line for line in text.split("\n") if line.strip() and normal(line) not in shared]


def is_boilerplate(text: str, shared: Collection[str]) -> bool:
    """Return whether TEXT is nothing but lines that are SHARED; no text is not."""
    return bool(text) and not own_lines(text, shared)
