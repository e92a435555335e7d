"""Turns at org-roam's database: who may write, when, and what becomes of the others."""

import os

import apsw
import pytest

from roam_semantic.errors import NotReady
from roam_semantic.store.gate import Closed, Gate, Paused, Replaced
from roam_semantic.store.index import set_meta
from roam_semantic.store.shared import SharedIndex

NOBODY = 99_999_999


class Place:
    """A database with a table of org-roam's, and the gate of this process as Emacs."""

    def __init__(self, folder):
        self.path = str(folder / "org-roam.db")
        self.gate = f"{self.path}.gate"
        self.token = f"{self.gate}/emacs-{os.getpid()}"
        os.makedirs(self.token)
        self.make()
        self.index = SharedIndex(self.path, str(folder), Gate(self.path, self.token))

    def make(self):
        """Make the database as org-roam does."""
        made = apsw.Connection(self.path)
        made.execute("CREATE TABLE nodes (id NOT NULL PRIMARY KEY)")
        made.execute("INSERT INTO nodes VALUES ('\"a\"')")
        made.close()

    def mark(self, kind, pid):
        """Make the mark of another process."""
        os.mkdir(f"{self.gate}/{kind}-{pid}")

    def marks(self):
        """Return the marks that are not Emacs'."""
        return sorted(name for name in os.listdir(self.gate) if not name.startswith("emacs-"))


@pytest.fixture
def place(tmp_path):
    made = Place(tmp_path)
    yield made
    made.index.close()


@pytest.fixture
def writer(place):
    opened = place.index.open_writer()
    yield opened
    opened.close()


def write(connection, value="x"):
    with connection.writing():
        set_meta(connection, "probe", value)


def test_we_are_marked_busy_during_a_transaction_and_only_then(place, writer):
    with writer.writing():
        assert [f"busy-{os.getpid()}"] == place.marks()

    assert [] == place.marks()


def test_a_transaction_that_fails_ends_the_turn_and_leaves_nothing(place, writer):
    def fail():
        with writer.writing():
            set_meta(writer, "probe", "x")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()

    assert [] == place.marks()
    assert writer.row("SELECT 1 FROM embed_meta WHERE name = 'probe'") is None


def test_nothing_is_written_while_emacs_writes(place, writer):
    place.mark("pause", os.getpid())

    with pytest.raises(Paused):
        write(writer)
    os.rmdir(f"{place.gate}/pause-{os.getpid()}")
    write(writer)

    assert "x" == writer.value("SELECT value FROM embed_meta WHERE name = 'probe'")
    assert [] == place.marks()


def test_the_pause_of_a_dead_emacs_holds_nobody_up(place, writer):
    place.mark("pause", NOBODY)

    write(writer)

    assert [] == place.marks()


def test_nothing_is_written_once_emacs_has_left(place, writer):
    os.rmdir(place.token)

    with pytest.raises(Closed):
        write(writer)
    assert not place.index.writable


def test_a_gate_of_a_dead_emacs_is_shut(place):
    token = f"{place.gate}/emacs-{NOBODY}"
    os.mkdir(token)

    assert not Gate(place.path, token).open


def test_a_replaced_file_is_not_written(place, writer):
    os.rename(place.path, place.path + ".old")
    place.make()

    with pytest.raises(Replaced):
        write(writer)
    assert [] == place.marks()


def test_another_program_in_a_transaction_is_waited_for_outside_of_ours(place, writer):
    other = apsw.Connection(place.path)
    other.execute("BEGIN IMMEDIATE")

    with pytest.raises(Paused):
        write(writer)
    assert [] == place.marks()

    other.execute("ROLLBACK")
    other.close()
    write(writer)


def test_the_file_stays_org_roams(place, writer):
    place.index.open_writer(fresh=True).close()

    question = apsw.Connection(place.path)
    assert [('"a"',)] == question.execute("SELECT id FROM nodes").fetchall()
    assert [("delete",)] == question.execute("PRAGMA journal_mode").fetchall()
    assert [("ok",)] == question.execute("PRAGMA integrity_check").fetchall()
    question.close()


def test_tables_made_anew_have_another_generation(place):
    def generation():
        return place.index.reader().value("SELECT value FROM embed_meta WHERE name = 'generation'")

    place.index.open_writer().close()
    first = generation()
    place.index.open_writer(fresh=True).close()

    assert first != generation()


def test_a_database_org_roam_has_not_made_is_refused(place):
    os.remove(place.path)
    apsw.Connection(place.path).execute("CREATE TABLE other (x)").fetchall()

    with pytest.raises(NotReady, match="org-roam's database"):
        place.index.open_writer()


def test_without_a_gate_the_index_is_read_only(place, tmp_path):
    with pytest.raises(Closed):
        SharedIndex(place.path, str(tmp_path), None).open_writer()
