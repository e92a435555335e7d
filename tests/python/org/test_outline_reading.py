"""Org text to a Note: headings, properties, what is text and what is not, links."""

from __future__ import annotations

import pytest

from roam_semantic.org.parse import read_note
from roam_semantic.values import Ref


def drawer(node_id: str, *more: str) -> str:
    lines = "".join(f"{line}\n" for line in more)
    return f":PROPERTIES:\n:ID: {node_id}\n{lines}:END:\n"


def read(text: str, file: str = "/vault/bees.org"):
    return read_note(text, file)


def node(text: str):
    """Return the last node of TEXT."""
    return read(text).nodes[-1]


def bodies(text: str) -> list[str]:
    return [section.body for section in read(text).sections]


def links(text: str) -> list[tuple[str, str]]:
    return [(link.type, link.dest) for link in read(text).links]


# -- the file itself


def test_a_file_without_id_is_a_node_without_id_named_by_its_file():
    (found,) = read("Only words.\n").nodes

    assert (None, 0, 1, 1, "bees") == (
        found.id, found.level, found.pos, found.line, found.title,
    )  # fmt: skip


def test_the_first_title_with_words_names_the_file():
    text = "#+title:\n#+TITLE: Of [[id:x][wild]] bees  \n#+title: Later\n"

    assert "Of wild bees" == read(text).title


def test_a_title_in_a_block_names_nothing():
    text = "#+begin_src org\n#+title: Not this\n#+end_src\n"

    assert "bees" == read(text).title


def test_file_properties_may_stand_below_comments_but_not_below_words():
    assert "f" == node("# -*- coding: utf-8 -*-\n" + drawer("f")).id
    assert None is node("Words.\n" + drawer("f")).id
    assert None is node("#+title: Bees\n" + drawer("f")).id


def test_tags_of_the_file_come_from_both_ways_to_write_them():
    found = node("#+filetags: :insect:wild:\n#+filetags: garden insect\n")

    assert ("insect", "wild", "garden") == found.tags


# -- headings


def test_stars_need_a_blank_and_the_line_start_to_be_a_heading():
    text = "**bold** words\n*\n * indented\n* Heading\n"

    assert ["bees", "Heading"] == [section.title for section in read(text).sections]


def test_a_heading_knows_its_level_line_position_and_ancestors():
    text = "Words.\n* One\n*** Two\n" + drawer("two") + "* Three\n"
    found = node(text)

    assert (3, 3, text.index("*** Two") + 1, ("One",)) == (
        found.level, found.line, found.pos, found.outline_path,
    )  # fmt: skip
    assert [(), (), ("One",), ()] == [section.outline_path for section in read(text).sections]


def test_the_first_heading_stands_behind_its_stars_as_org_roam_has_it():
    text = "* One\n" + drawer("one") + "* Two\n" + drawer("two")
    _, one, two = read(text).nodes

    assert (3, text.index("* Two") + 1) == (one.pos, two.pos)


def test_a_heading_gives_up_keyword_priority_and_tags():
    found = node("* TODO [#B] Feed the bees   :garden:urgent:\n" + drawer("x"))

    assert ("TODO", "B", "Feed the bees", ("garden", "urgent")) == (
        found.todo, found.priority, found.title, found.tags,
    )  # fmt: skip


def test_only_a_keyword_that_stands_alone_is_one():
    assert (None, "TODOs for bees") == _todo_and_title("* TODOs for bees\n")
    assert (None, "todo bees") == _todo_and_title("* todo bees\n")
    assert (None, "Bees TODO") == _todo_and_title("* Bees TODO\n")


def _todo_and_title(heading: str) -> tuple[str | None, str]:
    found = node(heading + drawer("x"))
    return found.todo, found.title


@pytest.mark.parametrize("key", ["TODO", "todo", "SEQ_TODO", "TYP_TODO"])
def test_keywords_of_the_file_replace_the_usual_ones(key):
    head = f"#+{key}: NEXT(n) WAIT(w@/!) | GONE\n"

    assert ("WAIT", "Bees") == _todo_and_title(head + "* WAIT Bees\n")
    assert ("GONE", "Bees") == _todo_and_title(head + "* GONE Bees\n")
    assert (None, "TODO Bees") == _todo_and_title(head + "* TODO Bees\n")


def test_keywords_may_be_declared_below_the_headings_they_mark():
    assert "NEXT" == read("* NEXT Bees\n#+TODO: NEXT | DONE\n").sections[1].todo


def test_tags_are_inherited_from_above_each_once_own_ones_last():
    text = "#+filetags: :a:\n* One :b:\n** Two :c:a:\n" + drawer("two")

    assert ("b", "c", "a") == node(text).tags


def test_a_sibling_inherits_nothing():
    assert () == node("* One :b:\n* Two\n" + drawer("two")).tags


def test_words_between_colons_with_a_blank_are_no_tags():
    found = node("* Time is 12:30: or :so on:\n" + drawer("x"))

    assert ("Time is 12:30: or :so on:", ()) == (found.title, found.tags)


def test_tags_of_every_script_are_tags():
    assert ("пчёлы", "蜂", "हिंदी") == node("* Bees :пчёлы:蜂:हिंदी:\n" + drawer("x")).tags


def test_a_title_keeps_its_cookie_and_a_path_does_not():
    text = "* Bees [1/3]\n" + drawer("x") + "** Wings\n" + drawer("y")
    _, bees, wings = read(text).nodes

    assert "Bees [1/3]" == bees.title
    assert ("Bees",) == wings.outline_path


def test_links_in_a_title_are_reduced_to_their_words():
    text = "* Of [[id:b][wild]] bees [[id:c]]\n" + drawer("x")

    assert "Of wild bees id:c" == node(text).title
    assert [("id", "b"), ("id", "c")] == links(text)


def test_a_heading_without_words_is_still_a_heading():
    (top, empty) = read("* \nText.\n").sections

    assert (1, "Text.") == (empty.level, empty.body)
    assert "" == top.body


# -- planning and properties


def test_planning_stands_between_heading_and_drawer():
    text = (
        "* Bees\nSCHEDULED: <2024-03-01 Fri 09:30> DEADLINE: <2024-03-09 Sat>\n"
        + drawer("x")
        + "Text.\n"
    )
    found = node(text)

    assert ("2024-03-01T09:30:00", "2024-03-09T00:00:00") == (found.scheduled, found.deadline)
    assert "Text." == bodies(text)[-1]


def test_a_day_that_does_not_exist_is_counted_on():
    found = node("* Bees\nDEADLINE: <2023-02-30>\n" + drawer("x"))

    assert "2023-03-02T00:00:00" == found.deadline


@pytest.mark.parametrize("stamp", ["", "tomorrow", "<2024-13>", "<9999-12-99>"])
def test_planning_without_a_time_is_none(stamp):
    assert None is node(f"* Bees\nSCHEDULED: {stamp}\n" + drawer("x")).scheduled


def test_planning_below_the_text_is_text():
    assert ["", "Text.\nSCHEDULED: <2024-03-01>"] == bodies(
        "* Bees\nText.\nSCHEDULED: <2024-03-01>\n"
    )


def test_property_names_are_upper_case_the_first_value_counts_and_plus_adds():
    found = node(drawer("f", ":colour: red", ":Colour: blue", ":colour+: green", ":empty:"))

    assert {"ID": "f", "COLOUR": "red green", "EMPTY": ""} == found.properties


def test_a_drawer_may_be_indented_and_in_lower_case():
    assert "x" == node("* Bees\n  :properties:\n  :id: x\n  :end:\n").id


def test_a_drawer_with_a_line_that_is_no_property_gives_no_id():
    assert None is node("* Bees\n:PROPERTIES:\n:ID: x\nwords\n:END:\n").id


def test_a_drawer_below_text_or_a_blank_line_gives_no_id():
    assert 1 == len(read("* Bees\nText.\n" + drawer("x")).nodes)
    assert 1 == len(read("* Bees\n\n" + drawer("x")).nodes)


def test_a_drawer_that_never_ends_gives_no_id():
    assert 1 == len(read("* Bees\n:PROPERTIES:\n:ID: x\n").nodes)


def test_a_blank_id_is_none():
    assert 1 == len(read("* Bees\n:PROPERTIES:\n:ID:   \n:END:\n").nodes)


def test_an_id_that_repeats_is_told_twice():
    text = "* One\n" + drawer("x") + "* Two\n" + drawer("x")

    assert ["x", "x"] == [found.id for found in read(text).nodes[1:]]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('"wild bee" hive', ("wild bee", "hive")),
        (r'"so \"called\" bee"', ('so "called" bee',)),
        ("bee  bee\thive", ("bee", "hive")),
        ('"unclosed bee', ("unclosed", "bee")),
        ('""', ()),
    ],
)
def test_aliases_are_a_list_as_a_shell_reads_it(value, expected):
    assert expected == node(drawer("f", f":ROAM_ALIASES: {value}")).aliases


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("https://bees.example/a", (Ref("//bees.example/a", "https"),)),
        ("@hoare69", (Ref("hoare69", "cite"),)),
        ("[cite:@a; @b]", (Ref("a", "cite"), Ref("b", "cite"))),
        ("cite:a,b", (Ref("a", "cite"), Ref("b", "cite"))),
        ("@a @a", (Ref("a", "cite"),)),
        ('"https://bees.example/a b"', (Ref("//bees.example/a b", "https"),)),
        ("no-ref", ()),
        ("@", ()),
    ],
)
def test_refs_are_addresses_without_scheme_and_citation_keys(value, expected):
    assert expected == node(drawer("f", f":ROAM_REFS: {value}")).refs


# -- excluded


def test_an_excluded_file_is_no_node_and_its_headings_with_id_are():
    text = drawer("f", ":ROAM_EXCLUDE: t") + "Secret.\n* One\nSecret.\n* Two\n" + drawer("two")
    note = read(text)

    assert ["two"] == [found.id for found in note.nodes]
    assert [True, True, False] == [section.excluded for section in note.sections]


def test_an_excluded_heading_hides_what_is_below_it_and_its_links():
    text = (
        drawer("f") + "* One\n" + drawer("one", ":ROAM_EXCLUDE: t")
        + "[[id:a]]\n** Two\n[[id:b]]\n* Three\n[[id:c]]\n"
    )  # fmt: skip
    note = read(text)

    assert ["f"] == [found.id for found in note.nodes]
    assert [False, True, True, False] == [section.excluded for section in note.sections]
    assert [("id", "c")] == links(text)


def test_excluding_with_nil_excludes_nothing():
    assert "f" == node(drawer("f", ":ROAM_EXCLUDE: nil")).id


# -- text


def test_the_body_leaves_out_drawer_planning_and_final_blank_lines():
    text = "* Bees\nCLOSED: [2024-03-01]\n" + drawer("x") + "One.\n\nTwo.\n\n\n* Next\n"
    (_, section, _) = read(text).sections

    assert "One.\n\nTwo." == section.body
    assert (6, 7, 8) == section.lines
    assert text.index("One.") + 1 == section.body_pos


def test_logs_clocks_and_lost_drawers_are_cut_out_of_the_text():
    text = (
        "* Bees\nOne.\n:LOGBOOK:\nCLOCK: [2024-03-01]\n- Note\n:END:\nTwo.\n"
        ":PROPERTIES:\n:x: y\n:END:\nThree.\nCLOCK: [2024-03-02]\nFour.\n"
    )

    assert "One.\nTwo.\nThree.\nFour." == bodies(text)[1]
    assert (3, 8, 12, 14) == tuple(number + 1 for number in read(text).sections[1].lines)


def test_a_logbook_right_below_the_heading_or_the_drawer_is_cut():
    log = ":LOGBOOK:\nCLOCK: [2024-03-01]\n:END:\n"

    assert "Text." == bodies("* Bees\n" + log + "Text.\n")[1]
    assert "Text." == bodies("* Bees\n" + drawer("x") + log + "Text.\n")[1]
    assert "Text." == bodies(drawer("f") + log + "Text.\n")[0]


def test_a_drawer_with_a_name_of_ones_own_is_text():
    assert ":aside:\nBees hum.\n:end:" == bodies(":aside:\nBees hum.\n:end:\n")[0]


def test_a_drawer_that_never_ends_costs_no_text():
    assert ["", ":LOGBOOK:\nOne.", "Two."] == bodies("* A\n:LOGBOOK:\nOne.\n* B\nTwo.\n")


def test_a_drawer_shown_in_a_block_is_text():
    inner = ":LOGBOOK:\nBees.\n:END:"

    assert (
        f"#+begin_example\n{inner}\n#+end_example"
        == bodies(f"#+begin_example\n{inner}\n#+end_example\n")[0]
    )


def test_escaped_stars_and_keywords_in_a_block_lose_one_comma():
    text = "#+begin_src org\n,* Bees\n,,* Wasps\n,#+title: x\n, y\n#+end_src\n"
    (section,) = read(text).sections

    assert "#+begin_src org\n* Bees\n,* Wasps\n#+title: x\n, y\n#+end_src" == section.body
    assert tuple(range(1, 7)) == section.lines


def test_a_comma_before_a_star_outside_a_block_stays():
    assert [",* Bees"] == bodies(",* Bees\n")


def test_a_bare_star_ends_a_block_as_it_does_in_org():
    text = "#+begin_src org\n* Bees\n" + drawer("x") + "[[id:y]]\n#+end_src\n"

    assert "x" == node(text).id
    assert [("id", "y")] == links(text)


def test_an_inline_task_gives_its_words_to_the_section_around_it():
    stars = "*" * 15
    text = f"* Bees\nBefore.\n{stars} TODO Smoke the hive\nInside.\n{stars} END\nAfter.\n* Next\n"
    (_, bees, following) = read(text).sections

    assert "Before.\nTODO Smoke the hive\nInside.\nAfter." == bees.body
    assert (2, 3, 4, 6) == bees.lines
    assert text.index("Smoke") + 1 - len("TODO ") == bees.starts[1]
    assert "Next" == following.title


def test_an_inline_task_with_an_id_is_a_node():
    stars = "*" * 15
    text = f"* Bees\n{stars} Smoke the hive\n{drawer('x')}Inside.\n{stars} END\n"

    assert ("x", "Smoke the hive", ("Bees",)) == (
        node(text).id, node(text).title, node(text).outline_path,
    )  # fmt: skip
