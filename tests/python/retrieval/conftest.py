"""One empty shelf a test."""

import pytest

from tests.python.retrieval.shelf import Shelf


@pytest.fixture
def shelf(tmp_path):
    made = Shelf(tmp_path)
    yield made
    made.close()
