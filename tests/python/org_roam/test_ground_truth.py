"""Our reading of a file against what org-roam 2.2.2 wrote for the same bytes.

The shared cases carry org-roam's rows, cell by cell.  Where a case's EXPECT.md
asks for more than org-roam does, the difference is named here.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from roam_semantic.org.decode import NotText, decode
from roam_semantic.org.parse import read_note
from roam_semantic.org_roam.database import RoamDatabase
from tests.support import CASES, load_database, materialise, needs_shared

pytestmark = needs_shared

# Ids org-roam has no node for although the file holds them, and why.
MORE_NODES = {
    "04b-conflict-copies-and-trash": "the id belongs to the first file that was read",
    "05-duplicate-ids": "the id belongs to the first file that was read",
    "13b-headlines-odd": "one blank heading makes org-roam drop the whole file",
    "39b-transcript-copies-private-temp": "the id belongs to the first file that was read",
}
# Cases whose refs org-roam stores in pieces.
REFS_IN_PIECES = {"16-refs-and-citations": "it cuts a citation list at its blanks"}
# Cases where we see more links, or a link at its own place.
MORE_LINKS = {
    "15-links-of-every-kind": "org-roam puts a link of a property at the start of the drawer",
    "16-refs-and-citations": "org-roam keeps one key of a citation of several",
    "17b-tables-latex-transclusion": "a transclusion is an edge",
}
# Cases whose input is no org file, or whose rows cannot be compared by file.
LEFT_OUT = {"09-symlinked-folder", "09b-symlink-loops-and-dangling"}


def names():
    if not CASES.is_dir():
        return []
    return [
        path.parent.name
        for path in sorted(CASES.glob("*/orgroam-db.json"))
        if path.parent.name not in LEFT_OUT
    ]


@pytest.fixture
def case(request, tmp_path):
    name = request.param
    vault = materialise(name, tmp_path)
    rows = RoamDatabase(load_database(name, vault, tmp_path / "org-roam.db")).rows(None)
    return name, [(Path(path), found) for path, found in sorted(rows.items())]


def read(path: Path):
    try:
        return read_note(decode(path.read_bytes()).text, str(path))
    except NotText:
        return None


@pytest.mark.parametrize("case", names(), indirect=True)
def test_our_reading_agrees_with_org_roams_rows(case):
    name, files = case
    compared = 0
    for path, rows in files:
        if not path.is_file() or hashlib.sha1(path.read_bytes()).hexdigest() != rows.hash:
            continue
        note = read(path)
        if note is None:
            continue
        compared += 1
        ours = {node.id: node for node in reversed(note.nodes) if node.id is not None}
        theirs = {node.id: node for node in rows.nodes}
        assert set(theirs) <= set(ours), path.name
        if name not in MORE_NODES:
            assert set(ours) == set(theirs), path.name
        for node_id, row in theirs.items():
            same_node(name, ours[node_id], row)
        if name in MORE_LINKS:
            assert {k[:3] for k in links(rows.links)} <= {k[:3] for k in links(note.links)}
        elif set(ours) == set(theirs):
            assert links(rows.links) == links(note.links)
    assert compared or not files


def same_node(case, ours, row):
    assert (ours.level, ours.pos, ours.title) == (row.level, row.pos, row.title or ours.title)
    assert (ours.todo, ours.priority) == (row.todo, row.priority)
    assert ours.outline_path == row.outline_path
    assert set(ours.tags) == set(row.tags)
    assert sorted(ours.aliases) == sorted(row.aliases)
    if case not in REFS_IN_PIECES:
        assert {(ref.type, ref.ref) for ref in ours.refs} == {
            (ref.type, ref.ref) for ref in row.refs
        }


def links(found):
    """Return what a link is, in a fixed order; links outside every node are ours alone."""
    return sorted((k.source, k.type, k.dest, k.pos) for k in found if k.source is not None)
