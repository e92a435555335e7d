"""The real built-in model, loaded once for all tests of this folder."""

import hypothesis
import pytest

from roam_semantic.models.embedded import EmbeddedModel, load_embedded

# No timed assertion: a busy machine would fail Hypothesis' 200 ms.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")


@pytest.fixture(scope="session")
def minilm() -> EmbeddedModel:
    return load_embedded()
