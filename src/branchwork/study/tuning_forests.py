"""Measure the errors of all settings of forests: one forest contains the forests of all depths.

What a node of a forest draws depends only on its place, so a shallower forest is the same forest, pruned by depth.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchwork.errors import BranchworkWarning
from branchwork.lazy import cached_property
from branchwork.learn.threads import one_thread_each
from branchwork.model.model import Model
from branchwork.study.containers import Rows, rows_of
from branchwork.study.nested import answering, leaf_counts, stopped
from branchwork.study.tuning_fits import FitTrials, Measured, Part
from branchwork.study.tuning_grid import Setting, settings_of
from branchwork.tree.outputs import likeliest


def draws_by_place(est: Any) -> bool:
    """Return whether a shallower forest is the same forest, pruned: what a node draws depends only on its place."""
    if not hasattr(type(est), "estimators_samples_") or "honest" not in est.get_params(deep=False):
        return False
    return (
        est.max_leaf_nodes is None
        and not est.honest
        and est.n_iter_no_change is None
        and est.callback is None
    )


@dataclass(frozen=True, eq=False)
class ForestTrials(FitTrials):
    """Forests: for each leaf size one forest, which contains the forests of all depths."""

    @cached_property
    def outer(self) -> tuple[Setting, ...]:
        """The settings that need a forest each."""
        return settings_of({name: values for name, values in self.grid.items() if name != "max_depth"})

    @property
    def n_steps(self) -> int:
        """One forest for each outer setting."""
        return len(self.outer)

    def _one(self, part: Part) -> Measured:
        train, test = part
        by_setting: dict[Any, tuple[float, float]] = {}
        depths = self.grid["max_depth"]
        deepest = None if None in depths else max(depths)
        with one_thread_each(self.n_jobs), warnings.catch_warnings():
            warnings.simplefilter("ignore", BranchworkWarning)
            for outer in self.outer:
                est = self._fitted(outer | {"max_depth": deepest}, train)
                for depth, numbers in zip(depths, self._cut_off(est, test), strict=True):
                    by_setting[tuple(sorted((outer | {"max_depth": depth}).items(), key=str))] = numbers
        found = [by_setting[tuple(sorted(one.items(), key=str))] for one in self.settings]
        return Measured(*np.array(found).T)

    def _cut_off(self, est: Any, test: Rows) -> list[tuple[float, float]]:
        """Return loss and leaves of the forest at each depth: every tree predicts by its nodes at that depth."""
        model: Model = est.model_
        table = est._coded(rows_of(self._rows[0], test))
        depths = self.grid["max_depth"]
        total: Any = 0.0
        leaves = np.zeros(len(depths))
        for tree in model.trees:
            masks = stopped(tree, "max_depth", depths)
            top = answering(tree, masks)
            at = top[:, model._apply(tree, table, 1)]
            votes = model.combine.kind == "vote"
            total = total + (np.eye(tree.n_outputs)[tree.decision[at]] if votes else tree.value[at])
            leaves += leaf_counts(masks, top)
        outputs = total / len(model.trees)
        truth = self._rows[1][test]
        if model.labels is None:
            said: Any = outputs[:, :, 0]
        else:
            said = self.coder.codes_of(model.labels)[np.stack([likeliest(one) for one in outputs])]
        errors = self._mean(self.coder.loss.of_rows(said, truth), test)
        return list(zip(errors.tolist(), leaves.tolist(), strict=True))
