"""Every score × branching × missing-value policy × limit × weights against the slow and obvious learner."""

from __future__ import annotations

from dataclasses import fields, replace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import branchwork as bw
from branchwork.grow.steps import grow_in_steps
from branchwork.learn.single import learn, without_weightless_rows
from branchwork.model.describe import to_dict
from branchwork.tree.check import check

import oracle
from oracle_check import check_tree
from same_tree import assert_same_tree
from tables import OF_EACH, OpenCase, open_cases

pytestmark = [  # both are right about some of the tables, and the tree is the same
    pytest.mark.filterwarnings("ignore::branchwork.errors.OneClassWarning"),
    pytest.mark.filterwarnings("ignore::branchwork.errors.LowWeightWarning"),
]
POLICIES = ("branch", "larger", "learn", "share")


def learned(case: OpenCase):
    table, target = without_weightless_rows(case.table, case.weighted_target)
    return learn(table, target, case.recipe)[0]


@pytest.mark.parametrize("missing", POLICIES)
@pytest.mark.parametrize("nominal", ["multiway", "subset", "one_vs_rest"])
@settings(max_examples=OF_EACH)
@given(data=st.data())
def test_every_split_is_right(missing, nominal, data):
    case = data.draw(open_cases(missing=missing, nominal=nominal))
    model = learned(case)
    check(model.tree, model.schema)
    check_tree(
        to_dict(model),
        case.columns,
        case.y,
        effective(case.settings),
        case.labels,
        case.weights,
        case.class_weights,
    )


@pytest.mark.parametrize("missing", POLICIES)
@given(data=st.data())
def test_probabilities_and_means_are_the_oracle_s(missing, data):
    case = data.draw(open_cases(missing=missing, nominal="multiway", max_leaf_nodes=None))
    model = learned(case)
    root = replace(case, settings=effective(case.settings)).grow_by_oracle()
    got = model.outputs(case.table)
    for row, outputs in zip(case.rows(), got.tolist(), strict=True):
        if case.labels is None:
            wanted = [float(sum(share * leaf.mean for leaf, share in oracle.leaves_of(root, row)))]
        else:
            shares = oracle.predict_shares(root, row)
            wanted = [shares[label] for label in model.labels]
        assert outputs == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("order", ["depth", "breadth", "best"])
@given(data=st.data())
def test_leaves_are_limited_in_the_oracle_s_order(order, data):
    case = data.draw(open_cases(order=order, nominal="one_vs_rest", max_leaf_nodes=4, zero_gain=False))
    model = learned(case)
    root = replace(case, settings=effective(case.settings)).grow_by_oracle()
    leaves = sum(1 for _ in walk(root) if not _.children)
    assert model.tree.n_leaves == leaves


def walk(node: oracle.Node):
    yield node
    for child in node.children:
        yield from walk(child)


@pytest.mark.parametrize("missing", ["branch", "larger", "learn"])
@given(data=st.data())
def test_the_stepwise_road_gives_the_same_tree(missing, data):
    case = data.draw(open_cases(missing=missing, cut="midpoint", max_leaf_nodes=None))
    table, target = without_weightless_rows(case.table, case.weighted_target)
    tree, steps = learned(case).tree, grow_in_steps(table, target, case.recipe)
    assert_same_tree(tree, steps, 1e-9)


def effective(settings: oracle.Settings) -> oracle.Settings:
    """Limits that do not bind, as the library sees them."""
    if settings.missing == "share":
        return settings
    return replace(
        settings,
        min_samples_split=0 if settings.min_samples_split <= 2 else settings.min_samples_split,
        min_samples_leaf=0 if settings.min_samples_leaf <= 1 else settings.min_samples_leaf,
    )


@pytest.mark.parametrize("missing", POLICIES)
@pytest.mark.parametrize("nominal", ["multiway", "subset", "one_vs_rest"])
@settings(max_examples=OF_EACH)
@given(data=st.data())
def test_what_is_skipped_without_a_ledger_would_not_have_won(missing, nominal, data):
    case = data.draw(open_cases(missing=missing, nominal=nominal))
    in_full = learned(case).tree
    with patch("branchwork.grow.grow.LEDGER_NODES", 0):
        skipping = learned(case).tree
    assert skipping.ledger is None
    for field in fields(in_full):
        if field.name != "ledger":
            np.testing.assert_array_equal(
                getattr(skipping, field.name), getattr(in_full, field.name), field.name
            )


def test_a_branch_without_counts_is_not_made_by_rounding():
    """Shares of rows are taken away from sums of thirds; what is left of no counts at all is not quite 0."""
    cells = np.array([[np.nan], [np.nan], [np.nan], [np.nan], [0.0], [np.nan], [-2.0], [-0.5], [np.nan]])
    counts = [0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 1.0, 1.0, 10.0]
    tree = bw.TreeRegressor(criterion="poisson", missing="share").fit(cells, counts).tree_
    assert tree.n_leaves == 2  # parting 0 from -0.5 would leave the former without counts
