"""Beside a real org-roam: its database is never changed, locked or trusted blindly.

Uses the machine's own Emacs with org-roam; ROAM_SEMANTIC_EMACS may name
another one ("chroot /some/tree emacs"), which must see the same /tmp.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from roam_semantic.app import build
from roam_semantic.operations.catalogue import CATALOGUE
from roam_semantic.org_roam.database import RoamDatabase
from roam_semantic.settings import load
from tests.support import CACHE

HERE = Path(__file__).parent
VAULT = HERE.parent / "vault"
# Each round saves two notes and syncs five changed ones; 30 is the whole test.
ROUNDS = os.environ.get("ROAM_SEMANTIC_CHAOS_ROUNDS", "8")
INDEX_FOR_EVER = """
import sys
from roam_semantic.app import build
from roam_semantic.settings import load
from tests.support import CACHE
core = build(load({"vault": sys.argv[1], "database": sys.argv[2]}))
print("ready", flush=True)
runs = 0
while True:
    core.indexer.run(force=runs % 5 == 0, wait_s=60)
    runs += 1
    print(runs, flush=True)
"""


def emacs_command():
    return shlex.split(os.environ.get("ROAM_SEMANTIC_EMACS", "emacs"))


def has_org_roam():
    if shutil.which(emacs_command()[0]) is None:
        return False
    ask = [
        *emacs_command(),
        "--batch",
        "-f",
        "package-activate-all",
        "--eval",
        "(require 'org-roam)",
    ]
    return 0 == subprocess.run(ask, capture_output=True, check=False).returncode


pytestmark = pytest.mark.skipif(not has_org_roam(), reason="no Emacs with org-roam here")


class Vault:
    """A copy of the sample vault with a database of real org-roam."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "vault"
        shutil.copytree(VAULT, self.path)
        script = folder / "org_roam.el"
        shutil.copy(HERE / "org_roam.el", script)
        self.script = str(script)
        self.database = str(folder / "roam" / "org-roam.db")
        os.makedirs(os.path.dirname(self.database))
        overrides = {"vault": str(self.path), "database": self.database, "cache_home": str(CACHE)}
        self.settings = load(overrides, {})

    def emacs(self, *action: str) -> int:
        """Run org-roam; return how many of its calls failed."""
        done = subprocess.run(
            [
                *emacs_command(),
                "--batch",
                "-l",
                self.script,
                "--",
                str(self.path),
                self.database,
                *action,
            ],
            capture_output=True,
            text=True,
            check=True,
            timeout=300,
        )
        return int(done.stdout.split("ERRORS ")[1])

    def call(self, name: str, **arguments):
        return CATALOGUE[name].call(build(self.settings), arguments)

    def digest(self) -> str:
        return hashlib.sha256(Path(self.database).read_bytes()).hexdigest()

    def stale_rows(self) -> list[str]:
        """Return files whose row in org-roam's database is not of their bytes."""
        rows = RoamDatabase(self.database).hashes()
        return [
            str(file)
            for file in self.path.rglob("*.org")
            if rows.get(str(file)) != hashlib.sha1(file.read_bytes()).hexdigest()
        ]


@pytest.fixture
def vault(tmp_path):
    made = Vault(tmp_path)
    assert 0 == made.emacs("sync")
    return made


def test_org_roams_database_stays_as_it_is_byte_for_byte(vault):
    before = vault.digest()

    vault.call("index")
    assert vault.call("semantic-search", query="bread").hits

    assert before == vault.digest()
    assert [] == [
        n for n in os.listdir(os.path.dirname(vault.database)) if n.startswith("org-roam.db-")
    ]


def test_our_counts_are_org_roams(vault):
    vault.call("index")
    stats = vault.call("index-stats")
    rows = RoamDatabase(vault.database).rows(None)

    assert sum(len(found.nodes) for found in rows.values()) == stats.nodes
    assert len(rows) == stats.files


def test_an_edit_outside_emacs_is_found_before_org_roam_syncs(vault):
    vault.call("index")
    (vault.path / "fresh.org").write_text(
        ":PROPERTIES:\n:ID: fresh-one\n:END:\n#+title: Fresh\n\nA zeugmatic quokka.\n"
    )

    (first, *_) = vault.call("semantic-search", query="zeugmatic quokka").hits

    assert "fresh-one" == first.node_id


def test_a_forced_sync_costs_no_embedding(vault):
    before = vault.call("index")
    assert 0 == vault.emacs("force")

    after = vault.call("index")

    assert (before.nodes, before.units) == (after.nodes, after.units)
    assert (0, 0) == (after.embedded, after.from_cache)
    assert vault.call("semantic-search", query="bread").hits


def test_no_database_at_all_is_no_obstacle(vault):
    vault.call("index")
    os.remove(vault.database)

    assert vault.call("semantic-search", query="bread").hits
    assert not os.path.exists(vault.database)


def test_saves_and_syncs_lose_nothing_while_we_index(vault):
    vault.call("index")
    child = subprocess.Popen(
        [sys.executable, "-c", INDEX_FOR_EVER, str(vault.path), vault.database],
        stdout=subprocess.PIPE,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "XDG_CACHE_HOME": os.path.dirname(vault.settings.cache),
        },
    )
    try:
        assert b"ready\n" == child.stdout.readline()
        errors = vault.emacs("saves", ROUNDS)
        assert child.poll() is None, "the indexer died"
    finally:
        child.kill()
        output = child.communicate()[0]

    assert 0 == errors
    assert [] == vault.stale_rows()
    runs = len(output.splitlines())
    print(f"indexing runs meanwhile: {runs}")
    assert runs > 3
    vault.call("index")
    rows = RoamDatabase(vault.database).rows(None)
    assert sum(len(found.nodes) for found in rows.values()) == vault.call("index-stats").nodes
