"""Every number that a tree shows of its nodes is recomputed from the rows: text, cards, the page's data, to_dict."""

from __future__ import annotations

import math
import re
from itertools import pairwise

import numpy as np
import pytest

import number_cases
from branchwork.view.cards import deck
from branchwork.view.digits import percent, weighed
from branchwork.view.page import to_data
from number_cases import NAMES, TABLES, case
from slow_nodes import Node, mean_and_variance, nodes_with_rows, of_labels, weigh
from together import together

pytestmark = pytest.mark.filterwarnings("ignore::branchwork.errors.OneClassWarning")
everything = together("table", TABLES)
every_kind = pytest.mark.parametrize("kind", range(len(NAMES)), ids=NAMES)


def close(found, expected):
    return found == pytest.approx(expected, rel=1e-9, abs=1e-9)


def recomputed(given):
    """Every node with its rows and, of classes, the weight of each label."""
    found = nodes_with_rows(given.estimator.to_dict(), given.rows)
    for node in found.values():
        counts = None
        if given.labels is not None:
            counts = of_labels(node, given.weights, given.y, given.labels)
        yield node, weigh(node, given.weights), counts


def entropy(counts, criterion):
    total = sum(counts)
    shares = [count / total for count in counts if count > 0]
    if criterion == "gini":
        return 1 - sum(share**2 for share in shares)
    if criterion == "accuracy":
        return 1 - max(shares)
    return -sum(share * math.log2(share) for share in shares)


@everything
@every_kind
def test_nodes_as_data(kind, table):
    given = case(kind, table)
    tree, criterion = given.estimator.tree_, given.estimator.model_.recipe["criterion"]
    for node, weight, counts in recomputed(given):
        told = node.told
        assert told["n_rows"] == len(node.rows) and close(told["weight"], weight)
        if counts is not None:
            assert {label: pytest.approx(n, abs=1e-9) for label, n in counts.items()} == told["distribution"]
            if node.rows:
                assert close(tree.impurity[node.id], entropy(counts.values(), criterion))
        elif node.rows:
            mean, variance = mean_and_variance(node, given.weights, given.y)
            assert close(told["mean"], mean) and close(told["variance"], variance)
        missing = 0.0
        if node.parent is not None:
            asked = node.parent.told["feature"]
            missing = math.fsum(s * given.weights[k] for k, s in node.rows if given.rows[k][asked] is None)
        assert close(tree.missing_weight[node.id], missing)


@everything
@every_kind
def test_gains(kind, table):
    """The impurity that a split takes from its node, over rows that know the cell or over all, as the method does."""
    given = case(kind, table)
    estimator, tree = given.estimator, given.estimator.tree_
    criterion, missing = estimator.model_.recipe["criterion"], estimator.model_.recipe["search"]["missing"]
    nodes = nodes_with_rows(estimator.to_dict(), given.rows)
    raised = raised_nodes(tree)
    for node in nodes.values():
        if "children" not in node.told or "chaid" in type(estimator).__name__.lower():
            continue
        asked = node.told["feature"]
        knows = {k for k, row in enumerate(given.rows) if row[asked] is not None}
        if missing not in ("share", "surrogate", "larger"):
            knows = set(range(len(given.rows)))
        children = [nodes[child] for child in tree.children(node.id)]
        weighted = [weighted_impurity(given, here, knows, criterion) for here in (node, *children)]
        gain = (weighted[0] - sum(weighted[1:])) / weigh(node, given.weights)
        penalty = 0.0 if node.id in raised else cut_penalty(given, node, knows)
        assert close(tree.gain[node.id], gain - penalty), node.id


def weighted_impurity(given, node, knows, criterion):
    """Weight times impurity of the rows of a node that count."""
    here = Node(node.told, None, [(k, share) for k, share in node.rows if k in knows])
    weight = weigh(here, given.weights)
    if weight == 0:
        return 0.0
    if given.labels is not None:
        return weight * entropy(of_labels(here, given.weights, given.y, given.labels).values(), criterion)
    mean, variance = mean_and_variance(here, given.weights, given.y)
    if criterion == "variance":
        return weight * variance
    return math.fsum(share * given.weights[k] * (given.y[k] - mean) ** 2 for k, share in here.rows)


def raised_nodes(tree):
    """Inner nodes without a page in the ledger: pruning moved them up."""
    return {n for n in np.flatnonzero(tree.feature >= 0).tolist() if tree.ledger.page(n) is None}


def cut_penalty(given, node, knows):
    """C4.5's price of a cut: log2(cuts tried) / weight, where either side of a cut has enough rows."""
    estimator = given.estimator
    if "cut" not in node.told or "min_cases" not in estimator.get_params():
        return 0.0
    rows = [(given.rows[k][node.told["feature"]], s * given.weights[k]) for k, s in node.rows if k in knows]
    least = min(max(0.1 * sum(w for _, w in rows) / len(given.labels), estimator.min_cases), 25)
    values = sorted({value for value, _ in rows})
    tried = 0
    for low, high in pairwise(values):
        below = sum(w for value, w in rows if value <= low)
        enough = min(below, sum(w for _, w in rows) - below) >= least - 1e-9
        tried += high - low > 1e-5 and enough
    return math.log2(tried) / weigh(node, given.weights)


@everything
@every_kind
def test_cards(kind, table):
    given = case(kind, table)
    shown = deck(given.estimator.model_, max_depth=99)
    root = weigh(nodes_with_rows(given.estimator.to_dict(), given.rows)[0], given.weights)
    for node, weight, counts in recomputed(given):
        card = shown.cards[node.id]
        check_size(card.size, len(node.rows), weight, digits=4)
        assert card.is_empty == (not node.rows) and card.hidden == 0
        if node.id:
            assert close(shown.branches[node.id - 1].share, weight / root)
        if not node.rows:
            continue
        if counts is not None:
            assert close(sum(card.shares), 1)
            expected = probabilities(given, counts, weight)
            assert sorted(card.shares) == pytest.approx(sorted(expected.values()), abs=1e-9)
            label = node.told["prediction"]
            count = weighed(counts[label], 2)
            assert card.note == f"{label}: {count} ({percent(expected[label])})"
        else:
            mean, variance = mean_and_variance(node, given.weights, given.y)
            assert close(card.spread.mean, mean) and close(card.spread.deviation, variance**0.5)


def probabilities(given, counts, weight):
    """Shares of the labels; Laplace's if the estimator asks for them."""
    more = 1.0 if given.estimator.get_params().get("smoothing") == "laplace" else 0.0
    return {label: (n + more) / (weight + more * len(counts)) for label, n in counts.items()}


def check_size(text, n_rows, weight, digits=4):
    """ "12 rows", and the weight where it is another."""
    assert int(re.match(r"(\d+) rows?", text)[1]) == n_rows
    told = re.search(r"\(weight ([\d.e+-]+)\)", text)
    if told:
        assert float(told[1]) == pytest.approx(weight, rel=10.0 ** (1 - digits))
    else:
        assert weight == pytest.approx(n_rows)


@everything
@every_kind
def test_lines_of_text(kind, table):
    given = case(kind, table)
    tree = given.estimator.tree_
    lines = given.estimator.to_text(color=False).splitlines()
    by_id = {node.id: (node, weight, counts) for node, weight, counts in recomputed(given)}
    order, waiting = [], [0]
    while waiting:
        order.append(waiting.pop())
        waiting += reversed(tree.children(order[-1]))
    for number, line in zip(order, lines, strict=True):
        node, weight, counts = by_id[number]
        text = re.search(r"  +\d+ rows?( |$).*", line)[0].strip().replace("row ", "row", 1)
        check_size(text, len(node.rows), weight)
        if not node.rows:
            assert text.endswith("as its parent")
        elif counts is not None:
            shares = probabilities(given, counts, weight)
            told = dict(re.findall(r"  (\d): ([\d.e-]+) \(", text))
            for label, share in re.findall(r"  (\d): [\d.e-]+ \(([<>\d.]+%)\)", text):
                assert share in {percent(shares[int(label)] + rounding) for rounding in (-1e-9, 1e-9)}
            assert told == {str(label): weighed(n, 2) for label, n in counts.items() if weighed(n, 2) != "0"}
        else:
            mean, variance = mean_and_variance(node, given.weights, given.y)
            assert float(re.search(r"mean (-?[\d.e-]+)", text)[1]) == pytest.approx(mean, rel=1e-3, abs=1e-9)
            deviation = re.search(r"sd ([\d.e-]+)", text)
            assert deviation is None or float(deviation[1]) == pytest.approx(
                variance**0.5, rel=1e-3, abs=1e-9
            )
        note = re.search(r"\((\S+) missing: ([\d.]+), (shared|sent)", text)
        if note:
            gone = [s * given.weights[k] for k, s in node.rows if given.rows[k][node.told["feature"]] is None]
            assert note[1] == node.told["feature"] and float(note[2]) == pytest.approx(sum(gone), abs=0.005)


@everything
@every_kind
def test_data_of_the_page(kind, table):
    given = case(kind, table)
    data = to_data(given.estimator.model_, unit="")
    nodes, entries = data["nodes"], data["entries"]
    for node, weight, counts in recomputed(given):
        k = node.id
        assert nodes["n_rows"][k] == len(node.rows) and close(nodes["weight"][k], weight)
        if counts is not None:
            own = range(entries["start"][k], entries["start"][k + 1])
            told = {given.labels[entries["label"][e]]: entries["weight"][e] for e in own}
            assert all(close(told.get(label, 0), n) for label, n in counts.items())
        elif node.rows:
            mean, variance = mean_and_variance(node, given.weights, given.y)
            assert close(nodes["mean"][k], mean) and close(nodes["variance"][k], variance)


def test_the_cases_have_every_way_of_missing_cells():
    trees = [case(kind, table).estimator.tree_ for kind, table in number_cases.cases()]
    assert sum(tree.shares_rows for tree in trees) > 10
    assert sum(tree.surrogates is not None and len(tree.surrogates) > 0 for tree in trees) > 5
    assert sum(bool(tree.missing_weight.any()) for tree in trees) > 40
    assert any(raised_nodes(tree) for tree in trees if tree.ledger is not None)
