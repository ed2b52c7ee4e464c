"""Every number of a rule is recomputed from the rows that match it, one by one."""

from __future__ import annotations

import math
import re

import pytest

import branchwork as bw
from number_cases import NAMES, TABLES, case
from rules import slow_rules
from slow_nodes import Node, mean_and_variance, of_labels, weigh
from together import together

pytestmark = pytest.mark.filterwarnings("ignore::branchwork.errors.OneClassWarning")
every_table = together("table", TABLES)
every_kind = pytest.mark.parametrize("kind", range(len(NAMES)), ids=NAMES)


def close(found, expected):
    return found == pytest.approx(expected, rel=1e-9, abs=1e-9)


def matching(rules, rows):
    """The rows that each rule matches, with the share of each that it has; by their own reading of the conditions."""
    coded = rules.table(rows)
    cells = slow_rules.rows_of(coded)
    for rule in rules:
        shares = [
            (k, slow_rules.share(rule, row, coded))
            for k, row in enumerate(cells)
            if slow_rules.matches(rule, row)
        ]
        yield rule, Node({}, None, shares)


@every_table
@every_kind
@pytest.mark.parametrize("simplify", [False, True])
def test_numbers_of_the_rules_of_a_tree(kind, table, simplify):
    given = case(kind, table)
    rules, total = given.estimator.rules(simplify=simplify), math.fsum(given.weights)
    everything = Node({}, None, [(k, 1.0) for k in range(len(given.rows))])
    for rule, node in matching(rules, given.rows):
        weight = weigh(node, given.weights)
        assert close(rule.weight, weight) and close(rule.coverage, weight / total)
        if given.labels is None:
            if node.rows:
                mean, variance = mean_and_variance(node, given.weights, given.y)
                assert close(rule.prediction, mean) and close(rule.variance, variance)
            continue
        counts = of_labels(node, given.weights, given.y, given.labels)
        assert list(rule.distribution) == pytest.approx(list(counts.values()), abs=1e-9)
        if weight == 0:
            assert rule.confidence is None and rule.lift is None
            continue
        prior = of_labels(everything, given.weights, given.y, given.labels)[rule.prediction] / total
        confidence = counts[rule.prediction] / weight
        assert close(rule.confidence, confidence) and close(rule.lift, confidence / prior)


@every_table
@every_kind
def test_printed_numbers_are_those_of_the_rule(kind, table):
    given = case(kind, table)
    rules = given.estimator.rules(simplify=True)
    cells = [line.split(" | ") for line in rules.to_markdown(full=True).splitlines()[2 : 2 + len(rules)]]
    for rule, row in zip(rules, cells, strict=True):
        weight, coverage, *rest = (cell.strip(" |") for cell in row[2:])
        assert float(weight) == pytest.approx(rule.weight, abs=0.005, rel=1e-5)
        assert coverage == f"{rule.coverage:.1%}"
        if given.labels is not None and rule.confidence is not None:
            assert rest == [f"{rule.confidence:.1%}", f"{rule.lift:.2f}"]
        elif given.labels is None and rest and rest[0]:
            assert float(rest[0]) == pytest.approx(rule.variance**0.5, rel=1e-3, abs=1e-12)
        assert re.search(r"→ |→", row[1])


@pytest.mark.parametrize("method", ["c4.5rules", "mitchell"])
@every_table
def test_numbers_of_pruned_rules(method, table):
    """Those of all rows that match; the value is Laplace's, of rows that no earlier rule has matched."""
    given = case(3, table)  # the table of a classifier
    estimator = bw.RuleListClassifier(method=method, confidence=0.9)
    columns = {name: [row[name] for row in given.rows] for name in given.rows[0]}
    estimator.fit(columns, given.y, sample_weight=given.samples if table == "weights" else None)
    rules = estimator.rules_
    labels, left = list(rules.labels), set(range(len(given.rows)))
    everything = Node({}, None, [(k, 1.0) for k in range(len(given.rows))])
    prior = of_labels(everything, given.samples, given.y, labels)
    for rule, node in matching(rules, given.rows):
        counts = of_labels(node, given.samples, given.y, labels)
        weight = weigh(node, given.samples)
        assert close(rule.weight, weight) and close(rule.coverage, weight / math.fsum(given.samples))
        assert list(rule.distribution) == pytest.approx(list(counts.values()))
        assert close(rule.confidence, counts[rule.prediction] / weight)
        assert close(rule.lift, rule.confidence / (prior[rule.prediction] / sum(prior.values())))
        first = Node({}, None, [(k, share) for k, share in node.rows if k in left])
        left -= {k for k, _ in node.rows}
        decided = of_labels(first, given.samples, given.y, labels) if first.rows else counts
        smoothed = [n + 1 for n in decided.values()]
        assert list(rule.value) == pytest.approx([n / sum(smoothed) for n in smoothed])
        assert 0 <= rule.estimate <= rule.confidence + 1e-9
