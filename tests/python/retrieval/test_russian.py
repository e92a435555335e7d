import pytest

from roam_semantic.retrieval.russian import is_russian, stem

FORMS = [
    "граф графы графа графами графов графу графом графе графах",
    "организация организации организацию организацией организаций организациям",
    "проверка проверки проверке проверку проверкой",
    "длинный длинная длинное длинные длинного длинному длинными",
    "читать читаю читает читали читала читаешь",
    "возможность возможности возможностью возможностей",
]

MORE = """
    сделав прочитавши вернувшись программирование сильнейший нашедший пишущего написанных
    ориентированного учишься умываться людей дни копейку одиннадцать важность глупость
    выучившиеся имя ухо взять бегущая красивейшими длиннее архив деревня шли вдвоем вс
"""


@pytest.mark.parametrize("words", FORMS)
def test_the_forms_of_a_word_share_a_stem(words):
    assert 1 == len({stem(word) for word in words.split()})


def test_words_that_only_begin_alike_keep_their_own_stem():
    assert 3 == len({stem(word) for word in ("стол", "столица", "столько")})


def test_only_cyrillic_words_are_russian():
    assert is_russian("мир")
    assert not any(is_russian(word) for word in ("mир", "ми", "mir", "мир2", "设备", ""))


def test_stems_are_those_of_snowball():
    snowball = pytest.importorskip("snowballstemmer").stemmer("russian")
    words = " ".join((*FORMS, MORE)).split()

    assert snowball.stemWords(words) == [stem(word) for word in words]
