"""Which file names are notes, and why the others are not."""

from __future__ import annotations

import re

# Syncthing, Dropbox (several languages put their own words before "copy"),
# Nextcloud, OneDrive and Google Drive clients.
CONFLICT = re.compile(
    r"\.sync-conflict-\d{8}-\d{6}"
    r"|[ _]?\([^()]*\bconflict(?:ed)?\b[^()]*\)"
    r"|[ _]\(?[^()]*'s conflicted copy"
    r"|\.(?:orig|rej|mine|r\d+)\.org$"
    r"|~\d{8}-\d{6}\.",
    re.IGNORECASE,
)
ORDINARY = re.compile(r"[\w-]+\.org")
ENCRYPTED = (".gpg", ".age", ".asc", ".pgp")


def is_ordinary(name: str) -> bool:
    """Say at once that NAME is that of a note, as `skip_reason` would; False: ask it."""
    return ORDINARY.fullmatch(name) is not None


def is_conflict_copy(name: str) -> bool:
    """Say whether NAME is a copy a synchronising program made of another file."""
    return CONFLICT.search(name) is not None


def is_encrypted(name: str) -> bool:
    """Say whether NAME (or a path) is that of an encrypted file."""
    return name.lower().endswith(ENCRYPTED)


def is_hidden_folder(name: str) -> bool:
    """Say whether a folder NAME is hidden: `.git`, `.stversions`, `.attach`."""
    return name.startswith(".")


def skip_reason(name: str) -> str | None:
    """Return why the file NAME is not read, in a few words; None: read it."""
    if name.startswith(".#"):
        return "lock file"
    if name.startswith("#") and name.endswith("#"):
        return "auto-save"
    if name.endswith("~"):
        return "backup"
    if name.startswith("."):
        return "hidden file"
    if is_encrypted(name):
        return "encrypted"
    if is_conflict_copy(name):
        return "sync-conflict copy"
    return None
