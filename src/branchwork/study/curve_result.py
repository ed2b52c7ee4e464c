"""Hold the result of a curve: errors by value, the chosen value, and where models underfit and overfit."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
import numpy.typing as npt

from branchwork.errors import ParameterError
from branchwork.files import save_text
from branchwork.lazy import cached_property
from branchwork.measure.losses import Loss
from branchwork.study.baseline import Baseline
from branchwork.study.curve_values import simplest_first
from branchwork.table.text_table import plain_table, terminal_width
from branchwork.tree.split import rounded
from branchwork.view.band_chart import BandChart, Line, Zone
from branchwork.view.band_svg import to_svg
from branchwork.view.notebook import in_cell
from branchwork.view.palette import ThemeName
from branchwork.view.study_page import study_page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]
Choose = Literal["min", "1se"]
Against = Literal["value", "leaves"]

NAMES = {
    "max_depth": "maximum depth",
    "max_leaf_nodes": "maximum number of leaves",
    "min_samples_leaf": "minimum weight of a leaf",
    "ccp_alpha": "price of a leaf (ccp_alpha)",
    "confidence": "confidence of pruning",
    "n_estimators": "number of trees",
    "k": "number of neighbours (k)",
    "train_size": "training rows",
}
"""The text below the axis."""


@dataclass(frozen=True, eq=False)
class Curve:
    """Training and validation error for each value of one setting. A notebook shows the picture.

    Parameters
    ----------
    est : the estimator, not fitted.
    over : the setting, or "train_size".
    values : in ascending order; None, which means no limit, comes last.
    training_folds, validation_folds : the error in each fold (values × folds): the share of wrong classes, or the mean
        squared error of numbers.
    row_standard_error : the standard error of the validation error over rows, if there is one set of validation rows.
    leaves : mean number of leaves (of all trees of an ensemble together); NaN for models without trees.
    choose : the rule that chooses a value; None if nothing is chosen.
    loss : how predictions are judged.
    baseline : the constant prediction, and its error on all rows.
    """

    est: Any
    over: str
    values: tuple[Any, ...]
    training_folds: Floats
    validation_folds: Floats
    row_standard_error: Floats | None
    leaves: Floats
    choose: Choose | None
    loss: Loss
    baseline: Baseline

    # ---- numbers

    @property
    def training(self) -> Floats:
        """Training error for each value: the mean over folds."""
        return np.asarray(self.training_folds.mean(axis=1))

    @property
    def validation(self) -> Floats:
        """Validation error for each value: the mean over folds."""
        return np.asarray(self.validation_folds.mean(axis=1))

    @property
    def training_standard_error(self) -> Floats:
        """Standard error of the training error, from its spread over folds; 0 without folds."""
        return _standard_error(self.training_folds)

    @property
    def validation_standard_error(self) -> Floats:
        """Standard error of the validation error, from its spread over folds or, without folds, over rows."""
        return (
            _standard_error(self.validation_folds)
            if self.row_standard_error is None
            else self.row_standard_error
        )

    @cached_property
    def _order(self) -> list[int]:
        return simplest_first(self.over, self.values)

    @cached_property
    def least_index(self) -> int:
        """Position of the value with the smallest validation error; ties go to the simplest model."""
        return min(self._order, key=lambda k: self.validation[k])

    @cached_property
    def one_se_index(self) -> int:
        """Position of the simplest model whose validation error is within one standard error of the smallest."""
        return next(k for k in self._order if self.validation[k] <= self._limit)

    @property
    def _limit(self) -> float:
        return float(self.validation[self.least_index] + self.validation_standard_error[self.least_index])

    @property
    def best_index(self) -> int | None:
        """Position of the chosen value; None if nothing is chosen."""
        if self.choose is None:
            return None
        return self.least_index if self.choose == "min" else self.one_se_index

    @property
    def best_value(self) -> Any:
        """The chosen value."""
        if self.best_index is None:
            raise ParameterError("A curve over train_size chooses nothing: more rows are always better.")
        return self.values[self.best_index]

    @property
    def best_estimator(self) -> Any:
        """A fresh estimator with the chosen value, not fitted; for ccp_alpha see `fit`."""
        from sklearn.base import clone

        est = clone(self.est)
        return est.set_params(**{self.over: self.best_value}) if self.over in est.get_params() else est

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit the estimator with the chosen value; a tree chosen by ccp_alpha is pruned after growth."""
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        est = self.best_estimator.fit(X, y, **weights)
        if self.over == "ccp_alpha" and "ccp_alpha" not in est.get_params():
            return est.prune("cost_complexity", alpha=self.best_value)
        return est

    @cached_property
    def regions(self) -> tuple[str, ...]:
        """For each value: "underfits", "fits" or "overfits".

        Models within one standard error of the smallest validation error fit, and so do those between them. Simpler
        models underfit, more complex ones overfit. For "train_size", no value underfits or overfits.
        """
        within = [rank for rank, k in enumerate(self._order) if self.validation[k] <= self._limit]
        found = {}
        for rank, k in enumerate(self._order):
            found[k] = "underfits" if rank < within[0] else "overfits" if rank > within[-1] else "fits"
        return tuple(found[k] for k in range(len(self.values)))

    # ---- words

    @property
    def measure(self) -> str:
        """What the errors are."""
        return self.loss.title

    def _shown(self, error: float) -> str:
        return f"{error:.1%}" if self.loss.is_share else rounded(error)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "over": self.over,
            "values": list(self.values),
            "leaves": [None if np.isnan(count) else float(count) for count in self.leaves],
            "training": self.training.tolist(),
            "training_standard_error": self.training_standard_error.tolist(),
            "validation": self.validation.tolist(),
            "validation_standard_error": self.validation_standard_error.tolist(),
            "folds": int(self.validation_folds.shape[1]) if self.row_standard_error is None else None,
            "regions": None if self.choose is None else list(self.regions),
            "choose": self.choose,
            "best_value": None if self.choose is None else self.best_value,
            "measure": self.measure,
            "baseline": self.baseline.mean_loss,
        }

    def __str__(self) -> str:
        """Show a line for each value; in a terminal as wide as it is."""
        return self.to_text(width=terminal_width())

    def to_text(self, *, width: int | None = None) -> str:
        """Return a table with a line for each value.

        `width` is the columns that lines may take, where the least important columns are left out; None: any number.
        """
        head = [self.over, "leaves", "training error", "validation error", "standard error", ""]
        marks = dict(self._marks())
        rows = [
            [
                _text(value),
                "" if np.isnan(self.leaves[k]) else f"{self.leaves[k]:.1f}",
                self._shown(self.training[k]),
                self._shown(self.validation[k]),
                self._shown(self.validation_standard_error[k]),
                marks.get(k, ""),
            ]
            for k, value in enumerate(self.values)
        ]
        if np.isnan(self.leaves).all():
            head, rows = head[:1] + head[2:], [row[:1] + row[2:] for row in rows]
        spare = ["standard error", "leaves", "training error"]
        return plain_table(head, rows, words=[len(head) - 1], spare=spare, room=width)

    def __repr__(self) -> str:
        """Show what was varied, and what was chosen."""
        chosen = "" if self.choose is None else f", best {_text(self.best_value)}"
        return f"Curve({self.over}, {len(self.values)} values{chosen})"

    def _marks(self) -> list[tuple[int, str]]:
        if self.choose is None:
            return []
        if self.choose == "min" or self.one_se_index == self.least_index:
            return [(self.least_index, "least error")]
        return [(self.least_index, "least error"), (self.one_se_index, "chosen (one standard error)")]

    # ---- pictures

    def chart(self, *, against: Against = "value", floor: float | None = None) -> BandChart:
        """Return what the picture shows, as plain data.

        Parameters
        ----------
        against : "value" of the setting, or the mean number of "leaves", as in the lecture.
        floor : the smallest error that any model can have (the Bayes error), if it is known; drawn as a dashed line.
        """
        if against == "leaves" and np.isnan(self.leaves).any():
            raise ParameterError("against='leaves': these models have no trees.")
        places = self.leaves.tolist() if against == "leaves" else _places(self.values)
        texts = (
            [f"{count:.1f}" for count in self.leaves]
            if against == "leaves"
            else list(map(_text, self.values))
        )
        lines = (
            Line(
                "training rows", tuple(self.training.tolist()), tuple(self.training_standard_error.tolist())
            ),
            Line(
                "validation rows",
                tuple(self.validation.tolist()),
                tuple(self.validation_standard_error.tolist()),
            ),
        )
        named = f"{self.over} " if against == "leaves" else ""
        across = "leaves of the tree" if against == "leaves" else NAMES.get(self.over, self.over)
        return BandChart(
            title=f"{type(self.est).__name__}: error against {across}",
            across=across,
            up=self.measure,
            places=tuple(places),
            texts=tuple(texts),
            lines=lines,
            mark=self.best_index,
            mark_text="" if self.choose is None else f"chosen: {named}{_text(self.best_value)}",
            zones=() if self.choose is None else self._zones(places),
            floor=floor,
            floor_text="" if floor is None else "least possible error",
        )

    def _zones(self, places: list[float]) -> tuple[Zone, ...]:
        """Return the parts of the axis where models underfit, fit and overfit."""
        order = sorted(range(len(places)), key=lambda k: places[k])
        found: list[Zone] = []
        for k in order:
            name = self.regions[k]
            if found and found[-1].name == name:
                found[-1] = Zone(name, found[-1].low, places[k])
            else:
                found.append(Zone(name, places[k], places[k]))
        return tuple(found)

    def to_svg(
        self, *, against: Against = "value", floor: float | None = None, theme: ThemeName = "auto"
    ) -> str:
        """Return the picture as SVG text: theme "light", "dark", or "auto", which follows the reader's setting."""
        return to_svg(self.chart(against=against, floor=floor), theme)

    def _repr_html_(self) -> str:
        """Show the picture in a notebook."""
        return in_cell(self.to_svg(theme="auto"), str(self))

    def plot(self, ax: Axes | None = None, *, against: Against = "value", floor: float | None = None) -> Axes:
        """Draw the picture with matplotlib, on given axes or in a new figure; return the axes."""
        from branchwork.view.curve_display import CurveDisplay

        return CurveDisplay(self.chart(against=against, floor=floor)).plot(ax).ax_

    @overload
    def to_html(self, path: None = None, *, title: str | None = None, floor: float | None = None) -> str: ...

    @overload
    def to_html(
        self, path: str | os.PathLike[str], *, title: str | None = None, floor: float | None = None
    ) -> Path: ...

    def to_html(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        title: str | None = None,
        floor: float | None = None,
    ) -> str | Path:
        """Return a page to look at in a browser: the curve, the curve against tree size, and all numbers.

        Parameters
        ----------
        path : where to write the page; then the path is returned. None: the page is returned as text.
        title : what the page is called.
        floor : as in `chart`.
        """
        pictures = [self.to_svg(theme="auto", floor=floor)]
        if not np.isnan(self.leaves).any() and np.unique(self.leaves).size > 1 and self.over != "train_size":
            pictures.append(self.to_svg(theme="auto", against="leaves", floor=floor))
        figures = [("values tried", str(len(self.values)))]
        if self.choose is not None:
            figures.insert(0, (f"chosen {NAMES.get(self.over, self.over)}", _text(self.best_value)))
            assert self.best_index is not None
            figures.append(("validation error there", self._shown(self.validation[self.best_index])))
        figures.append(("error of the baseline", self._shown(float(self.to_dict()["baseline"]))))
        text = study_page(
            title or f"{type(self.est).__name__} over {self.over}",
            self._about(),
            figures,
            [("Errors", pictures)],
            self.to_text(),
        )
        return text if path is None else save_text(path, text)

    def _about(self) -> str:
        folds = self.validation_folds.shape[1]
        how = f"{folds} folds" if self.row_standard_error is None else "one set of validation rows"
        return (
            f"Error ({self.measure}) on training rows and on rows left out, by {how}; the bands reach one standard "
            "error to either side."
        )


def _standard_error(folds: Floats) -> Floats:
    count = folds.shape[1]
    return np.zeros(len(folds)) if count == 1 else np.asarray(folds.std(axis=1, ddof=1) / np.sqrt(count))


def _text(value: Any) -> str:
    return "no limit" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def _places(values: tuple[Any, ...]) -> list[float]:
    """Return the positions of values on an axis; "no limit" is one step beyond the last number."""
    numbers = [float(value) for value in values if value is not None]
    if len(numbers) == len(values):
        return numbers
    last = numbers[-1] if numbers else 0.0
    step = numbers[-1] - numbers[-2] if len(numbers) > 1 else 1.0
    return [*numbers, last + step]
