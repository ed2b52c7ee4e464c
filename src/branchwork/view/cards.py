"""What a picture of a tree says, apart from how it is drawn: a card for each node, a branch to each child.

SVG, HTML, matplotlib and DOT all draw a `Deck`. Nodes are numbered breadth first, so the cards down to some depth are
the first nodes of the tree: card k is node k. Text in a deck is harmless to a terminal; what it means in XML or DOT is
for the one who writes XML or DOT to know.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from branchwork.errors import ParameterError
from branchwork.model.model import Model
from branchwork.table.schema import Schema
from branchwork.table.table import Table
from branchwork.table.target import Target
from branchwork.tree.arrive import shown_split
from branchwork.tree.missing import marked_branches
from branchwork.tree.split import Intervals, Split, Threshold, group_text, or_missing, rounded, with_missing
from branchwork.tree.tree import Tree
from branchwork.tree.walk import path_to, subtree_sizes
from branchwork.view.class_key import ClassKey, key_of
from branchwork.view.digits import brief, measured, percent, weighed
from branchwork.view.histograms import Histogram, histograms
from branchwork.view.honest_words import honest_sentences
from branchwork.view.terminal import harmless
from branchwork.view.words import (
    answer,
    check_depth,
    class_shares,
    deviation,
    has_deviation,
    is_empty,
    missing_note,
    size,
)

MOST_CARDS, MOST_COMPACT = 200, 1000
"""Unless a depth is given, a picture is cut at the level that would take it beyond this many cards, or compact ones."""
MOST_NAMED = 8
"""Classes of a node that are told in words."""

Compact = bool | Literal["lines", "marks"]
"""How little a picture shows of each node: a whole card (False), one line (True or "lines"), or a mark alone."""

Missing = Literal["", "also", "only", "shared"]
"""Whether missing cells take a branch: no, with others, alone, or by their share of weight."""


@dataclass(frozen=True)
class Spread:
    """A numeric target in a node: its mean and its standard deviation."""

    mean: float
    deviation: float


@dataclass(frozen=True)
class Card:
    """What is said about one node.

    Parameters
    ----------
    node : its id.
    title : the column that an inner node asks for, or the answer of a leaf.
    size, note : how many rows; what they are like: "Yes: 9 (64%)", "4175 ± 1202".
    shares : the probability of each entry of the key, smoothed if the tree is; empty for a numeric target.
    spread : of a numeric target.
    decision : the entry of the key that the node answers; -1 for a numeric target.
    hidden : how many nodes below it are not in the picture.
    strong : whether it is on the way to the node that is pointed out.
    histogram : of the rows that were handed over, if any were.
    about : everything in words, a line for each fact.
    """

    node: int
    title: str
    size: str
    note: str
    is_leaf: bool
    is_empty: bool
    shares: tuple[float, ...]
    spread: Spread | None
    decision: int
    hidden: int
    strong: bool
    histogram: Histogram | None
    about: tuple[str, ...]

    @property
    def facts(self) -> str:
        """Size and note on one line."""
        return f"{self.size} · {self.note}" if self.note else self.size

    @property
    def below(self) -> str:
        """A word on nodes that are not in the picture: "+ 12 nodes"; empty if all are."""
        return f"+ {self.hidden} node{'' if self.hidden == 1 else 's'}" if self.hidden else ""


@dataclass(frozen=True)
class Branch:
    """The way from a node to one of its children.

    Parameters
    ----------
    label : its condition where the column is named above it: "Sunny", "≤ 2.45"; `condition` is the whole of it.
    share : of all the tree's weight.
    missing : whether missing cells go this way. Where training had none, and no branch is theirs, nobody asks.
    strong : whether it is on the way to the node that is pointed out.
    """

    parent: int
    child: int
    label: str
    condition: str
    share: float
    missing: Missing
    strong: bool


@dataclass(frozen=True)
class Deck:
    """All cards and branches of a picture, in the order of nodes.

    Parameters
    ----------
    target : the name of what is predicted; empty if it has none.
    children : of each card.
    key : the colours of classes; None for numbers.
    legend : the entries of the key that occur, and their names.
    means, scale : the lowest and highest mean of a card; the same with deviations. None for classes.
    missing : a sentence for each way in which missing cells go, by its mark.
    notice : what is not in the picture, and that the tree is honest; empty if there is nothing to say.
    summary : the picture in a sentence.
    """

    target: str
    cards: tuple[Card, ...]
    branches: tuple[Branch, ...]
    children: tuple[range, ...]
    key: ClassKey | None
    legend: dict[int, str]
    means: tuple[float, float] | None
    scale: tuple[float, float] | None
    missing: dict[Missing, str]
    notice: str
    summary: str

    @property
    def plain_entries(self) -> list[int]:
        """The entries of the legend that stand for one class each."""
        return [entry for entry in self.legend if self.key is not None and not self.key.is_others(entry)]


def deck(
    model: Model,
    *,
    max_depth: int | None = None,
    highlight: int | None = None,
    data: tuple[Table, Target] | None = None,
    compact: Compact = False,
) -> Deck:
    """Make the cards of a tree.

    Parameters
    ----------
    max_depth : down to which depth; None: as deep as `MOST_CARDS` allows, or `MOST_COMPACT`.
    highlight : a node to point out, with the way that leads to it.
    data : rows in the model's columns and labels; cards then have histograms.
    compact : whether little is shown of each node, so that more nodes fit.
    """
    check_compact(compact, data is not None)
    tree = model.tree
    depth = _depth(tree, max_depth, MOST_COMPACT if compact else MOST_CARDS)
    n = int(np.searchsorted(tree.depths, depth, side="right"))
    key = key_of(model)
    strong = _way(tree, highlight)
    splits = {node: shown_split(tree, model.schema, node) for node in range(n) if not tree.is_leaf(node)}
    branches = _branches(model, splits, n, strong)
    condition = ["all rows", *(branch.condition for branch in branches)]
    hidden = np.where(tree.depths == depth, subtree_sizes(tree) - 1, 0).tolist()
    plots = histograms(model, range(n), key, *data) if data else {}
    cards = tuple(
        _card(
            model,
            node,
            key,
            about=_about(model, node, condition[node], splits.get(node)),
            hidden=hidden[node],
            strong=node in strong,
            histogram=plots.get(node),
        )
        for node in range(n)
    )
    target = harmless(model.target or "")
    return Deck(
        target=target,
        cards=cards,
        branches=branches,
        children=tuple(tree.children(node) if tree.depths[node] < depth else range(0) for node in range(n)),
        key=key,
        legend=_legend(key, cards),
        means=_range(cards, 0.0),
        scale=_range(cards, 1.0),
        missing=_missing_sentences(tree, branches),
        notice=" ".join(
            [
                *([] if n == tree.n_nodes else [f"Down to depth {depth}: {n} of {tree.n_nodes} nodes."]),
                *honest_sentences(model),
            ]
        ),
        summary=f"Decision tree of {tree.n_nodes} nodes, {tree.n_leaves} leaves, depth {tree.depth}"
        + (f"; it predicts {target}." if target else "."),
    )


def check_compact(compact: Compact, with_rows: bool) -> None:
    """Refuse a word that is not known, and histograms where there is no room for them."""
    if not (isinstance(compact, bool) or compact in ("lines", "marks")):
        raise ParameterError(f"compact={compact!r}; expected False, True (or 'lines'), or 'marks'.")
    if compact and with_rows:
        raise ParameterError(
            f"compact={compact!r}, but X and y were given; a compact picture has no room for histograms."
        )


def _depth(tree: Tree, max_depth: int | None, most: int) -> int:
    """The depth of the deepest cards."""
    check_depth(max_depth)
    if max_depth is None:
        upto = np.cumsum(np.bincount(tree.depths))  # nodes down to each depth
        return max(0, int(np.searchsorted(upto, most, side="right")) - 1)
    return min(int(max_depth), tree.depth)


def _way(tree: Tree, highlight: int | None) -> set[int]:
    if highlight is None:
        return set()
    if not isinstance(highlight, int | np.integer) or not 0 <= highlight < tree.n_nodes:
        raise ParameterError(f"highlight={highlight!r}; the tree has nodes 0 to {tree.n_nodes - 1}.")
    return set(path_to(tree, int(highlight)))


# ---- what all cards have in common


def _legend(key: ClassKey | None, cards: tuple[Card, ...]) -> dict[int, str]:
    """The entries of the key that training or a histogram has, and their names."""
    if key is None:
        return {}
    seen = {
        entry
        for card in cards
        if card.histogram
        for column in card.histogram.counts
        for entry in _present(column)
    }
    seen.update(_present(cards[0].shares))
    return {entry: key.names[entry] for entry in sorted(seen)}


def _present(weights: tuple[float, ...]) -> list[int]:
    return [entry for entry, weight in enumerate(weights) if weight > 0]


def _range(cards: tuple[Card, ...], deviations: float) -> tuple[float, float] | None:
    """The lowest and highest number within so many deviations of a mean."""
    spreads = [card.spread for card in cards if card.spread]
    if not spreads:
        return None
    low = min(spread.mean - deviations * spread.deviation for spread in spreads)
    return low, max(spread.mean + deviations * spread.deviation for spread in spreads)


# ---- cards


def _card(
    model: Model,
    node: int,
    key: ClassKey | None,
    *,
    about: list[str],
    hidden: int,
    strong: bool,
    histogram: Histogram | None,
) -> Card:
    tree = model.tree
    is_leaf = tree.is_leaf(node)
    told = answer(model, node)
    title = told if is_leaf else harmless(model.schema[int(tree.feature[node])].name)
    shares, spread, decision = _target(tree, node, key)
    return Card(
        node=node,
        title=title,
        size=size(tree, node, digits=4),
        note=_note(model, node, told, spread),
        is_leaf=is_leaf,
        is_empty=is_empty(tree, node),
        shares=shares,
        spread=spread,
        decision=decision,
        hidden=hidden,
        strong=strong,
        histogram=histogram,
        about=tuple(about),
    )


def _target(tree: Tree, node: int, key: ClassKey | None) -> tuple[tuple[float, ...], Spread | None, int]:
    if key is None:
        return (), Spread(float(tree.value[node, 0]), deviation(tree, node)), -1
    shares = np.bincount(key.entry, weights=tree.value[node], minlength=len(key.names))
    return tuple(shares.tolist()), None, int(key.entry[tree.decision[node]])


def _note(model: Model, node: int, told: str, spread: Spread | None) -> str:
    tree = model.tree
    if is_empty(tree, node):
        return "as its parent"
    if spread is None:
        assert tree.distribution is not None
        decided = int(tree.decision[node])
        count = weighed(float(tree.distribution[node, decided]), 2)
        return f"{told}: {count} ({percent(float(tree.value[node, decided]))})"
    mean = "" if tree.is_leaf(node) else told
    if tree.n_rows[node] == 1 or not has_deviation(tree, node):
        return mean
    return f"{mean} ± {rounded(spread.deviation, 4)}".strip()


def _about(model: Model, node: int, condition: str, split: Split | None) -> list[str]:
    """Everything about a node in words; `split` is None for a leaf."""
    tree, told = model.tree, answer(model, node)
    lines = [f"Node {node}: {condition}", size(tree, node)]
    if model.labels is None:
        what = "value" if tree.variance is None else "mean"
        spread = (
            f", standard deviation {rounded(deviation(tree, node), 4)}" if has_deviation(tree, node) else ""
        )
        lines.append(f"{what} {told}{spread}")
    else:
        lines.append(f"answer {told}: {', '.join(class_shares(model, node, most=MOST_NAMED))}")
    if split is not None:
        test = harmless(split.describe(model.schema))
        note = missing_note(model, node)
        lines += [f"asks {test}", f"gain {measured(float(tree.gain[node]))}", *([note] if note else [])]
        lines += _stand_ins(model, node)
    return lines


def _stand_ins(model: Model, node: int) -> list[str]:
    """The surrogates of a node, the best first."""
    surrogates = model.tree.surrogates
    if surrogates is None or not surrogates.count[node]:
        return []
    first = int(surrogates.first[node])
    features = surrogates.feature[first : first + int(surrogates.count[node])].tolist()
    return [f"if missing, ask {', '.join(harmless(model.schema[f].name) for f in features)}"]


# ---- branches


def _branches(model: Model, splits: dict[int, Split], n_cards: int, strong: set[int]) -> tuple[Branch, ...]:
    """The branches to all cards but the root's."""
    tree = model.tree
    whole = float(tree.weight[0]) or 1.0
    found: list[Branch] = []
    for node in range(n_cards):
        children = tree.children(node)
        if not children or children[0] >= n_cards:
            continue
        split = splits[node]
        labels = short_labels(split, model.schema)
        marked = marked_branches(tree, node)
        for k, (child, condition) in enumerate(zip(children, split.branches(model.schema), strict=True)):
            found.append(
                Branch(
                    parent=node,
                    child=child,
                    label=harmless(labels[k] or "missing"),
                    condition=harmless(condition),
                    share=float(tree.weight[child]) / whole,
                    missing=_missing(labels[k], k in marked, int(tree.default_child[node])),
                    strong=child in strong,
                )
            )
    return tuple(found)


def starts(shown: Deck, thickness: Callable[[Branch], float], rooms: Sequence[float]) -> list[float]:
    """How far from the middle of its parent's card each branch begins.

    Branches of one card stand side by side; many of them crowd in the room that there is below it.
    """
    widths = [thickness(branch) for branch in shown.branches]
    total = [sum(widths[child - 1] for child in own) for own in shown.children]
    done = [0.0] * len(shown.cards)
    found = []
    for branch, width in zip(shown.branches, widths, strict=True):
        parent = branch.parent
        crowd = min(1.0, rooms[parent] / total[parent])
        found.append((done[parent] + width / 2 - total[parent] / 2) * crowd)
        done[parent] += width
    return found


def short_labels(split: Split, schema: Schema | None = None) -> list[str]:
    """Each branch's condition where the column is named above it; empty: the branch is for missing cells alone.

    The schema tells which categories are rare.

    >>> short_labels(Threshold(0, 2.45, has_missing_branch=True))
    ['≤ 2.45', '> 2.45', '']
    """
    if isinstance(split, Threshold):
        if split.cut == math.inf and not split.has_missing_branch:
            return ["known", ""]
        cut = brief(split.cut)
        labels = with_missing([f"≤ {cut}", f"> {cut}"], split.missing)
        return [*labels, *([""] if split.has_missing_branch else [])]
    if isinstance(split, Intervals):
        bounds = [brief(bound) for bound in split.bounds if bound != math.inf]
        inner = [f"{low} to {high}" for low, high in pairwise(bounds)]
        labels = with_missing([f"≤ {bounds[0]}", *inner, f"> {bounds[-1]}"], split.missing)
        return [*labels, *([""] if split.has_missing_branch else [])]
    groups = split.groups if schema is None else split.shown(schema)
    return [
        _group_label(group, k in split.missing) if group else "nothing" if k in split.never else ""
        for k, group in enumerate(groups)
    ]


def _group_label(group: tuple[Hashable, ...], missing: bool) -> str:
    """Categories of a branch. A long label is cut at its end, so "missing" comes first where there are several."""
    text = group_text(group)
    if not missing:
        return text
    return or_missing(text) if len(group) == 1 else f"missing or {text}"


def _missing(label: str, marked: bool, default_child: int) -> Missing:
    if not label:
        return "only"
    if not marked:
        return ""
    return "shared" if default_child < 0 else "also"


def _missing_sentences(tree: Tree, branches: tuple[Branch, ...]) -> dict[Missing, str]:
    also = "missing values go this way"
    if tree.surrogates is not None and len(tree.surrogates):
        also = "missing values go this way, unless a surrogate decides"
    sentences: dict[Missing, str] = {
        "also": also,
        "shared": "missing values are shared among branches, by weight",
    }
    marks = {branch.missing for branch in branches}
    return {mark: sentence for mark, sentence in sentences.items() if mark in marks}
