"""What a person sees: nothing a terminal would obey, lines that fit, progress in words."""

import io

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roam_semantic.faces.meter import Meter, duration, line
from roam_semantic.faces.terminal import one_line, safe, shown_width, wrap
from roam_semantic.operations.request import Progress


@pytest.mark.parametrize("char", ["\x1b", "\0", "\r", "\x9b", "\u202e", "\u2067", "\x7f"])
def test_what_a_terminal_would_obey_is_replaced(char):
    assert "a\ufffdb" == safe(f"a{char}b")


def test_lines_and_tabs_are_kept():
    assert "a\n\tb" == safe("a\n\tb")
    assert "a\nb" == safe("a\r\nb")


def test_one_line_is_one_line():
    assert "a b c" == one_line(" a\n\tb  c\n")


@pytest.mark.parametrize(
    ("text", "width"), [("abc", 3), ("日本", 4), ("e\u0301", 1), ("чай", 3), ("", 0)]
)
def test_the_width_is_the_one_that_is_shown(text, width):
    assert width == shown_width(text)


def test_text_is_wrapped_at_words():
    assert "  one two\n  three" == wrap("one two three", 10, "  ")


def test_text_without_spaces_is_wrapped_anywhere():
    assert "日本語\nの文" == wrap("日本語の文", 6)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(), st.integers(10, 100))
def test_no_line_is_wider_than_told_and_no_word_is_lost(text, width):
    wrapped = wrap(text, width, "  ")

    assert all(shown_width(each) <= width for each in wrapped.split("\n"))
    assert "".join(one_line(text).split()) == "".join(wrapped.split())


@pytest.mark.parametrize(
    ("progress", "words"),
    [
        (Progress(0, 9, "reading"), "reading 0 of 9"),
        (Progress(3, 9, "reading", 0.5, 12.0), "reading 3 of 9, 0.5/s, 12 s left"),
        (Progress(3, 900, "embedding", 35.2, 300.0), "embedding 3 of 900, 35/s, 5 min left"),
        (Progress(9, 9, "reading", 3.0, 0.0), "reading 9 of 9, 3/s"),
    ],
)
def test_progress_is_told_in_words(progress, words):
    assert words == line(progress)


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.4, "0 s"), (89, "89 s"), (90, "2 min"), (7500, "2 h 5 min")]
)
def test_a_duration_is_told_as_people_do(seconds, words):
    assert words == duration(seconds)


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_on_a_terminal_progress_is_written_over_and_taken_away():
    stream = Terminal()
    meter = Meter(stream)
    meter.show(Progress(1, 2, "reading"))
    meter.show(Progress(2, 2, "reading"))
    meter.clear()

    assert "\r\x1b[Kreading 1 of 2\r\x1b[Kreading 2 of 2\r\x1b[K" == stream.getvalue()


def test_in_a_pipe_there_is_no_progress():
    stream = io.StringIO()
    meter = Meter(stream)
    meter.show(Progress(1, 2, "reading"))
    meter.clear()

    assert "" == stream.getvalue()
