"""From 256 classes on, some learners count only the classes that a node has: every learner around that number."""

import numpy as np
import pytest

from contract.checks import arrays
from together import together

from registry import CLASS_ENSEMBLES, CLASSIFIERS, NEIGHBOURS, RULE_LISTS

COUNTS = (254, 255, 256, 257, 258, 300)


def table(classes, seed):
    """Numbers, categories and missing cells; the words of a branch are not those of its sibling."""
    rng = np.random.default_rng([classes, seed])
    n = 3 * classes
    size = rng.integers(0, 8, n).astype(float)
    word = np.where(size < 4, rng.choice(list("rs"), n), rng.choice(list("pqr"), n)).astype(object)
    noise = rng.normal(size=n)
    noise[rng.random(n) < 0.1] = np.nan
    word[rng.random(n) < 0.05] = None
    y = (classes // 2 * (size < 4) + rng.integers(0, classes // 2, n) + (word == "p")) % classes
    y[:classes] = np.arange(classes)
    return {"size": size, "word": word, "noise": noise}, np.array([f"k{one:03}" for one in y])


@pytest.mark.filterwarnings("ignore::branchwork.errors.BranchworkWarning")
@together(
    ("factory", "classes"),
    [
        (factory, k)
        for factory in (*CLASSIFIERS, *CLASS_ENSEMBLES, *RULE_LISTS, NEIGHBOURS[0])
        for k in COUNTS
    ],
)
def test_every_learner_takes_hundreds_of_classes(factory, classes):
    X, y = table(classes, 0)
    model = factory().fit(X, y)
    chances = model.predict_proba(X)
    assert chances.shape == (len(y), classes) and list(model.classes_) == sorted(set(y))
    np.testing.assert_allclose(chances.sum(axis=1), 1.0, rtol=1e-12)
    assert (
        model.predict(X) == model.classes_[chances.argmax(axis=1)]
    ).mean() > 0.9  # rules and ties may differ
    if "n_jobs" in model.get_params() and hasattr(model, "tree_"):
        assert arrays(factory().set_params(n_jobs=3).fit(X, y)) == arrays(model)
