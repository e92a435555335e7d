"""A model that runs: token numbers in, one vector out, through onnxruntime."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from roam_semantic.settings import refuse_telemetry

if TYPE_CHECKING:
    from numpy.typing import NDArray

Pooling = Literal["mean", "cls"]

POOLED = "sentence_embedding"
_KNOWN_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_ERRORS_ONLY = 3


class CannotRun(ValueError):
    """The file is no ONNX model, or not one that reads a text."""


class Runner:
    """One open model.  `run` may be called by many threads at once.

    A text goes alone through the model.  Batches were measured to gain
    nothing above 40 tokens, and an int8 model scales its numbers by the
    largest of the whole batch: alone, a text's vector never depends on what
    else happened to be embedded with it.
    """

    def __init__(self, model: bytes | str, pooling: Pooling = "mean") -> None:
        """Open MODEL, the bytes or the path of an ONNX file; raise CannotRun."""
        self._pooling = pooling
        self._session = _session(model)
        self._inputs: dict[str, str] = {
            port.name: "int32" if "int32" in port.type else "int64"
            for port in self._session.get_inputs()
        }
        unknown = sorted(set(self._inputs) - set(_KNOWN_INPUTS))
        if "input_ids" not in self._inputs or unknown:
            raise CannotRun(f"its inputs are {', '.join(sorted(self._inputs)) or 'none'}")
        outputs = [port.name for port in self._session.get_outputs()]
        self._output = POOLED if POOLED in outputs else outputs[0]

    def run(self, ids: Sequence[int]) -> NDArray[Any]:
        """Return what the model makes of IDS, pooled, neither checked nor normalised.

        Raise CannotRun with the model's own words when it fails.
        """
        import numpy as np

        feed: dict[str, NDArray[Any]] = {}
        for name, kind in self._inputs.items():
            if name == "input_ids":
                feed[name] = np.array([ids], kind)
            else:
                fill = np.ones if name == "attention_mask" else np.zeros
                feed[name] = fill((1, len(ids)), kind)
        try:
            output = np.asarray(self._session.run([self._output], feed)[0])
        except Exception as error:  # noqa: BLE001 - onnxruntime's errors share no class
            raise CannotRun(_first_line(error)) from error
        if output.ndim == 3:
            return output[0, 0] if self._pooling == "cls" else output[0].mean(axis=0)
        return output[0] if output.ndim == 2 else output


def _session(model: bytes | str) -> Any:
    refuse_telemetry()
    import onnxruntime

    runtime: Any = onnxruntime
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = _ERRORS_ONLY
    # Processors without VNNI overflow in 8-bit sums; this takes the exact way
    # there (a tenth slower), so that a vector is the same on every machine.
    options.add_session_config_entry("session.x64quantprecision", "1")
    try:
        session = runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        # It would keep the file's bytes, 23 MB, to open itself again on a GPU.
        session._model_bytes = None
        return session
    except Exception as error:  # noqa: BLE001 - onnxruntime's errors share no class
        raise CannotRun(_first_line(error)) from error


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0][:300]
