"""Vectors of texts seen before, so that a rebuilt index costs no model call.

One file for all vaults of a user, mode 0600.  The key is a SHA-256 over model
digest, dimension, prefix and text; no text is kept.  The least recently used
go when the file grows over its bound.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Sequence

import msgspec

from roam_semantic import sqlite
from roam_semantic.errors import Unavailable
from roam_semantic.sqlite import Connection

FILE_NAME = "vectors.db"
MAX_ROWS = 1_000_000
SECONDS_A_DAY = 86_400


class VectorCache:
    """The cache, open for one indexer.  Without a usable file it is empty."""

    def __init__(self, folder: str, digest: str, dimension: int, prefix: str) -> None:
        self._salt = f"{digest}\0{dimension}\0{prefix}\0".encode()
        self._connection = _opened(os.path.join(folder, FILE_NAME))
        self._today = int(time.time()) // SECONDS_A_DAY
        self._size = dimension * 2

    def find(self, texts: Sequence[str]) -> dict[str, bytes]:
        """Return text → float16 bytes for those of TEXTS that are known."""
        if self._connection is None or not texts:
            return {}
        keys = {self._key(text): text for text in texts}
        wanted = msgspec.json.encode([key.hex() for key in keys]).decode()
        rows = self._connection.rows(
            "SELECT key, v FROM vectors WHERE key IN (SELECT unhex(value) FROM json_each(?))",
            (wanted,),
        )
        with self._connection.writing():
            self._connection.run_many(
                "UPDATE vectors SET used = ?2 WHERE key = ?1 AND used != ?2",
                [(key, self._today) for key, _ in rows],
            )
        return {keys[key]: vector for key, vector in rows if len(vector) == self._size}

    def add(self, found: Sequence[tuple[str, bytes]]) -> None:
        """Remember (text, float16 bytes) pairs."""
        if self._connection is None or not found:
            return
        with self._connection.writing():
            self._connection.run_many(
                "INSERT OR REPLACE INTO vectors (key, used, v) VALUES (?,?,?)",
                [(self._key(text), self._today, vector) for text, vector in found],
            )

    def trim(self, most: int = MAX_ROWS) -> int:
        """Drop the least recently used rows beyond MOST; return how many went."""
        if self._connection is None:
            return 0
        surplus = self._connection.value("SELECT count(*) FROM vectors") - most
        if surplus <= 0:
            return 0
        with self._connection.writing():
            self._connection.run(
                "DELETE FROM vectors WHERE key IN (SELECT key FROM vectors ORDER BY used LIMIT ?)",
                (surplus,),
            )
        return surplus

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()

    def _key(self, text: str) -> bytes:
        return hashlib.sha256(self._salt + text.encode("utf-8", "surrogatepass")).digest()


def _opened(path: str) -> Connection | None:
    """Open the cache; a broken one is replaced, an unwritable one left out."""
    for attempt in range(2):
        try:
            connection = sqlite.open_index(path, writable=True)
            connection.run(
                "CREATE TABLE IF NOT EXISTS vectors"
                " (key BLOB PRIMARY KEY, used INTEGER NOT NULL, v BLOB NOT NULL) WITHOUT ROWID"
            )
        except sqlite.Broken:
            if attempt:
                return None
            for suffix in ("", "-wal", "-shm"):
                if os.path.exists(path + suffix):
                    os.remove(path + suffix)
        except (Unavailable, OSError):
            return None
        else:
            return connection
    return None
