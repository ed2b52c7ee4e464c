"""The split that nearly won, by what each recipe chooses with."""

from dataclasses import replace

import numpy as np
import pytest

import branchwork as bw
from branchwork.model.rival import contest, measure_of
from branchwork.tree.ledger import VERDICTS

TENNIS = bw.datasets.load("play_tennis")


@pytest.mark.parametrize(
    ("estimator", "measure"),
    [
        (bw.ID3Classifier(), "gain"),
        (bw.C45Classifier(), "gain_ratio"),
        (bw.C45Classifier(gain_ratio=False), "gain"),
        (bw.TreeClassifier(criterion="gain_ratio"), "gain_ratio"),
        (bw.CARTClassifier(), "gain"),
        (bw.StumpClassifier(), "gain"),
        (bw.CHAIDClassifier(alpha_split=0.9), "adjusted_p"),
    ],
)
def test_the_rival_is_the_best_of_the_others(estimator, measure):
    assert measure_of(estimator.fit(TENNIS.X, TENNIS.y).model_) == measure
    check_rivals(estimator, measure)
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = np.column_stack([rng.integers(0, k, 60) for k in (2, 3, 9, 40)]).astype(float)
        y = (X[:, 0] + X[:, 1] + rng.integers(0, 2, 60)) % 3
        check_rivals(estimator.fit(X, y.astype(int)), measure)


def check_rivals(estimator, measure):
    column = "net_gain" if measure == "gain" else measure
    for node in np.flatnonzero(estimator.tree_.feature >= 0).tolist():
        rows = estimator.working(node).to_dict()
        held = contest(estimator.model_, node)
        if held is None:  # pruning has raised another node to this place
            assert not rows
            continue
        chosen = next(row for row in rows if row["verdict"] == "chosen")
        assert estimator.schema_[held.winner.feature].name == chosen["feature"]
        losers = [r for r in rows if r["verdict"] in ("lower_gain", "tie_lost", "less_significant")]
        if losers:
            sign = 1 if measure == "adjusted_p" else -1
            best = min(losers, key=lambda row: sign * row[column])
            assert estimator.schema_[held.rival.feature].name == best["feature"]
            assert sign * getattr(held.winner, measure) <= sign * getattr(held.rival, measure) + 1e-12


def test_at_the_root_of_play_tennis_humidity_came_next():
    held = contest(bw.ID3Classifier().fit(TENNIS.X, TENNIS.y).model_, 0)
    assert (held.winner.feature, held.rival.feature) == (0, 2)
    assert (round(held.winner.gain, 4), round(held.rival.gain, 4)) == (0.2467, 0.1518)


def test_one_that_was_not_in_the_running_comes_last():
    model = bw.C45Classifier().fit(TENNIS.X, TENNIS.y).model_
    rain = next(n for n in range(model.tree.n_nodes) if model.tree.feature[n] == 3)
    assert contest(model, rain).rival.verdict == "below_average"


def test_one_that_was_not_admitted_did_not_nearly_win_however_large_its_gain():
    model = bw.ID3Classifier().fit(TENNIS.X, TENNIS.y).model_
    verdict = model.tree.ledger.verdict.copy()
    verdict[0, 2] = VERDICTS.index("too_few_rows")
    tree = model.tree.replace(ledger=replace(model.tree.ledger, verdict=verdict))
    assert contest(replace(model, trees=(tree,)), 0).rival.feature == 3


def test_without_another_column_or_a_ledger_there_is_none():
    X, y = np.arange(3000.0).reshape(-1, 1), np.arange(3000) % 2
    assert contest(bw.ID3Classifier().fit(X[:4], y[:4]).model_, 0).rival is None
    assert contest(bw.ID3Classifier().fit(X, y).model_, 0) is None
