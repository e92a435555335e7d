"""From notes to units, and a run that finds nothing changed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable

import orgparse

from benchmarks import notes, org_roam
from benchmarks.ground import Ground
from benchmarks.table import Row
from benchmarks.timing import take_turns
from roam_semantic.indexing.read import read_bytes
from roam_semantic.indexing.refresh import refresh
from roam_semantic.indexing.scan import scan
from roam_semantic.org.decode import decode
from roam_semantic.org.parse import read_note
from roam_semantic.org.segment import segment
from roam_semantic.org_roam.database import RoamDatabase

NOTES = 1000
SYNCED_NOTES = 200
ROUNDS = 5


def measure(ground: Ground) -> list[Row]:
    """Return the rows of reading: against orgparse and the real org-roam."""
    folder = os.path.join(ground.folder, "reading")
    shutil.rmtree(folder, ignore_errors=True)
    vault = os.path.join(folder, "vault")
    notes.write(vault, NOTES)
    times = take_turns(
        {"ours": lambda _: units(vault), "orgparse": lambda _: parse(vault)}, ROUNDS, warm_up=1
    )
    ours = 1000 * NOTES / times["ours"].least
    theirs = 1000 * NOTES / times["orgparse"].least
    rows = [
        Row(
            "notes to units: read, scan, segment",
            "orgparse (parse only)",
            ours / theirs,
            4,
            f"{ours:,.0f} against {theirs:,.0f} files/s, {NOTES:,} notes",
            at_least=True,
        )
    ]
    if org_roam.available():
        return rows
    return [_sync_row(folder, ours), *rows, _unchanged_row(ground)]


def units(vault: str) -> int:
    """Read every note of VAULT and cut it into units; return how many there are."""
    count = 0
    for entry in scan(vault).entries:
        note = read_note(decode(read_bytes(entry.real_path)).text, entry.path)
        count += len(segment(note, [node for node in note.nodes if node.id is not None]))
    return count


def parse(vault: str) -> int:
    """Read every note of VAULT with orgparse; return how many nodes there are."""
    count = 0
    for entry in os.scandir(vault):
        with open(entry.path, encoding="utf-8") as file:
            count += sum(1 for _ in orgparse.loads(file.read()))
    return count


def _sync_row(folder: str, ours: float) -> Row:
    vault = os.path.join(folder, "synced")
    notes.write(vault, SYNCED_NOTES)
    (first,) = org_roam.sync(vault, os.path.join(folder, "org-roam.db"), 1)
    theirs = first.files / first.seconds
    return Row(
        "notes to units: read, scan, segment",
        "org-roam-db-sync, batch Emacs",
        ours / theirs,
        100,
        f"{ours:,.0f} against {theirs:,.0f} files/s ({first.files} notes)",
        at_least=True,
    )


def _unchanged_row(ground: Ground) -> Row:
    """Return the row of a run with nothing changed, both over the whole vault.

    Org-roam's list of files is filled with all notes and their true hashes
    after a real sync of a few: a first sync of all would take many minutes,
    and that list is all a second sync looks at.
    """
    few = os.path.join(ground.folder, "few")
    notes.write(few, 20)
    org_roam.sync(few, ground.roam_database, 1)
    for name in os.listdir(few):
        os.remove(os.path.join(few, name))
    org_roam.claim_synced(ground.vault, ground.roam_database)
    _, *syncs = org_roam.sync(ground.vault, ground.roam_database, 4)
    theirs = 1000 * min(sync.seconds for sync in syncs)
    ours = take_turns({"ours": _refresher(ground)}, 5)["ours"]
    return Row(
        "nothing changed",
        "org-roam-db-sync, batch Emacs",
        ours.least / theirs,
        1 / 20,
        f"{ours} against {theirs:.0f} ms, {ground.notes:,} notes",
    )


def _refresher(ground: Ground) -> Callable[[int], object]:
    connection = ground.index.open_writer()
    database = RoamDatabase(ground.roam_database)
    return lambda _: refresh(connection, ground.vault, database, None)
