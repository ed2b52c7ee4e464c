"""The rules of a tree answer as the tree does, on every row: cuts to the last bit, missing cells, unseen categories."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import branchwork as bw
from branchwork.errors import ParameterError
from branchwork.model.model import Model
from branchwork.rules.extract import extract
from branchwork.table.table import MISSING, UNSEEN, Table
from grow.test_open_recipes import POLICIES, learned
from rules import slow_rules

from registry import ESTIMATORS
from tables import OF_EACH, open_cases

pytestmark = [
    pytest.mark.filterwarnings("ignore::branchwork.errors.OneClassWarning"),
    pytest.mark.filterwarnings("ignore::branchwork.errors.LowWeightWarning"),
]


def awkward_rows(model: Model, data: st.DataObject, n: int = 40) -> Table:
    """Rows at the cuts and one step beside them, infinite, missing, and with categories that nobody has seen."""
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    arrays = []
    for feature, column in enumerate(model.schema):
        if column.is_nominal:
            cells = [MISSING, UNSEEN, *range(len(column.categories))]
        else:
            cuts = model.tree.cut[model.tree.feature == feature]
            near = [cuts, np.nextafter(cuts, np.inf), np.nextafter(cuts, -np.inf)]
            cells = [np.nan, np.inf, -np.inf, 0.0, 1.0, *np.concatenate(near).tolist()]
        drawn = rng.choice(np.array(cells, np.int32 if column.is_nominal else np.float64), n)
        arrays.append(drawn)
    return Table(model.schema, tuple(arrays))


def drawn_model(data: st.DataObject, missing: str) -> Model:
    model = learned(data.draw(open_cases(missing=missing)))
    return replace(model, handle_unknown=data.draw(st.sampled_from(["missing", "majority"])))


@pytest.mark.parametrize("missing", POLICIES)
@settings(max_examples=OF_EACH)
@given(data=st.data())
def test_the_rules_answer_as_the_tree_does_and_as_they_read_row_by_row(missing, data):
    model = drawn_model(data, missing)
    rules, table = extract(model), awkward_rows(model, data)
    assert len(rules) == model.tree.n_leaves
    assert rules.outputs(table).tobytes() == model.outputs(table).tobytes()
    assert rules.predict(table).tolist() == model.predict(table).tolist()
    if model.labels is not None:
        assert rules.predict_proba(table).tobytes() == model.predict_proba(table).tobytes()
        assert rules.classes.tolist() == model.classes.tolist()
    few = table.take(slice(0, 8))
    rows = slow_rules.rows_of(few)
    assert rules.matches(few).tolist() == [[slow_rules.matches(rule, row) for rule in rules] for row in rows]
    expected = [slow_rules.outputs(rules, row, few) for row in rows]
    np.testing.assert_allclose(rules.outputs(few), expected, rtol=1e-12)
    if not rules.shares_rows:  # the leaves part all rows
        assert (rules.matches(table).sum(axis=1) == 1).all()


@pytest.mark.parametrize("missing", POLICIES)
@settings(max_examples=OF_EACH)
@given(data=st.data())
def test_simplified_rules_match_the_very_same_rows(missing, data):
    model = drawn_model(data, missing)
    rules, table = extract(model), awkward_rows(model, data)
    short = rules.simplify()
    for rule in short:
        features = [condition.feature for condition in rule.conditions]
        assert len(features) == len(set(features))
        assert not any(c.is_implied(rules.schema) or c.is_impossible() for c in rule.conditions)
    assert short.outputs(table).tobytes() == rules.outputs(table).tobytes()
    assert short.simplify() == short
    assert extract(model, simplify=True) == short
    kept = [k for k, rule in enumerate(rules) if simplified(rule, rules.schema) is not None]
    before = rules.matches(table)
    assert short.matches(table).tolist() == before[:, kept].tolist()
    assert not np.delete(before, kept, axis=1).any()  # what was left out matches nothing


def simplified(rule, schema):
    from branchwork.rules.simplify import simplify_rule

    return simplify_rule(rule, schema)


@pytest.mark.parametrize("factory", ESTIMATORS)
def test_every_estimator_has_rules(factory):
    rng = np.random.default_rng(0)
    X = {"size": rng.integers(0, 9, 60).astype(float), "colour": rng.choice(["r", "g", "b"], 60).tolist()}
    X["size"][::7] = np.nan
    y = (np.nan_to_num(X["size"]) > 4).astype(int) + np.array([c == "r" for c in X["colour"]])
    estimator = factory().fit(X, y)
    rules = estimator.rules()
    assert rules.predict(X).tolist() == estimator.predict(X).tolist()
    assert rules.simplify().predict(X).tolist() == estimator.predict(X).tolist()
    assert sum(rule.coverage for rule in rules) == pytest.approx(1)


def test_coverage_confidence_and_lift_are_those_of_the_leaf():
    tennis = bw.datasets.load("play_tennis")
    rule = bw.ID3Classifier().fit(tennis.X, tennis.y).rules()[1]
    assert rule.describe(tennis.X.schema) == "Outlook = Rain and Wind = Strong"
    assert (rule.prediction, rule.weight, rule.confidence) == ("No", 2, 1)
    assert rule.coverage == pytest.approx(2 / 14)
    assert rule.lift == pytest.approx(1 / (5 / 14))


def test_a_chain_is_refused_in_full_and_has_short_rules_when_merged():
    X, y = np.arange(4001.0).reshape(-1, 1), np.arange(4001) % 2
    tree = bw.ID3Classifier().fit(X, y)
    with pytest.raises(ParameterError, match=r"rules\(simplify=True\)"):
        tree.rules()
    rules = tree.rules(simplify=True)
    assert len(rules) == 4001
    assert max(len(rule.conditions) for rule in rules) == 1
    assert str(rules).count("\n") == 4002
    assert (rules.predict(X) == y).all()


@pytest.mark.parametrize("holes", [False, True])
def test_intervals_become_rules(holes):
    noise = np.random.default_rng(1)
    x = noise.random(900)
    y = np.digitize(x, [0.2, 0.5, 0.7]) % 2
    if holes:
        x[noise.random(900) < 0.2] = np.nan
    tree = bw.CHAIDClassifier().fit(x[:, None], y)
    assert tree.tree_.n_children[0] > 3
    rules = tree.rules()
    edges = tree.tree_.bounds[np.isfinite(tree.tree_.bounds)]
    cells = np.concatenate(
        [x, edges, np.nextafter(edges, 9), np.nextafter(edges, -9), [np.inf, -np.inf, np.nan]]
    )
    assert rules.outputs(cells[:, None]).tobytes() == tree.model_.outputs(cells[:, None]).tobytes()
    assert (rules.matches(cells[:, None]).sum(axis=1) == 1).all()
