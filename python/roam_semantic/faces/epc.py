"""EPC, the protocol Emacs speaks by default: started here, served by `epc_server`.

The port is printed before anything heavy is imported, since Emacs waits for it.
"""

from __future__ import annotations

import socket
import threading

from roam_semantic.errors import NotReady
from roam_semantic.faces import process
from roam_semantic.faces.calls import Calls, Launch


def serve(launch: Launch) -> int:
    """Print the port, then serve it until the last client or our parent is gone."""
    token = launch.settings().token
    if not token:
        raise NotReady("no token is set", "set ROAM_SEMANTIC_TOKEN to a secret of your own")
    listening = socket.create_server(("127.0.0.1", 0))
    out = process.take_stdout()
    out.write(b"%d\n" % listening.getsockname()[1])

    from roam_semantic.faces.epc_server import Server

    stopped = threading.Event()
    calls = Calls(launch, from_lisp=True)
    server = Server(listening, token, calls, stopped.set)
    process.when_parent_ends(stopped.set)
    process.when_stdin_ends(stopped.set)
    threading.Thread(target=server.run, name="epc", daemon=True).start()
    stopped.wait()
    calls.close()
    return 0
