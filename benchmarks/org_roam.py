"""The real `org-roam-db-sync`, timed inside a batch Emacs."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess

import msgspec

from roam_semantic import sqlite
from roam_semantic.sqlite import Row

PACKAGES = "/usr/share/emacs/site-lisp/elpa"
SCRIPT = """
(require 'package)
(add-to-list 'package-directory-list "%(packages)s")
(package-initialize)
(require 'org-roam)
(setq org-roam-directory "%(vault)s/"
      org-roam-db-location "%(database)s")
(dotimes (_ %(times)d)
  (let ((start (get-internal-run-time)))
    (org-roam-db-sync)
    (princ (format "synced %%f %%d\\n"
                   (float-time (time-subtract (get-internal-run-time) start))
                   (caar (org-roam-db-query "SELECT count(*) FROM files"))))))
"""


class Sync(msgspec.Struct, frozen=True):
    """One run: processor seconds of Emacs, files in its database afterwards."""

    seconds: float
    files: int


def available() -> str:
    """Return why it cannot be run here, or an empty text."""
    if shutil.which("emacs") is None:
        return "Emacs is not installed"
    done = subprocess.run(
        ["emacs", "-Q", "--batch", "--eval", _PROBE], capture_output=True, check=False
    )
    return "" if done.returncode == 0 else "org-roam is not installed for Emacs"


_PROBE = (
    f'(progn (require (quote package)) (add-to-list (quote package-directory-list) "{PACKAGES}")'
    " (package-initialize) (require (quote org-roam)))"
)


def sync(vault: str, database: str, times: int) -> list[Sync]:
    """Run `org-roam-db-sync` TIMES times in one Emacs, as a user's Emacs would."""
    script = SCRIPT % {
        "packages": PACKAGES,
        "vault": vault,
        "database": database,
        "times": times,
    }
    path = database + ".el"
    with open(path, "w", encoding="utf-8") as file:
        file.write(script)
    done = subprocess.run(
        ["emacs", "-Q", "--batch", "-l", path], capture_output=True, text=True, check=False
    )
    lines = [line.split() for line in done.stdout.splitlines() if line.startswith("synced ")]
    if len(lines) != times:
        raise RuntimeError(f"org-roam-db-sync failed: {done.stderr[-500:]}")
    return [Sync(float(seconds), int(files)) for _, seconds, files in lines]


def claim_synced(vault: str, database: str) -> None:
    """Enter every file of VAULT in DATABASE's list of files with its true hash.

    A sync with nothing changed compares that list with the folder and no
    more, so this makes one of any size without hours of first syncs.
    """
    connection = sqlite.open_index(database, writable=True)
    columns = [str(row[1]) for row in connection.rows("PRAGMA table_info(files)")]
    names = ", ".join(columns)
    sample = connection.row(f"SELECT {names} FROM files LIMIT 1")
    assert sample is not None, "sync a few files first"
    known = {row[0] for row in connection.rows("SELECT file FROM files")}
    rows: list[Row] = []
    for name in sorted(os.listdir(vault)):
        path = os.path.join(vault, name)
        with open(path, "rb") as file:
            digest = hashlib.sha1(file.read(), usedforsecurity=False).hexdigest()
        row = dict(zip(columns, sample, strict=True)) | {"file": f'"{path}"', "hash": f'"{digest}"'}
        if row["file"] not in known:
            rows.append(tuple(row[column] for column in columns))
    with connection.writing():
        marks = ",".join("?" * len(columns))
        connection.run_many(f"INSERT INTO files ({names}) VALUES ({marks})", rows)
    connection.run("PRAGMA journal_mode=DELETE")
    connection.close()
