"""The commands on a terminal of 80 columns: everything fits, says what is predicted, and tells how to see more."""

import fcntl
import os
import pty
import re
import struct
import sys
import termios

import numpy as np
import pandas as pd
import pytest

from branchwork.table.wide_text import cells

from commands import call

PLAIN = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def on_terminal(*arguments, columns=80, rows=24, **environment):
    """Run a command as a person at a terminal does; return what it printed, with its colours."""
    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        kept = {
            name: value
            for name, value in os.environ.items()
            if name not in ("NO_COLOR", "COLUMNS", "COLORTERM")
        }
        command = [sys.executable, "-m", "branchwork", *map(str, arguments)]
        # Readline sets COLUMNS behind Python's back, so the environment is handed over.
        os.execve(sys.executable, command, {**kept, "TERM": "xterm-256color", **environment})
    found = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # the command has ended
            break
        if not part:
            break
        found += part
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0, found.decode()
    return found.decode().replace("\r\n", "\n")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table whose tree is larger than a screen, and models of it."""
    rng = np.random.default_rng(0)
    n = 600
    table = pd.DataFrame(
        {
            "舱位": rng.choice(["一等", "二等", "三等"], n),
            "age": rng.normal(30, 9, n).round(1),
            "a feature with a long name": rng.choice(["red", "green", "blue"], n),
            "fare": rng.lognormal(3, 1, n).round(2),
        }
    )
    table["survived"] = ((table["age"] > 30) ^ (table["舱位"] == "一等") ^ (rng.random(n) < 0.2)).astype(int)
    path = tmp_path_factory.mktemp("terminal")
    table.to_csv(path / "rows.csv", index=False)
    for name, method in (("tree.bw", "tree"), ("c45.bw", "c45"), ("forest.bw", "forest")):
        words = [
            "--method",
            method,
            "--folds",
            0,
            *(["--set", "n_estimators=5"] if method == "forest" else []),
        ]
        assert (
            call("grow", path / "rows.csv", "--target", "survived", *words, "-o", path / name).exit_code == 0
        )
    return path


ROW = ("舱位=一等", "age=40", "fare=8", "a feature with a long name=red")
COMMANDS = {
    "look": lambda f: ("look", f / "rows.csv", "--target", "survived"),
    "grow": lambda f: ("grow", f / "rows.csv", "--target", "survived", "--folds", 0),
    "show": lambda f: ("show", f / "tree.bw"),
    "show --working": lambda f: ("show", f / "c45.bw", "--working"),
    "show of a forest": lambda f: ("show", f / "forest.bw"),
    "rules": lambda f: ("rules", f / "c45.bw"),
    "why": lambda f: ("why", f / "c45.bw", *ROW),
    "why of a forest": lambda f: ("why", f / "forest.bw", *ROW),
    "evaluate": lambda f: ("evaluate", f / "c45.bw", f / "rows.csv", "--bootstrap", 0),
    "diff": lambda f: ("diff", f / "c45.bw", f / "tree.bw"),
    "datasets": lambda f: ("datasets",),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_results_fit_80_columns_and_name_the_target(folder, name):
    words = COMMANDS[name](folder)
    text = PLAIN.sub("", on_terminal(*words))
    lines = [
        line for line in text.splitlines() if not line.startswith("branchwork: ") and str(folder) not in line
    ]
    assert lines and not [line for line in lines if cells(line) > 80]
    if name not in ("datasets", "diff"):
        assert "survived" in text
        assert "survived" in call(*words).stdout, "a pipe is told, too"


@pytest.mark.parametrize("command", ["show", "rules"])
def test_the_advice_to_see_more_works(folder, command):
    file = folder / "tree.bw"
    cut = PLAIN.sub("", on_terminal(command, file)).rstrip().splitlines()
    assert len(cut) < 400
    hidden, advice = re.fullmatch(r"… (\d+) .*: branchwork (.*)", cut[-1]).groups()
    more = PLAIN.sub("", on_terminal(*advice.split())).splitlines()
    assert len(more) > len(cut) and int(hidden) > 0
    whole = PLAIN.sub("", on_terminal(command, file, "--full"))
    assert "… " not in whole.splitlines()[-1] and len(whole.splitlines()) >= len(more)
    assert len(call(command, file).stdout.splitlines()) > len(cut), "a pipe gets everything"


def test_classes_have_dots_only_where_colours_are_wanted(folder):
    file = folder / "c45.bw"
    assert re.search(r"survived: \x1b\[38;5;\d+m●\x1b\[0m 0", on_terminal("show", file))
    assert re.search(r"\x1b\[38;2;0;114;178m●", on_terminal("show", file, COLORTERM="truecolor"))
    for plain in (on_terminal("show", file, NO_COLOR="1"), on_terminal("show", file, TERM="dumb")):
        assert "\x1b" not in plain and "●" not in plain
    assert "●" not in call("show", file).stdout


def test_a_narrow_terminal_names_the_columns_that_it_leaves_out(folder):
    text = " ".join(PLAIN.sub("", on_terminal("show", folder / "c45.bw", "--working")).split())
    assert re.search(r"No room for: .*chi2.*\. A wider terminal shows more\.", text)
    wide = on_terminal("show", folder / "c45.bw", "--working", columns=250)
    assert "No room" not in wide and "chi2" in wide
