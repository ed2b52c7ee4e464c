"""The page on paper and in files: pictures of what is seen and of the whole tree, and a sheet for the printer."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import branchwork as bw
from open_pages import cards

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def grown():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(900, 4))
    return bw.CARTClassifier(max_depth=6).fit(
        X, np.where(X[:, 0] * X[:, 1] > rng.normal(size=900), "yes", "no")
    )


def saved(page, kind):
    page.click("[data-do='save']")
    with page.expect_download() as download:
        page.click(f"[data-do='{kind}']")
    assert page.locator(".menu").is_hidden()
    return download.value


def titles(picture):
    return [text.text for text in picture.iter(f"{SVG}text") if text.get("font-weight") == "650"][1:]


def test_the_picture_of_what_is_seen_and_of_the_whole_tree(open_page, grown, tmp_path):
    page = open_page(grown.to_html(title="A tree: 1"))
    found = {}
    for part in ("seen", "whole"):
        download = saved(page, f"svg-{part}")
        assert download.suggested_filename == "A-tree-1.svg"
        download.save_as(tmp_path / f"{part}.svg")
        found[part] = (tmp_path / f"{part}.svg").read_text(encoding="utf-8")
    tree = {part: ElementTree.fromstring(text) for part, text in found.items()}
    assert len(titles(tree["seen"])) == cards(page) < len(titles(tree["whole"])) == grown.tree_.n_nodes
    for text in found.values():
        assert (
            "var(" not in text
            and "color-mix" not in text
            and "class=" not in text
            and "http://www.w3" in text
        )
        assert "yes" in text and "<title>A tree: 1</title>" in text


def test_a_picture_stands_alone_as_it_looked(open_page, grown, tmp_path):
    page = open_page(grown.to_html(), color_scheme="dark")
    page.click("[data-shade] >> nth=0")
    fill = page.locator("[data-node='0'] .paper").evaluate(
        """(paper) => {
          const pen = document.createElement("canvas").getContext("2d");
          pen.fillStyle = getComputedStyle(paper).fill;
          pen.fillRect(0, 0, 1, 1);
          return [...pen.getImageData(0, 0, 1, 1).data.slice(0, 3)];
        }"""
    )
    path = tmp_path / "seen.svg"
    saved(page, "svg-seen").save_as(path)
    colour = "#" + "".join(f"{part:02x}" for part in fill)
    assert f'fill="{colour}"' in path.read_text(encoding="utf-8")


def test_a_picture_in_pixels(open_page, grown, tmp_path):
    page = open_page(grown.to_html())
    for part in ("seen", "whole"):
        path = tmp_path / f"{part}.png"
        saved(page, f"png-{part}").save_as(path)
        data = path.read_bytes()
        assert data.startswith(b"\x89PNG\r\n")
        width, height = (int.from_bytes(data[at : at + 4], "big") for at in (16, 20))
        assert width > 1000 and height > 500


def test_hatched_classes_keep_their_patterns_in_a_picture(open_page, tmp_path):
    labels = [f"c{k:02}" for k in range(12)]
    tree = bw.TreeClassifier().fit(np.arange(36.0)[:, None], np.repeat(labels, 3))
    page = open_page(tree.to_html())
    path = tmp_path / "whole.svg"
    saved(page, "svg-whole").save_as(path)
    picture = ElementTree.parse(path)
    names = {pattern.get("id") for pattern in picture.iter(f"{SVG}pattern")}
    used = {one.get("fill")[5:-1] for one in picture.iter() if one.get("fill", "").startswith("url(#")}
    assert len(names) == 4 and used == names


def test_paper_is_white_with_the_tree_above_the_panel(open_page, grown):
    page = open_page(grown.to_html(), color_scheme="dark")
    seen = cards(page)
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    ground = "(element) => getComputedStyle(element).backgroundColor"
    assert page.locator(".branchwork").evaluate(ground) == "rgb(255, 255, 255)"
    sheet = page.locator(".sheet svg")
    assert sheet.locator("rect").nth(1).get_attribute("fill") == "#ffffff"
    assert sheet.locator("text[font-weight='650']").count() == seen
    assert page.locator(".stage").is_hidden() and page.locator(".tools").first.is_hidden()
    panel = page.locator("section.node").bounding_box()
    below = sheet.bounding_box()
    assert panel["y"] >= below["y"] + below["height"] and below["width"] <= 1280
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.locator(".sheet svg").count() == 0


def test_a_tree_too_large_for_a_sheet_is_printed_as_seen(open_page, large):
    page = open_page(large.to_html(), viewport={"width": 1280, "height": 800})  # of its own: it prints
    page.click("text=Unfold all")
    seen = cards(page)
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert 0 < page.locator(".sheet text[font-weight='650']").count() <= seen
