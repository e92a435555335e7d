"""The demo shows what it says it shows."""

import importlib.util
from pathlib import Path

from tests.support import Workspace

ROOT = Path(__file__).parents[3]


def demo():
    spec = importlib.util.spec_from_file_location("demo", ROOT / "scripts" / "demo.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_meaning_answers_the_demos_questions_and_words_alone_do_not(tmp_path):
    space = Workspace(tmp_path, ROOT / "tests" / "vault")
    space.call("index")
    asked = demo().QUESTIONS

    def titles(question, **how):
        return [hit.title for hit in space.call("semantic_search", query=question, **how).hits]

    assert [q.title for q in asked] == [titles(q.query, k=1)[0] for q in asked]
    assert [] == [q for q in asked if q.title in titles(q.query, k=3, mode="words")]
