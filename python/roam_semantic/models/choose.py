"""Which model the settings mean."""

from __future__ import annotations

from roam_semantic.errors import Unavailable
from roam_semantic.models import embedded
from roam_semantic.models.embedder import Definition, Embedder
from roam_semantic.settings import Settings


class NotBuiltIn(Unavailable):
    """The settings ask for a model server this version cannot talk to."""


def choose(settings: Settings) -> Embedder:
    """Return the model SETTINGS ask for, loaded.

    Raise NotBuiltIn for one this version does not have, else what
    `embedded.load_embedded` raises.
    """
    _check(settings)
    return embedded.load_embedded(settings.model_dir)


def expected(settings: Settings) -> Definition:
    """Return the definition of the model SETTINGS ask for, without loading it."""
    _check(settings)
    return embedded.expected(settings.model_dir)


def _check(settings: Settings) -> None:
    if settings.embedder == "ollama":
        raise NotBuiltIn(
            "this version has only the embedded model", "unset ROAM_EMBEDDER, or say embedded"
        )
