"""Rules as they are printed: a note where rows are shared, and lists of categories that can be read back."""

import pytest

import branchwork as bw
from branchwork.rules.text import SHARED

FORMS = ("to_text", "to_markdown", "to_latex", "_repr_html_")


@pytest.mark.parametrize("form", FORMS)
def test_rules_of_a_tree_that_shares_rows_say_so(form):
    tennis = bw.datasets.load("play_tennis")
    shared, whole = (kind().fit(tennis.X, tennis.y).rules() for kind in (bw.C45Classifier, bw.ID3Classifier))
    assert SHARED in getattr(shared, form)()
    assert SHARED not in getattr(whole, form)()


def test_categories_with_commas_stand_in_quotes_where_they_are_listed():
    X = {"town": ["Bath, UK", "a{b}", "Ely", "Ryde"] * 5, "size": [*range(20)]}
    y = ["p", "p", "q", "p"] * 5
    tree = bw.CARTClassifier(max_depth=1).fit(X, y)
    assert "town in {'Bath, UK', Ryde, 'a{b}'} → p" in tree.to_text()
    assert "town in {'Bath, UK', Ryde, 'a{b}'} → p" in tree.rules().to_text()
    again = bw.hand_tree(tree.to_text(), tree.schema_)
    assert again.predict(X).tolist() == y
