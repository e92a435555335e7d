"""S-expressions: what Emacs' reader gets, what comes back, and at what price."""

import math
import shutil
import subprocess

import msgspec
import pytest
import sexpdata
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roam_semantic.faces import sexp
from roam_semantic.values import Hit, Ranks

texts = st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text("abcdefghij", min_size=1), inner, max_size=4)
    ),
    max_leaves=12,
)


class Thing(msgspec.Struct):
    """A thing."""

    node_id: str
    is_on: bool = True
    parts: tuple[int, ...] = ()


def hits(count: int) -> list[Hit]:
    """Return an answer's worth of hits with text as notes have it."""
    passage = 'Steep the "leaves" for three minutes, then pour — чай, 日本. ' * 6
    return [
        Hit(
            f"id-{n}", f"Title {n}", f"/v/{n}.org", ("One", "Two"), n, n * 10, "heading",
            passage, 1 / (n + 1), Ranks(n, None), "both", ("tag",),
        )
        for n in range(count)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (Thing("x"), '(:node-id "x" :is-on t :parts nil)'),
        (Thing("x", False, (1, 2)), '(:node-id "x" :is-on nil :parts (1 2))'),
        ({"files_read": 3, "a b": None}, "(:files_read 3 :a\\ b nil)"),
        ([None, True, False, [], {}, ()], "(nil t nil nil nil nil)"),
        ('"\\', '"\\"\\\\"'),
        ("\r\n\t\0", '"\\r\n\t\0"'),
        (-1.5, "-1.5"),
        (math.inf, "1.0e+INF"),
        (-math.inf, "-1.0e+INF"),
        (math.nan, "0.0e+NaN"),
        (10**30, str(10**30)),
    ],
)
def test_a_value_is_printed_as_emacs_reads_it(value, printed):
    assert printed == sexp.dumps(value)


def test_a_value_without_a_printed_form_is_a_fault():
    with pytest.raises(TypeError, match="object"):
        sexp.dumps(object())


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(values)
def test_the_library_reads_back_what_is_printed(value):
    assert plain(value) == plain(sexpdata.loads(sexp.dumps(value)))


def plain(value):
    """Return VALUE as Lisp sees it: a dict is a plist, false and empty are nil."""
    if isinstance(value, dict):
        value = [each for name, part in value.items() for each in (f":{name}", part)]
    if isinstance(value, sexpdata.Symbol):
        return str.__str__(value)
    if isinstance(value, list):
        return [plain(part) for part in value] or None
    return None if value is False else value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("nil", None),
        ("t", True),
        (":json-false", False),
        ('("a" nil 1 1.5 [1 2] sym)', ["a", None, 1, 1.5, [1, 2], "sym"]),
        ('(:query "q" :tags ("a"))', [":query", "q", ":tags", ["a"]]),
        ("'(a)", ["a"]),
    ],
)
def test_what_emacs_prints_is_read(text, value):
    assert value == sexp.loads(text)


@pytest.mark.parametrize("text", ["", "(", ")", '"', "(a . ", "a b", "(" * 100_000, "'", '("a\\'])
def test_what_is_no_expression_is_refused(text):
    with pytest.raises(sexp.BadExpression):
        sexp.loads(text)


def test_a_property_list_becomes_a_dict():
    assert {"query": "x", "max-chars": 5} == sexp.plist(sexp.loads('(:query "x" :max-chars 5)'))
    assert {} == sexp.plist(None)


@pytest.mark.parametrize("value", ["(1 2)", "(:a)", '"a"', "5", '("a" 1)'])
def test_what_is_no_property_list_is_refused(value):
    with pytest.raises(sexp.BadExpression):
        sexp.plist(sexp.loads(value))


def test_emacs_itself_reads_what_is_printed(tmp_path):
    if shutil.which("emacs") is None:
        pytest.skip("no emacs here")
    odd = {"text": '"\\ \r\n\t\x1b чай 日本 🧑‍🚀 ?a ;b #c', "a b(c)": [0.25, math.inf, None, True]}
    file = tmp_path / "value"
    file.write_bytes(sexp.dumps(odd).encode())
    form = f"""(let ((coding-system-for-read 'utf-8-unix))
      (with-temp-buffer
        (insert-file-contents "{file}")
        (let ((value (read (current-buffer))))
          (princ (format "%S" (list (eobp) (length value) (nth 3 value)
                                    (string-to-list (plist-get value :text))))))))"""

    done = subprocess.run(
        ["emacs", "-Q", "--batch", "--eval", form], capture_output=True, text=True, check=True
    )

    codes = " ".join(str(ord(char)) for char in odd["text"])
    assert f"(t 4 (0.25 1.0e+INF nil t) ({codes}))" == done.stdout


def test_the_printer_does_less_than_a_fifth_of_the_librarys_work():
    """Counted in function calls, which no busy machine changes."""
    answer = hits(50)
    theirs = msgspec.to_builtins(answer)

    assert calls(lambda: sexp.dumps(answer)) * 5 < calls(lambda: sexpdata.dumps(theirs))


def calls(work) -> int:
    """Return how many functions WORK calls."""
    import cProfile
    import pstats

    profile = cProfile.Profile()
    profile.runcall(work)
    return pstats.Stats(profile).total_calls
