import threading

import numpy as np
import pytest

from roam_semantic.errors import BadRequest, Cancelled, Unavailable
from roam_semantic.models import embedded, weights
from roam_semantic.models.embedder import Embedder, EmbeddingFailure
from roam_semantic.models.runtime import CannotRun
from tests.python.models import tiny

NOTES = (
    "Bees survive the winter on the honey they stored.",
    "A mortgage is a loan secured by the house it pays for.",
    "The garbage collector frees objects nobody refers to.",
    "Sourdough rises because wild yeast makes gas.",
)
LONG = "The lecture goes on about the history of canals and locks in France. " * 60


def test_the_built_in_model_is_an_embedder(minilm):
    model: Embedder = minilm

    assert ("all-MiniLM-L6-v2-int8", 384, 256, "en") == (
        model.name,
        model.dimension,
        model.token_limit,
        model.languages,
    )
    assert ("", "") == (model.query_prefix, model.passage_prefix)


def test_a_paraphrase_finds_the_note_with_no_word_in_common(minilm):
    questions = (
        "how insects get through cold months",
        "borrowing money to buy property",
        "automatic memory management",
        "why does dough get bigger before baking",
    )
    notes = np.stack(minilm.embed_passages(NOTES))

    best = [int((notes @ minilm.embed_query(question)).argmax()) for question in questions]

    assert [0, 1, 2, 3] == best


def test_vectors_are_float32_of_length_one(minilm):
    for vector in minilm.embed_passages([*NOTES, LONG]):
        assert (np.float32, (384,)) == (vector.dtype, vector.shape)
        assert 1.0 == pytest.approx(float(np.linalg.norm(vector)), abs=1e-6)


def test_a_vector_does_not_depend_on_its_company_nor_on_threads(minilm):
    alone = [minilm.embed_passages([note])[0] for note in NOTES]
    crowd = [NOTES[3], "x", LONG, *NOTES, "a much longer text than the others " * 9]

    for threads in (1, 2, 5):
        together = minilm.embed_passages(crowd, threads=threads)[3:7]

        assert all(np.array_equal(a, b) for a, b in zip(alone, together, strict=True))


def test_a_question_and_the_same_passage_are_the_same_without_prefixes(minilm):
    (passage,) = minilm.embed_passages(["garbage collection"])

    assert np.array_equal(passage, minilm.embed_query("garbage collection"))


def test_texts_without_a_vector_keep_their_place_and_say_why(minilm):
    results = minilm.embed_passages(["", NOTES[0], " \n\t", "\u200b", NOTES[1], "🎉"])
    reasons = [r.reason if isinstance(r, EmbeddingFailure) else "" for r in results]

    assert [
        "the text is blank",
        "",
        "the text is blank",
        "the model knows no character of the text",
        "",
        "the model knows no character of the text",
    ] == reasons
    assert not any(r.retry for r in results if isinstance(r, EmbeddingFailure))


@pytest.mark.parametrize(
    "text", ["a\x00b", "half \ud83d pair", "\ufeffbom", "w" * 100_000, "a\u202eb", "\ufdfa" * 50]
)
def test_odd_characters_are_embedded_or_refused_never_fatal(minilm, text):
    (result,) = minilm.embed_passages([text])

    assert isinstance(result, EmbeddingFailure) or result.shape == (384,)


def test_the_end_of_a_long_text_is_read_too(minilm):
    plain, other = minilm.embed_passages([LONG, LONG + NOTES[0] * 3])
    bees = minilm.embed_query("bees in winter")

    assert minilm.too_long(LONG)
    assert other @ bees > plain @ bees


def test_a_long_text_is_the_mean_of_its_windows(minilm):
    windows = minilm._tokens.windows(LONG)
    parts = np.stack([minilm._vector(ids) for ids in windows])
    mean = np.average(parts, axis=0, weights=[len(ids) for ids in windows])
    (whole,) = minilm.embed_passages([LONG])

    assert len(windows) > 2
    np.testing.assert_allclose(mean / np.linalg.norm(mean), whole, atol=1e-6)


def test_no_texts_give_no_vectors(minilm):
    assert [] == minilm.embed_passages([])


def test_a_cancelled_call_raises_and_asks_only_from_its_own_thread(minilm):
    asked = []

    def cancelled():
        asked.append(threading.get_ident())
        return len(asked) > 5

    with pytest.raises(Cancelled):
        minilm.embed_passages([f"note number {n}" for n in range(500)], cancelled)

    assert {threading.get_ident()} == set(asked)
    assert len(asked) < 20


def test_a_cancelled_call_stops_within_one_endless_text(minilm):
    asked = []

    def cancelled():
        asked.append(None)
        return len(asked) > 3

    with pytest.raises(Cancelled):
        minilm.embed_passages([LONG * 40], cancelled)

    assert len(asked) < 10


@pytest.mark.parametrize("query", ["", "  ", "🎉"])
def test_a_question_without_words_is_a_bad_request(minilm, query):
    with pytest.raises(BadRequest, match="the query has no vector"):
        minilm.embed_query(query)


@pytest.fixture
def model(tmp_path):
    return embedded.load_embedded(
        tiny.folder(tmp_path, query_prefix="ask: ", doc_prefix="tell: ", max_tokens=8)
    )


def test_prefixes_are_put_before_questions_and_passages(model):
    assert tiny.direction("ask", "cat") == list(model.embed_query("cat"))
    assert [tiny.direction("tell", "cat")] == [list(v) for v in model.embed_passages(["cat"])]


def test_the_prefix_counts_towards_the_limit(model):
    # Eight tokens: [CLS] tell : … [SEP] leave room for four words.
    assert not model.too_long("cat dog cat dog")
    assert model.too_long("cat dog cat dog cat")


def test_one_text_the_model_fails_on_leaves_the_others_alone(tmp_path):
    model = embedded.load_embedded(tiny.folder(tmp_path))
    cat, odd, void, far, dog = model.embed_passages(["cat", "odd", "void", "far", "dog"])

    assert [tiny.direction("cat"), tiny.direction("dog")] == [list(cat), list(dog)]
    assert EmbeddingFailure("the model answered with a number that is not finite") == odd
    assert EmbeddingFailure("the model answered with nothing but zeros") == void
    assert far.retry
    assert "the model failed on 3 tokens: " in far.reason


def test_a_question_the_model_fails_on_says_the_model_failed(tmp_path):
    model = embedded.load_embedded(tiny.folder(tmp_path, name="tiny"))

    with pytest.raises(Unavailable, match="the model tiny failed"):
        model.embed_query("far")


def test_opposite_windows_cannot_be_averaged(tmp_path):
    model = embedded.load_embedded(tiny.folder(tmp_path))
    one = np.array([1, 0], np.float32)

    assert EmbeddingFailure("the parts of the text average to nothing but zeros") == (
        embedded._average([one, -one], [3, 3])
    )
    assert model.dimension == 8


def test_when_our_graph_cannot_run_the_weights_own_graph_does(minilm):
    def broken(source):
        return b"\x3a\x02\x0a\x00" + source[:0]

    definition, runner = embedded.open_built_in(weights.read_weights(), broken)
    plain = embedded.EmbeddedModel(definition, minilm._tokens, runner)

    assert "all-MiniLM-L6-v2-int8 (plain-1)" == plain.name
    assert plain.digest != minilm.digest
    assert plain.embed_query(NOTES[0]) @ minilm.embed_query(NOTES[0]) > 0.97


def test_the_definition_is_known_before_the_model_is_loaded(minilm):
    assert embedded.expected() == minilm.definition


def test_garbage_is_no_model():
    with pytest.raises(CannotRun):
        embedded.open_built_in(b"no model", lambda source: source)
