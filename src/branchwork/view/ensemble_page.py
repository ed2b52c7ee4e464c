"""The overview of an ensemble as one HTML page that needs nothing else: figures, charts, and its trees to look at."""

from __future__ import annotations

import numpy as np

from branchwork.model.diversity import Diversity
from branchwork.model.model import Model
from branchwork.table.table import Table
from branchwork.table.target import Target
from branchwork.tree.split import harmless
from branchwork.view.arrange import Orientation, check_orientation
from branchwork.view.beside_tree import ensemble_script, tree_style
from branchwork.view.chart import Series, bar_chart, bars, line_chart, number, squares
from branchwork.view.class_key import key_of
from branchwork.view.digits import shortened
from branchwork.view.ensemble_why import EnsembleWhy
from branchwork.view.honest_words import FOREST, is_honest
from branchwork.view.icicle import icicle
from branchwork.view.overview import charts, figures, head, page, panel, text
from branchwork.view.page import to_data
from branchwork.view.page_rows import ROOM
from branchwork.view.palette import DARK, LIGHT
from branchwork.view.pieces import Svg
from branchwork.view.stages import stages_of
from branchwork.webpage.parts import safe_json

THUMBNAILS = 12
"""Trees that have a picture on the page."""
MOST_NODES = 12_000
"""Of all trees that can be opened on the page; more would make it slow to load."""
MOST_FEATURES = 20
"""Features that a chart shows."""
MOST_LETTERS = 60
"""Of a name in the legend."""
MOST_SQUARES = 60
"""Trees that the map of disagreement shows."""

KINDS = {
    "mean": "the mean of the trees' answers",
    "vote": "a vote of the trees",
    "weighted_vote": "a vote, weighted by confidence",
    "median": "the weighted median of the trees' answers",
    "sum": "a sum of trees",
}


def ensemble_page(
    model: Model,
    *,
    title: str,
    diversity: Diversity | None = None,
    why: EnsembleWhy | None = None,
    orientation: Orientation = "TB",
    opens: bool = True,
    data: tuple[Table, Target] | None = None,
) -> str:
    """Return the overview of a model of many trees.

    Parameters
    ----------
    title : what the page is called.
    diversity : how the trees differ on some rows; None: nothing is said about it.
    why : the votes for one row; None: none are shown.
    orientation : how the trees are drawn that the page opens, as in `to_html` of view/html.py.
    opens : whether the page can open trees; their data is most of a page.
    data : rows that the trees on the page show histograms of. All trees share the room that one tree has on its page.
    """
    check_orientation(orientation)
    sections = [
        _head(model, title),
        _figures(model, diversity),
        *_votes(why),
        charts("How good, and why", _charts(model)),
        *_differences(model, diversity),
        _trees(model, opened := _opened(model) if opens else range(0)),
    ]
    if not opened:
        return page(title, sections)
    shown = {
        "trees": [
            to_data(model.member(k), unit=model.unit, data=data, room=ROOM // len(opened)) for k in opened
        ],
        "titles": [f"Tree {k}" for k in opened],
        "style": tree_style(),
        "orientation": orientation,
    }
    return page(title, sections, script=ensemble_script(), data=safe_json(shown))


def _head(model: Model, title: str) -> str:
    method = "Ensemble" if model.ensemble is None else model.ensemble.title
    about = f"{method}: {len(model.trees)} trees; the answer is {KINDS[model.combine.kind]}."
    predicts = "" if model.target is None else f" It predicts {model.target}."
    honest = f" {FOREST}" if is_honest(model.recipe) else ""
    return head(title, about + predicts + honest) + _legend(model)


def _legend(model: Model) -> str:
    """Return the classes with their colours, after the name of what is predicted."""
    key = key_of(model.member(0))
    if key is None:
        return ""
    name = "" if model.target is None else f"<b>{text(shortened(model.target, MOST_LETTERS))}:</b>"
    light, dark = (key.colours(theme) for theme in (LIGHT, DARK))
    entries = "".join(
        f'<li><i class="{key.pattern(k)}" style="background-color:light-dark({light[k]},{dark[k]})"></i>'
        f"{text(shortened(label, MOST_LETTERS))}</li>"
        for k, label in enumerate(key.names)
    )
    return f'\n<ul class="legend">{name and f"<li>{name}</li>"}{entries}</ul>'


def _figures(model: Model, diversity: Diversity | None) -> str:
    leaves = [tree.n_leaves for tree in model.trees]
    depths = [tree.depth for tree in model.trees]
    found = [("trees", str(len(model.trees)))]
    made = model.ensemble
    if made is not None and made.errors:
        name = "mean error of a round" if made.method == "adaboost" else f"out-of-bag error{_kind(model)}"
        last = (
            float(np.mean([error for _, error in made.errors]))
            if made.method == "adaboost"
            else made.errors[-1][1]
        )
        found.append((name, number(last if made.method == "adaboost" else _shown_error(model, last))))
    found += [
        ("leaves of a tree, mean", number(float(np.mean(leaves)))),
        ("depth of a tree, mean", number(float(np.mean(depths)))),
        ("features", str(len(model.schema))),
        (
            "classes" if model.labels is not None else "target",
            str(len(model.classes)) if model.labels else "number",
        ),
    ]
    if diversity is not None:
        found.append((f"error on the given rows{_kind(model)}", number(_shown_error(model, diversity.error))))
    if made is not None and made.seed is not None:
        found.append(("seed", str(made.seed)))
    return figures(found)


def _shown_error(model: Model, error: float) -> float:
    """Return the share of wrong answers as it is, and the root of a mean squared error."""
    return error if model.labels is not None else error**0.5


def _kind(model: Model) -> str:
    return "" if model.labels is not None else " (root mean squared)"


def _charts(model: Model) -> list[Svg]:
    found = []
    made = model.ensemble
    if made is not None and made.method == "adaboost":
        found.append(stages_of(model).to_svg(theme="auto"))
    elif made is not None and len(made.errors) > 1:
        name = "share of wrong answers" if model.labels is not None else "root mean squared error"
        found.append(
            line_chart(
                [float(trees) for trees, _ in made.errors],
                [Series(name, [_shown_error(model, error) for _, error in made.errors])],
                title="Out-of-bag error against the number of trees",
                across="trees",
                theme="auto",
            )
        )
    if not any(np.isnan(tree.gain[tree.feature >= 0]).any() for tree in model.trees):
        shares = model.feature_importances_
        found.append(
            _top(model, shares.tolist(), "Importance: share of all impurity that a feature's splits remove")
        )
    roots = np.array([int(tree.feature[0]) for tree in model.trees])
    counts = np.bincount(roots[roots >= 0], minlength=len(model.schema)).astype(float)
    found.append(_top(model, counts.tolist(), "How many trees split on each feature first", fill="f2"))
    found += _sizes(model)
    return found


def _top(model: Model, numbers: list[float], title: str, fill: str = "f0") -> Svg:
    order = sorted(range(len(numbers)), key=lambda j: -numbers[j])
    order = [j for j in order if numbers[j] > 0][:MOST_FEATURES] or order[:1]
    names = [harmless(model.schema[j].name) for j in order]
    return bars(names, [numbers[j] for j in order], title=title, theme="auto", fill=fill)


def _sizes(model: Model) -> list[Svg]:
    """Draw how many trees have each depth, or, where all are as deep, how many leaves they have."""
    depths = [tree.depth for tree in model.trees]
    if min(depths) < max(depths):
        names = [str(depth) for depth in range(min(depths), max(depths) + 1)]
        counts = [float(depths.count(int(name))) for name in names]
        series = [Series("trees of each depth", counts)]
        return [bar_chart(names, series, title="How deep the trees are", theme="auto")]
    leaves = [tree.n_leaves for tree in model.trees]
    if min(leaves) == max(leaves):
        return []
    counted, edges = np.histogram(leaves, bins=min(10, len(set(leaves))))
    names = [f"{edge:.0f}" for edge in edges[:-1]]
    picture = bar_chart(
        names,
        [Series(f"trees by their leaves; every tree has depth {depths[0]}", counted.astype(float).tolist())],
        title="How large the trees are",
        theme="auto",
    )
    return [picture]


def _differences(model: Model, diversity: Diversity | None) -> list[str]:
    if diversity is None:
        return []
    alone_errors = np.array([_shown_error(model, float(error)) for error in diversity.errors])
    shown = diversity.disagreement[:MOST_SQUARES, :MOST_SQUARES]
    note = f"mean disagreement {number(diversity.mean_disagreement)}"
    note += f", correlation {number(diversity.correlation)}"
    if diversity.strength is not None:
        note += f", strength {number(diversity.strength)}"
    title = "Disagreement of every two trees"
    if len(shown) < len(diversity.errors):
        title += f", the first {len(shown)}"
    errors = np.sort(alone_errors)
    counted, edges = np.histogram(errors, bins=min(12, len(set(errors.tolist()))))
    names = [number(float(edge)) for edge in edges[:-1]]
    alone = bar_chart(
        names,
        [
            Series(
                f"trees by their error; all together {number(_shown_error(model, diversity.error))}",
                counted.astype(float).tolist(),
            )
        ],
        title="How wrong each tree is alone",
        theme="auto",
    )
    return [charts("Do the trees differ?", [squares(shown, title=title, note=note, theme="auto"), alone])]


def _votes(why: EnsembleWhy | None) -> list[str]:
    if why is None:
        return []
    cells = "".join(
        f"<tr><th>{text(str(name))}</th><td>{text(str(value))}</td></tr>"
        for name, value in why.row.values.items()
    )
    title = "What the trees say about one row"
    votes = panel(title, why.to_svg(theme="auto"))
    return [f'<h2>{title}</h2>\n<div class="charts">\n{votes}\n<table>{cells}</table>\n</div>']


def _opened(model: Model) -> range:
    """Return the trees that can be opened on the page: the first ones, as long as they are not too large together."""
    nodes = np.cumsum([tree.n_nodes for tree in model.trees[:THUMBNAILS]])
    return range(int(np.searchsorted(nodes, MOST_NODES, side="right")))


def _trees(model: Model, opened: range) -> str:
    weights = model.combine.weights
    shown = []
    for k, tree in enumerate(model.trees[:THUMBNAILS]):
        vote = f", confidence {number(weights[k])}" if weights else ""
        caption = f"Tree {k}: {tree.n_leaves} leaves, depth {tree.depth}{vote}"
        picture: str = icicle(model.member(k), text(caption))
        first = (
            ""
            if tree.feature[0] < 0
            else f"asks first for {shortened(model.schema[int(tree.feature[0])].name, 30)}"
        )
        words = f"{text(caption)}<br><span>{text(first)}</span>"
        if k in opened:
            picture = f'<button type="button" data-tree="{k}" aria-pressed="false">{picture}</button>'
        shown.append(f"<figure>{picture}<figcaption>{words}</figcaption></figure>")
    count = len(model.trees)
    title = f"The first {THUMBNAILS} of {count} trees" if count > THUMBNAILS else "The trees"
    note = (
        "Each row of a picture is a level of the tree, each cell a node, as wide as its share of the rows. "
    )
    note += "Click a picture to open its tree below. " if opened else ""
    note += "model.member(k).to_html(X, y) is the page of tree k, with histograms of rows."
    place = '\n<div id="tree"></div>' if opened else ""
    grid = "\n".join(shown)
    return f'<h2>{text(title)}</h2>\n<p>{text(note)}</p>\n<div class="trees">\n{grid}\n</div>{place}'
