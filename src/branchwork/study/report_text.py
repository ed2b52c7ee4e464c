"""Write a report as text: figures with the baseline, the confusion matrix, and the worst leaves, groups and nodes."""

from __future__ import annotations

from collections.abc import Sequence

from branchwork.study.report_drift import NodeDrift
from branchwork.study.report_leaves import rule_of
from branchwork.study.report_result import Report
from branchwork.study.report_words import (
    UNKNOWN,
    baseline_words,
    figure,
    headline,
    of_target,
    rows,
    said,
    threshold,
    with_interval,
)
from branchwork.tree.split import answer_text
from branchwork.view.blocks import Block, Grid, Heading, Mark, Sentence, Title
from branchwork.view.digits import chance, percent, shortened
from branchwork.view.working_formats import to_text

MOST_LEAVES = 5
MOST_NODES = 5
MOST_CLASSES = 12
LONGEST_RULE = 70
SPARE = ("in training", "mean error", "of all errors", "verdict", "ROC AUC", "F1")
"""Columns that a narrow terminal leaves out, this one first."""
GROUP_TITLES = {"bias": "mean error", "mae": "mean abs. error", "rmse": "root mean sq."}


def report_text(found: Report, *, color: bool = False, width: int | None = None) -> str:
    """Return the report as text, in lines of at most this many columns; None: of any length."""
    blocks: list[Block] = [Title(headline(found)), _figures(found), Sentence(baseline_words(found))]
    blocks += _classes(found)
    blocks += _decision(found)
    blocks += _leaves(found)
    for groups in found.subgroups:
        blocks.append(Heading(f"By {groups.column}"))
        names = list(groups.groups[0].figures)
        lines = [
            (one.name, str(one.n_rows), *(with_interval(one.figures[name]) for name in names))
            for one in groups.groups
        ]
        blocks.append(_grid(["", "rows", *(GROUP_TITLES.get(name, name) for name in names)], lines))
        if groups.p_value is not None:
            blocks.append(Sentence(f"chance of differences like these in error: p {chance(groups.p_value)}"))
    blocks += _drift(found)
    if found.notes:
        blocks += [Heading("Notes"), *(Sentence(f"- {note}") for note in found.notes)]
    return to_text(blocks, colour=color, width=width)


def _grid(header: Sequence[str], lines: Sequence[Sequence[str]], words: Sequence[int] = (0,)) -> Grid:
    marks: list[Mark] = [""] * len(lines)
    return Grid(tuple(header), tuple(map(tuple, lines)), tuple(marks), frozenset(words), SPARE)


def _figures(found: Report) -> Grid:
    trained = any(one.training is not None for one in found.figures)
    header = ["figure", "model", "baseline", "verdict", *(["in training"] if trained else [])]
    lines = []
    for one in found.figures:
        line = [one.title, with_interval(one.value), figure(one.baseline.value), one.verdict or ""]
        if trained:
            line.append(UNKNOWN if one.training is None else figure(one.training))
        lines.append(line)
    return _grid(header, lines, (0, 3))


def _classes(found: Report) -> list[Block]:
    if found.confusion is None or found.labels is None:
        return []
    blocks: list[Block] = []
    names = [shortened(said(label), 20) for label in found.labels]
    if len(names) <= MOST_CLASSES:
        blocks.append(Heading(f"Right class (down) and given class (across){of_target(found)}"))
        lines = [
            [name, *(rows(cell) for cell in line)]
            for name, line in zip(names, found.confusion.tolist(), strict=True)
        ]
        blocks.append(_grid(["", *names], lines))
    blocks.append(Heading("Each class"))
    with_auc = any(one.roc_auc is not None for one in found.classes)
    lines = [
        [
            shortened(said(one.label), 20),
            rows(one.weight),
            *(with_interval(part) for part in (one.precision, one.recall, one.f1)),
            *([with_interval(one.roc_auc)] if with_auc else []),
        ]
        for one in found.classes
    ]
    blocks.append(_grid(["class", "rows", "precision", "recall", "F1", *(["ROC AUC"] * with_auc)], lines))
    return blocks


def _decision(found: Report) -> list[Block]:
    best = found.decision
    if best is None:
        return []
    costs = f"cost per row {with_interval(best.cost)} instead of {with_interval(best.own_cost)}"
    if best.threshold is None:
        return [Heading("Deciding by expected cost"), Sentence(costs)]
    ends = f"{threshold(best.threshold.low)} to {threshold(best.threshold.high)}"
    at = threshold(best.threshold.value) + (f" ({ends})" if best.threshold.method else "")
    return [
        Heading(f"Best threshold for {answer_text(found.target, said(best.label))}"),
        Sentence(f"{at}: {costs}"),
    ]


def _leaves(found: Report) -> list[Block]:
    if found.leaves is None or found.model is None:
        return []
    shown = [one for one in found.leaves if one.share_of_errors > 0][:MOST_LEAVES]
    if not shown:
        return []
    is_classes = found.labels is not None
    header = ["leaf", found.target or "answer", "rows", "error" if is_classes else "root mean sq. error"]
    header += ["in training", "of all errors", *([] if is_classes else ["mean error"]), "rule"]
    lines = []
    for one in shown:
        rule = shortened(" and ".join(rule_of(found.model, one.node)) or "all rows", LONGEST_RULE)
        bias = [] if is_classes else [with_interval(one.bias)]
        lines.append(
            [
                str(one.node),
                shortened(said(one.prediction), 20),
                str(one.n_rows),
                with_interval(one.error),
                figure(one.train_error),
                percent(one.share_of_errors),
                *bias,
                rule,
            ]
        )
    return [Heading("Leaves with most of the error"), _grid(header, lines, (1, len(header) - 1))]


def _drift(found: Report) -> list[Block]:
    if found.drift is None or found.model is None:
        return []
    drifted, changed = found.drift.drifted, found.drift.changed
    sentences = [
        f"{len(drifted)} of {len(found.drift.nodes)} nodes are reached by another share of rows than in training, and "
        f"{len(changed)} hold {'other classes' if found.labels else 'another mean'} "
        f"({found.drift.n_tests} tests, corrected by Holm)"
    ]
    blocks: list[Block] = [Heading("Training and test rows in the nodes"), Sentence(sentences[0])]
    if drifted:
        lines = [_drift_line(found, one) for one in drifted[:MOST_NODES]]
        blocks.append(_grid(["node", "training", "test", "p", "rule"], lines, (4,)))
    return blocks


def _drift_line(found: Report, one: NodeDrift) -> list[str]:
    assert found.model is not None
    rule = shortened(" and ".join(rule_of(found.model, one.node)) or "all rows", LONGEST_RULE)
    p = UNKNOWN if one.reach_p is None else chance(one.reach_p)
    return [str(one.node), percent(one.train_share), percent(one.test_share), p, rule]
