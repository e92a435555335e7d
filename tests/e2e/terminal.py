"""A real Emacs in a real terminal: tmux types, and shows what a person would see."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
PATIENCE_S = 60.0
# Vertico puts a count before it.
PROMPT = re.compile(r"^(\S+/\S+\s+)?M-x\s*$", re.MULTILINE)
Value = TypeVar("Value")


def eventually(look: Callable[[], Value], what: Callable[[], str]) -> Value:
    """Return what LOOK finds as soon as it is true; fail with WHAT after a long while."""
    deadline = time.monotonic() + PATIENCE_S
    while not (found := look()):
        assert time.monotonic() < deadline, what()
        time.sleep(0.05)
    return found


def is_alive(pid: int) -> bool:
    """Whether process PID runs; one that waits to be buried does not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


class Terminal:
    """One Emacs on a terminal of its own."""

    def __init__(
        self,
        home: Path,
        lisp: Path,
        python: str,
        wire: str,
        vault: str,
        more: str = "",
        size: tuple[int, int] = (160, 40),
    ) -> None:
        """more: Lisp files, seen from here, to load last; size: columns and lines."""
        self.home = home
        # One each: a server of tmux that is ending still holds its socket.
        self.socket = str(Path(tempfile.mkdtemp(prefix="tmux", dir=home)) / "s")
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("ROAM_", "TMUX"))}
        environment = kept | {
            "E2E_HOME": str(home),
            "E2E_LISP": str(lisp),
            "E2E_PYTHON": python,
            "E2E_WIRE": wire,
            "E2E_VAULT": vault,
            "E2E_MORE": more,
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
        }
        emacs = os.environ.get("EMACS", "emacs")
        command = f"exec {emacs} -nw -Q -l {HERE / 'init.el'}"
        subprocess.run(
            ["tmux", "-u", "-S", self.socket, "-f", "/dev/null", "new-session", "-d"]
            + ["-x", str(size[0]), "-y", str(size[1]), command],
            env=environment,
            check=True,
        )
        self.shows("Emacs is ready")
        self.pid: int = self.state()["emacs"]

    def tmux(self, *words: str) -> str:
        """Run a tmux command; return what it prints."""
        command = ["tmux", "-u", "-S", self.socket, *words]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    def press(self, *keys: str) -> None:
        """Press KEYS, in tmux' names: "M-x", "Enter", "F5"."""
        self.tmux("send-keys", *keys)

    def type(self, text: str) -> None:
        """Type TEXT."""
        self.tmux("send-keys", "-l", text)

    def command(self, name: str) -> None:
        """Run the command NAME as a person does."""
        self.press("M-x")
        eventually(
            lambda: PROMPT.search(self.screen()),
            lambda: f"there is no prompt:\n{self.screen()}",
        )
        self.type(name)
        self.press("Enter")

    def screen(self, colours: bool = False) -> str:
        """Return what is on the screen, with the terminal's codes for COLOURS."""
        return self.tmux("capture-pane", "-p", *(["-e"] if colours else []))

    def shows(self, text: str) -> str:
        """Wait until TEXT is on the screen; return the screen."""
        return eventually(
            lambda: (screen := self.screen()) and text in screen and screen,
            lambda: f"the screen never showed {text!r} but:\n{self.screen()}",
        )

    def state(self) -> dict[str, Any]:
        """Return where point is and which processes run, see init.el."""
        path = self.home / "state.json"
        path.unlink(missing_ok=True)

        def ask() -> bool:
            # A key pressed while Emacs is busy may be read by what it is busy with.
            self.press("F5")
            time.sleep(0.2)
            return path.exists()

        eventually(ask, lambda: f"Emacs does not answer:\n{self.screen()}")
        return json.loads(path.read_text("utf-8"))

    def close(self) -> None:
        """End Emacs and its terminal."""
        self.tmux("kill-server")
