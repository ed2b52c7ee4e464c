"""Write two trees as one text: a line for each place, and what the second tree does differently there."""

from __future__ import annotations

from branchwork.study.report_words import interval, said
from branchwork.study.tree_difference import Disagreement, TreeDifference
from branchwork.study.tree_pairs import Pair
from branchwork.table.wide_text import cells, cut
from branchwork.table.wide_text import left as padded
from branchwork.tree.split import rounded
from branchwork.view.blocks import Grid, Mark
from branchwork.view.digits import chance, percent, shortened
from branchwork.view.terminal import paint
from branchwork.view.working_formats import to_text

WIDEST = 60
WIDEST_PLACE = 78
DEEPEST_INDENT = 40
MOST_LEAVES = 10
MARKS = {
    "same": "",
    "threshold": "other threshold",
    "split": "other split",
    "leaf": "",
    "answer": "other answer",
}


def difference_text(found: TreeDifference, *, color: bool = False, width: int | None = None) -> str:
    """Return both trees as one text, in lines of at most this many columns; None: of any length."""
    lines = [] if not found.is_same else ["Both trees ask the same questions and give the same answers.", ""]
    places = _branches(found)
    left = [
        shortened(f"{branch}{pair.condition}{_alike(pair, equal)}", WIDEST_PLACE)
        for branch, pair, equal in places
    ]
    most = WIDEST_PLACE if width is None else min(WIDEST_PLACE, width // 2)
    left = [cut(text, width or WIDEST_PLACE) for text in left]
    different = [cells(t) for t, (_, pair, _) in zip(left, places, strict=True) if pair.kind != "same"]
    column = min(most, max(different, default=0))
    for text, (_, pair, _equal) in zip(left, places, strict=True):
        if pair.kind == "same":
            lines.append(text)
            continue
        sign = paint("≠", "bold", colour=color)
        told = f"A: {shortened(pair.a_text, WIDEST)}   B: {shortened(pair.b_text, WIDEST)}"
        if width is not None:
            each = max(4, (width - column - 13) // 2)
            told = f"A: {cut(pair.a_text, min(WIDEST, each))}   B: {cut(pair.b_text, min(WIDEST, each))}"
            if column + 7 + cells(told) + len(mark(pair)) > width:  # what differs is seen from the two
                lines.append(f"{padded(cut(text, column), column)}  {sign} {told}")
                continue
        lines.append(f"{padded(text, column)}  {sign} {told}   ({mark(pair)})")
    if found.disagreement is not None:
        lines += ["", *_disagreement(found.disagreement, width)]
    return "\n".join(lines)


def mark(pair: Pair) -> str:
    """Return what differs at a place, in words."""
    if pair.kind == "leaf":
        splits, below = ("A", pair.below_a) if pair.below_a else ("B", pair.below_b)
        return f"only {splits} splits, {below} nodes below"
    if pair.kind == "split":
        return f"other split, {pair.below_a} and {pair.below_b} nodes below"
    return MARKS[pair.kind]


def _alike(pair: Pair, equal: int) -> str:
    """Return what both do at a place where they are the same, and how much below it is the same, too."""
    if pair.kind != "same":
        return ""
    asks = f" {pair.a_text}" if pair.a_text.startswith("→") else f": {pair.a_text}"
    return f"{asks} … {equal} nodes alike below" if equal else asks


def _branches(found: TreeDifference) -> list[tuple[str, Pair, int]]:
    """Return the lines that lead to each shown place."""
    shown = found.shown_pairs()
    by_place = {id(pair): k for k, pair in enumerate(found.pairs)}
    below: dict[int, list[int]] = {}
    for k, (pair, _) in enumerate(shown):
        below.setdefault(pair.parent, []).append(k)
    indent, branch = {-1: ""}, {}
    for k, (pair, _) in enumerate(shown):
        place = by_place[id(pair)]
        if pair.parent < 0:
            branch[k], indent[place] = "", ""
            continue
        last, own = below[pair.parent][-1] == k, indent[pair.parent]
        deep = pair.depth > DEEPEST_INDENT
        branch[k] = f"{own}[depth {pair.depth}] " if deep else own + ("└─ " if last else "├─ ")
        indent[place] = own if deep else own + ("   " if last else "│  ")
    return [(branch[k], pair, equal) for k, (pair, equal) in enumerate(shown)]


def _disagreement(found: Disagreement, width: int | None) -> list[str]:
    share = f"{percent(found.share.value)}, interval {interval(found.share)}"
    lines = [f"different answers for {len(found.rows)} of {found.n_rows} rows ({share})"]
    if found.mean_difference is not None:
        lines.append(f"mean size of the difference: {rounded(found.mean_difference)}")
    if found.a_right is not None:
        p = "" if found.p_value is None else f" (McNemar p {chance(found.p_value)})"
        right = "only A is right" if found.mean_difference is None else "A is nearer"
        also = "only B" if found.mean_difference is None else "B"
        lines.append(f"of these, {right} for {found.a_right} and {also} for {found.b_right}{p}")
    if found.leaves:
        rows = [
            (str(one.a), str(one.b), said(one.a_answer), said(one.b_answer), str(one.n_rows))
            for one in found.leaves[:MOST_LEAVES]
        ]
        marks: list[Mark] = [""] * len(rows)
        grid = Grid(
            ("leaf of A", "leaf of B", "A says", "B says", "rows"),
            tuple(rows),
            tuple(marks),
            frozenset({2, 3}),
        )
        lines += [to_text([grid], width=width)]
        if len(found.leaves) > MOST_LEAVES:
            lines.append(f"… {len(found.leaves) - MOST_LEAVES} more pairs of leaves")
    return lines
