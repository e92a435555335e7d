"""The real operations on a real vault: the same answer on all five faces.

What is right is what the operation answers when it is called without any face.
"""

import json

import msgspec
import pytest

from roam_semantic.app import build
from roam_semantic.operations.catalogue import CATALOGUE
from roam_semantic.settings import load
from tests.contract.conftest import FACES, TYPED, name
from tests.contract.faces import Failed, environment

PROGRAM = "roam_semantic"
NOTES = {
    "tea": "#+title: Brewing tea\n#+filetags: :drink:\n\nSteep the leaves in hot water.\n\n"
    "* Green leaves\n:PROPERTIES:\n:ID: green\n:END:\nCooler water, about eighty degrees.\n"
    '** TODO Try sencha :try:\nA grassy one, say "people" \\ who know 🍵.\n',
    "bread": ':PROPERTIES:\n:ROAM_ALIASES: Loaf "Daily bread"\n:ROAM_REFS: @baker2020 '
    "https://example.org/bread\n:END:\n#+title: Baking bread\n\nKnead flour, salt and yeast.\n"
    "Let the dough rise overnight, see [[id:tea][tea]].\n",
    "plov": "#+title: Плов\n\nРис, морковь и баранина в казане.\n",
    "sushi": "#+title: 寿司\n\n酢飯と新鮮な魚を握ります。\n",
    "desk": "#+title: Notes on tea\n\nBaking bread, brewing tea, 寿司 — and плов 🍵, loaf.\n",
    "long": "#+title: A long list\n\n" + "".join(f"- item number {n}\n" for n in range(400)),
}
ANSWERS = {
    "by meaning and by word": ("semantic-search", {"query": "hot water for leaves"}),
    "by a paraphrase": ("semantic-search", {"query": "how do I make a hot beverage"}),
    "by words alone": ("semantic-search", {"query": "dough overnight", "mode": "words"}),
    "by meaning alone": ("semantic-search", {"query": "breakfast", "mode": "vectors"}),
    "one hit": ("semantic-search", {"query": "water", "k": 1}),
    "the next hit": ("semantic-search", {"query": "water", "k": 1, "offset": 1}),
    "a small answer": ("semantic-search", {"query": "item number", "max_chars": 200}),
    "a filter": ("semantic-search", {"query": "water tag:drink"}),
    "a filter alone": ("semantic-search", {"query": "todo:TODO"}),
    "a phrase": ("semantic-search", {"query": '"salt and yeast"', "mode": "words"}),
    "Russian": ("semantic-search", {"query": "морковью", "mode": "words"}),
    "Japanese": ("semantic-search", {"query": "新鮮な魚", "mode": "words"}),
    "an emoji": ("semantic-search", {"query": "🍵"}),
    "signs alone": ("semantic-search", {"query": "\"'()*:^-+\\", "mode": "words"}),
    "nothing": ("semantic-search", {"query": "zzzzqqq", "mode": "words"}),
    "a title": ("search", {"query": "Baking bread"}),
    "an alias": ("search", {"query": "Daily bread"}),
    "a tag": ("search", {"query": "#drink"}),
    "a ref": ("search", {"query": "@baker2020"}),
    "half a title": ("search", {"query": "bre", "k": 1}),
    "a title in Russian": ("search", {"query": "плов"}),
    "no name": ("search", {"query": "zzzzqqq"}),
    "what is related": ("related", {"node": "tea"}),
    "what is related to a heading": ("related", {"node": "tea", "pos": 130, "k": 1}),
    "what is related to a list": ("related", {"node": "long", "k": 2}),
    "links to make": ("suggest-links", {"node": "notes on tea"}),
    "one link to make": ("suggest-links", {"node": "notes on tea", "k": 1}),
    "no link to make": ("suggest-links", {"node": "sushi"}),
    "a look at the files": ("refresh", {}),
    "the state as it is": ("watch", {"seconds": 0}),
    "no change": ("watch", {"seconds": 0.1, "seen": "another"}),
    "a node by id": ("get-node", {"node": "green"}),
    "a node by title": ("get-node", {"node": "Brewing tea"}),
    "a part of a node": ("get-node", {"node": "long", "max_chars": 100, "offset": 200}),
    "the index as it is": ("index", {}),
    "the counts": ("index-stats", {}),
    "the checks": ("doctor", {}),
    "the state": ("status", {}),
}
LONG = "x" * 100_000
REFUSALS = {
    "k 0": ("semantic-search", {"query": "x", "k": 0}, "k must be between 1 and 100"),
    "k 101": ("semantic-search", {"query": "x", "k": 101}, "k must be between 1 and 100"),
    "empty": ("semantic-search", {"query": ""}, "query must not be empty"),
    "blank": ("semantic-search", {"query": "   "}, "query must not be empty"),
    "100 kB": ("semantic-search", {"query": LONG}, "query must be at most 4096 bytes"),
    "no query": ("semantic-search", {}, "query is missing"),
    "unknown": ("semantic-search", {"query": "x", "limit": 3}, "has no argument"),
    "a mode": ("semantic-search", {"query": "x", "mode": "magic"}, "mode must be one of"),
    "a word for k": ("semantic-search", {"query": "x", "k": "ten"}, "k must be a whole number"),
    "offset": ("semantic-search", {"query": "x", "offset": -1}, "offset must be between 0"),
    "few characters": ("semantic-search", {"query": "x", "max_chars": 1}, "max_chars must be"),
    "search k 0": ("search", {"query": "x", "k": 0}, "k must be between 1 and 100"),
    "search empty": ("search", {"query": ""}, "query must not be empty"),
    "search 100 kB": ("search", {"query": LONG}, "query must be at most 4096 bytes"),
    "search unknown": ("search", {"query": "x", "limit": 3}, "has no argument"),
    "node empty": ("get-node", {"node": ""}, "node must not be empty"),
    "node 100 kB": ("get-node", {"node": LONG}, "node must be at most 4096 bytes"),
    "node offset": ("get-node", {"node": "tea", "offset": -1}, "offset must be at least 0"),
    "related to nothing": ("related", {"node": " "}, "node must not be empty"),
    "related pos 0": ("related", {"node": "tea", "pos": 0}, "pos must be at least 1"),
    "related k": ("related", {"node": "tea", "k": 101}, "k must be between 1 and 100"),
    "related unknown": ("related", {"node": "tea", "offset": 1}, "has no argument"),
    "links empty": ("suggest-links", {"node": ""}, "node must not be empty"),
    "links k": ("suggest-links", {"node": "tea", "k": 201}, "k must be between 1 and 200"),
    "links unknown": ("suggest-links", {"node": "tea", "pos": 3}, "has no argument"),
    "watch long": ("watch", {"seconds": 301}, "seconds must be between 0 and 300"),
    "watch back": ("watch", {"seconds": -1}, "seconds must be between 0 and 300"),
    "watch seen": ("watch", {"seen": "x" * 65}, "seen must be at most 64 characters"),
    "watch unknown": ("watch", {"path": "/"}, "has no argument"),
    "refresh unknown": ("refresh", {"force": "yes"}, "has no argument"),
    "index": ("index", {"force": "very"}, "force must be true or false"),
    "index unknown": ("index", {"path": "/"}, "has no argument"),
    "status unknown": ("status", {"path": "/"}, "has no argument"),
    "doctor unknown": ("doctor", {"deep": "yes"}, "has no argument"),
    "counts unknown": ("index-stats", {"k": 1}, "has no argument"),
}
TYPED_REFUSALS = {
    "query": ("semantic-search", {"query": 42}, "query must be text, got 42"),
    "search": ("search", {"query": ["x"]}, "query must be text, got a list"),
    "node": ("get-node", {"node": {"id": "x"}}, "node must be text, got"),
    "pos": ("related", {"node": "tea", "pos": "1"}, 'pos must be a whole number, got "1"'),
    "seconds": ("watch", {"seconds": "1"}, 'seconds must be a number, got "1"'),
    "k": ("semantic-search", {"query": "x", "k": True}, "k must be a whole number, got true"),
    "force": ("index", {"force": 1}, "force must be true or false, got 1"),
}
# What tells the time, or what this process has done so far.
PASSING = {"age_s", "seconds", "embedded", "from_cache"}


@pytest.fixture(scope="session")
def home(tmp_path_factory):
    """Return a home folder with an indexed vault."""
    folder = tmp_path_factory.mktemp("home")
    vault = folder / "org-roam"
    vault.mkdir()
    for note, text in NOTES.items():
        if text.startswith(":PROPERTIES:"):
            text = text.replace(":PROPERTIES:\n", f":PROPERTIES:\n:ID: {note}\n", 1)
        else:
            text = f":PROPERTIES:\n:ID: {note}\n:END:\n{text}"
        (vault / f"{note}.org").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def core(home):
    """Yield a core of our own on that vault, indexed."""
    told = {
        "vault": str(home / "org-roam"),
        "index": str(home / "index.db"),
        "cache_home": str(home / ".cache"),
        "state_home": str(home / ".local" / "state"),
    }
    made = build(load(told, {}))
    CATALOGUE["index"].call(made, {})
    yield made
    made.close()


@pytest.fixture(scope="session")
def programs(core, home):
    """Yield a function from a kind of face to the running one that serves the vault."""
    running = {}
    env = environment(home, ROAM_DIR=str(home / "org-roam"), ROAM_INDEX=str(home / "index.db"))

    def face(kind):
        if kind not in running:
            running[kind] = kind(PROGRAM, env)
        return running[kind]

    yield face
    for each in running.values():
        each.stop()


@pytest.fixture(params=FACES, ids=name)
def program(request, programs):
    """Return each face in turn."""
    return programs(request.param)


@pytest.fixture(params=TYPED, ids=name)
def typed_program(request, programs):
    """Return each face whose arguments keep their types."""
    return programs(request.param)


def steady(answer):
    """Return ANSWER without what passes."""
    if isinstance(answer, dict):
        return {key: steady(part) for key, part in answer.items() if key not in PASSING}
    if isinstance(answer, list):
        return [steady(part) for part in answer]
    return answer


def expected(core, operation, arguments):
    answer = CATALOGUE[operation].call(core, arguments)
    return steady(json.loads(msgspec.json.encode(answer)))


@pytest.mark.parametrize("row", ANSWERS)
def test_every_face_gives_the_operations_own_answer(core, program, row):
    operation, arguments = ANSWERS[row]
    right = expected(core, operation, arguments)

    assert program.view(right) == steady(program.call(operation, **arguments))


@pytest.mark.parametrize("row", REFUSALS)
def test_every_face_refuses_what_cannot_be_meant(program, row):
    operation, arguments, message = REFUSALS[row]

    with pytest.raises(Failed, match="bad-request") as failure:
        program.call(operation, **arguments)

    assert message in failure.value.message


@pytest.mark.parametrize("row", TYPED_REFUSALS)
def test_every_face_refuses_another_type(typed_program, row):
    operation, arguments, message = TYPED_REFUSALS[row]

    with pytest.raises(Failed, match="bad-request") as failure:
        typed_program.call(operation, **arguments)

    assert message in failure.value.message


def test_a_node_that_is_not_there_is_not_found(program):
    with pytest.raises(Failed, match="not-found") as failure:
        program.call("get-node", node="no such note")

    assert "no such note" in failure.value.message
    assert failure.value.hint


def test_pages_of_a_search_make_the_whole(program):
    whole = [hit["node_id"] for hit in program.call("semantic-search", query="water")["hits"]]
    pages, offset = [], 0
    while offset is not None:
        page = program.call("semantic-search", query="water", k=2, offset=offset)
        pages += [hit["node_id"] for hit in page["hits"] or []]
        offset = page["next_offset"]

    assert whole == pages[: len(whole)]
    assert len(pages) == len(set(pages))


def test_pages_of_a_node_make_its_text(program):
    whole = program.call("get-node", node="long")["text"]
    pages, offset = "", 0
    while offset is not None:
        page = program.call("get-node", node="long", max_chars=3000, offset=offset)
        pages += page["text"]
        offset = page["next_offset"]

    assert whole == pages


@pytest.mark.parametrize("kind", FACES, ids=name)
def test_without_a_vault_each_call_says_which_setting_is_missing(kind, tmp_path):
    face = kind(PROGRAM, environment(tmp_path))
    try:
        with pytest.raises(Failed, match="not-ready") as failure:
            face.call("semantic-search", query="tea")
        assert "no vault is set" == failure.value.message
        assert "ROAM_DIR" in failure.value.hint
        with pytest.raises(Failed, match="bad-request"):
            face.call("semantic-search", query="")
    finally:
        face.stop()
