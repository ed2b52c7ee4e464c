"""The stage of the page in a real browser: the first view, both directions, the overview, shading, the divider."""

import re
from dataclasses import replace

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

import branchwork as bw
from branchwork.errors import ParameterError
from branchwork.view.html import to_html
from branchwork.view.page import to_data
from open_pages import active, cards, comes_true, panel, scale

SETTLED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
LEAST_TEXT = """() => Math.min(...[...document.querySelectorAll("svg.canvas text")].map((text) =>
  parseFloat(getComputedStyle(text).fontSize) * text.getCTM().a))"""


@pytest.fixture(scope="module")
def grown():
    """A tree of some hundred nodes in which one side is much heavier than the other."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(4000, 5))
    y = np.where(
        X[:, 0] > 1.2, "rare", np.where(X[:, 1] * X[:, 2] > rng.normal(size=4000) * 0.6, "yes", "no")
    )
    return bw.CARTClassifier(max_depth=8).fit(X, y)


def seen(page, node):
    """Return whether a card lies in the window as a whole."""
    card = page.locator(f"[data-node='{node}'] .paper").bounding_box()
    stage = page.locator("svg.canvas").bounding_box()
    return (
        card["x"] >= stage["x"] - 1
        and card["y"] >= stage["y"] - 1
        and card["x"] + card["width"] <= stage["x"] + stage["width"] + 1
        and card["y"] + card["height"] <= stage["y"] + stage["height"] + 1
    )


def shown(page):
    return sorted(int(card.get_attribute("data-node")) for card in page.locator("[data-node]").all())


# ---- at first


@pytest.mark.parametrize(
    ("orientation", "size"),
    [("TB", (1280, 800)), ("LR", (1400, 900)), ("TB", (390, 844)), ("LR", (820, 600))],
)
def test_a_page_opens_with_text_that_can_be_read_and_even_levels(open_page, grown, size, orientation):
    page = open_page(grown.to_html(orientation=orientation), viewport={"width": size[0], "height": size[1]})
    assert page.evaluate(LEAST_TEXT) >= 10.99
    nodes = shown(page)
    assert all(seen(page, node) for node in nodes) and nodes[0] == 0
    depths = grown.tree_.depths
    deepest = max(int(depths[node]) for node in nodes)
    parents = {int(grown.tree_.parent[node]) for node in nodes if node}
    for node in nodes:  # every node above the last two levels is unfolded: no side is deeper by two
        if depths[node] < deepest - 1 and grown.tree_.feature[node] >= 0:
            assert node in parents


def test_within_the_last_level_the_heaviest_are_unfolded(open_page):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(6000, 12)).astype(float)
    tree = bw.CARTClassifier(max_depth=7).fit(X, rng.integers(0, 2, 6000))
    page = open_page(tree.to_html(), viewport={"width": 1180, "height": 800})
    nodes, depths, weight = shown(page), tree.tree_.depths, tree.tree_.weight
    level = [node for node in nodes if depths[node] == max(depths[k] for k in nodes) - 1]
    parents = {int(tree.tree_.parent[node]) for node in nodes if node}
    opened = [weight[node] for node in level if node in parents]
    folded = [weight[node] for node in level if node not in parents]
    assert opened and folded and min(opened) >= max(folded)


def test_a_small_tree_is_shown_whole_and_needs_no_overview(open_page, tree):
    page = open_page(tree.to_html())
    assert cards(page) == 8 and page.locator(".icicle").is_hidden()
    assert scale(page) > 1


def test_a_wide_split_is_unfolded_though_it_does_not_fit(open_page):
    towns = [f"town {k}" for k in range(10)] * 40
    X = {"town": towns, "x": np.arange(400.0) % 7}
    y = [f"{hash_of(town) % 3}{int(x) % 2}" for town, x in zip(towns, X["x"], strict=True)]
    page = open_page(bw.ID3Classifier().fit(X, y).to_html(), viewport={"width": 1000, "height": 700})
    assert cards(page) > 3 and page.evaluate(LEAST_TEXT) >= 10.99 and seen(page, 0)


def hash_of(text):
    return sum(map(ord, text))


def test_unfold_all_keeps_the_text_readable(open_page, large):
    page = open_page(large.to_html())
    page.click("text=Unfold all")
    assert page.evaluate(LEAST_TEXT) >= 10.99 and seen(page, 0)
    tree = large.tree_
    heaviest = max(tree.children(0), key=lambda child: tree.weight[child])
    assert seen(page, heaviest)
    before = page.locator("[data-node='0']").bounding_box()
    page.mouse.move(300, 400)
    page.mouse.wheel(0, 120)
    card = page.locator("[data-node='0']")
    assert comes_true(page, lambda: card.bounding_box()["y"] == pytest.approx(before["y"] - 120, abs=1))


# ---- moving


def test_a_wheel_scrolls_both_ways_and_a_pinch_zooms(open_page, tree):
    page = open_page(tree.to_html())
    card, before = page.locator("[data-node='0']"), scale(page)
    place = card.bounding_box()
    page.mouse.move(300, 400)
    page.mouse.wheel(70, 0)
    assert comes_true(page, lambda: card.bounding_box()["x"] == pytest.approx(place["x"] - 70, abs=1))
    page.mouse.wheel(0, 50)
    assert comes_true(page, lambda: card.bounding_box()["y"] == pytest.approx(place["y"] - 50, abs=1))
    assert scale(page) == before
    pinch = "new WheelEvent('wheel', { deltaY: -8, ctrlKey: true, cancelable: true })"
    stopped = page.evaluate(f"!document.querySelector('svg.canvas').dispatchEvent({pinch})")
    assert stopped and scale(page) > before * 1.05


def test_two_fingers_zoom(open_page, tree):
    page = open_page(tree.to_html(), has_touch=True, viewport={"width": 1280, "height": 800})
    before = scale(page)
    fingers = page.context.new_cdp_session(page)

    def touch(kind, *places):
        points = [{"x": x, "y": 500, "id": number} for number, x in enumerate(places)]
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", 300, 400)
    for right in (420, 460, 500):
        touch("touchMove", 300, right)
    touch("touchEnd")
    assert comes_true(page, lambda: scale(page) > before * 1.5)


def test_in_a_frame_a_sideways_wheel_moves_the_tree(open_page, tree):
    page = open_page(tree._repr_html_())
    card = page.frame_locator("iframe").locator("[data-node='0']")
    place = card.bounding_box()
    page.mouse.move(300, 300)
    page.mouse.wheel(60, 0)
    assert comes_true(page, lambda: card.bounding_box()["x"] == pytest.approx(place["x"] - 60, abs=1))
    assert card.bounding_box()["y"] == place["y"]


def test_panning_from_afar_draws_no_card_anew(open_page, large):
    page = open_page(large.to_html())
    page.click("text=Unfold all")
    page.click("[data-do='fit']")
    page.wait_for_timeout(400)  # until the movement has ended
    assert page.locator("svg.canvas .card").count() > 1000
    assert page.evaluate(DRAWN_ANEW) == 0


DRAWN_ANEW = """async () => {
  const canvas = document.querySelector("svg.canvas");
  let drawn = 0;
  const count = (changes) => {
    for (const { addedNodes, removedNodes } of changes) drawn += addedNodes.length + removedNodes.length;
  };
  const pan = async () => {
    canvas.dispatchEvent(new WheelEvent("wheel", { deltaX: 40, deltaY: 9, cancelable: true }));
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
  };
  await pan(); // draws what is around the window
  const watch = new MutationObserver(count);
  watch.observe(canvas, { childList: true, subtree: true });
  for (let k = 0; k < 8; k++) await pan();
  count(watch.takeRecords());
  watch.disconnect();
  return drawn;
}"""


# ---- directions


def test_left_to_right_children_stand_right_of_their_parents(open_page, tree):
    page = open_page(tree.to_html(orientation="LR"))
    box = [page.locator(f"[data-node='{node}'] .paper").bounding_box() for node in range(8)]
    for node in range(8):
        for child in tree.tree_.children(node):
            assert box[child]["x"] > box[node]["x"] + box[node]["width"]
    assert box[4]["y"] > box[2]["y"] - 100 and box[1]["x"] == box[2]["x"] == box[3]["x"]
    for a in range(8):
        for b in range(a):
            apart = abs(box[a]["y"] - box[b]["y"]) >= box[a]["height"] or box[a]["x"] != box[b]["x"]
            assert apart, (a, b)
    assert page.locator("[data-do='turn']").get_attribute("aria-pressed") == "true"
    with pytest.raises(ParameterError, match="orientation='RL'"):
        tree.to_html(orientation="RL")


def test_arrow_keys_follow_the_direction(open_page, tree):
    page = open_page(tree.to_html(orientation="LR"))
    page.focus("svg.canvas")
    for key, node in [
        ("ArrowRight", 1),
        ("ArrowDown", 2),
        ("ArrowRight", 4),
        ("ArrowDown", 5),
        ("ArrowLeft", 2),
    ]:
        page.keyboard.press(key)
        assert active(page) == node, key


@pytest.fixture
def open_file(browser, tmp_path):
    """Open a page as a file, which has an address and a memory."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    troubles = []

    def open_at(text, anchor="", page=None):
        path = tmp_path / "tree.html"
        path.write_text(text, encoding="utf-8")
        page = page or context.new_page()
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("request", lambda asked: troubles.append(asked.url) if asked.url.startswith("http") else None)
        page.goto(f"{path.as_uri()}{anchor}")
        return page

    yield open_at
    context.close()
    assert troubles == []


def test_the_direction_is_remembered_for_the_session(open_file, tree):
    page = open_file(tree.to_html())
    page.click("[data-do='turn']")
    page.reload()
    assert page.locator("[data-do='turn']").get_attribute("aria-pressed") == "true"
    page.click("[data-do='turn']")
    root, child = (page.locator(f"[data-node='{node}']").bounding_box() for node in (0, 1))
    assert child["y"] > root["y"] + root["height"]


# ---- the overview


def test_a_tree_that_does_not_fit_has_an_overview_by_rows(open_page, grown):
    page = open_page(grown.to_html())
    overview = page.locator(".icicle svg[role='img']")
    assert overview.is_visible() and "as wide as its share of the rows" in overview.get_attribute(
        "aria-label"
    )
    box, tree = overview.bounding_box(), grown.tree_
    left, right = tree.children(0)
    share = tree.weight[left] / tree.weight[0]
    for part, node in ((share / 2, left), (share + (1 - share) / 2, right)):
        overview.click(position={"x": box["width"] * part, "y": 16})
        assert f"Node {node} " in panel(page) and seen(page, node)
    colours = page.locator(".icicle .cells path").evaluate_all(
        "(paths) => paths.map((path) => path.style.fill)"
    )
    assert {re.search(r"--f\d+", colour)[0] for colour in colours} == {"--f0", "--f1", "--f2"}


def test_a_click_in_the_overview_goes_to_a_node_that_is_folded_away(open_page, large):
    page = open_page(large.to_html())
    overview = page.locator(".icicle svg[role='img']")
    box = overview.bounding_box()
    before = set(shown(page))
    overview.click(position={"x": box["width"] * 0.5, "y": box["height"] * 0.6})
    node = int(re.search(r"Node (\d+)", panel(page))[1])
    assert node not in before and seen(page, node)


def test_the_overview_marks_what_is_in_the_window(open_page, grown):
    page = open_page(grown.to_html())
    frame = page.locator(".icicle .window")
    first = frame.get_attribute("d")
    assert first.startswith("M") and "NaN" not in first
    wide = frame.bounding_box()["width"]
    assert wide == pytest.approx(page.locator(".icicle").bounding_box()["width"], abs=8)
    for _ in range(6):
        page.click("[data-do='larger']")
    assert comes_true(page, lambda: frame.get_attribute("d") != first)


# ---- shading, legend, words


def shades(page):
    script = "(cards) => cards.map((card) => [card.dataset.node, card.style.getPropertyValue('--shade')])"
    return {int(node): shade for node, shade in page.locator("[data-node]").evaluate_all(script)}


def test_a_class_of_the_legend_shades_cards_by_its_share(open_page, tree):
    model = replace(tree.model_, target="PlayTennis")
    page = open_page(to_html(model, unit="bits", title="Tennis"))
    legend = page.locator(".legend")
    assert legend.inner_text().split() == ["PlayTennis:", "No", "Yes"]
    yes = legend.get_by_role("button", name="Yes")
    yes.click()
    assert yes.get_attribute("aria-pressed") == "true"
    found = shades(page)
    shares = tree.tree_.value[:, list(model.labels).index("Yes")]
    for node, shade in found.items():
        assert float(re.search(r"([\d.]+)%", shade)[1]) == pytest.approx(36 * shares[node], abs=0.06)
    fill = "(card) => getComputedStyle(card).fill"
    assert page.locator("[data-node='1'] .paper").evaluate(fill) != page.locator(
        "[data-node='6'] .paper"
    ).evaluate(fill)
    assert page.locator(".branch").first.evaluate("(line) => line.style.getPropertyValue('--shade')") != ""
    yes.click()
    assert set(shades(page).values()) == {""} and yes.get_attribute("aria-pressed") == "false"


def test_numbers_are_shaded_by_value_and_have_four_digits(open_page):
    rng = np.random.default_rng(0)
    X = {"x": rng.normal(size=300)}
    tree = bw.CARTRegressor(max_depth=2).fit(
        X, 15_915_334.3626 + 4_000_000 * (X["x"] > 0) + rng.normal(size=300)
    )
    page = open_page(tree.to_html())
    page.click("[data-shade='value']")
    found = shades(page)
    lowest = int(np.argmin(tree.tree_.value[:, 0]))
    highest = int(np.argmax(tree.tree_.value[:, 0]))
    assert " 0.0%" in found[lowest] and " 36.0%" in found[highest]
    facts = page.locator("[data-node='0'] .facts").all_text_contents()
    assert re.fullmatch(r"1\d\.\d\d M ± [\d.]+ M", facts[1])
    page.hover("[data-node='0']")
    assert f"{tree.tree_.value[0, 0]:.2f}" in page.locator(".tooltip").inner_text()


def test_labels_never_run_into_counts(open_page):
    X = {"x": np.arange(20.0)}
    tree = bw.StumpClassifier().fit(X, [0] * 13 + [1] * 7)
    page = open_page(tree.to_html())
    assert page.locator("[data-node='0'] .facts").all_text_contents() == ["20 rows", "0: 13 (65%)"]
    assert page.locator("[data-node='1'] .facts").all_text_contents() == ["13 rows", "0: 13 (100%)"]


def test_missing_is_named_only_where_training_had_missing_values(open_page):
    x = np.arange(40.0)
    y = ["a"] * 20 + ["b"] * 20
    whole = open_page(bw.CARTClassifier().fit({"x": x}, y).to_html())
    assert not any("missing" in label for label in whole.locator(".label").all_text_contents())
    x[25:30] = np.nan
    holes = open_page(bw.CARTClassifier().fit({"x": x}, y).to_html())
    assert any("missing" in label for label in holes.locator(".label").all_text_contents())


def test_a_card_is_silent_where_nobody_knows_of_missing_values(open_page):
    rng = np.random.default_rng(0)
    X = {"x": rng.normal(size=80), "c": list(rng.choice([*"pqr"], 80))}
    forest = bw.RandomForestClassifier(3).fit(X, np.where(X["x"] > 0, "a", "b"))
    assert forest.model_.trees[0].missing_weight is None
    page = open_page(forest.model_.member(0).to_html())
    assert not any("missing" in label for label in page.locator(".label").all_text_contents())


def test_many_classes_stay_in_the_legend_and_look_different(open_page):
    labels = [f"class {k}" for k in range(20)]
    tree = bw.TreeClassifier().fit(np.arange(60.0)[:, None], np.repeat(labels, 3))
    page = open_page(tree.to_html())
    assert page.locator(".legend button").all_inner_texts() == sorted(labels)
    looks = page.locator(".legend .swatch").evaluate_all(
        "(dots) => dots.map((dot) => dot.getAttribute('style'))"
    )
    assert len(set(looks)) == 20
    data = to_data(tree.model_, unit="")
    assert (
        len(set(zip(data["colours"], data["patterns"], strict=True))) == 20
        and data["patterns"].count("") == 8
    )
    assert page.locator("svg.canvas pattern").count() == 12
    page.click("text=Unfold all")
    fills = page.locator(".card.leaf circle").evaluate_all(
        "(dots) => dots.map((dot) => dot.getAttribute('fill'))"
    )
    assert any(fill.startswith("url(#") for fill in fills)


# ---- the divider


def test_the_panel_can_be_made_wider_by_mouse_and_keys_and_stays_so(open_file, tree):
    page = open_file(tree.to_html())
    divider, aside = page.get_by_role("separator"), page.locator("aside")
    before = aside.bounding_box()["width"]
    box = divider.bounding_box()
    page.mouse.move(box["x"] + 3, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] - 147, box["y"] + 200, steps=4)
    page.mouse.up()
    assert aside.bounding_box()["width"] == pytest.approx(before + 150, abs=3)
    assert int(divider.get_attribute("aria-valuenow")) == round(aside.bounding_box()["width"])
    divider.focus()
    page.keyboard.press("ArrowRight")
    dragged = aside.bounding_box()["width"]
    assert dragged == pytest.approx(before + 126, abs=3)
    page.reload()
    assert page.locator("aside").bounding_box()["width"] == pytest.approx(dragged, abs=1)
    divider.focus()
    page.keyboard.press("Home")
    assert aside.bounding_box()["width"] == int(divider.get_attribute("aria-valuemin"))
    page.keyboard.press("End")
    assert aside.bounding_box()["width"] == int(divider.get_attribute("aria-valuemax"))
    assert page.locator("svg.canvas").bounding_box()["width"] > 200


# ---- the address


def test_the_address_names_a_node_and_is_kept_up_to_date(open_file, grown):
    leaf = grown.tree_.n_nodes - 1
    page = open_file(grown.to_html(), f"#{leaf}")
    assert f"Node {leaf} " in panel(page) and seen(page, leaf)
    page.locator("svg.canvas").press("Home")
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#0" and page.evaluate("history.length") <= 2
    page.evaluate("location.hash = '#3'")
    assert comes_true(page, lambda: "Node 3 " in panel(page))
    for stranger in ("#999999", "#steps", "#-1"):
        other = open_file(grown.to_html(), stranger)
        assert "Node 0 " in panel(other)


def test_a_part_of_another_page_leaves_the_address_alone(open_page, tree):
    page = open_page(to_html(tree.model_, unit="bits", title="Tennis", embedded=True))
    page.click("[data-node='2']")
    assert page.evaluate("location.hash") == ""


# ---- for everyone


@pytest.mark.parametrize(("orientation", "theme"), [("TB", "light"), ("LR", "dark")])
def test_axe_finds_nothing_in_a_shaded_tree_with_an_overview(open_page, grown, theme, orientation):
    page = open_page(grown.to_html(orientation=orientation), color_scheme=theme, bypass_csp=True)
    for choice in page.locator("[data-shade]").all():
        choice.click()
        found = Axe().run(page).response["violations"]
        assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == []


def test_a_dark_notebook_shows_a_dark_page(browser, tree):
    context = browser.new_context(color_scheme="null")  # as a browser is; a setting of the test would win
    page = context.new_page()
    ground = "getComputedStyle(document.querySelector('.branchwork')).backgroundColor"
    for body, colour in (
        ('data-jp-theme-light="false"', "rgb(28, 34, 43)"),
        ('class="vscode-light"', "rgb(255, 255, 255)"),
    ):
        page.set_content(f"<body {body}>{tree._repr_html_()}</body>")
        page.frame_locator("iframe").locator("[data-node='0']").wait_for()
        assert page.frames[1].evaluate(ground) == colour
    context.close()
