"""Noticing changes: what is a hint, when the files are looked at, when it ends."""

from __future__ import annotations

import sys
import threading
import time

import pytest

from roam_semantic.errors import NotReady, Unavailable
from roam_semantic.indexing import watch as watching
from roam_semantic.indexing.watch import MOST_WAITING, Watch, matters


def until(question, seconds=20.0):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if question():
            return True
        time.sleep(0.02)
    return False


@pytest.fixture
def looks():
    return []


@pytest.fixture
def made(tmp_path, looks):
    watch = Watch(str(tmp_path), lambda: looks.append(threading.current_thread().name), 0.0)
    yield watch
    watch.stop()


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("note.org", True),
        ("daily/2024-01-01.org", True),
        ("a.folder.of.org", True),
        ("folder", True),
        (".#note.org", False),
        ("#note.org#", False),
        ("note.org~", False),
        ("note.org_archive", False),
        (".git/index", False),
        (".git/notes.org", False),
        ("org-roam-semantic.db", False),
        ("org-roam-semantic.db-wal", False),
        ("picture.png", False),
    ],
)
def test_only_what_may_be_a_note_is_a_hint(path, expected):
    assert expected is matters("/vault", f"/vault/{path}")


def test_a_folder_with_a_dot_in_its_name_is_one(tmp_path):
    (tmp_path / "v1.2").mkdir()

    assert matters(str(tmp_path), str(tmp_path / "v1.2"))


def test_the_files_are_looked_at_as_soon_as_somebody_waits(made, looks):
    with made.attended():
        assert until(lambda: looks)

    assert {"watch"} == set(looks)


def test_a_written_note_is_noticed(made, looks, tmp_path):
    with made.attended():
        assert until(lambda: len(looks) == 2)
        (tmp_path / "note.org").write_text("* New\n")

        assert until(lambda: len(looks) > 2)
    assert "" == made.message


def test_nothing_is_watched_when_nobody_waits(made):
    assert not made.running
    with made.attended():
        assert made.running

    assert until(lambda: not made.running)


def test_a_second_wait_starts_the_watch_again(made, looks):
    with made.attended():
        assert until(lambda: looks)
    assert until(lambda: not made.running)
    looks.clear()

    with made.attended():
        assert until(lambda: looks)


def test_without_the_library_the_files_are_scanned_and_it_is_said(made, looks, monkeypatch):
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    monkeypatch.setattr(watching, "SCAN_EVERY_S", 0.05)
    monkeypatch.setattr(watching, "TURN_S", 0.05)
    with made.attended():
        assert until(lambda: len(looks) > 3)

        assert "changes are looked for every" in made.message
        assert "watchfiles" in made.message


def test_a_folder_that_cannot_be_watched_is_scanned(tmp_path, looks, monkeypatch):
    monkeypatch.setattr(watching, "SCAN_EVERY_S", 0.05)
    monkeypatch.setattr(watching, "TURN_S", 0.05)
    watch = Watch(str(tmp_path / "nowhere"), lambda: looks.append(1), 0.0)
    with watch.attended():
        assert until(lambda: len(looks) > 3)

    assert "not noticed at once" in watch.message
    watch.stop()


def test_a_look_that_fails_is_told_and_not_the_end(tmp_path, monkeypatch):
    def see():
        raise NotReady("the vault is gone")

    watch = Watch(str(tmp_path), see, 0.0)
    with watch.attended():
        assert until(lambda: watch.message == "the vault is gone")
        assert watch.running
    watch.stop()


def test_only_a_few_may_wait_at_once(made):
    waits = [made.attended() for _ in range(MOST_WAITING)]
    for wait in waits:
        wait.__enter__()
    with pytest.raises(Unavailable, match="wait for changes already"), made.attended():
        pass
    for wait in waits:
        wait.__exit__(None, None, None)

    with made.attended():
        assert made.running


def test_a_state_is_made_out_at_most_twice_a_second(made):
    count = iter(range(100))
    first = made.paced(lambda: next(count))

    assert [0, 0, 0] == [first, made.paced(lambda: next(count)), made.paced(lambda: next(count))]
    assert until(lambda: made.paced(lambda: next(count)) == 1)


def test_a_stopped_watch_ends_at_once_and_does_not_start_again(made):
    with made.attended():
        assert made.running
        made.stop()

        assert not made.running
    with made.attended():
        assert not made.running
