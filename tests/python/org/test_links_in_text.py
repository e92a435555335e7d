"""Links and citations: which stand in a text, whose they are, and where."""

from __future__ import annotations

import pytest

from roam_semantic.org.parse import read_note


def drawer(node_id: str, *more: str) -> str:
    lines = "".join(f"{line}\n" for line in more)
    return f":PROPERTIES:\n:ID: {node_id}\n{lines}:END:\n"


def read(text: str, file: str = "/vault/bees.org"):
    return read_note(text, file)


def links(text: str) -> list[tuple[str, str]]:
    return [(link.type, link.dest) for link in read(text).links]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[id:b]]", ("id", "b")),
        ("[[ID:b][bee]]", ("id", "b")),
        ("[[id:b::*Wings][bee]]", ("id", "b")),
        ("id:b-1", ("id", "b-1")),
        ("<id:b 1>", ("id", "b 1")),
        ("[[https://a.example/x?y=(z)][it]]", ("https", "//a.example/x?y=(z)")),
        ("see https://a.example/x_(y).", ("https", "//a.example/x_(y)")),
        ("/in https://a.example/x/ italics", ("https", "//a.example/x")),
        ("<https://a.example/x y>", ("https", "//a.example/x y")),
        ("[[file:a.org::*Wings]]", ("file", "a.org")),
        ("[[file:///tmp/a.org]]", ("file", "/tmp/a.org")),
        ("[[./a.org]]", ("file", "./a.org")),
        ("[[~/a.org]]", ("file", "~/a.org")),
        ("[[id:b\\]c]]", ("id", "b]c")),
        ("[[#wings]]", ("custom-id", "wings")),
        ("[[(label)]]", ("coderef", "label")),
        ("[[*Wings]]", ("fuzzy", "*Wings")),
        ("[[roam:Wild bees]]", ("roam", "Wild bees")),
        ("[[attachment:bee.png]]", ("attachment", "bee.png")),
        ("[cite:@hoare69]", ("cite", "hoare69")),
        ("[cite/t:see @hoare69 p. 3]", ("cite", "hoare69")),
        ("cite:hoare69", ("cite", "hoare69")),
        ("[[citep:&hoare69]]", ("cite", "hoare69")),
    ],
)
def test_a_link_of_every_kind_is_found(text, expected):
    assert [expected] == links(f"Bees {text} hum.\n")


def test_a_bracket_link_may_run_over_a_line_end():
    text = "One [[id:b][wild\nbee]] and [[file:a\n  b.org][two]].\n"

    assert [("id", "b"), ("file", "a b.org")] == links(text)
    assert [1, 2] == [link.line for link in read(text).links]


def test_a_bracket_link_runs_over_no_paragraph_end():
    assert [] == links("One [[id:b][wild\n\nbee]] hums.\n")


def test_every_key_of_a_citation_is_a_link():
    text = "[cite:see @a p. 1; also @b]\n"

    assert [("cite", "a"), ("cite", "b")] == links(text)


def test_abbreviations_of_the_file_are_spelled_out():
    text = "#+link: w https://w.example/%s/x\n#+link: g https://g.example/?\n[[w:bee]] [[g:b][B]]\n"

    assert [("https", "//w.example/bee/x"), ("https", "//g.example/?b")] == links(text)[-2:]


@pytest.mark.parametrize(
    "text",
    [
        "#+begin_src sh\n[[id:b]]\n#+end_src\n",
        "#+begin_example\n[[id:b]]\n#+end_example\n",
        "#+begin_comment\n[[id:b]]\n#+end_comment\n",
        "# [[id:b]]\n",
        ": [[id:b]]\n",
        "%%(diary [[id:b]])\n",
        "A shell's 'https://a.example is quoted.\n",
        "#+name: [[id:b]]\nBees hum.\n",
        "Say =[[id:b]]= here.\n",
        "Say ~[[id:b]]~ here.\n",
        "\\begin{align}\n[[id:b]]\n\\end{align}\n",
        "Say @@html:[[id:b]]@@ here.\n",
        "An \\[[id:b]\\] formula\n",
    ],
)
def test_what_is_no_running_text_holds_no_link(text):
    assert [] == links(text)


@pytest.mark.parametrize("below", ["\nBees hum.\n", "* Bees\n", ""])
def test_a_keyword_that_belongs_to_nothing_below_it_holds_links(below):
    assert [("id", "b")] == links(f"#+name: [[id:b]]\n{below}")


def test_a_quote_block_holds_links():
    assert [("id", "b")] == links("#+begin_quote\n[[id:b]]\n#+end_quote\n")


def test_a_table_cell_holds_links():
    assert [("id", "b"), ("id", "c")] == links("| [[id:b]] | x |\n| [[id:c][C]] | y |\n")


def test_a_link_knows_its_source_position_line_and_path():
    text = drawer("f") + "* One\n** Two\n" + drawer("two") + "A\n[[id:b]] hums.\n*** Three\nid:c1\n"
    first, second = read(text).links

    assert ("two", text.index("[[id:b") + 1, 10, ("One", "Two")) == (
        first.source, first.pos, first.line, first.outline_path,
    )  # fmt: skip
    assert ("two", text.index("id:c1") + 1, 12, ("One", "Two", "Three")) == (
        second.source, second.pos, second.line, second.outline_path,
    )  # fmt: skip


def test_a_link_outside_every_node_has_no_source():
    assert [None] == [link.source for link in read("[[id:b]]\n").links]


def test_a_link_in_a_property_stands_in_its_own_line():
    text = "* One\n" + drawer("x", ":SEE: [[id:b]]", ":ROAM_REFS: https://a.example")
    (found,) = read(text).links

    assert ("id", "b", "x", 4, text.index("[[id:b") + 1) == (
        found.type, found.dest, found.source, found.line, found.pos,
    )  # fmt: skip
