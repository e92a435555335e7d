"""The entry of every command."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; Ctrl-C while it still loads ends it without a word."""
    try:
        from roam_semantic import app
    except KeyboardInterrupt:
        return 130
    except ImportError as error:
        print(f"roam-semantic: it is not wholly installed: {error}", file=sys.stderr)
        return 1
    return app.main(sys.argv[1:] if words is None else words)


def mcp_main() -> int:
    """Run `mcp-roam`, the MCP server."""
    return main(["mcp", *sys.argv[1:]])


def http_main() -> int:
    """Run `roam-search`, the HTTP endpoint."""
    return main(["http", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
