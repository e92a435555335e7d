"""Org-roam in a real Emacs, and a writer of ours in the same database file."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import apsw

from roam_semantic.app import build
from roam_semantic.operations.catalogue import CATALOGUE
from roam_semantic.org_roam.database import RoamDatabase
from roam_semantic.settings import load
from tests.support import CACHE, ROOT

HERE = Path(__file__).parent
LISP = ("roam-semantic.el", "roam-semantic-placement.el")
# What the server's worker does when it embeds from a full cache, without end:
# batches of vectors, a breath between them, now and then a look at the files.
INDEX_FOR_EVER = """
import sys, time
from roam_semantic.app import build
from roam_semantic.settings import load
from roam_semantic.store.gate import Replaced
from roam_semantic.store.vectors import vector_set, write_vectors
core = build(load({"vault": sys.argv[1], "database": sys.argv[2], "index": "shared"}))
runs = 0
while True:
    core.indexer.run(wait_s=60)
    runs += 1
    print(runs, flush=True)
    core.index.wait(60)
    connection = core.index.open_writer()
    try:
        target = vector_set(connection)
        rows = connection.rows(
            f"SELECT unit, v, c.code FROM {target.vectors} JOIN {target.codes} c ON c.rowid = unit"
            " LIMIT 64"
        )
        for _ in range(50):
            write_vectors(connection, target, rows)
            time.sleep(0.002)
    except Replaced:
        pass
    finally:
        connection.close()
"""


# Begins a transaction and never ends it.
HANG = """
import sys, time
from roam_semantic.app import build
from roam_semantic.settings import load
from roam_semantic.store.index import set_meta
core = build(load({"vault": sys.argv[1], "database": sys.argv[2], "index": "shared"}))
core.index.wait(60)
connection = core.index.open_writer()
with connection.writing():
    set_meta(connection, "half", "done")
    print("in", flush=True)
    time.sleep(600)
"""


def emacs_command() -> list[str]:
    return shlex.split(os.environ.get("ROAM_SEMANTIC_EMACS", "emacs"))


class SharedVault:
    """A vault whose index is in the database of real org-roam.

    notes: how many small notes it has; None makes it a copy of the sample vault.
    """

    def __init__(self, folder: Path, notes: int | None = None) -> None:
        self.folder = folder
        self.path = folder / "vault"
        if notes is None:
            shutil.copytree(HERE.parent / "vault", self.path)
        else:
            self.path.mkdir()
        for number in range(notes or 0):
            (self.path / f"n{number}.org").write_text(
                f":PROPERTIES:\n:ID: n{number}\n:END:\n#+title: Note {number}\n\n"
                f"Bread of kind{number}.\n\n* Part\nMore of it.\n"
            )
        for name in ("org_roam.el", "shared.el"):
            shutil.copy(HERE / name, folder / name)
        for name in LISP:
            shutil.copy(ROOT / "elisp" / name, folder / name)
        self.database = str(folder / "org-roam.db")

    def start_emacs(self, *action: str, guarded: bool = True) -> tuple[subprocess.Popen[str], str]:
        """Start org-roam with ACTION; return it and the gate it opened."""
        with (self.folder / "emacs.log").open("a") as log:
            emacs = subprocess.Popen(
                [
                    *emacs_command(), "--batch", "-l", str(self.folder / "shared.el"), "--",
                    str(self.path), self.database, *action,
                ],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=os.environ if guarded else {**os.environ, "CHAOS_UNGUARDED": "1"},
            )  # fmt: skip
        gate = f"{self.database}.gate/emacs-{emacs.pid}"
        deadline = time.monotonic() + 60
        while not os.path.isdir(gate):
            assert emacs.poll() is None, (self.folder / "emacs.log").read_text()
            assert time.monotonic() < deadline, "Emacs opened no gate"
            time.sleep(0.01)
        return emacs, gate

    def go(self) -> None:
        """Let the Emacs that waits begin."""
        Path(self.database + ".go").touch()

    def finish(self, emacs: subprocess.Popen[str]) -> tuple[int, int]:
        """Return how many calls of org-roam failed, and its longest wait in ms."""
        said = emacs.communicate(timeout=300)[0]
        os.remove(self.database + ".go")
        assert 0 == emacs.returncode, (self.folder / "emacs.log").read_text()
        return int(said.split("ERRORS ")[1].split()[0]), int(said.split("LONGEST-WAIT ")[1])

    def emacs(self, *action: str) -> int:
        """Do ACTION with nothing beside it; return how many calls failed."""
        emacs, _ = self.start_emacs(*action)
        self.go()
        return self.finish(emacs)[0]

    @contextmanager
    def writer(
        self, gate: str, program: str = INDEX_FOR_EVER
    ) -> Generator[subprocess.Popen[bytes], None, None]:
        """Run PROGRAM, which says when it has begun, in a process that was given GATE."""
        child = subprocess.Popen(
            [sys.executable, "-c", program, str(self.path), self.database],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # it ends with an error when Emacs leaves
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(sys.path),
                "XDG_CACHE_HOME": os.path.dirname(CACHE),
                "ROAM_SEMANTIC_GATE": gate,
            },
        )
        try:
            assert child.stdout
            assert child.stdout.readline(), "the writer did not start"
            yield child
        finally:
            child.kill()
            child.communicate()

    def call(self, name: str, gate: str | None = None, cache: Path = CACHE, **arguments):
        """Call an operation as a process does that was given GATE."""
        overrides = {
            "vault": str(self.path), "database": self.database, "index": "shared",
            "gate": gate, "cache_home": str(cache),
        }  # fmt: skip
        core = build(load(overrides, {}))
        try:
            return CATALOGUE[name].call(core, arguments)
        finally:
            core.index.close()

    @contextmanager
    def gate(self) -> Generator[str, None, None]:
        """Be the Emacs that lets us write."""
        token = f"{self.database}.gate/emacs-{os.getpid()}"
        os.makedirs(token)
        yield token
        os.rmdir(token)

    def sql(self, question: str) -> list[tuple]:
        """Return the rows of QUESTION."""
        connection = apsw.Connection(self.database)
        try:
            return connection.execute(question).fetchall()
        finally:
            connection.close()

    def lost(self) -> list[str]:
        """Return the files whose graph is not of their bytes, and what else is wrong."""
        rows = RoamDatabase(self.database).rows()
        hashes = RoamDatabase(self.database).hashes()
        found = [
            str(file)
            for file in self.path.rglob("*.org")
            if hashes.get(str(file)) != hashlib.sha1(file.read_bytes()).hexdigest()
        ]
        # A lost DELETE leaves the old links beside the new ones.
        found += [
            f"doubled: {path}"
            for path, held in rows.items()
            if len({(k.pos, k.source, k.dest) for k in held.links}) != len(held.links)
        ]
        if self.sql("PRAGMA integrity_check") != [("ok",)]:
            found.append("the file is damaged")
        return found
