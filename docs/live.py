"""Make the live pages and the pictures that the site shows but that are not kept in the repository.

They are made from scratch each time the site is built, so they always show what the code does today. Everything goes
into the folder `live` of the site; `live_site.py` has the directives that put it on a page.
"""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris

import branchwork as bw
from branchwork.files import save_text
from branchwork.learn.handed_back import largest_pages
from branchwork.view.html import to_html


@cache
def _tennis() -> Any:
    tennis = bw.datasets.load("play_tennis")
    return bw.ID3Classifier().fit(tennis.X, tennis.y), tennis.X, tennis.y


def _columns(bundle: Any) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Return a table of scikit-learn as columns by name, and the names of its classes."""
    names = [name.removesuffix(" (cm)") for name in bundle.feature_names]
    return dict(zip(names, bundle.data.T, strict=True)), bundle.target_names[bundle.target]


@cache
def _iris() -> Any:
    X, y = _columns(load_iris())
    return bw.C45Classifier().fit(X, y, target_name="species"), X, y


def _inside(tree: Any, X: Any, y: Any, title: str) -> str:
    """Return the page of a tree for a frame on another page: there the wheel scrolls that page."""
    model = tree.model_
    data = (model.table(X), model.target_of(y))
    pages = largest_pages(model, *data)
    return to_html(model, unit=model.unit, title=title, embedded=True, data=data, pages=pages)


def _questionnaire() -> str:
    tennis = bw.datasets.load("play_tennis")
    tree = bw.C45Classifier(pruning=None, min_cases=1).fit(tennis.X, tennis.y)
    return str(tree.model_.export("questionnaire", title="Tennis or not"))


def _optimal() -> str:
    days = bw.datasets.milk_allergy()
    return str(bw.OptimalTreeClassifier(max_depth=3).fit(days.X, days.y).to_svg(theme="auto"))


def _hand_tree() -> str:
    iris = bw.datasets.load("iris7")
    questions = {
        "feature": "Petal Length",
        "cut": 2.5,
        "then": "setosa",
        "else": {"feature": "Petal Width", "cut": 1.5, "then": "versicolor", "else": "virginica"},
    }
    labels = [("setosa", "versicolor", "virginica")[label] for label in iris.y]
    return str(bw.hand_tree(questions, iris.X, labels).to_svg(theme="auto"))


def _cart() -> str:
    X, y = _columns(load_iris())
    return str(bw.CARTClassifier(max_depth=3).fit(X, y).to_svg(X, y, theme="auto"))


def _c45() -> str:
    tennis = bw.datasets.load("play_tennis")
    X = {name: list(tennis.X.column(name)) for name in tennis.X.schema.names}
    X["Outlook"][1] = X["Outlook"][5] = X["Humidity"][8] = None
    return str(bw.C45Classifier(pruning=None).fit(X, tennis.y).to_svg(theme="auto"))


def _comparing() -> str:
    X, y = bw.study.CheckerboardSampler(flip=0.1)(600, seed=0)
    learners = {
        "stump": bw.StumpClassifier(),
        "tree": bw.TreeClassifier(max_depth=4),
        "forest": bw.RandomForestClassifier(30),
        "neighbours": bw.NeighboursClassifier(k=5),
    }
    return str(bw.compare(learners, X, y).to_svg(theme="auto"))


def _stability() -> str:
    tennis = bw.datasets.load("play_tennis")
    return str(bw.study.stability(bw.ID3Classifier(), tennis.X, tennis.y, n=100).to_svg(theme="auto"))


def _gain_curve() -> str:
    X, y = _columns(load_iris())
    return str(bw.ID3Classifier().fit(X, y).working(0, X=X, y=y).curve("petal length").to_svg())


def _pruned(prune: bool) -> str:
    X, y = _columns(load_breast_cancer())
    tree = bw.TreeClassifier().fit(X, y)
    if prune:
        tree = tree.prune("cost_complexity", X, y, folds=10, choose="1se")
    return str(tree.to_svg(theme="auto"))


def _rule_regions() -> str:
    X, y = _columns(load_iris())
    X = {name: X[name] for name in ("petal length", "petal width")}
    return str(bw.study.regions(bw.C45Classifier().fit(X, y), X, y).to_svg(theme="auto"))


def _look() -> str:
    X, y = _columns(load_breast_cancer())
    return str(bw.study.look(X, y).to_svg("mean concave points", theme="auto"))


def _leaf_size() -> str:
    X, y = bw.study.CheckerboardSampler(flip=0.1)(600, seed=0)
    sizes = [1, 2, 5, 10, 20, 40, 80]
    found = bw.study.curve(bw.TreeClassifier(), X, y, over="min_samples_leaf", values=sizes)
    return str(found.to_svg(theme="auto"))


def _neighbours() -> str:
    X, y = bw.study.CheckerboardSampler(flip=0.1)(600, seed=0)
    found = bw.study.curve(bw.NeighboursClassifier(), X, y, over="k", values=[1, 3, 5, 9, 15, 25, 45])
    return str(found.to_svg(theme="auto"))


def _votes() -> str:
    X, y = _noisy_sum()
    members: dict[str, Any] = {
        "C4.5": bw.C45Classifier(),
        "neighbours": bw.NeighboursClassifier(k=15),
        "stump": bw.StumpClassifier(),
    }
    vote = bw.VoteClassifier(list(members.items()))
    return str(bw.compare({**members, "all three vote": vote}, X, y).to_svg(theme="auto"))


def _noisy_sum(rows: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """Return a table of ten features, five of which count."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 10))
    return X, np.where(X[:, :5].sum(axis=1) + rng.normal(size=rows) > 0, "plus", "minus")


def _terminal(command: str, title: str) -> str:
    """Draw what a command prints in a terminal of 100 columns."""
    from rich.console import Console
    from rich.text import Text

    printed = _typed([sys.executable, "-m", "branchwork", *command.split()[1:]])
    console = Console(record=True, width=100, file=io.StringIO(), force_terminal=True)
    console.print(Text.assemble(("$ ", "bold"), command))
    console.print(Text.from_ansi(printed.rstrip()), soft_wrap=True)
    return console.export_svg(title=title, code_format=_TERMINAL)


def _typed(command: list[str]) -> str:
    """Return what a command prints if its output is a terminal, colours included."""
    ours, theirs = pty.openpty()
    settings = {**os.environ, "COLUMNS": "100", "LINES": "40", "TERM": "xterm-256color"}
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=settings):
        os.close(theirs)
        parts = []
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # Linux: the other end is closed
                break
            if not part:
                break
            parts.append(part)
    os.close(ours)
    return b"".join(parts).decode("utf-8").replace("\r\n", "\n")


_TERMINAL = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: {char_height}px;
  line-height: {line_height}px; font-variant-east-asian: full-width }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: Helvetica, Arial, sans-serif }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">{matrix}</g>
</g>
</svg>
"""
"""The usual frame of rich without the fonts that it would load from elsewhere."""


MADE: dict[str, Callable[[], str]] = {
    "tennis.html": lambda: str(_tennis()[0].to_html(*_tennis()[1:], title="Tennis or not")),
    "tennis-inside.html": lambda: _inside(*_tennis(), "Tennis or not"),
    "iris.html": lambda: str(_iris()[0].to_html(*_iris()[1:], title="Iris")),
    "iris-inside.html": lambda: _inside(*_iris(), "Iris"),
    "questionnaire.html": _questionnaire,
    "optimal.svg": _optimal,
    "hand-tree.svg": _hand_tree,
    "c45-missing.svg": _c45,
    "cart-iris.svg": _cart,
    "comparing.svg": _comparing,
    "stability.svg": _stability,
    "gain-curve.svg": _gain_curve,
    "whole-tree.svg": lambda: _pruned(prune=False),
    "pruned-tree.svg": lambda: _pruned(prune=True),
    "rule-regions.svg": _rule_regions,
    "look.svg": _look,
    "leaf-size.svg": _leaf_size,
    "neighbours.svg": _neighbours,
    "votes.svg": _votes,
    "terminal-grow.svg": lambda: _terminal("branchwork grow play_tennis", "branchwork grow"),
}
"""Name of the file → what makes its text."""


def make_all(folder: Path) -> None:
    """Write all files into a folder of the site."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in MADE.items():
        save_text(folder / name, make())
