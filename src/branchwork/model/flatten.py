"""Rewrite votes as sums of trees that give the same predictions, so that every exporter can write them.

    vote            a leaf has 1 for the class that it predicts; take the mean of the trees
    weighted vote   a leaf has the weight of its tree for that class; take the sum of the trees, then softmax
    committee       all trees of all members, with leaves times the share of the member; take the sum of the trees

A tree that shares rows with missing values among its branches votes only after the shares are added up. Its vote is in
no single leaf, so such votes cannot be rewritten.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from branchwork.errors import ParameterError
from branchwork.model.combine import Combine
from branchwork.model.committee import Committee, Member
from branchwork.model.model import Model
from branchwork.tree.tree import Tree

Floats = npt.NDArray[np.float64]


def as_sum(model: Model) -> Model:
    """Return a model with the same predictions that is a single tree, or a mean or sum of trees."""
    combine = model.combine
    if combine.kind == "median":
        raise ParameterError(
            "The weighted median of AdaBoostRegressor has no exported form, because it is no sum of trees. Save the "
            "model with bw.save, or export a tree of it: model.member(0).export(...)."
        )
    if not combine.takes_votes:
        return model
    _refuse_shared(model.trees)
    width = len(model.label_array)
    if combine.kind == "vote":
        trees = tuple(_with_leaves(tree, _votes(tree, width)) for tree in model.trees)
        return replace(model, trees=trees, combine=Combine("mean"))
    scale = combine.vote_scale(width)
    parts = zip(model.trees, combine.weights, strict=True)
    trees = tuple(_part_of_sum(tree, _votes(tree, width) * (weight * scale)) for tree, weight in parts)
    return replace(model, trees=trees, combine=Combine("sum", base=(0.0,) * width, link="softmax"))


def flattened(committee: Committee) -> Model:
    """Return one model with the same predictions as a committee; refuse members that are not means of trees."""
    trees: list[Tree] = []
    labels = committee.labels
    width = 1 if labels is None else len(labels)
    for name, member, share in zip(committee.names, committee.members, committee.share_of, strict=True):
        if not isinstance(member, Model):
            raise ParameterError(
                f"The member {name!r} is {_kind(member)}, which cannot be written together with trees."
            )
        if member.schema != committee.schema or member.handle_unknown != committee.members[0].handle_unknown:  # type: ignore[attr-defined]
            raise ParameterError(
                f"The member {name!r} has other categories, or treats unseen ones in another way, than "
                f"{committee.names[0]!r}. One program has one table of columns, so this vote cannot be exported."
            )
        trees += _members_trees(committee, name, member, float(share), width)
    combine = Combine("sum", base=(0.0,) * width)
    first = committee.members[0]
    assert isinstance(first, Model)
    occurring = None if labels is None else tuple(range(len(labels)))
    return replace(
        first,
        labels=labels,
        trees=tuple(trees),
        occurring=occurring,
        combine=combine,
        ensemble=None,
        target=committee.target,
    )


def _members_trees(committee: Committee, name: str, member: Model, share: float, width: int) -> list[Tree]:
    """Return the trees of a member; their sum is the output of the member times its share."""
    votes = committee.combine == "vote"
    single = member.combine.kind == "single"
    if (votes and not single) or member.combine.kind not in ("single", "mean", "vote"):
        raise ParameterError(
            f"The member {name!r} is an ensemble whose answer is no mean of its trees here, so this vote cannot be "
            'exported. Single trees can be, and with combine="mean" bagging and forests, too.'
        )
    plain = member if votes else as_sum(member)
    if votes:
        _refuse_shared(member.trees)
    made = []
    for tree in plain.trees:
        value = tree.value
        if committee.labels is not None:
            place = {label: k for k, label in enumerate(committee.labels)}
            own = np.array([place[label] for label in member.labels or ()], np.intp)
            said = _votes(tree, len(own)) if votes else value
            value = np.zeros((tree.n_nodes, width))
            value[:, own] = said
        made.append(_part_of_sum(tree, value * (share / len(plain.trees))))
    return made


def _refuse_shared(trees: tuple[Tree, ...]) -> None:
    if any(tree.shares_rows for tree in trees):
        raise ParameterError(
            'These trees share rows with missing cells among their branches (missing="share", as C4.5 does), and then '
            'vote. No exported form can say that. Take combine="mean", trees with another way for missing cells, or '
            "bw.save."
        )


def _votes(tree: Tree, width: int) -> Floats:
    """Return 1 for the class that each node predicts, and 0 for the others."""
    return np.eye(width)[tree.decision]


def _with_leaves(tree: Tree, value: Floats) -> Tree:
    return replace(tree, value=value, answer=None)


def _part_of_sum(tree: Tree, value: Floats) -> Tree:
    return replace(tree, value=value, distribution=None, answer=None, ledger=None)


def _kind(member: Member) -> str:
    """Return, in words, what kind of model a member without trees is."""
    return "a list of rules" if hasattr(member, "rules") else "nearest neighbours"
