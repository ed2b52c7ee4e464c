"""The proof of an optimal tree, where a reader looks: the working of a node, the page, and a model file."""

import json

import pytest

import branchwork as bw
from branchwork.errors import ModelFormatError
from branchwork.store.proof import proof_as_json, proof_from
from branchwork.tree.proof import Proof
from branchwork.view.page import to_data
from branchwork.view.proof_words import how_good, how_known, proof_sentences

DAYS = bw.datasets.milk_allergy()


@pytest.fixture(scope="module")
def tree():
    return bw.OptimalTreeClassifier(max_depth=2).fit(DAYS.X, DAYS.y)


@pytest.mark.parametrize(
    ("proof", "words"),
    [
        (Proof(5, 5, "proven"), "no tree within these limits is better (objective 5, proven)"),
        (Proof(5, 0, "not_searched"), "objective 5, without a proof"),
        (Proof(5, 3, "gap"), "objective 5, lower bound 3, gap 2, as close as max_gap asks for"),
        (
            Proof(5, 3, "memory"),
            "objective 5, lower bound 3, gap 2: the search was ended by its memory limit",
        ),
        (
            Proof(5, 3, "interrupted"),
            "objective 5, lower bound 3, gap 2: the search was ended by an interrupt",
        ),
    ],
)
def test_how_good_the_tree_is(proof, words):
    assert how_good(proof) == words


def test_every_bound_says_what_it_ruled_out():
    names = ("subproblems", "cuts", "closed_interval", "closed_moved", "closed_rows", "cache_hits")
    counts = dict(zip(names, range(11, 17), strict=True))
    told = how_known(Proof(0, 0, "proven", counts=counts))
    for number in counts.values():
        assert str(number) in told
    assert how_known(Proof(0, 0, "proven")) == ""


def test_the_working_tells_the_proof(tree):
    root, below = str(tree.working(0)), str(tree.working(2))
    good = "o tree within these limits is better (objective 0, proven)."
    assert f"N{good}" in root and "Subproblems solved: " in root
    assert f"The whole tree: n{good}" in below and "Subproblems" not in below
    assert good in str(tree.working(0, X=DAYS.X, y=DAYS.y))
    assert good not in str(tree.working(0, X=DAYS.X.take([0, 1, 2]), y=DAYS.y[:3]))
    assert good in str(tree.working(0, X=DAYS.X, y=DAYS.y, style="lecture"))


def test_the_page_tells_the_proof(tree):
    data = to_data(tree.model_, unit="error rate")["proof"]
    assert data == {
        "root": proof_sentences(tree.model_.proof, 0),
        "below": proof_sentences(tree.model_.proof, 1),
    }
    assert "objective 0, proven" in tree.to_html()
    cart = bw.CARTClassifier().fit(DAYS.X, DAYS.y)
    assert to_data(cart.model_, unit="gini")["proof"] == {"root": [], "below": []}


def test_the_panel_of_the_page_shows_it(tree, open_page):
    page = open_page(tree.to_html())
    assert "No tree within these limits is better" in page.locator("section.node p.proof").first.inner_text()


def test_a_pruned_tree_has_no_proof(tree):
    assert tree.prune("cost_complexity", alpha=1.0).model_.proof is None
    assert tree.model_.prune("cost_complexity", alpha=1.0).proof is None
    held = bw.OptimalTreeClassifier(max_depth=2).fit(
        DAYS.X, DAYS.y, X_val=DAYS.X, y_val=["well"] * len(DAYS.y)
    )
    assert held.model_.proof is None and held.get_n_leaves() == 1


def test_a_model_file_keeps_the_proof_but_not_the_work(tree, tmp_path):
    for name in ("tree.bw", "tree.json"):
        bw.save(tree, tmp_path / name)
        again = bw.load(tmp_path / name)
        assert again.proof == tree.model_.proof and again.proof.counts == {}
        assert "objective 0, proven" in str(again.working(0)) and "Subproblems" not in str(again.working(0))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"lower_bound": 7.0}, "expected 0 <= lower_bound <= objective"),
        ({"ending": "soon"}, "proof.ending"),
        ({"objective": "many"}, "proof.objective"),
    ],
)
def test_a_proof_that_cannot_be_is_refused(change, complaint):
    good = json.loads(json.dumps(proof_as_json(Proof(5, 3, "time"))))
    assert proof_from(good) == Proof(5, 3, "time")
    with pytest.raises(ModelFormatError, match=complaint):
        proof_from({**good, **change})
