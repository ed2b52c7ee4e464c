"""Every estimator that can be honest says so, keeps it in every file, and shows which rows gave its numbers."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier

import branchwork as bw

from registry import ALL

RNG = np.random.default_rng(2)
FRAME = pd.DataFrame(
    {
        "number": np.where(RNG.random(80) < 0.1, np.nan, RNG.normal(size=80).round(2)),
        "word": RNG.choice(["a", "b", "c"], 80),
    }
)
LABELS = np.where((FRAME["number"].fillna(0) > 0) ^ (RNG.random(80) < 0.2), "yes", "no").astype(object)
NUMBERS = FRAME["number"].fillna(0).to_numpy() + RNG.normal(size=80)
HONEST = [factory for factory in ALL if "honest" in factory().get_params()]
SINGLE = [factory for factory in HONEST if "n_estimators" not in factory().get_params()]


def fitted(factory, **settings):
    est = factory().set_params(honest=True, **settings)
    return est.fit(FRAME, LABELS if is_classifier(est) else NUMBERS)


def test_trees_cart_and_forests_can_be_honest():
    names = {type(factory()).__name__ for factory in HONEST}
    kinds = ("Tree", "CART", "RandomForest", "ExtraTrees")
    assert names == {kind + end for kind in kinds for end in ("Classifier", "Regressor")}
    assert not any(factory().honest for factory in HONEST)


@pytest.mark.parametrize("factory", HONEST, ids=lambda f: f.__name__)
def test_models_are_saved_with_their_honesty(factory, tmp_path):
    est = fitted(factory, random_state=3)
    model = est.model_
    assert model.recipe["honest"] == 3
    for name in ("m.bw", "m.json"):
        bw.save(model, tmp_path / name)
        again = bw.load(tmp_path / name)
        assert again.recipe == model.recipe
        assert (again.predict(FRAME) == est.predict(FRAME)).all()
    assert (pickle.loads(pickle.dumps(est)).predict(FRAME) == est.predict(FRAME)).all()
    assert clone(est).get_params() == est.get_params()
    plain = factory().fit(FRAME, LABELS if is_classifier(est) else NUMBERS)
    assert "honest" not in plain.model_.recipe


@pytest.mark.parametrize("factory", HONEST, ids=lambda f: f.__name__)
def test_exports_give_the_honest_answers(factory):
    est = fitted(factory)
    space = {}
    exec(est.export("python"), space)
    rows = FRAME.astype(object).where(FRAME.notna(), None).to_dict("records")
    said = [space["predict"](row) for row in rows]
    if is_classifier(est):
        assert said == est.predict(FRAME).tolist()
    else:
        np.testing.assert_allclose(said, est.predict(FRAME))


@pytest.mark.parametrize("factory", SINGLE, ids=lambda f: f.__name__)
def test_views_say_which_rows_gave_the_numbers(factory):
    est = fitted(factory)
    y = LABELS if is_classifier(est) else NUMBERS
    assert "honest: these rows did not choose the splits" in est.to_text().splitlines()[0]
    assert "This tree is honest" in est.to_svg() and "This tree is honest" in est.to_html()
    assert "40 rows" in est.to_text().splitlines()[0]
    working = str(est.working(0, X=FRAME, y=y))
    assert "half of the training rows that chose its splits" in working and "chosen" in working
    other = str(est.working(0, X=FRAME[:50], y=y[:50]))
    assert "Computed on the 50 rows given" in other
    with pytest.raises(bw.errors.ParameterError, match="an honest tree has the numbers of other rows"):
        est.working(0)
    assert "honest" not in factory().fit(FRAME, y).to_text()


@pytest.mark.parametrize("factory", [f for f in HONEST if f not in SINGLE], ids=lambda f: f.__name__)
def test_the_page_of_a_forest_says_it(factory):
    assert "These trees are honest" in fitted(factory).to_html()


@pytest.mark.parametrize("factory", HONEST, ids=lambda f: f.__name__)
def test_row_order_and_copies_of_weights(factory):
    """Weight 0 is as if absent; and all classes of y are known although each half may lack one."""
    est = factory().set_params(honest=True)
    y = (LABELS if is_classifier(est) else NUMBERS).copy()
    if is_classifier(est):
        y[0] = "only one"
    weights = (np.arange(80) % 4 > 0).astype(float)
    weights[0] = 1
    kept = weights > 0
    one = clone(est).fit(FRAME, y, sample_weight=weights)
    other = clone(est).fit(FRAME[kept], y[kept])
    if "n_estimators" not in est.get_params():
        assert one.to_text() == other.to_text()
    if is_classifier(est):
        assert sorted(one.classes_) == ["no", "only one", "yes"]
