"""The vectors of units: float16 rows are the truth, sign bits the fast way in.

A vector set belongs to one model.  While a new model's set is built, the old
one answers; `activate` swaps them in one transaction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from roam_semantic.sqlite import Connection
from roam_semantic.store import schema
from roam_semantic.store.rows import EMBEDDED, FAILED, NOTHING, PENDING


class VectorSet(msgspec.Struct, frozen=True):
    """The tables of one model's vectors.  digest: the model's identity."""

    key: int
    model: str
    digest: str
    dimension: int

    @property
    def vectors(self) -> str:
        """Return the table of float16 rows."""
        return schema.vector_names(self.key)[0]

    @property
    def codes(self) -> str:
        """Return the vec0 table of sign bits."""
        return schema.vector_names(self.key)[1]


def vector_set(connection: Connection, name: str = "vectors") -> VectorSet | None:
    """Return the active vector set ("vectors") or the one being built ("building")."""
    text = connection.value("SELECT value FROM embed_meta WHERE name = ?", (name,))
    return None if text is None else msgspec.json.decode(text, type=VectorSet)


def create_set(
    connection: Connection, name: str, key: int, model: str, digest: str, dimension: int
) -> VectorSet:
    """Make the tables of a new set and record it under NAME."""
    made = VectorSet(key=key, model=model, digest=digest, dimension=dimension)
    vectors, codes = schema.vector_names(key)
    with connection.writing():
        connection.run(f"DROP TABLE IF EXISTS {vectors}")
        if connection.has_vec:
            connection.run(f"DROP TABLE IF EXISTS {codes}")
        for statement in schema.vector_tables(key, dimension):
            if connection.has_vec or "vec0" not in statement:
                connection.run(statement)
        _record(connection, name, made)
        if name == "vectors":
            connection.run(
                f"UPDATE embed_units SET state = {PENDING} WHERE state IN ({EMBEDDED}, {FAILED})"
            )
    return made


def activate(connection: Connection) -> None:
    """Let the set that was being built answer, and drop the old one."""
    old, new = vector_set(connection), vector_set(connection, "building")
    if new is None:
        return
    with connection.writing():
        _record(connection, "vectors", new)
        connection.run("DELETE FROM embed_meta WHERE name = 'building'")
        connection.run(
            f"UPDATE embed_units SET state = {EMBEDDED}"
            f" WHERE {schema.UNEMBEDDED} AND state = {PENDING}"
            f" AND id IN (SELECT unit FROM {new.vectors})"
        )
        if old is not None:
            connection.run(f"DROP TABLE IF EXISTS {old.vectors}")
            if connection.has_vec:
                connection.run(f"DROP TABLE IF EXISTS {old.codes}")


def _record(connection: Connection, name: str, vectors: VectorSet) -> None:
    connection.run(
        "INSERT OR REPLACE INTO embed_meta (name, value) VALUES (?, ?)",
        (name, msgspec.json.encode(vectors).decode()),
    )


def unembedded(connection: Connection) -> Counter[int]:
    """Return how many units there are of each state but EMBEDDED."""
    return Counter(
        dict(
            connection.rows(
                f"SELECT state, count(*) FROM embed_units WHERE {schema.UNEMBEDDED} GROUP BY state"
            )
        )
    )


def pending_units(
    connection: Connection, target: VectorSet, after: int, limit: int
) -> list[tuple[int, str, str, str]]:
    """Return up to LIMIT (unit, title, outline path, text) beyond unit AFTER that TARGET lacks.

    The outline path is still JSON.
    """
    if target == vector_set(connection):
        where = f"{schema.UNEMBEDDED} AND state = {PENDING}"
    else:
        where = f"state != {NOTHING} AND id NOT IN (SELECT unit FROM {target.vectors})"
    return connection.rows(
        "SELECT id, title, outline_path, text FROM embed_units"
        f" WHERE id > ? AND {where} ORDER BY id LIMIT ?",
        (after, limit),
    )


def count_pending(connection: Connection, target: VectorSet) -> int:
    """Return how many units TARGET lacks."""
    if target == vector_set(connection):
        return unembedded(connection)[PENDING]
    total: int = connection.value("SELECT count(*) FROM embed_units")
    total -= unembedded(connection)[NOTHING]
    return total - connection.value(f"SELECT count(*) FROM {target.vectors}")


def write_vectors(
    connection: Connection, target: VectorSet, rows: Sequence[tuple[int, bytes, bytes]]
) -> None:
    """Store ROWS (unit, float16 bytes, sign bits) in one transaction, at most 128.

    Units that were deleted meanwhile are left out.
    """
    with connection.writing():
        ids = [row[0] for row in rows]
        alive = {
            found
            for (found,) in connection.rows(
                "SELECT id FROM embed_units WHERE id IN (SELECT value FROM json_each(?))",
                (msgspec.json.encode(ids).decode(),),
            )
        }
        start = 1 + (connection.value(f"SELECT max(seq) FROM {target.vectors}") or 0)
        kept = [row for row in rows if row[0] in alive]
        one = [(row[0],) for row in kept]
        connection.run_many(
            f"INSERT OR REPLACE INTO {target.vectors} (unit, seq, v) VALUES (?,?,?)",
            [(unit, start + place, vector) for place, (unit, vector, _) in enumerate(kept)],
        )
        if connection.has_vec:
            connection.run_many(f"DELETE FROM {target.codes} WHERE rowid = ?", one)
            connection.run_many(
                f"INSERT INTO {target.codes} (rowid, code) VALUES (?, vec_bit(?))",
                [(unit, code) for unit, _, code in kept],
            )
        if target == vector_set(connection):
            connection.run_many(
                f"UPDATE embed_units SET state = {EMBEDDED}, error = NULL WHERE id = ?", one
            )


def write_failures(connection: Connection, failures: Sequence[tuple[int, str]]) -> None:
    """Record (unit, reason) for units the model could not embed."""
    if failures:
        with connection.writing():
            connection.run_many(
                f"UPDATE embed_units SET state = {FAILED}, error = ?2 WHERE id = ?1", failures
            )


def write_hopeless(connection: Connection, units: Sequence[int]) -> None:
    """Mark units the model can make nothing of: found by their words alone."""
    if units:
        with connection.writing():
            connection.run_many(
                f"UPDATE embed_units SET state = {NOTHING} WHERE id = ?", [(u,) for u in units]
            )


def drop_building(connection: Connection, building: VectorSet) -> None:
    """Give up a set that was being built."""
    with connection.writing():
        connection.run("DELETE FROM embed_meta WHERE name = 'building'")
        connection.run(f"DROP TABLE IF EXISTS {building.vectors}")
        if connection.has_vec:
            connection.run(f"DROP TABLE IF EXISTS {building.codes}")
