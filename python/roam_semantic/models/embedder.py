"""What every embedding model is to the rest: a definition and two calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

import msgspec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Float32, of length 1.  A text, so that naming the type imports no numpy.
Vector: TypeAlias = "NDArray[np.float32]"
Languages = Literal["en", "multilingual"]


class EmbeddingFailure(msgspec.Struct, frozen=True):
    """Why one text has no vector, in a few words for a person.

    retry: False when the text itself is the reason, so that another try
        would end the same (a blank text, no character the model knows).
    """

    reason: str
    retry: bool = True


class Definition(msgspec.Struct, frozen=True):
    """What is known of a model before it is loaded.

    name: for people.  digest: changes whenever vectors can change; vectors
        of two digests never mix.  token_limit: with the model's own special
        tokens.  query_prefix, passage_prefix: what the model wants before a
        text; `Embedder` adds it.
    """

    name: str
    digest: str
    dimension: int
    token_limit: int
    query_prefix: str = ""
    passage_prefix: str = ""
    languages: Languages = "en"


class Embedder(Protocol):
    """A model that turns texts into vectors of length 1; safe to share by threads."""

    @property
    def name(self) -> str:
        """Return the model's name, for people."""
        ...

    @property
    def digest(self) -> str:
        """Return what changes whenever vectors can change."""
        ...

    @property
    def dimension(self) -> int:
        """Return how many numbers a vector has."""
        ...

    @property
    def token_limit(self) -> int:
        """Return how many tokens the model reads at once, its special ones included."""
        ...

    @property
    def query_prefix(self) -> str:
        """Return what is put before a query."""
        ...

    @property
    def passage_prefix(self) -> str:
        """Return what is put before a passage."""
        ...

    @property
    def languages(self) -> Languages:
        """Return "en" or "multilingual"."""
        ...

    def embed_passages(
        self,
        texts: Sequence[str],
        cancelled: Callable[[], bool] | None = None,
        threads: int = 2,
    ) -> list[Vector | EmbeddingFailure]:
        """Return a vector, or why there is none, for each text, in their order.

        A text over the token limit is read in windows and their vectors
        averaged.  cancelled: asked between texts, from the calling thread;
        once it says True the call raises Cancelled.
        """
        ...

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a question; raise BadRequest when it can have none."""
        ...

    def too_long(self, text: str) -> bool:
        """Say whether TEXT with the passage prefix needs more than one window."""
        ...
