"""Scores written as a user would write them: those of the lecture, and some that the library does not have."""

import numpy as np
from hypothesis import strategies as st

import branchwork as bw
from branchwork.grow.recipe import Recipe, Search, Stopping
from branchwork.table.adapt import to_table
from branchwork.table.table import Table
from branchwork.table.target import Classes

ENTROPY = bw.Score(
    name="my entropy", unit="bits", term=lambda c: -c * np.log2(c), offset=lambda n: n * np.log2(n)
)
GINI = bw.Score(name="my Gini", term=lambda c: c**2, offset=lambda n: n, scale=lambda n: -1 / n)
ACCURACY = bw.Score(
    name="my accuracy", term=lambda c: c, offset=lambda n: n, scale=lambda n: -1, combine="max"
)
OWN = {"entropy": ENTROPY, "gini": GINI, "accuracy": ACCURACY}
"""By the name of the criterion that each of them is."""

TSALLIS = bw.Score(name="Tsallis", term=lambda c: c**3, offset=lambda n: n / 2, scale=lambda n: -0.5 / n**2)
"""With q = 3: (1 − Σ p³) / 2."""
COST = bw.Score(
    name="cost", term=lambda c, label: -5 * c if label == "yes" else -c, scale=lambda n: -1, combine="max"
)
"""What the better of two answers costs, where a "yes" that is missed costs 5, and any other error 1."""


def _bits(counts):
    shares = counts / counts.sum(axis=-1, keepdims=True)
    return -np.sum(shares * np.log2(np.where(shares > 0, shares, 1)), axis=-1)


def information_gain(parent, children):
    """The lecture's gain, as a function of counts."""
    return _bits(parent) - children.sum(axis=1) / parent.sum() @ _bits(children)


INFORMATION_GAIN = bw.Score(name="my gain", unit="bits", gain=information_gain)


def numbers(rows: int, classes: int, columns: int = 3, seed: int = 0) -> tuple[Table, Classes]:
    """Columns of many values, of few values, and noise; the classes depend on the first two."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    X[:, 1] = rng.integers(0, 20, rows)
    y = np.clip((X[:, 0] * 2 + X[:, 1] / 5 + rng.normal(size=rows) / 2).astype(int) % classes, 0, classes - 1)
    return to_table(X), Classes(y.astype(np.int32), tuple(f"k{k}" for k in range(classes)), declared=True)


@st.composite
def open_recipes(draw: st.DrawFn, *, in_one_call: bool = False) -> Recipe:
    """Recipes by a built-in score on class counts; `in_one_call`: also those that are not grown in steps."""
    missing = ["branch", "larger", "learn"]
    numeric, limits, order, cut = "sorted", [None], "depth", "midpoint"
    if in_one_call:
        missing = [*missing, "share"]
        numeric = draw(st.sampled_from(["sorted", "sorted", "values", "grid"]))
        limits, order = [None, 2, 5], draw(st.sampled_from(["depth", "breadth", "best"]))
        cut = draw(st.sampled_from(["midpoint", "data"]))
    search = Search(
        nominal=draw(st.sampled_from(["multiway", "one_vs_rest"])),
        missing=draw(st.sampled_from(missing)) if numeric == "sorted" else "branch",
        cuts=draw(st.sampled_from(["all", "changes"])),
        numeric=numeric,
        grid=0.125 if numeric == "grid" else None,
        cut=cut,
    )
    stopping = Stopping(
        max_depth=draw(st.sampled_from([None, 2])),
        min_samples_leaf=draw(st.sampled_from([0, 2, 2.5])) if numeric == "sorted" else 0,
        max_leaf_nodes=draw(st.sampled_from(limits)),
    )
    name = draw(st.sampled_from(sorted(OWN)))
    return Recipe("open", name, search, stopping, order=order, zero_gain=draw(st.booleans()))
