"""What changed since the last look: reads only, and little of it.

Apart from `refresh.py`, so that a command that finds nothing changed need not
load the parser of org files.
"""

from __future__ import annotations

from roam_semantic.errors import Unavailable
from roam_semantic.indexing.plan import Plan, Stored, plan
from roam_semantic.indexing.scan import Scan, scan
from roam_semantic.org_roam.database import RoamDatabase
from roam_semantic.sqlite import Connection
from roam_semantic.store.index import meta

# Where the index keeps which state of org-roam's database it has taken in.
IMPORTED = "roam_identity"


def look(
    connection: Connection, vault: str, database: RoamDatabase | None
) -> tuple[Scan, Plan, str]:
    """Return what is on disk, what must be done about it, and a message.

    Reads only.  The message says why org-roam's database could not be asked.
    """
    found = scan(vault)
    stored = {
        path: Stored(digest, stamp, from_roam)
        for path, digest, stamp, from_roam in connection.rows(
            "SELECT path, hash, stamp, from_roam FROM embed_files"
        )
    }
    message = ""
    hashes: dict[str, str] | None = None
    owners: frozenset[str] = frozenset()
    if database is not None and identity_text(database) != meta(connection, IMPORTED):
        try:
            hashes = database.hashes()
            owners = _owners(database, found, hashes)
        except Unavailable as error:
            message = error.message
    doubtful_kept = frozenset(
        entry.path for entry in found.entries if entry.doubtful and entry.path in stored
    )
    return found, plan(found, stored, hashes, owners | doubtful_kept), message


def _owners(database: RoamDatabase, found: Scan, hashes: dict[str, str]) -> frozenset[str]:
    doubtful = {
        path
        for entry in found.entries
        if entry.doubtful
        for path in (entry.path, entry.real_path)
        if path in hashes
    }
    if not doubtful:
        return frozenset()
    return frozenset(path for path, rows in database.rows(doubtful).items() if rows.nodes)


def identity_text(database: RoamDatabase) -> str:
    """Return what changes whenever DATABASE is written or replaced."""
    return repr(database.identity())
