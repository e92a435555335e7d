"""What a command loads: the heavy libraries only where they are needed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
HEAVY = {
    "asyncio",
    "epc",
    "httpx",
    "mcp",
    "numpy",
    "onnx",
    "onnxruntime",
    "pydantic",
    "sexpdata",
    "sqlite_vec",
    "tokenizers",
    "tree_sitter",
    "watchfiles",
}


def run(*arguments: str, home: Path) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own that lists its imports on stderr."""
    return subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "roam_semantic", *arguments],
        env={
            "HOME": str(home),
            "XDG_CACHE_HOME": str(home / "cache"),
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT / "python"),
        },
        capture_output=True,
        text=True,
        check=False,
    )


def loaded(done: subprocess.CompletedProcess[str]) -> set[str]:
    """Return the top-level modules that DONE has imported."""
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    assert len(lines) > 10, said(done)
    return {line.rpartition("|")[2].strip().split(".")[0] for line in lines}


def said(done: subprocess.CompletedProcess[str]) -> str:
    """Return what DONE wrote, without the list of imports."""
    lines = [line for line in done.stderr.splitlines() if not line.startswith("import time:")]
    return "\n".join([done.stdout, *lines])


@pytest.fixture(scope="module")
def indexed(tmp_path_factory):
    """Return a home folder with an indexed vault of two notes."""
    home = tmp_path_factory.mktemp("home")
    vault = home / "org-roam"
    vault.mkdir()
    for name in ("tea", "bread"):
        text = f":PROPERTIES:\n:ID: {name}\n:END:\n#+title: {name}\nHow to make {name}.\n"
        (vault / f"{name}.org").write_text(text)
    done = run("index", home=home)
    assert 0 == done.returncode, said(done)
    return home


def test_help_loads_no_heavy_library(tmp_path):
    done = run("--help", home=tmp_path)

    assert 0 == done.returncode, said(done)
    assert set() == loaded(done) & HEAVY


def test_a_search_by_words_alone_loads_no_heavy_library(indexed):
    done = run("semantic-search", "bread", "--mode", "words", "--json", home=indexed)

    assert 0 == done.returncode, said(done)
    assert '"bread"' in done.stdout
    assert set() == loaded(done) & HEAVY


def test_a_search_by_name_loads_no_heavy_library(indexed):
    done = run("search", "tea", "--json", home=indexed)

    assert 0 == done.returncode, said(done)
    assert set() == loaded(done) & HEAVY


def test_a_look_at_the_files_loads_no_heavy_library(indexed):
    done = run("refresh", "--json", home=indexed)

    assert 0 == done.returncode, said(done)
    assert set() == loaded(done) & HEAVY


def test_a_python_without_the_heavy_libraries_still_answers_by_words(indexed, tmp_path):
    """A broken numpy or onnxruntime costs the vectors, never the answer."""
    blocked = tmp_path / "blocked"
    for name in ("numpy", "onnxruntime", "tokenizers"):
        (blocked / name).mkdir(parents=True)
        (blocked / name / "__init__.py").write_text("raise ImportError('not here')\n")
    shutil.copytree(indexed, tmp_path / "home")
    done = subprocess.run(
        [sys.executable, "-m", "roam_semantic", "semantic-search", "bread", "--json"],
        env={
            "HOME": str(tmp_path / "home"),
            "PATH": os.environ["PATH"],
            "PYTHONPATH": f"{blocked}:{ROOT / 'python'}",
        },
        capture_output=True,
        text=True,
        check=False,
    )

    assert 0 == done.returncode, said(done)
    assert '"bread"' in done.stdout
