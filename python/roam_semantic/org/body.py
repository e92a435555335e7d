"""The lines of a section's own text, each with its place in the file."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence

from roam_semantic.org.elements import Elements, Lines

# text, line numbers from 1, starts (empty: one whole piece from pos on), pos
Kept = tuple[str, tuple[int, ...], tuple[int, ...], int]
NOTHING: Kept = ("", (), (), 0)


def keep(
    text: str,
    elements: Elements,
    first: int,
    after: int,
    cuts: Sequence[Lines],
    escaped: Mapping[int, str],
) -> Kept:
    """Return the lines from FIRST to before AFTER of TEXT, both counted from 0.

    cuts: sorted; lines that are left out.  escaped: line → what it reads instead.
    """
    if cuts or escaped:
        here = cuts[bisect_left(cuts, (first, 0)) : bisect_left(cuts, (after, 0))]
        if here or any(first <= number < after for number in escaped):
            return _pieces(elements, first, after, here, escaped)
    starts = elements.starts
    start, end = starts[first], starts[after]
    body = text[start:end].rstrip("\n")
    if not body:
        return NOTHING
    # Every newline cut off is a line less, the last one excepted.
    count = after - first - (end - start - len(body)) + 1
    return body, tuple(range(first + 1, first + count + 1)), (), start + 1


def _pieces(
    elements: Elements,
    first: int,
    after: int,
    cuts: Sequence[Lines],
    escaped: Mapping[int, str],
) -> Kept:
    numbers: list[int] = []
    for begin, end in cuts:
        numbers += range(first, begin)
        first = max(first, end)
    numbers += range(first, after)
    lines, starts = elements.lines, elements.starts
    while numbers and not lines[numbers[-1]]:
        numbers.pop()
    if not numbers:
        return NOTHING
    return (
        "\n".join([escaped.get(number) or lines[number] for number in numbers]),
        tuple([number + 1 for number in numbers]),
        tuple([starts[number] + 1 for number in numbers]),
        starts[numbers[0]] + 1,
    )


def joined(first: Kept, second: Kept) -> Kept:
    """Return two stretches of one section as one."""
    if not first[1] or not second[1]:
        return second if second[1] else first
    return (
        f"{first[0]}\n{second[0]}",
        first[1] + second[1],
        _all_starts(first) + _all_starts(second),
        first[3],
    )


def _all_starts(kept: Kept) -> tuple[int, ...]:
    if kept[2]:
        return kept[2]
    starts, at = [], kept[3]
    for line in kept[0].split("\n"):
        starts.append(at)
        at += len(line) + 1
    return tuple(starts)
