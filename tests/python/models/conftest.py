"""The real built-in model, loaded once for all tests of this folder."""

import pytest

from roam_semantic.models.embedded import EmbeddedModel, load_embedded


@pytest.fixture(scope="session")
def minilm() -> EmbeddedModel:
    return load_embedded()
