"""Files that somebody made: refused, or everything works with them. tests/deep/craft_models.py tries many more."""

import json
import signal

import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import ModelFormatError
from branchwork.store.container import from_bytes, to_bytes
from branchwork.store.twin import from_json_bytes, to_json_bytes
from branchwork.tree.ledger import VERDICTS
from store.crafted import MODELS, Case, sampled, too_slow
from store.damage import parts, put_together, resealed, with_number, with_words

from program_cases import model_of

SHARE = 0.004
"""Of all fields and strange values: some hundred files."""


@pytest.fixture
def limited():
    """A second of processor time for everything that is done."""
    before = signal.signal(signal.SIGPROF, too_slow)
    yield
    signal.signal(signal.SIGPROF, before)


@pytest.mark.parametrize("name", MODELS)
def test_a_crafted_file_is_refused_or_everything_works(name, limited):
    case = Case(name)
    found = {one: case.outcome(one) for one in sampled(case.model, SHARE, seed=3)}
    assert {str(one): wrong for one, (_, wrong) in found.items() if wrong} == {}
    assert any(word == "refused" for word, _ in found.values())


# ---- the two that were reported


def test_a_huge_group_in_the_working_is_refused():
    model = model_of(5, kind="chaid", rows=24)
    data, ledger = to_bytes(model), model.tree.ledger
    nominal = np.array([column.is_nominal for column in model.schema])
    groups = ledger.parts_at[:, nominal].reshape(-1, 2)
    positions = [k for begin, end in groups.tolist() for k in range(begin, end)]
    assert len(positions) > 20
    for position in positions[::4]:
        with pytest.raises(ModelFormatError, match=r"tree\.0: .*ledger\.parts \d+ is out of range"):
            from_bytes(with_number(data, "tree.0.ledger.parts", position, 1e15))


def test_a_recipe_without_criterion_is_refused():
    model = model_of(1, kind="id3", rows=24)
    with pytest.raises(ModelFormatError, match="recipe: criterion is missing"):
        from_bytes(with_words(to_bytes(model), lambda words: words["recipe"].pop("criterion")))
    found = json.loads(to_json_bytes(model))
    del found["recipe"]["criterion"]
    with pytest.raises(ModelFormatError, match="recipe: criterion is missing"):
        from_json_bytes(resealed(json.dumps(found).encode()))


# ---- the recipe


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("criterion",), "ginni", r"recipe: criterion='ginni' is not known"),
        (
            ("criterion",),
            "squared_error",
            r"recipe\.criterion: 'squared_error' is not for trees that answer with cl",
        ),
        (("name",), 7, "recipe: name=7; expected text"),
        (("zero_gain",), 1, "recipe: zero_gain=1; expected True or False"),
        (("search",), None, "recipe: search=None"),
        (("search", "rules"), "c50", "recipe: rules='c50' is not known"),
        (("search", "collapse"), "yes", "recipe: collapse='yes'; expected True or False"),
        (("search", "depth"), 3, "recipe: search has no setting 'depth'"),
        (("stopping", "max_depth"), -1, "recipe: max_depth=-1"),
        (("stopping", "min_gain"), {"float": "nan"}, "recipe: min_gain=nan; expected a finite number"),
        (("pruning",), {"method": "axe"}, "recipe: pruning='axe' is not known"),
        (("chaid",), {"ordinal_features": 5}, r"recipe\.chaid\.ordinal_features: expected a list"),
        (("colour",), "blue", "recipe: recipe has no setting 'colour'"),
        (("library",), "scikit-learn", "recipe: 'search' is not known"),
    ],
)
def test_every_setting_of_a_recipe_is_checked(path, value, message):
    def change(words):
        at = words["recipe"]
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = value
        if path == ("library",):
            at.pop("order")

    with pytest.raises(ModelFormatError, match=message):
        from_bytes(with_words(to_bytes(model_of(1, kind="id3", rows=24)), change))


def test_a_setting_that_a_file_does_not_tell_has_its_default():
    model = model_of(1, kind="id3", rows=24)
    short = from_bytes(
        with_words(to_bytes(model), lambda words: words["recipe"]["search"].pop("cut_penalty"))
    )
    assert short.recipe == model.recipe


def test_a_tree_from_another_library_has_no_working():
    data = to_bytes(model_of(1, kind="id3", rows=24))
    foreign = {"library": "XGBoost", "name": "x", "criterion": "loss"}
    with pytest.raises(
        ModelFormatError, match=r"tree\.0\.ledger: a tree from another library has no working"
    ):
        from_bytes(with_words(data, lambda words: words.update(recipe=foreign)))


# ---- what belongs together


def swapped(data, part):
    """The file of several trees with a part of the first two exchanged."""
    header, body = parts(data)
    order = {}
    for name, entry in header.items():
        word, number, field = (*name.split(".", 2), "", "")[:3]
        if word == "tree" and field.startswith(part) and number in ("0", "1"):
            name = f"tree.{1 - int(number)}.{field}"
        order[name] = entry
    return put_together(order, body)


@pytest.mark.parametrize(("part", "kind"), [("ledger.", "sum"), ("surrogates.", "sum")])
def test_ledger_and_surrogates_belong_to_their_tree(part, kind):
    for seed in range(40):
        model = model_of(seed, kind=kind, rows=60)
        first, second = model.trees[:2]
        if (first.surrogates is None) == (part == "surrogates.") or first.n_nodes == second.n_nodes:
            continue
        data = to_bytes(model)
        assert len(from_bytes(data).trees) == len(model.trees)
        with pytest.raises(ModelFormatError, match=rf"tree\.0: Not a valid tree: {part[:-1]}"):
            from_bytes(swapped(data, part))
        return
    raise AssertionError("no model with such trees")


def test_the_working_of_another_split_is_refused():
    model = model_of(2, kind="cart", rows=24)
    data = to_bytes(model)
    ledger = model.tree.ledger
    feature = int(model.tree.feature[0])
    chosen = int(np.flatnonzero(ledger.node == 0)[0]) * len(model.schema) + feature
    other = VERDICTS.index("lower_gain")
    with pytest.raises(
        ModelFormatError, match=r"ledger\.verdict of page 0: what is chosen is not the split of the"
    ):
        from_bytes(with_number(data, "tree.0.ledger.verdict", chosen, other))


@pytest.mark.parametrize(
    ("kind", "field", "number", "message"),
    [
        ("id3", "value", 0.7, r"tree\.0\.value: node 0: expected probabilities that add up to 1"),
        ("id3", "distribution", 1000.0, "distribution of node 0 does not add up to its weight"),
        ("id3", "stop", 1, "stop of node 0 does not say whether it is a leaf"),
        ("id3", "impurity", -1.0, "impurity of node 0 is negative"),
        ("id3", "impurity", float("nan"), r"tree\.0\.impurity: node 0: expected a number"),
        ("id3", "gain", float("inf"), "gain of node 0 is not finite"),
        ("cart regression", "variance", -1.0, "variance of node 0 is negative"),
        ("cart regression", "value", 1e200, r"tree\.0\.value: node 0: beyond what can be squared"),
        (
            "cart regression",
            "surrogates.agreement",
            1.5,
            "surrogates.agreement of surrogate 0 is not between 0 and 1",
        ),
        ("cart regression", "surrogates.adjusted", float("nan"), "surrogates.adjusted of surrogate 0 is not"),
        ("chaid", "ledger.tests", -1.0, "ledger.tests of page 0 is negative"),
        ("id3", "ledger.split_info", -1.0, "ledger.split_info of page 0 is negative or not finite"),
        ("id3", "ledger.chance", -1.0, "ledger.chance of page 0 is negative"),
    ],
)
def test_every_number_has_its_range(kind, field, number, message):
    data = to_bytes(model_of(2, kind=kind, rows=60))
    with pytest.raises(ModelFormatError, match=message):
        from_bytes(with_number(data, f"tree.0.{field}", 0, number))


def test_a_label_is_not_a_missing_value():
    data = to_bytes(model_of(1, kind="id3", rows=24))
    with pytest.raises(
        ModelFormatError, match=r"labels\[0\]: not a number, which stands for a missing value"
    ):
        from_bytes(with_words(data, lambda words: words["labels"].__setitem__(0, {"float": "nan"})))


def test_what_is_refused_in_a_file_is_refused_before_it_is_written(tmp_path):
    model = model_of(1, kind="id3", rows=24)
    unknown = bw.Model(model.schema, model.labels, model.trees, {})
    with pytest.raises(ModelFormatError, match="recipe: name is missing"):
        bw.save(unknown, tmp_path / "m.bw")
    assert not list(tmp_path.iterdir())
