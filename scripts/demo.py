"""Index the sample notes and ask them three questions by meaning.

Everything it writes is in .demo/; the user's own settings are not read.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap
from typing import Any, NamedTuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DEMO = os.path.join(ROOT, ".demo")
VAULT = os.path.join(DEMO, "vault")
INDEX = os.path.join(DEMO, "org-roam-semantic.db")
SHOWN = 2
PASSAGE = 260


class Question(NamedTuple):
    """A question and the title of the note that answers it in other words."""

    query: str
    title: str


QUESTIONS = (
    Question("feeling ill on a boat", "Seasickness"),
    Question("how to keep snails off the lettuce", "Slug patrol"),
    Question("improving pronunciation by imitation", "Shadowing"),
)


def main() -> int:
    """Make the demo's vault, index it, ask, and say what to do next."""
    shutil.rmtree(DEMO, ignore_errors=True)
    shutil.copytree(os.path.join(ROOT, "tests", "vault"), VAULT)
    show("Indexing a copy of the sample notes into .demo/ ...")
    done = run("index")
    show(
        f"{done['files']} files, {done['nodes']} nodes, {done['units']} passages "
        f"in {done['seconds']:.0f} seconds.  Nothing left this machine."
    )
    show()
    show("Three questions that a search for words does not answer:")
    for question in QUESTIONS:
        ask(question)
    show()
    show("Ask your own:")
    show("  .venv/bin/roam-semantic --dir .demo/vault --index .demo/org-roam-semantic.db \\")
    show('    semantic-search "which knot will not slip"')
    show("Next, the same notes in Emacs (emacs -Q, your settings are not read):")
    show("  make emacs")
    return 0


def ask(question: Question) -> None:
    """Print what words alone find for QUESTION, and what both legs find."""
    words = run("semantic-search", question.query, "--mode", "words", "--k", "3")["hits"]
    both = run("semantic-search", question.query, "--k", str(SHOWN))["hits"]
    titles = dict.fromkeys(f"“{hit['title']}”" for hit in words)
    show()
    show(f"? {question.query}")
    show_wrapped(f"By words alone: {', '.join(titles) or 'nothing'}", "  ", "    ")
    show("  By meaning and words:")
    for number, hit in enumerate(both, start=1):
        show_hit(number, hit)


def show_hit(number: int, hit: dict[str, Any]) -> None:
    """Print a hit: title, outline path, where it is, and its passage, wrapped."""
    title = " > ".join([hit["title"], *(s for s in hit["outline_path"] if s != hit["title"])])
    show(f"  {number}. {title}")
    passage = " ".join(hit["passage"].split())
    show_wrapped(textwrap.shorten(passage, PASSAGE, placeholder=" …"), "     ", "     ")
    show(f"     {os.path.relpath(hit['file'], ROOT)}:{hit['line']}")


def show_wrapped(text: str, first: str, other: str) -> None:
    """Print TEXT in lines that begin with FIRST, then with OTHER."""
    for line in textwrap.wrap(text, width(), initial_indent=first, subsequent_indent=other):
        show(line)


def width() -> int:
    """Return how many columns to use."""
    return min(shutil.get_terminal_size().columns, 80)


def show(line: str = "") -> None:
    """Print LINE at once."""
    print(line, flush=True)


def run(*words: str) -> Any:
    """Return the answer of the command WORDS; end with its own words if it fails."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("ROAM_")}
    done = subprocess.run(
        [sys.executable, "-m", "roam_semantic", *place(), "--json", *words],
        env={**clean, "XDG_CACHE_HOME": f"{DEMO}/cache", "XDG_STATE_HOME": f"{DEMO}/state"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"The demo failed: {done.stdout.strip()}\n{done.stderr.strip()}")
    return json.loads(done.stdout)


def place() -> list[str]:
    """Return the options that keep the demo to its own folder."""
    return ["--dir", VAULT, "--db", f"{DEMO}/org-roam.db", "--index", INDEX]


if __name__ == "__main__":
    sys.exit(main())
