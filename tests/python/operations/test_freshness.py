"""Refresh and watch: what is known now, and word of every change."""

from __future__ import annotations

import threading
import time

import pytest

from roam_semantic.app import build
from roam_semantic.errors import Cancelled
from roam_semantic.operations.catalogue import CATALOGUE
from roam_semantic.operations.request import Request
from roam_semantic.store.lease import lease
from tests.support import model


@pytest.fixture
def serving(workspace):
    workspace.note("a", "Sourdough", "A starter of flour and water.")
    workspace.call("index")
    workspace.core = build(workspace.settings, serving=True)
    workspace.core._embedder = model()
    return workspace


def watch(work, seen="", seconds=20.0, request=None):
    given = {"seen": seen, "seconds": seconds}
    return CATALOGUE["watch"].call(work.core, given, request or Request())


def settled(work):
    """Return the first answer after which nothing changes by itself."""
    answer = watch(work)
    while (later := watch(work, answer.seen, 1.2)).seen != answer.seen:
        answer = later
    return answer


def test_a_refresh_finds_a_note_of_this_very_second(serving):
    serving.found("starter")
    serving.note("b", "Kneading", "Fold the dough gently.")

    answer = serving.call("refresh")

    assert 2 == answer.index.total
    assert 0 == answer.index.stale_files
    assert ["b"] == serving.found("dough", mode="words")


def test_a_refresh_queues_vectors(serving):
    serving.note("b", "Kneading", "Fold the dough gently.")
    serving.call("refresh")

    assert settled(serving).index.indexed == 2


def test_the_first_watch_answers_at_once(serving):
    answer = watch(serving, "", 300.0)

    assert "ready" == answer.state
    assert (1, 1, 0, None) == (
        answer.index.total, answer.index.indexed, answer.index.pending, answer.job,
    )  # fmt: skip


def test_a_watch_without_a_change_ends_with_the_same_token(serving):
    seen = settled(serving).seen

    assert seen == watch(serving, seen, 0.6).seen
    assert seen == watch(serving, seen, 0.0).seen


def test_a_note_written_by_anybody_ends_the_watch_and_is_found(serving):
    seen = settled(serving).seen
    timer = threading.Timer(0.3, serving.note, ("b", "Kneading", "Fold the dough gently."))
    timer.start()

    answer = watch(serving, seen)

    assert seen != answer.seen
    assert 2 == answer.index.total
    assert ["b"] == serving.found("dough", mode="words")
    timer.join()


def test_a_changed_word_changes_the_token_though_no_count_does(serving):
    seen = settled(serving).seen
    serving.note("a", "Sourdough", "A starter of rye and water.")

    assert seen != watch(serving, seen).seen
    assert settled(serving).seen != seen


def test_a_deleted_note_ends_the_watch(serving):
    seen = settled(serving).seen
    (serving.vault / "a.org").unlink()

    answer = watch(serving, seen)

    assert ("empty", 0) == (answer.state, answer.index.total)


def test_an_index_run_is_told_while_it_goes_on(serving):
    for number in range(60):
        serving.note(f"n{number}", f"Note {number}", f"Text about subject{number}. " * 30)
    serving.core.start_job()
    states, seen = [], ""
    while not states or states[-1] != "ready":
        answer = watch(serving, seen)
        seen = answer.seen
        states.append(answer.state)

    assert "indexing" in states
    assert 61 == answer.index.indexed


def test_waiting_units_without_anybody_at_work_are_stale(serving):
    with lease(serving.settings.index):
        serving.note("b", "Kneading", "Fold the dough gently.")
        serving.call("refresh")
        answer = settled(serving)

    assert ("stale", 1) == (answer.state, answer.index.pending)


def test_what_was_never_indexed_is_empty_and_stays_so(workspace):
    workspace.note("a", "Sourdough")
    workspace.core = build(workspace.settings, serving=True)

    answer = settled(workspace)

    assert ("empty", 0, None) == (answer.state, answer.index.total, answer.index.model)
    assert not workspace.core.index.exists()


def test_a_cancelled_watch_ends_at_once(serving):
    seen = settled(serving).seen
    request = Request()
    timer = threading.Timer(0.2, request.cancel)
    timer.start()
    start = time.monotonic()

    with pytest.raises(Cancelled):
        watch(serving, seen, 300.0, request)
    assert time.monotonic() - start < 60
    timer.join()


def test_a_late_watch_ends_too(serving):
    seen = settled(serving).seen

    with pytest.raises(Cancelled, match="ran out of time"):
        watch(serving, seen, 300.0, Request(deadline=time.monotonic() + 0.2))


def test_a_face_that_has_less_patience_gets_its_answer_sooner(serving):
    seen = settled(serving).seen

    assert seen == watch(serving, seen, 300.0, Request(patience_s=0.1)).seen


def test_a_command_waits_for_the_next_change(workspace):
    workspace.note("a", "Sourdough", "A starter of flour.")
    workspace.call("index")
    workspace.note("b", "Wine", "Grapes.")
    timer = threading.Timer(0.5, workspace.note, ("c", "Tea", "Leaves."))
    timer.start()

    answer = workspace.call("watch", seconds=20)

    assert 3 == answer.index.total
    timer.join()


def test_closing_ends_the_watch(serving):
    watch(serving)
    assert serving.core.watch.running

    serving.core.close()

    assert not serving.core.watch.running
