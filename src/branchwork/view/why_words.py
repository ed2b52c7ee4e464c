"""The words of an explanation: why a row takes a branch, which split nearly won, what would have to change."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from branchwork.model.counterfactual import Change, Counterfactual
from branchwork.model.explain import WayStep
from branchwork.model.model import Model
from branchwork.model.rival import Contest
from branchwork.tree.arrive import shown_split
from branchwork.tree.ledger import Page
from branchwork.tree.missing import missing_branches
from branchwork.tree.split import (
    answer_text,
    category,
    group_text,
    in_group,
    number,
    or_missing,
    rare_together,
    rounded,
)
from branchwork.tree.surrogates import Surrogate
from branchwork.view.digits import deciding_chance, measured, percent
from branchwork.view.why_formats import in_a_line
from branchwork.view.words import facts, named_answer
from branchwork.view.working import working

MEASURES = {"gain": "gain", "gain_ratio": "gain ratio", "adjusted_p": "adjusted p-value"}
MOST_LEAVES = 5
"""Leaves of a changed row that are named."""
SIMPLY_LESS = ("lower_gain", "less_significant")
"""Verdicts that the two numbers tell by themselves."""


def value_text(value: Any) -> str:
    """A cell as a person writes it."""
    if value is None:
        return "missing"
    return number(value) if isinstance(value, float) else category(value)


def branch_text(model: Model, node: int, child: int) -> str:
    """The condition of the branch from a node to a child."""
    branches = shown_split(model.tree, model.schema, node).branches(model.schema)
    return branches[child - int(model.tree.first_child[node])]


def reason_text(model: Model, step: WayStep, value: Any, child: int, share: float) -> str:
    """Why the row takes the branch to a child; nothing where the branch says it already."""
    route, column = step.route, model.schema[int(model.tree.feature[step.node])]
    branch = branch_text(model, step.node, child)
    if route.cause == "known":
        exact = f"{column.name} = {value_text(value)}"
        return "" if branch in (exact, or_missing(exact)) else f"it is {value_text(value)}"
    if route.way == "default" and branch == f"{column.name} is missing" and route.cause == "missing":
        return ""
    named = child - int(model.tree.first_child[step.node]) in missing_branches(model.tree, step.node)
    if route.way == "default" and named and route.cause == "missing":
        return "it is missing"
    found = {
        "missing": "it is missing",
        "unseen": f"{value_text(value)} was never seen in training",
        "absent": f"no training row here was {value_text(value)}",
    }[route.cause]
    if route.surrogate is not None:
        return f"{found}: {_surrogate_text(model, route.surrogate, route.child)} stands in"
    if route.way == "shared":
        return f"{found}: {percent(share / step.share)} of the row goes this way"
    if route.way == "majority":
        return f"{found}: it goes with the majority"
    return f"{found}: such rows go this way"


def _surrogate_text(model: Model, surrogate: Surrogate, child: int) -> str:
    """The condition by which a surrogate sends the row to a child."""
    column = model.schema[surrogate.feature]
    if surrogate.children is None:
        sign = "<=" if child == surrogate.low_child else ">"
        return f"{column.name} {sign} {number(surrogate.cut or 0.0)}"
    group = tuple(
        value for value, to in zip(column.categories, surrogate.children, strict=True) if to == child
    )
    return in_group(column.name, rare_together(group, column))


def change_text(model: Model, label: Hashable, node: int, child: int) -> str:
    """How the answer's share, or the mean, changes from a node to its child."""
    change = change_of(model, label, node, child)
    if model.labels is None:
        return f"{'' if change < 0 else '+'}{rounded(change)}"
    points = 100 * change
    return f"{points:+.0f} points" if abs(points) >= 1 or points == 0 else f"{points:+.2g} points"


def change_of(model: Model, label: Hashable, node: int, child: int) -> float:
    """The change from a node to its child of the share of a label, or of the mean."""
    place = 0 if model.labels is None else model.labels.index(label)
    return float(model.tree.value[child, place] - model.tree.value[node, place])


def contest_rows(model: Model, contest: Contest) -> list[dict[str, Any]]:
    """The winner and the one that came next, as rows of a working."""
    both = tuple(one for one in (contest.winner, contest.rival) if one is not None)
    return working(model, contest.node, Page(contest.node, both), "").to_dict()


def rival_text(contest: Contest, rows: list[dict[str, Any]]) -> str:
    """Which split came next, with its number beside the winner's."""
    if contest.rival is None:
        return "no other column has a split here"
    winner, rival = rows
    measure = "net_gain" if contest.measure == "gain" else contest.measure
    if rival[measure] is None:
        return f"next best: {rival['test']} ({rival['reason']})"
    own, other = (_number_text(contest, row[measure]) for row in (rival, winner))
    numbers = f"{own} against {other}"
    losing = "" if contest.rival.verdict in SIMPLY_LESS else f"; {rival['reason']}"
    # An optimal tree is chosen as a whole, so a split that gains more by itself may come after the winner.
    place = "next best by itself" if contest.rival.verdict == "costs_more" else "next best"
    return f"{place}: {rival['test']} ({MEASURES[contest.measure]} {numbers}{losing})"


def _number_text(contest: Contest, x: float) -> str:
    return deciding_chance(x) if contest.measure == "adjusted_p" else measured(x)


def no_rival_text(model: Model) -> str:
    """What to say where the working was not kept."""
    if "library" in model.recipe:
        return "Which splits nearly won is not known: the tree came from elsewhere."
    return (
        "Which splits nearly won is not known: the tree grew too large to keep its working. For one of its nodes "
        "working(node, X=X, y=y) makes it from the training data."
    )


def change_title(model: Model, change: Counterfactual, fixed: Sequence[str] = ()) -> str:
    """What a change is told under; it says so if there may be a nearer one, and which features it does not touch."""
    told = told_answer(model, change.prediction)
    kept = f" without a change of {', '.join(fixed)}" if fixed else ""
    if change.is_nearest:
        return f"To get {told} instead{kept}, change"
    return f"To get {told} instead{kept}, a near change (there are too many to be sure that none is nearer): change"


def leads_to(model: Model, change: Counterfactual) -> str:
    """Where a changed row comes to."""
    if len(change.leaves) <= 1:
        return f"That leads to leaf {change.leaf}: {in_a_line(facts(model, change.leaf))}"
    told = ", ".join(
        f"{percent(share)} to leaf {leaf} ({named_answer(model, leaf)})"
        for leaf, share in sorted(change.leaves, key=lambda part: -part[1])[:MOST_LEAVES]
    )
    more = f" and {len(change.leaves) - MOST_LEAVES} more" if len(change.leaves) > MOST_LEAVES else ""
    return f"The row is then shared among {len(change.leaves)} leaves: {told}{more}"


def changed_text(model: Model, change: Change, now: Any) -> str:
    """What a cell has to be changed to."""
    return f"{model.schema[change.feature].name} to {_range_text(model, change)} (now {value_text(now)})"


def _range_text(model: Model, change: Change) -> str:
    if change.among is not None:
        among = rare_together(change.among, model.schema[change.feature])
        return group_text(among) if len(change.among) == 1 else f"one of {group_text(among)}"
    above = None if change.above is None else f"above {number(change.above)}"
    upto = None if change.upto is None else f"at most {number(change.upto)}"
    return " and ".join(limit for limit in (above, upto) if limit) or "any number"


def no_change_text(
    model: Model, prediction: Any, want: Any, fixed: Sequence[str] = (), *, is_exact: bool = True
) -> str:
    """What to say where nothing leads to another answer."""
    if model.tree.n_nodes == 1:
        return f"The tree is a single leaf: it answers {told_answer(model, prediction)} to every row."
    other = (
        "another answer"
        if want is None
        else answer_text(model.target, f"{rounded(float(want[0]))} to {rounded(float(want[1]))}")
        if model.labels is None
        else told_answer(model, want)
    )
    if fixed and is_exact:
        return f"No change of the features other than {', '.join(fixed)} to known values gives {other}."
    if not is_exact:
        return f"No change of this row was found that gives {other}; there are too many to try them all."
    return f"No change of this row to known values gives {other}."


def plain_answer(model: Model, prediction: Any) -> str:
    """Return an answer as text: a label as it is, a number to four digits."""
    return rounded(prediction) if model.labels is None else category(prediction)


def told_answer(model: Model, prediction: Any) -> str:
    """Return an answer with the name of what is predicted."""
    return answer_text(model.target, plain_answer(model, prediction))
