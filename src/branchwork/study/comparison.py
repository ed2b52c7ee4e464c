"""Hold the result of a comparison: errors with intervals, paired tests, size and time."""

from __future__ import annotations

import math
import os
from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from branchwork.errors import ParameterError, did_you_mean, shown
from branchwork.files import save_text
from branchwork.lazy import cached_property
from branchwork.measure.chance import holm
from branchwork.measure.losses import Loss
from branchwork.study.intervals import Estimate
from branchwork.study.paired import Paired, corrected
from branchwork.tree.split import rounded
from branchwork.view.blocks import Grid, Mark
from branchwork.view.dot_chart import Dot, DotChart, to_svg
from branchwork.view.dot_plot import plot_dots
from branchwork.view.notebook import in_cell
from branchwork.view.palette import ThemeName
from branchwork.view.study_page import study_page
from branchwork.view.terminal import folded, harmless, terminal_width
from branchwork.view.working_formats import to_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]

BASELINE = "baseline"
"""The name of the constant prediction, which is part of every comparison."""
SPARE = ("time to fit", "worse in", "p", "in training", "leaves", "95% interval")
"""Columns that a narrow terminal leaves out, this one first."""


@dataclass(frozen=True, eq=False)
class Standing:
    """The results of one learner.

    Parameters
    ----------
    tested, trained : loss on the test rows and on the training rows of each fold: the share of wrong classes, or
        the mean squared error.
    leaves : the number of leaves of the model of all rows, over all its trees; NaN if it has no trees.
    seconds : the time to fit all rows.
    answers : out-of-fold predictions as numbers (classes: codes), fold after fold.
    model : the estimator that was fitted on all rows.
    """

    name: str
    tested: Floats
    trained: Floats
    leaves: float
    seconds: float
    answers: npt.NDArray[Any]
    model: Any


@dataclass(frozen=True, eq=False)
class Comparison:
    """Learners side by side, the baseline first. A notebook shows the picture and the table.

    Parameters
    ----------
    standings : one for each learner, in the order given.
    sizes : weight of the test rows of each fold.
    ratio : test rows per training row, as the correction of the t-test needs it.
    loss : how predictions are judged.
    labels : the classes by their codes; None if numbers are predicted.
    rows, folds : of the out-of-fold predictions, one entry per prediction.
    truth : the target of each row of the table, as a number.
    by_rows : the mean loss of each learner with an interval from the rows; None: only groups of rows are independent.
    asked_against : the learner that the others are tested against; None means the one with the smallest error.
    """

    standings: tuple[Standing, ...]
    sizes: Floats
    ratio: float
    loss: Loss
    labels: tuple[Hashable, ...] | None
    rows: npt.NDArray[np.intp]
    folds: npt.NDArray[np.intp]
    truth: npt.NDArray[Any]
    by_rows: tuple[Estimate, ...] | None = None
    asked_against: str | None = None

    # ---- numbers

    @property
    def names(self) -> list[str]:
        """The learners; the first is the baseline."""
        return [one.name for one in self.standings]

    @property
    def fold_losses(self) -> Floats:
        """Loss in each fold (learners × folds): the share of wrong classes, or the mean squared error."""
        return np.stack([one.tested for one in self.standings])

    @cached_property
    def errors(self) -> Floats:
        """Error of each learner over all test rows: the share of wrong classes, or the root mean squared error."""
        return self._shown_error(self.fold_losses @ (self.sizes / self.sizes.sum()))

    @cached_property
    def intervals(self) -> Floats:
        """The 95 % interval of each error (learners × 2), from folds or from rows: the wider one; NaN if there is none.

        That of the folds uses the corrected variance. Folds that are stratified hardly vary for a learner that gives
        few different answers, so on their own they would be too sure of the baseline and of stumps.
        """
        ends = [(one.low, one.high) for one in self._alone]
        for k, one in enumerate(self.by_rows or ()):
            low, high = ends[k]
            if not high - low >= one.high - one.low:
                ends[k] = (one.low, one.high)
        return self._shown_error(np.clip(np.array(ends), 0, 1 if self.loss.is_share else None))

    @cached_property
    def training_errors(self) -> Floats:
        """Error on the training rows, in the same units; the mean over folds."""
        return self._shown_error(np.array([one.trained.mean() for one in self.standings]))

    @cached_property
    def _alone(self) -> list[Paired]:
        return [corrected(losses, self.sizes, self.ratio) for losses in self.fold_losses]

    @property
    def best(self) -> str:
        """The learner with the smallest error, apart from the baseline; ties go to the first."""
        return self.names[1 + int(np.argmin(self.errors[1:]))]

    @property
    def against(self) -> str:
        """The learner that all others are tested against."""
        return self.asked_against or self.best

    def test(self, one: str, other: str) -> Paired:
        """Return the corrected paired t-test of two learners; a positive mean says that `one` has the larger loss."""
        first, second = self._standing(one), self._standing(other)
        return corrected(first.tested - second.tested, self.sizes, self.ratio)

    @cached_property
    def tests(self) -> dict[str, Paired]:
        """Every learner against the reference, by name."""
        return {name: self.test(name, self.against) for name in self.names if name != self.against}

    @cached_property
    def adjusted(self) -> dict[str, float]:
        """The p-values of `tests`, adjusted by Holm's method for their number; NaN if a test has none."""
        found = [None if math.isnan(one.p_value) else one.p_value for one in self.tests.values()]
        adjusted = [math.nan if p is None else p for p in holm(found)]
        return dict(zip(self.tests, adjusted, strict=True))

    def fitted(self, name: str | None = None) -> Any:
        """Return an estimator fitted on all rows; None means the best one."""
        return self._standing(name or self.best).model

    def _standing(self, name: str) -> Standing:
        if name not in self.names:
            raise ParameterError(
                f"{shown(name)} was not compared.{did_you_mean(str(name), self.names)} There are "
                f"{', '.join(self.names)}."
            )
        return self.standings[self.names.index(name)]

    def out_of_fold(self) -> dict[str, npt.NDArray[Any]]:
        """Return every prediction for a row that the model had not seen: row, fold, truth, and a column per learner.

        Rows come fold by fold. With repeated folds a row occurs several times; in a time series, early rows do not
        occur.
        """
        found = {"row": self.rows, "fold": self.folds, "truth": self._decoded(self.truth[self.rows])}
        return found | {one.name: self._decoded(one.answers) for one in self.standings}

    def _decoded(self, numbers: npt.NDArray[Any]) -> npt.NDArray[Any]:
        if self.labels is None:
            return numbers
        names = np.empty(len(self.labels), object)
        names[:] = self.labels
        return np.asarray(names[numbers])

    def _shown_error(self, loss: Floats) -> Floats:
        return np.asarray(self.loss.in_units(loss))

    # ---- words

    @property
    def measure(self) -> str:
        """What the errors are."""
        return self.loss.root_title

    def _text(self, error: float) -> str:
        return "–" if math.isnan(error) else f"{error:.2%}" if self.loss.is_share else rounded(error)

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as plain data. Differences are of losses, learner minus reference."""
        return {
            "measure": self.measure,
            "folds": len(self.sizes),
            "test_rows": [float(size) for size in self.sizes],
            "against": self.against,
            "best": self.best,
            "learners": [self._plain(k) for k in range(len(self.standings))],
        }

    def _plain(self, k: int) -> dict[str, Any]:
        one = self.standings[k]
        test = self.tests.get(one.name)
        return {
            "name": one.name,
            "error": float(self.errors[k]),
            "interval": [_or_none(end) for end in self.intervals[k].tolist()],
            "training_error": float(self.training_errors[k]),
            "leaves": _or_none(one.leaves),
            "seconds": one.seconds,
            "fold_losses": one.tested.tolist(),
            "difference": None if test is None else test.mean,
            "t": None if test is None else _or_none(test.t),
            "p_value": None if test is None else _or_none(test.p_value),
            "p_adjusted": None if test is None else _or_none(self.adjusted[one.name]),
            "worse_in_folds": None if test is None else self._worse(one),
        }

    def _worse(self, one: Standing) -> int:
        return int(np.count_nonzero(one.tested > self._standing(self.against).tested))

    def grid(self, *, time: bool = True) -> Grid:
        """Return the table; without `time` it is the same in every run."""
        head = [
            "learner",
            "error",
            "95% interval",
            "p",
            "p, Holm",
            "worse in",
            "in training",
            "leaves",
            "time to fit",
        ]
        rows, marks = [], []
        for k, one in enumerate(self.standings):
            test, (low, high) = self.tests.get(one.name), self.intervals[k]
            interval = "–" if math.isnan(low) else f"{self._text(low)} – {self._text(high)}"
            tested = ("", "", "") if test is None else self._tested(one, test)
            leaves = "" if math.isnan(one.leaves) else f"{one.leaves:g}"
            error, trained = self._text(self.errors[k]), self._text(self.training_errors[k])
            rows.append((one.name, error, interval, *tested, trained, leaves, f"{one.seconds:.2g} s"))
            mark: Mark = "chosen" if one.name == self.against else ""
            marks.append(mark)
        stop = len(head) if time else -1
        return Grid(
            tuple(head[:stop]), tuple(row[:stop] for row in rows), tuple(marks), frozenset({0}), SPARE
        )

    def _tested(self, one: Standing, test: Paired) -> tuple[str, str, str]:
        folds = f"{self._worse(one)} of {len(self.sizes)}"
        return _p_text(test.p_value), _p_text(self.adjusted[one.name]), folds

    def to_text(self, *, time: bool = True, color: bool = False, width: int | None = None) -> str:
        """Return the table and a sentence about it; without `time` it is the same in every run.

        `width` is the maximum length of lines; to fit, the least important columns are left out. None: no limit.
        """
        table = to_text([self.grid(time=time)], colour=color, width=width)
        return f"{table}\n{folded(self.about, width)}"

    @property
    def about(self) -> str:
        """What the table shows, and what the baseline is, in a few sentences."""
        always = self.standings[0].model
        return f"{self._how} Baseline: {harmless(str(always))}."

    @property
    def _how(self) -> str:
        folds = "one fold" if len(self.sizes) == 1 else f"{len(self.sizes)} folds"
        what = f"Error: {self.measure} on rows left out, {folds}."
        if len(self.sizes) == 1:
            return f"{what} One fold has no spread, so nothing can be tested."
        return (
            f"{what} p: paired t-test against {harmless(self.against)}, corrected for the overlap of training rows "
            "(Nadeau and Bengio); Holm: adjusted for the number of tests."
        )

    def __str__(self) -> str:
        """Show the table; in a terminal as wide as it is."""
        return self.to_text(width=terminal_width())

    def __repr__(self) -> str:
        """Show the number of learners, and the best one."""
        return f"Comparison({len(self.standings) - 1} learners, {len(self.sizes)} folds, best {self.best})"

    # ---- pictures

    def chart(self) -> DotChart:
        """Return what the picture shows, as plain data: the errors with their intervals, the best first."""
        order = sorted(range(len(self.standings)), key=lambda k: (self.errors[k], k))
        dots = []
        for k in order:
            one, (low, high) = self.standings[k], self.intervals[k].tolist()
            test = self.tests.get(one.name)
            known = not math.isnan(low)
            more = f"{one.name}: {self._text(self.errors[k])}"
            more += f", {self._text(low)} to {self._text(high)}" if known else ""
            text = "" if test is None or math.isnan(test.p_value) else f"p {_p_text(test.p_value)}"
            strong = one.name == self.against
            colour = 0 if one.name != BASELINE else 5
            a, b = (float(low), float(high)) if known else (None, None)
            dots.append(Dot(one.name, float(self.errors[k]), a, b, text, more, colour, strong))
        return DotChart(
            "Error on rows left out, with 95% intervals",
            self.measure,
            tuple(dots),
            float(self.errors[0]),
            BASELINE,
            self.loss.is_share,
        )

    def to_svg(self, *, theme: ThemeName = "auto") -> str:
        """Return the picture as SVG text: theme "light", "dark", or "auto", which follows the reader's setting."""
        return to_svg(self.chart(), theme)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the picture with matplotlib, on given axes or in a new figure; return the axes."""
        return plot_dots(self.chart(), ax)

    def _repr_html_(self) -> str:
        """Show the picture in a notebook."""
        return in_cell(self.to_svg(theme="auto"), str(self))

    @overload
    def to_html(self, path: None = None, *, title: str | None = None) -> str: ...

    @overload
    def to_html(self, path: str | os.PathLike[str], *, title: str | None = None) -> Path: ...

    def to_html(self, path: str | os.PathLike[str] | None = None, *, title: str | None = None) -> str | Path:
        """Return a page to look at in a browser: the picture, and all numbers.

        Parameters
        ----------
        path : where to write the page; then the path is returned. None: the page is returned as text.
        title : what the page is called.
        """
        best = self.names.index(self.best)
        figures = [
            (f"least error: {self.best}", self._text(self.errors[best])),
            ("error of the baseline", self._text(self.errors[0])),
            ("folds", str(len(self.sizes))),
        ]
        pictures = [("Errors", [self.to_svg(theme="auto")])]
        table = to_text([self.grid()])
        text = study_page(title or "Learners compared", self.about, figures, pictures, table)
        return text if path is None else save_text(path, text)


def _or_none(x: float) -> float | None:
    return None if math.isnan(x) or math.isinf(x) else float(x)


def _p_text(p: float) -> str:
    return "–" if math.isnan(p) else "< 0.001" if p < 0.001 else f"{p:.3f}"
