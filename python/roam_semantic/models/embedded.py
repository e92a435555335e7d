"""Models that run in this process: the built-in one, or a folder's."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

from roam_semantic.errors import BadRequest, Unavailable
from roam_semantic.models import directory, graph, tokens, vectors, weights
from roam_semantic.models.embedder import Definition, EmbeddingFailure, Languages, Vector
from roam_semantic.models.parallel import spread
from roam_semantic.models.runtime import CannotRun, Runner
from roam_semantic.models.tokens import Tokens

NAME = "all-MiniLM-L6-v2-int8"
# The weights' own graph: its vectors differ a little, and it is slower.
PLAIN_GRAPH = "plain-1"
TOKEN_LIMIT = 256

_BLANK = EmbeddingFailure("the text is blank", retry=False)
_UNREADABLE = EmbeddingFailure("the model knows no character of the text", retry=False)


class EmbeddedModel:
    """An `Embedder` in this process.  Threads may share it."""

    def __init__(self, definition: Definition, words: Tokens, runner: Runner) -> None:
        self.definition = definition
        self._tokens = words
        self._runner = runner

    @property
    def name(self) -> str:
        """Return the model's name, for people."""
        return self.definition.name

    @property
    def digest(self) -> str:
        """Return what changes whenever vectors can change."""
        return self.definition.digest

    @property
    def dimension(self) -> int:
        """Return how many numbers a vector has."""
        return self.definition.dimension

    @property
    def token_limit(self) -> int:
        """Return how many tokens the model reads at once, its special ones included."""
        return self.definition.token_limit

    @property
    def query_prefix(self) -> str:
        """Return what is put before a query."""
        return self.definition.query_prefix

    @property
    def passage_prefix(self) -> str:
        """Return what is put before a passage."""
        return self.definition.passage_prefix

    @property
    def languages(self) -> Languages:
        """Return "en" or "multilingual"."""
        return self.definition.languages

    def embed_passages(
        self,
        texts: Sequence[str],
        cancelled: Callable[[], bool] | None = None,
        threads: int = 2,
    ) -> list[Vector | EmbeddingFailure]:
        """Return a vector, or why there is none, for each text, in their order.

        A text over the token limit is read in windows and their vectors
        averaged by length.  cancelled: asked between windows, only from the
        calling thread; once it says True the call raises Cancelled.
        threads: how many processors work, the calling thread's included.
        """

        def embed(text: str, check: Callable[[], None]) -> Vector | EmbeddingFailure:
            return self._embed(self.passage_prefix, text, check)

        return spread(embed, texts, cancelled, threads)

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a question.

        Raise BadRequest when it is blank or says nothing to the model,
        Unavailable when the model fails.
        """
        result = self._embed(self.query_prefix, text, lambda: None)
        if not isinstance(result, EmbeddingFailure):
            return result
        if result.retry:
            raise Unavailable(f"the model {self.name} failed: {result.reason}", "ask again")
        raise BadRequest(
            f"the query has no vector: {result.reason}", "ask with words, or search by word"
        )

    def too_long(self, text: str) -> bool:
        """Say whether TEXT with the passage prefix needs more than one window."""
        return self._tokens.too_long(self.passage_prefix + text)

    def _embed(
        self, prefix: str, text: str, check: Callable[[], None]
    ) -> Vector | EmbeddingFailure:
        if not text.strip():
            return _BLANK
        windows = self._tokens.windows(prefix + text)
        if not windows:
            return _UNREADABLE
        found: list[Vector] = []
        for ids in windows:
            check()
            result = self._vector(ids)
            if isinstance(result, EmbeddingFailure):
                return result
            found.append(result)
        return found[0] if len(found) == 1 else _average(found, [len(ids) for ids in windows])

    def _vector(self, ids: Sequence[int]) -> Vector | EmbeddingFailure:
        try:
            raw = self._runner.run(ids)
        except CannotRun as error:
            return EmbeddingFailure(f"the model failed on {len(ids)} tokens: {error}")
        fault = vectors.check(raw, self.dimension)
        if fault is not None:
            return EmbeddingFailure(f"the model answered with {fault}")
        return vectors.normalised(raw)


def _average(found: Sequence[Vector], sizes: Sequence[int]) -> Vector | EmbeddingFailure:
    import numpy as np

    mean = np.average(np.stack(found), axis=0, weights=sizes)
    fault = vectors.check(mean, len(found[0]))
    if fault is not None:
        return EmbeddingFailure(f"the parts of the text average to {fault}")
    return vectors.normalised(mean)


class NoRuntime(Unavailable):
    """A library the models need cannot be imported here."""


def load_embedded(model_dir: str | None = None) -> EmbeddedModel:
    """Return the model of the folder MODEL_DIR, or the built-in one, ready to run.

    Raise `weights.MissingWeights`, `weights.ForeignFile`, `directory.BadModel`
    or `NoRuntime`, each naming the file and what to do.
    """
    try:
        return _built_in_model() if model_dir is None else _folder_model(model_dir)
    except ImportError as error:
        raise NoRuntime(
            f"a library of the model cannot be loaded ({error})",
            "run `pip install --force-reinstall numpy onnxruntime tokenizers`",
        ) from error


def _folder_model(model_dir: str) -> EmbeddedModel:
    folder = directory.read(model_dir)
    return EmbeddedModel(folder.definition, folder.open_tokens(), folder.open_runner())


def _built_in_model() -> EmbeddedModel:
    words = tokens.from_vocabulary(weights.read_vocabulary(), TOKEN_LIMIT)
    definition, runner = open_built_in(weights.read_weights())
    return EmbeddedModel(definition, words, runner)


def expected(model_dir: str | None = None) -> Definition:
    """Return the definition `load_embedded` will have, without loading the model.

    Only where our graph cannot run is it another one in the end.
    """
    return built_in() if model_dir is None else directory.read(model_dir).definition


def built_in(graph_id: str = graph.GRAPH) -> Definition:
    """Return the definition of the built-in model run by one of its two graphs."""
    parts = (weights.WEIGHTS_SHA256, weights.VOCABULARY_SHA256, graph_id, "mean", "", "", "256")
    return Definition(
        name=NAME if graph_id == graph.GRAPH else f"{NAME} ({graph_id})",
        digest=hashlib.sha256("\n".join(parts).encode()).hexdigest(),
        dimension=graph.WIDTH,
        token_limit=TOKEN_LIMIT,
    )


def open_built_in(
    source: bytes, reauthor: Callable[[bytes], bytes] = graph.reauthor
) -> tuple[Definition, Runner]:
    """Return the built-in model run by our graph, or else by its weights' own one.

    Our graph is made anew each time: that costs 20 ms, as much as checking
    a stored copy would, and there is no file to be cut or tampered with.
    """
    try:
        return built_in(), Runner(reauthor(source))
    except ValueError:
        return built_in(PLAIN_GRAPH), Runner(source)
