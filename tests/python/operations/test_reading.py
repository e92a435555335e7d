"""Reading nodes, counting, and what doctor says."""

from __future__ import annotations

import pytest

from roam_semantic.errors import BadRequest, NotFound

FILE = """\
:PROPERTIES:
:ID:       whole
:ROAM_ALIASES: "The whole thing"
:ROAM_REFS: https://example.org/whole @key2020
:END:
#+title: Whole
#+filetags: :one:

Before the first heading.

* Part
:PROPERTIES:
:ID:       part
:END:
Text of the part.
** Inner
Text inside.
* Hidden
:PROPERTIES:
:ID:       hidden
:ROAM_EXCLUDE: t
:END:
A secret kumquat.
** Child of hidden
:PROPERTIES:
:ID:       child
:END:
An open child.
* Last
The end.
"""


@pytest.fixture
def work(workspace):
    workspace.write("whole.org", FILE)
    workspace.call("index")
    return workspace


def test_a_heading_answers_with_its_subtree_only(work):
    answer = work.call("get-node", node="part")

    assert "Part" == answer.title
    assert "Text of the part." in answer.text
    assert "Text inside." in answer.text
    assert "Before" not in answer.text
    assert "The end." not in answer.text


def test_a_file_answers_whole_but_for_what_is_excluded(work):
    answer = work.call("get-node", node="whole")

    assert "Before the first heading." in answer.text
    assert "The end." in answer.text
    assert "An open child." in answer.text
    assert "kumquat" not in answer.text


@pytest.mark.parametrize(
    "handle",
    ["whole", "Whole", "The whole thing", "https://example.org/whole", "@key2020", "whole.org"],
)
def test_a_node_is_reached_by_id_title_alias_ref_or_path(work, handle):
    assert "whole" == work.call("get-node", node=handle).node_id


def test_a_long_text_comes_in_pages_that_join_to_the_whole(work):
    whole = work.call("get-node", node="whole").text
    pages, offset = [], 0
    while offset is not None:
        page = work.call("get-node", node="whole", max_chars=50, offset=offset)
        pages.append(page.text)
        offset = page.next_offset

    assert whole == "".join(pages)
    assert len(pages) > 3


def test_what_changed_on_disk_is_what_is_read(work):
    work.write("whole.org", FILE.replace("Text inside.", "Other text."))

    assert "Other text." in work.call("get-node", node="part").text


def test_a_title_of_two_notes_asks_which_one(work):
    work.note("x1", "Twin")
    work.note("x2", "Twin")

    with pytest.raises(BadRequest, match="Twin") as error:
        work.call("get-node", node="Twin")
    assert "x1" in str(error.value.as_dict())


def test_an_unknown_node_is_not_found(work):
    with pytest.raises(NotFound):
        work.call("get-node", node="no such thing")


def test_counts_are_those_of_the_notes(work):
    stats = work.call("index-stats")

    assert (1, 3, 1, 2) == (stats.files, stats.nodes, stats.file_nodes, stats.heading_nodes)
    assert stats.units == stats.index.total == sum(stats.unit_types.values())


def test_doctor_is_content_with_a_whole_index(work):
    answer = work.call("doctor")

    assert answer.ok
    assert {"ok"} == {
        check.state for check in answer.checks if check.name in ("vault", "index", "model")
    }


def test_doctor_notices_notes_the_model_cannot_read_well(work):
    for number in range(6):
        work.note(
            f"j{number}",
            f"日記 {number}",
            "今日は朝から雨が降っていたので、家で本を読んで過ごしました。",
        )
    work.call("index")

    (check,) = [check for check in work.call("doctor").checks if check.name == "language"]
    assert "Japanese" in check.message
    assert check.remedy
