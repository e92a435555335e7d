"""What --help says, made from the catalogue."""

from __future__ import annotations

import msgspec

from roam_semantic import __version__
from roam_semantic.errors import BadRequest, Cancelled, Internal, NotFound, NotReady, Unavailable
from roam_semantic.faces.arguments import GLOBALS, SERVER_OPTIONS, SERVERS
from roam_semantic.faces.terminal import wrap
from roam_semantic.operations.catalogue import Catalogue, Operation
from roam_semantic.operations.parameters import Parameter

KINDS = (BadRequest, NotFound, NotReady, Unavailable, Internal, Cancelled)


def overview(catalogue: Catalogue, width: int) -> str:
    """Return the help of the whole program."""
    operations = {o.command: o.description for o in catalogue}
    options = {f"{name} {value}": text for name, (_, value, text) in GLOBALS.items()}
    options |= {"--json": "answer with one JSON object", "--version": "print the version"}
    return "\n\n".join(
        (
            f"roam-semantic {__version__}: find org-roam notes by meaning and by word",
            "usage: roam-semantic [OPTIONS] COMMAND [ARGUMENTS] [--option value]",
            _table("operations", operations, width),
            _table("servers", SERVERS, width),
            _table("options, before or after the command", options, width),
            "COMMAND --help tells the arguments of a command\nexit codes: 0 done, "
            + ", ".join(f"{kind.exit_code} {kind.kind}" for kind in KINDS),
        )
    )


def command(catalogue: Catalogue, name: str, width: int) -> str:
    """Return the help of command NAME; raise BadRequest when there is none."""
    if name in SERVERS:
        options = {f"{n} {v}": text for n, (_, v, text) in (GLOBALS | SERVER_OPTIONS).items()}
        return f"usage: roam-semantic {name}\n\n{SERVERS[name]}\n\n" + _table(
            "options", options if name == "http" else {}, width
        )
    operation = catalogue[name]
    bare = " ".join(each.upper() for each in operation.positional)
    options = {
        _spelled(parameter, operation): _described(parameter) for parameter in operation.parameters
    }
    parts = [
        f"usage: roam-semantic {operation.command} {bare}".rstrip() + " [--option value]",
        wrap(operation.description, width),
        _table("arguments", options, width),
    ]
    return "\n\n".join(part for part in parts if part)


def _spelled(parameter: Parameter, operation: Operation) -> str:
    if parameter.name in operation.positional:
        return parameter.name.upper()
    if parameter.is_flag:
        return f"--{parameter.option}"
    return f"--{parameter.option} {'WORD' if parameter.choices else 'VALUE'}"


def _described(parameter: Parameter) -> str:
    text = parameter.description
    if parameter.choices:
        text += f": {', '.join(parameter.choices)}"
    low, high = parameter.limits.get("ge"), parameter.limits.get("le")
    if low is not None and high is not None:
        text += f", {low} to {high}"
    if parameter.default not in (msgspec.NODEFAULT, None, False, ()):
        text += f" (default {parameter.default})"
    return text


def _table(title: str, rows: dict[str, str], width: int) -> str:
    if not rows:
        return ""
    left = max(len(name) for name in rows) + 4
    lines = [f"{title}:"]
    for name, text in rows.items():
        body = wrap(text, width, " " * left).lstrip()
        lines.append(f"  {name:<{left - 2}}{body}")
    return "\n".join(lines)
