"""How mixed some rows are, with the arithmetic written out as the table of criteria says."""

from __future__ import annotations

from collections.abc import Sequence

from branchwork.measure.criteria import Criterion
from branchwork.tree.ledger import Group
from branchwork.view import formula
from branchwork.view.formula import Formula, count, first_terms, product, ratio, total, value


def written_out(criterion: Criterion, group: Group) -> list[Formula]:
    """The impurity of rows with their own numbers filled in; more than one formula where that takes two steps.

    >>> from branchwork.measure.criteria import CRITERIA
    >>> tennis = Group(14, 0.9403, counts=(5, 9))
    >>> [formula.text for formula in written_out(CRITERIA["entropy"], tennis)]
    ['−(5/14)·log2(5/14) − (9/14)·log2(9/14)']
    >>> [formula.text for formula in written_out(CRITERIA["squared_error"], Group(4, 2.5, mean=3.0))]
    ['(Σ(y − 3)²/4)', '(10/4)']
    """
    return criterion.steps(formula, group) if group.weight > 0 else []


def weighted_sum(groups: Sequence[Group], whole: float) -> Formula:
    """Σ w/W · impurity over branches, written out."""
    present = [group for group in groups if group.weight > 0]
    return total(
        first_terms(
            [
                ("+", product(ratio(count(group.weight), count(whole)), value(group.impurity)))
                for group in present
            ]
        )
    )
