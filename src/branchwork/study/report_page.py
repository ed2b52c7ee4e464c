"""Write a report as one self-contained HTML page: figures, the confusion matrix beside its tree, curves, tables."""

from __future__ import annotations

from collections.abc import Sequence

from branchwork.study.report_drift import NodeDrift
from branchwork.study.report_leaves import rule_of
from branchwork.study.report_pictures import class_pictures, group_picture, leaf_picture
from branchwork.study.report_result import Figure, Report
from branchwork.study.report_words import (
    UNKNOWN,
    baseline_words,
    figure,
    headline,
    interval,
    rows,
    said,
    threshold,
    with_interval,
)
from branchwork.tree.split import rounded
from branchwork.view.beside_tree import MOST_NODES, page_beside_tree, tree_beside
from branchwork.view.digits import chance, percent, shortened
from branchwork.view.overview import frame, page, text

MOST_BOXES = 6
MOST_LEAVES = 40
MOST_DRIFTED = 25
MOST_CLASSES = 30
"""With more classes than this, the confusion matrix would not fit; the table of classes has them all."""
LONGEST_RULE = 300
STYLES = ("report.css",)
WORDS = {"better": "better", "worse": "worse", "not sure": "unsure"}


def report_page(found: Report, title: str) -> str:
    """Return a report as a page."""
    sections = [
        '<div class="report">',
        f"<h1>{text(title)}</h1>\n<p>{text(headline(found))}. {text(_sentence(baseline_words(found)))}</p>",
        _boxes(found.figures),
        *_notes(found),
        _figures(found),
        *_confusion(found),
        *_classes(found),
        *_curves(found),
        *_decision(found),
        *_leaves(found),
        *_groups(found),
        *_drift(found),
        "</div>",
    ]
    if found.model is None or not _has_tree(found):
        return page(title, sections, more_style=STYLES)
    cells = {f"{t},{s}": leaves for (t, s), leaves in found.cells.items()}
    return page_beside_tree(title, sections, found.model, cells, more_style=STYLES)


def report_frame(found: Report) -> str:
    """Return the page in a frame that a notebook can show."""
    title = f"How good is {found.name}?"
    return frame(title, report_page(found, title), text=str(found), scripts=_has_tree(found))


def _has_tree(found: Report) -> bool:
    return found.model is not None and found.model.tree.n_nodes <= MOST_NODES


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


# ---- parts of HTML


def _table(header: Sequence[str], lines: Sequence[Sequence[str]], *, words: Sequence[int] = ()) -> str:
    """Return a table from cells that are already HTML; text is left-aligned, numbers are right-aligned."""
    kinds = ["words" if k in words else "number" for k in range(len(header))]
    head = "".join(
        f'<th scope="col"{"" if k == 0 else f" class={kinds[k]}"}>{text(name)}</th>'
        for k, name in enumerate(header)
    )
    body = "".join(
        "<tr>"
        + f'<th scope="row">{line[0]}</th>'
        + "".join(f'<td class="{kinds[k]}">{cell}</td>' for k, cell in enumerate(line[1:], start=1))
        + "</tr>"
        for line in lines
    )
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="{text(header[0] or "table")}"><table><thead><tr>'
        f"{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cell(one: object) -> str:
    """Return a figure with its interval in small letters."""
    shown = with_interval(one)  # type: ignore[arg-type]
    value, bracket, ends = shown.partition(" (")
    return f"{text(value)} <small>({text(ends)}</small>" if bracket else text(value)


def _goto(found: Report, node: int) -> str:
    if not _has_tree(found):
        return str(node)
    return f'<button type="button" class="link" data-goto="{node}">{node}</button>'


def _rule(found: Report, node: int) -> str:
    assert found.model is not None
    return text(shortened(" and ".join(rule_of(found.model, node)) or "all rows", LONGEST_RULE))


# ---- sections


def _boxes(figures: Sequence[Figure]) -> str:
    items = "".join(
        f"<li><b>{text(figure(one.value.value))}</b><small>{text(interval(one.value)) or '&nbsp;'}</small>"
        f"<span>{text(one.title)}</span><small>baseline {text(figure(one.baseline.value))}</small></li>"
        for one in figures[:MOST_BOXES]
    )
    return f'<ul class="figures">{items}</ul>'


def _notes(found: Report) -> list[str]:
    notes = list(found.notes)
    if found.model is not None and not _has_tree(found):
        notes.append(f"The tree has more than {MOST_NODES} nodes, so it is not drawn here.")
    if not notes:
        return []
    items = "".join(f"<li>{text(note)}</li>" for note in notes)
    return [f'<h2>Before you believe it</h2><ul class="notes">{items}</ul>']


def _figures(found: Report) -> str:
    trained = any(one.training is not None for one in found.figures)
    header = ["figure", "model", "baseline", "difference", *(["in training"] * trained), "verdict"]
    lines = []
    for one in found.figures:
        verdict = one.verdict
        badge = "" if verdict is None else f'<span class="verdict {WORDS[verdict]}">{verdict}</span>'
        training = [text(UNKNOWN if one.training is None else figure(one.training))] if trained else []
        cells = [_cell(one.value), _cell(one.baseline), _cell(one.difference)]
        lines.append([text(one.title), *cells, *training, badge])
    note = (
        "The difference is measured on the same draws of rows. The model is better where the whole interval of the "
        "difference is on the good side of 0."
    )
    return f"<h2>Beside the baseline</h2><p>{note}</p>{_table(header, lines)}"


def _confusion(found: Report) -> list[str]:
    has_tree = _has_tree(found)
    if found.confusion is None or found.labels is None or len(found.labels) > MOST_CLASSES:
        return ["<h2>The tree</h2>", tree_beside("", "Select a node to see its rule.", 0)] if has_tree else []
    table = f'<div class="scroll matrix">{_matrix(found, has_tree)}</div>'
    about = "<p>Rows of each right class, by the class that the model gives.</p>"
    if not has_tree:
        return ["<h2>Confusion matrix</h2>", about, table]
    usual = "Click a cell to light the leaves that its rows end in."
    return ["<h2>Confusion matrix and tree</h2>", about, tree_beside(table, usual, len(found.labels) + 1)]


def _matrix(found: Report, has_tree: bool) -> str:
    assert found.confusion is not None and found.labels is not None
    names = [shortened(said(label), 40) for label in found.labels]
    head = "".join(f'<th scope="col">{text(name)}</th>' for name in names)
    body = []
    for t, line in enumerate(found.confusion.tolist()):
        total = sum(line) or 1.0
        cells = "".join(
            f"<td>{_matrix_cell(names, t, s, mass, mass / total, has_tree)}</td>"
            for s, mass in enumerate(line)
        )
        body.append(f'<tr><th scope="row">{text(names[t])}</th>{cells}</tr>')
    return (
        f'<table><thead><tr><th scope="col">right \\ given</th>{head}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table>"
    )


def _matrix_cell(names: Sequence[str], t: int, s: int, mass: float, share: float, has_tree: bool) -> str:
    kind = "right" if t == s else "wrong"
    style = f"--part: {100 * share:.0f}%"
    words = f"{rows(mass)} rows of class {names[t]} taken for {names[s]}" + f", {percent(share)} of the class"
    if not has_tree or mass == 0:
        return f'<span class="cell {kind}" style="{style}" title="{text(words)}">{rows(mass)}</span>'
    return (
        f'<button type="button" class="cell {kind}" style="{style}" data-cell="{t},{s}" aria-pressed="false" '
        f'title="{text(words)}">{rows(mass)}</button>'
    )


def _classes(found: Report) -> list[str]:
    if not found.classes:
        return []
    with_auc = found.classes[0].roc_auc is not None
    header = ["class", "rows", "given", "precision", "recall", "F1"]
    header += ["ROC AUC", "average precision"] if with_auc else []
    lines = []
    for one in found.classes:
        parts = [
            one.precision,
            one.recall,
            one.f1,
            *([one.roc_auc, one.average_precision] if with_auc else []),
        ]
        lines.append(
            [text(said(one.label)), rows(one.weight), rows(one.said), *(_cell(part) for part in parts)]
        )
    note = (
        "Precision: of the rows that are given the class, those that are of it. Recall: of the rows of the class, "
        "those that are given it. Each class stands against all others."
    )
    return [f"<h2>Each class</h2><p>{note}</p>{_table(header, lines)}"]


def _curves(found: Report) -> list[str]:
    pictures = class_pictures(found)
    if not pictures:
        return []
    panels = "".join(f'<div class="panel">{picture}</div>' for picture in pictures)
    note = (
        "Calibration: of rows with a predicted probability around 0.7, about 70% should be of the class. Lines up and "
        "down are intervals."
    )
    return [f'<h2>Curves</h2><p>{note}</p><div class="curves">{panels}</div>']


def _decision(found: Report) -> list[str]:
    best = found.decision
    if best is None:
        return []
    costs = (
        f"Each row then costs {text(with_interval(best.cost))} instead of {text(with_interval(best.own_cost))} by the "
        f"model's own decisions; {text(with_interval(best.saved))} saved."
    )
    if best.threshold is None:
        return [
            "<h2>Deciding by expected cost</h2>",
            f"<p>Give each row the class whose expected cost is least. {costs}</p>",
        ]
    label = text(said(best.label))
    ends = f"{threshold(best.threshold.low)} to {threshold(best.threshold.high)}"
    at = threshold(best.threshold.value) + (f" ({ends})" if best.threshold.method else "")
    header = ["a miss costs", "a false alarm costs", "threshold", "cost per row", "own decisions", "saved"]
    lines = [
        [
            rounded(one.miss),
            rounded(one.false_alarm),
            threshold(one.threshold),
            figure(one.cost),
            figure(one.own_cost),
            percent(1 - one.cost / one.own_cost) if one.own_cost > 0 else UNKNOWN,
        ]
        for one in best.others
    ]
    return [
        "<h2>The best threshold</h2>",
        f"<p>Decide for {label} from a probability of {text(at)} on. {costs} The table has the best threshold for "
        f"other costs: a miss is a row of {label} that is not found, a false alarm another row that is taken for "
        f"{label}.</p>",
        _table(header, lines),
    ]


def _leaves(found: Report) -> list[str]:
    if found.leaves is None or found.model is None:
        return []
    is_classes = found.labels is not None
    shown = found.leaves[:MOST_LEAVES]
    header = ["leaf", "answer", "rows", "error" if is_classes else "root mean squared error", "in training"]
    header += [*([] if is_classes else ["mean error"]), "of all errors", "rule"]
    lines = []
    for one in shown:
        bar = f'<span class="share"><i style="width:{100 * one.share_of_errors:.1f}%"></i></span>'
        lines.append(
            [
                _goto(found, one.node),
                text(shortened(said(one.prediction), 40)),
                str(one.n_rows),
                _cell(one.error),
                text(figure(one.train_error)),
                *([] if is_classes else [_cell(one.bias)]),
                f"{bar}{text(percent(one.share_of_errors))}",
                _rule(found, one.node),
            ]
        )
    more = f", the first {len(shown)} of {len(found.leaves)}" if len(shown) < len(found.leaves) else ""
    title = "Errors by leaf" if is_classes else "Residuals by leaf"
    note = (
        "Leaves with most of the error come first. A leaf whose error in training lies below its interval has learned "
        "its rows by heart."
    )
    picture = "" if is_classes else f'<div class="panel chart">{leaf_picture(found)}</div>'
    table = _table(header, lines, words=[1, len(header) - 1])
    return [f"<h2>{title}{more}</h2><p>{note}</p>{picture}{table}"]


def _groups(found: Report) -> list[str]:
    sections = []
    for groups in found.subgroups:
        names = list(groups.groups[0].figures)
        titles = {"bias": "mean error", "mae": "mean absolute error", "rmse": "root mean squared error"}
        titles["predicted"] = "" if found.positive is None else f"taken for {said(found.positive)}"
        header = [groups.column, "rows", *(titles.get(name, name) for name in names)]
        lines = [
            [text(one.name), str(one.n_rows), *(_cell(one.figures[name]) for name in names)]
            for one in groups.groups
        ]
        luck = (
            ""
            if groups.p_value is None
            else f"<p>The chance of error rates as different as these by luck: p {text(chance(groups.p_value))}.</p>"
        )
        sections.append(
            f"<h2>By {text(groups.column)}</h2>{luck}"
            f'<div class="panel chart">{group_picture(found, groups)}</div>{_table(header, lines)}'
        )
    return sections


def _drift(found: Report) -> list[str]:
    drift = found.drift
    if drift is None or found.model is None:
        return []
    both = {one.node: one for one in (*drift.drifted, *drift.changed)}
    shown = list(both.values())[:MOST_DRIFTED]
    what = "other classes" if found.labels else "another mean"
    note = (
        f"{len(drift.drifted)} of {len(drift.nodes)} nodes are reached by another share of rows than in training, and "
        f"{len(drift.changed)} hold {what}, surely enough after a correction for {drift.n_tests} tests (Holm). "
        "At the root a difference of the target is drift. Below it, training rows look purer than others because the "
        "splits were chosen to make them so: there it may be overfitting."
    )
    parts = [f"<h2>Training and test rows in the nodes</h2><p>{text(note)}</p>"]
    if not shown:
        return parts
    target = "classes" if found.labels else "mean"
    header = [
        "node",
        "in training",
        "in the test",
        "p",
        f"{target} in training",
        f"{target} in the test",
        "p",
        "rule",
    ]
    parts.append(_table(header, [_drift_line(found, one) for one in shown], words=[4, 5, 7]))
    return parts


def _drift_line(found: Report, one: NodeDrift) -> list[str]:
    p_values = (UNKNOWN if p is None else chance(p) for p in (one.reach_p, one.target_p))
    reach, target = (text(p) for p in p_values)
    return [
        _goto(found, one.node),
        text(percent(one.train_share)),
        text(percent(one.test_share)),
        reach,
        text(_target(found, one.train_target)),
        text(_target(found, one.test_target)),
        target,
        _rule(found, one.node),
    ]


def _target(found: Report, held: tuple[float, ...]) -> str:
    if not held:
        return UNKNOWN
    if found.labels is None:
        return figure(held[0])
    ranked = sorted(range(len(held)), key=lambda k: -held[k])[:3]
    return ", ".join(
        f"{shortened(said(found.labels[k]), 20)}: {percent(held[k])}" for k in ranked if held[k] > 0
    )
