"""A process that stays: fresh answers, work behind the caller's back, one job."""

from __future__ import annotations

import threading
import time

import pytest

from roam_semantic.app import build
from roam_semantic.errors import Cancelled, NotReady
from roam_semantic.operations.catalogue import CATALOGUE
from roam_semantic.operations.core import LOOK_EVERY_S
from roam_semantic.operations.request import Request
from roam_semantic.settings import load
from roam_semantic.store.lease import lease
from tests.support import Workspace, model


@pytest.fixture
def serving(workspace):
    workspace.core = build(workspace.settings, serving=True)
    workspace.core._embedder = model()
    return workspace


def until(question, seconds=30.0):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if question():
            return True
        time.sleep(0.05)
    return False


def later(work):
    """Let the next call look at the files again."""
    work.core._looked -= LOOK_EVERY_S


def test_a_new_note_is_found_by_word_at_once_and_by_meaning_soon(serving):
    serving.note("a", "Sourdough", "A starter of flour and water.")
    assert ["a"] == serving.found("starter")

    serving.note("b", "Kneading", "Fold the dough gently.")
    later(serving)

    assert ["b"] == serving.found("dough", mode="words")
    assert until(lambda: serving.call("index-stats").index.pending == 0)
    assert "b" == serving.found("how to handle bread mass", mode="vectors")[0]


def test_a_changed_note_is_answered_as_it_is_now(serving):
    serving.note("a", "Sourdough", "A starter of flour.")
    serving.found("starter")

    serving.note("a", "Sourdough", "Only zephyr remains.")
    later(serving)

    assert ["a"] == serving.found("zephyr", mode="words")
    assert [] == serving.found("starter", mode="words")


def test_a_deleted_note_is_not_found_any_more(serving):
    path = serving.note("a", "Sourdough", "A starter of flour.")
    serving.note("b", "Wine", "Grapes.")
    assert ["a"] == serving.found("starter", mode="words")

    path.unlink()
    later(serving)

    assert [] == serving.found("starter", mode="words")


def test_an_answer_says_how_far_the_index_is(serving):
    serving.note("a", "Sourdough", "A starter of flour.")

    answer = serving.call("semantic-search", query="starter", mode="words")

    assert answer.index.total == answer.index.indexed + answer.index.pending
    assert answer.index.age_s < 60


def test_a_new_note_is_found_while_another_process_makes_vectors(serving):
    serving.note("a", "Sourdough", "A starter of flour.")
    serving.call("index")
    with lease(serving.settings.index):
        serving.note("b", "Wine", "Grapes.")
        later(serving)

        assert ["b"] == serving.found("grapes", mode="words")


def test_a_long_index_goes_on_when_the_caller_does_not_wait(serving):
    for number in range(40):
        serving.note(f"n{number}", f"Note {number}", f"Text about subject{number}.")

    answer = CATALOGUE["index"].call(serving.core, {}, Request(patience_s=0.0))

    assert "running" == answer.state
    assert until(lambda: serving.core.job() is None, 90)
    assert 40 == serving.call("index-stats").index.indexed


def test_a_second_index_joins_the_running_one(serving):
    serving.note("a", "Sourdough", "A starter of flour.")
    first = serving.core.start_job()

    assert first is serving.core.start_job()
    assert first.wait(60)


def test_cancelling_an_index_stops_it_within_a_second(serving):
    for number in range(300):
        serving.note(f"n{number}", f"Note {number}", f"Long text about subject{number} " * 20)
    request = Request()
    failures = []

    def call():
        try:
            CATALOGUE["index"].call(serving.core, {}, request)
        except Cancelled as error:
            failures.append(error)

    caller = threading.Thread(target=call)
    caller.start()
    assert until(lambda: serving.core.job() is not None and serving.core.job().phase != "starting")
    asked = time.monotonic()
    request.cancel()
    caller.join(10)

    assert 1 == len(failures)
    assert time.monotonic() - asked < 10
    with lease(serving.settings.index, wait_s=5):
        pass


def test_progress_of_a_job_reaches_the_caller(serving):
    serving.note("a", "Sourdough", "A starter of flour.")
    told = []

    CATALOGUE["index"].call(serving.core, {}, Request(on_progress=told.append))

    assert "embedding" in {progress.phase for progress in told}


def test_without_a_vault_every_operation_says_what_is_missing(tmp_path):
    core = build(load({"vault": str(tmp_path / "nowhere")}, {"XDG_CACHE_HOME": str(tmp_path)}))

    for name, arguments in (
        ("index", {}),
        ("semantic-search", {"query": "x"}),
        ("index-stats", {}),
    ):
        with pytest.raises(NotReady, match="nowhere"):
            CATALOGUE[name].call(core, arguments)
    assert not CATALOGUE["doctor"].call(core, {}).ok


def test_two_vaults_never_share_an_index(tmp_path):
    first = Workspace(tmp_path / "one")
    first.note("a", "Sourdough")
    first.call("index")
    other = load(
        {"vault": str(tmp_path), "index": first.settings.index, "cache_home": str(tmp_path)}, {}
    )

    with pytest.raises(NotReady, match="belongs to the vault"):
        CATALOGUE["index"].call(build(other), {})
    first.close()
