"""The index inside org-roam's own database: org-roam neither fails, loses nor waits for long.

Uses the machine's own Emacs with org-roam; ROAM_SEMANTIC_EMACS may name
another one ("chroot /some/tree emacs"), which must see the same /tmp and /proc.
"""

from __future__ import annotations

import os

import pytest

from tests.chaos.shared import SharedVault
from tests.chaos.test_org_roam import has_org_roam

# Each round saves two notes and syncs five changed ones; 30 is the whole test.
ROUNDS = os.environ.get("ROAM_SEMANTIC_CHAOS_ROUNDS", "8")

pytestmark = pytest.mark.skipif(not has_org_roam(), reason="no Emacs with org-roam here")


@pytest.fixture
def vault(tmp_path):
    made = SharedVault(tmp_path)
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
