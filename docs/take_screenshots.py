"""Takes the pictures of docs/page.md, docs/guide/export-sql.md, docs/guide/look.md and docs/guide/judging.md.

Each is taken twice, light and dark; `live_site.py` shows the one that suits the page.

Run python docs/take_screenshots.py, with Chromium and playwright installed.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
from chromium import chromium
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright
from sklearn.datasets import load_iris

import branchwork as bw

PICTURES = Path(__file__).parent / "pictures"


def tennis(page: Page) -> None:
    """A row's way through the tree of the tennis table."""
    table = bw.datasets.load("play_tennis")
    page.set_content(bw.ID3Classifier().fit(table.X, table.y).to_html(title="Tennis or not"))
    page.click("summary")
    page.select_option(".row select >> nth=0", label="Sunny")
    page.select_option(".row select >> nth=1", label="Normal")


def iris(page: Page) -> None:
    """A node of the iris tree: its rule, its rows, its working."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    X.columns = [name.removesuffix(" (cm)") for name in X.columns]
    labels = load_iris().target_names[y]
    page.set_content(bw.C45Classifier().fit(X, labels).to_html(title="Iris"))
    page.click("[data-node='2']")


def look(page: Page) -> None:
    """The patients of docs/guide/look.md."""
    chance = np.random.default_rng(4)
    weight = chance.normal(70, 12, 300).round(1)
    visits = chance.poisson(3, 300)
    town = chance.choice(["Bergen", "Oslo", "Trondheim"], 300)
    ill = np.where(weight + 4 * visits + chance.normal(0, 5, 300) > 82, "ill", "well")
    weight[[7, 90, 211]] = -999
    weight[20:40] = weight[20:40] * 1000
    town[[5, 6]] = ["oslo", "OSLO"]
    state = np.where(ill == "ill", "in bed", "up").tolist()
    X = {
        "patient": np.arange(1, 301),
        "weight": weight,
        "visits": visits,
        "town": town.tolist(),
        "state": state,
    }
    page.set_content(bw.study.look(X, ill).to_html(title="300 patients"))


def report(page: Page) -> None:
    """The report of docs/guide/judging.md, with the leaves of one cell lit."""
    rng = np.random.default_rng(1)
    age, pulse = rng.integers(20, 80, 1500), rng.integers(50, 110, 1500)
    X = {"age": age, "pulse": pulse, "sex": rng.choice(["f", "m"], 1500)}
    risk = 1 / (1 + np.exp(-(0.12 * (age - 60) + 0.06 * (pulse - 85))))
    y = np.where(rng.random(1500) < risk, "ill", "well")
    train, test = (
        {name: cells[rows] for name, cells in X.items()} for rows in (slice(500), slice(1000, 1500))
    )
    tree = bw.CARTClassifier(max_leaf_nodes=8).fit(train, y[:500])
    found = bw.study.report(tree, test, y[1000:], positive="ill", subgroup="sex")
    page.set_content(found.to_html(title="500 patients"))
    page.click("[data-cell='0,1']")


def questionnaire(page: Page) -> None:
    """The end of a questionnaire, one answer of which is not known."""
    table = bw.datasets.load("play_tennis")
    tree = bw.C45Classifier(pruning=None, min_cases=1).fit(table.X, table.y)
    page.set_content(tree.model_.export("questionnaire", title="Tennis or not"))
    page.click("text=Sunny")
    page.click("text=I do not know")


def take(
    browser: Browser, name: str, scene: Callable[[Page], None], width: int = 1280, height: int = 760
) -> None:
    """One picture, in light and in dark."""
    size = {"width": width, "height": height}
    for scheme, end in (("light", ""), ("dark", "-dark")):
        page = browser.new_page(viewport=size, color_scheme=scheme, reduced_motion="reduce")
        scene(page)
        page.mouse.move(2, 2)  # over nothing, so that no tooltip is shown
        taken = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        # 256 colours are enough for flat areas and text, and take half the room.
        taken.quantize(256, dither=Image.Dither.NONE).save(PICTURES / f"{name}{end}.png", optimize=True)
        page.close()


def main() -> None:
    """Take them all."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"]
        )
        take(browser, "page-row", tennis)
        take(browser, "page-node", iris)
        take(browser, "look", look, 1180, 1500)
        take(browser, "report", report, 1280, 1460)
        take(browser, "questionnaire", questionnaire, 720, 640)
        browser.close()


if __name__ == "__main__":
    main()
