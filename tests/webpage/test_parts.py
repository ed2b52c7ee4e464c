"""What pages have in common is written once, and every page is whole by itself."""

import re
from collections import Counter
from importlib.resources import files

import pytest

import branchwork as bw
from branchwork.webpage.parts import asset, safe_json

ROOMS = ("webpage", "view", "export")


def texts(suffix):
    names = [
        (room, file.name) for room in ROOMS for file in (files(f"branchwork.{room}") / "assets").iterdir()
    ]
    return [asset(room, name) for room, name in sorted(names) if name.endswith(suffix)]


def test_every_colour_is_named_once():
    found = Counter(name for text in texts(".css") for name in re.findall(r"(--[a-z-]+): ", text))
    assert len(found) >= 14 and set(found.values()) == {1}


def test_every_helper_of_all_pages_is_written_once():
    written = r"^(?:export )?(?:const|function) (\w+)"
    common = [
        name
        for file in ("common.mjs", "digits.mjs")
        for name in re.findall(written, asset("webpage", file), flags=re.M)
    ]
    found = Counter(name for text in texts(".mjs") for name in re.findall(written, text, flags=re.M))
    assert {"h", "number", "percent", "rounded"} <= set(common)
    assert {name: found[name] for name in common} == dict.fromkeys(common, 1)


@pytest.mark.parametrize("written", [lambda tree: tree.to_html(), lambda tree: tree.export("questionnaire")])
def test_a_page_imports_nothing(written):
    tennis = bw.datasets.load("play_tennis")
    page = written(bw.ID3Classifier().fit(tennis.X, tennis.y))
    assert not re.search(r'^import |from "\.', page, flags=re.M)
    assert "--ink: light-dark(" in page and "function percent(share)" in page


def test_no_text_ends_the_script_around_it():
    assert safe_json(["</script><!--"]) == r'["\u003c/script>\u003c!--"]'
    with pytest.raises(ValueError, match="JSON"):
        safe_json(float("nan"))
