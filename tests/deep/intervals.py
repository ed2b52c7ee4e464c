"""How often do the 95 % intervals that are printed cover the true value?

    python tests/deep/intervals.py --tables 400

Tables of 200 rows are drawn from a distribution that is known, so the true value of every figure can be computed: that
of a fitted model on 200 000 other rows, or the error that a procedure has on average. An interval should cover it in
95 % of the tables. The script fails below 90 %, and names the figures that are known to do worse.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import defaultdict

import numpy as np

import branchwork as bw

N, LARGE = 200, 200_000
LEAST = 0.90
KNOWN = {"report of classes: log_loss": "one row with probability 0 decides it"}
"""Intervals that may cover less often, and why."""


def classes(seed: int, n: int = N):
    rng = np.random.default_rng([1, seed])
    X = rng.normal(size=(n, 3))
    return X, np.where(X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=n) > 0.4, "yes", "no")


def numbers(seed: int, n: int = N):
    rng = np.random.default_rng([2, seed])
    X = rng.normal(size=(n, 3))
    return X, np.exp(0.5 * X[:, 0]) + 0.5 * rng.normal(size=n)


def report_figures(make, draw, covers, kind: str, tables: int) -> None:
    """One model, and many tables of test rows: whole figures, figures of classes, and the errors of leaves."""
    model = make().fit(*draw(1_000_000))
    whole = bw.study.report(model, *draw(2_000_000, LARGE), n_bootstrap=0)
    leaf_errors = {one.node: one.error.value for one in whole.leaves}
    for table in range(tables):
        found = bw.study.report(model, *draw(table), n_bootstrap=400, random_state=table)
        for one, truth in zip(found.figures, whole.figures, strict=True):
            note(covers, f"{kind}: {one.name}", one.value, truth.value.value)
        for one, truth in zip(found.classes, whole.classes, strict=True):
            for name in ("precision", "recall", "f1"):
                note(covers, f"{kind}: {name} of a class", getattr(one, name), getattr(truth, name).value)
        for one in found.leaves:
            if one.n_rows >= 20:
                note(covers, f"{kind}: error of a leaf of 20 rows", one.error, leaf_errors[one.node])


def comparisons(learner, draw, covers, kind: str, tables: int) -> None:
    """Ten folds of many tables. The truth is the mean error of models of nine tenths of a table."""
    other = draw(2_000_000, LARGE)
    truths, intervals, always = [], [], []
    for table in range(tables):
        X, y = draw(table)
        found = bw.compare([learner], X, y)
        always.append(found.intervals[0])
        intervals.append(found.intervals[1])
        model = learner.fit(X[: N * 9 // 10], y[: N * 9 // 10])
        truths.append(loss(model.predict(other[0]), other[1]))
    is_classes = isinstance(other[1][0], str)
    share = max(np.unique(other[1], return_counts=True)[1]) / LARGE
    constant = 1 - share if is_classes else other[1].std()
    true = np.mean(truths) if is_classes else np.sqrt(np.mean(truths))
    covers[f"{kind}: baseline"] += [low <= constant <= high for low, high in always]
    covers[f"{kind}: learner"] += [low <= true <= high for low, high in intervals]


def loss(said, truth) -> float:
    return float(np.mean(said != truth) if isinstance(truth[0], str) else np.mean((said - truth) ** 2))


def note(covers, name: str, found, truth: float) -> None:
    if found is not None and found.method is not None and found.is_defined:
        covers[name].append(found.low <= truth <= found.high)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tables", type=int, default=400)
    tables = parser.parse_args().tables
    warnings.simplefilter("ignore", bw.errors.BranchworkWarning)
    covers: dict[str, list[bool]] = defaultdict(list)
    report_figures(lambda: bw.TreeClassifier(max_depth=3), classes, covers, "report of classes", tables)
    report_figures(lambda: bw.TreeRegressor(max_depth=3), numbers, covers, "report of numbers", tables)
    comparisons(bw.TreeClassifier(max_depth=3), classes, covers, "compare of classes", tables)
    comparisons(bw.TreeRegressor(max_depth=3), numbers, covers, "compare of numbers", tables)
    failed = 0
    for name, covered in covers.items():
        share = np.mean(covered)
        low = share < LEAST
        failed += low and name not in KNOWN
        why = f"   ({KNOWN[name]})" if name in KNOWN else "   TOO LOW" if low else ""
        print(f"{share:6.1%} of {len(covered):6}  {name}{why}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
