"""Combine several different models, each with its own columns and labels, by a vote or a mean."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, fields
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from branchwork.errors import ModelFormatError, ParameterError
from branchwork.lazy import cached_property
from branchwork.model.model import label_array, label_order
from branchwork.model.score import accuracy, r_squared
from branchwork.table.schema import Schema
from branchwork.table.shown import html_table
from branchwork.tree.outputs import likeliest

Floats = npt.NDArray[np.float64]
CommitteeRule = Literal["vote", "mean"]


class Member(Protocol):
    """The interface of a member of a committee: a model, or a list of rules."""

    @property
    def schema(self) -> Schema:
        """The columns it was trained on."""

    @property
    def labels(self) -> tuple[Hashable, ...] | None:
        """The classes in declared order; None for numbers."""

    def outputs(self, X: Any) -> Floats:
        """Return the probabilities of all labels, or the number, for each row."""

    def decisions(self, X: Any) -> npt.NDArray[np.intp]:
        """Return the position in `labels` of each row's class."""


@dataclass(frozen=True, eq=False, repr=False)
class Committee:
    """Models that predict together.

    Parameters
    ----------
    names : the names of the members.
    members : models or lists of rules.
    labels : the classes in the order in which ties are broken; None: numbers.
    combine : "vote": the share of votes of each class; "mean": the mean of the members' outputs, always used for
        numbers.
    weights : how much each member counts; None: all count the same.
    target : the name of what is predicted; None: not known.
    """

    names: tuple[str, ...]
    members: tuple[Member, ...]
    labels: tuple[Hashable, ...] | None
    combine: CommitteeRule = "vote"
    weights: tuple[float, ...] | None = None
    target: str | None = None

    def __repr__(self) -> str:
        """Show the first members, and how they are combined."""
        shown = ", ".join(self.names[:8]) + (f", … {len(self.names)} in all" if len(self.names) > 8 else "")
        predicts = f" on {self.target}" if self.target else ""
        return f"Committee({self.combine}{predicts} of {shown})"

    def _repr_html_(self) -> str:
        """Show the members in a notebook."""
        weights = self.weights or (1.0,) * len(self.members)
        rows = [
            [name, type(member).__name__, f"{weight:g}"]
            for name, member, weight in zip(self.names, self.members, weights, strict=True)
        ]
        return html_table(["member", "kind", "weight"], rows, words=(0, 1), note=repr(self))

    def __post_init__(self) -> None:
        """Refuse members that do not fit together."""
        if not self.members or len(self.names) != len(self.members):
            raise ParameterError(
                f"{len(self.members)} members have {len(self.names)} names; expected one each."
            )
        if len(set(self.names)) < len(self.names):
            raise ParameterError("Two members have the same name.")
        if self.weights is not None:
            check_weights(self.weights, len(self.members))
        if self.labels is None and self.combine == "vote":
            raise ParameterError('combine="vote" is for classes; numbers have a mean.')
        for name, member in zip(self.names, self.members, strict=True):
            if (member.labels is None) != (self.labels is None):
                raise ParameterError(
                    f"The member {name!r} predicts {'numbers' if self.labels else 'classes'}."
                )
            strange = set(member.labels or ()) - set(self.labels or ())
            if strange:
                raise ParameterError(
                    f"The member {name!r} knows the label {min(map(repr, strange))}; the vote does not."
                )

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Pickle the bytes of a model file, which are checked when they arrive."""
        from branchwork.store.container import from_bytes, to_bytes

        try:
            return from_bytes, (to_bytes(self),)
        except ModelFormatError:  # labels of a type that model files cannot hold
            return Committee, tuple(getattr(self, own.name) for own in fields(self))

    @property
    def schema(self) -> Schema:
        """The columns that the first member was trained on."""
        return self.members[0].schema

    @property
    def handle_unknown(self) -> Any:
        """What the first member does with categories that training never saw."""
        return getattr(self.members[0], "handle_unknown", "missing")

    @property
    def share_of(self) -> Floats:
        """How much each member counts; the sum is 1."""
        given = np.ones(len(self.members)) if self.weights is None else np.array(self.weights)
        return np.asarray(given / given.sum())

    @cached_property
    def class_order(self) -> npt.NDArray[np.intp]:
        """Positions in `labels` of the columns of predict_proba: the labels, sorted."""
        labels = self.labels or ()
        return label_order(labels, range(len(labels)))

    @property
    def classes(self) -> npt.NDArray[Any]:
        """The classes, sorted."""
        return label_array(self.labels or ())[self.class_order]

    def said(self, X: Any) -> list[Floats]:
        """Return the outputs of each member in the labels of the committee; a vote is 1 for one class, else 0."""
        return [self._said(member, X) for member in self.members]

    def _said(self, member: Member, X: Any) -> Floats:
        if self.labels is None:
            return member.outputs(X)
        place = {label: k for k, label in enumerate(self.labels)}
        own = np.array([place[label] for label in member.labels or ()], np.intp)
        if self.combine == "vote":
            return np.eye(len(self.labels))[own[member.decisions(X)]]
        outputs = member.outputs(X)
        placed = np.zeros((len(outputs), len(self.labels)))
        placed[:, own] = outputs
        return placed

    def outputs(self, X: Any) -> Floats:
        """Return the shares of votes or the mean probabilities of all labels, or the mean number, for each row."""
        return np.asarray(sum(share * said for share, said in zip(self.share_of, self.said(X), strict=True)))

    def decisions(self, X: Any) -> npt.NDArray[np.intp]:
        """Return the position in `labels` of each row's class (ties: the earlier label)."""
        return likeliest(self.outputs(X))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Predict the class or the number of every row."""
        if self.labels is None:
            return self.outputs(X)[:, 0]
        return label_array(self.labels)[self.decisions(X)]

    def predict_proba(self, X: Any) -> Floats:
        """Predict the probability of every class, in the order of `classes`."""
        return self.outputs(X)[:, self.class_order]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy or, for numbers, R²; both by weight."""
        if self.labels is None:
            return r_squared(self.predict(X), y, sample_weight)
        return accuracy(self.labels, self.decisions(X), y, sample_weight)

    def export(self, language: str, **options: Any) -> str | bytes:
        """Write the vote as a program, if one model can say the same (docs/algorithms/votes.md)."""
        from branchwork.export import export
        from branchwork.model.flatten import flattened

        return export(flattened(self), language, **options)


def check_weights(weights: Any, count: int) -> None:
    """Refuse weights of members that are not numbers of 0 or more, one per member, with a positive sum."""
    if len(weights) != count:
        raise ParameterError(f"weights has {len(weights)} numbers, but there are {count} estimators.")
    for k, weight in enumerate(weights):
        if not 0 <= weight < float("inf"):
            raise ParameterError(f"weights[{k}] is {weight!r}; expected a finite number of 0 or more.")
    if not sum(weights) > 0:
        raise ParameterError("weights are all 0; at least one estimator must count.")
