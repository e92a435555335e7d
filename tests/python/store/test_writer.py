"""Files, units and vectors in a real index file."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from roam_semantic.store import check
from roam_semantic.store.index import Index
from roam_semantic.store.rows import FileRows, UnitRow
from roam_semantic.store.vectors import (
    activate,
    count_pending,
    create_set,
    pending_units,
    vector_set,
    write_failures,
    write_vectors,
)
from roam_semantic.store.writer import Writer
from roam_semantic.values import Link, Node, Skipped

VECTOR, CODE = bytes(16), bytes(1)


def unit(text, node=0, line=1, **changes):
    made = UnitRow(
        node=node, type="heading", outline_path=(), line=line, pos=line, part=0, title="T",
        aliases="", path="", text=text, extra="", meta="", embeddable=bool(text),
    )  # fmt: skip
    return msgspec.structs.replace(made, **changes)


def note(path, *units, ids=("a",), from_roam=0, links=()):
    return FileRows(
        path=path, real_path=path, hash="h", mtime_ns=1, size=1, stamp="s", title="T",
        from_roam=from_roam, language="en",
        nodes=tuple(
            Node(id=node_id, file=path, level=0, pos=1, line=1, title=f"title {node_id}")
            for node_id in ids
        ),
        links=links, units=units,
    )  # fmt: skip


@pytest.fixture
def index(tmp_path):
    return Index(str(tmp_path / "index.db"), str(tmp_path))


@pytest.fixture
def connection(index):
    opened = index.open_writer()
    yield opened
    opened.close()


def found(connection, word):
    rows = connection.rows(
        "SELECT u.text FROM embed_fts f JOIN embed_units u ON u.id = f.rowid"
        " WHERE embed_fts MATCH ?",
        (f'"{word}"',),
    )
    return sorted(text for (text,) in rows)


def embed_all(connection, name="vectors"):
    target = vector_set(connection, name)
    ids = [row[0] for row in pending_units(connection, target, 0, 1000)]
    write_vectors(connection, target, [(number, VECTOR, CODE) for number in ids])
    return ids


def test_a_written_unit_is_found_by_its_word(connection):
    Writer(connection).write_files([note("/a.org", unit("saffron milk"))])

    assert ["saffron milk"] == found(connection, "saffron")


def test_a_rewritten_file_forgets_its_old_words(connection):
    writer = Writer(connection)
    writer.write_files([note("/a.org", unit("saffron"))])

    writer.write_files([note("/a.org", unit("cardamom"))])

    assert [] == found(connection, "saffron")
    assert ["cardamom"] == found(connection, "cardamom")


def test_a_unit_that_only_moved_keeps_its_id_and_vector(connection):
    create_set(connection, "vectors", 1, "m", "d", 8)
    writer = Writer(connection)
    writer.write_files([note("/a.org", unit("saffron"), unit("milk", line=5))])
    embed_all(connection)
    before = connection.rows("SELECT id, text FROM embed_units ORDER BY id")

    writer.write_files([note("/a.org", unit("new"), unit("saffron", line=3), unit("milk", line=9))])

    assert before == connection.rows("SELECT id, text FROM embed_units WHERE state = 1 ORDER BY id")
    assert [(9,)] == connection.rows("SELECT line FROM embed_units WHERE text = 'milk'")
    assert [] == check.faults(connection)


def test_units_with_the_same_words_are_kept_apart(connection):
    writer = Writer(connection)
    writer.write_files([note("/a.org", unit("same"), unit("same"), unit("same"))])

    writer.write_files([note("/a.org", unit("same"), unit("same"))])

    assert ["same", "same"] == found(connection, "same")


def test_a_deleted_file_leaves_nothing(connection):
    create_set(connection, "vectors", 1, "m", "d", 8)
    writer = Writer(connection)
    writer.write_files([note("/a.org", unit("saffron"), links=(Link("a", "id", "b", 1),))])
    embed_all(connection)

    writer.delete_files(["/a.org"])

    for table in ("files", "nodes", "links", "units", "names", "fts_docsize", "vectors"):
        assert 0 == connection.value(f"SELECT count(*) FROM embed_{table}"), table
    assert [] == check.faults(connection, deep=True)


def test_the_first_file_that_holds_an_id_owns_it(connection):
    writer = Writer(connection)
    writer.write_files([note("/a.org", unit("first")), note("/b.org", unit("second"))])

    assert ["first"] == found(connection, "first")
    assert [] == found(connection, "second")


def test_org_roam_decides_who_owns_an_id(connection):
    writer = Writer(connection)
    writer.write_files([note("/a.org", unit("first"))])

    writer.write_files([note("/b.org", unit("second"), from_roam=2)])

    assert [] == found(connection, "first")
    assert ["second"] == found(connection, "second")


def test_a_file_org_roam_has_without_nodes_takes_no_id_from_an_owner(connection):
    writer = Writer(connection)
    writer.write_files([note("/a.org", unit("first"), from_roam=1)])

    writer.write_files([note("/b.org", unit("second"), from_roam=2)])
    writer.write_files([note("/a.org", unit("first again"), from_roam=1)])

    assert ["second"] == found(connection, "second")
    assert [] == found(connection, "first")


def test_when_the_owner_goes_the_other_holder_is_read_again(connection):
    writer = Writer(connection)
    writer.write_files([note("/a.org", unit("first")), note("/b.org", unit("second"))])

    writer.delete_files(["/a.org"])

    assert [("/b.org", "")] == connection.rows("SELECT path, stamp FROM embed_files")


def test_an_empty_unit_waits_for_no_vector(connection):
    target = create_set(connection, "vectors", 1, "m", "d", 8)
    Writer(connection).write_files([note("/a.org", unit(""), unit("words"))])

    assert 1 == count_pending(connection, target)


def test_a_failed_unit_is_neither_pending_nor_lost(connection):
    target = create_set(connection, "vectors", 1, "m", "d", 8)
    Writer(connection).write_files([note("/a.org", unit("poison"))])
    ((number, *_),) = pending_units(connection, target, 0, 10)

    write_failures(connection, [(number, "not finite")])

    assert 0 == count_pending(connection, target)
    assert ["poison"] == found(connection, "poison")


def test_a_vector_of_a_unit_that_went_meanwhile_is_dropped(connection):
    target = create_set(connection, "vectors", 1, "m", "d", 8)
    write_vectors(connection, target, [(77, VECTOR, CODE)])

    assert 0 == connection.value("SELECT count(*) FROM embed_vectors")


def test_another_models_vectors_are_built_beside_the_old_ones(connection):
    create_set(connection, "vectors", 1, "old", "d1", 8)
    Writer(connection).write_files([note("/a.org", unit("words"), unit("more"))])
    embed_all(connection)

    create_set(connection, "building", 2, "new", "d2", 16)
    target = vector_set(connection, "building")
    ids = [row[0] for row in pending_units(connection, target, 0, 10)]
    write_vectors(connection, target, [(number, bytes(32), bytes(2)) for number in ids])

    assert "old" == vector_set(connection).model
    activate(connection)
    assert "new" == vector_set(connection).model
    assert vector_set(connection, "building") is None
    assert 2 == connection.value("SELECT count(*) FROM embed_vectors_2")
    assert [] == check.faults(connection)


def test_reasons_for_skipped_files_replace_each_other(connection):
    writer = Writer(connection)
    writer.set_skipped([Skipped("/x.org", "binary")])

    writer.set_skipped([Skipped("/y.org", "larger than 16 MiB")])

    assert [("/y.org", "larger than 16 MiB")] == connection.rows("SELECT * FROM embed_skipped")


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM embed_vectors WHERE unit IN (SELECT min(unit) FROM embed_vectors)",
        "DELETE FROM embed_vec WHERE rowid IN (SELECT min(unit) FROM embed_vectors)",
        "DELETE FROM embed_fts_docsize WHERE id IN (SELECT min(id) FROM embed_units)",
    ],
)
def test_a_missing_row_is_noticed_and_mended(connection, damage):
    create_set(connection, "vectors", 1, "m", "d", 8)
    Writer(connection).write_files([note("/a.org", unit("words"), unit("more"))])
    embed_all(connection)
    connection.run(damage)

    assert check.faults(connection)
    check.repair(connection)

    assert [] == [fault for fault in check.faults(connection) if fault.layer != "codes"]


@pytest.mark.parametrize(
    "content", [b"", b"not a database at all", b"SQLite format 3\0" + b"\xaa" * 5000]
)
def test_a_broken_index_is_made_again(index, content):
    with open(index.path, "wb") as file:
        file.write(content)

    connection = index.open_writer()
    Writer(connection).write_files([note("/a.org", unit("saffron"))])

    assert ["saffron"] == found(connection, "saffron")
    connection.close()


def test_a_cut_index_is_made_again(index):
    connection = index.open_writer()
    Writer(connection).write_files(
        [note(f"/{n}.org", unit(f"word{n} " * 50), ids=(f"i{n}",)) for n in range(300)]
    )
    connection.close()
    with open(index.path, "r+b") as file:
        file.truncate(os.path.getsize(index.path) // 3)

    connection = index.open_writer()

    assert connection.value("SELECT count(*) FROM embed_units") >= 0
    Writer(connection).write_files([note("/a.org", unit("saffron"))])
    assert ["saffron"] == found(connection, "saffron")
    connection.close()


def test_a_file_of_another_program_is_never_removed(index):
    import apsw

    other = apsw.Connection(index.path)
    other.execute("CREATE TABLE nodes (id)").fetchall()
    other.close()
    before = Path(index.path).read_bytes()

    with pytest.raises(Exception, match="another program"):
        index.open_writer()

    assert before == Path(index.path).read_bytes()


def test_the_index_is_private(index):
    index.open_writer().close()

    assert 0o600 == os.stat(index.path).st_mode & 0o777


def test_a_reader_notices_a_replaced_file(index):
    connection = index.open_writer()
    Writer(connection).write_files([note("/a.org", unit("old"))])
    connection.close()
    assert 1 == index.reader().value("SELECT count(*) FROM embed_files")

    index.open_writer(fresh=True).close()

    assert 0 == index.reader().value("SELECT count(*) FROM embed_files")
    index.close()


def test_a_file_never_owns_what_org_roam_gives_to_another(connection):
    claim = msgspec.structs.replace(
        note("/a.org", unit("claimed"), from_roam=2), foreign=frozenset({"a"})
    )
    writer = Writer(connection)
    writer.write_files([claim])
    writer.write_files([note("/b.org", unit("owned"), from_roam=2)])

    assert [] == found(connection, "claimed")
    assert ["owned"] == found(connection, "owned")


def test_links_of_an_id_another_file_owns_are_not_counted_twice(connection):
    link = (Link("a", "id", "z", 1),)
    Writer(connection).write_files([note("/a.org", links=link), note("/b.org", links=link)])

    assert 1 == connection.value("SELECT count(*) FROM embed_links")
