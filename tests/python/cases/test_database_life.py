"""Org-roam's database gone, swapped, locked, foreign or broken: the notes are served."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support import CASES, Workspace, load_database, materialise, needs_shared

pytestmark = needs_shared


def laid(case: str, folder: Path, own_cache: bool = False) -> Workspace:
    vault = materialise(case, folder)
    database = load_database(case, vault, folder / "org-roam.db")
    return Workspace(folder, vault, database, own_cache)


def digest(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def answers(work: Workspace) -> object:
    """Return what a vault answers, without what differs by run."""
    work.call("index")
    hits = work.call("semantic-search", query="note", k=20).hits
    links = work.core.reader().rows(
        "SELECT source, type, dest, pos FROM embed_links ORDER BY source, pos, dest"
    )
    nodes = [work.call("get-node", node=node) for node in sorted(work.nodes())]
    return hits, links, nodes


def test_case_20_a_rebuilt_database_is_followed(tmp_path):
    case = "20-db-deleted-and-rebuilt"
    work = laid(case, tmp_path)
    work.call("index")
    assert "t20-one" == work.found("lanterns")[0]

    os.remove(work.vault / "one.org")
    os.remove(work.settings.database)
    spec = json.loads((CASES / case / "orgroam-db.json").read_text(encoding="utf-8"))
    assert any("t20-one" in str(row) for row in spec["tables"]["nodes"]["rows"])
    load_database(case, work.vault, Path(work.settings.database))

    assert "t20-one" not in work.found("lanterns")
    assert "t20-two" == work.found("candles")[0]
    work.close()


def test_a_lost_index_is_noticed_and_costs_no_embedding(tmp_path):
    work = laid("20-db-deleted-and-rebuilt", tmp_path, own_cache=True)
    before = work.call("index")
    for suffix in ("", "-wal", "-shm"):
        Path(work.settings.index + suffix).unlink(missing_ok=True)

    assert "t20-one" == work.found("lanterns")[0]
    after = work.call("index")

    assert (2, 0) == (before.embedded, after.embedded)
    assert 0 == after.pending
    work.close()


def test_case_21_every_schema_version_gives_the_same_answers(tmp_path):
    seen = []
    vault = materialise("21-db-schema-versions", tmp_path)
    for version in (16, 17, 18, 19, 20):
        folder = tmp_path / str(version)
        folder.mkdir()
        database = load_database("21-db-schema-versions", vault, folder / "org-roam.db", version)
        before = digest(database)
        work = Workspace(folder, vault, database)
        seen.append(answers(work))
        assert before == digest(database)
        work.close()

    assert seen == [seen[0]] * 5


@pytest.mark.parametrize("name", ["v99.db", "v1.db", "vulpea.db", "empty.db"])
def test_case_21b_a_foreign_database_is_named_and_the_files_are_read(tmp_path, name):
    vault = materialise("21b-db-schema-unknown", tmp_path)
    database = str(vault / name)
    before = digest(database)
    work = Workspace(tmp_path, vault, database)

    work.call("index")

    assert "u21-a" == work.found("spindles")[0]
    assert work.call("status").database_state
    assert before == digest(database)
    work.close()


@pytest.mark.parametrize("name", ["missing.db", "zero.db", "text.db", "cut.db", "readonly.db"])
def test_case_22b_a_broken_database_is_told_and_left_alone(tmp_path, name):
    case = "22b-db-unreadable-or-broken"
    vault = materialise(case, tmp_path)
    database = vault / name
    if name == "readonly.db":
        load_database(case, vault, database)
        database.chmod(0o400)
    before = digest(str(database)) if database.exists() else None
    work = Workspace(tmp_path, vault, str(database))

    work.call("index")

    assert work.nodes()
    assert work.call("semantic-search", query="note").hits
    told = work.call("status").database_state
    assert "\n" not in told
    assert told
    assert before == (digest(str(database)) if database.exists() else None)
    if name == "readonly.db":
        assert 0o400 == stat.S_IMODE(database.stat().st_mode)
    work.close()


def test_a_database_that_becomes_good_is_used_by_itself(tmp_path):
    case = "22b-db-unreadable-or-broken"
    vault = materialise(case, tmp_path)
    database = tmp_path / "org-roam.db"
    database.write_text("not a database")
    work = Workspace(tmp_path, vault, str(database))
    work.call("index")
    question = "SELECT count(*) FROM embed_files WHERE from_roam = 2"
    assert 0 == work.core.reader().value(question)

    database.unlink()
    load_database(case, vault, database)
    work.call("semantic-search", query="note")

    assert 1 == work.core.reader().value(question)
    work.close()


@pytest.mark.parametrize("how", [[], ["exclusive"]])
def test_case_22_a_lock_held_by_emacs_delays_nothing(tmp_path, how):
    work = laid("22-db-locked-by-emacs", tmp_path)
    work.call("index")
    work.note("new", "Arrived meanwhile", "Some escapements.")
    holder = subprocess.Popen(
        [sys.executable, str(work.vault / "holder.py"), work.settings.database, "4", *how],
        stdout=subprocess.PIPE,
    )
    try:
        assert b"HOLDING\n" == holder.stdout.readline()
        start = time.monotonic()
        found = work.found("ratchets")[0], work.found("escapements")[0]
        spent = time.monotonic() - start
        work.call("index")
        released = holder.poll() is not None
    finally:
        holder.kill()
        holder.communicate()

    assert ("t22-a", "new") == found
    assert not released, f"the holder had ended before we had answered ({spent:.1f} s)"
    work.close()


def test_case_25_without_the_vector_extension_words_and_meaning_still_work(tmp_path, monkeypatch):
    work = Workspace(tmp_path, materialise("25-no-loadable-extensions", tmp_path))
    monkeypatch.setattr("roam_semantic.sqlite.vec_path", lambda: None)
    work.call("index")

    assert "t25-a" == work.found("gimbals")[0]
    assert "t25-a" == work.found("gimbals", mode="words")[0]
    assert "sqlite-vec" in str(work.call("doctor"))

    monkeypatch.undo()
    work.core = work.fresh_core()
    work.call("index")
    assert "t25-a" == work.found("gimbals", mode="vectors")[0]
    assert not [c for c in work.call("doctor").checks if c.state == "failed"]
    work.close()
