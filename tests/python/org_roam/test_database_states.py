"""Org-roam's database in every state it is met in: read, or told about in one sentence."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from roam_semantic.errors import Unavailable
from roam_semantic.org_roam.database import RoamDatabase
from roam_semantic.values import Link, Ref

TABLES = {
    "files": "file UNIQUE PRIMARY KEY, title, hash NOT NULL, atime NOT NULL, mtime NOT NULL",
    "nodes": "id NOT NULL PRIMARY KEY, file NOT NULL, level NOT NULL, pos NOT NULL, todo,"
    " priority, scheduled text, deadline text, title, properties, olp",
    "aliases": "node_id NOT NULL, alias",
    "citations": "node_id NOT NULL, cite_key NOT NULL, pos NOT NULL, properties",
    "refs": "node_id NOT NULL, ref NOT NULL, type NOT NULL",
    "tags": "node_id NOT NULL, tag",
    "links": "pos NOT NULL, source NOT NULL, dest NOT NULL, type NOT NULL, properties",
}
ROWS = (
    """INSERT INTO files(file, hash, atime, mtime) VALUES ('"/v/a.org"', '"aa"', '(1 2)', '(1 2)'),
       ('"/v/b.org"', '"bb"', '(1 2)', '(1 2)')""",
    """INSERT INTO nodes VALUES
       ('"a"', '"/v/a.org"', 0, 1, NULL, NULL, NULL, NULL, '"So \\"called\\" bees"',
        '(("ID" . "a") ("CATEGORY" . "a"))', NULL),
       ('"a1"', '"/v/a.org"', 2, 90, '"TODO"', 66, '"2024-03-01T09:30:00+0100"', NULL, '"Wings"',
        '(("ID" . "a1") ("ITEM" . #("Wings" 0 5 (face bold))))', '("Body")'),
       ('"b"', '"/v/b.org"', 0, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL)""",
    """INSERT INTO aliases VALUES ('"a"', '"Apis"'), ('"a"', '"Apis"')""",
    """INSERT INTO refs VALUES ('"a"', '"//bees.example"', '"https"'), ('"a"', '"k"', '"cite"')""",
    """INSERT INTO tags VALUES ('"a"', '"wild"'), ('"a1"', '"wild"'), ('"a1"', '"wild"')""",
    """INSERT INTO links VALUES (120, '"a1"', '"b::*Hive"', '"id"', '(:outline ("Body"))'),
       (50, '"a"', '"//x.example"', '"https"', '(:outline nil)')""",
)
CITATIONS = """INSERT INTO citations VALUES ('"a"', '"k"', 70, '(:outline nil)')"""


def tables_of(version: int) -> dict[str, str]:
    made = dict(TABLES)
    if version < 17:
        del made["citations"]
    if version < 18:
        made["files"] = made["files"].replace(" title,", "")
    return made


def make(path: Path, tables: dict[str, str], version: int, rows: tuple[str, ...] = ()) -> str:
    with closing(sqlite3.connect(path)) as connection:
        for name, columns in tables.items():
            connection.execute(f"CREATE TABLE {name} ({columns})")
        for row in rows:
            connection.execute(row)
        connection.execute(f"PRAGMA user_version = {version}")
        connection.commit()
    return str(path)


def of_version(path: Path, version: int) -> str:
    rows = ROWS if version < 17 else (*ROWS, CITATIONS)
    return make(path, tables_of(version), version, rows)


def refused(path: str) -> str:
    """Return what every way to ask PATH says, once they agree it cannot be read."""
    database = RoamDatabase(path)
    for ask in (database.hashes, database.ids, database.rows, lambda: database.rows(["/v/a.org"])):
        with pytest.raises(Unavailable) as told:
            ask()
        assert is_sentence(told.value.message)
    assert not database.covers("/v")
    state = database.state()
    assert not state.readable
    assert is_sentence(state.sentence)
    assert state.remedy
    return state.sentence


def is_sentence(said: str) -> bool:
    return bool(said) and "\n" not in said and not said.endswith(".")


# -- good ones


@pytest.mark.parametrize("version", [16, 17, 18, 19, 20])
def test_each_known_version_is_read(tmp_path, version):
    database = RoamDatabase(of_version(tmp_path / "o.db", version))
    state = database.state()

    assert (True, version, "") == (state.readable, state.version, state.remedy)
    assert {"/v/a.org": "aa", "/v/b.org": "bb"} == database.hashes()
    assert {"a", "a1", "b"} == database.ids()
    assert ["a", "a1"] == [node.id for node in database.rows()["/v/a.org"].nodes]


def test_the_rows_of_a_file_are_put_together(tmp_path):
    found = RoamDatabase(of_version(tmp_path / "o.db", 18)).rows()["/v/a.org"]
    whole, wings = found.nodes

    assert ("aa", 'So "called" bees') == (found.hash, found.title)
    assert (("Apis",), ("wild",), (Ref("//bees.example", "https"), Ref("k", "cite"))) == (
        whole.aliases, whole.tags, whole.refs,
    )  # fmt: skip
    assert ("a1", 2, 90, "TODO", "B", "2024-03-01T09:30:00", None, "Wings", ("Body",)) == (
        wings.id, wings.level, wings.pos, wings.todo, wings.priority, wings.scheduled,
        wings.deadline, wings.title, wings.outline_path,
    )  # fmt: skip
    assert {"ID": "a1", "ITEM": "Wings"} == wings.properties
    assert (("wild",), 0) == (wings.tags, wings.line)


def test_links_and_citations_stand_in_the_order_of_the_text(tmp_path):
    found = RoamDatabase(of_version(tmp_path / "o.db", 20)).rows()["/v/a.org"]

    assert (
        Link("a", "https", "//x.example", 50),
        Link("a", "cite", "k", 70),
        Link("a1", "id", "b", 120, 0, ("Body",)),
    ) == found.links


def test_version_16_knows_no_citations(tmp_path):
    found = RoamDatabase(of_version(tmp_path / "o.db", 16)).rows()["/v/a.org"]

    assert ["https", "id"] == [link.type for link in found.links]


def test_a_file_without_title_is_called_by_its_name(tmp_path):
    found = RoamDatabase(of_version(tmp_path / "o.db", 18)).rows()["/v/b.org"]

    assert ("b", "b") == (found.title, found.nodes[0].title)


def test_only_the_files_asked_for_are_answered(tmp_path):
    database = RoamDatabase(of_version(tmp_path / "o.db", 20))

    assert ["/v/b.org"] == list(database.rows(["/v/b.org", "/v/none.org"]))
    assert {} == database.rows([])
    assert database.rows()["/v/a.org"] == database.rows(["/v/a.org"])["/v/a.org"]
    many = [f"/v/{number}.org" for number in range(1000)]
    assert ["/v/a.org"] == list(database.rows([*many, "/v/a.org"]))


def test_a_folder_is_covered_when_a_file_below_it_is_known(tmp_path):
    database = RoamDatabase(of_version(tmp_path / "o.db", 20))

    assert database.covers("/v")
    assert not database.covers("/vault")


def test_a_newer_version_with_the_columns_we_need_is_read_and_named(tmp_path):
    database = RoamDatabase(of_version(tmp_path / "o.db", 99))
    state = database.state()

    assert (True, 99, "update roam-semantic") == (state.readable, state.version, state.remedy)
    assert "newer than the known 16 to 20" in state.sentence
    assert {"a", "a1", "b"} == database.ids()


def test_a_table_nobody_knows_does_no_harm(tmp_path):
    path = make(tmp_path / "o.db", {**tables_of(20), "more": "x"}, 20, (*ROWS, CITATIONS))

    assert RoamDatabase(path).state().readable


def test_a_path_with_signs_of_an_address_is_opened(tmp_path):
    folder = tmp_path / "what? 100% #1 ё"
    folder.mkdir()

    assert RoamDatabase(of_version(folder / "o.db", 18)).ids()


def test_a_database_in_wal_mode_is_read(tmp_path):
    path = of_version(tmp_path / "o.db", 18)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")

    assert {"a", "a1", "b"} == RoamDatabase(path).ids()


def test_reading_changes_no_byte_and_makes_no_file(tmp_path):
    path = Path(of_version(tmp_path / "o.db", 18))
    before = path.read_bytes()
    database = RoamDatabase(str(path))
    database.state()
    database.rows()

    assert before == path.read_bytes()
    assert [path] == list(tmp_path.iterdir())


def test_the_identity_changes_with_the_file(tmp_path):
    path = tmp_path / "o.db"
    database = RoamDatabase(str(path))
    none = database.identity()
    of_version(path, 18)
    first = database.identity()
    of_version(tmp_path / "new.db", 18)
    (tmp_path / "new.db").replace(path)

    assert None is none
    assert first
    assert first != database.identity()


def test_a_cell_that_is_no_lisp_stands_for_itself(tmp_path):
    path = of_version(tmp_path / "o.db", 18)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE nodes SET title = ?, olp = ?", ('cut "off', '("Bo'))
        connection.execute("UPDATE nodes SET properties = '(('")
        connection.commit()
    whole = RoamDatabase(path).rows()["/v/a.org"].nodes[0]

    assert ('cut "off', (), {}) == (whole.title, whole.outline_path, whole.properties)


# -- others


def test_a_newer_version_without_a_column_we_need_is_refused_by_its_name(tmp_path):
    tables = tables_of(20)
    tables["nodes"] = tables["nodes"].replace(", olp", "")
    said = refused(make(tmp_path / "o.db", tables, 99))

    assert said.endswith("has schema version 99 without nodes.olp; versions 16 to 20 are read")


def test_a_known_version_without_a_column_is_to_be_rebuilt(tmp_path):
    tables = tables_of(18)
    del tables["tags"]
    path = make(tmp_path / "o.db", tables, 18)

    assert refused(path).endswith("lacks tags.node_id, tags.tag")
    assert RoamDatabase(path).state().remedy.startswith("rebuild it")


def test_an_older_version_is_refused(tmp_path):
    assert "has schema version 15" in refused(of_version(tmp_path / "o.db", 15))


def test_a_database_of_org_roam_1_is_named(tmp_path):
    tables = {"files": "file, hash, meta", "titles": "file, title", "links": "x"}

    assert "is of org-roam 1" in refused(make(tmp_path / "o.db", tables, 10))


def test_a_database_of_vulpea_is_named(tmp_path):
    tables = {"notes": "id, path", "files": "path, hash"}

    assert "is vulpea's database" in refused(make(tmp_path / "o.db", tables, 3))


def test_a_database_of_something_else_is_named(tmp_path):
    said = refused(make(tmp_path / "o.db", {"bookmarks": "url"}, 0))

    assert "is not org-roam's database (no table files)" in said


@pytest.mark.parametrize("content", [None, b""])
def test_a_database_without_tables_is_empty(tmp_path, content):
    path = tmp_path / "o.db"
    if content is None:
        make(path, {}, 18)
    else:
        path.write_bytes(content)

    assert refused(str(path)).endswith("has no tables yet")


def test_a_text_file_is_no_database(tmp_path):
    path = tmp_path / "o.db"
    path.write_text("* Bees\n" * 200)

    assert "is not readable" in refused(str(path))


def test_a_database_cut_at_its_first_page_is_not_readable(tmp_path):
    path = Path(of_version(tmp_path / "o.db", 18))
    path.write_bytes(path.read_bytes()[:1000])

    assert str(path) in refused(str(path))


def test_a_database_cut_in_the_middle_is_not_readable(tmp_path):
    path = Path(of_version(tmp_path / "o.db", 18))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])

    assert "is not readable" in refused(str(path))


def test_no_database_is_made_where_there_is_none(tmp_path):
    path = tmp_path / "none" / "o.db"

    assert refused(str(path)).endswith("does not exist")
    assert [] == list(tmp_path.iterdir())


def test_a_folder_is_no_database(tmp_path):
    assert str(tmp_path) in refused(str(tmp_path))


# -- locked

HOLDER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN EXCLUSIVE")
connection.execute("DELETE FROM tags")
print("held", flush=True)
sys.stdin.read()
connection.execute("ROLLBACK")
"""


def test_a_database_that_is_being_written_is_told_about_while_the_writer_goes_on(tmp_path):
    path = of_version(tmp_path / "o.db", 18)
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        try:
            assert b"held\n" == holder.stdout.readline()
            said = refused(path)
            still_held = holder.poll() is None
        finally:
            holder.stdin.close()
            holder.wait()

    # The writer waits for us: no answer of ours waited for the writer.
    assert still_held
    assert said.endswith("is locked while Emacs writes it")
    assert 0 == holder.returncode
    assert {"a", "a1", "b"} == RoamDatabase(path).ids()
