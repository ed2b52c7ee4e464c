"""A file is replaced whole or not at all, whatever happens meanwhile."""

import errno
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import branchwork as bw
from branchwork.store import atomic
from branchwork.store.atomic import replace_file

DEEP = Path(__file__).parent.parent / "deep"


def tennis():
    data = bw.datasets.load("play_tennis")
    return bw.ID3Classifier().fit(data.X, data.y)


@pytest.mark.parametrize("step", ["write", "fsync", "replace"])
def test_a_full_disk_leaves_the_old_file_and_no_litter(step, tmp_path, monkeypatch):
    path = bw.save(tennis(), tmp_path / "m.bw")
    before = path.read_bytes()

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    if step == "replace":
        monkeypatch.setattr(Path, "replace", full)
    else:
        monkeypatch.setattr(atomic.os, "fsync" if step == "fsync" else "fdopen", full)
    with pytest.raises(OSError, match="No space left"):
        bw.save(bw.StumpClassifier().fit([[1], [2]], [0, 1]), path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["m.bw"]


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


def test_a_folder_that_is_not_there_or_may_not_be_written(tmp_path, monkeypatch):
    with pytest.raises(FileNotFoundError):
        bw.save(tennis(), tmp_path / "none" / "m.bw")
    path = bw.save(tennis(), tmp_path / "m.bw")
    before = path.read_bytes()

    def refused(*_, **__):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(atomic.os, "open", refused)
    with pytest.raises(PermissionError):
        bw.save(tennis(), path)
    monkeypatch.undo()
    monkeypatch.setattr(atomic.os, "access", lambda *_: False)
    with pytest.raises(PermissionError):  # what is write-protected stays
        bw.save(tennis(), path)
    assert path.read_bytes() == before


def test_permissions_are_kept_and_new_files_have_the_usual_ones(tmp_path):
    old = os.umask(0o027)
    try:
        path = bw.save(tennis(), tmp_path / "m.bw")
        assert path.stat().st_mode & 0o777 == 0o640
        path.chmod(0o604)
        bw.save(tennis(), path)
        assert path.stat().st_mode & 0o777 == 0o604
    finally:
        os.umask(old)


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "store").mkdir()
    link = tmp_path / "latest.bw"
    link.symlink_to(Path("store") / "m.bw")
    for _ in range(2):  # a link to nothing yet, then to a file
        bw.save(tennis(), link)
        assert link.is_symlink()
        assert bw.load(tmp_path / "store" / "m.bw").tree.n_nodes == 8
    assert [p.name for p in (tmp_path / "store").iterdir()] == ["m.bw"]


def test_bytes_reach_the_disk_before_the_name_and_the_folder_after_it(tmp_path, monkeypatch):
    done = []
    replace, fsync = Path.replace, os.fsync
    monkeypatch.setattr(Path, "replace", lambda self, target: (done.append("name"), replace(self, target))[1])

    def noted(handle):
        done.append("folder" if Path(f"/proc/self/fd/{handle}").is_dir() else "bytes")
        fsync(handle)

    monkeypatch.setattr(atomic.os, "fsync", noted)
    replace_file(tmp_path / "x", b"data")
    assert done == ["bytes", "name", "folder"]


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
