"""The entry of every command."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import cast


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; Ctrl-C while it still loads ends it without a word."""
    try:
        _import_msgspec()
        from roam_semantic import app
    except KeyboardInterrupt:
        return 130
    except ImportError as error:
        print(f"roam-semantic: it is not wholly installed: {error}", file=sys.stderr)
        return 1
    return app.main(sys.argv[1:] if words is None else words)


def _import_msgspec() -> None:
    """Import msgspec without `typing_extensions`, which costs more than msgspec itself.

    msgspec asks for it but needs nothing of it that `typing` lacks since Python
    3.11, and falls back; whoever really needs it imports it later as ever.
    """
    name = "typing_extensions"
    modules = cast("dict[str, object]", sys.modules)
    hidden = modules.setdefault(name, None) is None
    try:
        import msgspec  # noqa: F401  # pyright: ignore[reportUnusedImport]
    finally:
        if hidden:
            del modules[name]


def mcp_main() -> int:
    """Run `mcp-roam`, the MCP server."""
    return main(["mcp", *sys.argv[1:]])


def http_main() -> int:
    """Run `roam-search`, the HTTP endpoint."""
    return main(["http", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
