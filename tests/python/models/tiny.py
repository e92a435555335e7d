"""Model folders of a few hundred bytes, made on the spot, run by the real runtime.

A word has a vector of eight numbers, [CLS] and [SEP] have zeros; the model
gives the vectors of the tokens ("tokens") or their mean ("pooled").
"""

import json
from pathlib import Path

import numpy as np

from roam_semantic.models.protobuf import FLOAT, INT32, INT64, Operator, Port, Tensor, model

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "ask", "tell", ":", "cat", "dog", "void", "odd", "far")
SETTINGS = {"dims": 8, "max_tokens": 16, "pooling": "mean"}


def table() -> np.ndarray:
    """Return a row for each word but the last, which the model does not know."""
    rows = np.zeros((len(WORDS) - 1, 8), np.float32)
    for column, word in enumerate(("[CLS]", "ask", "tell", "cat", "dog")):
        rows[WORDS.index(word), column] = 1
    rows[WORDS.index("[CLS]")] = 0
    rows[WORDS.index("[PAD]"), 6] = 1
    rows[WORDS.index("odd")] = np.nan
    return rows


def onnx(
    kind: str = "tokens",
    inputs: tuple[str, ...] = ("input_ids", "attention_mask"),
    number: int = INT64,
) -> bytes:
    """Return the ONNX file of a model of KIND "tokens", "first" or "pooled"."""
    words = table()
    if kind == "first":
        words[WORDS.index("[CLS]"), 7] = 1
    constants = [Tensor("table", FLOAT, words.shape, words.tobytes())]
    operators = [Operator("Gather", ("table", "input_ids"), ("hidden",))]
    shape: tuple[int | str, ...] = ("batch", "tokens", 8)
    if kind == "pooled":
        axis = np.array([1], np.int64)
        constants.append(Tensor("axis", INT64, (1,), axis.tobytes()))
        operators.append(
            Operator("ReduceSum", ("hidden", "axis"), ("pooled",), attributes={"keepdims": 0})
        )
        shape = ("batch", 8)
    return model(
        "tiny",
        constants,
        operators,
        [Port(name, number, ("batch", "tokens")) for name in inputs],
        [Port("pooled" if kind == "pooled" else "hidden", FLOAT, shape)],
    )


def folder(path: Path, onnx_file: bytes | None = None, **settings: object) -> str:
    """Write a model folder at PATH and return its name."""
    path.mkdir(parents=True, exist_ok=True)
    (path / "model.onnx").write_bytes(onnx() if onnx_file is None else onnx_file)
    (path / "vocab.txt").write_text("\n".join(WORDS) + "\n")
    (path / "model.json").write_text(json.dumps({**SETTINGS, **settings}))
    return str(path)


def direction(*words: str) -> list[float]:
    """Return the vector of length 1 that points to the sum of the vectors of WORDS."""
    rows = table()
    total = np.sum([rows[WORDS.index(word)] for word in words], axis=0)
    return list((total / np.linalg.norm(total)).astype(np.float32))


__all__ = ["INT32", "INT64", "SETTINGS", "WORDS", "direction", "folder", "onnx", "table"]
