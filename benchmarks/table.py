"""The rows of the table and how they are printed."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence

import msgspec


class Row(msgspec.Struct, frozen=True):
    """One promise: what was measured, against what, and what it should be.

    value: usually a ratio.  limit: the bound it must keep, None for a row
    that is only told.  at_least: VALUE must not be below LIMIT, else not above.
    details: the times behind it, in words.
    """

    name: str
    rival: str
    value: float
    limit: float | None
    details: str
    at_least: bool = False
    unit: str = "×"

    @property
    def kept(self) -> bool:
        """Return whether the promise holds."""
        if self.limit is None:
            return True
        return self.value >= self.limit if self.at_least else self.value <= self.limit


def number(value: float) -> str:
    """Return VALUE as a table shows it: 0.043, 4.8, 152, 23,400."""
    if value >= 1000:
        return f"{value:,.0f}"
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.2g}" if value < 10 else f"{value:.1f}"


def org_table(rows: Sequence[Row]) -> str:
    """Return ROWS as an org table."""
    lines = ["| what | against | reached | promised | kept | times |", "|-"]
    for row in rows:
        sign = "≥" if row.at_least else "≤"
        promised = "" if row.limit is None else f"{sign} {number(row.limit)}{row.unit}"
        kept = "" if row.limit is None else ("yes" if row.kept else "*no*")
        reached = f"{number(row.value)}{row.unit}"
        lines.append(
            f"| {row.name} | {row.rival} | {reached} | {promised} | {kept} | {row.details} |"
        )
    return aligned(lines)


def aligned(lines: Sequence[str]) -> str:
    """Return the org table LINES with columns of equal width."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    columns = max(len(row) for row in cells)
    widths = [
        max((len(row[i]) for row in cells if len(row) == columns), default=0)
        for i in range(columns)
    ]
    rule = "|-" + "-+-".join("-" * width for width in widths) + "-|"
    return "\n".join(
        "| " + " | ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) + " |"
        if len(row) == columns
        else rule
        for row in cells
    )


def machine() -> str:
    """Return what this run ran on, in one line."""
    return (
        f"{_processor()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"{platform.system()} {platform.machine()}"
    )


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        return platform.processor()
    return platform.processor()
