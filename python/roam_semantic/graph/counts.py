"""Counts over the graph, and ids more than one file claims."""

from __future__ import annotations

from itertools import groupby

from roam_semantic.sqlite import Connection

OWNED = "SELECT count(*) FROM embed_nodes WHERE owner AND id IS NOT NULL"


def counts(connection: Connection) -> dict[str, int]:
    """Return the counts of files, nodes, links and tags by name."""
    questions = {
        "files": "SELECT count(*) FROM embed_files",
        "file_nodes": f"{OWNED} AND level = 0",
        "heading_nodes": f"{OWNED} AND level > 0",
        "files_without_id": "SELECT count(*) FROM embed_nodes WHERE id IS NULL",
        "links": "SELECT count(*) FROM embed_links WHERE source IS NOT NULL",
        "id_links": "SELECT count(*) FROM embed_links WHERE type = 'id' AND source IS NOT NULL",
        "tags": "SELECT count(DISTINCT tag) FROM embed_tags",
    }
    return {name: connection.value(sql) for name, sql in questions.items()}


def unit_types(connection: Connection) -> dict[str, int]:
    """Return how many units there are of each type."""
    return dict(
        connection.rows("SELECT type, count(*) FROM embed_units GROUP BY type ORDER BY type")
    )


def clashes(connection: Connection) -> list[tuple[str, tuple[str, ...]]]:
    """Return (id, files) for ids claimed more than once; the owner's file is first."""
    rows = connection.rows(
        "SELECT n.id, f.path FROM embed_nodes n JOIN embed_files f ON f.key = n.file"
        " WHERE n.id IN (SELECT id FROM embed_nodes WHERE owner = 0)"
        " ORDER BY n.id, n.owner DESC, f.path"
    )
    return [
        (node_id, tuple(dict.fromkeys(path for _, path in group)))
        for node_id, group in groupby(rows, key=lambda row: row[0])
    ]


def languages(connection: Connection) -> dict[str, int]:
    """Return how many files are written in each language ("" unknown)."""
    return dict(connection.rows("SELECT language, count(*) FROM embed_files GROUP BY language"))
