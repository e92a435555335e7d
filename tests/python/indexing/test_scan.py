"""Walking real folders with everything that can lie in them."""

from __future__ import annotations

import os

import pytest

from roam_semantic.indexing.read import read_bytes
from roam_semantic.indexing.scan import scan
from roam_semantic.paths import to_path


def write(path, text="* A\n"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def names(found):
    return [os.path.basename(entry.path) for entry in found.entries if not entry.doubtful]


def test_org_files_are_found_in_every_folder(tmp_path):
    write(tmp_path / "a.org")
    write(tmp_path / "daily" / "b.org")
    write(tmp_path / "notes.txt")

    assert ["a.org", "b.org"] == names(scan(str(tmp_path)))


@pytest.mark.parametrize("name", [".#a.org", "#a.org#", "a.org~", ".hidden/a.org", ".git/a.org"])
def test_what_editors_and_tools_leave_is_no_note(tmp_path, name):
    write(tmp_path / name)

    found = scan(str(tmp_path))

    assert [] == names(found)
    assert () == found.skipped


def test_a_lock_that_is_a_link_to_nothing_is_no_note(tmp_path):
    os.symlink("user@host.123", tmp_path / ".#a.org")

    assert ((), ()) == (scan(str(tmp_path)).entries, scan(str(tmp_path)).skipped)


def test_an_encrypted_file_is_named_and_not_read(tmp_path):
    write(tmp_path / "secret.org.gpg")

    found = scan(str(tmp_path))

    assert [] == names(found)
    assert ["secret.org.gpg"] == [os.path.basename(item.file) for item in found.skipped]


def test_conflict_copies_and_attachments_are_doubtful(tmp_path):
    write(tmp_path / "note.org")
    write(tmp_path / "note.sync-conflict-20240102-101112-ABCDEF7.org")
    write(tmp_path / "data" / "ab" / "cdef" / "attached.org")

    found = scan(str(tmp_path))

    assert ["note.org"] == names(found)
    assert 2 == sum(1 for entry in found.entries if entry.doubtful)


def test_each_real_file_comes_once_however_it_is_linked(tmp_path):
    vault = tmp_path / "vault"
    write(vault / "a.org")
    write(tmp_path / "outside" / "b.org")
    write(tmp_path / "outside" / "c.org")
    os.symlink(tmp_path / "outside", vault / "work")
    os.symlink(tmp_path / "outside", vault / "again")
    os.symlink(tmp_path / "outside" / "c.org", vault / "linked.org")
    os.symlink(vault, tmp_path / "link-to-vault")

    found = scan(str(tmp_path / "link-to-vault"))

    assert 3 == len(found.entries)
    assert all(entry.path.startswith(str(tmp_path / "link-to-vault")) for entry in found.entries)
    assert 3 == len({os.path.realpath(entry.path) for entry in found.entries})


def test_loops_fifos_and_links_to_nothing_end_the_walk_nowhere(tmp_path):
    write(tmp_path / "real.org")
    os.symlink(".", tmp_path / "loop")
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    os.symlink("../b", tmp_path / "a" / "b")
    os.symlink("../a", tmp_path / "b" / "a")
    os.symlink("nowhere.org", tmp_path / "dangling.org")
    os.mkfifo(tmp_path / "pipe.org")

    found = scan(str(tmp_path))

    assert ["real.org"] == names(found)
    assert ["dangling.org", "pipe.org"] == sorted(
        os.path.basename(item.file) for item in found.skipped
    )


def test_a_fifo_is_never_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.org")

    with pytest.raises(OSError, match="regular"):
        read_bytes(str(tmp_path / "pipe.org"))


def test_a_huge_file_is_named_and_not_read(tmp_path):
    with open(tmp_path / "huge.org", "wb") as file:
        file.truncate(17 * 1024 * 1024)

    found = scan(str(tmp_path))

    assert () == found.entries
    assert "16 MiB" in found.skipped[0].reason


@pytest.mark.parametrize(
    "name",
    [b"-x.org", b"new\nline.org", b"tab\t.org", b"quo\"te'.org", b"back\\slash.org", b"%20.org",
     b"#?*.org", "🗃.org".encode(), b"trailing .org", b"not-utf8-\xff\xfe.org"],
)  # fmt: skip
def test_awkward_names_open_the_same_file(tmp_path, name):
    with open(os.path.join(os.fsencode(tmp_path), name), "wb") as file:
        file.write(name)

    (entry,) = scan(str(tmp_path)).entries

    entry.path.encode("utf-8")
    assert name == read_bytes(entry.real_path)
    assert name == os.path.basename(os.fsencode(to_path(entry.path)))


def test_a_changed_file_has_another_stamp(tmp_path):
    path = write(tmp_path / "a.org")
    (before,) = scan(str(tmp_path)).entries
    stat = path.stat()

    path.write_text("* B\n")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    (after,) = scan(str(tmp_path)).entries

    assert before.stamp != after.stamp
