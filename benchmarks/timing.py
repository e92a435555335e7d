"""Timing that holds on a busy machine: variants take turns in one run."""

from __future__ import annotations

import gc
import resource
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence

import msgspec


class Times(msgspec.Struct, frozen=True):
    """Times of one variant in ms, sorted."""

    values: tuple[float, ...]

    @property
    def least(self) -> float:
        """Return the shortest time: what the work itself costs."""
        return self.values[0]

    def at(self, share: float) -> float:
        """Return the time that SHARE (0 to 1) of the runs stayed within."""
        return self.values[min(len(self.values) - 1, int(share * len(self.values)))]

    @property
    def p50(self) -> float:
        """Return the median."""
        return self.at(0.5)

    @property
    def p95(self) -> float:
        """Return the time 95 of 100 runs stayed within."""
        return self.at(0.95)

    @property
    def total(self) -> float:
        """Return the sum."""
        return sum(self.values)

    def __str__(self) -> str:
        return f"{brief(self.least)} / {brief(self.p50)} / {brief(self.p95)} ms"


def brief(number: float) -> str:
    """Return NUMBER with three significant digits: 0.65, 32.5, 1150."""
    if number >= 100:
        return f"{number:.0f}"
    return f"{number:.3g}"


def take_turns(
    variants: Mapping[str, Callable[[int], object]],
    rounds: int,
    clock: Callable[[], float] = time.process_time,
    warm_up: int = 3,
) -> dict[str, Times]:
    """Run each of VARIANTS with the number of the round, in turn, ROUNDS times.

    The clock counts the processor time of this process, so that what else
    runs on the machine does not count; pass time.perf_counter for real time.
    """
    found: dict[str, list[float]] = {name: [] for name in variants}
    gc.collect()
    gc.disable()
    try:
        for number in range(-warm_up, rounds):
            for name, variant in variants.items():
                start = clock()
                variant(max(number, 0))
                spent = clock() - start
                if number >= 0:
                    found[name].append(1000 * spent)
    finally:
        gc.enable()
    return {name: Times(tuple(sorted(values))) for name, values in found.items()}


def child_seconds(command: Sequence[str], environment: Mapping[str, str]) -> float:
    """Run COMMAND to its end; return the processor seconds it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)
