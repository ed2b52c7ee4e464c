"""The working of a node as a lecturer writes it on a blackboard: three equations for every feature, numbers filled in.

    Entropy(S) = −(5/14)·log2(5/14) − (9/14)·log2(9/14) = 0.9403
    Remainder(Outlook) = (4/14)·0 + (5/14)·0.9710 + (5/14)·0.9710 = 0.6935
    Gain(Outlook) = 0.9403 − 0.6935 = 0.2467

What the equations say is checked before it is written: where the rows of the branches do not add up to the gain that
the choice was made by, they are left out, and a sentence says so.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np

from branchwork.measure.criteria import Criterion
from branchwork.model.model import Model
from branchwork.tree.ledger import Candidate, Group, Page, Parting
from branchwork.tree.split import category
from branchwork.view.arithmetic import weighted_sum, written_out
from branchwork.view.blocks import Arithmetic, Block, Heading, Sentence
from branchwork.view.candidate_row import judged, reason_of, with_known, with_p_value
from branchwork.view.candidate_split import split_of_candidate
from branchwork.view.digits import chance, shortened, weighed
from branchwork.view.formula import (
    MOST_TERMS,
    Formula,
    count,
    equation,
    first_terms,
    log2,
    minus,
    named,
    product,
    ratio,
    shares_entropy,
    total,
    value,
    words,
)

SLACK = 1e-6
"""Numbers that differ by less than this share of the node's impurity are the same."""
ROUNDING = 1e-12
"""Of numbers that should be 0, as a share of those that they were computed from."""
WIDEST_NAME = 60


@dataclass(frozen=True)
class _Node:
    """A node on the blackboard."""

    model: Model
    id: int
    rows: Group
    criterion: Criterion
    table_weight: float

    @property
    def impurity_name(self) -> str:
        return self.criterion.symbol

    @property
    def quinlan(self) -> bool:
        """Whether C4.5's rules chose the split."""
        return self.model.recipe["search"]["rules"] in ("c45", "j48")

    @property
    def noise(self) -> float:
        """Impurities and gains that are smaller came from rounding."""
        if self.rows.mean is None:
            return ROUNDING
        of_mean = ROUNDING * abs(self.rows.mean)
        return ROUNDING * self.rows.impurity + (of_mean if self.criterion.of_counts else of_mean**2)

    def same(self, a: float, b: float) -> bool:
        return abs(a - b) <= SLACK * self.rows.impurity + self.noise

    def value(self, x: float) -> Formula:
        """An impurity or a gain."""
        return value(0.0 if abs(x) <= self.noise else x)

    def settled(self, group: Group) -> Group:
        """Rows whose numbers are 0 where only rounding makes them another."""
        impurity = 0.0 if abs(group.impurity) <= self.noise else group.impurity
        if group.mean is None:
            return replace(group, impurity=impurity)
        is_zero = abs(group.mean) <= ROUNDING * self.rows.impurity**0.5
        return replace(group, impurity=impurity, mean=0.0 if is_zero else group.mean)


@dataclass(frozen=True)
class _Proof:
    """The branches that make up a candidate's gain, and how many cuts it had to pay for (C4.5; otherwise 1)."""

    parting: Parting
    cuts_tried: int = 1


def lecture(
    model: Model, node: int, page: Page | None, *, all_candidates: tuple[Candidate, ...]
) -> tuple[Block, ...]:
    """Write out the working of a node, feature by feature; `all_candidates` are more, if the page has only some."""
    given = page.handed_in if page else None
    rows = _group_of(model, node) if given is None else given.rows
    table_weight = float(model.tree.weight[0]) if given is None else given.table_weight
    here = _Node(model, node, rows, model.criterion, table_weight)
    candidates = page.candidates if page else ()
    proofs = [_proof(here, candidate) for candidate in candidates]
    blocks = [*_about_node(here, proofs)]
    for candidate, proof in zip(candidates, proofs, strict=True):
        blocks.extend(_about_feature(here, candidate, proof))
    blocks.extend(_conclusion(here, all_candidates))
    left_out = any(c.gain is not None and p is None for c, p in zip(candidates, proofs, strict=True))
    if left_out:
        blocks.append(Sentence(_why_left_out(node, data_given=given is not None)))
    return tuple(blocks)


def _why_left_out(node: int, *, data_given: bool) -> str:
    if data_given:
        return "Branches are left out where they add up to the gain only with a larger rounding error than usual."
    return (
        "The branches of every feature are written out when the training data are handed back: "
        f'working({node}, X=X, y=y, style="lecture").'
    )


# ---- the numbers


def _group_of(model: Model, node: int) -> Group:
    """The rows of a node, as the tree knows them."""
    tree = model.tree
    weight, impurity = float(tree.weight[node]), float(tree.impurity[node])
    if tree.distribution is None:
        return Group(weight, impurity, mean=float(tree.value[node, 0]))
    return Group(weight, impurity, tuple(tree.distribution[node].tolist()))


def _proof(here: _Node, candidate: Candidate) -> _Proof | None:
    """The branches of a candidate, if they are known and add up to its gain."""
    parting = candidate.parting or _children(here, candidate)
    if candidate.gain is None or parting is None or not here.rows.weight > 0:
        return None
    whole = parting.whole
    after = sum(group.weight * group.impurity for group in parting.branches)
    gain = (whole.weight * whole.impurity - after) / here.rows.weight
    parting = Parting(here.settled(whole), tuple(map(here.settled, parting.branches)))
    if here.same(gain, candidate.gain):
        return _Proof(parting)
    if not here.quinlan or candidate.cut is None:
        return None
    tried = 2 ** min(60.0, (gain - candidate.gain) * here.rows.weight)
    return _Proof(parting, round(tried)) if tried > 1 and abs(tried - round(tried)) < SLACK * tried else None


def _children(here: _Node, candidate: Candidate) -> Parting | None:
    """The branches of the split that the tree has made."""
    tree = here.model.tree
    if tree.is_leaf(here.id) or candidate.verdict != "chosen":
        return None
    children = tuple(_group_of(here.model, child) for child in tree.children(here.id))
    if here.rows.mean is None:
        return Parting(here.rows, children)
    mean = sum(child.weight * (child.mean or 0.0) for child in children) / here.rows.weight
    is_mean = abs(mean - here.rows.mean) <= SLACK * abs(here.rows.mean) + ROUNDING
    return Parting(here.rows, children) if is_mean else None  # answers that were shrunk are no means


# ---- the blackboard


def _about_node(here: _Node, proofs: list[_Proof | None]) -> list[Block]:
    if not here.rows.weight > 0:
        return []
    counted = [proof.parting.whole for proof in proofs if proof]
    whole = [group for group in counted if _is_all(group, here.rows.weight)]
    rows = next((group for group in (*whole, here.settled(here.rows)) if _makes_up(here, group)), None)
    if rows is None:
        return [Arithmetic((equation(named(here.impurity_name, "S"), here.value(here.rows.impurity)),))]
    return [
        Sentence(f"S is node {here.id}, {_content(here.model, rows)}."),
        Arithmetic((_impurity(here, "S", rows),)),
    ]


def _makes_up(here: _Node, rows: Group) -> bool:
    """Whether these rows have the node's impurity. With priors the tree shows other counts than it was judged by."""
    if rows.counts is None or not here.criterion.can_be_computed:
        return True
    return here.same(here.criterion.impurity(np.array(rows.counts)), here.rows.impurity)


def _content(model: Model, rows: Group) -> str:
    size = f"{weighed(rows.weight)} row{'' if rows.weight == 1 else 's'}"
    if rows.counts is None or model.labels is None:
        return f"{size} with a mean of {value(rows.mean or 0.0).text}"
    present = [
        f"{weighed(weight)} {_class_name(label)}"
        for label, weight in zip(model.labels, rows.counts, strict=True)
        if weight > 0
    ]
    more = [f"… {len(present) - MOST_TERMS} more classes"] if len(present) > MOST_TERMS else []
    name = ":" if model.target is None else f"; {shortened(model.target, WIDEST_NAME)}:"
    return f"{size}{name} {', '.join([*present[:MOST_TERMS], *more])}"


def _class_name(label: Hashable) -> str:
    """A class after its count: "9 Yes", but "9 of class 0"."""
    return shortened(category(label) if isinstance(label, str) else f"of class {label}", WIDEST_NAME)


def _impurity(here: _Node, of: str, rows: Group) -> Formula:
    steps = written_out(here.criterion, rows)
    return equation(named(here.impurity_name, shortened(of, WIDEST_NAME)), *steps, value(rows.impurity))


def _about_feature(here: _Node, candidate: Candidate, proof: _Proof | None) -> list[Block]:
    column = here.model.schema[candidate.feature]
    name = shortened(column.name, WIDEST_NAME)
    if candidate.gain is None:
        return [Heading(name), Sentence(f"No split: {reason_of(here.model, candidate.verdict)}.")]
    chosen = candidate.verdict == "chosen"
    lines = (
        [*_branch_lines(here, candidate, proof), *_gain_lines(here, name, candidate.gain, proof)]
        if proof
        else _plain_gain(here, name, candidate)
    )
    if here.criterion.by_ratio and candidate.split_info is not None:
        lines.extend(_ratio_lines(here, name, candidate, proof))
    test = split_of_candidate(candidate, column).describe(here.model.schema)
    blocks: list[Block] = [Heading(shortened(test, 2 * WIDEST_NAME), chosen), Arithmetic(tuple(lines))]
    if candidate.statistic is not None:
        blocks.append(Sentence(_test(here.model, candidate)))
    verdict = (
        "" if candidate.verdict in ("tree_split", "best_here") else "chosen, " if chosen else "not chosen, "
    )
    return [*blocks, Sentence(f"Verdict: {verdict}{reason_of(here.model, candidate.verdict)}.")]


def _branch_lines(here: _Node, candidate: Candidate, proof: _Proof) -> list[Formula]:
    branches = proof.parting.branches
    split = split_of_candidate(candidate, here.model.schema[candidate.feature], len(branches))
    present = [
        (name, group)
        for name, group in zip(split.branches(here.model.schema), branches, strict=True)
        if group.weight > 0
    ]
    lines = [_impurity(here, name, group) for name, group in present[:MOST_TERMS]]
    if len(present) > MOST_TERMS:
        lines.append(words(f"… {len(present) - MOST_TERMS} more branches"))
    return lines


def _gain_lines(here: _Node, name: str, net: float, proof: _Proof) -> list[Formula]:
    """Remainder and gain of the rows that the candidate is judged by, and what the choice makes of the gain."""
    whole, weight = proof.parting.whole, here.rows.weight
    after = sum(group.weight * group.impurity for group in proof.parting.branches) / whole.weight
    gain = whole.impurity - after
    remainder = weighted_sum(proof.parting.branches, whole.weight)
    lines = [
        equation(named("Remainder", name), remainder, here.value(after)),
        equation(named("Gain", name), minus(here.value(whole.impurity), here.value(after)), here.value(gain)),
    ]
    is_all = _is_all(whole, weight)
    if not is_all:
        lines.insert(0, _impurity(here, f"S where {name} is known", whole))
    if is_all and proof.cuts_tried == 1:
        return lines
    counted = here.value(gain)
    if not is_all:
        counted = product(ratio(count(whole.weight), count(weight)), counted)
    if proof.cuts_tried > 1:
        counted = total([("+", counted), ("−", ratio(log2(count(proof.cuts_tried)), count(weight)))])
    return [*lines, equation(named("NetGain", name), counted, here.value(net))]


def _is_all(whole: Group, weight: float) -> bool:
    return abs(whole.weight - weight) <= SLACK * weight


def _plain_gain(here: _Node, name: str, candidate: Candidate) -> list[Formula]:
    """The gain without its branches, as far as it is told."""
    one = with_known(here.model, candidate, here.rows.impurity)
    before, gain, remainder = judged(one)
    net = here.value(candidate.gain or 0.0)
    if before is None or gain is None or remainder is None:
        return [equation(named("NetGain", name), net)]
    lines = [
        equation(named("Gain", name), minus(here.value(before), here.value(remainder)), here.value(gain))
    ]
    known, penalty = one.known or 1.0, one.penalty or 0.0
    counted = here.value(gain) if known == 1 else product(value(known), here.value(gain))
    if penalty:
        counted = total([("+", counted), ("−", value(penalty))])
    return lines if known == 1 and not penalty else [*lines, equation(named("NetGain", name), counted, net)]


def _ratio_lines(here: _Node, name: str, candidate: Candidate, proof: _Proof | None) -> list[Formula]:
    info, gain = candidate.split_info or 0.0, candidate.gain or 0.0
    steps = []
    if proof:
        whole, weight = proof.parting.whole, here.rows.weight
        apart = [] if _is_all(whole, weight) else [weight - whole.weight]
        steps = [shares_entropy([*(group.weight for group in proof.parting.branches), *apart], weight)]
    lines = [equation(named("SplitInfo", name), *steps, value(info))]
    if info > 0:
        above_below = ratio(here.value(gain), value(info))
        lines.append(equation(named("GainRatio", name), above_below, here.value(gain / info)))
    return lines


def _test(model: Model, candidate: Candidate) -> str:
    statistic = "F" if model.labels is None else "Chi-square"
    candidate = with_p_value(model, candidate)
    assert candidate.p_value is not None
    adjusted = "" if candidate.adjusted_p is None else f", adjusted {chance(candidate.adjusted_p)}"
    return f"{statistic} {candidate.statistic:.4g}, p-value {chance(candidate.p_value)}{adjusted}."


def _conclusion(here: _Node, candidates: tuple[Candidate, ...]) -> list[Block]:
    blocks: list[Block] = []
    counted = _averaged(here, candidates)
    if here.quinlan and here.criterion.by_ratio and counted:
        gains = total(first_terms([("+", here.value(gain)) for gain in counted]))
        average = ratio(gains, count(len(counted)))
        line = equation(named("AverageGain", "S"), average, here.value(sum(counted) / len(counted)))
        blocks = [
            Heading("Which gains count"),
            Arithmetic((line,)),
            Sentence(
                "The largest gain ratio wins among features whose net gain is at least the average (less 0.001)."
            ),
        ]
    if not here.model.tree.is_leaf(here.id):
        blocks.extend(
            [
                Heading("Conclusion"),
                Sentence(f"Node {here.id} is split by {_name(here, int(here.model.tree.feature[here.id]))}."),
            ]
        )
    better = next((one for one in candidates if one.verdict == "best_here"), None)
    if better is not None:
        blocks.append(Sentence(f"On these rows the best split is by {_name(here, better.feature)}."))
    return blocks


def _name(here: _Node, feature: int) -> str:
    return shortened(here.model.schema[feature].name, WIDEST_NAME)


def _averaged(here: _Node, candidates: tuple[Candidate, ...]) -> list[float]:
    """Gains that make C4.5's average: columns with very many categories are left out, unless all are like that."""
    schema, limit = here.model.schema, 0.3 * here.table_weight
    many = [column.is_nominal and column.n_levels >= limit for column in schema]
    left_out = many if not all(many) else [False] * len(many)
    best_of = {one.feature: one for one in reversed(candidates)}  # a second one is the tree's split
    return [one.gain for j, one in sorted(best_of.items()) if one.gain is not None and not left_out[j]]
