"""`--help`: every example in it runs, and options stand in groups."""

import re
import shutil

import pytest

from branchwork.cli.app import app

from commands import call, typed

COMMANDS = [command.callback.__name__.replace("_", "-") for command in app.registered_commands]
EXAMPLE = re.compile(r"^ +((?:cat \S+ \| )?branchwork .*)$", re.MULTILINE)


def examples(*words):
    return [line for line in EXAMPLE.findall(call(*words, "--help").stdout) if "<" not in line]


@pytest.fixture
def folder(model, patients, tmp_path, monkeypatch):
    """The files that the examples name: patients.csv, patients.bw, older.bw, later.csv, and new.csv without answers."""
    lines = patients.read_text(encoding="utf-8").splitlines()
    (tmp_path / "new.csv").write_text(
        "\n".join(line.rsplit(",", 1)[0] for line in lines) + "\n", encoding="utf-8"
    )
    (tmp_path / "later.csv").write_text("\n".join([lines[0], *lines[3:15]]) + "\n", encoding="utf-8")
    shutil.copy(model, tmp_path / "older.bw")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", [None, *COMMANDS])
def test_every_example_runs(command, folder):
    found = examples(*([command] if command else []))
    assert len(found) >= 2
    for line in found:
        code, printed, told = typed(line)
        assert code == 0, f"{line}\n{told}"
        assert printed or " -o " in line or " > " in line


@pytest.mark.parametrize("command", COMMANDS)
def test_help_starts_with_one_sentence_and_fits_the_width_of_a_terminal(command):
    text = call(command, "--help").stdout
    first = text.split("\n\n")[1]
    assert re.match(r"  [A-Z][^.]*\.$", first, re.DOTALL), first
    assert max(map(len, text.splitlines())) <= 84


def test_options_stand_in_groups():
    text = call("grow", "--help").stdout
    titles = re.findall(r"^(\S.*):$", text, re.MULTILINE)
    assert titles == [
        "Arguments",
        "Options",
        "Options that limit growth",
        "Options for reading the file",
        "Options for the result",
    ]
    assert text.index("limit growth") < text.index("--max-depth") < text.index("reading the file")
    assert text.index("for the result") < text.index("  --json")


def test_limits_are_worded_as_they_work():
    words = " ".join(call("grow", "--help").stdout.split())
    assert "Nodes with less total weight than this are not split" in words
