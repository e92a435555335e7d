"""The graph we run: MiniLM's int8 weights, re-authored for fast processors.

The weights' own graph turns every int8 matrix back into float and multiplies
those.  Ours multiplies in int8 (the activations are quantised as they come),
pools and normalises inside: twice the speed, a third of the memory, cosine
0.993 to the float model.  The two graphs' vectors differ a little, so GRAPH
is part of the model's digest; change it whenever a number can change.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from roam_semantic.models.protobuf import (
    FLOAT,
    INT8,
    INT32,
    INT64,
    Operator,
    Port,
    Tensor,
    model,
    tensors,
)

if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

GRAPH = "dynamic-int8-1"

LAYERS, HEADS, WIDTH = 6, 12, 384
PER_LAYER = 6  # query, key, value, output, feed-forward in, feed-forward out
_MATRIX = re.compile(r"val_(\d+)_q")
_MICROSOFT = "com.microsoft"


def reauthor(weights: bytes) -> bytes:
    """Return our ONNX file made of the tensors of WEIGHTS, always the same bytes.

    Raise ValueError when WEIGHTS is not the file we know.
    """
    builder = _Builder(tensors(weights))
    builder.embeddings()
    for layer in range(LAYERS):
        builder.layer(layer)
    builder.pooling()
    return model(
        GRAPH,
        builder.constants,
        builder.operators,
        (
            Port("input_ids", INT64, ("batch", "tokens")),
            Port("attention_mask", INT64, ("batch", "tokens")),
        ),
        (Port("sentence_embedding", FLOAT, ("batch", WIDTH)),),
    )


class _Builder:
    """Collects operators; `x` names the hidden state [batch, tokens, WIDTH]."""

    def __init__(self, source: Mapping[str, Tensor]) -> None:
        self._source = source
        self._matrices = sorted(
            (name[:-2] for name in source if _MATRIX.fullmatch(name)),
            key=lambda name: int(name.removeprefix("val_")),
        )
        if len(self._matrices) != LAYERS * PER_LAYER:
            raise ValueError(f"{len(self._matrices)} matrices instead of {LAYERS * PER_LAYER}")
        self.constants: list[Tensor] = []
        self.operators: list[Operator] = []

    def embeddings(self) -> None:
        """Sum of word, position and type, normalised; the word table stays int8."""
        import numpy as np

        prefix = "inner.embeddings."
        words, scales = (self._array(f"{prefix}word_embeddings.weight_{s}") for s in ("q", "scale"))
        places = self._array(f"{prefix}position_embeddings.weight_q").astype(np.float32)
        places *= self._array(f"{prefix}position_embeddings.weight_scale")
        # Every text is of type 0, so its row can be added once and for all.
        places += self._array(f"{prefix}token_type_embeddings.weight")[0]
        for name, array in (("words", words), ("word_scales", scales), ("places", places)):
            self._constant(name, array)
        for name, number in (("zero", 0), ("one", 1)):
            self._constant(name, np.array([number], np.int64))
        self._add("Gather", ("words", "input_ids"), "word_int8")
        self._add("Cast", ("word_int8",), "word_float", to=FLOAT)
        self._add("Gather", ("word_scales", "input_ids"), "word_scale")
        self._add("Mul", ("word_float", "word_scale"), "word")
        self._add("Shape", ("input_ids",), "length", start=1, end=2)
        self._add("Slice", ("places", "zero", "length", "zero"), "place")
        self._add("Add", ("word", "place"), "embedded")
        self._norm_constants("embeddings", f"{prefix}LayerNorm")
        self._add(
            "LayerNormalization",
            ("embedded", "embeddings.gamma", "embeddings.beta"),
            "x0",
            axis=-1,
            epsilon=1e-12,
        )
        self._add("Cast", ("attention_mask",), "mask_int32", to=INT32)

    def layer(self, number: int) -> None:
        """Attention and feed-forward, each added to its input and normalised."""
        prefix, x = f"inner.encoder.layer.{number}", f"x{number}"
        query, key, value, out, up, down = self._matrices[
            number * PER_LAYER : (number + 1) * PER_LAYER
        ]
        own = f"{prefix}.attention.self"
        biases = tuple(f"{own}.{part}.bias" for part in ("query", "key", "value"))
        heads = tuple(f"{x}.{part}" for part in ("q", "k", "v"))
        self._matmul(x, (query, key, value), biases, f"{x}.qkv")
        self._add("Split", (f"{x}.qkv",), *heads, axis=-1)
        self._add(
            "MultiHeadAttention",
            (*heads, "", "mask_int32"),
            f"{x}.seen",
            domain=_MICROSOFT,
            num_heads=HEADS,
        )
        self._matmul(f"{x}.seen", (out,), (f"{prefix}.attention.output.dense.bias",), f"{x}.out")
        self._skip(f"{x}.out", x, f"{prefix}.attention.output.LayerNorm", f"{x}.a")
        self._matmul(f"{x}.a", (up,), (f"{prefix}.intermediate.dense.bias",), f"{x}.up")
        self._add("Gelu", (f"{x}.up",), f"{x}.gelu", domain=_MICROSOFT)
        self._matmul(f"{x}.gelu", (down,), (f"{prefix}.output.dense.bias",), f"{x}.down")
        self._skip(f"{x}.down", f"{x}.a", f"{prefix}.output.LayerNorm", f"x{number + 1}")

    def pooling(self) -> None:
        """The mean over the real tokens, at length 1."""
        import numpy as np

        self._constant("last", np.array([-1], np.int64))
        self._add("Cast", ("attention_mask",), "mask_float", to=FLOAT)
        self._add("Unsqueeze", ("mask_float", "last"), "mask")
        self._add("Mul", (f"x{LAYERS}", "mask"), "masked")
        self._add("ReduceSum", ("masked", "one"), "sum", keepdims=0)
        self._add("ReduceSum", ("mask", "one"), "count", keepdims=0)
        self._add("Div", ("sum", "count"), "mean")
        self._add("LpNormalization", ("mean",), "sentence_embedding", axis=-1, p=2)

    def _matmul(
        self, x: str, matrices: tuple[str, ...], biases: tuple[str, ...], output: str
    ) -> None:
        import numpy as np

        def joined(names: tuple[str, ...]) -> NDArray[Any]:
            return np.concatenate([self._array(name) for name in names], axis=-1)

        weight, scale, bias = (f"{output}.{part}" for part in ("weight", "scale", "bias"))
        self._constant(weight, joined(tuple(f"{name}_q" for name in matrices)))
        self._constant(scale, joined(tuple(f"{name}_scale" for name in matrices)).reshape(-1))
        self._constant(bias, joined(biases))
        self._add("DynamicQuantizeMatMul", (x, weight, scale, "", bias), output, domain=_MICROSOFT)

    def _skip(self, x: str, skipped: str, norm: str, output: str) -> None:
        self._norm_constants(output, norm)
        self._add(
            "SkipLayerNormalization",
            (x, skipped, f"{output}.gamma", f"{output}.beta"),
            output,
            domain=_MICROSOFT,
            epsilon=1e-12,
        )

    def _norm_constants(self, name: str, norm: str) -> None:
        self._constant(f"{name}.gamma", self._array(f"{norm}.weight"))
        self._constant(f"{name}.beta", self._array(f"{norm}.bias"))

    def _add(
        self,
        kind: str,
        inputs: tuple[str, ...],
        *outputs: str,
        domain: str = "",
        **attributes: float,
    ) -> None:
        self.operators.append(Operator(kind, inputs, outputs, domain, attributes))

    def _constant(self, name: str, array: NDArray[Any]) -> None:
        import numpy as np

        kind = {"float32": FLOAT, "int8": INT8, "int64": INT64}[array.dtype.name]
        self.constants.append(
            Tensor(name, kind, array.shape, np.ascontiguousarray(array).data.cast("B"))
        )

    def _array(self, name: str) -> NDArray[Any]:
        import numpy as np

        tensor = self._source.get(name)
        if tensor is None or tensor.type not in (FLOAT, INT8):
            raise ValueError(f"the tensor {name} is missing")
        kind: type[np.generic] = np.float32 if tensor.type == FLOAT else np.int8
        return np.frombuffer(tensor.raw, kind).reshape(tensor.shape)
