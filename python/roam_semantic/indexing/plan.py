"""What must be done, as a pure question: files on disk against what is stored."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from roam_semantic.indexing.scan import Entry, Scan


class Stored(msgspec.Struct, frozen=True, gc=False):
    """What the index knows of a file."""

    hash: str
    stamp: str
    from_roam: int


class Plan(msgspec.Struct, frozen=True):
    """read: files to look into, in path order; gone: paths to forget."""

    read: tuple[Entry, ...]
    gone: tuple[str, ...]
    total: int


def plan(
    scan: Scan,
    stored: Mapping[str, Stored],
    roam: Mapping[str, str] | None,
    owners: frozenset[str] = frozenset(),
) -> Plan:
    """Compare SCAN with STORED (path → row) and ROAM (path → SHA-1 of its rows).

    A file is read when the file system says it changed, or when org-roam's
    rows for these very bytes have come (ROAM; None: its database did not
    change).  A doubtful file counts only where OWNERS (files org-roam's
    database gives nodes to) names it.
    """
    real = [e for e in scan.entries if not e.doubtful or e.path in owners or e.real_path in owners]
    read: list[Entry] = []
    for entry in real:
        known = stored.get(entry.path)
        if known is None or known.stamp != entry.stamp:
            read.append(entry)
        elif roam is not None and not known.from_roam:
            rows = roam.get(entry.path) or roam.get(entry.real_path)
            if rows == known.hash:
                read.append(entry)
    here = {entry.path for entry in real}
    gone = sorted(path for path in stored if path not in here)
    return Plan(tuple(read), tuple(gone), len(real))
