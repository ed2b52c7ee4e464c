"""Why a row has its answer: the way to it in words, what nearly happened, and what would have to change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from branchwork.model.counterfactual import Counterfactual, Outcome, search
from branchwork.model.describe import describe_node
from branchwork.model.explain import Explanation, WayStep, explain, read_row
from branchwork.model.model import Model
from branchwork.model.rival import contest
from branchwork.table.shown import first_lines
from branchwork.tree.arrive import shown_split
from branchwork.tree.ledger import Page
from branchwork.tree.walk import path_to
from branchwork.view import why_words as words
from branchwork.view.digits import percent
from branchwork.view.dots import dots_by_label
from branchwork.view.terminal import terminal_width, wants_colour
from branchwork.view.why_formats import Line, Path, Story, to_html, to_markdown, to_text
from branchwork.view.words import facts, named_answer

Pages = Mapping[int, Page]
PagesOf = Callable[[Sequence[int]], Pages]

MOST_PATHS = 5
"""Of a row that is shared among more leaves, the paths to those with the largest shares are shown."""
MOST_STEPS = 40
"""Of a longer path the middle is left out."""


@dataclass(frozen=True, eq=False)
class Why:
    """The answer for one row, and why. Prints as text; `to_dict()` gives everything as plain data.

    >>> import branchwork as bw
    >>> tennis = bw.datasets.load("play_tennis")
    >>> print(bw.ID3Classifier().fit(tennis.X, tennis.y).why(tennis.X.row(0)))
    The answer is PlayTennis: No (100%).
    <BLANKLINE>
       all rows                          14 rows  Yes: 9 (64%)  No: 5 (36%)
    1  Outlook = Sunny                    5 rows  No: 3 (60%)  Yes: 2 (40%)  No: +24 points
         next best: Humidity = High | Normal (gain 0.1518 against 0.2467)
    2  Humidity = High → PlayTennis: No   3 rows  No: 3 (100%)               No: +40 points
         next best: Temperature = Cool | Hot | Mild (gain 0.5710 against 0.9710)
    <BLANKLINE>
    To get PlayTennis: Yes instead, change
       Outlook to Overcast (now Sunny)
    That leads to leaf 1: 4 rows · Yes: 4 (100%)
    """

    model: Model
    explained: Explanation
    searched: Outcome
    want: Any = None
    pages: Pages = field(default_factory=dict)
    fixed: tuple[str, ...] = ()

    @property
    def counterfactual(self) -> Counterfactual | None:
        """The nearest change with another answer; None: none was found."""
        return self.searched.change

    @property
    def prediction(self) -> Any:
        """The answer: a label, or a number."""
        return self.explained.prediction

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data.

        row; prediction; probabilities (label → number, None for a numeric target); steps: the nodes passed, as in a
        tree's `to_dict`, each with the row's value, cause and way (why it goes where it goes), surrogate, share (of the
        row that comes here), to (the children it goes to: node, branch, share, change of the answer's share or of the
        mean), winner and rival (as in `Working.to_dict`; None: not kept); leaves, with share; and counterfactual: leaf,
        prediction, distance, row, changes (feature, now, value, above, upto, among), leaves (leaf, share) and
        is_nearest (False: there may be a nearer one), or None.
        """
        return _data(self.model, self.explained, self.counterfactual, self.pages)

    def to_text(self, *, color: bool | None = None, width: int | None = None) -> str:
        """Return the explanation as text, in lines of at most `width` columns; None: of any length."""
        colour = wants_colour() if color is None else color
        dots = dots_by_label(self.model, colour=colour)
        return to_text(self._story(), colour=colour, width=width, dots=dots)

    def to_markdown(self) -> str:
        """The explanation in Markdown."""
        return to_markdown(self._story())

    def to_html(self) -> str:
        """The explanation as a piece of HTML."""
        return to_html(self._story())

    def _story(self) -> Story:
        return _story(self)

    def __str__(self) -> str:
        """Print as text; in a terminal as wide as it is."""
        return self.to_text(width=terminal_width())

    def __repr__(self) -> str:
        """Show the first lines, without colours."""
        return first_lines(self.to_text(color=False, width=terminal_width()))

    def _repr_html_(self) -> str:
        """Show in a notebook."""
        return self.to_html()


def why(
    model: Model, row: Any, *, want: Any = None, fixed: Iterable[str] = (), pages: PagesOf | None = None
) -> Why:
    """Explain the answer for one row.

    Parameters
    ----------
    row : a mapping of column to value, values in column order, a pandas Series, or a table with one row.
    want : the answer that a change should lead to: a label, or (lowest, highest); None: any other one.
    fixed : the names of the features that cannot change.
    pages : makes the working of the nodes on the way, if the tree did not keep it.
    """
    fixed = (fixed,) if isinstance(fixed, str) else tuple(fixed)
    explained = explain(model, read_row(model, row))
    made = {} if pages is None else pages([step.node for step in explained.steps])
    return Why(model, explained, search(model, explained, want, fixed), want, made, fixed)


# ---- as data -----------------------------------------------------------------------------------------------


def _data(
    model: Model, explained: Explanation, change: Counterfactual | None, pages: Pages
) -> dict[str, Any]:
    labels = model.labels
    return {
        "row": dict(explained.row.values),
        "prediction": explained.prediction,
        "probabilities": None if labels is None else dict(zip(labels, explained.outputs, strict=True)),
        "steps": [_step_data(model, explained, step, pages) for step in explained.steps],
        "leaves": [{**describe_node(model, leaf), "share": share} for leaf, share in explained.leaves],
        "counterfactual": None if change is None else _change_data(model, explained, change),
    }


def _step_data(model: Model, explained: Explanation, step: WayStep, pages: Pages) -> dict[str, Any]:
    node, route = step.node, step.route
    branches = shown_split(model.tree, model.schema, node).branches(model.schema)
    first, label = int(model.tree.first_child[node]), explained.prediction
    held = contest(model, node, pages)
    rows = [] if held is None else words.contest_rows(model, held)
    return {
        **describe_node(model, node),
        "value": _value(model, explained, step),
        "cause": route.cause,
        "way": route.way,
        "surrogate": None if route.surrogate is None else model.schema[route.surrogate.feature].name,
        "share": step.share,
        "to": [
            {
                "node": child,
                "branch": branches[child - first],
                "share": share,
                "change": words.change_of(model, label, node, child),
            }
            for child, share in step.children
        ],
        "winner": rows[0] if rows else None,
        "rival": rows[1] if len(rows) > 1 else None,
    }


def _change_data(model: Model, explained: Explanation, change: Counterfactual) -> dict[str, Any]:
    return {
        "leaf": change.leaf,
        "prediction": change.prediction,
        "distance": change.distance,
        "is_nearest": change.is_nearest,
        "leaves": [{"leaf": leaf, "share": share} for leaf, share in change.leaves],
        "changes": [
            {
                **vars(one),
                "feature": model.schema[one.feature].name,
                "now": explained.row.values[model.schema[one.feature].name],
                "among": None if one.among is None else list(one.among),
            }
            for one in change.changes
        ],
        "row": dict(change.row),
    }


def _value(model: Model, explained: Explanation, step: WayStep) -> Any:
    """The row's own value in the column that a step asks."""
    return explained.row.values[model.schema[int(model.tree.feature[step.node])].name]


# ---- as a story --------------------------------------------------------------------------------------------


def _story(found: Why) -> Story:
    model, explained, pages, change = found.model, found.explained, found.pages, found.counterfactual
    steps = {step.node: step for step in explained.steps}
    largest = sorted(explained.leaves, key=lambda leaf: -leaf[1])[:MOST_PATHS]
    paths = [_path(model, explained, steps, leaf, share, pages) for leaf, share in largest]
    remarks = []
    if len(largest) < len(explained.leaves):
        rest = percent(1 - sum(share for _, share in largest))
        remarks.append(
            f"The other {rest} of the row go to {len(explained.leaves) - len(largest)} more leaves."
        )
    if explained.steps and model.tree.ledger is None and not pages:
        remarks.append(words.no_rival_text(model))
    if change is None:
        return Story(
            _title(model, explained),
            tuple(paths),
            tuple(remarks),
            words.no_change_text(
                model, explained.prediction, found.want, found.fixed, is_exact=found.searched.is_exact
            ),
        )
    values = explained.row.values
    changes = [
        words.changed_text(model, one, values[model.schema[one.feature].name]) for one in change.changes
    ]
    return Story(
        _title(model, explained),
        tuple(paths),
        tuple(remarks),
        words.change_title(model, change, found.fixed),
        tuple(changes),
        words.leads_to(model, change),
    )


def _title(model: Model, explained: Explanation) -> str:
    told = words.told_answer(model, explained.prediction)
    if model.labels is not None:
        told += f" ({percent(explained.outputs[model.labels.index(explained.prediction)])})"
    count = len(explained.leaves)
    return f"The answer is {told}{f', summed over {count} leaves' if count > 1 else ''}."


def _path(
    model: Model, explained: Explanation, steps: dict[int, WayStep], leaf: int, share: float, pages: Pages
) -> Path:
    nodes = path_to(model.tree, leaf)
    lines = [Line("", "all rows", facts(model, 0))]
    for depth, (node, child) in enumerate(pairwise(nodes), start=1):
        if MOST_STEPS // 2 < depth <= len(nodes) - 1 - MOST_STEPS // 2:
            if depth == MOST_STEPS // 2 + 1:
                lines.append(Line("", f"… {len(nodes) - 1 - MOST_STEPS} more steps", ""))
            continue
        lines.append(_line(model, explained, steps[node], child, depth, pages))
    lines[-1] = replace(lines[-1], answer=named_answer(model, leaf))
    return Path(f"{percent(share)} of the row goes to leaf {leaf}:" if share < 1 else "", tuple(lines))


def _line(model: Model, explained: Explanation, step: WayStep, child: int, depth: int, pages: Pages) -> Line:
    label, value = explained.prediction, _value(model, explained, step)
    change = words.change_text(model, label, step.node, child)
    held = contest(model, step.node, pages)
    return Line(
        place=str(depth),
        branch=words.branch_text(model, step.node, child),
        facts=facts(model, child),
        reason=words.reason_text(model, step, value, child, dict(step.children)[child]),
        change=change if model.labels is None else f"{words.plain_answer(model, label)}: {change}",
        rival="" if held is None else words.rival_text(held, words.contest_rows(model, held)),
    )
