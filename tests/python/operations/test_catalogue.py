"""The catalogue: what a decorated function becomes, what it takes, what it refuses."""

import math
import sys
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import Meta

from roam_semantic.errors import BadRequest, Cancelled, Internal
from roam_semantic.operations import schemas
from roam_semantic.operations.catalogue import NOBODY, TEXT, Catalogue, operation
from roam_semantic.operations.request import Request
from tests.contract import toy

GOLDEN = Path(__file__).parents[2] / "golden" / "catalogue.json"


class Answer(msgspec.Struct):
    """An answer."""

    text: str


def made(function, **hints):
    """Return FUNCTION as the only operation of a catalogue."""
    catalogue = Catalogue()
    operation(catalogue=catalogue, **hints)(function)
    return next(iter(catalogue))


def look_up(
    core: object,
    name: Annotated[str, Meta(description="a name", extra=TEXT)],
    how_many: Annotated[int, Meta(description="a number", ge=1, le=9)] = 3,
    *,
    speed: Literal["slow", "fast"] = "slow",
    request: Request = NOBODY,
) -> Answer:
    """Look a name up
    in the book.

    Programmers read this.
    """
    return Answer(f"{core} {name} {how_many} {speed} {request.id}")


ECHO = toy.CATALOGUE["echo"]


def test_a_function_becomes_an_operation_with_three_names():
    found = made(look_up, positional=("name",))

    assert ("look_up", "look-up", "roam_look_up") == (found.name, found.command, found.tool)
    assert "Look a name up in the book." == found.description
    assert ("name",) == found.positional


def test_the_core_and_the_request_are_no_arguments():
    assert ["name", "how_many", "speed"] == [p.name for p in made(look_up).parameters]


def test_an_operation_gets_its_core_its_arguments_and_its_request():
    answer = made(look_up).call("core", {"name": "x", "how-many": 2}, Request(id="7"))

    assert Answer("core x 2 slow 7") == answer


def test_a_reader_is_idempotent_by_nature():
    assert made(look_up, read_only=True).hints.idempotent
    assert not made(look_up).hints.idempotent


def test_a_name_cannot_be_taken_twice():
    catalogue = Catalogue()
    operation(catalogue=catalogue)(look_up)

    with pytest.raises(Internal, match="look_up is defined twice"):
        operation(catalogue=catalogue)(look_up)


def test_an_unknown_operation_is_refused_with_the_known_ones():
    with pytest.raises(BadRequest, match="there is no operation dance") as error:
        toy.CATALOGUE["dance"]

    assert error.value.hint.startswith("use one of big, count, echo, ")


def test_a_module_is_imported_when_its_operation_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    catalogue = Catalogue()
    for name in ("first_part", "second_part"):
        (tmp_path / f"{name}.py").write_text(
            "import sys\n"
            "from roam_semantic.operations.catalogue import operation\n"
            "from tests.python.operations.test_catalogue import look_up\n"
            f"look_up.__name__ = {name!r}\n"
            "operation(catalogue=sys.modules['the_catalogue'])(look_up)\n"
        )
    monkeypatch.setitem(sys.modules, "the_catalogue", catalogue)
    monkeypatch.setattr(look_up, "__name__", "look_up")
    catalogue.expect("first_part", "second_part")

    assert catalogue.find("first-part")
    assert "second_part" not in sys.modules
    assert ["first_part", "second_part"] == [operation.name for operation in catalogue]


def test_both_spellings_of_an_operation_find_it():
    catalogue = Catalogue()
    operation(catalogue=catalogue)(look_up)

    assert catalogue.find("look-up") is catalogue.find("look_up")
    assert catalogue.find("look") is None


def test_defaults_are_filled_in():
    expected = {"query": "x", "k": 10, "loud": False, "mode": "auto", "words": (), "within_s": None}

    assert expected == ECHO.decode({"query": "x"})


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_number_must_be_finite(number):
    with pytest.raises(BadRequest, match="within_s must be"):
        ECHO.decode({"query": "x", "within_s": number})


def test_a_whole_number_is_a_number():
    assert 2.0 == ECHO.decode({"query": "x", "within_s": 2})["within_s"]


def test_typed_text_becomes_what_it_stands_for():
    typed = {"query": "7", "k": "7", "loud": "yes", "within_s": "1.5", "words": ["7"]}

    decoded = ECHO.decode(typed, from_text=True)

    assert ("7", 7, True, 1.5, ("7",)) == tuple(
        decoded[name] for name in ("query", "k", "loud", "within_s", "words")
    )


def test_a_lone_surrogate_becomes_the_replacement_character():
    assert "a\ufffdb" == ECHO.decode({"query": "a\ud800b"})["query"]


def test_a_pair_of_surrogates_becomes_its_character():
    assert "🙂" == ECHO.decode({"query": "\ud83d\ude42"})["query"]


def test_the_name_of_an_unknown_argument_is_told_shortly():
    with pytest.raises(BadRequest) as error:
        ECHO.decode({"query": "x", "y" * 10_000: 1})

    assert len(error.value.message) < 120


def test_a_long_value_is_told_shortly():
    with pytest.raises(BadRequest) as error:
        ECHO.decode({"query": "x", "mode": "y" * 10_000})

    assert len(error.value.message) < 120


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
names = st.sampled_from(["query", "k", "loud", "mode", "words", "within_s", "within-s", "x"])


# The first text ever drawn builds a table of all characters, for seconds on a busy machine.
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.dictionaries(names, anything, max_size=6),
    st.sampled_from([{}, {"from_text": True}, {"from_lisp": True}]),
)
def test_whatever_is_given_is_decoded_or_refused(values, how):
    try:
        decoded = ECHO.decode(values, **how)
    except BadRequest:
        return

    assert 1 <= decoded["k"] <= 100
    assert decoded["query"].strip()
    assert type(decoded["loud"]) is bool


def test_a_call_that_was_cancelled_stops_at_its_next_look():
    request = Request()
    request.cancel()

    assert request.cancelled()
    with pytest.raises(Cancelled, match="the request was cancelled"):
        request.check()


def test_a_call_past_its_deadline_stops_too():
    request = Request(deadline=0.0)

    assert request.cancelled()
    assert not request.stopping
    with pytest.raises(Cancelled, match="ran out of time"):
        request.check()


def test_progress_tells_the_first_step_and_the_last_of_each_phase():
    told = []
    request = Request(on_progress=told.append)
    for phase in ("reading", "embedding"):
        for done in range(1001):
            request.progress(done, 1000, phase)

    steps = {(each.phase, each.done) for each in told}
    assert {(p, n) for p in ("reading", "embedding") for n in (0, 1000)} <= steps
    assert len(told) < 1000


def test_an_input_schema_describes_every_argument():
    schema = schemas.input_schema(ECHO)

    assert ["query"] == schema["required"]
    assert schema["additionalProperties"] is False
    assert all(part["description"] for part in schema["properties"].values())
    assert {"description": "seconds, if any", "type": "number", "minimum": 0} == {
        name: part for name, part in schema["properties"]["within_s"].items() if name != "default"
    }


def test_an_outline_tells_the_fields_an_answer_always_has():
    required = ["query", "k", "loud", "mode", "words", "within_s", "counts"]

    assert {"type": "object", "required": required} == schemas.outline(ECHO)


def test_no_schema_refers_to_another():
    assert "$ref" not in schemas.document(toy.CATALOGUE)


def test_the_golden_catalogue_is_the_programs_own():
    from roam_semantic.app import CATALOGUE

    # After a change on purpose: python -m roam_semantic catalogue > tests/golden/catalogue.json
    assert GOLDEN.read_text("utf-8") == schemas.document(CATALOGUE) + "\n"
