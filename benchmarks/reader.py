"""Another process that reads the index without a pause while it is written.

    python -m benchmarks.reader INDEX      until standard input ends

Prints how many questions it asked and how many found the file locked; it
waits for no lock.
"""

from __future__ import annotations

import select
import subprocess
import sys

from roam_semantic import sqlite


class Reader:
    """Starts the process, and tells what it counted when it is stopped."""

    def __init__(self, path: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.reader", path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def stop(self) -> tuple[int, int]:
        """End the process; return (questions asked, questions that met a lock)."""
        printed, _ = self._process.communicate(timeout=30)
        asked, busy = printed.split()
        return int(asked), int(busy)


def main(path: str) -> int:
    """Ask until standard input ends."""
    connection = sqlite.open_index(path, wait_ms=0)
    asked = busy = 0
    while not select.select([sys.stdin], [], [], 0)[0]:
        asked += 1
        try:
            connection.rows("SELECT count(*) FROM embed_units WHERE state = 0")
            connection.rows("SELECT rowid FROM embed_fts WHERE embed_fts MATCH 'the' LIMIT 50")
        except sqlite.Busy:
            busy += 1
    print(asked, busy)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
