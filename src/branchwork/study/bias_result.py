"""Hold the parts of an error: as numbers, as text, and as pictures."""

from __future__ import annotations

import os
from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from branchwork.errors import ParameterError
from branchwork.files import save_text
from branchwork.lazy import cached_property
from branchwork.study.bias_parts import Correction, Parts
from branchwork.study.curve_result import NAMES, _places, _text
from branchwork.table.text_table import plain_table, terminal_width
from branchwork.table.wide_text import fold
from branchwork.view.band_chart import BandChart, Line
from branchwork.view.band_svg import to_svg
from branchwork.view.dart_board import Board, boards_svg
from branchwork.view.notebook import in_cell
from branchwork.view.palette import ThemeName
from branchwork.view.study_page import study_page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]

MOST_DARTS = 200
"""The largest number of models that a board shows."""
MOST_BOARDS = 6


@dataclass(frozen=True, eq=False)
class BiasVariance:
    """The error of an estimator in parts. A notebook shows the dart board.

    Parameters
    ----------
    points : the parts at every query point: `points.bias2`, `.variance`, `.noise` (None: the truth is not known) and
        `.error` are arrays; with Domingos' method also `.unbiased_variance` and `.biased_variance`.
    answers : the predictions of each model (models × query points): numbers, or positions in `labels`.
    truth : E[y | x] or the known target of each query point; for classes, probabilities (points × classes).
    labels : the classes; None if numbers are predicted.
    loss : what the error is, in words.
    correction : as asked for.
    """

    points: Parts
    answers: npt.NDArray[Any]
    truth: Floats
    labels: tuple[Hashable, ...] | None
    loss: str
    correction: Correction

    @property
    def bias2(self) -> float:
        """Mean squared bias (with Domingos' method, bias); it includes the noise if `noise` is None."""
        return float(self.points.bias2.mean())

    @property
    def variance(self) -> float:
        """Mean variance; with Domingos' method the net variance."""
        return float(self.points.variance.mean())

    @property
    def noise(self) -> float | None:
        """Mean noise; None if the truth is not known, because noise then cannot be separated from bias."""
        return None if self.points.noise is None else float(self.points.noise.mean())

    @property
    def error(self) -> float:
        """Mean error of the models."""
        return float(self.points.error.mean())

    @property
    def gap(self) -> float:
        """The error minus its parts: 0 up to rounding errors, except with Weka's correction."""
        return self.error - self.bias2 - self.variance - (self.noise or 0.0)

    @property
    def n_repeats(self) -> int:
        """Number of models."""
        return len(self.answers)

    @property
    def bias_name(self) -> str:
        """The name of `bias2`, which includes the noise if that is not known."""
        name = "bias" if self.points.biased_variance is not None else "bias²"
        return name if self.noise is not None else f"{name} + noise"

    def to_dict(self) -> dict[str, Any]:
        """Return means and arrays as plain data."""
        names = ("bias2", "variance", "noise", "error")
        found: dict[str, Any] = {name: getattr(self, name) for name in names}
        found["gap"] = self.gap
        found["points"] = {
            name: None if (part := getattr(self.points, name)) is None else part.tolist() for name in names
        }
        return found | {"loss": self.loss, "correction": self.correction, "n_repeats": self.n_repeats}

    def __str__(self) -> str:
        """Show a line for each part; in a terminal as wide as it is."""
        return self.to_text(width=terminal_width())

    def to_text(self, *, width: int | None = None) -> str:
        """Return a line for each part; `width` is the columns that lines may take, None: any number."""
        lines = [(self.bias_name, self.bias2), ("variance", self.variance)]
        if self.points.biased_variance is not None and self.points.unbiased_variance is not None:
            lines[-1] = ("net variance", self.variance)
            lines.append(("  that harms", float(self.points.unbiased_variance.mean())))
            lines.append(("  that helps", -float(self.points.biased_variance.mean())))
        if self.noise is not None:
            lines.append(("noise", self.noise))
        if self.correction == "weka":
            lines.append(("not explained", self.gap))
        widest = max(10, *(len(name) for name, _ in lines))
        about = f"({self.n_repeats} models, {self.answers.shape[1]} query rows, {self.loss})"
        texts = [
            f"{name:<{widest}} {_number(value, self.error)}"
            for name, value in [*lines, ("error", self.error)]
        ]
        return "\n".join([*texts[:-1], *fold(f"{texts[-1]}  {about}", width, " " * (widest + 1))])

    def __repr__(self) -> str:
        """Tell the parts in one line."""
        noise = "" if self.noise is None else f", noise={self.noise:.4g}"
        return f"BiasVariance(bias2={self.bias2:.4g}, variance={self.variance:.4g}{noise}, error={self.error:.4g})"

    # ---- pictures

    @cached_property
    def darts(self) -> Floats:
        """The place where each model hits a board whose centre is the truth (models × 2).

        A model's predictions minus the truth are one point in a space with one dimension per query row. The board is a
        view of that space from which bias and variance can be measured: the mean of all models is √bias² to the right
        of the middle, and the mean squared distance of the models from their own mean is the variance. The directions
        of the scatter are those in which models differ most.
        """
        away = self._deviations()
        middle = away.mean(axis=0)
        scatter = away - middle
        variance, bias2 = float((scatter**2).sum(axis=1).mean()), float((middle**2).sum())
        flat = _flattened(scatter)
        reach = float((flat**2).sum(axis=1).mean())
        if reach > 0:
            flat = flat * np.sqrt(variance / reach)
        return np.asarray(flat + np.array([np.sqrt(bias2), 0.0]))

    def _deviations(self) -> Floats:
        """Return predictions minus the truth, scaled so that their squared length is the loss (models × dimensions)."""
        points = self.answers.shape[1]
        if self.labels is None:
            return np.asarray((self.answers - self.truth) / np.sqrt(points))
        said = np.eye(len(self.labels))[self.answers]
        return np.asarray((said - self.truth).reshape(len(self.answers), -1) / np.sqrt(2 * points))

    def board(self, title: str = "") -> Board:
        """Return the dart board as plain data."""
        darts = self.darts
        step = max(1, -(-len(darts) // MOST_DARTS))
        note = f"{self.bias_name} {self.bias2:.3g}, variance {self.variance:.3g}"
        return Board(
            title, note, tuple(map(tuple, darts[::step].tolist())), tuple(darts.mean(axis=0).tolist())
        )

    def to_svg(self, *, theme: ThemeName = "auto") -> str:
        """Return the dart board as SVG text: theme "light", "dark", or "auto", which follows the reader's setting."""
        return boards_svg([self.board("All models")], "Where the models hit", theme)

    def _repr_html_(self) -> str:
        """Show the dart board in a notebook."""
        return in_cell(self.to_svg(theme="auto"), str(self))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the dart board with matplotlib, on given axes or in a new figure; return the axes."""
        from branchwork.view.bias_display import BiasVarianceDisplay

        return BiasVarianceDisplay([self.board("All models")]).plot(ax).ax_

    @overload
    def to_html(self, path: None = None, *, title: str | None = None) -> str: ...

    @overload
    def to_html(self, path: str | os.PathLike[str], *, title: str | None = None) -> Path: ...

    def to_html(self, path: str | os.PathLike[str] | None = None, *, title: str | None = None) -> str | Path:
        """Return a page to look at in a browser; with a path, write it there and return the path."""
        about = f"The error ({self.loss}) of {self.n_repeats} models on {self.answers.shape[1]} query rows, in parts."
        text = study_page(
            title or "Bias and variance",
            about,
            _figures(self),
            [("Where the models hit", [self.to_svg(theme="auto")])],
            self.to_text(),
        )
        return text if path is None else save_text(path, text)


@dataclass(frozen=True, eq=False)
class BiasVarianceSweep:
    """The parts of the error for each value of a setting. A notebook shows them stacked.

    Parameters
    ----------
    name : of the estimator.
    over, values : the setting and its values.
    results : one for each value.
    leaves : mean number of leaves for each value; NaN for models without trees.
    """

    name: str
    over: str
    values: tuple[Any, ...]
    results: tuple[BiasVariance, ...]
    leaves: Floats

    def __len__(self) -> int:
        """Return the number of values."""
        return len(self.values)

    def __getitem__(self, k: int) -> BiasVariance:
        """Return the result for one value, by its position."""
        return self.results[k]

    @property
    def bias2(self) -> Floats:
        """Squared bias for each value."""
        return np.array([one.bias2 for one in self.results])

    @property
    def variance(self) -> Floats:
        """Variance for each value."""
        return np.array([one.variance for one in self.results])

    @property
    def noise(self) -> Floats | None:
        """Noise for each value; None if it cannot be separated from bias."""
        found = [one.noise for one in self.results]
        return None if any(noise is None for noise in found) else np.array(found, np.float64)

    @property
    def error(self) -> Floats:
        """Error for each value."""
        return np.array([one.error for one in self.results])

    @property
    def least_index(self) -> int:
        """Position of the value with the smallest error."""
        return int(np.argmin(self.error))

    def to_dict(self) -> dict[str, Any]:
        """Return the parts for each value as plain data."""
        noise = self.noise
        return {
            "over": self.over,
            "values": list(self.values),
            "bias2": self.bias2.tolist(),
            "variance": self.variance.tolist(),
            "noise": None if noise is None else noise.tolist(),
            "error": self.error.tolist(),
            "leaves": [None if np.isnan(count) else float(count) for count in self.leaves],
            "least_error_at": self.values[self.least_index],
        }

    def __str__(self) -> str:
        """Show a line for each value; in a terminal as wide as it is."""
        return self.to_text(width=terminal_width())

    def to_text(self, *, width: int | None = None) -> str:
        """Return a table with a line for each value.

        `width` is the columns that lines may take, where the least important columns are left out; None: any number.
        """
        noise = self.noise
        parts = [(self.results[0].bias_name, self.bias2), ("variance", self.variance)]
        parts += [] if noise is None else [("noise", noise)]
        most = float(self.error.max())
        columns = [*parts, ("error", self.error)]
        head = [self.over, *(name for name, _ in columns), ""]
        rows = [
            [
                _text(value),
                *(_number(numbers[k], most) for _, numbers in columns),
                "least error" if k == self.least_index else "",
            ]
            for k, value in enumerate(self.values)
        ]
        return plain_table(head, rows, words=[len(head) - 1], spare=["noise"], room=width)

    def __repr__(self) -> str:
        """Tell what was varied."""
        best = _text(self.values[self.least_index])
        return f"BiasVarianceSweep({self.over}, {len(self.values)} values, least error at {best})"

    # ---- pictures

    def chart(self) -> BandChart:
        """Return the stacked parts as plain data."""
        noise = self.noise
        lines = [
            Line(self.results[0].bias_name, tuple(self.bias2.tolist())),
            Line("variance", tuple(self.variance.tolist())),
        ]
        if noise is not None:
            lines.insert(0, Line("noise", tuple(noise.tolist())))
        stacked = all(min(line.numbers) >= 0 for line in lines)
        lines.append(Line("error", tuple(self.error.tolist())))
        across = NAMES.get(self.over, self.over)
        return BandChart(
            title=f"{self.name}: what the error is made of",
            across=across,
            up=self.results[0].loss,
            places=tuple(_places(self.values)),
            texts=tuple(map(_text, self.values)),
            lines=tuple(lines),
            mark=self.least_index,
            mark_text=f"least error: {_text(self.values[self.least_index])}",
            stacked=stacked,
        )

    def boards(self) -> list[Board]:
        """Return dart boards for some of the values, from the first to the last."""
        count = min(MOST_BOARDS, len(self))
        places = np.unique(np.rint(np.linspace(0, len(self) - 1, count)).astype(int)).tolist()
        return [self.results[k].board(f"{self.over} {_text(self.values[k])}") for k in places]

    def to_svg(self, *, what: str = "parts", theme: ThemeName = "auto") -> str:
        """Return a picture as SVG text: the "parts" of the error, or dart "boards"."""
        if what == "parts":
            return to_svg(self.chart(), theme)
        if what == "boards":
            return boards_svg(self.boards(), f"{self.name}: where the models hit", theme)
        raise ParameterError(f"what={what!r}; expected 'parts' or 'boards'.")

    def _repr_html_(self) -> str:
        """Show the parts in a notebook."""
        return in_cell(self.to_svg(theme="auto"), str(self))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the parts with matplotlib, on given axes or in a new figure; return the axes."""
        from branchwork.view.curve_display import CurveDisplay

        return CurveDisplay(self.chart()).plot(ax).ax_

    @overload
    def to_html(self, path: None = None, *, title: str | None = None) -> str: ...

    @overload
    def to_html(self, path: str | os.PathLike[str], *, title: str | None = None) -> Path: ...

    def to_html(self, path: str | os.PathLike[str] | None = None, *, title: str | None = None) -> str | Path:
        """Return a page to look at in a browser; with a path, write it there and return the path."""
        best = self.results[self.least_index]
        figures = [(f"{self.over} of least error", _text(self.values[self.least_index])), *_figures(best)]
        about = f"The error ({best.loss}) of {best.n_repeats} models for each value of {self.over}, in parts."
        pictures = [self.to_svg(theme="auto"), self.to_svg(what="boards", theme="auto")]
        text = study_page(
            title or f"{self.name}: bias and variance",
            about,
            figures,
            [("The parts", pictures)],
            self.to_text(),
        )
        return text if path is None else save_text(path, text)


def _number(value: float, largest: float) -> str:
    """Return a part with the number of digits that suits an error of this size."""
    return f"{value:.4f}" if largest < 1000 else f"{value:.0f}"


def _figures(found: BiasVariance) -> list[tuple[str, str]]:
    parts = [(found.bias_name, found.bias2), ("variance", found.variance)]
    parts += [] if found.noise is None else [("noise", found.noise)]
    return [(name, f"{value:.4g}") for name, value in [*parts, ("error", found.error)]]


def _flattened(scatter: Floats) -> Floats:
    """Project points onto two dimensions: the directions in which they differ most.

    The signs of the directions are fixed by the point farthest out, so that the picture is the same every time.
    """
    gram = scatter @ scatter.T
    values, vectors = np.linalg.eigh(gram)
    top = vectors[:, [-1, -2]] * np.sqrt(np.maximum(values[[-1, -2]], 0.0))
    signs = np.sign(top[np.abs(top).argmax(axis=0), [0, 1]])
    return np.asarray(top * np.where(signs == 0, 1.0, signs))
