"""Settings from a given environment."""

from __future__ import annotations

import pytest

from roam_semantic.errors import BadRequest, NotReady
from roam_semantic.settings import SETTINGS, load


def test_the_command_line_wins_over_the_environment(tmp_path):
    found = load({"vault": str(tmp_path)}, {"ROAM_DIR": "/elsewhere"})

    assert str(tmp_path) == found.vault


def test_without_a_vault_the_error_names_the_setting(tmp_path):
    settings = load({"vault": str(tmp_path / "gone")}, {})

    with pytest.raises(NotReady, match="gone") as error:
        settings.require_vault()
    assert "ROAM_DIR" in error.value.hint


@pytest.mark.parametrize(
    "environ", [{"ROAM_SEARCH_PORT": "99999"}, {"ROAM_SEARCH_PORT": "x"}, {"ROAM_EMBEDDER": "gpt"}]
)
def test_a_value_that_cannot_be_meant_is_refused_by_name(environ):
    with pytest.raises(BadRequest, match=next(iter(environ))):
        load({}, environ)


def test_an_empty_variable_is_as_good_as_none():
    assert load({}, {"ROAM_DB": "", "ROAM_DIR": "/"}).database is None


def test_links_in_the_vaults_name_are_kept(tmp_path):
    (tmp_path / "vault").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "vault")

    assert str(tmp_path / "link") == load({}, {"ROAM_DIR": str(tmp_path / "link")}).vault


def test_every_setting_has_a_help():
    assert all(setting.help and setting.name for setting in SETTINGS)
