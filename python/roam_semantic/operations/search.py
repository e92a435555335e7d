"""Finding: by meaning and by word, and by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import Meta

from roam_semantic.errors import RoamError
from roam_semantic.operations.answers import NameAnswer, SearchAnswer
from roam_semantic.operations.catalogue import TEXT, operation
from roam_semantic.operations.core import Core
from roam_semantic.retrieval import names
from roam_semantic.retrieval import search as pipeline
from roam_semantic.retrieval.query import Query, parse
from roam_semantic.store.vectors import vector_set

if TYPE_CHECKING:
    from roam_semantic.models.embedder import Vector

Limit = Annotated[int, Meta(description="how many hits", ge=1, le=100)]
Offset = Annotated[int, Meta(description="hits to leave out at the front", ge=0, le=10_000)]
Characters = Annotated[int, Meta(description="most characters in the answer", ge=200, le=200_000)]


@operation(read_only=True, positional=("query",))
def semantic_search(
    core: Core,
    query: Annotated[
        str,
        Meta(
            description="what is looked for, in plain words; may hold filters"
            ' tag:x -tag:x title:x file:x todo:x type:x since:2024-01-31 until:… and "phrases"',
            extra=TEXT,
        ),
    ],
    k: Limit = 10,
    offset: Offset = 0,
    mode: Annotated[
        Literal["auto", "words", "vectors"],
        Meta(description="both rankings, or one of them"),
    ] = "auto",
    max_chars: Characters = 20_000,
) -> SearchAnswer:
    """Find notes by meaning and by word; best passage, place and reason for each."""
    core.freshen()
    asked = parse(query)
    degraded = list(core.unwritten)
    vector = None if mode == "words" else _query_vector(core, asked, degraded)
    codes = core.codes() if vector is not None else None
    found = pipeline.search(
        core.reader(), asked, vector=vector, codes=codes, k=k, offset=offset, max_chars=max_chars,
        words=mode != "vectors",
    )  # fmt: skip
    return SearchAnswer(
        hits=found.hits,
        index=core.state(),
        degraded=(*degraded, *found.degraded),
        truncated=found.truncated,
        next_offset=offset + len(found.hits) if found.more else None,
        corrected=found.corrected,
    )


def _query_vector(core: Core, asked: Query, degraded: list[str]) -> Vector | None:
    """Return the query's vector, or None with the reason in DEGRADED."""
    if not asked.text:
        return None
    active = vector_set(core.reader())
    if active is None:
        degraded.append("vectors: no note has its vector yet")
        return None
    try:
        embedder = core.embedder()
        if embedder.digest != active.digest:
            degraded.append(
                f"vectors: the index holds {active.model}, the model is {embedder.name};"
                " run `roam-semantic index`"
            )
            return None
        return embedder.embed_query(asked.text)
    except RoamError as error:
        degraded.append(f"vectors: {error.message}")
        return None


@operation(read_only=True, positional=("query",))
def search(
    core: Core,
    query: Annotated[
        str, Meta(description="title, alias, #tag, URL or @key, whole or in part", extra=TEXT)
    ],
    k: Limit = 20,
    offset: Offset = 0,
) -> NameAnswer:
    """Find notes by title, alias, tag or ref; exact matches first."""
    core.freshen()
    found = names.search_names(core.reader(), query, k=k, offset=offset)
    return NameAnswer(
        hits=found.hits,
        index=core.state(),
        truncated=found.more,
        next_offset=offset + len(found.hits) if found.more else None,
    )
