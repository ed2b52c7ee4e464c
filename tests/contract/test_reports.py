"""Every estimator, and every model that can be saved, can be judged, and says of itself what `score` says."""

import json

import numpy as np
import pytest

import branchwork as bw

from registry import ALL, VOTES

RNG = np.random.default_rng(5)
X = {
    "size": RNG.normal(size=120).round(1).tolist(),
    "colour": RNG.choice(["red", "blue", "green"], 120).tolist(),
    "age": np.where(RNG.random(120) < 0.1, np.nan, RNG.integers(20, 60, 120)).tolist(),
}
CLASSES = [
    "old" if age > 40 or colour == "red" else "young"
    for age, colour in zip(X["age"], X["colour"], strict=True)
]
NUMBERS = [size + 3 * (colour == "red") for size, colour in zip(X["size"], X["colour"], strict=True)]


def part(rows):
    return {name: cells[rows] for name, cells in X.items()}


@pytest.mark.parametrize("factory", [*ALL, *VOTES], ids=lambda factory: factory().__class__.__name__)
def test_every_estimator_can_be_judged(factory):
    est = factory()
    is_classes = est.__class__.__name__.endswith("Classifier")
    y = CLASSES if is_classes else NUMBERS
    train, test = slice(0, 80), slice(80, 120)
    est.fit(part(train), y[train])
    found = bw.study.report(est, part(test), y[test], n_bootstrap=10, train=(part(train), y[train]))
    assert found["accuracy" if is_classes else "r2"].value == pytest.approx(est.score(part(test), y[test]))
    assert found.baseline.source == "training" and found.n_rows == 40
    json.dumps(found.to_dict(), allow_nan=False)
    assert found.name in found.to_text() and "</html>" in found.to_html()
    single = hasattr(est, "tree_") and not hasattr(est, "rules_")
    assert (found.leaves is not None) == (found.drift is not None) == single


@pytest.mark.parametrize("factory", [*ALL, *VOTES], ids=lambda factory: factory().__class__.__name__)
def test_a_saved_model_is_judged_as_its_estimator(factory, tmp_path):
    est = factory()
    is_classes = est.__class__.__name__.endswith("Classifier")
    y = CLASSES if is_classes else NUMBERS
    est.fit(part(slice(0, 80)), y[:80])
    bw.save(est, tmp_path / "model.bw")
    loaded = bw.load(tmp_path / "model.bw")
    own, theirs = (
        bw.study.report(one, part(slice(80, 120)), y[80:], n_bootstrap=10) for one in (est, loaded)
    )
    assert own.figures == theirs.figures and own.leaves == theirs.leaves
