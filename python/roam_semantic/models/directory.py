"""A folder with a model of the user's own: read, checked, opened.

    model.onnx                    the model (data files named model.onnx… beside it)
    tokenizer.json or vocab.txt   its tokenizer
    model.json                    what no file of the model says, see `ModelFile`

Every fault is told once, when the folder is read, with the file's name.
"""

from __future__ import annotations

import hashlib
import os
from typing import Annotated, Literal, TypeVar

import msgspec

from roam_semantic.errors import NotReady
from roam_semantic.models import tokens, vectors
from roam_semantic.models.embedder import Definition, Languages
from roam_semantic.models.runtime import CannotRun, Pooling, Runner
from roam_semantic.models.tokens import Tokens

Result = TypeVar("Result")

MODEL, SETTINGS, TOKENIZER, VOCABULARY = "model.onnx", "model.json", "tokenizer.json", "vocab.txt"
_EXAMPLE = '{"dims": 384, "max_tokens": 256, "pooling": "mean"}'


class BadModel(NotReady):
    """A file of the user's model folder is missing or wrong; the message names it."""


class ModelFile(msgspec.Struct, frozen=True):
    """What model.json says.

    dims: numbers a vector has, a multiple of 8.  max_tokens: what the model
    reads at once, its special tokens included.  pooling: how the vectors of
    the tokens become one.  normalize: must be true, vectors are compared by
    cosine.  query_prefix, doc_prefix: put before a question, before a
    passage.  lowercase: for vocab.txt only.  sha256: of model.onnx; checked
    when given.  licence: told to people, never checked.
    """

    dims: Annotated[int, msgspec.Meta(ge=8, le=8192, multiple_of=8)]
    max_tokens: Annotated[int, msgspec.Meta(ge=8, le=32768)]
    pooling: Pooling
    normalize: Literal[True] = True
    query_prefix: str = ""
    doc_prefix: str = ""
    name: str = ""
    lowercase: bool = True
    sha256: str = ""
    licence: str = ""
    languages: Languages = "multilingual"


class Folder(msgspec.Struct, frozen=True):
    """A model folder whose files are all there and agree with model.json."""

    path: str
    tokenizer: str
    settings: ModelFile
    definition: Definition

    def open_tokens(self) -> Tokens:
        """Return its tokenizer; raise BadModel when the file is none."""
        file = os.path.join(self.path, self.tokenizer)
        limit = self.settings.max_tokens
        try:
            if self.tokenizer == TOKENIZER:
                return tokens.from_file(file, limit)
            with open(file, "rb") as stream:
                return tokens.from_vocabulary(
                    stream.read(), limit, lowercase=self.settings.lowercase
                )
        except ValueError as error:
            raise BadModel(
                f"{file} is not a tokenizer ({error})", "copy it again from where the model came"
            ) from error

    def open_runner(self) -> Runner:
        """Return its model after a first text; raise BadModel when they do not fit."""
        file = os.path.join(self.path, MODEL)
        try:
            runner = Runner(file, self.settings.pooling)
            first = self.open_tokens().windows("a note")
            answer = runner.run(first[0] if first else [0])
        except CannotRun as error:
            raise BadModel(
                f"{file} cannot be used ({error})",
                "export it as a sentence embedding or feature extraction model",
            ) from error
        fault = vectors.check(answer, self.settings.dims)
        if fault is not None:
            raise BadModel(
                f"{file} answers with {fault}",
                f"set dims in {os.path.join(self.path, SETTINGS)} to what the model gives",
            )
        return runner


def read(path: str) -> Folder:
    """Return the model folder PATH; raise BadModel naming the file and the fix."""
    settings = _settings(path)
    if not os.path.isfile(os.path.join(path, MODEL)):
        raise BadModel(f"{path} has no {MODEL}", f"put the ONNX file there as {MODEL}")
    tokenizer = next(
        (name for name in (TOKENIZER, VOCABULARY) if os.path.isfile(os.path.join(path, name))), None
    )
    if tokenizer is None:
        raise BadModel(
            f"{path} has no {TOKENIZER} and no {VOCABULARY}",
            "copy the tokenizer of the model there",
        )
    return Folder(path, tokenizer, settings, _definition(path, tokenizer, settings))


def _settings(path: str) -> ModelFile:
    file = os.path.join(path, SETTINGS)
    if not os.path.isdir(path):
        raise BadModel(f"the model folder {path} is not a folder", "set ROAM_MODEL_DIR to one")
    try:
        with open(file, "rb") as stream:
            return msgspec.json.decode(stream.read(), type=ModelFile)
    except OSError as error:
        raise BadModel(
            f"{file} cannot be read ({error.strerror})", f"write it, for example: {_EXAMPLE}"
        ) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadModel(
            f"{file} is wrong: {error}", f"correct it; an example: {_EXAMPLE}"
        ) from error


def _definition(path: str, tokenizer: str, settings: ModelFile) -> Definition:
    # A model above 2 GB keeps its numbers in files beside it (model.onnx_data).
    files = [name for name in sorted(os.listdir(path)) if name.startswith(MODEL)]
    hashes = {name: _sha256(os.path.join(path, name)) for name in (*files, tokenizer)}
    if settings.sha256 and settings.sha256.lower() != hashes[MODEL]:
        raise BadModel(
            f"{os.path.join(path, MODEL)} has the SHA-256 {hashes[MODEL]}, model.json says another",
            "download the model again, or correct sha256",
        )
    meant = msgspec.structs.replace(settings, name="", licence="", sha256="", languages="en")
    parts = msgspec.json.encode((hashes, meant))
    return Definition(
        name=settings.name or os.path.basename(os.path.abspath(path)),
        digest=hashlib.sha256(parts).hexdigest(),
        dimension=settings.dims,
        token_limit=settings.max_tokens,
        query_prefix=settings.query_prefix,
        passage_prefix=settings.doc_prefix,
        languages=settings.languages,
    )


def _sha256(file: str) -> str:
    try:
        with open(file, "rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise BadModel(
            f"{file} cannot be read ({error.strerror})", "check the file and its permissions"
        ) from error
