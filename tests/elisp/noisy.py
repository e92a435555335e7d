"""A server with noise on its standard output around all it says: noisy.py FACE."""

from __future__ import annotations

import subprocess
import sys
from typing import BinaryIO

NOISE = "WARNING: 42 ж things {are} no: message\r\n7\n".encode()


def messages(server: BinaryIO, face: str) -> list[bytes]:
    """Return the next thing SERVER says over FACE in one piece; none at its end."""
    head = server.readline()
    if not head or face != "jsonrpc":
        return [head] if head else []
    return [head, server.readline(), server.read(int(head.partition(b":")[2]))]


def main(face: str) -> int:
    """Run the server and pass on what it says."""
    with subprocess.Popen(
        [sys.executable, "-m", "roam_semantic", face], stdout=subprocess.PIPE
    ) as server:
        assert server.stdout is not None
        sys.stdout.buffer.write(NOISE * 20)
        while pieces := messages(server.stdout, face):
            between = b"no line ends here " if face == "jsonrpc" else NOISE
            sys.stdout.buffer.write(NOISE + between + b"".join(pieces) + NOISE)
            sys.stdout.buffer.flush()
        return server.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
