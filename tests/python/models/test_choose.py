import pytest

from roam_semantic.errors import Unavailable
from roam_semantic.models.choose import choose, expected
from roam_semantic.settings import load
from tests.python.models import tiny


@pytest.mark.parametrize("embedder", [None, "auto", "embedded"])
def test_the_built_in_model_is_chosen_unless_told_otherwise(embedder, minilm):
    assert minilm.definition == expected(load({"embedder": embedder}, {}))


def test_a_model_folder_is_chosen_when_it_is_set(tmp_path):
    settings = load({}, {"ROAM_MODEL_DIR": tiny.folder(tmp_path / "mine")})

    assert "mine" == choose(settings).name == expected(settings).name


@pytest.mark.parametrize("ask", [choose, expected])
def test_a_model_server_is_not_in_this_version(ask):
    with pytest.raises(Unavailable, match="this version has only the embedded model") as caught:
        ask(load({"embedder": "ollama"}, {}))

    assert "ROAM_EMBEDDER" in caught.value.hint
