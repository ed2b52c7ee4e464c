"""Share between the parts of a report: the case, and a pool of figures that are measured on the same draws of rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from branchwork.study.intervals import Estimate, Figures, bootstrap
from branchwork.study.report_answers import Asked, Floats
from branchwork.study.report_baseline import Reference
from branchwork.study.report_groups import Parted
from branchwork.study.report_result import Figure


@dataclass(frozen=True)
class Settings:
    """How intervals are computed: their level, the number of draws, the seed and the number of threads."""

    level: float
    repeats: int
    seed: int
    threads: int


@dataclass(frozen=True, eq=False)
class Case:
    """Everything that a model is judged by.

    Parameters
    ----------
    asked, trained : its predictions for the test rows, and for the training rows if they were given.
    base : the baseline.
    groups : the test rows in groups.
    settings : how intervals are computed.
    progress : is called with the number of finished draws.
    """

    asked: Asked
    trained: Asked | None
    base: Reference
    groups: list[Parted]
    settings: Settings
    progress: Callable[[int], None] | None


@dataclass
class Pool:
    """Functions whose figures are all measured on the same draws; each gets its own part of the result."""

    parts: list[Figures] = field(default_factory=list)
    quick: list[Figures] = field(default_factory=list)

    def add(self, figures: Figures, quick: Figures | None = None) -> int:
        """Add a function, and optionally a faster approximation for the draws; return its number."""
        self.parts.append(figures)
        self.quick.append(quick or figures)
        return len(self.parts) - 1

    def measured(self, case: Case) -> list[list[Estimate]]:
        """Return the figures of each function."""
        rows, settings = len(case.asked.answers), case.settings
        exact = [part(np.ones(rows)) for part in self.parts]
        found = bootstrap(
            lambda counts: np.concatenate([part(counts) for part in self.quick]),
            rows,
            repeats=settings.repeats,
            level=settings.level,
            seed=settings.seed,
            threads=settings.threads,
            progress=case.progress,
            exact=np.concatenate(exact),
        )
        ends = np.cumsum([len(part) for part in exact]).tolist()
        return [found[begin:end] for begin, end in zip([0, *ends[:-1]], ends, strict=True)]


def beside(own: Figures, base: Figures, count: int) -> Figures:
    """Return a function that measures the figures of the model, of the baseline, their differences, and all others."""

    def figures(counts: Floats) -> Floats:
        found, always = own(counts), base(counts)[:count]
        return np.concatenate([found[:count], always, found[:count] - always, found[count:]])

    return figures


def figures_of(titles: dict[str, str], found: list[Estimate], training: Floats | None) -> tuple[Figure, ...]:
    """Return the figures that a function of `beside` has measured."""
    count = len(titles)
    return tuple(
        Figure(
            name,
            title,
            found[k],
            found[count + k],
            found[2 * count + k],
            None if training is None else float(training[k]),
        )
        for k, (name, title) in enumerate(titles.items())
    )
