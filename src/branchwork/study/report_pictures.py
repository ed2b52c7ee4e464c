"""Make the pictures of a report, as plain data for the charts of `view`."""

from __future__ import annotations

from branchwork.study.report_curves import Curve
from branchwork.study.report_groups import Subgroups
from branchwork.study.report_result import Report
from branchwork.study.report_words import figure, interval, said, with_interval
from branchwork.view.digits import percent, shortened
from branchwork.view.dot_chart import Dot, DotChart, to_svg
from branchwork.view.palette import ThemeName
from branchwork.view.pieces import Svg
from branchwork.view.unit_chart import COLOURS, Mark, UnitChart, UnitLine, unit_chart

LONGEST_NAME = 24
MOST_LEAVES = 30


def class_pictures(found: Report, theme: ThemeName = "auto") -> list[Svg]:
    """Draw the ROC, precision-recall and calibration curves; with many classes, those with the most rows."""
    if not found.curves:
        return []
    weight = {one.label: one.weight for one in found.classes}
    shown = sorted(found.curves, key=lambda one: -weight[one.label])[:COLOURS]
    shown = [one for one in found.curves if one in shown]
    by_label = {one.label: one for one in found.classes}
    roc, precision, calibration = [], [], []
    for one in shown:
        name, own = shortened(said(one.label), LONGEST_NAME), by_label[one.label]
        auc = "" if own.roc_auc is None else f" {figure(own.roc_auc.value)}"
        mean = "" if own.average_precision is None else f" {figure(own.average_precision.value)}"
        roc.append(UnitLine(name + auc, _points(one.roc)))
        precision.append(UnitLine(name + mean, _points(one.precision_recall)))
        dots = [
            Mark(
                bin_.predicted,
                bin_.observed.value,
                bin_.observed.low,
                bin_.observed.high,
                f"{name}: predicted {figure(bin_.predicted)}, observed {with_interval(bin_.observed)}, "
                f"{bin_.n_rows} rows",
            )
            for bin_ in one.calibration
        ]
        calibration.append(UnitLine(name, [(dot.x, dot.y) for dot in dots], dots))
    prevalence = by_label[shown[0].label].weight / sum(weight.values())
    level = ((0.0, prevalence), (1.0, prevalence)) if len(shown) == 1 else None
    charts = [
        UnitChart(
            "ROC curve, with AUC",
            "other rows taken for the class",
            "rows of the class that are found",
            roc,
            ((0.0, 0.0), (1.0, 1.0)),
            "guessing",
        ),
        UnitChart(
            "Precision and recall, with average precision",
            "recall",
            "precision",
            precision,
            level,
            f"share of the class, {percent(prevalence)}" if level else "",
        ),
        UnitChart(
            "Calibration",
            "predicted probability",
            "share of rows that are of the class",
            calibration,
            ((0.0, 0.0), (1.0, 1.0)),
            "perfect",
        ),
    ]
    return [unit_chart(chart, theme) for chart in charts]


def _points(curve: Curve) -> list[tuple[float, float]]:
    thin = curve.thinned()
    return list(zip(thin.x.tolist(), thin.y.tolist(), strict=True))


def leaf_picture(found: Report, theme: ThemeName = "auto") -> Svg:
    """Draw the mean error of the leaves of a tree of numbers."""
    leaves = sorted((found.leaves or ())[:MOST_LEAVES], key=lambda one: one.node)
    dots = [
        Dot(
            f"leaf {one.node}, {one.n_rows} rows",
            one.bias.value,
            one.bias.low,
            one.bias.high,
            with_interval(one.bias),
        )
        for one in leaves
        if one.bias is not None
    ]
    title = "Mean error of each leaf: right answers less the prediction"
    return to_svg(DotChart(title, "mean error", tuple(dots), 0.0, "no error on average"), theme)


def group_picture(found: Report, groups: Subgroups, theme: ThemeName = "auto") -> Svg:
    """Draw the error of each group beside that of all rows."""
    name = "error" if found.labels is not None else "mae"
    dots = []
    for one in groups.groups:
        estimate = one.figures[name]
        ends = f" ({interval(estimate)})" if interval(estimate) else ""
        dots.append(
            Dot(
                f"{shortened(one.name, 40)}, {one.n_rows} rows",
                estimate.value,
                estimate.low,
                estimate.high,
                f"{figure(estimate.value)}{ends}",
            )
        )
    whole = 1 - found["accuracy"].value if found.labels is not None else found["mae"].value
    across = "share of rows that are wrong" if found.labels is not None else "mean absolute error"
    chart = DotChart(f"Error by {groups.column}", across, tuple(dots), whole, f"all rows: {figure(whole)}")
    return to_svg(chart, theme)
