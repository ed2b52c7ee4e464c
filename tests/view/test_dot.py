"""DOT: every string closed, every escape meant; Graphviz reads it where there is one."""

import re
import shutil
import subprocess
from dataclasses import replace

import pytest

import branchwork as bw
from branchwork.view.cards import deck
from branchwork.view.dot import quoted
from view import gallery

STRING = r'"(?:[^"\\]|\\.)*"'
ATTRIBUTES = rf"\[(?:\w+={STRING}(?:, )?)+\]"
LINE = re.compile(rf"  (?:(?:graph|node|edge|\d+)|(?:\d+ -> \d+)) {ATTRIBUTES};")


@pytest.fixture(scope="module")
def written():
    return {name: tree.to_dot() for name, (tree, _, _) in gallery.trees().items()}


def test_every_line_is_well_formed(written):
    for name, text in written.items():
        first, *lines, last = text.splitlines()
        assert first == "digraph tree {" and last == "}"
        for line in lines:
            assert LINE.fullmatch(line), (name, line)


def test_nodes_and_edges_are_those_of_the_tree():
    data = bw.datasets.load("play_tennis")
    tree = bw.ID3Classifier().fit(data.X, data.y)
    text = tree.to_dot()
    assert [int(n) for n in re.findall(r"^  (\d+) \[", text, re.M)] == list(range(8))
    edges = re.findall(r"^  (\d+) -> (\d+) \[", text, re.M)
    assert [int(parent) for parent, _ in edges] == tree.tree_.parent[1:].tolist()
    assert '0 [label="Outlook\\n14 rows · Yes: 9 (64%)"' in text and 'label="Overcast"' in text
    assert 'style="dashed"' not in text  # no cell was missing in training
    assert 'rankdir="TB"' in text and 'rankdir="LR"' in tree.to_dot(orientation="LR")
    assert "Down to depth 1: 4 of 8 nodes." in tree.to_dot(max_depth=1)
    assert '"Wind\\n5 rows · Yes: 3 (60%)\\n+ 2 nodes"' in tree.to_dot(max_depth=1)


def test_the_heading_says_what_is_predicted():
    data = bw.datasets.load("play_tennis")
    model = bw.ID3Classifier().fit(data.X, data.y).model_
    assert 'label="play: No, Yes"' in replace(model, target="play").to_dot()
    assert 'label="play: No, Yes\\nDown to depth 1' in replace(model, target="play").to_dot(max_depth=1)
    assert 'rankdir="TB", label=""' in replace(model, target=None).to_dot()


def test_compact_graphs_say_less():
    data = bw.datasets.load("play_tennis")
    tree = bw.ID3Classifier().fit(data.X, data.y)
    lines, marks = tree.to_dot(compact=True), tree.to_dot(compact="marks")
    assert '0 [label="Outlook"' in lines and "14 rows" not in re.sub('tooltip="[^"]*"', "", lines)
    assert "label=" not in "".join(line for line in marks.splitlines() if "->" in line)
    assert 'label=""' in marks and "fixedsize" in marks


def test_hatched_classes_have_stripes():
    tree, _, _ = gallery.trees()["many classes"]
    shown = deck(tree.model_)
    for card in shown.cards:
        if card.is_leaf:
            line = next(line for line in tree.to_dot().splitlines() if line.startswith(f"  {card.node} ["))
            assert ('style="striped"' in line) == (shown.key.pattern(card.decision) != "")


def test_strings_come_back_as_they_were():
    for text in [*gallery.HOSTILE, 'a"b', "\\", '\\"', "&lt;", "a\\nb"]:
        shown = quoted(text)
        assert re.fullmatch(STRING, shown, re.DOTALL)
        back = re.sub(r"\\(.)", r"\1", shown[1:-1], flags=re.DOTALL).replace("&amp;", "&")
        assert back == text


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_draws_it(written):
    for name, text in written.items():
        done = subprocess.run(
            ["dot", "-Tsvg"], input=text, capture_output=True, text=True, encoding="utf-8", check=False
        )
        assert done.returncode == 0 and "<svg" in done.stdout, (name, done.stderr)
