import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roam_semantic.retrieval import words
from roam_semantic.retrieval.query import parse
from roam_semantic.retrieval.scope import scope_of
from roam_semantic.retrieval.terms import Atom
from roam_semantic.retrieval.words import BUDGET, gated, stacked
from tests.python.retrieval.shelf import Shelf


def find(shelf, text, limit=100):
    query = parse(text)
    scope = scope_of(shelf.reader, query.filters)
    return words.find(shelf.reader, query.text, query.phrases, scope, limit)


def names(shelf, text):
    """Return the names of the notes that TEXT finds, best first."""
    found: list[str] = []
    for unit, _ in find(shelf, text).units:
        name = shelf.reader.value(
            "SELECT n.id FROM embed_units u JOIN embed_nodes n ON n.key = u.node WHERE u.id = ?",
            (unit,),
        )
        if name not in found:
            found.append(name)
    return found


@pytest.fixture
def signs(shelf):
    """Notes whose words hold signs that FTS5 drops or takes for syntax."""
    shelf.add("agents.org", "Working rules", "We don't use agents for releases.")
    shelf.add("c.org", "C pointers", "Pointers in plain C.")
    shelf.add("call.org", "Calls", "Then foo(bar) returns baz[0].")
    shelf.add("cpp.org", "C++ templates", "Templates in C++ are a language of their own.")
    shelf.add("csharp.org", "C# generics", "Generics in C# are reified; .NET keeps them.")
    shelf.add("flag.org", "Compiler flags", "Pass --error-on-warnings in the nightly build.")
    shelf.add("logic.org", "Logic gates", "AND and OR and NOT gates placed NEAR the bus.")
    shelf.add("parser.org", "Tcl parsers", "The package grammar::fa builds automata.")
    shelf.add("ticket.org", "Ticket POL-358", "Refund the parking permit.")
    return shelf


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("POL-358", "ticket"),
        ('"--error-on-warnings"', "flag"),
        ("--error-on-warnings", "flag"),
        ("don't use agents", "agents"),
        ("don\u2019t use agents", "agents"),
        ("grammar::fa", "parser"),
        ("C++", "cpp"),
        ("c++", "cpp"),
        ("C#", "csharp"),
        (".NET", "csharp"),
        ("AND OR NOT NEAR", "logic"),
        ("foo(bar)", "call"),
        ("-warnings", "flag"),
        ("NEAR(bus, 2)", "logic"),
        ("title: gates", "logic"),
    ],
)
def test_what_people_type_is_text_and_finds_its_note_first(signs, text, name):
    assert name == names(signs, text)[0]


def test_a_language_with_signs_is_not_its_neighbour(signs):
    assert ["cpp"] == names(signs, "C++")
    assert ["csharp"] == names(signs, "C#")


def test_signs_lost_in_the_corpus_fall_back_to_the_letter(signs):
    assert "c" in names(signs, "C--")


SYNTAX = '" * ( ) ^ AND NOT NEAR( a OR title: {x} \' -- ? % _ \\ "" :: - + ~ \ud800'


@pytest.mark.parametrize("text", SYNTAX.split())
def test_a_query_of_syntax_is_no_error(signs, text):
    found = find(signs, text)

    assert all(score > 0 for _, score in found.units)


def test_words_of_chinese_and_glued_names_are_found(shelf):
    shelf.add("contract.org", "合約", "中文合約轉換體驗課問題彙整。")
    shelf.add("dangling.org", "修復記錄", "步驟二：重跑gen-itgc后50条悬空引用清零，已驗證。")
    shelf.add("devices.org", "設備清單", "家裡的設備包括路由器與NAS。")
    shelf.add("english.org", "Indexing", "The indexes were rebuilt overnight.")

    assert ["devices"] == names(shelf, "設備")
    assert ["dangling"] == names(shelf, "悬空引用")
    assert ["dangling"] == names(shelf, "悬空")
    assert ["dangling"] == names(shelf, "itgc")
    assert ["dangling"] == names(shelf, "gen-itgc")
    assert ["contract"] == names(shelf, "體驗課")
    assert ["devices"] == names(shelf, "NAS")
    assert ["english"] == names(shelf, "indexing")
    assert "devices" in names(shelf, "器")
    assert "devices" in names(shelf, "備")


def test_a_japanese_question_finds_the_note_of_its_nouns(shelf):
    shelf.add("learning.org", "機械学習", "機械学習の使い方をまとめたノート。")
    shelf.add("cooking.org", "料理", "料理の作り方をまとめた本です。")

    assert "learning" == names(shelf, "機械学習はどうやって使いますか")[0]


def test_wide_and_half_width_letters_are_the_same(shelf):
    shelf.add("wide.org", "ＡＢＣ会議", "ﾃｽﾄの記録")

    assert ["wide"] == names(shelf, "abc")
    assert ["wide"] == names(shelf, "テスト")


@pytest.fixture
def russian(shelf):
    shelf.add("check.org", "Проверка", "Проверка копий. Проверка журналов. Проверка дисков.")
    shelf.add("graphs.org", "Графы", "Ориентированный граф состоит из вершин и дуг.")
    shelf.add("org.org", "Организация архива", "Описание организации хранения и ещё одной полки.")
    shelf.add("search.org", "Search service", "The search service indexes pages; search again.")
    shelf.add("typo.org", "Verbatim typo", "The log says serach failed.")
    shelf.add("capital.org", "Столица", "Столько домов в столице.")
    shelf.add("table.org", "Стол", "Деревянный стол у окна.")
    return shelf


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("графами", "graphs"),
        ("графов", "graphs"),
        ("организации", "org"),
        ("организацией", "org"),
        ("еще полки", "org"),
        ("ЕЩЁ полка", "org"),
        ("ориентированного графа", "graphs"),
    ],
)
def test_russian_words_are_found_in_any_form(russian, text, name):
    assert name == names(russian, text)[0]


def test_a_russian_word_does_not_find_what_only_begins_like_it(russian):
    assert ["table"] == names(russian, "столом")


def test_a_form_nobody_wrote_is_not_corrected_when_others_are_there(shelf):
    shelf.add("a.org", "Граф", "граф графам графам графам")

    assert {} == find(shelf, "графами").corrected


def test_english_words_are_found_in_any_form(russian):
    assert "search" == names(russian, "searching")[0]


def test_a_slip_finds_the_commoner_word_and_says_so(russian):
    found = find(russian, "првоерка")

    assert {"првоерка": "проверка"} == found.corrected
    assert ["check"] == names(russian, "првоерка")


def test_a_misspelling_in_a_note_comes_first_and_is_not_replaced(russian):
    assert ["typo", "search"] == names(russian, "serach")


def test_a_common_word_is_never_corrected(russian):
    assert {} == find(russian, "search").corrected


def test_short_words_and_quoted_words_are_meant_as_typed(russian):
    assert {} == find(russian, "serch"[:4]).corrected
    assert {} == find(russian, '"serach"').corrected


def test_each_kind_of_slip_is_forgiven_in_both_alphabets(shelf):
    for number in range(3):
        shelf.add(f"{number}.org", "Database проверка", "database проверка")

    for slip in ("databse", "databaase", "datubase", "datbaase"):
        assert {slip: "database"} == find(shelf, slip).corrected
    for slip in ("проврка", "провверка", "прокерка", "првоерка"):
        assert {slip: "проверка"} == find(shelf, slip).corrected


def test_a_correction_is_a_word_somebody_wrote(shelf):
    shelf.add("pot.org", "Pots", "pot pots potting potted pot pot pot pot")

    assert {} == find(shelf, "potters").corrected


def test_an_unlikely_slip_needs_a_much_commoner_word(shelf):
    shelf.add("a.org", "Core", "core")

    assert {} == find(shelf, "chore").corrected

    shelf.add("b.org", "Core", "core")

    assert {"chore": "core"} == find(shelf, "chore").corrected


def test_a_likely_slip_is_preferred(shelf):
    shelf.add("a.org", "A", "effect effect effect eject eject eject")

    assert {"efect": "effect"} == find(shelf, "efect").corrected


def test_names_are_found_by_their_words_and_whole(shelf):
    shelf.add("camel.org", "Camel", "Call =getUserName= of a row.")
    shelf.add("snake.org", "Snake", "Call =get_user_name= of a row.")
    shelf.add("words.org", "Words", "To get the name a user must ask.")
    shelf.add("http.org", "Errors", "HTTPServerError is raised on a 500.")
    shelf.add("bytes.org", "Bytes", "decodeUTF8 turns bytes to text.")
    shelf.add("sync.org", "Sync", "Call =org-roam-db-sync= after a pull.")

    assert "camel" == names(shelf, "getUserName")[0]
    assert "snake" == names(shelf, "get_user_name")[0]
    assert {"camel", "snake"} <= set(names(shelf, "get user name"))
    assert "http" == names(shelf, "HTTP server error")[0]
    assert "http" == names(shelf, "HTTPServerError")[0]
    assert "bytes" == names(shelf, "utf8 decode")[0]
    assert "bytes" == names(shelf, "decodeUTF8")[0]
    assert "sync" == names(shelf, "org roam db sync")[0]
    assert "sync" == names(shelf, "org-roam-db-sync")[0]


def test_joined_and_apart_are_the_same_word(shelf):
    shelf.add("email.org", "Email", "an email")
    shelf.add("e-mail.org", "E-mail", "an e-mail")

    assert {"email", "e-mail"} == set(names(shelf, "e-mail"))
    assert {"email", "e-mail"} == set(names(shelf, "email"))


def test_a_possessive_is_its_word(shelf):
    shelf.add("emacs.org", "Editor", "Emacs is an editor")

    assert ["emacs"] == names(shelf, "emacs's")


def test_all_words_come_before_some(shelf):
    shelf.add("both.org", "Long", "alpha and beta among " + "other words here " * 40)
    shelf.add("one.org", "alpha alpha", "alpha alpha alpha")

    assert ["both", "one"] == names(shelf, "alpha beta")


def test_a_title_counts_more_than_the_text(shelf):
    shelf.add("text.org", "Other", "something about saffron in the text")
    shelf.add("title.org", "Saffron", "something about a spice in the text")

    assert ["title", "text"] == names(shelf, "saffron")


def test_a_stop_word_alone_finds_no_more_than_its_company(shelf):
    shelf.add("both.org", "A", "how to bake bread")
    shelf.add("stop.org", "B", "how to do it with the things")

    assert ["both"] == names(shelf, "how to do bread")


def test_a_title_of_stop_words_is_found(shelf):
    shelf.add("be.org", "To be or not to be", "monologue")
    shelf.add("other.org", "Other", "to be")

    assert "be" == names(shelf, "to be or not to be")[0]


def test_a_phrase_must_stand_side_by_side(shelf):
    shelf.add("apart.org", "A", "red is a wine that is not dry; dry red")
    shelf.add("near.org", "B", "a red wine")
    shelf.add("中.org", "C", "家裡的設備清單")

    assert ["near"] == names(shelf, '"red wine"')
    assert ["中"] == names(shelf, '"設備清單"')
    assert "apart" not in names(shelf, 'dry "red wine"')


def test_a_phrase_nobody_wrote_falls_back_to_its_words(shelf):
    shelf.add("apart.org", "A", "wine that is red")

    assert ["apart"] == names(shelf, '"red wine"')


def test_filters_leave_what_they_name(shelf):
    shelf.add("a.org", "A", "saffron", types=("claim",), tags=("Emacs", "draft"), todo="WAIT")
    shelf.add("b.org", "B", "saffron", tags=("emacs",))
    shelf.add("daily/c.org", "C notes", "saffron", node_id="c", aliases=("Crocus",))

    assert ["a"] == names(shelf, "saffron tag:Emacs")
    assert ["b"] == names(shelf, "saffron tag:emacs")
    assert {"b", "c"} == set(names(shelf, "saffron -tag:draft"))
    assert ["a"] == names(shelf, "saffron todo:wait")
    assert ["a"] == names(shelf, "saffron type:claim")
    assert {"a", "b", "c"} == set(names(shelf, "saffron type:claim type:heading"))
    assert ["c"] == names(shelf, "saffron file:daily/")
    assert {"a", "b"} == set(names(shelf, "saffron -file:daily"))
    assert ["c"] == names(shelf, "saffron title:notes")
    assert ["c"] == names(shelf, "saffron title:crocus")
    assert [] == names(shelf, "saffron title:zebra")
    assert [] == names(shelf, "saffron file:index.db")


def test_many_postings_are_gated_by_the_rarest_words():
    atoms = [Atom('"common"', 30_000), Atom('"rare"', 10), Atom('"rarer"', 5)]

    assert '("rarer" OR "rare") AND ("rarer" OR "rare" OR "common")' == gated(atoms, 100_000)
    assert '"rarer" OR "rare"' == gated(atoms, 50_000)
    assert '"common"' == gated(atoms[:1], 31_000)
    assert '"a" OR "b"' == gated([Atom('"b"', BUDGET // 2), Atom('"a"', 1)], 10 * BUDGET)


def test_tiers_are_lifted_by_no_more_than_it_takes():
    assert [(1, 5.0), (2, 4.0), (3, 4.0)] == stacked([[(2, 3.0), (1, 4.0)], [(3, 4.0), (1, 9.0)]])
    assert [(1, 9.0), (2, 1.0)] == stacked([[(1, 9.0)], [(2, 1.0)]])


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    made = Shelf(tmp_path_factory.mktemp("full"))
    made.add("a.org", "C++ and C#", "getUserName ещё 設備gen-itgc serach", tags=("x",))
    made.add("b.org", "Search the database", "search database AND OR NOT NEAR проверка")
    yield made
    made.close()


pieces = st.sampled_from(
    [*"\"*()^:-+{}[]\\'%_?!.,;#&|<>=~`@$\x00\n\t \u3000\ud800\udfffＡｱ漢かёй", "AND", "OR", "NOT"]
    + ["NEAR(", "tag:", "-tag:", "file:", "since:", "title:", "C++", "a", "search", "проверка"]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(pieces, min_size=1, max_size=30)
    .map("".join)
    .filter(lambda text: text.strip("\x00\n\t \u3000"))
)
def test_no_query_of_signs_and_keywords_is_an_error(full, text):
    find(full, text)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.text(min_size=1, max_size=200).filter(lambda text: text.replace("\x00", "").strip()))
def test_no_query_at_all_is_an_error(full, text):
    found = find(full, text)

    assert len(found.units) == len(dict(found.units))
