"""Hold the result of a report: figures with intervals, and the parts about classes, leaves, groups and drift."""

from __future__ import annotations

import math
import os
from collections.abc import Hashable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, overload

from branchwork.errors import DataError, did_you_mean
from branchwork.files import save_text
from branchwork.model.model import Model
from branchwork.study.intervals import Estimate
from branchwork.study.report_answers import Floats
from branchwork.study.report_baseline import Reference
from branchwork.study.report_curves import ClassCurves
from branchwork.study.report_drift import Drift
from branchwork.study.report_groups import Subgroups
from branchwork.study.report_leaves import LeafLine
from branchwork.study.report_threshold import Decision
from branchwork.view.terminal import terminal_width

Verdict = Literal["better", "worse", "not sure"]

TITLES = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "f1_macro": "F1, mean of classes",
    "roc_auc": "ROC AUC",
    "average_precision": "average precision",
    "log_loss": "log loss",
    "brier": "Brier score",
    "cost": "cost per row",
    "deviance": "mean Poisson deviance",
    "mse": "mean squared error",
    "rmse": "root mean squared error",
    "mae": "mean absolute error",
    "r2": "R²",
    "bias": "mean error",
}
LOWER_IS_BETTER = frozenset({"deviance", "log_loss", "brier", "cost", "mse", "rmse", "mae"})


@dataclass(frozen=True)
class Figure:
    """A figure of the model, with that of the baseline.

    Parameters
    ----------
    name, title : its name in programs, and its name for people.
    value, baseline : the figure of the model and of the baseline.
    difference : the model's minus the baseline's, measured on the same draws of rows.
    training : the figure of the model on its training rows; None if they were not given.
    """

    name: str
    title: str
    value: Estimate
    baseline: Estimate
    difference: Estimate
    training: float | None = None

    @property
    def verdict(self) -> Verdict | None:
        """Whether the model is better than the baseline; None if the figure has no direction, or no interval."""
        low, high = self.difference.low, self.difference.high
        if self.name == "bias" or math.isnan(low) or math.isnan(high):
            return None
        if self.name in LOWER_IS_BETTER:
            low, high = -high, -low
        return "better" if low > 0 else "worse" if high < 0 else "not sure"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "title": self.title,
            **self.value.to_dict(),
            "baseline": self.baseline.to_dict(),
            "difference": self.difference.to_dict(),
            "training": self.training,
            "verdict": self.verdict,
        }


@dataclass(frozen=True)
class ClassLine:
    """One class against all others: how many rows are of the class, how many are predicted to be, and its figures."""

    label: Hashable
    weight: float
    said: float
    precision: Estimate
    recall: Estimate
    f1: Estimate
    roc_auc: Estimate | None
    average_precision: Estimate | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            name: part.to_dict() if isinstance(part, Estimate) else part for name, part in vars(self).items()
        }


@dataclass(frozen=True, eq=False)
class Report:
    """How good a model is, on rows that it was not trained on. It prints as text; a notebook shows its page.

    Parameters
    ----------
    name : the name of the model.
    task : "classification" or "regression".
    n_rows : rows that were judged; `notes` say which were left out.
    figures : each with an interval, and with that of the baseline.
    baseline : the constant prediction.
    labels : the classes: those of the model, then those that only the test rows have; None for numbers.
    confusion : the weight of the rows of each true class (rows) by predicted class (columns).
    classes : precision, recall and F1 of each class.
    positive : the class that thresholds, AUC and precision are about, if there are two.
    curves : ROC, precision-recall and calibration curves; with two classes, those of the positive one.
    decision : the threshold, or the decisions by cost, that would be best; None without probabilities or costs.
    leaves : errors in each leaf, the worst first; None if the model is not a single tree.
    cells : for each pair of true and predicted class (by position), the leaves of such rows, with numbers of rows.
    subgroups : errors by the requested columns.
    drift : training and test rows compared in each node; None without a tree, or if nothing is known about training.
    notes : what a reader should know: rows left out, parts left out, and why.
    level, n_bootstrap, seed : the settings of the intervals.
    model : the tree, if there is one.
    target : the name of what is predicted; None: not known.
    """

    name: str
    task: Literal["classification", "regression"]
    n_rows: int
    weighted: bool
    figures: tuple[Figure, ...]
    baseline: Reference
    labels: tuple[Hashable, ...] | None
    confusion: Floats | None
    classes: tuple[ClassLine, ...]
    positive: Hashable
    curves: tuple[ClassCurves, ...]
    decision: Decision | None
    leaves: tuple[LeafLine, ...] | None
    cells: dict[tuple[int, int], list[tuple[int, int]]]
    subgroups: tuple[Subgroups, ...]
    drift: Drift | None
    notes: tuple[str, ...]
    level: float
    n_bootstrap: int
    seed: int
    model: Model | None = field(default=None, repr=False)
    target: str | None = None

    def figure(self, name: str) -> Figure:
        """Return a figure by its name, such as "accuracy" or "mae"."""
        for one in self.figures:
            if one.name == name:
                return one
        names = [one.name for one in self.figures]
        raise DataError(
            f"There is no figure {name!r}.{did_you_mean(name, names)} There are {', '.join(names)}."
        )

    def __getitem__(self, name: str) -> Estimate:
        """Return a figure of the model with its interval: `report["accuracy"].low`."""
        return self.figure(name).value

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that goes into JSON; long curves are thinned out."""
        return {
            "name": self.name,
            "task": self.task,
            "n_rows": self.n_rows,
            "weighted": self.weighted,
            "level": self.level,
            "n_bootstrap": self.n_bootstrap,
            "seed": self.seed,
            "baseline": {"prediction": self.baseline.prediction, "source": self.baseline.source},
            "figures": {one.name: one.to_dict() for one in self.figures},
            "labels": None if self.labels is None else list(self.labels),
            "positive": self.positive,
            "confusion": None if self.confusion is None else self.confusion.tolist(),
            "classes": [one.to_dict() for one in self.classes],
            "curves": [one.to_dict() for one in self.curves],
            "decision": None if self.decision is None else self.decision.to_dict(),
            "leaves": None if self.leaves is None else [one.to_dict() for one in self.leaves],
            "subgroups": [one.to_dict() for one in self.subgroups],
            "drift": None if self.drift is None else self.drift.to_dict(),
            "notes": list(self.notes),
        }

    def to_text(self, *, color: bool = False, width: int | None = None) -> str:
        """Return the report as text, without the curves, in lines of at most `width` columns; None: of any length."""
        from branchwork.study.report_text import report_text

        return report_text(self, color=color, width=width)

    def __str__(self) -> str:
        """Show the text; in a terminal as wide as it is."""
        return self.to_text(width=terminal_width())

    def __repr__(self) -> str:
        """Show the first figure."""
        first = self.figures[0]
        return f"Report({self.name}, {self.n_rows} rows, {first.title} {first.value.value:.4g})"

    @overload
    def to_html(self, path: None = None, *, title: str | None = None) -> str: ...

    @overload
    def to_html(self, path: str | os.PathLike[str], *, title: str | None = None) -> Path: ...

    def to_html(self, path: str | os.PathLike[str] | None = None, *, title: str | None = None) -> str | Path:
        """Return one self-contained page; with a path, write it there and return the path."""
        from branchwork.study.report_page import report_page

        text = report_page(self, title or f"How good is {self.name}?")
        return text if path is None else save_text(path, text)

    def _repr_html_(self) -> str:
        from branchwork.study.report_page import report_frame

        return report_frame(self)
