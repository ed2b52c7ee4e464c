"""A model file is replaced whole or not at all; how, is in tests/test_files.py."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import branchwork as bw

DEEP = Path(__file__).parent.parent / "deep"


def tennis():
    data = bw.datasets.load("play_tennis")
    return bw.ID3Classifier().fit(data.X, data.y)


def test_a_file_that_may_not_grow_any_more(tmp_path):
    path = bw.save(tennis(), tmp_path / "m.bw")
    before = path.read_bytes()

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    code = (
        "import signal, sys, branchwork as bw; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "model = bw.load(sys.argv[1])\n"
        "try: bw.save(model, sys.argv[1])\n"
        "except OSError as error: print(error.strerror)"
    )
    command = [sys.executable, "-B", "-c", code, path]
    done = subprocess.run(command, capture_output=True, text=True, check=True, preexec_fn=limit)
    assert done.stdout == "File too large\n"
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["m.bw"]


def test_a_pipe_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe.bw")
    with pytest.raises(bw.errors.FileFormatError, match="is not a file"):
        bw.save(tennis(), tmp_path / "pipe.bw")
    with pytest.raises(bw.errors.ModelFormatError, match="is not a file"):
        bw.load(tmp_path / "pipe.bw")


def test_killed_while_saving_the_old_or_the_new_model_loads():
    command = [sys.executable, DEEP / "kill_while_saving.py", "15"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_some_mutated_models():
    command = [sys.executable, DEEP / "mutate_models.py", "400", "--seed", "7", "--processes", "1"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
