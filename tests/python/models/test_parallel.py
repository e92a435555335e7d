import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roam_semantic.errors import Cancelled
from roam_semantic.models.parallel import spread

TEXTS = [str(number) for number in range(50)]


@given(st.lists(st.text(max_size=3), max_size=40), st.integers(0, 5))
def test_results_come_in_the_order_of_the_texts(texts, threads):
    assert texts == spread(lambda text, check: text, texts, None, threads)


def test_as_many_threads_work_as_are_asked_for_the_callers_included():
    together = threading.Barrier(3, timeout=30)

    def work(text, check):
        together.wait()
        return threading.get_ident()

    workers = set(spread(work, ["a", "b", "c"], None, 3))

    assert 3 == len(workers)
    assert threading.get_ident() in workers


def test_no_more_threads_than_texts_are_made():
    assert [threading.get_ident()] == spread(
        lambda text, check: threading.get_ident(), ["one"], None, 8
    )


@pytest.mark.parametrize("threads", [1, 3])
def test_what_fails_stops_everything_and_is_raised(threads):
    done = []

    def work(text, check):
        if text == "10":
            raise ZeroDivisionError(text)
        done.append(text)

    with pytest.raises(ZeroDivisionError, match="10"):
        spread(work, TEXTS, None, threads)

    assert len(done) < len(TEXTS)


def test_a_wish_to_stop_reaches_a_thread_in_the_middle_of_its_work():
    """The calling thread has nothing left to do and still asks."""
    working = threading.Event()
    caller = threading.get_ident()

    def work(text, check):
        if threading.get_ident() == caller:
            working.wait(30)
            return
        working.set()
        while True:
            check()

    with pytest.raises(Cancelled):
        spread(work, ["a", "b"], lambda: working.is_set(), 2)


@pytest.mark.parametrize("threads", [1, 4])
def test_nothing_is_begun_after_the_wish_to_stop(threads):
    begun = []

    with pytest.raises(Cancelled):
        spread(lambda text, check: begun.append(text), TEXTS, lambda: True, threads)

    assert [] == begun


def test_no_thread_outlives_the_call():
    before = threading.active_count()
    spread(lambda text, check: None, TEXTS, None, 4)

    assert before == threading.active_count()
