"""The words of a command line, read by the catalogue alone; pure.

    roam-semantic [GLOBAL OPTIONS] COMMAND [ARGUMENTS] [--option value]

Ours and not argparse's: global options may stand anywhere, a query may start
with a single dash (`-tag:work`), a mistake is a BadRequest like on every face,
and reading costs no 15 ms of imports.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from roam_semantic.errors import BadRequest
from roam_semantic.operations.catalogue import Catalogue, Operation

GLOBALS = {
    "--dir": ("vault", "FOLDER", "folder of the notes"),
    "--db": ("database", "FILE", "org-roam's database"),
    "--index": ("index", "FILE", "file of our index"),
}
SERVER_OPTIONS = {
    "--host": ("host", "ADDRESS", "loopback address to listen on"),
    "--port": ("port", "NUMBER", "TCP port to listen on"),
}
SERVERS = {
    "mcp": "serve an MCP client over stdio",
    "http": "serve loopback HTTP",
    "epc": "serve Emacs over EPC",
    "jsonrpc": "serve Emacs over JSON-RPC on stdio",
}
HIDDEN = ("worker", "catalogue")


class CommandLine(msgspec.Struct, frozen=True):
    """What was typed.

    command: an operation, a server, or None for help.
    overrides: settings (field → text).  given: arguments of the operation.
    rest: words for a command that reads its own.
    """

    command: str | None
    overrides: dict[str, str]
    given: dict[str, Any]
    as_json: bool = False
    help: bool = False
    version: bool = False
    rest: tuple[str, ...] = ()


def wants_json(words: Sequence[str]) -> bool:
    """Whether --json is among WORDS, known even when they make no sense."""
    before = words[: words.index("--")] if "--" in words else words
    return "--json" in before


def parse(words: Sequence[str], catalogue: Catalogue) -> CommandLine:
    """Return what WORDS ask for; raise BadRequest naming the word that is off."""
    overrides: dict[str, str] = {}
    flags: set[str] = set()
    left = _take_globals(list(words), GLOBALS, overrides, flags)
    command = left.pop(0) if left else None
    if command is not None and command.startswith("--"):
        raise BadRequest(
            f"there is no global option {command}", "options of an operation come after its name"
        )
    given: dict[str, Any] = {}
    if command in SERVERS:
        left = _take_globals(left, SERVER_OPTIONS if command == "http" else {}, overrides, flags)
        if left:
            raise BadRequest(f"{command} takes no argument {left[0]}", "see roam-semantic --help")
    elif command is not None and command not in HIDDEN and "help" not in flags:
        operation = catalogue[command]
        given = _read_operation(operation, left)
    return CommandLine(
        command=command,
        overrides=overrides,
        given=given,
        as_json="json" in flags,
        help="help" in flags,
        version="version" in flags,
        rest=tuple(left) if command in HIDDEN else (),
    )


def _take_globals(
    words: list[str],
    options: dict[str, tuple[str, str, str]],
    overrides: dict[str, str],
    flags: set[str],
) -> list[str]:
    """Move global OPTIONS from WORDS into OVERRIDES and FLAGS; return the others."""
    left: list[str] = []
    while words:
        word = words.pop(0)
        name, equals, value = word.partition("=")
        if word == "--":
            return [*left, word, *words]
        if name in options:
            overrides[options[name][0]] = value if equals else _value(name, words)
        elif word in ("--json", "--help", "--version"):
            flags.add(word[2:])
        elif word == "-h":
            flags.add("help")
        else:
            left.append(word)
    return left


def _value(name: str, words: list[str]) -> str:
    if not words:
        raise BadRequest(f"{name} needs a value", "see roam-semantic --help")
    return words.pop(0)


def _read_operation(operation: Operation, words: list[str]) -> dict[str, Any]:
    """Return the arguments that WORDS give OPERATION, texts as typed."""
    options = {"--" + p.option: p for p in operation.parameters}
    given: dict[str, Any] = {}
    bare: list[str] = []
    while words:
        word = words.pop(0)
        name, equals, value = word.partition("=")
        if word == "--":
            bare += words
            break
        if not word.startswith("--"):
            bare.append(word)
            continue
        parameter = options.get(name)
        if parameter is None:
            raise BadRequest(f"{operation.command} has no argument {name}", operation.usage())
        if parameter.is_flag:
            given[parameter.name] = value if equals else True
        elif parameter.is_list:
            given.setdefault(parameter.name, []).append(value if equals else _value(name, words))
        else:
            given[parameter.name] = value if equals else _value(name, words)
    return given | _read_bare(operation, bare)


def _read_bare(operation: Operation, bare: list[str]) -> dict[str, Any]:
    """Return the arguments that stand without a name."""
    places = operation.positional
    if len(bare) > len(places):
        extra = bare[len(places)]
        hint = f'quote words that belong together: "{" ".join(bare)}"' if places else ""
        raise BadRequest(
            f"{operation.command} takes no further argument {extra}", hint or operation.usage()
        )
    return dict(zip(places, bare, strict=False))
