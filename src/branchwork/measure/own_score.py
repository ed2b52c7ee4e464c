"""A user's own score, written as functions of class counts.

The impurity of a node times its weight n is

    offset(n) + scale(n) · Σ term(n_c)            or the maximum of the terms instead of their sum

with n_c the weight of class c. The term of a class without rows is 0, and a node without rows has no impurity, so the
functions are never asked about 0. Or the score is one function, gain(parent, children), that says what a split gains.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NoReturn, get_args

import numpy as np
import numpy.typing as npt

from branchwork.errors import ParameterError, shown
from branchwork.lazy import cached_property

Floats = npt.NDArray[np.float64]
Labels = Sequence[Hashable]
Combine = Literal["sum", "max"]

LARGEST = 1e150
"""Terms and scales may be this large, so that their products are finite."""
MOST_SHOWN = 12
"""Counts that a message names."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Score:
    """A score of your own for splits, as `criterion=` of a tree or forest for classes.

    Functions take and return NumPy arrays of floats, or return one number for all. Give either `term` (with `offset`,
    `scale` and `combine`), which runs in the core where rows count once, or `gain`, which is called from Python for
    every candidate and is slower. docs/guide/own-score.md has examples.

    Parameters
    ----------
    name : what views and messages call it.
    unit : what it is measured in; "": its name.
    term : a function of the counts of one class; with a second parameter, also of the label of that class.
    offset, scale : functions of the rows of a node; None: 0 and 1.
    combine : "sum" of the terms of all classes, or "max", the largest.
    gain : a function of the parent's counts, of shape (classes,), and those of its branches, of shape
        (branches, classes), to what the split gains per row.

    Examples
    --------
    Tsallis entropy with q = 3, 1 − Σ p³ up to a factor:

    >>> import branchwork as bw
    >>> tsallis = bw.Score(name="Tsallis", term=lambda c: c**3, offset=lambda n: n / 2, scale=lambda n: -0.5 / n**2)
    >>> tennis = bw.datasets.load("play_tennis")
    >>> print(bw.ID3Classifier(criterion=tsallis, max_depth=1).fit(tennis.X, tennis.y).to_text())
    PlayTennis: No, Yes
    all rows                                 14 rows  Yes: 9 (64%)  No: 5 (36%)
    ├─ Outlook = Overcast → PlayTennis: Yes   4 rows  Yes: 4 (100%)
    ├─ Outlook = Rain → PlayTennis: Yes       5 rows  Yes: 3 (60%)  No: 2 (40%)
    └─ Outlook = Sunny → PlayTennis: No       5 rows  No: 3 (60%)  Yes: 2 (40%)
    """

    name: str
    unit: str = ""
    term: Callable[..., Any] | None = None
    offset: Callable[..., Any] | None = None
    scale: Callable[..., Any] | None = None
    combine: Combine = "sum"
    gain: Callable[..., Any] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise ParameterError(f"Score: name={shown(self.name)}; expected text.")
        if not isinstance(self.unit, str):
            raise ParameterError(f"Score: unit={shown(self.unit)}; expected text.")
        if self.combine not in get_args(Combine):
            raise ParameterError(f"Score: combine={shown(self.combine)}; expected 'sum' or 'max'.")
        for role in ("term", "offset", "scale", "gain"):
            if (function := getattr(self, role)) is not None and not callable(function):
                raise ParameterError(f"Score: {role}={shown(function)}; expected a function.")
        if (self.term is None) == (self.gain is None):
            raise ParameterError(
                f"Score {self.name!r} needs term= (with offset=, scale=, combine=) or gain=, and not both."
            )
        if self.gain is not None and (self.offset, self.scale, self.combine) != (None, None, "sum"):
            raise ParameterError(
                f"Score {self.name!r}: offset=, scale= and combine= go with term=, not with gain=."
            )

    @classmethod
    def remembered(cls, name: str, unit: str) -> Score:
        """Return the score of a model file, which has no functions: it can be shown, but not computed."""
        score = object.__new__(cls)
        for role, value in (("name", name), ("unit", unit), ("combine", "sum")):
            object.__setattr__(score, role, value)
        for role in ("term", "offset", "scale", "gain"):
            object.__setattr__(score, role, None)
        return score

    def __repr__(self) -> str:
        """Say its name; functions have no short form."""
        return f"Score({self.name!r})"

    @property
    def is_remembered(self) -> bool:
        """Whether it came from a model file, without its functions."""
        return self.term is None and self.gain is None

    @cached_property
    def term_takes_class(self) -> bool:
        """Whether the term has a second parameter, for the label of the class."""
        assert self.term is not None
        if isinstance(self.term, np.ufunc):
            return self.term.nin == 2
        try:
            given = inspect.signature(self.term).parameters.values()
        except (TypeError, ValueError):  # a function that is not written in Python
            return False
        needed = [
            one
            for one in given
            if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) and one.default is one.empty
        ]
        return len(needed) == 2

    # ---- numbers

    def terms(self, counts: Floats, labels: Labels) -> Floats:
        """Return the term of each count; columns are classes. The term of 0 is 0."""
        self.need_functions()
        found = np.zeros(counts.shape)
        if not self.term_takes_class:
            present = counts > 0
            found[present] = self._ask("term", counts[present])
            return found
        for k, label in enumerate(labels):
            present = counts[:, k] > 0
            found[present, k] = self._ask("term", counts[present, k], label)
        return found

    def of_total(self, role: Literal["offset", "scale"], n: Floats) -> Floats:
        """Return the offset or scale of nodes of these weights, which are above 0."""
        if getattr(self, role) is None:
            return np.full(len(n), 0.0 if role == "offset" else 1.0)
        return self._ask(role, n)

    def costs(self, counts: Floats, labels: Labels) -> Floats:
        """Return impurity times weight of nodes, one per row of the counts."""
        if self.gain is not None:
            return np.array([float(one.sum()) * self._most_gain(one) for one in counts])
        terms = self.terms(counts, labels)
        merged = terms.max(axis=1) if self.combine == "max" else terms.sum(axis=1)
        weight, found = counts.sum(axis=1), np.zeros(len(counts))
        some = weight > 0
        found[some] = self.of_total("offset", weight[some])
        found[some] += self.of_total("scale", weight[some]) * merged[some]
        return found

    def impurity(self, counts: Floats, labels: Labels) -> float:
        """Return the impurity of one node.

        Where only a gain is known, it is what the split would gain that parts all classes.
        """
        weight = float(counts.sum())
        return max(0.0, float(self.costs(counts[None, :], labels)[0]) / weight) if weight > 0 else 0.0

    def magnitudes(self, counts: Floats, labels: Labels) -> Floats:
        """Return the size of the numbers that the cost of each node is computed from; rounding is a share of it."""
        if self.gain is not None:
            return np.abs(self.costs(counts, labels))
        weight, found = counts.sum(axis=1), np.zeros(len(counts))
        some = weight > 0
        terms = np.abs(self.terms(counts[some], labels)).max(axis=1, initial=0.0)
        found[some] = np.abs(self.of_total("offset", weight[some]))
        found[some] += np.abs(self.of_total("scale", weight[some])) * terms
        return found

    def gain_of(self, parent: Floats, children: Floats) -> float:
        """Ask the function `gain` about one split."""
        self.need_functions()
        assert self.gain is not None

        def about() -> str:
            return f"for a parent of {_listed(parent)} and branches of {[_listed(one) for one in children]}"

        try:
            with np.errstate(all="ignore"):
                found = np.asarray(self.gain(parent.copy(), children.copy()), np.float64)
        except Exception as error:
            raise ParameterError(
                f"Score {self.name!r}: gain raised {type(error).__name__}: {error}, {about()}."
            ) from error
        if found.ndim:
            self._refuse(f"gain returned an array of shape {found.shape}; expected one number, {about()}")
        gain = float(found)
        if not math.isfinite(gain):
            self._refuse(f"gain is {gain} {about()}; expected a finite number")
        return gain

    def need_functions(self) -> None:
        """Refuse to compute what a model file does not say."""
        if self.is_remembered:
            raise ParameterError(
                f"Score {self.name!r} was read from a model file, which keeps the name of a score and not its "
                "functions: what is in the file can be shown, but nothing can be computed anew. Make an estimator "
                "with criterion=bw.Score(...) and fit it."
            )

    def _most_gain(self, counts: Floats) -> float:
        present = np.flatnonzero(counts > 0)
        if len(present) < 2:
            return 0.0
        return self.gain_of(counts, np.diag(counts)[present])

    def _ask(self, role: str, numbers: Floats, *label: Hashable) -> Floats:
        """Call one of the functions, and refuse an answer that is no number for each count."""
        if not len(numbers):
            return numbers
        of_class = f" of class {label[0]!r}" if label else ""
        try:
            with np.errstate(all="ignore"):
                answer = getattr(self, role)(numbers.copy(), *label)
                found = np.asarray(answer, np.float64)
        except Exception as error:
            raise ParameterError(
                f"Score {self.name!r}: {role} raised {type(error).__name__}: {error}, for the counts "
                f"{_listed(numbers)}{of_class}."
            ) from error
        if found.ndim and found.shape != numbers.shape:
            self._refuse(
                f"{role} returned an array of shape {found.shape} for counts of shape {numbers.shape}{of_class}; "
                "expected a number for each count"
            )
        found = np.broadcast_to(found, numbers.shape)
        wrong = np.flatnonzero(~(np.abs(found) <= LARGEST))
        if wrong.size:
            at = wrong[0]
            wanted = f"a number of at most {LARGEST:g}" if np.isfinite(found[at]) else "a finite number"
            self._refuse(
                f"{role} is {found[at]:g} for the count {numbers[at]:g}{of_class}; expected {wanted}"
            )
        return found

    def _refuse(self, what: str) -> NoReturn:
        raise ParameterError(f"Score {self.name!r}: {what}.")


def _listed(numbers: Floats) -> str:
    """List some counts."""
    first = ", ".join(f"{x:g}" for x in numbers[:MOST_SHOWN])
    return f"({first}{', …' if len(numbers) > MOST_SHOWN else ''})"
