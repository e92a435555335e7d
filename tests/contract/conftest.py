"""One process for each face, shared by all rows of the contract tables."""

import pytest

from tests.contract.faces import TOY, Cli, Http, environment
from tests.contract.sessions import Epc, JsonRpc, Mcp

FACES = (Cli, Http, Epc, JsonRpc, Mcp)
TYPED = tuple(kind for kind in FACES if kind.has_types)
LISP = tuple(kind for kind in FACES if kind.has_nil)
STRICT = tuple(kind for kind in TYPED if not kind.has_nil)


def name(kind):
    return kind.name


@pytest.fixture(scope="session")
def toys(tmp_path_factory):
    """Yield a function from a kind of face to the running one that serves small operations."""
    home = tmp_path_factory.mktemp("home")
    running = {}

    def face(kind):
        if kind not in running:
            running[kind] = kind(TOY, environment(home))
        return running[kind]

    yield face
    for each in running.values():
        each.stop()


@pytest.fixture(params=FACES, ids=name)
def toy(request, toys):
    """Return each face in turn."""
    return toys(request.param)


@pytest.fixture(params=TYPED, ids=name)
def typed_toy(request, toys):
    """Return each face whose arguments keep their types; on a command line all is text."""
    return toys(request.param)


@pytest.fixture(params=STRICT, ids=name)
def strict_toy(request, toys):
    """Return each face where null is a value like another."""
    return toys(request.param)


@pytest.fixture(params=LISP, ids=name)
def lisp_toy(request, toys):
    """Return each face that Emacs uses, where nil may say "not given"."""
    return toys(request.param)
