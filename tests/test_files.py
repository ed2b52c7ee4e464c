"""Every file that Branchwork writes is whole, or the old one, whatever happens meanwhile."""

import errno
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import branchwork as bw
from branchwork import files
from branchwork.errors import ParameterError
from branchwork.files import replacing, save_bytes, save_text

from commands import call


@pytest.fixture(scope="module")
def tree():
    tennis = bw.datasets.load("play_tennis")
    return bw.ID3Classifier().fit(tennis.X, tennis.y)


@pytest.fixture(scope="module")
def saved(tree, tmp_path_factory):
    return bw.save(tree, tmp_path_factory.mktemp("model") / "tennis.bw")


def asked(*words):
    """The exit code of a command that is to write a file."""
    done = call(*words)
    if done.exit_code:
        raise OSError(done.stderr)


WRITERS = {
    "model.bw": lambda tree, saved, path: bw.save(tree, path),
    "model.json": lambda tree, saved, path: bw.save(tree.model_, path),
    "estimator.html": lambda tree, saved, path: tree.to_html(path),
    "loaded.html": lambda tree, saved, path: tree.model_.to_html(path),
    "grown.bw": lambda tree, saved, path: asked("grow", "play_tennis", "-o", path),
    "shown.svg": lambda tree, saved, path: asked("show", saved, "-o", path),
    "answers.csv": lambda tree, saved, path: asked("predict", saved, "play_tennis", "-o", path),
    "rules.txt": lambda tree, saved, path: asked("rules", saved, "-o", path),
    "program.py": lambda tree, saved, path: asked("export", saved, "python", "-o", path),
    "program.onnx": lambda tree, saved, path: asked("export", saved, "onnx", "-o", path),
}


@pytest.fixture(params=WRITERS)
def write(request, tree, saved, tmp_path):
    """Write to a file of the name that the writer has in a new folder."""
    path = tmp_path / request.param
    return path, lambda: WRITERS[request.param](tree, saved, path)


def full(*_, **__):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("step", ["fdopen", "fsync", "replace"])
def test_a_full_disk_leaves_the_old_file_and_no_litter(step, write, monkeypatch):
    path, again = write
    path.write_text("what was there")
    if step == "replace":
        monkeypatch.setattr(Path, "replace", full)
    else:
        monkeypatch.setattr(files.os, step, full)
    with pytest.raises(OSError, match="No space left"):
        again()
    assert path.read_text() == "what was there"
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_bytes_reach_the_disk_before_the_name_and_the_folder_after_it(write, monkeypatch):
    path, again = write
    done = []
    replace, fsync = Path.replace, os.fsync
    monkeypatch.setattr(Path, "replace", lambda self, target: (done.append("name"), replace(self, target))[1])

    def noted(handle):
        done.append("folder" if Path(f"/proc/self/fd/{handle}").is_dir() else "bytes")
        fsync(handle)

    monkeypatch.setattr(files.os, "fsync", noted)
    again()
    assert done == ["bytes", "name", "folder"] and path.stat().st_size > 0


def test_permissions_are_kept_and_new_files_have_the_usual_ones(write):
    path, again = write
    old = os.umask(0o027)
    try:
        again()
        assert path.stat().st_mode & 0o777 == 0o640
        path.chmod(0o604)
        again()
        assert path.stat().st_mode & 0o777 == 0o604
    finally:
        os.umask(old)


def test_what_is_write_protected_stays(write, monkeypatch):
    path, again = write
    path.write_text("what was there")
    monkeypatch.setattr(files.os, "access", lambda *_: False)
    with pytest.raises(OSError, match="Permission denied"):
        again()
    assert path.read_text() == "what was there"


def test_a_link_stays_a_link(write):
    path, again = write
    store = path.parent / "store"
    store.mkdir()
    path.symlink_to(Path("store") / path.name)
    for _ in range(2):  # a link to nothing yet, then to a file
        again()
        assert path.is_symlink() and (store / path.name).stat().st_size > 0
    assert [p.name for p in store.iterdir()] == [path.name]


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="no such folder") as caught:
        save_text(tmp_path / "none" / "x", "text")
    assert caught.value.filename == str(tmp_path / "none")


def test_an_error_names_the_file_that_was_asked_for(tmp_path, monkeypatch):
    def refused(name, *_):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(name))

    monkeypatch.setattr(files.os, "open", refused)
    with pytest.raises(PermissionError) as caught:
        save_bytes(tmp_path / "x", b"data")
    assert caught.value.filename == str(tmp_path / "x")


def test_a_failure_half_way_leaves_the_old_file(tmp_path):
    save_text(tmp_path / "x", "old")
    for reason in (ValueError, KeyboardInterrupt):
        with pytest.raises(reason), replacing(tmp_path / "x") as stream:
            stream.write("new" * 100_000)
            raise reason
    assert (tmp_path / "x").read_text() == "old" and len(list(tmp_path.iterdir())) == 1


def test_text_is_the_same_bytes_everywhere(tmp_path):
    assert save_text(str(tmp_path / "x"), "ä\n\r\n") == tmp_path / "x"
    assert (tmp_path / "x").read_bytes() == "ä\n\r\n".encode()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such pipes")
def test_a_pipe_is_written_to_as_it_is(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    save_bytes(pipe, b"data")
    reader.join(timeout=100)
    assert read == [b"data"] and pipe.is_fifo()


@pytest.mark.parametrize("name", ["a\0b.bw", "\0.json", "folder/a\0.bw"])
def test_a_nul_in_a_name_is_told_in_words(name, tree, tmp_path):
    for save in (
        lambda: bw.save(tree, name),
        lambda: tree.to_html(name),
        lambda: save_text(tmp_path / name, ""),
    ):
        with pytest.raises(ParameterError, match="holds a NUL character at position"):
            save()


@pytest.mark.parametrize("name", ["new.bw/", "new.json/"])
def test_the_name_of_a_folder_is_no_file(name, tree, tmp_path):
    with pytest.raises(IsADirectoryError, match="a name that ends so is that of a folder"):
        bw.save(tree, f"{tmp_path}/{name}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", [b"model.bw", 7, None, ["model.bw"]])
def test_what_is_no_name_is_refused_with_a_sentence(name, tree):
    for use in (lambda: bw.save(tree, name), lambda: bw.load(name), lambda: save_text(name, "")):
        with pytest.raises(ParameterError, match=r"is no file name: expected text or a pathlib\.Path"):
            use()
    if isinstance(name, bytes):
        with pytest.raises(ParameterError, match=r"write 'model\.bw'"):
            bw.save(tree, name)


def test_the_first_error_is_told(tmp_path, monkeypatch):
    def read_only(name, *_):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(name))

    monkeypatch.setattr(files.os, "open", read_only)
    monkeypatch.setattr(Path, "unlink", read_only)
    with pytest.raises(OSError, match="Read-only file system") as caught:
        save_text(tmp_path / "x", "text")
    assert caught.value.filename == str(tmp_path / "x")


def test_a_link_that_leads_to_itself_is_not_replaced(write):
    path, again = write
    path.symlink_to(path.name)
    with pytest.raises(OSError, match="leads to itself"):
        again()
    assert path.is_symlink() and [p.name for p in path.parent.iterdir()] == [path.name]


STOPPED = """
import os, signal, sys
from branchwork.files import replacing
with replacing(sys.argv[1]) as stream:
    stream.write("half")
    stream.flush()
    print("writing", flush=True)
    signal.pause()
"""


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_what_a_stopped_process_leaves_goes_with_the_next_save_of_the_file(end, tmp_path):
    path, beside = save_text(tmp_path / "x", "old"), tmp_path / "y"
    for name in (path, beside):
        process = subprocess.Popen([sys.executable, "-c", STOPPED, name], stdout=subprocess.PIPE)
        assert process.stdout.readline() == b"writing\n"
        process.send_signal(end)
        process.wait()
        process.stdout.close()
    assert path.read_text() == "old" and len(list(tmp_path.iterdir())) == 3
    save_text(path, "new")
    left = [p.name for p in tmp_path.iterdir()]
    assert len(left) == 2 and any(name.endswith(".part") for name in left)  # that of the other file
    save_text(beside, "new")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x", "y"]


def test_a_file_that_is_being_written_is_no_leftover(tmp_path):
    path = tmp_path / "x"
    with replacing(path) as slow:
        slow.write("first")
        save_text(path, "second")
        assert path.read_text() == "second"
    assert path.read_text() == "first" and [p.name for p in tmp_path.iterdir()] == ["x"]
