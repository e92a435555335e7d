"""The index inside org-roam's own database: org-roam neither fails, loses nor waits for long.

Uses the machine's own Emacs with org-roam; ROAM_SEMANTIC_EMACS may name
another one ("chroot /some/tree emacs"), which must see the same /tmp and /proc.
"""

from __future__ import annotations

import os
import signal
import time

import pytest

from roam_semantic.errors import RoamError
from tests.chaos.shared import HANG, SharedVault
from tests.chaos.test_org_roam import has_org_roam

# Each round saves two notes and syncs five changed ones; 30 is the whole test.
ROUNDS = os.environ.get("ROAM_SEMANTIC_CHAOS_ROUNDS", "8")

pytestmark = pytest.mark.skipif(not has_org_roam(), reason="no Emacs with org-roam here")


@pytest.fixture
def vault(tmp_path):
    made = SharedVault(tmp_path)
    assert 0 == made.emacs("sync")
    return made


@pytest.fixture
def small(tmp_path):
    made = SharedVault(tmp_path, notes=12)
    assert 0 == made.emacs("sync")
    return made


def stress(vault, rounds, *, guarded):
    """Return (errors, lost files, longest wait in ms) of ROUNDS beside a writer."""
    emacs, gate = vault.start_emacs("saves", rounds, guarded=guarded)
    with vault.writer(gate) as child:
        vault.go()
        errors, longest = vault.finish(emacs)
        assert child.poll() is None or not guarded, "the writer died"
    lost = vault.lost()
    print(f"errors {errors}, lost {len(lost)}, longest wait {longest} ms")
    return errors, lost, longest


def test_saves_and_syncs_lose_nothing_beside_a_writer_in_the_same_file(vault):
    errors, lost, _ = stress(vault, ROUNDS, guarded=True)

    assert (0, []) == (errors, lost)
    assert [("delete",)] == vault.sql("PRAGMA journal_mode")
    with vault.gate() as gate:
        vault.call("index", gate)
    nodes = "SELECT count(*) FROM {} WHERE id IS NOT NULL"
    assert vault.sql(nodes.format("nodes")) == vault.sql(nodes.format("embed_nodes"))


def test_the_same_without_taking_turns_fails_or_loses(vault):
    errors, lost, _ = stress(vault, ROUNDS, guarded=False)

    assert errors or lost


def test_a_forced_sync_is_healed_without_a_model(small, tmp_path):
    with small.gate() as gate:
        before = small.call("index", gate, tmp_path / "cache")
    assert 0 == small.emacs("force")
    assert [] == small.sql("SELECT 1 FROM sqlite_schema WHERE name = 'embed_meta'")

    with small.gate() as gate:
        after = small.call("index", gate, tmp_path / "cache")

    assert (0, before.embedded + before.from_cache) == (after.embedded, after.from_cache)
    assert small.call("semantic-search", query="bread").hits
    assert [] == small.lost()


def test_a_writer_stopped_anywhere_does_not_stop_org_roam(small):
    emacs, gate = small.start_emacs("saves", "1")
    with small.writer(gate) as child:
        child.send_signal(signal.SIGSTOP)
        small.go()
        errors, longest = small.finish(emacs)
        child.send_signal(signal.SIGCONT)
        time.sleep(0.2)

        assert (0, []) == (errors, small.lost())
    print(f"longest wait {longest} ms")


@pytest.mark.parametrize("stopped", [True, False])
def test_a_server_that_hangs_in_a_transaction_is_killed_and_org_roam_goes_on(small, stopped):
    emacs, gate = small.start_emacs("saves", "1")
    with small.writer(gate, HANG) as child:
        if stopped:
            child.send_signal(signal.SIGSTOP)
        small.go()
        errors, longest = small.finish(emacs)

        assert -signal.SIGKILL == child.wait(5)
    assert (0, []) == (errors, small.lost())
    assert [] == small.sql("SELECT 1 FROM embed_meta WHERE name = 'half'")
    print(f"longest wait {longest} ms")


def test_a_killed_emacs_leaves_the_database_whole_and_shut_to_us(small):
    emacs, gate = small.start_emacs("saves", "30")
    with small.writer(gate):
        small.go()
        time.sleep(1.0)
        emacs.kill()
        emacs.communicate()
        os.remove(small.database + ".go")
        with pytest.raises(RoamError, match="only by the server that Emacs started"):
            small.call("index", gate)

    assert 0 == small.emacs("sync")
    assert [] == small.lost()
    assert small.call("semantic-search", query="bread").hits


def test_without_emacs_changed_notes_are_named_and_the_rest_is_found(small):
    with small.gate() as gate:
        small.call("index", gate)
    before = small.sql("SELECT value FROM embed_meta WHERE name = 'generation'")
    (small.path / "fresh.org").write_text("#+title: Fresh\n\nA zeugmatic quokka.\n")

    answer = small.call("semantic-search", query="bread")

    assert answer.hits
    assert ["1 changed files" in why for why in answer.degraded] == [True]
    assert before == small.sql("SELECT value FROM embed_meta WHERE name = 'generation'")
