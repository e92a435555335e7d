"""What is on disk: a stat-only walk of the vault.

Links are followed for reading, each real file and folder once; nothing but a
regular file is ever opened.
"""

from __future__ import annotations

import os
import stat
from operator import attrgetter

import msgspec

from roam_semantic.org import names
from roam_semantic.paths import to_text
from roam_semantic.values import Skipped

MAX_BYTES = 16 * 1024 * 1024
# Org's default attachment folder, which org-roam leaves out by default too.
ATTACHMENTS = "data"


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One org file: path as the vault is written, and what stat said."""

    path: str
    real_path: str
    mtime_ns: int
    size: int
    stamp: str
    doubtful: str = ""


class Scan(msgspec.Struct, frozen=True):
    """Every org file, sorted by path.  `doubtful` ones are copies by their name:
    they are read only where org-roam's database names them as owner of an id."""

    entries: tuple[Entry, ...]
    skipped: tuple[Skipped, ...]


def scan(vault: str) -> Scan:
    """Walk VAULT and return its org files and what was left out, with reasons."""
    walk = _Walk()
    walk.folder(vault, os.path.realpath(vault), top=True)
    while walk.folders:
        walk.folder(*walk.folders.pop())
    walk.linked_files()
    walk.entries.sort(key=attrgetter("path"))
    return Scan(tuple(walk.entries), tuple(walk.skipped))


class _Walk:
    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.skipped: list[Skipped] = []
        self.folders: list[tuple[str, str]] = []
        self.links: list[str] = []
        self.seen: set[str] = set()
        self.seen_folders: set[str] = set()

    def folder(self, path: str, real: str, top: bool = False) -> None:
        if real in self.seen_folders:
            return
        self.seen_folders.add(real)
        try:
            with os.scandir(path) as found:
                for item in found:
                    if names.is_ordinary(item.name) and not item.is_symlink():
                        self.add(item.path, f"{real}/{item.name}")
                    else:
                        self.item(item, real, top)
        except OSError as error:
            self.skipped.append(Skipped(to_text(path), f"folder cannot be read ({error.strerror})"))

    def item(self, item: os.DirEntry[str], real: str, top: bool) -> None:
        name = item.name
        if name.endswith((".org", ".org.gpg", ".org.age")):
            if item.is_symlink():
                self.links.append(item.path)
            else:
                self.file(item.path, f"{real}/{name}", name)
        elif name[0] == "." or names.skip_reason(name):
            return
        elif item.is_symlink():
            target = os.path.realpath(item.path)
            if os.path.isdir(target):
                self.folders.append((item.path, target))
        elif item.is_dir(follow_symlinks=False):
            if top and name == ATTACHMENTS:
                self.attachments(item.path, f"{real}/{name}")
            else:
                self.folders.append((item.path, f"{real}/{name}"))

    def attachments(self, path: str, real: str) -> None:
        """Take the files below the attachment folder as doubtful."""
        inner = _Walk()
        inner.folders.append((path, real))
        while inner.folders:
            inner.folder(*inner.folders.pop())
        self.seen_folders |= inner.seen_folders
        self.entries += [
            msgspec.structs.replace(entry, doubtful="attachment") for entry in inner.entries
        ]

    def file(self, path: str, real: str, name: str) -> None:
        """Add the file unless its NAME says that it is none to read."""
        reason = names.skip_reason(name)
        if reason is None or names.is_conflict_copy(name):
            self.add(path, real, reason or "")
        elif names.is_encrypted(name):
            self.skipped.append(Skipped(to_text(path), reason))

    def add(self, path: str, real: str, doubtful: str = "") -> None:
        """Add the regular file at PATH, REAL with its links resolved."""
        if real in self.seen:
            return
        try:
            found = os.lstat(real)
        except OSError as error:
            self.skipped.append(Skipped(to_text(path), f"cannot be read ({error.strerror})"))
            return
        size, mtime_ns = found.st_size, found.st_mtime_ns
        if not stat.S_ISREG(found.st_mode):
            self.skipped.append(Skipped(to_text(path), "not a regular file"))
        elif size > MAX_BYTES:
            self.skipped.append(Skipped(to_text(path), "larger than 16 MiB"))
        else:
            self.seen.add(real)
            shown = to_text(path)
            self.entries.append(
                Entry(
                    shown, shown if path == real else to_text(real), mtime_ns, size,
                    f"{mtime_ns}:{found.st_ctime_ns}:{found.st_ino}:{size}", doubtful,
                )
            )  # fmt: skip

    def linked_files(self) -> None:
        """Add files reached through a link, unless the file itself was met."""
        for path in sorted(self.links):
            name = os.path.basename(path)
            if name.startswith(".#"):
                continue
            real = os.path.realpath(path)
            if os.path.exists(real):
                self.file(path, real, name)
            else:
                self.skipped.append(Skipped(to_text(path), "link to nothing"))
