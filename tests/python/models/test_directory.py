import json
import os
from pathlib import Path

import pytest

from roam_semantic.errors import NotReady
from roam_semantic.models import tokens
from roam_semantic.models.directory import BadModel
from roam_semantic.models.embedded import expected, load_embedded
from tests.python.models import tiny


def embed(path, text="cat dog"):
    return list(load_embedded(path).embed_query(text))


def test_a_folder_with_a_model_is_loaded(tmp_path):
    model = load_embedded(tiny.folder(tmp_path / "my-model"))

    assert ("my-model", 8, 16, "multilingual") == (
        model.name,
        model.dimension,
        model.token_limit,
        model.languages,
    )
    assert tiny.direction("cat", "dog") == list(model.embed_query("cat dog"))


def test_the_folder_may_name_the_model_and_its_languages(tmp_path):
    model = load_embedded(tiny.folder(tmp_path, name="Tiny 1", languages="en", licence="MIT"))

    assert ("Tiny 1", "en") == (model.name, model.languages)


def test_the_first_token_is_the_vector_where_pooling_is_cls(tmp_path):
    path = tiny.folder(tmp_path, tiny.onnx("first"), pooling="cls")

    assert [0, 0, 0, 0, 0, 0, 0, 1] == embed(path)


def test_a_model_that_pools_itself_is_believed(tmp_path):
    assert tiny.direction("cat", "dog") == embed(tiny.folder(tmp_path, tiny.onnx("pooled")))


@pytest.mark.parametrize(
    "inputs",
    [
        ("input_ids",),
        ("input_ids", "attention_mask"),
        ("input_ids", "attention_mask", "token_type_ids"),
    ],
)
@pytest.mark.parametrize("number", [tiny.INT32, tiny.INT64])
def test_a_model_gets_the_inputs_it_wants_in_its_own_integers(tmp_path, inputs, number):
    path = tiny.folder(tmp_path, tiny.onnx(inputs=inputs, number=number))

    assert tiny.direction("cat", "dog") == embed(path)


def test_a_tokenizer_file_goes_before_a_vocabulary(tmp_path):
    path = tiny.folder(tmp_path)
    swapped = [{"cat": "dog", "dog": "cat"}.get(word, word) for word in tiny.WORDS]
    made = tokens.from_vocabulary("\n".join(swapped).encode(), 8)
    made._tokenizer.save(str(tmp_path / "tokenizer.json"))

    assert tiny.direction("dog") == embed(path, "cat")


def without(name):
    return lambda path: (path / name).unlink()


def with_settings(**settings):
    return lambda path: tiny.folder(path, **settings)


def with_file(name, content):
    return lambda path: (path / name).write_bytes(content)


@pytest.mark.parametrize(
    ("damage", "file", "message", "hint"),
    [
        (without("model.json"), "model.json", "No such file", "write it, for example: {"),
        (without("model.onnx"), "", "has no model.onnx", "put the ONNX file there"),
        (without("vocab.txt"), "", "has no tokenizer.json and no vocab.txt", "copy the tokenizer"),
        (with_file("model.json", b"{"), "model.json", "is wrong: ", "an example: {"),
        (with_file("model.json", b"\xff"), "model.json", "is wrong: ", "an example: {"),
        (with_file("model.json", b"{}"), "model.json", "field `dims`", "an example: {"),
        (with_settings(dims=12), "model.json", "multiple of 8", "an example: {"),
        (with_settings(dims="8"), "model.json", "$.dims", "an example: {"),
        (with_settings(max_tokens=0), "model.json", "$.max_tokens", "an example: {"),
        (with_settings(pooling="max"), "model.json", "$.pooling", "an example: {"),
        (with_settings(normalize=False), "model.json", "$.normalize", "an example: {"),
        (with_settings(languages="de"), "model.json", "$.languages", "an example: {"),
        (with_settings(dims=16), "model.onnx", "8 numbers instead of 16", "set dims in "),
        (with_settings(sha256="ab"), "model.onnx", "has the SHA-256", "correct sha256"),
        (with_file("model.onnx", b"no model"), "model.onnx", "cannot be used", "export it"),
        (with_file("model.onnx", b""), "model.onnx", "cannot be used", "export it"),
        (with_file("vocab.txt", b"cat\n"), "vocab.txt", "[CLS] is missing", "copy it again"),
        (with_file("vocab.txt", b"\xff\xfe"), "vocab.txt", "is not a tokenizer", "copy it again"),
        (with_file("tokenizer.json", b"{}"), "tokenizer.json", "is not a token", "copy it again"),
        (
            lambda path: tiny.folder(path, tiny.onnx(inputs=("input_ids", "pixels"))),
            "model.onnx", "its inputs are input_ids, pixels", "export it",
        ),
    ],
)  # fmt: skip
def test_a_bad_folder_gives_one_error_with_file_and_fix(tmp_path, damage, file, message, hint):
    path = tiny.folder(tmp_path)
    damage(tmp_path)

    with pytest.raises(BadModel) as caught:
        load_embedded(path)

    assert str(tmp_path / file) in caught.value.message
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert issubclass(BadModel, NotReady)


@pytest.mark.parametrize("kind", ["absent", "file"])
def test_a_folder_that_is_none_is_named(tmp_path, kind):
    path = tmp_path / kind
    if kind == "file":
        path.write_text("")

    with pytest.raises(BadModel, match=f"{path} is not a folder"):
        load_embedded(str(path))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_nobody_may_read_is_named(tmp_path):
    path = tiny.folder(tmp_path)
    (tmp_path / "model.onnx").chmod(0)

    with pytest.raises(BadModel, match=r"model\.onnx cannot be read"):
        load_embedded(path)


def test_the_right_checksum_is_accepted_in_any_case(tmp_path):
    import hashlib

    checksum = hashlib.sha256(tiny.onnx()).hexdigest().upper()

    assert tiny.direction("cat") == embed(tiny.folder(tmp_path, sha256=checksum), "cat")


@pytest.mark.parametrize(
    "change",
    [
        {"pooling": "cls"},
        {"query_prefix": "ask: "},
        {"doc_prefix": "tell: "},
        {"max_tokens": 15},
        {"lowercase": False},
        {"onnx_file": tiny.onnx("pooled")},
    ],
)
def test_the_digest_changes_with_whatever_changes_a_vector(tmp_path, change):
    before = expected(tiny.folder(tmp_path)).digest

    assert before != expected(tiny.folder(tmp_path, **change)).digest


def test_the_digest_changes_with_the_tokenizer_and_with_data_beside_the_model(tmp_path):
    path = tiny.folder(tmp_path)
    digests = {expected(path).digest}
    for name in ("vocab.txt", "model.onnx_data"):
        with open(tmp_path / name, "a") as file:
            file.write("more\n")
        digests.add(expected(path).digest)

    assert 3 == len(digests)


def test_the_digest_does_not_change_with_what_people_read(tmp_path):
    before = expected(tiny.folder(tmp_path / "one")).digest
    after = expected(
        tiny.folder(tmp_path / "two", name="Other", licence="MIT", languages="en")
    ).digest

    assert before == after


def test_the_fields_of_model_json_can_be_left_out_but_three(tmp_path):
    path = Path(tiny.folder(tmp_path))
    (path / "model.json").write_text(json.dumps(tiny.SETTINGS | {"comment": "any"}))

    assert tiny.direction("cat") == embed(str(path), "cat")
