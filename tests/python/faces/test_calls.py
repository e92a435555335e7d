"""Calls under way: each ends once, can be stopped, and keeps none of the others waiting."""

import queue
import threading

import pytest

from roam_semantic.errors import NotReady
from roam_semantic.faces import calls as module
from roam_semantic.faces.calls import Calls, Launch
from roam_semantic.operations.request import Request
from tests.contract import toy

PATIENCE_S = 30


class Builder:
    """Makes toy cores, counts them, and fails as often as it is told."""

    def __init__(self, failures: int = 0) -> None:
        self.failures = failures
        self.made: list[toy.Core] = []
        self.serving = False

    def __call__(self, settings, *, serving: bool = False) -> toy.Core:
        self.serving = serving
        if self.failures:
            self.failures -= 1
            raise NotReady("not yet", "wait")
        self.made.append(toy.Core(settings.vault))
        return self.made[-1]


class Ends:
    """Takes what calls end with."""

    def __init__(self) -> None:
        self.outcomes: queue.Queue = queue.Queue()

    def __call__(self, outcome) -> None:
        self.outcomes.put(outcome)

    def next(self):
        return self.outcomes.get(timeout=PATIENCE_S)


@pytest.fixture
def builder():
    return Builder()


@pytest.fixture
def calls(builder, tmp_path):
    made = Calls(Launch(toy.CATALOGUE, builder, {"state_home": str(tmp_path)}))
    yield made
    made.close()


def test_a_call_ends_once_with_its_answer(calls):
    ends = Ends()
    calls.start("key", "echo", {"query": "x"}, Request(), ends)

    assert "x" == ends.next().answer.query
    assert ends.outcomes.empty()


@pytest.mark.parametrize(
    ("name", "given", "kind"),
    [
        ("dance", {}, "bad-request"),
        ("echo", {}, "bad-request"),
        ("fail", {"kind": "not-found"}, "not-found"),
        ("fail", {"kind": "fault"}, "internal"),
    ],
)
def test_every_failure_is_an_end_too(calls, name, given, kind):
    ends = Ends()
    calls.start("key", name, given, Request(), ends)

    assert kind == ends.next().error.kind


def test_a_wrong_argument_is_told_before_anything_is_opened(calls, builder):
    ends = Ends()
    calls.start("key", "echo", {"query": ""}, Request(), ends)
    ends.next()

    assert [] == builder.made


def test_the_core_is_opened_once_for_all_and_for_a_process_that_stays(calls, builder):
    ends = Ends()
    for number in range(50):
        calls.start(number, "echo", {"query": "x"}, Request(), ends)
    for _ in range(50):
        assert ends.next().error is None

    assert 1 == len(builder.made)
    assert builder.serving


def test_a_core_that_cannot_be_opened_is_tried_again_by_the_next_call(tmp_path):
    calls = Calls(Launch(toy.CATALOGUE, Builder(failures=1)))
    ends = Ends()
    calls.start(1, "echo", {"query": "x"}, Request(), ends)
    first = ends.next()
    calls.start(2, "echo", {"query": "x"}, Request(), ends)

    assert "not-ready" == first.error.kind
    assert "x" == ends.next().answer.query


def test_opening_ahead_fails_in_silence():
    builder = Builder(failures=1)
    calls = Calls(Launch(toy.CATALOGUE, builder))
    calls.warm()
    ends = Ends()
    calls.start(1, "last_end", {}, Request(), ends)
    ends.next()

    assert 0 == builder.failures


def begun() -> tuple[Request, threading.Event]:
    """Return a request and the event that its call has begun."""
    event = threading.Event()
    return Request(on_progress=lambda _: event.set()), event


def test_a_call_is_stopped_by_its_key(calls):
    ends = Ends()
    request, event = begun()
    calls.start(("client", 1), "count", {"steps": 10_000}, request, ends)
    assert event.wait(PATIENCE_S)

    assert not calls.cancel(("client", 2))
    assert calls.cancel(("client", 1))
    assert "cancelled" == ends.next().error.kind
    assert not calls.cancel(("client", 1))


def test_the_calls_of_one_client_are_stopped_together(calls):
    ends = {"a": Ends(), "b": Ends()}
    for client in "aab":
        request, event = begun()
        calls.start((client, id(request)), "count", {"steps": 10_000}, request, ends[client])
        assert event.wait(PATIENCE_S)

    calls.cancel_all(lambda key: key[0] == "a")

    assert ["cancelled"] * 2 == [ends["a"].next().error.kind for _ in range(2)]
    assert ends["b"].outcomes.empty()


def test_a_key_under_way_cannot_be_given_twice(calls):
    ends, again = Ends(), Ends()
    request, event = begun()
    calls.start("key", "count", {"steps": 10_000}, request, ends)
    assert event.wait(PATIENCE_S)
    calls.start("key", "echo", {"query": "x"}, Request(id="7"), again)

    assert "a request with the id 7 is under way" == again.next().error.message
    calls.cancel("key")
    assert "cancelled" == ends.next().error.kind


def test_a_call_cancelled_before_its_turn_does_nothing(calls):
    ends = Ends()
    request = Request()
    request.cancel()
    calls.start("key", "count", {"steps": 10_000}, request, ends)

    assert "cancelled" == ends.next().error.kind


def test_too_many_calls_are_turned_away(calls, monkeypatch):
    monkeypatch.setattr(module, "LONGEST_QUEUE", 3)
    ends, refused = Ends(), Ends()
    for number in range(module.WRITERS):
        request, event = begun()
        calls.start(number, "count", {"steps": 10_000}, request, ends)
        assert event.wait(PATIENCE_S)
    for number in range(10, 13):
        calls.start(number, "count", {"steps": 0}, Request(), ends)
    calls.start(99, "count", {"steps": 0}, Request(), refused)

    assert "unavailable" == refused.next().error.kind
    assert not calls.cancel(99)


def test_readers_do_not_wait_for_writers(calls):
    ends, quick = Ends(), Ends()
    for number in range(module.WRITERS + 2):
        calls.start(number, "count", {"steps": 10_000}, Request(), ends)
    calls.start("quick", "echo", {"query": "x"}, Request(), quick)

    assert "x" == quick.next().answer.query
    assert ends.outcomes.empty()


def test_closing_stops_what_runs_and_closes_the_core(builder, tmp_path):
    closed = []
    calls = Calls(Launch(toy.CATALOGUE, builder))
    ends = Ends()
    request, event = begun()
    calls.start("key", "count", {"steps": 10_000}, request, ends)
    assert event.wait(PATIENCE_S)
    builder.made[0].close = lambda: closed.append(True)
    calls.close()

    assert "cancelled" == ends.next().error.kind
    assert [True] == closed
