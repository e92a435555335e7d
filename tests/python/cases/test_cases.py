"""Every shared case within our reach: its input indexed, its checks held.

Each case runs twice where org-roam's own rows are given: beside them, and
without any database.  EXPECT.md of a case says why; `case.json` is what a
program can ask.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from roam_semantic.errors import BadRequest
from tests.support import CASES, Workspace, load_database, materialise, needs_shared

AREAS = {
    "org-roam DB",
    "org",
    "files",
    "vectors",
    "embeddings",
    "search",
    "org + md",
    "org + md + code",
}
# Cases whose steps are a test of their own, or that later operations reach.
ELSEWHERE = {"20", "21", "21b", "22", "22b", "23", "26", "27", "27b", "51", "52", "57", "57b", "58"}
# Thousands of units: their words are indexed, their vectors would take minutes.
WORDS_ONLY = {"19", "19b", "24"}


def cases():
    if not CASES.is_dir():
        return []
    found = []
    for path in sorted(CASES.glob("*/case.json")):
        case = json.loads(path.read_text(encoding="utf-8"))
        if case["area"] in AREAS and case["id"] not in ELSEWHERE:
            found.append(pytest.param(path.parent.name, id=path.parent.name))
    return found


def digests(folder: Path) -> dict[str, str]:
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    }


class Case:
    def __init__(self, name: str, folder: Path, with_rows: bool) -> None:
        self.spec = json.loads((CASES / name / "case.json").read_text(encoding="utf-8"))
        self.checks = self.spec["checks"]
        laid = materialise(name, folder)
        self.before = digests(laid)
        self.laid = laid
        vault = laid / self.spec.get("vault", self.checks.get("vault", "."))
        database = None
        if with_rows:
            database = load_database(name, laid, folder / "org-roam.db")
        self.work = Workspace(folder, Path(os.path.normpath(vault)), database)
        if self.spec["id"] in WORDS_ONLY:
            self.work.core.indexer.refresh(600.0)
        else:
            self.work.call("index")

    def rows(self, sql: str, *values):
        return self.work.core.reader().rows(sql, values)


@pytest.fixture
def case(request, tmp_path):
    name, with_rows = request.param
    made = Case(name, tmp_path, with_rows)
    yield made
    made.work.close()


def pytest_generate_tests(metafunc):
    if "case" not in metafunc.fixturenames:
        return
    wanted = []
    for param in cases():
        (name,) = param.values
        wanted.append(pytest.param((name, False), id=f"{name}-files"))
        if (CASES / name / "orgroam-db.json").exists():
            wanted.append(pytest.param((name, True), id=f"{name}-beside-org-roam"))
    metafunc.parametrize("case", wanted, indirect=True)


@needs_shared
def test_the_case_holds(case):
    checks = case.checks
    for name in sorted(checks):
        check = CHECKS.get(name)
        if check is not None:
            check(case, checks[name])
    assert case.before == digests(case.laid)


def nodes(case, wanted):
    assert set(wanted) <= case.work.nodes()


def not_nodes(case, unwanted):
    assert not set(unwanted) & case.work.nodes()


def titles(case, wanted):
    for node, title in wanted.items():
        assert title == case.work.call("get-node", node=node).title


def aliases(case, wanted):
    for node, expected in wanted.items():
        assert sorted(expected) == sorted(case.work.call("get-node", node=node).aliases)


def tags(case, wanted):
    for node, expected in wanted.items():
        assert set(expected) == set(case.work.call("get-node", node=node).tags)


def priority(case, wanted):
    for node, expected in wanted.items():
        assert expected == case.work.call("get-node", node=node).priority


def title_lookup_exact(case, wanted):
    for title, node in wanted.items():
        assert node == case.work.call("get-node", node=title).node_id
        assert node == case.work.call("search", query=title).hits[0].node_id


def backlinks(case, wanted):
    for node, expected in wanted.items():
        sources = case.rows(
            "SELECT DISTINCT source FROM embed_links"
            " WHERE type = 'id' AND dest = ? AND source != dest",
            node,
        )
        assert set(expected) == {source for (source,) in sources}, node


def dangling(case, wanted):
    missing = case.rows(
        "SELECT DISTINCT dest FROM embed_links WHERE type = 'id' AND source IS NOT NULL"
        " AND dest NOT IN (SELECT id FROM embed_nodes WHERE id IS NOT NULL)"
    )
    assert set(wanted) == {dest for (dest,) in missing}


def search(case, queries):
    for query in queries:
        mode = "words" if query.get("mode") == "keyword" else "auto"
        hits = case.work.found(query["q"], k=8, mode=mode)
        known = case.work.nodes()
        for node in query.get("must", []):
            # Symbols and Markdown pages come with later operations.
            if node in known:
                assert node in hits, (query["q"], hits)
        for node in query.get("must_first", []):
            if node in known:
                assert node == hits[0], (query["q"], hits)
        assert not set(query.get("must_not", [])) & set(hits), (query["q"], hits)
        for node in query.get("must_not_first", []):
            assert node != (hits or [None])[0], (query["q"], hits)


def no_error_queries(case, queries):
    for query in queries:
        for mode in ("auto", "words"):
            case.work.call("semantic-search", query=query, mode=mode)
        case.work.call("search", query=query)


def never_in_index(case, words):
    stored = "\n".join(
        str(row)
        for table in ("files", "nodes", "aliases", "tags", "refs", "links", "units", "terms")
        for row in case.rows(f"SELECT * FROM embed_{table}")
    )
    for word in words:
        assert word.casefold() not in stored.casefold(), word


def text_not_in_node(case, wanted):
    for node, words in wanted.items():
        text = case.work.call("get-node", node=node).text
        units = case.rows(
            "SELECT text FROM embed_units u JOIN embed_nodes n ON n.key = u.node WHERE n.id = ?",
            node,
        )
        for word in words:
            assert word not in text
            assert all(word not in unit for (unit,) in units)


def one_node_for(case, node):
    owners = case.rows("SELECT count(*) FROM embed_nodes WHERE id = ? AND owner", node)
    assert [(1,)] == owners


def report(case, words):
    """What status must name; a file that is served need not be named without rows."""
    if case.work.core.database is None:
        words = [word for word in words if not word.endswith(".org") or not case.work.nodes()]
    told = str(case.work.call("status")) + str(case.work.call("doctor"))
    for word in words:
        assert word in told, word


def failed_units(case, count):
    assert count == case.work.call("index-stats").index.failed


def pending_units(case, count):
    assert count == case.work.call("index-stats").index.pending


def never_title(case, words):
    for word in words:
        assert [] == case.rows("SELECT title FROM embed_nodes WHERE title = ?", word)
        assert [] == case.rows("SELECT path FROM embed_units WHERE path LIKE ?", f"%{word}")


def titles_if_parsed(case, wanted):
    titles(case, wanted)


def limits(case, values):
    for value in values:
        if isinstance(value, int) and 1 <= value <= 100:
            assert value >= len(case.work.call("semantic-search", query="lantern", k=value).hits)
        else:
            with pytest.raises(BadRequest, match="k"):
                case.work.call("semantic-search", query="lantern", k=value)


def stable_on_reindex(case, _):
    question = (
        "SELECT n.id, f.path FROM embed_nodes n JOIN embed_files f ON f.key = n.file WHERE n.owner"
    )
    before = sorted(case.rows(question), key=str), case.work.call("index-stats").units
    case.work.call("index", force=True)
    assert before == (sorted(case.rows(question), key=str), case.work.call("index-stats").units)


def no_duplicates(case, _):
    real = [path for (path,) in case.rows("SELECT real_path FROM embed_files")]
    assert len(real) == len(set(real))


CHECKS = {
    check.__name__: check
    for check in (
        nodes, not_nodes, titles, aliases, tags, priority, title_lookup_exact, backlinks,
        dangling, search, no_error_queries, never_in_index, text_not_in_node, one_node_for,
        report, failed_units, pending_units, never_title, titles_if_parsed, limits,
        stable_on_reindex, no_duplicates,
    )
}  # fmt: skip
