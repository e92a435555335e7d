"""Names in running text: which are found, how far, and which are not."""

from __future__ import annotations

import pytest

from roam_semantic.retrieval.mentions import find_mentions


def found(text, *names):
    """Return (name, text) for each of NAMES that is mentioned in TEXT."""
    mentions = find_mentions(text, [(name, number) for number, name in enumerate(names)])
    assert all(text[each.start : each.end] == each.name for each in mentions)
    return [(names[each.node], each.name) for each in mentions]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("Emacs", "I use Emacs daily.", "Emacs"),
        ("Emacs", "emacs, of course", "emacs"),
        ("Emacs", "(EMACS)", "EMACS"),
        ("Emacs", "Emacs's own", "Emacs's"),
        ("Emacs", "*Emacs*: good", "Emacs"),
        ("Cold retard", "a cold\nretard overnight", "cold\nretard"),
        ("Cold retard", "the cold-retard way", "cold-retard"),
        ("Caro-Kann", "the Caro Kann defence", "Caro Kann"),
        ("Emergency fund", "two emergency funds", "emergency funds"),
        ("Sinking funds", "a sinking fund", "sinking fund"),
        ("TCP/IP", "over TCP/IP now", "TCP/IP"),
        ("Node.js", "with node.js here", "node.js"),
        ("What is it?", "ask what is it now", None),
        ("What is Zettelkasten?", "ask what is zettelkasten now", "what is zettelkasten"),
        ("C++ templates", "on C++ templates", "C++ templates"),
        ("Étude", "an étude by", "étude"),
        ("Плов", "варить плов дома", "плов"),
        ("Ещё раз", "и еще раз", "еще раз"),
        ("3-2-1 backup", "the 3-2-1 backup rule", "3-2-1 backup"),
    ],
)
def test_a_name_is_found_however_it_is_spelled(name, text, expected):
    assert ([(name, expected)] if expected else []) == found(text, name)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Emacs", "Xemacs and emacsclient"),
        ("Emacs", "~/.emacs.d and /usr/share/emacs/site-lisp"),
        ("Emacs", "emacs.el"),
        ("Emacs", "emacs_home #emacs @emacs"),
        ("Sleep", "sleep-deprived"),
        ("Cold retard", "cold. Retard"),
        ("Cold retard", "cold\n\nretard"),
        ("Cold retard", "cold, retard"),
        ("Go", "to go on"),
        ("If then", "if then else"),
        ("1984", "in 1984"),
        ("2024-01-02", "on 2024-01-02"),
        (".NET", "a net gain"),
        ("C++", "C and c++"),
        ("Плов", "плова"),
        ("Mean", "it means"),
        ("", "anything"),
        ("???", "??? and so on"),
    ],
)
def test_what_is_no_mention(name, text):
    assert [] == found(text, name)


def test_a_dotted_name_is_found_with_its_dot():
    assert [(".NET", ".NET")] == found("on .NET now", ".NET")


def test_the_longest_name_wins():
    names = ("Cold", "Cold retard", "Retard")

    assert [("Cold retard", "cold retard")] == found("a cold retard", *names)
    assert [("Cold", "cold"), ("Retard", "retard")] == found("cold, retard", *names)


def test_every_mention_is_told_in_order():
    assert ["Tea", "Milk", "Tea"] == [name for name, _ in found("tea, milk, tea", "Milk", "Tea")]


def test_a_name_of_two_notes_is_nobodys_and_hides_shorter_ones():
    names = [("Mercury", 1), ("mercury", 2), ("Mercury rising", 3), ("Rising", 4)]

    assert [4] == [each.node for each in find_mentions("Mercury and rising", names)]
    assert [3] == [each.node for each in find_mentions("mercury rising", names)]


def test_two_names_of_one_note_are_one():
    assert [1] == [each.node for each in find_mentions("emacs", [("Emacs", 1), ("EMACS", 1)])]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("寿司", "昨日は寿司を食べた", ["寿司"]),
        ("寿", "寿司", []),
        ("パン", "パンとパンダ", ["パン"]),
        ("です", "寿司です", []),
        ("データベース", "このデータベースは", ["データベース"]),
        ("机器学习", "关于机器学习的笔记", ["机器学习"]),
        ("한국어", "한국어는 어렵다", ["한국어"]),
        ("국어", "한국어는", []),
        ("Git入門", "これはgit入門です", ["git入門"]),
        ("は と が", "は と が の", ["は と が"]),
    ],
)
def test_scripts_without_blanks(name, text, expected):
    assert expected == [mention for _, mention in found(text, name)]


def test_the_longest_of_two_unspaced_names_wins():
    assert ["機械学習"] == [name for name, _ in found("機械学習の本", "機械", "機械学習", "学習")]


def test_a_hole_parts_a_name():
    assert [] == found("cold \0\0 retard", "Cold retard")


def test_ten_thousand_names_are_looked_for_in_one_pass():
    names = [(f"Subject {n} of many", n) for n in range(10_000)]
    text = "a word and " * 5000 + "subject 77 of many"

    assert [77] == [each.node for each in find_mentions(text, names)]
