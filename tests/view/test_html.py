"""The page as text, in a file, in a notebook."""

import html
import json
import re
import sys
from importlib.resources import files

import numpy as np
import pytest
import sklearn

import branchwork as bw
from branchwork.errors import MissingExtraError
from branchwork.view.html import MODULES, script, style

from registry import ESTIMATORS


@pytest.fixture
def tree(tennis):
    return bw.ID3Classifier().fit(tennis.X, tennis.y)


def test_the_page_is_one_file_that_names_no_other(tree):
    page = tree.to_html()
    assert page.startswith("<!doctype html>") and page.count("<script") == page.count("</script>") == 2
    assert not re.search(r"""(src|href)=["'](?!data:,)""", page)
    assert "default-src 'none'" in page and 'from "./' not in page
    assert not re.search(r"^import ", page, flags=re.M)


def test_the_same_tree_is_the_same_page(tennis, tree):
    assert bw.ID3Classifier().fit(tennis.X, tennis.y).to_html() == tree.to_html()


def test_the_modules_are_in_the_package_short_and_of_one_idea():
    folder = files("branchwork.view") / "assets"
    others = {"report.mjs", "ensemble.mjs", "tree.css", "panel.css", "ensemble.css", "look.css", "report.css"}
    assert {f"{name}.mjs" for name in MODULES} | others == {file.name for file in folder.iterdir()}
    assert all(len(file.read_text(encoding="utf-8").splitlines()) <= 500 for file in folder.iterdir())
    assert "</script" not in script() and "<!--" not in script() and "</style" not in style()


def test_the_title_is_told_and_escaped(tree):
    assert "<title>ID3Classifier</title>" in tree.to_html()
    assert "<title>&lt;/title&gt;&amp;\\x00</title>" in tree.to_html(title="</title>&\0")


@pytest.mark.parametrize("factory", ESTIMATORS)
def test_every_tree_has_a_page(factory):
    X, y = np.arange(60.0).reshape(-1, 2), np.repeat([0, 1, 2], 10)
    assert len(factory().fit(X, y).to_html()) > len(script())


def test_the_page_is_written_to_a_file(tree, tmp_path):
    path = tmp_path / "tree.html"
    assert tree.to_html(path) == path and path.read_text(encoding="utf-8") == tree.to_html()
    assert tree.to_html(str(path), title="again") == path


def test_a_notebook_shows_the_page_in_a_frame(tree):
    frame = tree._repr_html_()
    assert frame.count("<iframe") == 1 and "<script" not in frame
    assert 'sandbox="allow-scripts allow-downloads"' in frame
    page = html.unescape(re.search(r'srcdoc="([^"]*)"', frame)[1])
    assert "embedded: true });" in page
    assert page.replace("embedded: true });", "embedded: false });") == tree.to_html()
    assert tree._repr_mimebundle_()["text/html"] == frame


def test_without_a_tree_a_notebook_shows_what_scikit_learn_shows():
    estimator = bw.ID3Classifier()
    assert "<iframe" not in estimator._repr_html_() and "ID3Classifier" in estimator._repr_html_()
    assert "<iframe" not in estimator._repr_mimebundle_()["text/html"]
    with pytest.raises(sklearn.exceptions.NotFittedError):
        estimator.to_html()


def test_scikit_learn_s_setting_for_text_is_obeyed(tree):
    with sklearn.config_context(display="text"):
        assert not hasattr(tree, "_repr_html_")
        assert set(tree._repr_mimebundle_()) == {"text/plain"}


def test_a_large_tree_does_not_swell_the_notebook():
    rng = np.random.default_rng(0)
    large = bw.ID3Classifier().fit(rng.normal(size=(3000, 2)), rng.integers(0, 2, 3000))
    assert large.tree_.n_nodes > 1000 and "<iframe" not in large._repr_html_()


def test_the_widget_is_the_same_module(tree):
    pytest.importorskip("anywidget")
    widget = tree.widget(title="Tennis")
    assert str(widget._esm) == script() and "export default { render };" in script()
    assert json.loads(widget.data)["nodes"]["condition"][1] == "Outlook = Overcast"
    assert (widget.title, widget.selected) == ("Tennis", 0)
    widget.selected = 3
    for stranger in (-1, 8):
        with pytest.raises(Exception, match=rf"selected={stranger}; the tree has nodes 0 to 7\."):
            widget.selected = stranger
    assert widget.get_state()["selected"] == 3 and "n_nodes" not in widget.get_state()


def test_without_anywidget_the_install_line_is_told(tree, monkeypatch):
    from branchwork.view import widget

    widget._widget_class.cache_clear()
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(MissingExtraError, match=r'pip install "branchwork\[notebook\]"'):
        tree.widget()
