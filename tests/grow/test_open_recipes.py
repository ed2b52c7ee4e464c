"""Every score × branching × missing-value policy × limit × weights against the slow and obvious learner."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchwork.grow.recipe import Recipe, Search, Stopping
from branchwork.learn.single import learn, without_weightless_rows
from branchwork.model.describe import to_dict
from branchwork.table.target import Classes
from branchwork.tree.check import check

import oracle
from oracle_check import check_tree
from tables import OpenCase, open_cases

POLICIES = ("branch", "larger", "learn", "share")


def recipe_of(settings: oracle.Settings) -> Recipe:
    return Recipe(
        "open",
        settings.criterion,
        Search(cuts=settings.cuts, cut=settings.cut, nominal=settings.nominal, missing=settings.missing),
        Stopping(
            settings.max_depth,
            settings.min_samples_split,
            settings.min_samples_leaf,
            settings.max_leaf_nodes,
            settings.min_gain or 0,
            settings.min_impurity_decrease or 0,
        ),
        order=settings.order,
        zero_gain=settings.zero_gain,
    )


def target_of(case: OpenCase):
    target = case.target
    return target.weighted(case.class_weights) if isinstance(target, Classes) else target


def learned(case: OpenCase):
    table, target = without_weightless_rows(case.table, target_of(case))
    return learn(table, target, recipe_of(case.settings))[0]


@pytest.mark.filterwarnings("ignore::branchwork.errors.OneClassWarning")
@pytest.mark.parametrize("missing", POLICIES)
@pytest.mark.parametrize("nominal", ["multiway", "subset", "one_vs_rest"])
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


def effective(settings: oracle.Settings) -> oracle.Settings:
    """Limits that do not bind, as the library sees them."""
    if settings.missing == "share":
        return settings
    return replace(
        settings,
        min_samples_split=0 if settings.min_samples_split <= 2 else settings.min_samples_split,
        min_samples_leaf=0 if settings.min_samples_leaf <= 1 else settings.min_samples_leaf,
    )
