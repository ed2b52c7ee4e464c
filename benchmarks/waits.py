"""What a person waits for, each beside a limit: clicks in a page of 9 999 nodes, explanations, refusals."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from timing import Figure, LeftOutError, Settings, at_most, repeated

import branchwork as bw
from branchwork.errors import ParameterError
from branchwork.estimators._parameters import check_parameters
from branchwork.view.layout import tidy
from branchwork.view.page import to_data

sys.path.append(str(Path(__file__).parents[1] / "docs"))

TIMES = """async (act) => {
  const frame = () => new Promise(requestAnimationFrame);
  const times = [];
  for (let k = 0; k < 15; k++) {
    await frame();
    const begin = performance.now();
    act(k);
    times.push(performance.now() - begin);
  }
  return times.sort((a, b) => a - b)[7] / 1000;
}"""
"""The median of the time that the page itself takes, in seconds."""
CLICK = """() => (%s)((k) => {
  document.querySelectorAll("[data-node]")[k + 1].dispatchEvent(new MouseEvent("click", { bubbles: true }));
  document.querySelector("section.node").getBoundingClientRect();
})"""
SLIDER = """() => (%s)((k) => {
  const slider = document.querySelector(".slider input[type=range]");
  slider.value = String(Number(slider.min) + (k / 15) * (slider.max - slider.min));
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  document.querySelector(".answer").getBoundingClientRect();
})"""
PANNING = """async () => {
  const canvas = document.querySelector("svg.canvas"), asked = window.requestAnimationFrame, times = [];
  window.requestAnimationFrame = (act) => asked((now) => {
    const begin = performance.now();
    act(now);
    canvas.getBoundingClientRect();
    times.push(performance.now() - begin);
  });
  for (let k = 0; k < 30; k++) {
    const step = { deltaX: k < 15 ? 40 : -40, deltaY: 9, cancelable: true };
    canvas.dispatchEvent(new WheelEvent("wheel", step));
    await new Promise((done) => asked(done));
  }
  window.requestAnimationFrame = asked;
  return times.sort((a, b) => a - b)[times.length >> 1] / 1000;
}"""


def figures(settings: Settings) -> Iterator[Figure]:
    """Time each wait against its number of seconds."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40_000, 10)), rng.integers(0, 5, 40_000)
    tree = bw.TreeClassifier(max_leaf_nodes=10_000).fit(X, y)
    page = bw.CARTClassifier(max_leaf_nodes=5000).fit(X[:, :8], y % 4)
    model, chain = page.model_, _chain(20_000)
    given = model.table(X[:, :8]), model.target_of(y % 4)
    clock = repeated(max(1, settings.rounds))
    waits: dict[str, tuple[float, Callable[[], Any]]] = {
        "why, with a tree of 10 000 leaves": (0.5, lambda: tree.why(X[0])),
        "a mistaken name of 20 000 letters": (0.5, _refused(20_000)),
        "parameters of an estimator": (50e-6, lambda: check_parameters(tree)),
        "layout of a chain of 20 000 levels": (1.0, lambda: tidy(chain, [30.0] * 40_001, [20.0] * 40_001)),
        "rows of a page of 9 999 nodes": (3.0, lambda: to_data(model, unit="", data=given)),
    }
    for work, (seconds, job) in waits.items():
        yield Figure(work, f"a limit of {seconds:g} s", seconds, clock(job), at_most(1))
    yield from _in_a_page(page.to_html(X[:, :8], y % 4))


def _in_a_page(text: str) -> Iterator[Figure]:
    from chromium import chromium

    path = chromium()
    if path is None:
        raise LeftOutError("Chromium is not installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        page.set_content(text)
        found = {"a click in a page of 9 999 nodes": (0.1, page.evaluate(CLICK % TIMES))}
        page.click("text=Unfold all")
        found["a click, all unfolded"] = (0.1, page.evaluate(CLICK % TIMES))
        found["a frame of panning, all unfolded"] = (0.032, page.evaluate(PANNING))
        page.click("[data-do='fit']")
        found["a frame of panning from afar"] = (0.032, page.evaluate(PANNING))
        page.click(".follow summary")
        found["a step of a slider"] = (0.1, page.evaluate(SLIDER % TIMES))
        browser.close()
    for work, (limit, took) in found.items():
        yield Figure(work, f"a limit of {limit:g} s", limit, took, at_most(1))


def _chain(levels: int) -> list[list[int]]:
    """The children of a tree of which one side is a leaf on every level."""
    children: list[list[int]] = [[] for _ in range(2 * levels + 1)]
    spine = 0
    for node in range(1, 2 * levels, 2):
        children[spine] = [node, node + 1]
        spine = node
    return children


def _refused(letters: int) -> Callable[[], None]:
    chance = random.Random(0)
    name, mistaken = ("".join(chance.choices("abcdefghij", k=letters)) for _ in range(2))
    X, y = {name: [1.0, 2.0, 1.0, 2.0]}, [0, 1, 0, 1]

    def refuse() -> None:
        try:
            bw.TreeClassifier(categorical_features=[mistaken]).fit(X, y)
        except ParameterError:
            return
        raise AssertionError("the name was taken")

    return refuse
