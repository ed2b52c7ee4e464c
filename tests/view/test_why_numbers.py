"""Every number of an explanation is recomputed: shares, probabilities, changes, gains of rivals, distances."""

from __future__ import annotations

import math
import re

import pytest

from branchwork.view.digits import percent
from model.awkward import rows_for
from number_cases import NAMES, TABLES, case
from slow_nodes import goes_to, mean_and_variance, nodes_with_rows, of_labels, weigh
from together import together
from view.test_card_numbers import cut_penalty, probabilities, weighted_impurity

pytestmark = pytest.mark.filterwarnings(
    "ignore::branchwork.errors.OneClassWarning", "ignore::branchwork.errors.UnseenCategoryWarning"
)
every_table = together("table", TABLES)
every_kind = pytest.mark.parametrize("kind", range(len(NAMES)), ids=NAMES)
ASKED = (0, 7, 19, 33)
"""Rows of the tables that are explained."""


def close(found, expected):
    return found == pytest.approx(expected, rel=1e-9, abs=1e-9)


def walked(tree, row):
    """The share of a row in every node that it comes to."""
    found, waiting = {}, [(tree, 1.0)]
    while waiting:
        node, share = waiting.pop()
        found[node["id"]] = share
        if "children" in node:
            waiting += [(node["children"][k], share * part) for k, part in goes_to(node, row)]
    return found


def outputs_of(given, node):
    """Probabilities, or the mean, of a node with rows; an empty one answers as its parent does."""
    while not node.rows:
        node = node.parent
    weight = weigh(node, given.weights)
    if given.labels is None:
        return {None: mean_and_variance(node, given.weights, given.y)[0]}
    return probabilities(given, of_labels(node, given.weights, given.y, given.labels), weight)


@every_table
@every_kind
def test_the_way_and_the_answer(kind, table):
    given = case(kind, table)
    told = given.estimator.to_dict()
    nodes = nodes_with_rows(told, given.rows)
    for k in ASKED:
        row = given.rows[k]
        data, shares = given.estimator.why(row).to_dict(), walked(told, row)
        assert {step["id"] for step in data["steps"]} | {leaf["id"] for leaf in data["leaves"]} == set(shares)
        for leaf in data["leaves"]:
            assert close(leaf["share"], shares[leaf["id"]]) and leaf["n_rows"] == len(nodes[leaf["id"]].rows)
        mixed: dict = {}
        for leaf in data["leaves"]:
            for label, output in outputs_of(given, nodes[leaf["id"]]).items():
                mixed[label] = mixed.get(label, 0.0) + leaf["share"] * output
        if given.labels is None:
            assert data["probabilities"] is None and close(data["prediction"], mixed[None])
        else:
            assert all(close(data["probabilities"][label], share) for label, share in mixed.items())
            title = re.match(r"The answer is \d \(([<>\d.]+%)\)", str(given.estimator.why(row)))[1]
            answer = mixed[data["prediction"]]
            assert title in {percent(answer - 1e-9), percent(answer + 1e-9)}
        for step in data["steps"]:
            check_step(given, nodes, shares, data["prediction"], step)


def check_step(given, nodes, shares, prediction, step):
    assert close(step["share"], shares[step["id"]])
    assert close(step["weight"], weigh(nodes[step["id"]], given.weights))
    label = None if given.labels is None else prediction
    before = outputs_of(given, nodes[step["id"]])[label]
    for to in step["to"]:
        assert close(to["share"], shares[to["node"]])
        assert close(to["change"], outputs_of(given, nodes[to["node"]])[label] - before)


@every_table
@every_kind
def test_gains_of_winners_and_rivals(kind, table):
    """A candidate's test parts the node's rows; its gain is what that takes from the impurity."""
    given = case(kind, table)
    estimator, recipe = given.estimator, given.estimator.model_.recipe
    nodes = nodes_with_rows(estimator.to_dict(), given.rows)
    for k in ASKED:
        for step in estimator.why(given.rows[k]).to_dict()["steps"]:
            winner, rival = step["winner"], step["rival"]
            if winner is None:  # pruning moved this split up
                continue
            assert winner["feature"] == step["feature"] and close(winner["net_gain"], step["gain"])
            for one in (winner, rival):
                if (
                    one is not None
                    and one["net_gain"] is not None
                    and " <= " in one["test"]
                    and "|" not in one["test"]
                ):
                    expected = gains_of_cut(given, nodes[step["id"]], one, recipe)
                    assert any(close(one["net_gain"], number) for number in expected), one
            if rival is not None and rival["verdict"] in ("lower_gain", "tie_lost"):
                measure = "gain_ratio" if recipe["criterion"] == "gain_ratio" else "net_gain"
                assert rival[measure] <= winner[measure] + 1e-9


def gains_of_cut(given, node, candidate, recipe):
    """The gain of a numeric cut, recomputed from the rows of a node; missing cells as the method counts them.

    CHAID puts missing cells to the side that is more like them, optimal trees to the side where the whole tree is best:
    either one may be that. Others take the better one.
    """
    feature, missing, criterion = candidate["feature"], recipe["search"]["missing"], recipe["criterion"]
    cut = float(candidate["test"].rsplit(" <= ", 1)[1])
    low, high, gone = set(), set(), set()
    for k, row in enumerate(given.rows):
        side = gone if row[feature] is None else low if row[feature] <= cut + 1e-9 else high
        side.add(k)
    if missing in ("share", "surrogate", "larger"):
        sides = [[low, high]]
    elif missing == "branch" and recipe.get("chaid") is None:
        sides = [[low, high, gone]]
    else:
        sides = [[low | gone, high], [low, high | gone]]
    asked = type(node)({**node.told, "feature": feature, "cut": cut}, node.parent, node.rows)
    gains = [gain(given, node, ways, criterion) - cut_penalty(given, asked, low | high) for ways in sides]
    either = recipe.get("chaid") is not None or recipe.get("optimal") is not None
    return gains if either else [max(gains)]


def gain(given, node, ways, criterion):
    everything = set().union(*ways)
    before = weighted_impurity(given, node, everything, criterion)
    after = sum(weighted_impurity(given, node, way, criterion) for way in ways)
    return (before - after) / weigh(node, given.weights)


@every_table
@every_kind
def test_distances_of_changes(kind, table):
    given = case(kind, table)
    estimator = given.estimator
    scale = dict(zip(estimator.schema_.names, estimator.model_.spread, strict=True))
    for row in [*(given.rows[k] for k in ASKED), *rows_for(estimator, kind, count=4)]:
        change = estimator.why(row).to_dict()["counterfactual"]
        if change is None:
            continue
        distances = []
        for one in change["changes"]:
            assert one["now"] == row[one["feature"]] and change["row"][one["feature"]] == one["value"]
            is_number = isinstance(one["now"], float) and not math.isnan(one["now"])
            width = scale[one["feature"]]
            distances.append(
                abs(one["value"] - one["now"]) / (1 if math.isnan(width) else width) if is_number else 1.0
            )
        assert close(change["distance"], math.fsum(distances))
        assert math.fsum(leaf["share"] for leaf in change["leaves"]) == pytest.approx(1)
        assert change["leaf"] == estimator.apply([change["row"]])[0]
        answer = estimator.predict([change["row"]])[0]
        assert (
            answer == pytest.approx(change["prediction"])
            and change["prediction"] != estimator.predict([row])[0]
        )


@pytest.mark.parametrize("weighted", [False, True])
def test_the_spread_is_the_interquartile_range(weighted):
    given = case(4, "weights" if weighted else "holes")
    estimator = given.estimator
    for k, column in enumerate(estimator.schema_):
        width = estimator.model_.spread[k]
        if column.is_nominal or math.isnan(width):
            continue
        cells = sorted(
            (row[column.name], w)
            for row, w in zip(given.rows, given.samples, strict=True)
            if row[column.name] is not None
        )
        total = math.fsum(w for _, w in cells)

        def quartile(share, cells=cells, total=total):
            so_far = 0.0
            for value, weight in cells:
                so_far += weight
                if so_far >= share * total - 1e-12:
                    return value
            raise AssertionError

        assert close(width, quartile(0.75) - quartile(0.25))
