"""A terminal of 60, 80 or 120 columns: every command, and everything that prints a table, fits it.

The table has long names and Chinese, Japanese and Korean text, whose characters take two columns each. What is new is
found by itself: a command without a case fails, and so does a class with a text of its own.
"""

import importlib
import inspect
import io
import pkgutil
import re
import sys
from functools import cache

import numpy as np
import pandas as pd
import pytest
import typer

import branchwork as bw
from branchwork.cli.app import app
from branchwork.table.wide_text import cells
from together import together

WIDTHS = [60, 80, 120]
PLAIN = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
LONG = "a feature whose name is so long that hardly any table has room for it"
ADVICE = re.compile(r"\bbranchwork [a-z-]+ \S")
"""A command to copy is never broken: a terminal breaks it without harming it."""


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    """Make standard output a terminal with this many columns; return it."""

    def use(columns):
        screen = Terminal()
        monkeypatch.setattr(sys, "stdout", screen)
        monkeypatch.setattr(sys, "stderr", io.StringIO())
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setenv("TERM", "xterm-256color")
        monkeypatch.delenv("NO_COLOR", raising=False)
        return screen

    return use


def too_wide(text, width):
    lines = [PLAIN.sub("", line) for line in text.splitlines()]
    assert any(line.strip() for line in lines)
    return [line for line in lines if cells(line) > width and not ADVICE.search(line)]


@cache
def rows():
    rng = np.random.default_rng(0)
    n = 240
    X = pd.DataFrame(
        {
            "乘客的舱位等级和票价类别": rng.choice(
                ["一等舱和头等舱的旅客", "二等舱的旅客", "三等舱：没有自己房间的旅客", "직원과 승무원"], n
            ),
            LONG: rng.normal(30, 9, n),
            "occupation of the passenger as written down": rng.choice(
                ["étudiant à l'université de Montpellier", "👩\u200d🔬 scientist", "農家の人"], n
            ),
            "fare": rng.lognormal(3, 1, n) * 1e6,
        }
    )
    X.loc[rng.random(n) < 0.05, LONG] = np.nan
    odd = (X[LONG] > 30) ^ (X.iloc[:, 0] == "二等舱的旅客") ^ (rng.random(n) < 0.15)
    y = np.where(odd, "乗客は救助されたと記録されている", "did not survive, or nobody wrote it down")
    return X, pd.Series(y, name="生存状況の記録 as it was kept in the archive")


@cache
def fitted(kind):
    made = {
        "tree": lambda: bw.C45Classifier(),
        "deep": lambda: bw.TreeClassifier(),
        "numbers": lambda: bw.CARTRegressor(max_depth=3),
        "forest": lambda: bw.RandomForestClassifier(5, random_state=0),
        "forest of numbers": lambda: bw.RandomForestRegressor(5, random_state=0),
        "boost": lambda: bw.AdaBoostClassifier(n_estimators=12),
        "neighbours": lambda: bw.NeighboursClassifier(3),
        "vote": lambda: bw.VoteClassifier(
            [(LONG, bw.C45Classifier()), ("短い名前", bw.StumpClassifier())], weights=[2, 1]
        ),
        "optimal": lambda: bw.OptimalTreeClassifier(max_depth=2),
    }[kind]()
    X, y = rows()
    return made.fit(X.drop(columns="fare"), X["fare"]) if "numbers" in kind else made.fit(X, y)


# ---- commands


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("wide")
    X, y = rows()
    X.assign(**{y.name: y}).to_csv(path / "rows.csv", index=False)
    for kind in ("tree", "deep", "numbers", "forest", "forest of numbers", "boost", "neighbours"):
        bw.save(fitted(kind), path / f"{kind.replace(' ', '_')}.bw")
    bw.save(fitted("tree").rules(), path / "rules.bw")
    return path


def target():
    return ("--target", rows()[1].name)


def a_row(*, without=()):
    return [f"{name}={value}" for name, value in rows()[0].iloc[0].dropna().items() if name not in without]


COMMANDS = {
    "look": [lambda f: (f / "rows.csv", *target()), lambda f: (f / "rows.csv",)],
    "grow": [
        lambda f: (f / "rows.csv", *target()),
        lambda f: (f / "rows.csv", *target(), "--method", "cart", "--folds", 2),
        lambda f: (f / "rows.csv", "--target", "fare", "--drop", LONG, "--folds", 2),
        lambda f: (f / "rows.csv", *target(), "--method", "optimal", "--folds", 0),
        lambda f: (f / "rows.csv", *target(), "--method", "forest", "--set", "n_estimators=5", "--folds", 2),
        lambda f: (f / "rows.csv", *target(), "--method", "adaboost", "--set", "n_estimators=5"),
    ],
    "show": [
        *(
            lambda f, name=name: (f / f"{name}.bw",)
            for name in ("tree", "deep", "numbers", "forest", "boost", "rules")
        ),
        lambda f: (f / "tree.bw", "--working"),
        lambda f: (f / "numbers.bw", "--node", 0, "--working"),
        lambda f: (f / "forest.bw", "--tree", 0),
    ],
    "why": [
        *(
            lambda f, name=name: (f / f"{name}.bw", *a_row(without=["fare"] if "numbers" in name else []))
            for name in ("tree", "numbers", "forest", "forest_of_numbers", "boost", "neighbours")
        )
    ],
    "evaluate": [
        lambda f: (f / "tree.bw", f / "rows.csv", "--bootstrap", 20),
        lambda f: (f / "forest.bw", f / "rows.csv", "--bootstrap", 20),
        lambda f: (f / "numbers.bw", f / "rows.csv", "--target", "fare", "--bootstrap", 20),
    ],
    "prune": [
        lambda f: (f / "deep.bw", "--method", "pessimistic"),
        lambda f: (f / "deep.bw", "--method", "cost_complexity"),
    ],
    "rules": [lambda f: (f / "tree.bw",), lambda f: (f / "deep.bw",)],
    "compare": [
        lambda f: (f / "rows.csv", *target(), "--folds", 2),
    ],
    "diff": [lambda f: (f / "tree.bw", f / "deep.bw")],
    "tune": [
        lambda f: (
            f / "rows.csv",
            *target(),
            "--folds",
            2,
            "--grid",
            "max_depth=1,2",
            "--grid",
            "min_samples_leaf=1,20",
            "--grid",
            "min_impurity_decrease=0,0.01",
        )
    ],
    "stability": [lambda f: (f / "rows.csv", *target(), "--samples", 5)],
    "curve": [
        lambda f: (f / "rows.csv", *target(), "--folds", 2, "--choose", "1se"),
        lambda f: (f / "rows.csv", "--target", "fare", "--folds", 2, "--over", "min_samples_leaf"),
        lambda f: (f / "rows.csv", *target(), "--folds", 2, "--over", "train_size"),
    ],
    "bias-variance": [
        lambda f: (f / "rows.csv", *target(), "--repeats", 5),
        lambda f: (f / "rows.csv", *target(), "--repeats", 5, "--loss", "domingos"),
        lambda f: (
            f / "rows.csv",
            "--target",
            "fare",
            "--repeats",
            5,
            "--over",
            "min_impurity_decrease",
            "--values",
            "0,1e9,1e12",
        ),
    ],
    "datasets": [lambda f: ()],
}
FOR_PROGRAMS = ("predict", "export")
"""Commands that write CSV or source code, of which nothing may be left out."""


def test_every_command_has_a_case():
    assert set(typer.main.get_command(app).commands) == {*COMMANDS, *FOR_PROGRAMS}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    "words",
    [
        pytest.param((name, one), id=f"{name}-{k}")
        for name, cases in COMMANDS.items()
        for k, one in enumerate(cases)
    ],
)
def test_a_command_fits_the_terminal(terminal, folder, words, width):
    name, arguments = words
    screen = terminal(width)
    app([name, *map(str, arguments(folder))], standalone_mode=False)
    assert not too_wide(screen.getvalue(), width)


@pytest.mark.parametrize("name", [*COMMANDS, *FOR_PROGRAMS])
def test_help_fits_the_terminal(terminal, name):
    screen = terminal(80)
    with pytest.raises(SystemExit):
        app([name, "--help"])
    assert not too_wide(screen.getvalue(), 80)


# ---- objects


def fixes():
    X, y = rows()
    return bw.study.clean(X.assign(id=range(len(X)), **{f"{LONG} again": X[LONG]}), y)


OBJECTS = {
    "Baseline": None,
    "BiasVariance": lambda X, y: bw.study.bias_variance(bw.StumpClassifier(), data=(X, y), n_repeats=5),
    "BiasVarianceSweep": lambda X, y: bw.study.bias_variance(
        bw.TreeClassifier(), data=(X, y), n_repeats=5, over="min_impurity_decrease", values=[0.0, 1e-3, 1e-2]
    ),
    "Choice": None,
    "Cleaned": lambda X, y: fixes(),
    "Cleaning": lambda X, y: fixes().cleaning,
    "Comparison": lambda X, y: bw.study.compare(
        {LONG: bw.TreeClassifier(max_depth=2), "決定木の短い名前": bw.StumpClassifier()}, X, y, cv=2
    ),
    "ConsistentTrees": lambda X, y: bw.study.consistent_trees(
        X[[LONG, "fare"]].fillna(0), (X[LONG] > 30).astype(int), n_trees=20
    ),
    "Curve": lambda X, y: bw.study.curve(
        bw.TreeClassifier(), X, y, "max_leaf_nodes", [2, 3, 4], folds=2, choose="1se"
    ),
    "Description": lambda X, y: fitted("tree").model_.table(X).describe(),
    "Diversity": lambda X, y: fitted("forest").diversity(X, y),
    "EnsembleWhy": lambda X, y: fitted("forest").why(X.iloc[0]),
    "Fix": None,
    "LossTable": lambda X, y: (
        bw.CARTClassifier(loss=[[0, 5], [1, 0]])
        .fit(X[["fare"]], np.where(np.arange(len(X)) % 2, LONG, "決定木"))
        .loss_
    ),
    "Head": lambda X, y: fitted("tree").model_.table(X).head(),
    "Look": lambda X, y: bw.study.look(X, y),
    "NeighboursWhy": lambda X, y: fitted("neighbours").why(X.iloc[0]),
    "Other": None,
    "PruningPath": lambda X, y: fitted("deep").pruning_path("cost_complexity"),
    "Range": None,
    "Record": None,
    "Report": lambda X, y: bw.study.report(fitted("tree"), X, y, n_bootstrap=10),
    "RuleList": lambda X, y: fitted("tree").rules(),
    "Schema": lambda X, y: fitted("tree").model_.schema,
    "Stability": lambda X, y: bw.study.stability(bw.TreeClassifier(max_depth=2), X, y, n=5),
    "StageWeights": lambda X, y: fitted("boost").stage_weights(X, y),
    "Stages": lambda X, y: fitted("boost").stages_,
    "TreeDifference": lambda X, y: bw.study.compare_trees(fitted("tree"), fitted("deep")),
    "Tuning": lambda X, y: (
        bw.TreeClassifier()
        .tune(X, y, grid={"max_depth": [1, 2], "min_impurity_decrease": [0.0, 0.01]}, nested=False)
        .tuning_
    ),
    "VoteWhy": lambda X, y: fitted("vote").why(X.iloc[0]),
    "Why": lambda X, y: fitted("tree").why(X.iloc[0]),
    "Working": lambda X, y: fitted("tree").working(0),
}
"""A maker of each class with a text of its own; None: a phrase that others put into their sentences."""


def own_texts():
    """The classes of the package that say how they are printed, other than errors."""
    found = {}
    for one in pkgutil.walk_packages(bw.__path__, "branchwork."):
        if one.name.endswith("__main__"):
            continue
        for name, kind in inspect.getmembers(importlib.import_module(one.name), inspect.isclass):
            is_ours = re.match(r"branchwork\.(?!_core)", kind.__module__) and "__str__" in vars(kind)
            if is_ours and not issubclass(kind, BaseException):
                found[name] = kind
    return found


def test_every_class_with_a_text_of_its_own_has_a_case():
    assert own_texts().keys() == OBJECTS.keys()


@cache
def made(name):
    return OBJECTS[name](*rows())


@together("width", WIDTHS)
@pytest.mark.parametrize("name", [name for name, make in OBJECTS.items() if make is not None])
def test_what_is_printed_fits_the_terminal(terminal, name, width):
    thing = made(name)
    assert type(thing).__name__ == name
    whole = str(thing)
    terminal(width)
    assert not too_wide(str(thing), width)
    if "\n" in repr(thing):
        assert not too_wide(repr(thing), width)
    sys.stdout = io.StringIO()
    assert str(thing) == whole, "a pipe gets everything"


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", ["tree", "deep", "numbers", "optimal"])
def test_trees_fit_the_width_that_they_are_given(kind, width):
    assert not too_wide(fitted(kind).to_text(width=width), width)
    assert not too_wide(fitted(kind).to_text(width=width, color=True), width)
