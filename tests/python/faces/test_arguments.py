"""The words of a command line: where they may stand, what each means."""

import pytest

from roam_semantic.errors import BadRequest
from roam_semantic.faces.arguments import parse, wants_json
from tests.contract.toy import CATALOGUE


def words(line: str) -> list[str]:
    return line.split()


@pytest.mark.parametrize(
    "line", ["--dir /v echo tea --k 3", "echo --dir=/v tea --k=3", "echo tea --k 3 --dir /v"]
)
def test_global_options_may_stand_anywhere(line):
    read = parse(words(line), CATALOGUE)

    assert "echo" == read.command
    assert {"vault": "/v"} == read.overrides
    assert {"query": "tea", "k": "3"} == read.given


@pytest.mark.parametrize("line", ["--json echo tea", "echo tea --json", "echo --json tea"])
def test_json_may_be_asked_for_anywhere(line):
    assert parse(words(line), CATALOGUE).as_json


def test_after_two_dashes_everything_is_an_argument():
    read = parse(["echo", "--k", "3", "--", "--json"], CATALOGUE)

    assert {"k": "3", "query": "--json"} == read.given
    assert not read.as_json
    assert not wants_json(["echo", "--", "--json"])


def test_a_single_dash_starts_an_argument():
    assert {"query": "-tag:work"} == parse(["echo", "-tag:work"], CATALOGUE).given


def test_a_value_may_look_like_an_option():
    assert {"query": "--k"} == parse(["echo", "--query=--k"], CATALOGUE).given
    assert {"query": "--k"} == parse(["echo", "--query", "--k"], CATALOGUE).given


def test_a_flag_needs_no_value_and_may_have_one():
    assert {"query": "x", "loud": True} == parse(words("echo --loud x"), CATALOGUE).given
    assert {"query": "x", "loud": "no"} == parse(words("echo --loud=no x"), CATALOGUE).given


def test_a_list_is_given_piece_by_piece():
    read = parse(words("echo x --words a --words=b"), CATALOGUE)

    assert ["a", "b"] == read.given["words"]


@pytest.mark.parametrize("line", ["", "--help", "-h", "--json"])
def test_without_a_command_there_is_none(line):
    assert parse(words(line), CATALOGUE).command is None


def test_help_is_not_kept_from_somebody_who_has_the_rest_wrong():
    read = parse(words("echo --wrong --help"), CATALOGUE)

    assert (read.command, read.help) == ("echo", True)


def test_the_words_of_a_worker_are_its_own():
    read = parse(words("worker --dir /v --force"), CATALOGUE)

    assert ({"vault": "/v"}, ("--force",)) == (read.overrides, read.rest)


def test_a_port_is_an_option_of_http_alone():
    assert {"port": "0"} == parse(words("http --port 0"), CATALOGUE).overrides
    with pytest.raises(BadRequest, match="mcp takes no argument --port"):
        parse(words("mcp --port 0"), CATALOGUE)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("dance", "there is no operation dance"),
        ("--k 3 echo", "there is no global option --k"),
        ("echo x --k", "--k needs a value"),
        ("echo --dir", "--dir needs a value"),
        ("echo x --lmit 3", "echo has no argument --lmit"),
        ("echo how to bake", "echo takes no further argument to"),
        ("count x", "count takes no further argument x"),
        ("http x", "http takes no argument x"),
    ],
)
def test_a_word_that_is_off_is_named(line, message):
    with pytest.raises(BadRequest, match=message):
        parse(words(line), CATALOGUE)


def test_words_that_belong_together_are_shown_quoted():
    with pytest.raises(BadRequest) as error:
        parse(words("echo how to bake"), CATALOGUE)

    assert 'quote words that belong together: "how to bake"' == error.value.hint
