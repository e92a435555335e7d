"""What several test modules need: the shared material, a vault to index, one model.

The shared material is beside the repository (or where ROAM_SEMANTIC_SHARED
says); tests that read it skip, with the reason, when it is not there.
"""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from pathlib import Path

import pytest

from roam_semantic.app import build
from roam_semantic.models.choose import choose
from roam_semantic.operations.catalogue import CATALOGUE
from roam_semantic.settings import load

ROOT = Path(__file__).parent.parent
SHARED = Path(os.environ.get("ROAM_SEMANTIC_SHARED") or ROOT.parent / "shared")
CASES = SHARED / "cases"

CACHE = ROOT / ".pytest_cache" / "roam-semantic"

needs_shared = pytest.mark.skipif(not CASES.is_dir(), reason=f"no shared material at {SHARED}")


@functools.cache
def model():
    """Return the embedded model, loaded once for all tests of a process."""
    return choose(load({}, {"XDG_CACHE_HOME": str(CACHE)}))


class Workspace:
    """A vault with its own index and state, driven through the catalogue.

    The vector cache is one for all tests (a text is embedded once, which on a
    slow machine saves minutes), unless a test counts what is embedded.
    """

    def __init__(
        self,
        folder: Path,
        vault: Path | None = None,
        database: str | None = None,
        own_cache: bool = False,
    ) -> None:
        self.folder = folder
        self.vault = vault or folder / "vault"
        self.vault.mkdir(parents=True, exist_ok=True)
        self.settings = load(
            {
                "vault": str(self.vault),
                "database": database,
                "index": str(folder / "index.db"),
                "cache_home": str(folder / "cache" if own_cache else CACHE),
                "state_home": str(folder / "state"),
            },
            {},
        )
        self.core = self.fresh_core()

    def fresh_core(self):
        """Return a new core, as another process would have."""
        core = build(self.settings)
        core._embedder = model()
        return core

    def call(self, name: str, **arguments):
        """Call the operation NAME as a one-shot command does."""
        return CATALOGUE[name].call(self.core, arguments)

    def write(self, name: str, text: str) -> Path:
        """Write a note."""
        path = self.vault / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def note(self, name: str, title: str, body: str = "", node_id: str | None = None) -> Path:
        """Write a note with an id."""
        drawer = f":PROPERTIES:\n:ID:       {node_id or name}\n:END:\n"
        return self.write(f"{name}.org", f"{drawer}#+title: {title}\n\n{body}\n")

    def found(self, query: str, **arguments) -> list[str | None]:
        """Return the ids of the hits for QUERY, best first."""
        return [hit.node_id for hit in self.call("semantic-search", query=query, **arguments).hits]

    def nodes(self) -> set[str]:
        """Return the ids of all nodes."""
        rows = self.core.reader().rows("SELECT id FROM embed_nodes WHERE owner AND id IS NOT NULL")
        return {node for (node,) in rows}

    def close(self) -> None:
        """Close what is open."""
        self.core.close()
        self.core.index.close()


@pytest.fixture
def workspace(tmp_path):
    """Yield an empty vault with everything of its own."""
    made = Workspace(tmp_path)
    yield made
    made.close()


def materialise(case: str, folder: Path) -> Path:
    """Lay out the input of CASE (a folder name) below FOLDER; return the vault."""
    target = folder / "input"
    tool(case, "materialise.py", str(CASES / case), str(target))
    return target


def load_database(case: str, vault: Path, path: Path, version: int = 18) -> str:
    """Rebuild org-roam's database of CASE for VAULT at PATH."""
    tool(case, "loaddb.py", str(CASES / case), str(vault), str(path), "--version", str(version))
    return str(path)


def tool(case: str, name: str, *arguments: str) -> None:
    """Run one of the shared tools for CASE."""
    command = [sys.executable, str(CASES / "tools" / name), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{case}: {done.stderr}"
