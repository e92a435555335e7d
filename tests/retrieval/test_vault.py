"""The sample vault and its known answers are what they claim to be.

Everything here reads the notes with a few regular expressions of its own, so
that a fault of the package's reader cannot hide a fault of the vault.
"""

import datetime
import functools
import json
import re
import unicodedata
import uuid
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
import snowballstemmer

HERE = Path(__file__).parent
VAULT = HERE.parent / "vault"

# Links that lead nowhere, as every old vault has some: the reading queue that
# "Start here" mourns, and the plan that a daily note says was thrown out.
DANGLING = {
    "0d8f4b52-6c1e-4d0a-9a57-3be1f2c7d904",
    "7f3c9e18-2b4d-4c65-8e0a-91d5b6a7c3f2",
}

LEAST_OF_A_KIND = {
    "keyword": 10,
    "question": 12,
    "paraphrase": 14,
    "typo": 8,
    "heading": 8,
    "alias": 4,
    "cross-language": 4,
    "exact-title": 4,
}

# Combining marks that org-roam drops from a slug: й becomes и, é becomes e.
DROPPED_MARKS = frozenset(
    "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u031b"
    "\u0323\u0324\u0325\u0327\u032d\u032e\u0330\u0331"
)


class Node(NamedTuple):
    id: str
    file: Path
    level: int
    title: str
    excluded: bool


class KnownAnswer(NamedTuple):
    n: int
    kind: str
    query: str
    relevant: list[str]
    also_ok: list[str]
    note: str


@functools.cache
def notes() -> dict[Path, str]:
    return {path: path.read_text("utf-8") for path in sorted(VAULT.rglob("*.org"))}


@functools.cache
def nodes() -> tuple[Node, ...]:
    return tuple(node for path, text in notes().items() for node in nodes_of(path, text))


def nodes_of(path: Path, text: str) -> list[Node]:
    title = keyword_line(text, "title")
    found: list[Node] = []
    level = 0
    for part in re.split(r"(?m)^(?=\*+ )", text):
        heading = re.match(r"(\*+) (?:(?:TODO|DONE|WAITING) )?(?:\[#\w\] )?(.*)", part)
        if heading:
            level, title = len(heading[1]), re.sub(r"\s+:[\w:]+:$", "", heading[2])
        drawer = re.search(r"(?ms)^:PROPERTIES:\n(.*?)^:END:", part)
        if drawer and (id_line := re.search(r"(?m)^:ID: +(\S+)$", drawer[1])):
            found.append(Node(id_line[1], path, level, title, ":ROAM_EXCLUDE:" in drawer[1]))
    return found


def keyword_line(text: str, key: str) -> str:
    found = re.search(rf"(?m)^#\+{key}: +(.+)$", text)
    assert found, f"no #+{key} in {text[:200]!r}"
    return found[1]


@functools.cache
def answers() -> tuple[KnownAnswer, ...]:
    lines = (HERE / "queries.jsonl").read_text("utf-8").splitlines()
    return tuple(KnownAnswer(**json.loads(line)) for line in lines)


def of_kind(kind: str) -> list[KnownAnswer]:
    return [answer for answer in answers() if answer.kind == kind]


def node_called(node_id: str) -> Node:
    return next(node for node in nodes() if node.id == node_id)


def words(text: str) -> list[str]:
    folded = unicodedata.normalize("NFKC", text).replace("’", "'").lower()
    return re.findall(r"[^\W_]+", folded.replace("'s", ""))


# Words that carry grammar and no topic; everything else counts as content.
STOP_WORDS = frozenset(
    words(
        """a about after all am an and any are as at be because been before being but by can cannot
    could did do does doing each for from had has have he her here him his how i if in into is it
    its just me more most must my never no not of off on once one only or other our out over own
    s she should so some such t than that the their them themselves then there these they this
    those through to too under until up was we were what when where which while who whom why will
    with without would you your"""
    )
)


@functools.cache
def stem(word: str) -> str:
    return snowballstemmer.stemmer("english").stemWord(word)


@functools.cache
def stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words(text) if word not in STOP_WORDS)


def shared(query: str, text: str) -> set[str]:
    """Return content stems of QUERY that TEXT has, or begins or continues: sail, sailor."""
    return {
        mine
        for mine in stems(query)
        for theirs in stems(text)
        if mine == theirs
        or (
            min(len(mine), len(theirs)) >= 4
            and (mine.startswith(theirs) or theirs.startswith(mine))
        )
    }


def slug(title: str) -> str:
    decomposed = unicodedata.normalize("NFD", title)
    kept = "".join(mark for mark in decomposed if mark not in DROPPED_MARKS)
    composed = unicodedata.normalize("NFC", kept)
    plain = "".join(character if character.isalnum() else "_" for character in composed)
    return re.sub("^_|_$", "", re.sub("_+", "_", plain)).lower()


# The vault


def test_the_vault_holds_notes_and_nothing_else():
    strangers = [path for path in VAULT.rglob("*") if path.is_file() and path.suffix != ".org"]

    assert [] == strangers


def test_the_vault_is_as_large_as_promised():
    assert len(notes()) >= 70
    assert len({node.file for node in nodes() if node.level > 0}) >= 15
    assert len(list((VAULT / "daily").glob("*.org"))) >= 6


def test_every_note_is_a_file_node_with_title_and_id():
    file_nodes = [node.file for node in nodes() if node.level == 0]

    assert sorted(notes()) == sorted(file_nodes)


def test_every_id_is_a_uuid_and_stands_once():
    ids = [node.id for node in nodes()]

    assert len(ids) == len({node_id.lower() for node_id in ids})
    assert all(uuid.UUID(node_id).version == 4 for node_id in ids)


@pytest.mark.parametrize("path", notes(), ids=lambda path: path.stem)
def test_a_file_is_named_as_org_roam_names_it(path: Path):
    title = keyword_line(notes()[path], "title")

    if path.parent.name == "daily":
        assert path.stem == title == str(datetime.date.fromisoformat(title))
    else:
        assert re.fullmatch(r"\d{14}", path.stem[:14])
        assert datetime.datetime.strptime(path.stem[:14], "%Y%m%d%H%M%S")
        assert slug(title) == path.stem[15:]


def test_every_id_link_leads_somewhere_but_the_two_we_know():
    targets = {target for text in notes().values() for target in id_links(text)}
    known = {node.id for node in nodes() if not node.excluded}

    assert targets - known == DANGLING


def id_links(text: str) -> list[str]:
    return re.findall(r"\[\[id:([^]]+)]", text)


def test_notes_are_linked_densely():
    links = sum(len(set(id_links(text))) for text in notes().values())

    assert links >= 2 * len(notes())


def test_one_note_asks_org_roam_to_look_away():
    assert ["Letter I did not send"] == [node.title for node in nodes() if node.excluded]


def test_eight_or_more_notes_share_a_template():
    boilerplate = "** Review questions\n- What would change my mind about this?\n"

    assert sum(boilerplate in text for text in notes().values()) >= 8


def test_every_weekday_is_the_right_one():
    stamps = re.findall(r"[<[](\d{4}-\d\d-\d\d) (\w{3})\b", "\n".join(notes().values()))
    wrong = [s for s in stamps if datetime.date.fromisoformat(s[0]).strftime("%a") != s[1]]

    assert stamps
    assert [] == wrong


def test_one_note_is_a_lecture_with_times():
    lecture = next(text for text in notes().values() if ":lecture:" in text)

    assert len(lecture.split()) >= 2500
    assert len(re.findall(r"(?m)^\*+ ", lecture)) >= 8
    assert len(re.findall(r"\[\d:\d\d]", lecture)) >= 10


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?m)^\*+ TODO ",
        r"(?m)^\*+ DONE ",
        r"(?m)^SCHEDULED: <",
        r"(?m)^(CLOSED: \[[^]]+] )?DEADLINE: <",
        r"(?m)^:LOGBOOK:\n(.*\n)*?:END:",
        r"(?m)^CLOCK: ",
        r"(?m)^\|[-+]+\|$",
        r"(?m)^#\+begin_src \w+",
        r"(?m)^#\+begin_quote$",
        r"(?m)^#\+begin_embed :type claim\n.+(\n.+)*\n#\+end_embed$",
        r"(?m)^:ROAM_ALIASES: ",
        r"(?m)^:ROAM_REFS: .*https://",
        r"(?m)^:ROAM_REFS: .*@\w",
        r"\[cite:@\w+]",
        r"(?m)^- \[[ X]] ",
        r"(?m)^\d\. ",
    ],
)
def test_the_vault_shows_each_thing_org_can_hold(pattern: str):
    assert any(re.search(pattern, text) for text in notes().values())


@pytest.mark.parametrize(
    ("script", "name"),
    [("[а-яё]", "огурцы"), ("[ぁ-ゖァ-ヺ]", "使い分け")],
    ids=["Russian", "Japanese"],
)
def test_a_note_is_written_in_another_script(script: str, name: str):
    (text,) = (text for path, text in notes().items() if name in path.stem)
    letters = re.findall(r"[^\W\d_]", text.split("#+filetags", 1)[1])
    foreign = [letter for letter in letters if re.match(script + "|[一-鿿]", letter.lower())]

    assert len(foreign) >= 300
    assert len(foreign) > 0.75 * len(letters)


def test_a_note_is_written_in_german():
    (text,) = (text for path, text in notes().items() if "roggenbrot" in path.stem)
    found = Counter(words(text))

    assert sum(found[word] for word in ("der", "die", "nicht", "mit", "und", "ist", "auf")) >= 10


# The known answers


def test_queries_are_numbered_and_complete():
    assert list(range(1, len(answers()) + 1)) == [answer.n for answer in answers()]
    assert len(answers()) >= 60
    assert len(answers()) == len({answer.query for answer in answers()})


def test_every_kind_of_query_is_asked_often_enough():
    asked = Counter(answer.kind for answer in answers())

    assert asked.keys() == LEAST_OF_A_KIND.keys()
    assert [] == [kind for kind, least in LEAST_OF_A_KIND.items() if asked[kind] < least]


@pytest.mark.parametrize("answer", answers(), ids=lambda answer: f"{answer.n}-{answer.kind}")
def test_an_answer_exists_and_is_not_also_merely_acceptable(answer: KnownAnswer):
    known = {node.id for node in nodes() if not node.excluded}

    assert answer.relevant
    assert {*answer.relevant, *answer.also_ok} <= known
    assert not {*answer.relevant} & {*answer.also_ok}


@pytest.mark.parametrize("answer", of_kind("paraphrase"), ids=lambda answer: answer.query)
def test_meaning_shares_no_word_with_the_note_that_answers(answer: KnownAnswer):
    texts = [notes()[node_called(node_id).file] for node_id in answer.relevant]

    assert [set()] * len(texts) == [shared(answer.query, text) for text in texts]


def misled() -> list[KnownAnswer]:
    return [answer for answer in of_kind("paraphrase") if answer.note.startswith("decoy")]


def test_many_paraphrases_have_a_decoy():
    assert len(misled()) >= 14


@pytest.mark.parametrize("answer", misled(), ids=lambda answer: answer.query)
def test_a_decoy_has_half_of_the_words_and_not_the_answer(answer: KnownAnswer):
    asked = stems(answer.query)
    right = {node_called(node_id).file for node_id in (*answer.relevant, *answer.also_ok)}
    overlap = [len(asked & stems(text)) for path, text in notes().items() if path not in right]

    assert max(overlap) >= len(asked) / 2


@pytest.mark.parametrize("answer", of_kind("cross-language"), ids=lambda answer: answer.query)
def test_query_and_note_are_in_different_languages(answer: KnownAnswer):
    (node_id,) = answer.relevant
    of_note = language(node_called(node_id).title, notes()[node_called(node_id).file])

    assert language(answer.query, answer.query) != of_note


def language(title: str, text: str) -> str:
    """Return the language TITLE's script tells, else English or German by TEXT's small words."""
    scripts = {"Japanese": "[ぁ-ゖァ-ヺ]", "Russian": "[а-яё]"}
    for name, script in scripts.items():
        if re.search(script, title.lower()):
            return name
    german = {"der", "die", "ist", "ein", "und", "mit", "nicht", "wann", "auf"}
    found = words(text)
    return (
        "German" if len([word for word in found if word in german]) > len(found) / 20 else "English"
    )


@pytest.mark.parametrize("answer", of_kind("keyword"), ids=lambda answer: answer.query)
def test_a_keyword_stands_in_the_note_letter_by_letter(answer: KnownAnswer):
    (node_id,) = answer.relevant
    text = notes()[node_called(node_id).file].lower()

    assert [] == [term for term in answer.query.lower().split() if term not in text]


@pytest.mark.parametrize("answer", of_kind("typo"), ids=lambda answer: answer.query)
def test_a_typo_is_no_word_of_the_vault(answer: KnownAnswer):
    everything = {word for text in notes().values() for word in words(text)}

    assert {*words(answer.query)} - everything


@pytest.mark.parametrize("answer", of_kind("heading"), ids=lambda answer: answer.query)
def test_a_heading_query_is_answered_by_a_heading_and_not_by_its_file(answer: KnownAnswer):
    (heading,) = (node_called(node_id) for node_id in answer.relevant)
    of_file = next(node.id for node in nodes() if node.file == heading.file and node.level == 0)

    assert heading.level > 0
    assert of_file in answer.also_ok


@pytest.mark.parametrize("answer", of_kind("alias"), ids=lambda answer: answer.query)
def test_an_alias_stands_nowhere_but_among_the_aliases(answer: KnownAnswer):
    (node_id,) = answer.relevant
    holders = [path for path, text in notes().items() if answer.query.lower() in text.lower()]
    line = re.search(r"(?m)^:ROAM_ALIASES: +(.+)$", notes()[node_called(node_id).file])

    assert [node_called(node_id).file] == holders
    assert line
    assert answer.query in {a or b for a, b in re.findall(r'"([^"]+)"|(\S+)', line[1])}


@pytest.mark.parametrize("answer", of_kind("exact-title"), ids=lambda answer: answer.query)
def test_an_exact_title_belongs_to_one_node(answer: KnownAnswer):
    titled = [node.id for node in nodes() if node.title == answer.query]

    assert titled == answer.relevant
