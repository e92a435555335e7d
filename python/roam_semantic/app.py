"""The composition root: settings in, a core with everything wired out."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Sequence

from roam_semantic.faces import cli
from roam_semantic.operations.catalogue import CATALOGUE
from roam_semantic.operations.core import Core
from roam_semantic.org_roam.database import RoamDatabase
from roam_semantic.settings import INDEX_NAME, SHARED, Settings

# Those that answer soonest come first: a command imports no further than it must.
CATALOGUE.expect(
    "roam_semantic.operations.search",
    "roam_semantic.operations.nodes",
    "roam_semantic.operations.related",
    "roam_semantic.operations.links",
    "roam_semantic.operations.freshness",
    "roam_semantic.operations.index",
    "roam_semantic.operations.care",
)


def main(words: Sequence[str]) -> int:
    """Run the command line WORDS; return the exit code."""
    return cli.main(words, CATALOGUE, build)


def build(settings: Settings, *, serving: bool = False) -> Core:
    """Return the core for SETTINGS; nothing is opened, made or loaded yet."""
    database = find_database(settings)
    path = index_path(settings, database)
    worker = [sys.executable, "-m", "roam_semantic", "worker"]
    for option, value in (
        ("--dir", settings.vault), ("--db", database.path if database else None),
        ("--index", SHARED if settings.shared else path),
    ):  # fmt: skip
        if value is not None:
            worker += [option, value]
    return Core(settings, path, database, worker, serving)


def find_database(settings: Settings) -> RoamDatabase | None:
    """Return org-roam's database: the one that is set, or one that holds this vault."""
    if settings.database is not None:
        return RoamDatabase(settings.database)
    if settings.vault is None:
        return None
    inside = os.path.join(settings.vault, "org-roam.db")
    if os.path.exists(inside):
        return RoamDatabase(inside)
    for folder in (".emacs.d", os.path.join(".config", "emacs")):
        candidate = os.path.join(settings.home, folder, "org-roam.db")
        if os.path.exists(candidate):
            database = RoamDatabase(candidate)
            if database.covers(settings.vault):
                return database
    return None


def index_path(settings: Settings, database: RoamDatabase | None) -> str | None:
    """Return where the index is: set, in or beside org-roam's database, or in the cache."""
    if settings.shared:
        return None if database is None else database.path
    if settings.index is not None:
        return settings.index
    if settings.vault is None:
        return None
    if database is not None:
        folder = os.path.dirname(database.path)
        beside = os.path.join(folder, INDEX_NAME)
        if os.access(folder, os.W_OK) and (os.path.exists(database.path) or os.path.exists(beside)):
            return beside
    name = hashlib.sha256(os.path.realpath(settings.vault).encode("utf-8", "surrogateescape"))
    return os.path.join(settings.cache, name.hexdigest()[:16], INDEX_NAME)
