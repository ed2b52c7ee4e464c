"""matplotlib displays: what they show, where, and that no text lies on another, as the renderer measures it."""

import subprocess
import sys
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import ParameterError
from branchwork.view.cards import deck
from branchwork.view.palette import DARK, LIGHT
from branchwork.view.pruning_display import Curve
from branchwork.view.tree_drawing import place, thickness

TENNIS = bw.datasets.load("play_tennis")
HOSTILE = "_$\\frac{$ <b>\x1b[0m"


def noise(n=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, 4))
    return X, np.where((X[:, 0] > 0.5) ^ (rng.random(n) < 0.2), "yes", "no")


def text_boxes(figure):
    """Boxes of all texts that can be seen, as drawn. Labels of ticks beyond the end of an axis are not."""
    figure.canvas.draw()
    beyond = set()
    for axis in (axis for ax in figure.axes for axis in (ax.xaxis, ax.yaxis)):
        low, high = sorted(axis.get_view_interval())
        beyond |= {tick.label1 for tick in axis.get_major_ticks() if not low <= tick.get_loc() <= high}
    shown = [text for text in figure.findobj(plt.Text) if text.get_visible() and text not in beyond]
    return [(text.get_text(), text.get_window_extent()) for text in shown if text.get_text().strip()]


def check_texts(figure):
    boxes = [(text, box) for text, box in text_boxes(figure) if box.width > 1]
    for (one, a), (other, b) in combinations(boxes, 2):
        across, down = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
        assert across <= 0.5 or down <= 1.5, (one, other)
    return boxes


# ---- trees


def trees():
    yield bw.ID3Classifier().fit(TENNIS.X, TENNIS.y)
    bikes = bw.datasets.load("bike_rentals")
    yield bw.CARTRegressor().fit(bikes.X, bikes.y)
    X, y = noise()
    holes = np.where(np.random.default_rng(1).random(X.shape) < 0.1, np.nan, X)
    yield bw.C45Classifier().fit(holes, y)
    yield bw.TreeClassifier(missing="branch", max_depth=3).fit(holes, y)
    yield bw.CHAIDClassifier(alpha_merge=0.9, alpha_split=0.9).fit(X, y)
    yield bw.TreeClassifier(max_depth=4).fit(X, (X[:, 1] * 12).astype(int))
    names = np.array([HOSTILE, "a" * 80, "ordinary", "Ünïcödé"])
    yield bw.TreeClassifier(max_depth=2).fit(
        {HOSTILE: names[(X[:, 0] * 4).astype(int)].tolist()}, names[:2][(X[:, 0] > 0.7) * 1]
    )
    yield bw.StumpClassifier().fit([[0], [0]], ["a", "b"])


@pytest.mark.parametrize("k", range(8))
def test_trees_are_drawn_and_no_text_lies_on_another(k):
    tree = list(trees())[k]
    display = bw.TreeDisplay.from_estimator(tree)
    boxes = check_texts(display.figure_)
    page = display.figure_.bbox
    assert all(
        page.x0 <= box.x0 and box.x1 <= page.x1 and page.y0 <= box.y0 and box.y1 <= page.y1
        for _, box in boxes
    )
    assert len([text for text, _ in boxes if "row" in text]) == tree.tree_.n_nodes


def test_text_lies_in_its_card():
    display = bw.TreeDisplay.from_estimator(next(trees()))
    display.figure_.canvas.draw()
    cards = [patch.get_window_extent() for patch in display.ax_.patches if patch.get_edgecolor()[3] > 0]
    for text, box in text_boxes(display.figure_):
        if text.endswith("rows"):
            assert any(c.x0 < box.x0 and box.x1 < c.x1 and c.y0 < box.y0 and box.y1 < c.y1 for c in cards), (
                text
            )


def test_branches_leave_their_card_side_by_side_about_its_middle():
    for tree in trees():
        for across, orientation in enumerate(("TB", "LR")):
            drawing = place(deck(tree.model_), orientation)
            for parent, children in enumerate(drawing.shown.children):
                own = [branch for branch in drawing.shown.branches if branch.parent == parent]
                assert len(own) == len(children)
                starts = [(drawing.way(branch).start[across], thickness(branch)) for branch in own]
                edges = [(at - wide / 2, at + wide / 2) for at, wide in starts]
                assert all(left[1] == pytest.approx(right[0]) for left, right in pairwise(edges))
                if own:
                    box = drawing.boxes[parent]
                    middle = drawing.corner(parent)[across] + (box.width, box.height)[across] / 2
                    assert (edges[0][0] + edges[-1][1]) / 2 == pytest.approx(middle)


def test_a_tree_says_what_it_asks_and_answers():
    shown = [text for text, _ in text_boxes(bw.TreeDisplay.from_estimator(next(trees())).figure_)]
    assert {"Outlook", "Humidity", "Wind", "Overcast", "Rain", "Sunny", "14 rows", "Yes: 9 (64%)"} <= set(
        shown
    )
    assert len([text for text in shown if text.endswith("(100%)")]) == 5
    assert "missing values go this way" not in shown  # no cell was missing in training


def test_a_cut_tree_says_so():
    X, y = noise(400)
    tree = bw.TreeClassifier().fit(X, y)
    display = bw.TreeDisplay.from_estimator(tree, max_depth=1)
    shown = [text for text, _ in text_boxes(display.figure_)]
    assert shown[0] == f"Down to depth 1: 3 of {tree.tree_.n_nodes} nodes."
    below = [int(text.split()[1]) for text in shown if text.startswith("+ ")]
    assert sum(below) == tree.tree_.n_nodes - 3
    with pytest.raises(ParameterError, match="max_depth=-1"):
        bw.TreeDisplay.from_estimator(tree, max_depth=-1)


def test_on_given_axes_a_tree_shrinks_into_them():
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 4))
    display = bw.TreeDisplay.from_estimator(next(trees()), ax=left)
    assert display.ax_ is left and display.figure_ is figure
    check_texts(figure)
    room = left.get_window_extent()
    for text in left.texts:
        box = text.get_window_extent()
        assert room.x0 - 1 <= box.x0 and box.x1 <= room.x1 + 1, text.get_text()
    assert not right.texts


def test_a_tree_on_a_dark_figure_has_light_text():
    with plt.style.context("dark_background"):
        display = bw.TreeDisplay.from_estimator(next(trees()))
    assert display.ax_.texts[-1].get_color() > "#a"


@pytest.mark.filterwarnings("ignore::branchwork.errors.IdentifierWarning")
def test_many_branches_leave_their_card_within_it():
    X = [[f"v{k:04}"] for k in range(1500)] * 2
    drawing = place(deck(bw.ID3Classifier().fit(X, [0, 1] * 1500).model_, max_depth=1))
    starts = [drawing.way(branch).start[0] for branch in drawing.shown.branches]
    assert starts == sorted(starts) and len(starts) == 1500
    left = drawing.corner(0)[0]
    assert left < starts[0] < starts[-1] < left + drawing.boxes[0].width


def test_the_mean_of_a_single_number_stands_in_the_middle():
    with pytest.warns(UserWarning, match="only one value"):
        tree = bw.TreeRegressor().fit([[0.0], [0.0]], [5.0, 5.0])
    _, track, _, mark = bw.TreeDisplay.from_estimator(tree).ax_.patches
    middles = [patch.get_x() + patch.get_width() / 2 for patch in (track, mark)]
    assert middles[0] == pytest.approx(middles[1])


# ---- importance


def test_importances_are_sorted_and_cut():
    display = bw.ImportanceDisplay(list("abcde"), [0.1, 0.5, 0.1, 0.3, 0.0], max_features=3)
    assert not hasattr(display, "ax_")
    assert display.plot() is display
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["b", "d", "a"]
    assert [bar.get_width() for bar in display.bars_] == [0.5, 0.3, 0.1]
    assert display.ax_.get_title(loc="left") == "Not shown: 2 columns that are no more important"
    top, bottom = (display.ax_.transData.transform((0, place))[1] for place in (0, 2))
    assert top > bottom
    check_texts(display.figure_)


def test_importances_that_are_not_shown_are_counted():
    display = bw.ImportanceDisplay(list("abc"), [0.5, 0.5, 0.0], max_features=2).plot()
    assert display.ax_.get_title(loc="left") == "Not shown: 1 column that is no more important"


def test_importances_of_an_estimator():
    X, y = noise()
    tree = bw.TreeClassifier().fit(X, y)
    display = bw.ImportanceDisplay.from_estimator(tree)
    assert np.array_equal(display.importances, tree.feature_importances_)
    leaf = bw.ImportanceDisplay.from_estimator(bw.StumpClassifier().fit([[0], [0]], ["a", "b"]))
    check_texts(leaf.figure_)


def test_importances_that_make_no_sense_are_refused():
    with pytest.raises(ParameterError, match="2 names, but 3 importances"):
        bw.ImportanceDisplay(["a", "b"], [1, 2, 3])
    with pytest.raises(ParameterError, match="max_features=0"):
        bw.ImportanceDisplay(["a"], [1], max_features=0)


# ---- pruning


def test_a_path_with_held_out_rows():
    X, y = noise()
    tree = bw.TreeClassifier().fit(X[:100], y[:100])
    path = tree.pruning_path("reduced_error", X[100:], y[100:], order="greedy")
    display = bw.PruningPathDisplay.from_path(path)
    training, held_out, best = display.ax_.lines
    leaves = [step.leaves for step in path]
    assert training.get_xdata().tolist() == sorted(leaves)
    by_size = sorted((step.leaves, step.training_error, step.validation_error) for step in path)
    assert training.get_ydata().tolist() == [error for _, error, _ in by_size]
    assert held_out.get_ydata().tolist() == [error for *_, error in by_size]
    least = min(step.validation_error for step in path)
    smallest = min(step.leaves for step in path if step.validation_error == least)
    assert best.get_xdata()[0] == smallest == leaves[display.best_]
    assert display.one_se_ is None
    check_texts(display.figure_)
    other = bw.PruningPathDisplay.from_estimator(tree, "reduced_error", X[100:], y[100:], order="greedy")
    assert other.held_out == display.held_out
    with pytest.raises(ParameterError, match="'reduced_error' has no alpha"):
        display.plot(against="alpha")
    with pytest.raises(ParameterError, match="against='size'"):
        display.plot(against="size")


def test_a_path_without_other_rows_marks_nothing():
    X, y = noise()
    display = bw.PruningPathDisplay.from_estimator(bw.TreeClassifier().fit(X, y), "pessimistic")
    assert len(display.ax_.lines) == 1 and display.best_ is None and display.held_out is None


def test_prices_may_be_whole_numbers():
    display = bw.PruningPathDisplay("mine", [1, 2, 5], Curve("rows", (0.5, 0.25, 0.0)), alphas=[3, 1, 0])
    (line,) = display.plot(against="alpha").ax_.lines
    assert line.get_xdata() == pytest.approx([0, 1, 3, 3.9])


def test_against_alpha_each_tree_holds_until_the_next():
    display = bw.PruningPathDisplay(
        "cost_complexity",
        [1, 2, 5],
        Curve("training rows", (0.5, 0.25, 0.0)),
        Curve("cross-validation", (0.5, 0.3, 0.29), (0.02, 0.02, 0.02)),
        [0.3, 0.1, 0.0],
    ).plot(against="alpha")
    training, _, best, one_se = display.ax_.lines
    assert training.get_xdata() == pytest.approx([0, 0.1, 0.3, 0.39])
    assert training.get_ydata().tolist() == [0.0, 0.25, 0.5, 0.5]
    assert training.get_drawstyle() == "steps-post"
    assert (display.best_, display.one_se_) == (2, 1)
    assert (best.get_xdata()[0], one_se.get_xdata()[0]) == (0.0, 0.1)


def test_the_table_of_cart_marks_what_cart_chooses():
    X, y = noise(400)
    cart = bw.CARTClassifier(xval=5).fit(X, y)
    display = bw.PruningPathDisplay.from_cp_table(cart.cp_table_)
    for choose, k in (("min", display.best_), ("1se", display.one_se_)):
        chosen = bw.CARTClassifier(xval=5, choose=choose).fit(X, y)
        assert chosen.get_n_leaves() == display.leaves[k]
    assert display.leaves[-1] == cart.get_n_leaves()
    check_texts(display.figure_)
    check_texts(bw.PruningPathDisplay.from_cp_table(cart.cp_table_, against="alpha").figure_)
    without = bw.PruningPathDisplay.from_cp_table(bw.CARTClassifier(cp=0.01).fit(X, y).cp_table_)
    assert without.held_out is None


def test_large_trees_are_drawn_by_powers_in_whole_numbers():
    display = bw.PruningPathDisplay("x", [1, 70, 900], Curve("training rows", (0.5, 0.2, 0.0))).plot()
    display.figure_.canvas.draw()
    assert display.ax_.get_xscale() == "log"
    shown = [tick.get_text() for tick in display.ax_.get_xticklabels()]
    assert "10" in shown and "500" in shown


# ---- regions


def test_regions_on_axes():
    X, y = noise()
    found = bw.study.regions(bw.TreeClassifier(max_depth=3).fit(X, y), X, y, features=(0, 1))
    figure, ax = plt.subplots(layout="constrained")
    assert found.plot(ax) is ax
    areas = ax.collections[0]
    assert len(areas.get_paths()) == len(found.plane.areas)
    first = found.plane.areas[0]
    assert areas.get_paths()[0].get_extents().bounds == pytest.approx(
        (first.x[0], first.y[0], first.x[1] - first.x[0], first.y[1] - first.y[0])
    )
    assert sum(len(points.get_offsets()) for points in ax.collections[1:]) == len(X)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["no", "yes"]
    assert ax.get_title(loc="left").startswith("Held fixed: x")
    check_texts(figure)


def test_regions_of_numbers_have_a_scale():
    X, _ = noise()
    found = bw.study.regions(bw.TreeRegressor(max_depth=3).fit(X[:, :2], X[:, 0]), X[:, :2], X[:, 0])
    figure = found.plot().figure
    assert len(figure.axes) == 2  # the second is the scale
    check_texts(figure)


def test_categories_are_named_beside_the_axes():
    found = bw.study.regions(next(trees()), TENNIS.X, TENNIS.y, features=("Outlook", "Humidity"))
    ax = found.plot()
    assert [text.get_text() for text in ax.get_xticklabels()] == ["Overcast", "Rain", "Sunny"]
    check_texts(ax.figure)


# ---- all of them


def test_text_of_unknown_origin_means_nothing():
    X, y = noise()
    X = {HOSTILE: X[:, 0].tolist(), "$x$": np.where(X[:, 1] > 0.5, HOSTILE, "$").tolist()}
    y = np.where(y == "yes", HOSTILE, "_y")
    tree = bw.TreeClassifier(max_depth=3).fit(X, y)
    figures = [
        bw.study.regions(tree, X, y).plot().figure,
        bw.TreeDisplay.from_estimator(tree).figure_,
        bw.ImportanceDisplay.from_estimator(tree).figure_,
    ]
    for figure in figures:
        shown = [text for text, _ in text_boxes(figure)]
        assert "_$\\frac{$ <b>\\x1b[0m" in shown


@pytest.mark.parametrize("display", [bw.TreeDisplay, bw.ImportanceDisplay])
def test_only_fitted_trees_are_drawn(display):
    for other in (bw.TreeClassifier(), object()):
        with pytest.raises(ParameterError, match="Is it fitted"):
            display.from_estimator(other)


def test_names_of_any_length_leave_room_for_the_plane():
    X, y = noise()
    labels = np.where(y == "yes", "yes " * 150, "no " * 150)
    frame = {f"{k} " + "wide " * 100: X[:, k] for k in range(2)}
    tree = bw.TreeClassifier(max_depth=2).fit(frame, labels)
    ax = bw.study.regions(tree, frame, labels).plot()
    ax.figure.canvas.draw()
    whole = ax.figure.bbox
    assert ax.bbox.width > whole.width / 3 and ax.bbox.height > whole.height / 2


def test_without_matplotlib_the_way_to_install_it_is_told():
    code = (
        "import sys; sys.modules['matplotlib'] = sys.modules['matplotlib.pyplot'] = None\n"
        "import branchwork as bw\n"
        "tree = bw.TreeClassifier().fit([[0, 1], [1, 0]], ['a', 'b'])\n"
        "found = bw.study.regions(tree, [[0, 1], [1, 0]], ['a', 'b'])\n"
        "found.to_svg()\n"
        "for draw in (found.plot, lambda: bw.TreeDisplay.from_estimator(tree),\n"
        "             lambda: bw.ImportanceDisplay.from_estimator(tree)):\n"
        "    try:\n"
        "        draw()\n"
        "    except bw.errors.MissingExtraError as error:\n"
        "        print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.count('pip install "branchwork[plot]"') == 3


# ---- dark styles


def dark_displays():
    """Every display, drawn in a dark style."""
    X, y = noise(200)
    tree = bw.TreeClassifier(max_depth=3).fit(X, y)
    numbers = X[:, 0] * 3
    curve = bw.study.curve(bw.TreeClassifier(), X, y, over="max_depth", values=[1, 2])
    yield bw.TreeDisplay.from_estimator(tree).ax_
    yield bw.ImportanceDisplay.from_estimator(tree).ax_
    yield bw.PruningPathDisplay.from_path(tree.pruning_path("cost_complexity")).ax_
    yield bw.CurveDisplay(curve.chart()).plot().ax_
    yield bw.FeatureDisplay.from_look(bw.study.look(X, y), "x0").ax_
    yield bw.study.regions(tree, X, y, features=("x0", "x1")).plot()
    yield bw.study.regions(
        bw.TreeRegressor(max_depth=2).fit(X, numbers), X, numbers, features=("x0", "x1")
    ).plot()
    yield tree.working(0, X, y).curve("x0").plot()


def test_displays_follow_dark_styles():
    """Everything that is drawn has the colours of the dark theme; none of the light one is left."""
    from matplotlib.colors import to_hex

    only_light = set(LIGHT.fills().values()) - set(DARK.fills().values())
    only_light |= {LIGHT.ink, LIGHT.muted, LIGHT.track, LIGHT.branch, LIGHT.edge}
    with plt.style.context("dark_background"):
        for number, ax in enumerate(dark_displays()):
            found = set()
            for artist in ax.findobj():
                for name in ("get_facecolor", "get_edgecolor", "get_color", "get_markerfacecolor"):
                    value = getattr(artist, name, lambda: None)()
                    for colour in np.atleast_2d(np.array(value, object)) if value is not None else ():
                        try:
                            found.add(to_hex(tuple(colour) if len(colour) > 1 else colour[0]))
                        except ValueError:
                            continue
            assert not found & only_light, (number, found & only_light)
            assert found & ({*DARK.classes, DARK.ink, DARK.muted} | set(DARK.fills().values())), number


@pytest.mark.parametrize(
    ("orientation", "compact"), [("LR", False), ("LR", True), ("TB", "lines"), ("LR", "marks")]
)
def test_trees_of_every_shape_are_drawn(orientation, compact):
    for tree in list(trees())[:4]:
        display = bw.TreeDisplay.from_estimator(tree, orientation=orientation, compact=compact)
        check_texts(display.figure_)
        plt.close(display.figure_)
    with pytest.raises(ParameterError, match="orientation='up'"):
        bw.TreeDisplay.from_estimator(tree, orientation="up")


def test_the_key_says_what_is_predicted():
    bikes, tennis = bw.datasets.load("bike_rentals"), bw.datasets.load("play_tennis")
    numbers = bw.TreeRegressor(max_depth=1).fit(bikes.X, bikes.y).model_
    classes = bw.ID3Classifier().fit(tennis.X, tennis.y).model_

    def key(model, target):
        display = bw.TreeDisplay(replace(model, target=target)).plot()
        return [text for text, _ in text_boxes(display.figure_)]

    assert key(numbers, "rentals")[0].startswith("rentals: mean ") and key(numbers, None)[0].startswith(
        "mean "
    )
    assert key(classes, "play")[:3] == ["play:", "No", "Yes"] and key(classes, None)[:2] == ["No", "Yes"]


def test_every_legend_stands_beside_its_axes():
    paths = (Path(bw.__file__).parent / "view").glob("*.py")
    callers = [path.name for path in paths if ".legend(" in path.read_text()]
    assert callers == ["figure.py"], "the search for a free place takes long on large data"
