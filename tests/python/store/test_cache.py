"""The vector cache, in a real file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from roam_semantic.store.cache import FILE_NAME, VectorCache


@pytest.fixture
def folder(tmp_path):
    return str(tmp_path / "cache")


def opened(folder, digest="d", prefix=""):
    return VectorCache(folder, digest, 4, prefix)


def test_a_vector_comes_back_for_its_text(folder):
    cache = opened(folder)
    cache.add([("bread", b"12345678")])
    cache.close()

    cache = opened(folder)

    assert {"bread": b"12345678"} == cache.find(["bread", "wine"])
    cache.close()


@pytest.mark.parametrize("other", [{"digest": "e"}, {"prefix": "query: "}])
def test_another_model_or_prefix_shares_nothing(folder, other):
    cache = opened(folder)
    cache.add([("bread", b"12345678")])
    cache.close()

    cache = opened(folder, **other)

    assert {} == cache.find(["bread"])
    cache.close()


def test_no_text_is_kept(folder):
    cache = opened(folder)
    cache.add([("a most private sentence", b"12345678")])
    cache.close()

    assert b"private" not in Path(folder, FILE_NAME).read_bytes()
    assert 0o600 == os.stat(os.path.join(folder, FILE_NAME)).st_mode & 0o777


def test_the_least_recently_used_go_first(folder):
    cache = opened(folder)
    cache._today = 1
    cache.add([("old", b"12345678"), ("used", b"12345678")])
    cache._today = 2
    cache.find(["used"])
    cache.add([("new", b"12345678")])

    assert 1 == cache.trim(2)
    assert {"used", "new"} == set(cache.find(["old", "used", "new"]))
    cache.close()


def test_a_broken_cache_is_replaced(folder):
    os.makedirs(folder)
    Path(folder, FILE_NAME).write_bytes(b"this is no database" * 100)

    cache = opened(folder)
    cache.add([("bread", b"12345678")])

    assert {"bread": b"12345678"} == cache.find(["bread"])
    cache.close()


def test_without_a_place_the_cache_is_empty():
    cache = opened("/proc/nowhere")
    cache.add([("bread", b"12345678")])

    assert {} == cache.find(["bread"])
    assert 0 == cache.trim()
    cache.close()
