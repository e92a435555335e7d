"""How briefly the writer holds the lock, and what it leaves behind."""

from __future__ import annotations

import os

import pytest

from roam_semantic import sqlite
from roam_semantic.store import schema, writer
from roam_semantic.store.index import Index
from roam_semantic.store.rows import FileRows, UnitRow
from roam_semantic.store.writer import Writer
from roam_semantic.values import Node


@pytest.fixture
def connection(tmp_path):
    opened = Index(str(tmp_path / "index.db"), str(tmp_path)).open_writer()
    yield opened
    opened.close()


def files(count):
    """Yield COUNT notes of as many units as one transaction takes."""
    for number in range(count):
        units = tuple(
            UnitRow(
                node=0, type="heading", outline_path=(), line=1, pos=1, part=part, title="T",
                aliases="", path="", text=f"word{number} word{part} shared", extra="", meta="",
                embeddable=True,
            )
            for part in range(writer.UNITS_A_TRANSACTION)
        )  # fmt: skip
        node = Node(id=f"id{number}", file=f"/{number}", level=0, pos=1, line=1, title="Title")
        yield FileRows(
            path=f"/{number}", real_path=f"/{number}", hash="h", mtime_ns=1, size=1, stamp="s",
            title="T", from_roam=0, language="en", nodes=(node,), links=(), units=units,
        )  # fmt: skip


def segments(connection, table="embed_fts"):
    # Rows 1 and 10 are FTS5's own; above bit 37 of a page's row stands its segment.
    return connection.value(f"SELECT count(DISTINCT id >> 37) FROM {table}_data WHERE id > 10")


def found(connection, word):
    return connection.value("SELECT count(*) FROM embed_fts WHERE embed_fts MATCH ?", (word,))


def test_a_writing_transaction_merges_nothing(connection):
    Writer(connection).write_files(files(20))
    assert 20 == segments(connection)


def test_segments_of_words_are_merged_between_transactions(connection):
    made = Writer(connection)
    made.write_files(files(20))
    made.merge_words()
    assert 1 == segments(connection) == segments(connection, "embed_names")
    assert 20 * writer.UNITS_A_TRANSACTION == found(connection, "shared")
    assert writer.UNITS_A_TRANSACTION + 19 == found(connection, "word7")
    connection.run("INSERT INTO embed_fts (embed_fts) VALUES ('integrity-check')")


def test_many_transactions_are_merged_as_they_come(connection, monkeypatch):
    monkeypatch.setattr(writer, "TRANSACTIONS_A_MERGE", 8)
    Writer(connection).write_files(files(25))
    assert segments(connection) <= 4


def test_merging_can_wait_when_there_is_no_time(connection):
    made = Writer(connection, hurried=lambda: True)
    made.write_files(files(20))
    made.merge_words()
    assert 20 == segments(connection)


def test_a_few_segments_are_left_alone(connection):
    made = Writer(connection)
    made.write_files(files(7))
    made.merge_words()
    assert 7 == segments(connection)


def test_a_grown_log_is_copied_into_the_file(connection, monkeypatch):
    monkeypatch.setattr(sqlite, "CHECKPOINT_PAGES", 50)
    Writer(connection).write_files(files(40))
    assert os.path.getsize(connection.path) > 80 * 4096
    assert os.path.getsize(connection.path + "-wal") < 200 * 4096


def test_counting_states_reads_the_small_index_only(connection):
    steps = connection.rows(
        "EXPLAIN QUERY PLAN SELECT state, count(*) FROM embed_units"
        f" WHERE {schema.UNEMBEDDED} GROUP BY state"
    )
    assert "USING COVERING INDEX embed_units_state" in steps[0][3]
