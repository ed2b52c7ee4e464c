"""Roads that were slow: rule lists, the command line, SQL, pruning, views of large trees, one row, small fits."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from datasets import logistic, real
from timing import Figure, Job, LeftOutError, Settings, at_least, at_most, best_of_turns, repeated

import branchwork as bw

LEAVES = 10_000
"""Of the tree that is pruned and written: 20 000 nodes."""
DEPTH = 20_000
LANGUAGES = (
    "python",
    "c",
    "javascript",
    "java",
    "sql",
    "onnx",
    "pmml",
    "json",
    "questionnaire",
    "markdown",
    "latex",
)
CHAINED = ("sql", "pmml", "json")


def figures(settings: Settings) -> Iterator[Figure]:
    """Time each road against its limit."""
    yield from _small(settings)
    yield from _large(settings)
    yield from _chain(settings)
    yield from _wide(settings)
    if settings.data is None:
        raise LeftOutError("rule lists, SQL of C4.5 and predict on a file need --data FOLDER")
    yield from _real(settings, settings.data)


def _small(settings: Settings) -> Iterator[Figure]:
    """One fit and one row from plain containers, beside scikit-learn."""
    from sklearn.datasets import load_breast_cancer, load_iris
    from sklearn.tree import DecisionTreeClassifier

    for name, load, target in (("iris", load_iris, 4), ("wdbc", load_breast_cancer, 8)):
        X, y = load(return_X_y=True)
        fits = {"ours": lambda X=X, y=y: bw.TreeClassifier().fit(X, y)}
        fits["peer"] = lambda X=X, y=y: DecisionTreeClassifier().fit(X, y)
        best = best_of_turns(fits, settings.rounds, repeated(50))
        yield Figure(f"one fit, {name}", "scikit-learn", best["peer"], best["ours"], at_least(target))
        ours, peer, row = fits["ours"](), fits["peer"](), X[:1].tolist()
        asked: dict[str, Job] = {
            "ours": lambda ours=ours, row=row: ours.predict(row),
            "peer": lambda peer=peer, row=row: peer.predict(row),
        }
        best = best_of_turns(asked, settings.rounds, repeated(500))
        yield Figure(f"one row in a list, {name}", "scikit-learn", best["peer"], best["ours"], at_most(0.1))


def _large(settings: Settings) -> Iterator[Figure]:
    """Pruning a tree of 20 000 nodes beside its fit; writing it down within a second."""
    X, y, _ = logistic(100_000, 10)
    fit = lambda: bw.TreeClassifier(max_leaf_nodes=LEAVES).fit(X[:80_000], y[:80_000])  # noqa: E731
    tree = fit()
    held = X[80_000:], y[80_000:]
    pruning: dict[str, Job] = {
        method: lambda method=method: tree.prune(method)
        for method in ("pessimistic", "error_based", "mdl", "minimum_error")
    }
    pruning["reduced_error"] = lambda: tree.prune("reduced_error", *held)
    pruning["error_based, with rows"] = lambda: tree.prune("error_based", X[:80_000], y[:80_000])
    best = best_of_turns({"fit": fit, **pruning}, settings.rounds)
    for method in pruning:
        yield Figure(
            f"prune {method}, {tree.tree_.n_nodes} nodes", "its fit", best["fit"], best[method], at_most(1)
        )
    views: dict[str, Job] = {
        "rules()": tree.rules,
        "to_text()": tree.to_text,
        **{f"export({name!r})": lambda name=name: tree.export(name) for name in LANGUAGES},
    }
    yield from _within(1.0, f", {tree.tree_.n_nodes} nodes", views, settings)


def _chain(settings: Settings) -> Iterator[Figure]:
    """A tree of depth 20 000, in which every step parts one row from all others."""
    X, y = np.arange(DEPTH + 1.0)[:, None], np.arange(DEPTH + 1) % 2
    tree = bw.TreeClassifier().fit(X, y)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chain.json"
        jobs: dict[str, Job] = {
            "save as JSON": lambda: bw.save(tree, path),
            "load from JSON": lambda: bw.load(path),
            "why": lambda: str(tree.why(X[DEPTH // 2])),
            "to_text": tree.to_text,
            "to_dict": tree.to_dict,
            **{f"export({name!r})": lambda name=name: tree.export(name) for name in CHAINED},
        }
        yield from _within(2.0, f", depth {DEPTH}", jobs, settings)


def _wide(settings: Settings) -> Iterator[Figure]:
    """A node with 100 000 branches, and a file with as many columns."""
    import warnings

    x = [f"c{k}" for k in range(100_000)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = bw.ID3Classifier().fit({"x": x * 2}, [k % 2 for k in range(100_000)] * 2)
    jobs: dict[str, Job] = {
        f"export({name!r})": lambda name=name: tree.export(name) for name in ("sql", "pmml")
    }
    yield from _within(10.0, ", 100 000 branches", jobs, settings)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "wide.csv"
        lines = [",".join(x), *(",".join(str(k * row + 0.5) for k in range(100_000)) for row in range(3))]
        path.write_text("\n".join(lines) + "\n")
        yield from _within(5.0, ", 3 × 100 000", {"read a CSV": lambda: bw.read(path)}, settings)


def _real(settings: Settings, folder: Path) -> Iterator[Figure]:
    adult, labels = real(folder, "adult")
    rules = {"RuleListClassifier, adult": lambda: bw.RuleListClassifier().fit(adult, labels)}
    yield from _within(5.0, "", rules, settings)
    yield from _within(3.0, "", {"C4.5 as SQL in DuckDB, adult": _in_duckdb(adult, labels)}, settings)
    flights = folder / "flights_2001_3m.parquet"
    table, delay = real(folder, "flights_2001_3m")
    with tempfile.TemporaryDirectory() as place:
        model = Path(place) / "tree.bw"
        bw.save(bw.TreeRegressor(max_depth=10).fit(table[:100_000], delay[:100_000]), model)
        command = [
            sys.executable,
            "-m",
            "branchwork",
            "predict",
            str(model),
            str(flights),
            "-o",
            f"{place}/out.csv",
        ]
        jobs: dict[str, Job] = {
            "command": lambda: subprocess.run(command, check=True, env=os.environ, capture_output=True),
            "Python": lambda: bw.load(model).predict(bw.read(flights)),
        }
        best = best_of_turns(jobs, min(settings.rounds, 3))
    work = "branchwork predict, 3 M rows of Parquet"
    yield Figure(work, "read and predict in Python", best["Python"], best["command"], at_most(1.5))


def _in_duckdb(frame: Any, labels: Any) -> Callable[[], Any]:
    """What runs a C4.5 tree as SQL on all rows."""
    import duckdb

    query = bw.C45Classifier().fit(frame, labels).export("sql", table="people")
    database = duckdb.connect()
    database.register("given", frame)
    database.execute("CREATE TABLE people AS SELECT * FROM given")
    return lambda: database.execute(query).fetchall()


def _within(limit: float, what: str, jobs: dict[str, Job], settings: Settings) -> Iterator[Figure]:
    best = best_of_turns(jobs, min(settings.rounds, 3))
    for work, needs in best.items():
        yield Figure(f"{work}{what}", f"a limit of {limit:g} s", limit, needs, at_most(1))
