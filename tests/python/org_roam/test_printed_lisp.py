"""Printed Lisp, as it stands in a cell of org-roam's database, to values."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roam_semantic.org_roam.emacsql import LispError, Pair, Symbol, decode


@pytest.mark.parametrize("cell", [None, 3, 2.5])
def test_what_is_no_text_is_its_own_value(cell):
    assert cell == decode(cell)


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ('""', ""),
        ('"bees"', "bees"),
        ('"Пчёлы 蜂 🐝"', "Пчёлы 蜂 🐝"),
        (r'"so \"called\""', 'so "called"'),
        (r'"a\\b"', "a\\b"),
        (r'"\\"', "\\"),
        (r'"a\nb\tc\rd"', "a\nb\tc\rd"),
        ('"two\nlines"', "two\nlines"),
        ('"joined\\\nlines"', "joinedlines"),
        (r'"\101\7x"', "A\x07x"),
        (r'"\x41"', "A"),
        (r'"\u00e9\U0001f41d"', "é🐝"),
        (r'"\ud800"', "\ufffd"),
        ('"(not a list)"', "(not a list)"),
    ],
)
def test_a_string_loses_its_quotes_and_escapes(printed, expected):
    assert expected == decode(printed)


def test_a_byte_that_is_no_utf_8_is_kept_apart_from_every_character():
    assert "Käse" != decode(r'"K\344se"')
    assert "K" + chr(0x10FF00 + 0xE4) + "se" == decode(r'"K\344se"')


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("0", 0),
        ("-12", -12),
        ("+3", 3),
        ("5.", 5),
        ("1.5", 1.5),
        ("-.5", -0.5),
        ("1e3", 1000.0),
        ("123456789012345678901234567890", 123456789012345678901234567890),
        ("?A", 65),
    ],
)
def test_a_number_is_a_number(printed, expected):
    assert (type(expected), expected) == (type(decode(printed)), decode(printed))


def test_nil_and_t_are_none_and_true():
    assert (None, None, True) == (decode("nil"), decode("()"), decode("t"))


@pytest.mark.parametrize("name", ["bees", ":outline", "1+", "-", "a.b", "пчёлы", "<="])
def test_any_other_word_is_a_symbol(name):
    found = decode(name)

    assert isinstance(found, Symbol)
    assert name == found


def test_a_symbol_loses_its_escapes():
    assert Symbol("a b") == decode(r"a\ b")


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ('("a" "b")', ("a", "b")),
        (r'("a \"b\"" "c")', ('a "b"', "c")),
        ("(1 nil t (2 ()))", (1, None, True, (2, None))),
        ("[1 [2]]", (1, (2,))),
        (" ( 1\n2 ) ", (1, 2)),
        ("(1 ; a remark\n 2)", (1, 2)),
        ("(quote 'a)", (Symbol("quote"), Symbol("a"))),
        ('(:outline ("One" "Two"))', (Symbol(":outline"), ("One", "Two"))),
        ("(:outline nil)", (Symbol(":outline"), None)),
    ],
)
def test_lists_and_vectors_are_tuples(printed, expected):
    assert expected == decode(printed)


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ('("a" . "b")', Pair("a", "b")),
        ("(1 . nil)", Pair(1, None)),
        ("(1 2 . 3)", Pair(1, Pair(2, 3))),
        ('(("A" . "b") ("C" . "d"))', (Pair("A", "b"), Pair("C", "d"))),
        (r'(("A" . "\"b\" . (\"c\")"))', (Pair("A", '"b" . ("c")'),)),
        ('(("A" . nil) ("C" . 4))', (Pair("A", None), Pair("C", 4))),
        ("((1 . 2) . (3 . 4))", Pair(Pair(1, 2), Pair(3, 4))),
    ],
)
def test_a_dotted_pair_is_a_pair(printed, expected):
    assert expected == decode(printed)


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ('#("bees" 0 4 (face bold))', "bees"),
        (r'#("a \"b\"" 0 2 (wrap-prefix #("  " 0 2 (face x))))', 'a "b"'),
        ('(("A" . #("b" 0 1 (face (bold :height 2)))))', (Pair("A", "b"),)),
        ('(("A" . #("b" 0 1 (face bold))) ("C" . "d"))', (Pair("A", "b"), Pair("C", "d"))),
        ('("x" #("b" 0 1 (face bold)))', ("x", "b")),
        ('#("b" 0 1 (marker #<marker at 1 in bees.org>))', "b"),
    ],
)
def test_a_propertized_string_loses_its_properties(printed, expected):
    assert expected == decode(printed)


def test_no_nesting_is_too_deep():
    assert None is decode("()")
    assert decode("(" * 50_000 + "1" + ")" * 50_000)


@pytest.mark.parametrize(
    "printed",
    [
        "", " ", '"', '"a', '("a"', '"a")', ")", "(1 . )", "( . 1)", "(1 . 2 3)", "(1 . 2 . 3)",
        "[1)", "(1]", "#(1 2)", '#("a" 0 1', "1 2", '"a" "b"', "; only a remark", "(()",
    ],
)  # fmt: skip
def test_what_is_cut_or_no_lisp_is_refused(printed):
    with pytest.raises(LispError):
        decode(printed)


# -- any value


def printed(value) -> str:
    """Return VALUE as Emacs' `prin1` prints it with the settings of emacsql."""
    match value:
        case None:
            return "nil"
        case True:
            return "t"
        case Symbol():
            return str(value)
        case str():
            return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
        case Pair(car=car, cdr=cdr):
            return f"({printed(car)} . {printed(cdr)})"
        case tuple():
            return "(" + " ".join(map(printed, value)) + ")"
        case _:
            return repr(value)


WORDS = st.text(st.characters(exclude_categories=["Cs"]))
ATOMS = (
    st.none()
    | st.just(True)
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | WORDS
    | st.sampled_from([Symbol(":outline"), Symbol("a-b")])
)
VALUES = st.recursive(
    ATOMS,
    lambda inner: (
        st.lists(inner, min_size=1, max_size=5).map(tuple)
        # A pair that ends in a list or a pair prints as a longer list.
        | st.builds(Pair, inner, st.integers() | WORDS)
    ),
    max_leaves=20,
)


@given(VALUES)
@settings(deadline=None, max_examples=150)
def test_what_is_printed_is_read_back(value):
    assert value == decode(printed(value))


@given(st.dictionaries(WORDS, WORDS, min_size=1))
@settings(deadline=None, max_examples=100)
def test_properties_of_a_node_are_read_back(own):
    value = tuple(Pair(name, said) for name, said in own.items())

    assert value == decode(printed(value))


@given(st.text("()[]\"\\#.;'? \n1ae:nil", max_size=30) | st.text())
@settings(deadline=None, max_examples=150)
def test_any_text_is_a_value_or_is_refused(text):
    try:
        found = decode(text)
    except LispError:
        return

    assert not isinstance(found, float) or not math.isnan(found)


def test_a_string_whose_last_quote_is_escaped_is_not_closed():
    with pytest.raises(LispError):
        decode('"a\\"')


def test_a_string_that_ends_in_a_backslash_is_read():
    assert "a\\" == decode('"a\\\\"')
