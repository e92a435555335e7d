"""MCP over stdio: started here, served by `mcp_server`.

The official library takes a second to import.  Before that, stdout is put out
of the reach of anything that might print while it is imported, and opening the
core has begun.
"""

from __future__ import annotations

import os

from roam_semantic.faces import process
from roam_semantic.faces.calls import Calls, Launch


def serve(launch: Launch) -> int:
    """Serve stdin and stdout until stdin ends or our parent is gone."""
    out = process.take_stdout()
    stdin = process.take_stdin()
    process.when_parent_ends(lambda: os._exit(0))
    calls = Calls(launch)
    calls.warm()

    import asyncio

    from roam_semantic.faces import mcp_server

    asyncio.run(mcp_server.run(calls, stdin, out))
    calls.close()
    return 0
