"""What must be done, asked of plain values."""

from __future__ import annotations

from roam_semantic.indexing.plan import Stored, plan
from roam_semantic.indexing.scan import Entry, Scan


def entry(path, stamp="1", doubtful="", real=""):
    return Entry(path, real or path, 1, 1, stamp, doubtful)


def paths(todo):
    return [found.path for found in todo.read]


def test_a_new_file_is_read():
    todo = plan(Scan((entry("/a.org"),), ()), {}, None)

    assert ["/a.org"] == paths(todo)


def test_an_untouched_file_is_not_read():
    todo = plan(Scan((entry("/a.org"),), ()), {"/a.org": Stored("h", "1", 0)}, None)

    assert [] == paths(todo)


def test_a_file_the_disk_says_changed_is_read():
    todo = plan(Scan((entry("/a.org", "2"),), ()), {"/a.org": Stored("h", "1", 0)}, None)

    assert ["/a.org"] == paths(todo)


def test_a_file_that_went_is_forgotten():
    todo = plan(Scan((), ()), {"/a.org": Stored("h", "1", 0)}, None)

    assert ("/a.org",) == todo.gone


def test_a_file_org_roam_caught_up_with_is_read_once_more():
    scan = Scan((entry("/a.org"),), ())

    assert ["/a.org"] == paths(plan(scan, {"/a.org": Stored("h", "1", 0)}, {"/a.org": "h"}))
    assert [] == paths(plan(scan, {"/a.org": Stored("h", "1", 2)}, {"/a.org": "h"}))
    assert [] == paths(plan(scan, {"/a.org": Stored("h", "1", 0)}, {"/a.org": "older"}))


def test_org_roam_may_spell_a_path_without_links():
    scan = Scan((entry("/link/a.org", real="/real/a.org"),), ())

    todo = plan(scan, {"/link/a.org": Stored("h", "1", 0)}, {"/real/a.org": "h"})

    assert ["/link/a.org"] == paths(todo)


def test_a_file_org_roam_lost_is_kept():
    todo = plan(Scan((entry("/a.org"),), ()), {"/a.org": Stored("h", "1", 2)}, {})

    assert [] == paths(todo)
    assert () == todo.gone


def test_a_conflict_copy_counts_only_where_org_roam_names_it():
    scan = Scan((entry("/a.sync-conflict-1.org", doubtful="sync-conflict copy"),), ())

    assert [] == paths(plan(scan, {}, {}))
    assert ["/a.sync-conflict-1.org"] == paths(
        plan(scan, {}, {}, frozenset({"/a.sync-conflict-1.org"}))
    )
