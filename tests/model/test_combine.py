"""How trees become one model: against the formulas written out."""

from __future__ import annotations

import math

import numpy as np
import pytest

from branchwork.errors import ParameterError
from branchwork.model.combine import Combine

from program_cases import hard_rows, model_of, table_of


def outputs_of_members(model, table):
    return [model.member(k).outputs(table) for k in range(len(model.trees))]


@pytest.mark.parametrize("seed", range(4))
def test_a_mean_is_the_mean(seed):
    model = model_of(seed, kind="mean")
    table = table_of(model, hard_rows(model, 50, seed))
    expected = np.mean(outputs_of_members(model, table), axis=0)
    np.testing.assert_allclose(model.outputs(table), expected, rtol=1e-14)
    assert model.predict(table).tolist() == [model.labels[k] for k in np.argmax(expected.round(11), axis=1)]
    assert model.apply(table).shape == (50, len(model.trees))


@pytest.mark.parametrize("seed", range(4))
def test_a_sum_goes_through_its_link(seed):
    for kind in ("sum", "sum exp", "sum logistic", "sum softmax"):
        model = model_of(seed, kind=kind)
        table = table_of(model, hard_rows(model, 20, seed))
        for row, members in enumerate(zip(*outputs_of_members(model, table), strict=True)):
            sums = list(model.combine.base)
            for k, own in enumerate(members):
                sums[0 if model.combine.output is None else model.combine.output[k]] += own[0]
            np.testing.assert_allclose(model.outputs(table)[row], linked(kind, sums), rtol=1e-13)


def linked(kind, sums):
    if kind == "sum exp":
        return [math.exp(sums[0])]
    if kind == "sum logistic":
        chance = 1 / (1 + math.exp(-sums[0]))
        return [1 - chance, chance]
    if kind == "sum softmax":
        parts = [math.exp(x) for x in sums]
        return [part / sum(parts) for part in parts]
    return sums


@pytest.mark.parametrize("seed", range(4))
def test_votes_count_decisions(seed):
    for kind in ("vote", "weighted vote", "weighted vote samme"):
        model = model_of(seed, kind=kind)
        table = table_of(model, hard_rows(model, 30, seed))
        weights = model.combine.weights or (1.0,) * len(model.trees)
        n_classes = len(model.labels)
        for row in range(30):
            votes = [0.0] * n_classes
            for k, weight in enumerate(weights):
                votes[model.labels.index(model.member(k).predict(table.take([row]))[0])] += weight
            if kind == "vote":
                wanted = [vote / len(model.trees) for vote in votes]
            elif kind == "weighted vote":
                wanted = linked("sum softmax", votes)
            else:  # as scikit-learn writes it
                total = sum(weights)
                decision = [(vote - (total - vote) / (n_classes - 1)) / total for vote in votes]
                wanted = linked("sum softmax", [one / (n_classes - 1) for one in decision])
            np.testing.assert_allclose(model.outputs(table)[row], wanted, rtol=1e-12, atol=1e-15)
        first = model.first(1)
        assert (
            len(first.trees) == 1 and first.predict(table).tolist() == model.member(0).predict(table).tolist()
        )
        with pytest.raises(ParameterError, match=r"first\(99\)"):
            model.first(99)


def test_a_weighted_median_has_half_of_the_weight_up_to_it():
    said = np.array([[3.0, 1.0], [1.0, 1.0], [2.0, 5.0]])[:, :, None]
    assert Combine("median", weights=(1.0, 1.0, 1.0)).together(said)[:, 0].tolist() == [2.0, 1.0]
    assert Combine("median", weights=(5.0, 1.0, 1.0)).together(said)[:, 0].tolist() == [3.0, 1.0]
    assert Combine("median", weights=(1.0, 0.0, 1.0)).together(said)[:, 0].tolist() == [2.0, 1.0]


def test_links_do_not_overflow():
    sums = np.array([[-1e4], [1e4]])
    assert Combine("sum", base=(0.0,), link="logistic").linked(sums).tolist() == [[1, 0], [0, 1]]
    large = np.array([[1e4, -1e4, 0.0]])
    assert Combine("sum", base=(0.0,) * 3, link="softmax").linked(large).tolist() == [[1, 0, 0]]


def test_what_means_nothing_is_refused():
    with pytest.raises(ParameterError, match="has no base"):
        Combine("mean", base=(1.0,))
    with pytest.raises(ParameterError, match="needs a base"):
        Combine("sum")
    with pytest.raises(ParameterError, match="needs weights"):
        Combine("weighted_vote", link="samme")
    with pytest.raises(ParameterError, match="has no link 'identity'"):
        Combine("weighted_vote", weights=(1.0,))
    with pytest.raises(ParameterError, match="has no weights"):
        Combine("vote", weights=(1.0,))
    with pytest.raises(ParameterError, match="finite numbers, 0 or more"):
        Combine("median", weights=(-1.0,))
    with pytest.raises(ParameterError, match="two classes of one sum"):
        Combine("sum", base=(0.0, 0.0), link="logistic")


def test_a_view_of_many_trees_says_how_to_take_one():
    model = model_of(0, kind="mean")
    with pytest.raises(ParameterError, match=r"model\.member\(0\)"):
        model.to_text()
    with pytest.raises(ParameterError, match="trees 0 to"):
        model.member(99)
    assert model.member(1).to_text()
