"""What operations answer: the outside contract, as frozen values."""

from __future__ import annotations

from typing import Literal

import msgspec

from roam_semantic.values import Hit, IndexState, NameHit, Skipped


class SearchAnswer(msgspec.Struct, frozen=True):
    """Hits, best first; `degraded` names each stage that could not take part."""

    hits: tuple[Hit, ...]
    index: IndexState
    degraded: tuple[str, ...] = ()
    truncated: bool = False
    next_offset: int | None = None
    corrected: dict[str, str] = {}


class NameAnswer(msgspec.Struct, frozen=True):
    """Nodes whose names match, exact ones first."""

    hits: tuple[NameHit, ...]
    index: IndexState
    truncated: bool = False
    next_offset: int | None = None


class RelatedHit(Hit, frozen=True):
    """A hit, and why it is one.

    linked: whether the two notes are linked already, either way.  because:
    the passage of the source that matches best, in line `because_line`.
    """

    linked: bool = False
    because: str = ""
    because_line: int = 0


class RelatedSource(msgspec.Struct, frozen=True):
    """The note or heading that was asked about."""

    node_id: str | None
    title: str
    file: str
    outline_path: tuple[str, ...]
    line: int
    pos: int


class RelatedAnswer(msgspec.Struct, frozen=True):
    """Notes that mean what the source means, nearest first."""

    source: RelatedSource
    hits: tuple[RelatedHit, ...]
    index: IndexState
    degraded: tuple[str, ...] = ()


class Suggestion(msgspec.Struct, frozen=True):
    """A place in a note that means another note it does not link to.

    kind: "mention": the text from pos to before end is a name of the other
    note; "meaning": that passage means it.  pos and end: Emacs points in the
    file.  passage: of the other note.  score: 0 to 1.
    """

    kind: Literal["mention", "meaning"]
    pos: int
    end: int
    line: int
    text: str
    node_id: str
    title: str
    file: str
    passage: str
    score: float


class LinksAnswer(msgspec.Struct, frozen=True):
    """Links a note could have, in the order of its text.

    hash: SHA-1 of the bytes of the file in which the positions hold.
    """

    hash: str
    file: str
    suggestions: tuple[Suggestion, ...]
    index: IndexState
    degraded: tuple[str, ...] = ()


class NodeAnswer(msgspec.Struct, frozen=True):
    """One node with its text: a heading node answers with its subtree only."""

    node_id: str | None
    title: str
    file: str
    line: int
    pos: int
    level: int
    outline_path: tuple[str, ...]
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    refs: tuple[str, ...]
    todo: str | None
    priority: str | None
    text: str
    truncated: bool = False
    next_offset: int | None = None


class FailedUnit(msgspec.Struct, frozen=True):
    """A unit the model could not embed; found by words all the same."""

    file: str
    line: int
    reason: str


class IndexAnswer(msgspec.Struct, frozen=True):
    """What an index run did; state "running": it goes on in the background."""

    files: int
    nodes: int
    units: int
    embedded: int
    from_cache: int
    skipped: tuple[Skipped, ...]
    failed: tuple[FailedUnit, ...]
    seconds: float
    state: Literal["done", "running"] = "done"
    pending: int = 0


class Clash(msgspec.Struct, frozen=True):
    """An id more than one file claims; the first file is its owner."""

    node_id: str
    files: tuple[str, ...]


class StatsAnswer(msgspec.Struct, frozen=True):
    """Counts over the index; nodes have an id, `files_without_id` have none."""

    files: int
    nodes: int
    file_nodes: int
    heading_nodes: int
    files_without_id: int
    links: int
    id_links: int
    tags: int
    units: int
    unit_types: dict[str, int]
    index: IndexState
    index_file: str
    index_bytes: int
    model: str | None
    dimension: int | None


class Check(msgspec.Struct, frozen=True):
    """One thing doctor looked at; `remedy` says what to do unless it is ok."""

    name: str
    state: Literal["ok", "warning", "failed"]
    message: str
    remedy: str = ""


class DoctorAnswer(msgspec.Struct, frozen=True):
    """Every check, and whether none failed."""

    ok: bool
    checks: tuple[Check, ...]


class Job(msgspec.Struct, frozen=True):
    """A long run under way: units done of total, rate a second, seconds left."""

    operation: str
    done: int
    total: int
    rate: float
    left_s: float | None
    phase: str


class RefreshAnswer(msgspec.Struct, frozen=True):
    """How the index is after a look at the files; `job` embeds what waits."""

    index: IndexState
    job: Job | None
    message: str = ""


class WatchAnswer(msgspec.Struct, frozen=True):
    """How the index is; `seen` is another one whenever something has changed."""

    seen: str
    state: Literal["ready", "indexing", "stale", "empty"]
    index: IndexState
    job: Job | None
    message: str = ""


class StatusAnswer(msgspec.Struct, frozen=True):
    """What the server knows now, without touching the notes."""

    version: str
    vault: str | None
    database: str | None
    database_state: str
    index_file: str | None
    index: IndexState | None
    embedder: str
    job: Job | None
    skipped: tuple[Skipped, ...]
    clashes: tuple[Clash, ...]
    not_in_database: tuple[str, ...]
    messages: tuple[str, ...]
