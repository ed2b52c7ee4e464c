"""Hold the result of tuning: every setting with its error, the chosen one, and an unbiased estimate of its error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from branchwork.lazy import cached_property
from branchwork.measure.losses import Loss
from branchwork.study.baseline import Baseline
from branchwork.study.tuning_grid import Grid, Setting
from branchwork.table.shown import html_table
from branchwork.tree.split import rounded
from branchwork.view.blocks import Grid as TextGrid
from branchwork.view.blocks import Mark
from branchwork.view.terminal import folded, terminal_width
from branchwork.view.working_formats import to_text

Floats = npt.NDArray[np.float64]
Choose = Literal["min", "1se"]

SHOWN = 8
"""The largest number of settings that are printed: the best ones, and the chosen one."""


def best_of(error: Floats, leaves: Floats) -> int:
    """Return the position of the smallest error; ties go to the fewest leaves, then to the first."""
    order = sorted(range(len(error)), key=lambda k: (error[k], _size(leaves[k]), k))
    return order[0]


def one_se_of(folds: Floats, leaves: Floats) -> int:
    """Return the position of the fewest leaves among those within one standard error of the smallest error.

    `folds` has the errors of each setting in each fold. Ties go to the smallest error.
    """
    error = folds.mean(axis=1)
    best = best_of(error, leaves)
    limit = error[best] + standard_errors(folds)[best]
    near = [k for k in range(len(error)) if error[k] <= limit]
    return min(near, key=lambda k: (_size(leaves[k]), error[k], k))


def standard_errors(folds: Floats) -> Floats:
    """Return the standard error of each mean over folds."""
    return np.asarray(folds.std(axis=1, ddof=1) / np.sqrt(folds.shape[1]))


def _size(leaves: Any) -> float:
    return np.inf if np.isnan(leaves) else float(leaves)


@dataclass(frozen=True, eq=False)
class Tuning:
    """What was tried, and what was chosen.

    Parameters
    ----------
    name : of the estimator.
    grid, settings : the values of each setting, and all their combinations.
    folds : validation error of each setting in each fold: share of wrong classes, or mean squared error.
    leaves : mean number of leaves of each setting, of all trees together.
    choose : "min": the least error; "1se": the fewest leaves within one standard error of it.
    nested : error of the whole procedure in each fold: settings were chosen on the other folds alone. None if not asked
        for.
    nested_choices : the positions of the settings that were chosen there.
    loss : how predictions are judged.
    baseline : the constant prediction, and its error on all rows.
    """

    name: str
    grid: Grid
    settings: tuple[Setting, ...]
    folds: Floats
    leaves: Floats
    choose: Choose
    nested: Floats | None
    nested_choices: tuple[int, ...]
    loss: Loss
    baseline: Baseline

    @property
    def error(self) -> Floats:
        """Mean validation error of each setting."""
        return np.asarray(self.folds.mean(axis=1))

    @property
    def standard_error(self) -> Floats:
        """Standard error of each mean, from its spread over folds."""
        return standard_errors(self.folds)

    @cached_property
    def best_index(self) -> int:
        """Position of the setting with the smallest error."""
        return best_of(self.error, self.leaves)

    @cached_property
    def one_se_index(self) -> int:
        """Position of the simplest setting within one standard error of the smallest."""
        return one_se_of(self.folds, self.leaves)

    @property
    def chosen_index(self) -> int:
        """Position of the chosen setting."""
        return self.best_index if self.choose == "min" else self.one_se_index

    @property
    def best(self) -> Setting:
        """The setting with the smallest error."""
        return self.settings[self.best_index]

    @property
    def one_se(self) -> Setting:
        """The simplest setting within one standard error of the least."""
        return self.settings[self.one_se_index]

    @property
    def chosen(self) -> Setting:
        """The chosen setting."""
        return self.settings[self.chosen_index]

    @property
    def nested_error(self) -> float | None:
        """Error to expect of the tuned model on new rows: the mean over folds that had no part in the choice."""
        return None if self.nested is None else float(self.nested.mean())

    @property
    def nested_standard_error(self) -> float | None:
        """Standard error of `nested_error`, from its spread over folds."""
        return None if self.nested is None else float(standard_errors(self.nested[None, :])[0])

    # ---- words

    @property
    def measure(self) -> str:
        """What the errors are."""
        return self.loss.title

    @property
    def _always(self) -> float:
        return self.baseline.mean_loss

    def _text(self, error: float | None) -> str:
        return "" if error is None else f"{error:.2%}" if self.loss.is_share else rounded(error)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "estimator": self.name,
            "measure": self.measure,
            "settings": [dict(one) for one in self.settings],
            "error": self.error.tolist(),
            "standard_error": self.standard_error.tolist(),
            "leaves": [None if np.isnan(count) else float(count) for count in self.leaves],
            "folds": self.folds.tolist(),
            "choose": self.choose,
            "best": dict(self.best),
            "one_se": dict(self.one_se),
            "chosen": dict(self.chosen),
            "nested_error": self.nested_error,
            "nested_standard_error": self.nested_standard_error,
            "nested_folds": None if self.nested is None else self.nested.tolist(),
            "nested_choices": [dict(self.settings[k]) for k in self.nested_choices],
            "baseline": self._always,
        }

    def __str__(self) -> str:
        """Show the text; in a terminal as wide as it is."""
        return self.to_text(width=terminal_width())

    def to_text(self, *, width: int | None = None) -> str:
        """Return the best settings and the chosen one, and what to expect on new rows, as text.

        `width` is the maximum length of lines; to fit, the least important columns are left out. None: no limit.
        """
        order = sorted(range(len(self.settings)), key=lambda k: (self.error[k], _size(self.leaves[k]), k))
        shown = self._different(order)[:SHOWN]
        shown += [k for k in (self.chosen_index,) if k not in shown]
        names = list(self.grid)
        rows, marks = [], []
        for k in shown:
            cells = [_value(self.settings[k][name]) for name in names]
            leaves = "" if np.isnan(self.leaves[k]) else f"{self.leaves[k]:.1f}"
            words = ((self.best_index, "least error"), (self.chosen_index, "chosen"))
            said = [word for place, word in words if k == place]
            rows.append(
                (
                    *cells,
                    leaves,
                    self._text(self.error[k]),
                    self._text(self.standard_error[k]),
                    ", ".join(said),
                )
            )
            mark: Mark = "chosen" if k == self.chosen_index else ""
            marks.append(mark)
        header = (*names, "leaves", "error", "standard error", "")
        last = frozenset({len(header) - 1})
        spare = ("standard error", "leaves", *reversed(names))
        table = to_text([TextGrid(header, tuple(rows), tuple(marks), last, spare)], width=width)
        more = len(self.settings) - len(shown)
        lines = [table, *([f"… and {more} more settings"] if more else [])]
        return "\n".join([*lines, *(folded(one, width) for one in self.sentences())])

    def _repr_html_(self) -> str:
        """Show the best settings and the chosen one in a notebook."""
        order = sorted(range(len(self.settings)), key=lambda k: (self.error[k], _size(self.leaves[k]), k))
        shown = self._different(order)[:SHOWN]
        shown += [k for k in (self.chosen_index,) if k not in shown]
        rows = [
            [
                *map(_value, self.settings[k].values()),
                self._text(self.error[k]),
                self._text(self.standard_error[k]),
                "chosen" if k == self.chosen_index else "",
            ]
            for k in shown
        ]
        head = [*self.grid, "error", "standard error", ""]
        return html_table(head, rows, words=[len(head) - 1], note=" ".join(self.sentences()))

    def _different(self, order: list[int]) -> list[int]:
        """Return the first of each group of settings that made the same errors with as many leaves: the same trees."""
        found: dict[Any, int] = {}
        for k in order:
            found.setdefault((tuple(self.folds[k].tolist()), float(self.leaves[k])), k)
        if self.chosen_index not in found.values():  # the chosen one represents its group
            key = (tuple(self.folds[self.chosen_index].tolist()), float(self.leaves[self.chosen_index]))
            found[key] = self.chosen_index
        return list(found.values())

    def sentences(self) -> list[str]:
        """Return what to expect on new rows, in words."""
        folds = self.folds.shape[1]
        found = [f"{self.name}: {len(self.settings)} settings on {folds} folds; error: {self.measure}."]
        if self.nested is not None:
            found.append(
                f"Expect {self._text(self.nested_error)} (standard error {self._text(self.nested_standard_error)}) on "
                f"new rows: the error of the whole procedure in {folds} folds that had no part in the choice."
            )
        return [*found, f"The baseline, which needs no model, has {self._text(self._always)}."]

    def __repr__(self) -> str:
        """Show how much was tried, and what was chosen."""
        chosen = ", ".join(f"{name}={_value(value)}" for name, value in self.chosen.items())
        return f"Tuning({len(self.settings)} settings, chosen {chosen})"


def _value(value: Any) -> str:
    return "no limit" if value is None else f"{value:.3g}" if isinstance(value, float) else str(value)
