"""Does the index hold together?  Cheap questions before each run, and repairs.

SQLite's own quick_check sees neither a missing vec0 row nor words that do not
belong to a unit, so the tables are compared with each other.
"""

from __future__ import annotations

import msgspec

from roam_semantic.sqlite import Broken, Connection
from roam_semantic.store.rows import EMBEDDED, PENDING
from roam_semantic.store.vectors import VectorSet, vector_set


class Fault(msgspec.Struct, frozen=True):
    """One disagreement between tables, in words for a person."""

    layer: str
    message: str


def faults(connection: Connection, *, deep: bool = False) -> list[Fault]:
    """Return what is wrong with the index; DEEP also reads every page and word."""
    found: list[Fault] = []
    units = connection.value("SELECT count(*) FROM embed_units")
    words = connection.value("SELECT count(*) FROM embed_fts_docsize")
    if units != words:
        found.append(Fault("words", f"{words} of {units} units have their words"))
    active = vector_set(connection)
    if active is not None:
        found += _vector_faults(connection, active)
    if deep:
        found += _deep_faults(connection)
    return found


def _vector_faults(connection: Connection, active: VectorSet) -> list[Fault]:
    try:
        vectors = connection.value(f"SELECT count(*) FROM {active.vectors}")
        marked = connection.value(
            f"SELECT count(*) FROM embed_units WHERE state = {EMBEDDED}"
            f" AND id NOT IN (SELECT unit FROM {active.vectors})"
        )
        orphans = connection.value(
            f"SELECT count(*) FROM {active.vectors} WHERE unit NOT IN (SELECT id FROM embed_units)"
        )
        codes = (
            connection.value(f"SELECT count(*) FROM {active.codes}_rowids")
            if connection.has_vec
            else vectors
        )
    except Broken as error:
        return [Fault("vectors", error.message)]
    found: list[Fault] = []
    if marked or orphans:
        message = f"{marked} vectors are missing and {orphans} belong to no unit"
        found.append(Fault("vectors", message))
    if codes != vectors:
        found.append(Fault("codes", f"{codes} codes stand for {vectors} vectors"))
    return found


def _deep_faults(connection: Connection) -> list[Fault]:
    found: list[Fault] = []
    answer = connection.value("PRAGMA quick_check(1)")
    if answer != "ok":
        found.append(Fault("file", f"SQLite says: {answer}"))
    return found


def repair(connection: Connection) -> list[Fault]:
    """Mend what `faults` finds and return it.  Needs a writer.

    Missing vectors become pending again; the cache gives them back.  Codes are
    made again by who knows vectors (`indexing/run.py`).
    """
    found = faults(connection)
    layers = {fault.layer for fault in found}
    if "words" in layers:
        with connection.writing():
            connection.run("INSERT INTO embed_fts (embed_fts) VALUES ('rebuild')")
    active = vector_set(connection)
    if active is not None and layers & {"vectors", "codes"}:
        _repair_vectors(connection, active)
    return found


def _repair_vectors(connection: Connection, active: VectorSet) -> None:
    with connection.writing():
        tables = {name for (name,) in connection.rows("SELECT name FROM sqlite_master")}
        if active.vectors not in tables:
            connection.run("DELETE FROM embed_meta WHERE name = 'vectors'")
            connection.run(f"UPDATE embed_units SET state = {PENDING} WHERE state = {EMBEDDED}")
            return
        connection.run(
            f"DELETE FROM {active.vectors} WHERE unit NOT IN (SELECT id FROM embed_units)"
        )
        connection.run(
            f"UPDATE embed_units SET state = {PENDING} WHERE state = {EMBEDDED}"
            f" AND id NOT IN (SELECT unit FROM {active.vectors})"
        )
