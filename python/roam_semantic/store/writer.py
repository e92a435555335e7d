"""Writing graph, units and words: one transaction a file, or a few small files.

A unit whose words did not change keeps its row, its id and its vector; only
its position is moved.  So saving a note costs what changed in it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

import msgspec

from roam_semantic.sqlite import Connection, Row
from roam_semantic.store.rows import NOTHING, PENDING, FileRows, UnitRow
from roam_semantic.store.schema import WORD_TABLES
from roam_semantic.store.vectors import vector_set
from roam_semantic.values import Link, Node, Skipped

FTS = "title, aliases, path, text, extra, meta"
# What must be equal for a stored unit to be kept as it is.
CONTENT = f"type, outline_path, part, {FTS}"
UNITS_A_TRANSACTION = 48
# So many transactions bring a segment of words each before these are merged,
# so many pages of them in one transaction.
TRANSACTIONS_A_MERGE = 64
PAGES_A_MERGE = 32
# FileRows.from_roam of a file whose nodes org-roam's rows name.
JUDGED = 2


class Writer:
    """Writes files into the index through one connection.

    hurried: says that there is no time for anything that can wait.
    """

    def __init__(self, connection: Connection, hurried: Callable[[], bool] = lambda: False) -> None:
        self.connection = connection
        self._hurried = hurried
        self._transactions = 0

    def write_files(self, files: Iterable[FileRows]) -> None:
        """Store FILES, small ones together: at most 48 units a transaction."""
        batch: list[FileRows] = []
        size = 0
        for file in files:
            if batch and size + len(file.units) > UNITS_A_TRANSACTION:
                self._write_batch(batch)
                batch, size = [], 0
            batch.append(file)
            size += max(1, len(file.units))
        if batch:
            self._write_batch(batch)

    def _write_batch(self, files: Sequence[FileRows]) -> None:
        with self.connection.writing():
            for file in files:
                self._write_file(file)
        self._transactions += 1
        if self._transactions % TRANSACTIONS_A_MERGE == 0:
            self.merge_words()

    def merge_words(self) -> None:
        """Merge the segments of words while there is time; an eighth one is reason enough."""
        for table in WORD_TABLES:
            working = True
            while working and not self._hurried():
                before = self.connection.all_changes()
                with self.connection.writing():
                    self.connection.run(
                        f"INSERT INTO {table} ({table}, rank) VALUES ('merge', {PAGES_A_MERGE})"
                    )
                # FTS5's documentation of 'merge': less than 2 when nothing was left to do.
                working = self.connection.all_changes() - before >= 2

    def _write_file(self, file: FileRows) -> None:
        connection = self.connection
        connection.run("DELETE FROM embed_skipped WHERE path = ?", (file.path,))
        key: int | None = connection.value(
            "SELECT key FROM embed_files WHERE path = ?", (file.path,)
        )
        values = (
            file.real_path, file.hash, file.mtime_ns, file.size, file.stamp, file.title,
            file.from_roam, file.language,
        )  # fmt: skip
        if key is None:
            connection.run(
                "INSERT INTO embed_files (path, real_path, hash, mtime_ns, size, stamp, title,"
                " from_roam, language) VALUES (?,?,?,?,?,?,?,?,?)",
                (file.path, *values),
            )
            key = connection.last_id()
            old: list[Row] = []
            known: dict[str | None, int] = {}
        else:
            connection.run(
                "UPDATE embed_files SET real_path=?, hash=?, mtime_ns=?, size=?, stamp=?, title=?,"
                " from_roam=?, language=? WHERE key=?",
                (*values, key),
            )
            old = connection.rows(
                f"SELECT id, {CONTENT}, node, line, pos FROM embed_units WHERE file = ?", (key,)
            )
            known = self._forget_graph(key)
        freed = list(known)
        nodes = self._write_nodes(key, file, known)
        sources = {node.id for node, owner in zip(file.nodes, nodes, strict=True) if owner}
        sources.add(None)
        self._write_links(key, [link for link in file.links if link.source in sources])
        self._write_units(key, file.units, nodes, old)
        self._release(freed, key)

    def _forget_graph(self, file: int) -> dict[str | None, int]:
        """Delete FILE's nodes and links; return the ids it owned with their keys."""
        connection = self.connection
        found = connection.rows("SELECT key, id, owner FROM embed_nodes WHERE file = ?", (file,))
        keys = [(key,) for key, _, _ in found]
        for table in ("embed_aliases", "embed_tags", "embed_refs"):
            connection.run_many(f"DELETE FROM {table} WHERE node = ?", keys)
        connection.run_many("DELETE FROM embed_names WHERE rowid = ?", keys)
        connection.run("DELETE FROM embed_nodes WHERE file = ?", (file,))
        connection.run("DELETE FROM embed_links WHERE file = ?", (file,))
        return {node_id: key for key, node_id, owner in found if owner}

    def _release(self, ids: Iterable[str | None], writer: int) -> None:
        """Have files re-read that hold an id of IDS which now has no owner."""
        for node_id in ids:
            if node_id is None:
                continue
            owner = self.connection.value(
                "SELECT key FROM embed_nodes WHERE id = ? AND owner = 1", (node_id,)
            )
            if owner is None:
                self.connection.run(
                    "UPDATE embed_files SET stamp = '' WHERE key != ? AND key IN"
                    " (SELECT file FROM embed_nodes WHERE id = ? AND owner = 0)",
                    (writer, node_id),
                )

    def _write_nodes(
        self, file: int, rows: FileRows, known: dict[str | None, int]
    ) -> list[int | None]:
        """Store the nodes; return their keys, None where another file owns the id.

        A node keeps the key it had (KNOWN), so that its units need no change.
        """
        keys: list[int | None] = []
        for node in rows.nodes:
            owner = node.id not in rows.foreign and self._owns(node, file, rows.from_roam)
            self.connection.run(
                "INSERT INTO embed_nodes (key, id, owner, file, level, pos, line, title, todo,"
                " priority, scheduled, deadline, outline_path, properties)"
                " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                (
                    known.pop(node.id, None) if owner else None, node.id, int(owner), file,
                    node.level, node.pos, node.line, node.title, node.todo, node.priority,
                    node.scheduled, node.deadline,
                    encode(node.outline_path), encode(node.properties),
                ),
            )  # fmt: skip
            key = self.connection.last_id()
            keys.append(key if owner else None)
            if owner:
                self._write_names(key, node)
        return keys

    def _owns(self, node: Node, file: int, from_roam: int) -> bool:
        """Return whether NODE's id belongs to FILE; org-roam's word comes first."""
        if node.id is None:
            return True
        held = self.connection.row(
            "SELECT key, file FROM embed_nodes WHERE id = ? AND owner = 1", (node.id,)
        )
        if held is None:
            return True
        key, holder = held
        if holder == file or from_roam < JUDGED:
            return False
        if (
            self.connection.value("SELECT from_roam FROM embed_files WHERE key = ?", (holder,))
            == JUDGED
        ):
            return False
        self.connection.run("UPDATE embed_nodes SET owner = 0 WHERE key = ?", (key,))
        self.connection.run("DELETE FROM embed_names WHERE rowid = ?", (key,))
        self._delete_units("node = ?", (key,))
        return True

    def _write_names(self, key: int, node: Node) -> None:
        connection = self.connection
        connection.run_many(
            "INSERT INTO embed_aliases (node, alias) VALUES (?,?)",
            [(key, alias) for alias in node.aliases],
        )
        connection.run_many(
            "INSERT INTO embed_tags (node, tag) VALUES (?,?)", [(key, tag) for tag in node.tags]
        )
        connection.run_many(
            "INSERT INTO embed_refs (node, ref, type) VALUES (?,?,?)",
            [(key, ref.ref, ref.type) for ref in node.refs],
        )
        connection.run(
            "INSERT INTO embed_names (rowid, names) VALUES (?,?)",
            (key, "\n".join((node.title, *node.aliases, *node.tags))),
        )

    def _write_links(self, file: int, links: Sequence[Link]) -> None:
        self.connection.run_many(
            "INSERT INTO embed_links (file, source, dest, type, pos, line, outline_path)"
            " VALUES (?,?,?,?,?,?,?)",
            [
                (file, k.source, k.dest, k.type, k.pos, k.line, encode(k.outline_path))
                for k in links
            ],
        )

    def _write_units(
        self, file: int, units: Sequence[UnitRow], nodes: Sequence[int | None], old: Sequence[Row]
    ) -> None:
        kept: defaultdict[Row, list[Row]] = defaultdict(list)
        for row in old:
            kept[row[1:-3]].append(row)
        moved: list[Row] = []
        added: list[Row] = []
        for unit in units:
            node = nodes[unit.node]
            if node is None:
                continue
            content = _content(unit)
            if same := kept.get(content):
                row = same.pop()
                if row[-3:] != (node, unit.line, unit.pos):
                    moved.append((node, unit.line, unit.pos, row[0]))
            else:
                state = PENDING if unit.embeddable else NOTHING
                added.append((node, file, unit.line, unit.pos, state, *content))
        self._delete_rows([row[0] for rows in kept.values() for row in rows])
        self.connection.run_many(
            "UPDATE embed_units SET node = ?, line = ?, pos = ? WHERE id = ?", moved
        )
        self._insert_units(added)

    def _insert_units(self, rows: Sequence[Row]) -> None:
        if not rows:
            return
        first = 1 + (
            self.connection.value("SELECT seq FROM sqlite_sequence WHERE name = 'embed_units'") or 0
        )
        numbered = list(enumerate(rows, start=first))
        self.connection.run_many(
            f"INSERT INTO embed_units (id, node, file, line, pos, state, {CONTENT})"
            " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            [(number, *row) for number, row in numbered],
        )
        self.connection.run_many(
            f"INSERT INTO embed_fts (rowid, {FTS}) VALUES (?,?,?,?,?,?,?)",
            [(number, *row[8:14]) for number, row in numbered],
        )

    def _delete_units(self, where: str, values: Sequence[object]) -> None:
        found = self.connection.rows(f"SELECT id FROM embed_units WHERE {where}", values)
        self._delete_rows([row[0] for row in found])

    def _delete_rows(self, ids: Sequence[int]) -> None:
        if not ids:
            return
        connection = self.connection
        one = [(number,) for number in ids]
        connection.run_many(
            f"INSERT INTO embed_fts (embed_fts, rowid, {FTS})"
            f" SELECT 'delete', id, {FTS} FROM embed_units WHERE id = ?",
            one,
        )
        connection.run_many("DELETE FROM embed_units WHERE id = ?", one)
        for name in ("vectors", "building"):
            found = vector_set(connection, name)
            if found is not None:
                connection.run_many(f"DELETE FROM {found.vectors} WHERE unit = ?", one)
                if connection.has_vec:
                    connection.run_many(f"DELETE FROM {found.codes} WHERE rowid = ?", one)

    def delete_files(self, paths: Iterable[str]) -> None:
        """Forget files that are gone, one transaction each."""
        for path in paths:
            with self.connection.writing():
                key = self.connection.value("SELECT key FROM embed_files WHERE path = ?", (path,))
                if key is not None:
                    self._delete_units("file = ?", (key,))
                    freed = list(self._forget_graph(key))
                    self.connection.run("DELETE FROM embed_files WHERE key = ?", (key,))
                    self._release(freed, key)

    def touch(self, stamps: Sequence[tuple[str, int, str]]) -> None:
        """Store new (path, mtime_ns, stamp) of files whose bytes did not change."""
        if stamps:
            with self.connection.writing():
                self.connection.run_many(
                    "UPDATE embed_files SET mtime_ns = ?2, stamp = ?3 WHERE path = ?1", stamps
                )

    def set_skipped(self, skipped: Sequence[Skipped]) -> None:
        """Replace the list of files that are not read."""
        rows = sorted({(item.file, item.reason) for item in skipped})
        if rows == self.connection.rows("SELECT path, reason FROM embed_skipped ORDER BY path"):
            return
        with self.connection.writing():
            self.connection.run("DELETE FROM embed_skipped")
            self.connection.run_many("INSERT OR REPLACE INTO embed_skipped VALUES (?,?)", rows)


def _content(unit: UnitRow) -> Row:
    return (
        unit.type, encode(unit.outline_path), unit.part, unit.title, unit.aliases, unit.path,
        unit.text, unit.extra, unit.meta,
    )  # fmt: skip


def encode(value: object) -> str:
    """Return VALUE as JSON text for a column."""
    return msgspec.json.encode(value).decode()
