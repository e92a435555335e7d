"""The documents say what the program does, and name nothing that is not there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
DOCUMENTS = ("README.org", "ARCHITECTURE.org", "CONTRIBUTING.org", "CHANGELOG.org")


def text(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def test_the_tables_of_the_readme_are_the_programs_own():
    done = subprocess.run(
        [sys.executable, "scripts/document.py", "--check"],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT / "python"), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert "" == done.stderr
    assert 0 == done.returncode


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_file_a_document_links_to_is_there(name):
    targets = re.findall(r"\[\[file:([^]:]+)(?:::[^]]*)?\]", text(name))
    missing = [target for target in targets if not (ROOT / target).exists()]

    assert [] == missing


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_task_a_document_names_is_in_the_makefile(name):
    tasks = set(re.findall(r"^(\w+):", text("Makefile"), re.MULTILINE))
    named = set(re.findall(r"[~=]make (\w+)", text(name)))

    assert set() == named - tasks


def test_every_task_has_a_line_of_help():
    shown = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    phony = re.search(r"^\.PHONY: (.*)$", text("Makefile"), re.MULTILINE)
    assert phony

    assert sorted(phony[1].split()) == sorted(re.findall(r"^make (\w+)", shown, re.MULTILINE))


def test_the_map_names_every_room_of_the_package():
    package = ROOT / "python/roam_semantic"
    rooms = {init.parent.name for init in package.glob("*/__init__.py")}
    missing = {room for room in rooms if f"{room}/" not in text("ARCHITECTURE.org")}

    assert set() == missing


def test_every_dependency_has_its_reason_written_down():
    project = text("pyproject.toml").split("[project.optional-dependencies]")[0]
    block = project[project.index("\ndependencies = [") :]
    names = re.findall(r'^  "([A-Za-z0-9-]+)', block, re.MULTILINE)
    written = set(re.findall(r"^\| (\S+) ", text("ARCHITECTURE.org"), re.MULTILINE))
    missing = [name for name in names if name not in written]

    assert [] == missing


def test_the_version_is_the_same_everywhere():
    sources = {
        "python/roam_semantic/__init__.py": r'__version__ = "([^"]+)"',
        "elisp/roam-semantic.el": r"^;; Version: (\S+)",
        "Eask": r'\(package "roam-semantic" "([^"]+)"',
    }
    found = {name: re.findall(pattern, text(name), re.M) for name, pattern in sources.items()}
    first = found["python/roam_semantic/__init__.py"]

    assert dict.fromkeys(sources, first) == found
