"""Run every check one after the other, and close with one line of counts."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import NamedTuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PYTHON = sys.executable
COUNT = re.compile(r"\b(\d+) (passed|failed|errors?|skipped)\b")


class Step(NamedTuple):
    """One check: what it is called and the command that makes it."""

    name: str
    command: list[str]


class Outcome(NamedTuple):
    """How many of a step's tests passed, failed and were skipped."""

    passed: int
    failed: int
    skipped: int


STEPS = (
    Step("ruff", [PYTHON, "-m", "ruff", "check", "--no-cache", "."]),
    Step("pyright", [PYTHON, "-m", "pyright", "--pythonpath", PYTHON]),
    Step("pytest", [PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider"]),
    Step("elisp", ["sh", "tests/elisp/run.sh"]),
    Step("end to end", ["sh", "tests/e2e/run.sh"]),
)


def main(names: list[str]) -> int:
    """Run the steps called NAMES, or all; return the exit code."""
    outcomes: dict[str, Outcome] = {}
    for step in STEPS:
        if not names or step.name in names:
            print(f"\n== {step.name}", flush=True)
            outcomes[step.name] = run(step)
    print()
    for name, outcome in outcomes.items():
        print(f"{name:<11} {counts(outcome)}")
    passed, failed, skipped = (sum(column) for column in zip(*outcomes.values(), strict=True))
    print(counts(Outcome(passed, failed, skipped)))
    return 1 if failed or not passed else 0


def run(step: Step) -> Outcome:
    """Run STEP, show what it prints as it comes, and count its tests.

    The counts are those of the last line that has any ("3 passed, 1 failed").
    A step without such a line is one test, and so is a crash.
    """
    outcome = Outcome(0, 0, 0)
    process = subprocess.Popen(
        step.command,
        cwd=ROOT,
        env=clean_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    assert process.stdout is not None
    for line in echoed(process.stdout):
        outcome = read_counts(line) or outcome
    failed = process.wait() != 0
    if failed and not outcome.failed:
        return outcome._replace(failed=1)
    if not any(outcome):
        return Outcome(1, 0, 0)
    return outcome


def echoed(lines: Iterator[str]) -> Iterator[str]:
    """Yield LINES, each printed first."""
    for line in lines:
        print(line, end="", flush=True)
        yield line


def read_counts(line: str) -> Outcome | None:
    """Return the counts that LINE tells, or None; errors count as failures."""
    found = {"passed": 0, "failed": 0, "skipped": 0}
    matches = COUNT.findall(line)
    for number, word in matches:
        found["failed" if word.startswith("error") else word] += int(number)
    if not any(word in ("passed", "failed") for _, word in matches):
        return None
    return Outcome(**found)


def counts(outcome: Outcome) -> str:
    """Return the line of counts, in the words test runners share."""
    return f"{outcome.passed} passed, {outcome.failed} failed, {outcome.skipped} skipped"


def clean_environment() -> dict[str, str]:
    """Return the environment without the user's own vault and settings."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("ROAM_")}
    for name in ("ROAM_SEMANTIC_SHARED", "ROAM_SEMANTIC_OFFLINE", "ROAM_SEMANTIC_E2E"):
        if name in os.environ:
            kept[name] = os.environ[name]
    return kept | {"PYTHONUNBUFFERED": "1", "PYTHON": PYTHON}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
