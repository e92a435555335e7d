"""Take the pictures of README: open Emacs on the sample notes, do what a person does."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from screen import draw  # noqa: E402

from tests.e2e.conftest import index_sample_notes  # noqa: E402
from tests.e2e.terminal import Terminal  # noqa: E402

PICTURES = Path(__file__).parent
SIZE = (118, 30)
MORE = f"full.el {Path(__file__).with_name('look.el')}"


def find(emacs: Terminal) -> None:
    """Show hits while a question is typed."""
    emacs.command("roam-semantic-find")
    emacs.type("feeling ill on a boat")
    emacs.shows("meaning")
    settled(emacs)


def related(emacs: Terminal) -> None:
    """Show what is related to a note, in org-roam's buffer."""
    note(emacs, "seasickness")
    emacs.command("org-roam-db-sync")
    emacs.state()
    emacs.command("roam-semantic-buffer-setup")
    emacs.shows("org-roam-buffer-toggle shows")
    emacs.command("org-roam-buffer-toggle")
    emacs.shows("*org-roam*")
    emacs.press("C-x", "o", "C-s")
    emacs.type("Related by")
    emacs.press("Enter", "C-l", "C-l")
    emacs.shows("because")
    settled(emacs)


def links(emacs: Terminal) -> None:
    """Show suggested links in a note."""
    note(emacs, "slug_patrol")
    emacs.command("roam-semantic-suggest-links")
    emacs.shows(" link")
    settled(emacs)


def menu(emacs: Terminal) -> None:
    """Show the menu."""
    emacs.command("roam-semantic-menu")
    emacs.shows("Find")
    settled(emacs)


SCENES: dict[str, Callable[[Terminal], None]] = {
    "find": find,
    "related": related,
    "links": links,
    "menu": menu,
}


def main(names: list[str]) -> int:
    """Take the pictures NAMES, or all."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        shutil.copytree(ROOT / "tests" / "vault", home / "vault")
        (home / "emacs").mkdir()
        index_sample_notes(home)
        for name, scene in SCENES.items():
            if not names or name in names:
                picture(home, name, scene)
    return 0


def picture(home: Path, name: str, scene: Callable[[Terminal], None]) -> None:
    """Take the picture NAME of SCENE."""
    emacs = Terminal(home, ROOT / "elisp", sys.executable, "epc", "vault", MORE, SIZE)
    try:
        scene(emacs)
        draw(emacs.screen(colours=True), SIZE[0], str(PICTURES / f"{name}.png"))
        print(f"{name}.png", flush=True)
    finally:
        emacs.close()


def note(emacs: Terminal, name: str) -> None:
    """Visit the sample note whose file name holds NAME."""
    path = next((emacs.home / "vault").glob(f"*{name}*.org"))
    emacs.press("C-x", "C-f")
    emacs.shows("Find file")
    emacs.press("C-a", "C-k")
    emacs.type(str(path))
    emacs.press("Enter")
    emacs.shows("#+title")


def settled(emacs: Terminal) -> None:
    """Wait until the screen has stayed the same for a second."""
    before = ""
    while before != (before := emacs.screen()):
        time.sleep(1.0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
