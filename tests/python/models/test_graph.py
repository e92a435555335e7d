import hashlib

import numpy as np
import pytest

from roam_semantic.models import embedded, graph, protobuf, tokens, weights
from roam_semantic.models.protobuf import FLOAT, INT8, Tensor
from roam_semantic.models.runtime import Runner

SENTENCES = (
    "A note about keeping bees in winter",
    "How do I stop a program that hangs?",
    "The committee approved the budget for the new library building.",
    "recursion",
    "- buy milk\n- call the dentist\n- " + "repair the bicycle " * 30,
)


@pytest.fixture(scope="module")
def source():
    return weights.read_weights()


def cosine(one, other):
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


def test_our_graph_is_always_the_same_file(source):
    # Another file gives other vectors: change graph.GRAPH together with this.
    assert ("dynamic-int8-1", GOLDEN) == (
        graph.GRAPH,
        hashlib.sha256(graph.reauthor(source)).hexdigest(),
    )


def test_both_graphs_give_nearly_the_same_vectors(source):
    words = tokens.from_vocabulary(weights.read_vocabulary(), embedded.TOKEN_LIMIT)
    ours, theirs = Runner(graph.reauthor(source)), Runner(source)
    for sentence in SENTENCES:
        (ids,) = words.windows(sentence)

        assert cosine(ours.run(ids), theirs.run(ids)) > 0.97, sentence


def test_a_text_of_one_token_and_of_the_longest_window_can_be_read(source):
    runner = Runner(graph.reauthor(source))

    assert (384,) == runner.run([101]).shape == runner.run([2023] * 512).shape


def test_a_file_without_the_matrices_is_refused():
    other = protobuf.model("other", [Tensor("val_1_q", INT8, (1, 1), b"\1")], [], [], [])

    with pytest.raises(ValueError, match="1 matrices instead of 36"):
        graph.reauthor(other)


def test_a_file_with_the_matrices_alone_is_refused():
    matrices = [Tensor(f"val_{n}_q", INT8, (1, 1), b"\1") for n in range(36)]

    with pytest.raises(ValueError, match="word_embeddings.weight_q is missing"):
        graph.reauthor(protobuf.model("other", matrices, [], [], []))


def test_a_tensor_of_another_kind_counts_as_missing():
    matrices = [Tensor(f"val_{n}_q", INT8, (1, 1), b"\1") for n in range(36)]
    words = Tensor("inner.embeddings.word_embeddings.weight_q", 10, (1,), b"\0\0")

    with pytest.raises(ValueError, match="is missing"):
        graph.reauthor(protobuf.model("other", [*matrices, words], [], [], []))
    assert FLOAT != words.type


def test_a_cut_file_is_refused(source):
    with pytest.raises(ValueError, match="cut after"):
        graph.reauthor(source[: len(source) // 2])


GOLDEN = "414a796bace2a586629428e94515e2ad086a0fd87401202828bb072149f319e4"
