"""How often the known answer is found, by kind of query and by leg.

    python -m benchmarks.retrieval
        the sample vault and its queries
    python -m benchmarks.retrieval --queries FILE --corpus NAME --vault FOLDER
        another vault; only the queries of corpus NAME count
    … --markdown FOLDER
        Markdown pages instead of a vault; a page's id is its path

A line of FILE is {"query", "kind", "relevant": [id …], "also_ok": [id …]}.
An answer in `also_ok` is neither hit nor fault and is taken out first.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence

import msgspec

from benchmarks.markdown import convert
from benchmarks.table import aligned
from roam_semantic.app import CATALOGUE, build
from roam_semantic.operations.answers import IndexAnswer, SearchAnswer
from roam_semantic.operations.core import Core
from roam_semantic.operations.request import Request
from roam_semantic.settings import load

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CUTS = (1, 5, 10)
DEPTH = 30
LEGS = {"words": "words", "vectors": "vectors", "fused": "auto"}


class Known(msgspec.Struct, frozen=True):
    """A query whose right notes are known."""

    query: str
    kind: str
    relevant: tuple[str, ...]
    also_ok: tuple[str, ...] = ()
    corpus: str = ""


def main(words: Sequence[str]) -> int:
    """Index the vault afresh, ask everything, print the table."""
    told = _arguments(words)
    queries = [q for q in read(told.queries) if not told.corpus or q.corpus == told.corpus]
    if not queries:
        print(f"{told.queries} has no query of the corpus {told.corpus!r}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="known-answers-") as folder:
        core = indexed(folder, told.vault, told.markdown)
        places = {
            leg: [places_of(core, query, mode) for query in queries] for leg, mode in LEGS.items()
        }
    print(table(queries, places))
    if told.verbose:
        for number, query in enumerate(queries):
            shown = ", ".join(f"{leg} {places[leg][number]}" for leg in LEGS)
            print(f"{query.kind:<14} {query.query[:70]:<70} {shown}")
    return 0


def _arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.retrieval", description=__doc__)
    parser.add_argument("--queries", default=os.path.join(ROOT, "tests/retrieval/queries.jsonl"))
    parser.add_argument("--vault", default=os.path.join(ROOT, "tests/vault"))
    parser.add_argument("--markdown", help="folder of Markdown pages instead of a vault")
    parser.add_argument("--corpus", help="only queries of this corpus")
    parser.add_argument("--verbose", action="store_true", help="the place of each answer too")
    return parser.parse_args(words)


def read(path: str) -> list[Known]:
    """Return the queries of the file PATH."""
    with open(path, "rb") as file:
        return [msgspec.json.decode(line, type=Known) for line in file if line.strip()]


def indexed(folder: str, vault: str, markdown: str | None) -> Core:
    """Return a core over VAULT (or MARKDOWN as one) with a new index in FOLDER."""
    if markdown is not None:
        vault = os.path.join(folder, "vault")
        convert(os.path.normpath(markdown), vault)
    core = build(
        load(
            {
                "vault": vault,
                "database": os.path.join(folder, "org-roam.db"),
                "index": os.path.join(folder, "index.db"),
            }
        )
    )
    done: IndexAnswer = CATALOGUE["index"].call(core, {}, Request())
    print(f"{done.files} files, {done.nodes} nodes, {done.units} units in {done.seconds:.0f} s")
    return core


def places_of(core: Core, known: Known, mode: str) -> list[int]:
    """Return the place of each right note, 1 = best, DEPTH + 1 when it is not found."""
    arguments = {"query": known.query, "k": DEPTH, "mode": mode, "max_chars": 200_000}
    answer: SearchAnswer = CATALOGUE["semantic_search"].call(core, arguments, Request())
    wanted = {_same(node_id) for node_id in known.relevant}
    ignored = {_same(node_id) for node_id in known.also_ok} - wanted
    ids = [_same(hit.node_id or "") for hit in answer.hits]
    ranked = [node_id for node_id in ids if node_id not in ignored]
    return [ranked.index(each) + 1 if each in ranked else DEPTH + 1 for each in sorted(wanted)]


def _same(node_id: str) -> str:
    return node_id.casefold()


def recall(places: Sequence[Sequence[int]], cut: int) -> float:
    """Return the share of right notes within the first CUT places, over all queries."""
    shares = [sum(place <= cut for place in each) / len(each) for each in places]
    return sum(shares) / len(shares)


def table(queries: Sequence[Known], places: dict[str, list[list[int]]]) -> str:
    """Return recall at 1, 5 and 10 by kind and leg as an org table."""
    kinds = list(dict.fromkeys(query.kind for query in queries))
    legs = [f"{leg} @{cut}" for leg in places for cut in CUTS]
    lines = ["| kind | queries | " + " | ".join(legs) + " |", "|-"]
    for kind in [*kinds, "all"]:
        chosen = [i for i, query in enumerate(queries) if kind in (query.kind, "all")]
        cells = [
            f"{recall([places[leg][i] for i in chosen], cut):.2f}" for leg in places for cut in CUTS
        ]
        if kind == "all":
            lines.append("|-")
        lines.append(f"| {kind} | {len(chosen)} | " + " | ".join(cells) + " |")
    return aligned(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
