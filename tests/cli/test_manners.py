"""What holds for every command."""

import os
import shlex
import signal
import subprocess
import sys
import time

import pytest

from branchwork.cli.app import app
from branchwork.cli.progress import progress
from branchwork.cli.substitutes import HANDLER, register

from commands import call, run

COMMANDS = [command.callback.__name__.replace("_", "-") for command in app.registered_commands]


def test_the_commands_are_these():
    first = [
        "look",
        "grow",
        "show",
        "why",
        "predict",
        "evaluate",
        "prune",
        "rules",
        "compare",
        "diff",
        "tune",
    ]
    assert [*first, "stability", "curve", "bias-variance", "export", "datasets"] == COMMANDS


def test_the_first_help_fits_a_screen_and_tells_the_exit_codes():
    text = run("--help").stdout
    assert len(text.splitlines()) <= 40 and max(map(len, text.splitlines())) <= 80
    assert "Exit codes: 0 done" in text and "130" in text
    assert text.index("branchwork grow patients.csv") < text.index("Options:") < text.index("Commands:")


@pytest.mark.parametrize("command", COMMANDS)
def test_examples_come_before_options(command):
    text = call(command, "--help").stdout
    assert text.index(f"  branchwork {command}") < text.index("Options:")


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "export"])
def test_every_command_that_prints_data_has_json(command):
    assert "--json" in call(command, "--help").stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["grow", "play_tennis", "--method", "cat"], "--method 'cat' is not known. Did you mean 'cart'?"),
        (["grow", "play_tennis", "--task", "clasification"], "Did you mean 'classification'?"),
        (["grow", "play_tennis", "--input-format", "cvs"], "Did you mean 'csv'?"),
        (["prune", "m.bw", "--method", "pesimistic"], "Did you mean 'pessimistic'?"),
        (["show", "m.bw", "--format", "htm"], "Did you mean 'html'?"),
        (["export", "m.bw", "pyton"], "Did you mean 'python'?"),
        (["grow", "play_tennis", "--taget", "x"], "--target"),
        (["gro", "play_tennis"], "Did you mean 'grow'?"),
    ],
)
def test_a_wrong_word_gets_a_suggestion(words, message):
    done = run(*words)
    assert done.returncode == 2 and done.stdout == "" and message in done.stderr
    assert "Traceback" not in done.stderr


def completed(*words):
    """What the shell is offered for the last word, as typer's script for bash asks for it."""
    line = " ".join(["branchwork", *words])
    environment = {"COMP_WORDS": line, "COMP_CWORD": str(len(words)), "_BRANCHWORK_COMPLETE": "complete_bash"}
    command = [
        sys.executable,
        "-c",
        "from branchwork.cli import main; import sys; sys.argv[0] = 'branchwork'; main()",
    ]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    return done.stdout.split()


def test_the_shell_completes_commands_tables_methods_and_formats():
    assert completed("pr") == ["predict", "prune"]
    assert completed("grow", "play") == ["play_tennis", "playtennis_excerpt8", "playtennis_mitchell14"]
    assert completed("grow", "x.csv", "--method", "c") == ["c45", "cart", "chaid"]
    assert completed("show", "m.bw", "--format", "s") == ["svg"]
    assert completed("export", "m.bw", "p") == ["python", "pmml"]


EVERY = {
    "look": ["look", "{p}"],
    "grow": ["grow", "play_tennis", "--folds", "0"],
    "show": ["show", "{m}"],
    "why": ["why", "{m}", "age=50", "pulse=66"],
    "predict": ["predict", "{m}", "{p}"],
    "evaluate": ["evaluate", "{m}", "{p}", "--target", "outcome"],
    "prune": ["prune", "{m}", "--method", "mdl"],
    "rules": ["rules", "{m}"],
    "compare": ["compare", "play_tennis", "--method", "stump", "--folds", "2"],
    "diff": ["diff", "{m}", "{m}"],
    "tune": ["tune", "play_tennis", "--method", "tree", "--folds", "2", "--grid", "max_depth=1,2"],
    "stability": ["stability", "play_tennis", "--samples", "5"],
    "curve": ["curve", "play_tennis", "--values", "1", "--folds", "2"],
    "bias-variance": ["bias-variance", "play_tennis", "--repeats", "2"],
    "export": ["export", "{m}", "python"],
    "datasets": ["datasets"],
    "help": ["--help"],
    "help of a command": ["grow", "--help"],
    "version": ["--version"],
    "bytes": ["show", "{m}", "--format", "pdf"],
}
"""A quick call of every command."""


def test_every_command_has_a_quick_call():
    assert set(COMMANDS) <= set(EVERY)


LONG = ("look", "grow", "compare", "tune", "stability", "curve", "bias-variance")
"""Those that import scikit-learn or work for a while. `make test` runs one of them, `make deep` all."""


@pytest.mark.parametrize(
    "command", [pytest.param(name, marks=[pytest.mark.deep] * (name in LONG[1:])) for name in EVERY]
)
def test_a_reader_that_has_seen_enough_is_no_error(command, model, patients):
    words = [word.format(m=model, p=patients) for word in EVERY[command]]
    reader, writer = os.pipe()
    os.close(reader)  # nobody reads at all
    done = subprocess.run(
        [sys.executable, "-m", "branchwork", *words], stdout=writer, stderr=subprocess.PIPE, text=True
    )
    os.close(writer)
    assert done.returncode == 0, done.stderr
    assert not any(word in done.stderr for word in ("Error", "Exception", "Traceback"))


@pytest.mark.parametrize("command", ["grow", "help", "bytes"])
def test_a_closed_output_is_no_error(command, model, patients):
    words = [word.format(m=model, p=patients) for word in EVERY[command]]
    shell = shlex.join([sys.executable, "-m", "branchwork", *words])
    for closed in (">&-", ">&- 2>&-"):
        done = subprocess.run(f"{shell} {closed}", shell=True, capture_output=True, text=True)
        assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr


def test_a_terminal_without_unicode_gets_signs_of_ascii(model):
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-m", "branchwork", "show", str(model)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert "\\u" not in done.stdout and done.stdout.isascii()
    assert "|- age <= " in done.stdout and "`- age > " in done.stdout and " : well  " in done.stdout
    lines = done.stdout.splitlines()[1:]
    assert len({line.rindex(" row") for line in lines}) == 1  # columns stay below each other


def test_signs_without_a_substitute_become_escapes():
    register()
    assert "├─ é → ☃".encode("ascii", HANDLER) == b"|- \\xe9 : \\u2603"
    assert "├─ é".encode("latin1", HANDLER) == b"|- \xe9"
    with pytest.raises(UnicodeDecodeError):
        b"\xff".decode("utf-8", HANDLER)


def test_an_interrupt_is_130_and_leaves_no_half_file(model, tmp_path):
    output = tmp_path / "answers.csv"
    command = [sys.executable, "-m", "branchwork", "predict", str(model), "-", "-o", str(output)]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    child.stdin.write(b"age,pulse\n" + b"50,66\n" * 50_000)
    child.stdin.flush()
    while not list(tmp_path.glob(".*.part")):  # it has begun to write
        assert child.poll() is None
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    _, message = child.communicate(timeout=600)
    assert child.returncode == 130 and message == b"branchwork: interrupted\n"
    assert not output.exists() and not list(tmp_path.glob(".*.part"))


@pytest.mark.parametrize("command", ["show", "why", "predict", "rules"])
def test_a_saved_model_is_used_without_scikit_learn(command, model, patients):
    more = {"why": ["age=50", "pulse=66"], "predict": [patients]}.get(command, [])
    code = (
        "import sys; from branchwork.cli.app import app\n"
        "try: app()\n"
        "except SystemExit as end: assert not end.code\n"
        "print([m for m in ('sklearn', 'pandas', 'rich') if m in sys.modules], file=sys.stderr)"
    )
    words = [sys.executable, "-c", code, command, str(model), *map(str, more)]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stderr == "[]\n"


def test_help_comes_without_numpy():
    code = "import sys, branchwork.cli; print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


def test_a_system_error_names_its_file(model, tmp_path):
    done = call("show", model, "-o", tmp_path / "nowhere" / "t.svg")
    assert done.exit_code == 2 and done.stderr.endswith("nowhere: there is no such folder.\n")


def test_a_file_of_messages_has_no_bar():
    with progress("working", 10) as done:
        assert done is None


def test_a_bar_appears_when_work_is_long_and_goes_when_it_is_done(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr("branchwork.cli.progress.LONG", 0.05)
    with progress("working", 10) as done:
        done(1)
        assert capsys.readouterr().err == ""
        time.sleep(0.1)
        done(2)
        done.tell("gap 3")
    assert "working: gap 3" in capsys.readouterr().err
