"""Rare categories in words and pictures: counted as one item, never listed by the hundred."""

import json

import pandas as pd
import pytest

import branchwork as bw
from branchwork.table.schema import Column
from branchwork.tree.split import Other, group_text, rare_together
from branchwork.view.html import script
from branchwork.view.page import to_data

COMMON = "AA", "BB", "CC"
ROWS = [
    *(("AA", "yes") for _ in range(30)),
    *(("BB", "no") for _ in range(30)),
    *(("CC", "yes") for _ in range(30)),
    *((f"rare{k:03d}", "no" if k % 10 else "yes") for k in range(200)),
]
FRAME, Y = pd.DataFrame({"ticket": [row[0] for row in ROWS]}), [row[1] for row in ROWS]


@pytest.fixture(scope="module")
def tree():
    return bw.CARTClassifier(min_category_rows=2, max_depth=1).fit(FRAME, Y)


def test_a_group_says_how_many_others_there_are():
    column = Column("x", "nominal", (*"abcdefgh",), rare=(5, 6, 7))
    assert rare_together((*"ab",), column) == (*"ab",)
    assert rare_together((*"afgh",), column) == ("a", Other(3))
    assert rare_together((*"af",), column) == (*"af",)  # a single one is told by its name
    assert group_text(rare_together((*"fgh",), column)) == "other (3 values)"
    assert group_text(rare_together((*"abcfgh",), column)) == "a, b, c, other (3 values)"
    assert group_text(rare_together((*"abcdefgh",), column)) == "a, b, … 3 more, other (3 values)"


def test_true_and_1_are_different_categories():
    column = Column("x", "nominal", (True, 1, 2), rare=(1, 2))
    assert rare_together((True, 1, 2), column) == (True, Other(2))


def test_text_tree(tree):
    assert tree.to_text().splitlines() == [
        "all rows                                    290 rows  no: 210 (72%)  yes: 80 (28%)",
        "├─ ticket in {AA, CC} → yes                  60 rows  yes: 60 (100%)",
        "└─ ticket in {BB, other (200 values)} → no  230 rows  no: 210 (91%)  yes: 20 (9%)",
    ]


@pytest.mark.parametrize(
    "shown",
    [
        lambda tree: tree.to_text(),
        lambda tree: tree.to_svg(),
        lambda tree: tree.to_dot(),
        lambda tree: tree.rules().to_text(),
        lambda tree: tree.why({"ticket": "AA"}).to_text(),
        lambda tree: tree.working(0).to_text(),
        lambda tree: tree.working(0, FRAME, Y, style="lecture").to_text(),
    ],
    ids=["text", "svg", "dot", "rules", "why", "working", "lecture"],
)
def test_no_view_lists_rare_names(tree, shown):
    text = shown(tree)
    assert "other (200 values)" in text
    assert "rare0" not in text


def test_a_row_with_a_rare_value_is_explained_by_its_own_name(tree):
    text = tree.why({"ticket": "rare007"}).to_text()
    assert "it is rare007" in text
    assert "rare008" not in text


def test_data_keep_the_exact_sets(tree):
    assert len(tree.to_dict()["values"][1]) == 201
    assert "rare199" in tree.export("python")


def test_the_page_knows_them_by_code(tree):
    (column,) = to_data(tree.model_, unit="")["columns"]
    assert [column["texts"][code] for code in column["rare"]] == [f"rare{k:03d}" for k in range(200)]
    plain = bw.CARTClassifier().fit(FRAME.head(90), Y[:90])
    assert "rare" not in to_data(plain.model_, unit="")["columns"][0]


def test_the_page_counts_them_in_a_rule_in_full(tree, browser):
    blank = browser.new_page()
    blank.add_script_tag(content=f"{script()}\nwindow.page = {{ readTree, ruleOf }};", type="module")
    blank.wait_for_function("window.page")
    several = bw.TreeClassifier(nominal="subset", min_category_rows=2, max_depth=1).fit(
        pd.DataFrame(
            {"ticket": [f"{t}{k % 3}" if t in COMMON else t for k, t in enumerate(FRAME["ticket"])]}
        ),
        Y,
    )
    data = json.dumps(to_data(several.model_, unit=""))
    rule = blank.evaluate("(data) => page.ruleOf(page.readTree(JSON.parse(data)), 2)", data)
    blank.close()
    assert rule.startswith("if ticket in {BB0, BB1, BB2, other (200 values)}\n")
