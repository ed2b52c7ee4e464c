"""Cross-validation of the cost-complexity sequence, against slow code of its own."""

import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import ParameterError


def table(classes):
    noise = np.random.default_rng(5)
    X = noise.random((90, 3)).round(2)
    signal = X[:, 0] + 0.5 * (X[:, 1] > 0.5)
    y = (
        np.where(signal + noise.normal(0, 0.3, 90) > 0.7, "a", "b")
        if classes
        else signal + noise.normal(0, 0.2, 90)
    )
    return X, y


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", [bw.CARTClassifier, bw.CARTRegressor])
def test_xerror_is_that_of_every_fold_pruned_at_every_complexity(kind, weighted):
    X, y = table(kind is bw.CARTClassifier)
    weights = np.arange(90) % 3 + 1.0 if weighted else np.ones(90)
    fold = np.arange(90) % 5
    given = {"sample_weight": weights} if weighted else {}
    found = kind(xval=fold).fit(X, y, **given).cp_table_
    root = kind(max_depth=0).fit(X, y, **given)

    def losses(model, rows):
        answers = model.predict(X[rows])
        return (answers != y[rows]).astype(float) if kind is bw.CARTClassifier else (answers - y[rows]) ** 2

    risk = float(weights @ losses(root, np.arange(90)))
    steps = np.array(found["CP"]) * risk
    betas = np.append(np.inf, np.sqrt(steps[1:] * steps[:-1]))
    expected, squares = np.zeros(len(betas)), np.zeros(len(betas))
    for k in range(5):
        train, test = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        share = weights[train].sum() / weights.sum()
        some = {"sample_weight": weights[train]} if weighted else {}
        grown = kind().fit(X[train], y[train], **some)
        for at, beta in enumerate(betas):
            pruned = grown.prune(
                "cost_complexity", alpha=min(beta * share / weights[train].sum(), 1e9), risk="errors"
            )
            of_rows = losses(pruned, test)
            expected[at] += weights[test] @ of_rows
            squares[at] += weights[test] @ of_rows**2
    assert found["xerror"] == pytest.approx((expected / risk).tolist(), rel=1e-9)
    spread = np.sqrt(squares - expected**2 / weights.sum()) / risk
    assert found["xstd"] == pytest.approx(spread.tolist(), rel=1e-9)


def test_rows_without_weight_make_no_fold():
    X, y = np.arange(6.0)[:, None], [0, 1, 0, 1, 0, 1]
    with pytest.raises(ParameterError, match="all rows with a weight into one fold"):
        bw.CARTClassifier(xval=[0, 0, 0, 1, 1, 1]).fit(X, y, sample_weight=[1, 1, 1, 0, 0, 0])
