"""One table, five faces: answers, refusals, failures, cancelling, all at once.

The operations are small ones of the tests, which fail, wait and echo on demand.
"""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.contract.faces import Failed
from tests.contract.toy import KINDS

ECHO = {
    "k": 10,
    "loud": False,
    "mode": "auto",
    "words": [],
    "within_s": None,
    "nothing": None,
}
ANSWERS = {
    "defaults": {"query": "tea"},
    "every kind of argument": {
        "query": "tea",
        "k": 3,
        "loud": True,
        "mode": "words",
        "words": ["green", "black"],
        "within_s": 1.5,
    },
    "least": {"query": "t", "k": 1},
    "most": {"query": "t", "k": 100},
    "quotes and backslashes": {"query": 'say "hi" \\ \\n \\" (a . b) [c] \'d `e ;f #g ?h'},
    "many scripts": {"query": "чай 日本語 ελ ع ё e\u0301"},
    "emoji": {"query": "🧑‍🚀 🏴󠁧󠁢󠁳󠁣󠁴󠁿 🙂"},
    "lines": {"query": "one\ntwo\tthree"},
    "something like an option": {"query": "--k"},
    "something like a filter": {"query": "-tag:work"},
    "something like nil": {"query": "nil"},
    "the longest": {"query": "x" * 4096},
}
# name → (arguments, words of the message)
REFUSALS = {
    "k too small": ({"query": "x", "k": 0}, "k must be between 1 and 100, got 0"),
    "k negative": ({"query": "x", "k": -1}, "k must be between 1 and 100, got -1"),
    "k too large": ({"query": "x", "k": 101}, "k must be between 1 and 100, got 101"),
    "k huge": ({"query": "x", "k": 10**30}, "k must be between 1 and 100, got a huge number"),
    "k a word": ({"query": "x", "k": "ten"}, 'k must be a whole number, got "ten"'),
    "k broken": ({"query": "x", "k": 2.5}, "k must be a whole number, got"),
    "no query": ({}, "query is missing"),
    "empty query": ({"query": ""}, "query must not be empty"),
    "blank query": ({"query": " \n\t "}, "query must not be empty"),
    "long query": ({"query": "ы" * 2049}, "query must be at most 4096 bytes, got 4098"),
    "100 kB query": ({"query": "x" * 100_000}, "query must be at most 4096 bytes, got 100000"),
    "unknown argument": ({"query": "x", "lmit": 3}, "echo has no argument"),
    "unknown word": ({"query": "x", "mode": "fast"}, "mode must be one of auto, words"),
    "not a number": ({"query": "x", "within_s": "soon"}, "within_s must be a number"),
    "too few seconds": ({"query": "x", "within_s": -1}, "within_s must be at least 0"),
    "not true or false": ({"query": "x", "loud": "very"}, "loud must be true or false"),
}
# What a command line cannot say: there every value is a text.
TYPED_REFUSALS = {
    "a number for a text": ({"query": 42}, "query must be text, got 42"),
    "a list for a text": ({"query": ["x"]}, "query must be text, got a list"),
    "an object for a text": ({"query": {"x": 1}}, "query must be text, got"),
    "true for a number": ({"query": "x", "k": True}, "k must be a whole number, got true"),
    "a text for a number": ({"query": "x", "k": "10"}, 'k must be a whole number, got "10"'),
    "a number for true": ({"query": "x", "loud": 1}, "loud must be true or false, got 1"),
    "a text for a list": ({"query": "x", "words": "a"}, "words must be a list of text"),
    "a number in a list": ({"query": "x", "words": ["a", 1]}, "words must be a list of text"),
}


@pytest.mark.parametrize("row", ANSWERS)
def test_an_answer_holds_what_was_given(toy, row):
    given = ANSWERS[row]
    counts = {given["query"]: given.get("k", 10)}

    answer = toy.call("echo", **given)

    # As a keyword of Lisp the query has other rules; the library's reader has its own.
    if toy.name == "epc":
        answer["counts"] = toy.view(counts)
    assert toy.view({**ECHO, **given, "counts": counts}) == answer


@pytest.mark.parametrize("row", REFUSALS)
def test_what_cannot_be_meant_is_refused_by_name(toy, row):
    given, message = REFUSALS[row]

    with pytest.raises(Failed, match="bad-request") as failure:
        toy.call("echo", **given)

    assert message in failure.value.message


@pytest.mark.parametrize("row", TYPED_REFUSALS)
def test_a_value_of_another_type_is_refused_by_name(typed_toy, row):
    given, message = TYPED_REFUSALS[row]

    with pytest.raises(Failed, match="bad-request") as failure:
        typed_toy.call("echo", **given)

    assert message in failure.value.message


def test_null_is_no_text_and_no_number(strict_toy):
    with pytest.raises(Failed, match="query must be text, got nothing"):
        strict_toy.call("echo", query=None)
    with pytest.raises(Failed, match="k must be a whole number, got nothing"):
        strict_toy.call("echo", query="x", k=None)


def test_nil_says_false_empty_or_not_given(lisp_toy):
    nothing = dict.fromkeys(("k", "loud", "words", "within_s", "mode"))

    answer = lisp_toy.call("echo", query="x", **nothing)

    assert (10, "auto") == (answer["k"], answer["mode"])
    with pytest.raises(Failed, match="query is missing"):
        lisp_toy.call("echo", query=None)


def test_the_hint_of_an_unknown_argument_lists_the_known_ones(toy):
    with pytest.raises(Failed) as failure:
        toy.call("echo", query="x", lmit=3)

    assert "echo takes query [k] [loud] [mode] [words] [within_s]" == failure.value.hint


def test_the_two_spellings_of_a_name_are_one(toy):
    spelled = {"within-s": 2.0}

    assert 2.0 == toy.call("echo", query="x", **spelled)["within_s"]
    assert 2.0 == toy.call("echo", query="x", within_s=2.0)["within_s"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_failure_keeps_its_kind_its_message_and_its_hint(toy, kind):
    with pytest.raises(Failed) as failure:
        toy.call("fail", kind=kind)

    told = (failure.value.kind, failure.value.message, failure.value.hint)
    assert (kind, f"this is {kind}", "do as the hint says") == told


def test_a_fault_of_ours_is_told_without_its_details(toy):
    with pytest.raises(Failed) as failure:
        toy.call("fail", kind="fault")

    assert "internal" == failure.value.kind
    assert "secret" not in failure.value.message + failure.value.hint
    log = failure.value.hint.rpartition(" ")[2]
    with open(log, encoding="utf-8") as file:
        assert "a secret detail" in file.read()


def test_what_is_hard_to_send_arrives(toy):
    text = toy.call("odd")["text"]

    assert text.startswith('"\\')
    assert "чай 日本 🧑‍🚀 \ufffd " in text
    assert text.endswith("(:a . nil) \\u0000")


def test_a_long_answer_arrives_whole(toy):
    assert "x" * 2_000_000 == toy.call("big", size=2_000_000)["text"]


def test_a_call_under_way_can_be_stopped(toy):
    assert "cancelled" == toy.cancel("count", steps=10_000)


def test_a_careless_print_spoils_nothing(toy):
    assert "counted to 2" == toy.call("count", steps=2)["text"]
    assert "x" == toy.call("echo", query="x")["query"]


def test_calls_at_once_get_their_own_answers(toy):
    queries = [f"query {number}" for number in range(8 if toy.name == "cli" else 60)]

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda query: toy.call("echo", query=query), queries))

    assert queries == [answer["query"] for answer in answers]


def test_a_long_call_keeps_no_other_waiting(toy):
    long_ones = [
        threading.Thread(target=toy.call, args=("count",), kwargs={"steps": 100}) for _ in range(6)
    ]
    for thread in long_ones:
        thread.start()

    answer = toy.call("echo", query="quick")

    assert "quick" == answer["query"]
    assert any(thread.is_alive() for thread in long_ones) or toy.name == "cli"
    for thread in long_ones:
        thread.join()
