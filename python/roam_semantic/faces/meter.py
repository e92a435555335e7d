"""Progress on a terminal: one line on stderr that is written over; nothing in a pipe."""

from __future__ import annotations

from typing import TextIO

from roam_semantic.operations.request import Progress

CLEAR_LINE = "\r\x1b[K"


class Meter:
    """The line of one call.  A stream that is no terminal stays untouched."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._shown = False
        self.on = stream.isatty()

    def show(self, progress: Progress) -> None:
        """Write PROGRESS over the line before."""
        if self.on:
            self._shown = True
            self._stream.write(CLEAR_LINE + line(progress))
            self._stream.flush()

    def clear(self) -> None:
        """Take the line away, so that the next message stands alone."""
        if self._shown:
            self._shown = False
            self._stream.write(CLEAR_LINE)
            self._stream.flush()


def line(progress: Progress) -> str:
    """Return PROGRESS in words: `embedding 120 of 500, 35/s, 11 s left`."""
    parts = [f"{progress.phase} {progress.done} of {progress.total}"]
    if progress.rate > 0:
        parts.append(f"{progress.rate:.0f}/s" if progress.rate >= 1 else f"{progress.rate:.1f}/s")
    if progress.left_s is not None and progress.done < progress.total:
        parts.append(f"{duration(progress.left_s)} left")
    return ", ".join(parts)


def duration(seconds: float) -> str:
    """Return SECONDS as a person says it: `40 s`, `3 min`, `2 h 5 min`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
