import contextlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roam_semantic.models import protobuf
from roam_semantic.models.protobuf import FLOAT, INT8, INT64, Operator, Port, Tensor
from roam_semantic.models.runtime import CannotRun, Runner

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)
some_tensors = st.lists(
    st.builds(
        Tensor,
        name=texts,
        type=st.sampled_from([FLOAT, INT8, INT64]),
        shape=st.lists(st.integers(0, 2**40), max_size=4).map(tuple),
        raw=st.binary(max_size=300),
    ),
    max_size=6,
    unique_by=lambda tensor: tensor.name,
)


def written(constants):
    return protobuf.model("any", constants, [], [], [])


@given(some_tensors)
def test_every_constant_written_is_read_back(constants):
    read = protobuf.tensors(written(constants))

    assert {t.name: (t.type, t.shape, bytes(t.raw)) for t in constants} == {
        name: (t.type, t.shape, bytes(t.raw)) for name, t in read.items()
    }


@given(some_tensors)
def test_the_same_parts_make_the_same_bytes(constants):
    assert written(constants) == written(list(constants))


@given(st.data())
def test_a_cut_file_is_refused_or_has_fewer_constants(data):
    whole = written([Tensor("a", FLOAT, (2,), b"12345678"), Tensor("b", FLOAT, (1,), b"1234")])
    cut = whole[: data.draw(st.integers(0, len(whole) - 1))]

    try:
        found = protobuf.tensors(cut)
    except ValueError:
        return
    # Cut exactly between two fields of the outermost message.
    assert set(found) <= {"a", "b"}


@given(st.binary(max_size=400))
def test_random_bytes_give_constants_or_a_value_error(noise):
    with contextlib.suppress(ValueError):
        assert isinstance(protobuf.tensors(noise), dict)


def test_the_runtime_reads_attributes_of_both_kinds():
    size = np.array([4.0, 3.0], np.float32)
    ids = (Port("input_ids", INT64, ("batch", "tokens")),)
    file = protobuf.model(
        "attributes",
        [Tensor("table", FLOAT, (1, 2), size.tobytes())],
        [
            Operator("Gather", ("table", "input_ids"), ("rows",), attributes={"axis": 0}),
            Operator("Elu", ("rows",), ("kept",), attributes={"alpha": 0.5}),
        ],
        ids,
        (Port("kept", FLOAT, ("batch", "tokens", 2)),),
    )

    assert [4.0, 3.0] == list(Runner(file).run([0, 0]))


def test_a_graph_with_an_unknown_operator_cannot_run():
    ids = (Port("input_ids", INT64, ("batch", "tokens")),)
    file = protobuf.model(
        "unknown", [], [Operator("Mend", ("input_ids",), ("x",))], ids, (Port("x", FLOAT, (1,)),)
    )

    with pytest.raises(CannotRun, match="Mend"):
        Runner(file)
