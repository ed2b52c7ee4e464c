"""Rules of trees with surrogates: they answer as the tree does, and say which other columns they ask."""

from __future__ import annotations

import numpy as np
import pytest

import branchwork as bw
from branchwork.export.program import Leaf, program, run
from branchwork.rules.condition import WithSurrogates
from model.awkward import KINDS, fitted, rows_for

pytestmark = pytest.mark.filterwarnings(
    "ignore::branchwork.errors.UnseenCategoryWarning", "ignore::branchwork.errors.OneClassWarning"
)
IDS = [f"{k}-{factory().__class__.__name__}" for k, factory in enumerate(KINDS)]


@pytest.mark.parametrize("factory", KINDS, ids=IDS)
@pytest.mark.parametrize("simplify", [False, True])
def test_rules_answer_as_the_tree_does_whatever_it_does_with_missing_cells(factory, simplify):
    for seed in range(3):
        estimator = fitted(factory, seed)
        rows = rows_for(estimator, seed, count=60)
        rules = estimator.rules(simplify=simplify)
        assert rules.outputs(rows).tobytes() == estimator.model_.outputs(rows).tobytes()
        assert rules.predict(rows).tolist() == estimator.predict(rows).tolist()


def with_stand_in() -> bw.CARTClassifier:
    """`dose` decides; `grams` goes with it in all rows but two, `sex` in all but three."""
    dose = np.arange(20.0)
    grams = np.where((dose == 0) | (dose == 19), 190 - dose * 10, dose * 10)
    X = {"dose": dose, "grams": grams, "sex": ["m"] * 3 + ["f"] * 7 + ["m"] * 10}
    return bw.CARTClassifier(max_surrogates=2).fit(X, dose > 9.5)


def test_a_condition_names_its_surrogates():
    rules = with_stand_in().rules()
    assert str(rules).splitlines()[1].split("→")[0].strip() == (
        "1  dose <= 9.5 (if missing: grams <= 95, else … 1 more)"
    )
    assert rules[0].describe(rules.schema, full=True) == (
        "dose <= 9.5 (if missing: grams <= 95, else sex = f, else this way)"
    )
    assert rules[1].describe(rules.schema, missing=True) == (
        "dose > 9.5 (if missing: grams > 95, else sex = m, else not this way)"
    )
    (data,) = rules.to_dict()["rules"][1]["conditions"]
    assert data["surrogates"] == [
        {"feature": "grams", "above": 95.0, "upto": None, "missing": False},
        {"feature": "sex", "values": ["m"], "missing": False},
    ]
    assert data["missing"] is False and data["above"] == 9.5


@pytest.mark.parametrize(
    ("row", "answer"),
    [
        ({"dose": 3, "grams": 190, "sex": "m"}, False),
        ({"dose": None, "grams": 190, "sex": "f"}, True),
        ({"dose": None, "grams": None, "sex": "m"}, True),
        ({"dose": None, "grams": None, "sex": None}, False),
    ],
)
def test_surrogates_are_asked_in_order(row, answer):
    tree = with_stand_in()
    assert tree.rules().predict([row]).tolist() == tree.predict([row]).tolist() == [answer]


def test_rules_that_lost_conditions_still_ask_their_surrogates():
    tree = with_stand_in()
    X = {"dose": [None, None, 1.0, 15.0], "grams": [10, 190, 10, 190], "sex": ["f", "m", "f", "m"]}
    shorter = tree.rules().post_prune(X, [False, True, False, True])
    assert shorter.predict(X).tolist() == [False, True, False, True]
    assert any(isinstance(one, WithSurrogates) for rule in shorter for one in rule.conditions)
    strict = tree.rules().post_prune(X, [False, True, False, True], method="c4.5rules")
    assert not any(isinstance(one, WithSurrogates) for rule in strict for one in rule.conditions)


@pytest.mark.parametrize("factory", KINDS[-12:-9], ids=IDS[-12:-9])
def test_programs_of_such_rules_ask_them_too(factory):
    for seed in range(3):
        estimator = fitted(factory, seed)
        rules = estimator.rules()
        rows = rules.table(rows_for(estimator, seed, count=40))
        written = program(rules)
        leaves = [at for at, step in enumerate(written.trees[0]) if isinstance(step, Leaf)]
        cells = zip(*(array.tolist() for array in rows.arrays), strict=True)
        found = [leaves.index(run(written, list(row))[0][0][0]) for row in cells]
        assert found == rules.apply(rows).tolist()
