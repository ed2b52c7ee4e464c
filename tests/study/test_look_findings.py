"""Each of the twelve defects is found where it was planted, with a fix that removes it; clean tables raise no alarm."""

import datetime

import numpy as np
import pytest

import branchwork as bw
from branchwork.study.look_find_column import missing_word
from branchwork.study.look_find_spelling import one_slip, similar_spelling, spelling, spelling_key
from branchwork.study.look_find_values import unreasonable
from branchwork.study.look_finding import KINDS
from branchwork.study.look_profile import profile_of
from branchwork.table.cells import factorised
from branchwork.table.schema import Column
from study.look_tables import CLEAN, changed, mixed_table, regression_table, with_rows

N = 300


def numbers(cells):
    return profile_of(Column("x", "numeric"), np.asarray(cells, float))


def words(cells):
    return profile_of(*factorised("x", list(cells)))


def found(columns, y, kind):
    """Return the only finding, which must be of this kind."""
    seen = bw.study.look(columns, y)
    assert [one.kind for one in seen.findings] == [kind], [one.message for one in seen.findings]
    return seen.findings[0]


def after_fix(columns, y, finding):
    """Return the kinds of findings that are left when the fix was applied."""
    done = bw.study.clean(columns, y, finding)
    return [one.kind for one in bw.study.look(done.table, done.y).findings]


def planted():
    """Give the name of each defect, its column, and the table that has it."""
    columns, y = mixed_table()
    chance = np.random.default_rng(5)
    some = np.sort(chance.choice(N, 30, replace=False))
    few = some[:6]
    town = columns["town"]
    yield "constant", "const", {**columns, "const": [7] * N}, y
    yield "constant", "const", {**columns, "const": [None, *["same"] * (N - 1)]}, y
    yield "empty", "hole", {**columns, "hole": [np.nan] * N}, y
    yield "empty", "hole", {**columns, "hole": [None] * N}, y
    yield "identifier", "id", {**columns, "id": np.arange(1000, 1000 + N)}, y
    yield "identifier", "id", {**columns, "id": chance.permutation(N).astype(float)}, y
    yield "identifier", "id", {**columns, "id": chance.integers(10**8, 10**9, N)}, y
    yield "identifier", "id", {**columns, "id": [f"p-{k:04d}" for k in chance.permutation(N)]}, y
    yield "outlier", "weight", changed(columns, "weight", 17, 70 + 12 * 10.0), y
    yield "outlier", "weight", changed(columns, "weight", 17, -50.0), y
    yield "outlier", "visits", changed(columns, "visits", 17, 5_000.0), y
    yield "outlier", "income", changed(columns, "income", 17, 1e9), y
    for rows in (few[:1], few[:2], some):
        yield "sentinel", "weight", changed(columns, "weight", rows, -999.0), y
    yield "sentinel", "visits", changed(columns, "visits", few, 99.0), y
    yield "sentinel", "visits", changed(columns, "visits", some, -999.0), y
    for factor in (1000.0, 1 / 1000):
        for rows in (few, some):
            cells = columns["weight"][rows] * factor
            yield "unit", "weight", changed(columns, "weight", rows, cells), y
    yield "mixed", "weight", changed(columns, "weight", 40, "about 80"), y
    yield "spelling", "town", changed(columns, "town", few, [town[r].upper() for r in few]), y
    yield "spelling", "town", changed(columns, "town", few, [f" {town[r].lower()}" for r in few]), y
    yield "similar_spelling", "town", changed(columns, "town", [town.index("Aberdeen")], "Abberdeen"), y
    yield "similar_spelling", "town", changed(columns, "town", [town.index("São Paulo")], "Sao-Paulo"), y
    yield "duplicate_rows", None, with_rows(columns, some), [*y, *(y[r] for r in some)]
    yield "duplicate_rows", None, with_rows(columns, few[:1]), [*y, y[few[0]]]
    yield "same_column", "again", {**columns, "again": columns["weight"]}, y
    yield "same_column", "pounds", {**columns, "pounds": 2.2046 * columns["weight"] - 3}, y
    yield "same_column", "code", {**columns, "code": [ord(name[0]) for name in town]}, y
    yield "target_copy", "copy", {**columns, "copy": y}, y
    yield "target_copy", "copy", {**columns, "copy": [1.5 if label == "ill" else 0 for label in y]}, y
    other = ["well" if y[r] == "ill" else "ill" for r in few]
    yield "contradictory_rows", None, with_rows(columns, few), [*y, *other]


@pytest.mark.parametrize("case", list(planted()), ids=lambda case: f"{case[0]}-{case[1]}")
def test_a_planted_defect_is_found_and_its_fix_removes_it(case):
    kind, column, columns, y = case
    finding = found(columns, y, kind)
    assert finding.column == column
    assert finding.message.endswith(".") and (column is None or repr(column) in finding.message)
    assert after_fix(columns, y, finding) == []


def test_all_defects_are_planted():
    wanted = {
        *("constant", "empty", "identifier", "outlier", "sentinel", "unit", "mixed", "spelling"),
        *("similar_spelling", "duplicate_rows", "same_column", "target_copy", "contradictory_rows"),
    }
    assert {case[0] for case in planted()} == wanted and wanted <= set(KINDS)


def regression_cases():
    columns, y = regression_table()
    some = np.arange(0, N, 37)
    yield "target_copy", "copy", {**columns, "copy": 2 * y + 7}, y
    yield "target_copy", "copy", {**columns, "copy": np.exp(y / 50)}, y
    yield "duplicate_rows", None, with_rows(columns, some), np.concatenate([y, y[some]])
    yield "contradictory_rows", None, with_rows(columns, some), np.concatenate([y, y[some] + 2 * y.std()])


@pytest.mark.parametrize("case", list(regression_cases()), ids=lambda case: case[0])
def test_a_defect_beside_a_numeric_target_is_found(case):
    kind, column, columns, y = case
    finding = found(columns, y, kind)
    assert finding.column == column and after_fix(columns, y, finding) == []


@pytest.mark.parametrize("name", CLEAN)
def test_a_clean_table_raises_no_alarm(name):
    columns, y = CLEAN[name]
    assert len(CLEAN) == 10
    assert [one.message for one in bw.study.look(columns, y).findings] == []


def test_a_finding_says_where_and_how_many():
    columns, y = mixed_table()
    outlier = found(changed(columns, "weight", 17, 1e6), y, "outlier")
    assert (outlier.rows, outlier.count) == ((17,), 1) and "row 17: 1000000" in outlier.message
    sentinel = found(changed(columns, "weight", [3, 9], -999.0), y, "sentinel")
    assert (sentinel.rows, sentinel.count) == ((3, 9), 2)
    assert str(sentinel.fix) == "blank_values('weight', values=[-999.0])"
    unit = found(changed(columns, "weight", [3, 9, 11], columns["weight"][[3, 9, 11]] * 1000), y, "unit")
    assert unit.rows == (3, 9, 11) and unit.fix.options["factor"] == 1000
    mixed = found(changed(columns, "weight", 40, "about 80"), y, "mixed")
    assert mixed.rows == (40,) and "row 40: 'about 80'" in mixed.message
    copies = found(with_rows(columns, [5]), [*y, y[5]], "duplicate_rows")
    assert copies.rows == (N,) and f"row {N} is the same as row 5" in copies.message
    assert copies.to_dict()["fix"] == {"name": "drop_duplicate_rows", "column": None, "options": {}}


def test_findings_come_in_the_order_of_their_kinds():
    columns, y = mixed_table()
    columns = {**columns, "copy": y, "const": [1] * N, "hole": [None] * N}
    kinds = [one.kind for one in bw.study.look(columns, y).findings]
    assert kinds == ["empty", "constant", "target_copy"]


# ---- what is no defect -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cells",
    [
        np.random.default_rng(0).normal(size=500),
        np.random.default_rng(1).standard_t(3, size=500),
        np.random.default_rng(2).uniform(-1, 1, 500),
        np.exp(np.random.default_rng(3).normal(0, 2, 500)),
        np.random.default_rng(4).pareto(1.2, 500),
        np.concatenate(
            [np.random.default_rng(5).normal(0, 1, 250), np.random.default_rng(6).normal(9, 1, 250)]
        ),
        np.r_[np.zeros(499), 1],  # a rare category, not an outlier
        np.r_[np.arange(1, 100), np.arange(1, 60)],  # 99 is where the range ends
        np.r_[-1.0, np.arange(40), np.arange(40)],  # degrees, one of them below zero
        [1.0, 2.0, 3.0],
    ],
)
def test_numbers_that_belong_to_their_column(cells):
    assert unreasonable(numbers(cells)) == []


def test_copies_in_a_table_of_all_combinations_are_found():
    columns, y = CLEAN["grid"]
    copied = [*y, *(y[r] for r in (3, 77, 200))]
    (only,) = bw.study.look(with_rows(columns, [3, 77, 200]), copied).findings
    assert (only.kind, only.count) == ("duplicate_rows", 3)
    other = ["good" if label == "bad" else "bad" for label in copied[-3:]]
    (only,) = bw.study.look(with_rows(columns, [3, 77, 200]), [*y, *other]).findings
    assert (only.kind, only.count) == ("contradictory_rows", 3)


def test_few_or_rare_cells_are_equal_by_chance():
    few = {"a": ["x", "y", "x", "x", "y"], "b": ["p", "q", "p", "p", "q"]}
    assert bw.study.look(few).findings == ()
    assert [one.kind for one in bw.study.look({name: cells * 4 for name, cells in few.items()}).findings] == [
        "same_column"
    ]
    rare = {
        "a": ["no"] * 199 + ["yes"],
        "b": ["no"] * 199 + ["yes"],
        "x": np.random.default_rng(0).normal(size=200),
    }
    assert bw.study.look(rare).findings == ()
    assert bw.study.look({"a": [0, 0, 1, 1, 0, 1], "b": [0, 1, 1, 0, 0, 1]}, list("pqqppq")).findings == ()


def test_several_outliers_and_sentinels_are_told_together():
    cells = np.random.default_rng(0).normal(50, 5, 400)
    cells[[3, 4]] = 900.5
    assert [one.count for one in unreasonable(numbers(cells))] == [2]
    cells[[10, 11, 12]] = -999
    cells[[20, 21]] = 9999
    sentinel, outlier = unreasonable(numbers(cells))
    assert sentinel.fix.options == {"values": [-999.0, 9999.0]} and outlier.rows == (3, 4)
    cells[[3, 4, 5, 6, 7]] = [800, 900, 1000, 1100, 1200]  # five are no longer single
    assert [one.kind for one in unreasonable(numbers(cells))] == ["sentinel"]


def test_minus_one_is_a_sentinel_only_if_it_is_frequent():
    days = np.random.default_rng(0).integers(0, 400, 500).astype(float)
    often, once = days.copy(), days.copy()
    often[:100], once[0] = -1, -1
    assert [one.kind for one in unreasonable(numbers(often))] == ["sentinel"]
    assert unreasonable(numbers(once)) == []


def test_infinite_numbers_and_words_for_missing_cells():
    seen = bw.study.look({"x": [1.0, 2.0, np.inf, 4.0], "c": ["a", "b", "?", "a"]}, None)
    assert [(one.kind, one.column, one.rows) for one in seen.findings] == [
        ("missing_word", "c", (2,)),
        ("infinite", "x", (2,)),
    ]
    assert bw.study.look(*[bw.study.clean(seen).table]).findings == ()
    assert missing_word(words(["?", "x", "?"])) is None  # of two values, both are meant


def test_dates_as_text_are_no_identifier():
    days = [f"2024-{m:02d}-{d:02d}" for m in range(1, 4) for d in range(1, 29)]
    (only,) = bw.study.look({"day": days, "x": np.random.default_rng(0).normal(size=len(days))}).findings
    assert (only.kind, only.column, only.fix.name) == ("date", "day", "date_parts")


def test_rows_without_a_target_are_left_out_and_said_to_be():
    columns, y = mixed_table()
    seen = bw.study.look(columns, [None, *y[1:-1], None])
    assert [one.kind for one in seen.findings] == ["missing_target"]
    assert seen.findings[0].rows == (0, N - 1) and seen.n_rows == N - 2


# ---- spelling ----------------------------------------------------------------------------------------------


def test_one_slip_by_hand():
    pairs = {"female": ["femal", "ffemale", "femael", "femole"], "berlin": ["berlni", "brlin", "berlinn"]}
    for word, others in pairs.items():
        for other in others:
            assert one_slip(word, other) and one_slip(other, word), (word, other)
    for one, other in [
        ("female", "male"),
        ("island", "inland"),
        ("same", "same"),
        ("ab", "ba1"),
        ("north", "south"),
    ]:
        assert not one_slip(one, other) and not one_slip(other, one), (one, other)


def slow_slip(one, other):
    """Every word that one slip makes of another."""
    vowels = "aeiouy"
    made = {one[:k] + one[k + 1 :] for k in range(len(one))}
    made |= {one[:k] + one[k + 1] + one[k] + one[k + 2 :] for k in range(len(one) - 1)}
    made |= {one[:k] + v + one[k + 1 :] for k in range(len(one)) if one[k] in vowels for v in vowels}
    back = {other[:k] + other[k + 1 :] for k in range(len(other))}
    return one != other and (other in made or one in back)


def test_one_slip_against_all_words_that_a_slip_makes():
    chance = np.random.default_rng(0)
    near = 0
    for _ in range(4_000):
        one = "".join(chance.choice(list("abei"), chance.integers(1, 5)))
        other = "".join(chance.choice(list("abei"), chance.integers(1, 5)))
        near += one_slip(one, other)
        assert one_slip(one, other) == slow_slip(one, other), (one, other)
    assert near > 100


def test_different_words_are_not_one():
    assert spelling(words(["lt-norm"] * 50 + ["gt-norm"] * 60 + ["norm"] * 70)) is None
    assert spelling(words(["INLAND"] * 200 + ["ISLAND"] * 3)) is None
    assert spelling(words(["<50K"] * 20 + [">50K"] * 20)) is None
    assert spelling(words(["A+"] * 20 + ["A"] * 20)) is None
    assert spelling(words([True, False] * 20)) is None
    assert spelling(words(["model 1"] * 40 + ["model 2"])) is None
    assert spelling_key("   ") == "" and spelling_key(3) == 3


def test_the_most_frequent_spelling_is_the_one_that_is_meant():
    cells = ["new york"] * 3 + ["New York"] * 5 + ["NEW-YORK"] * 2 + ["Bergen"] * 90
    finding = spelling(words(cells))
    assert finding.fix.options["spellings"] == {"new york": "New York"}
    assert (
        finding.message
        == "Column 'x' spells a category in several ways: 'new york' (3 cells) for 'New York' (5)."
    )
    similar = similar_spelling(words(cells))
    assert similar.fix.options["spellings"] == {"NEW-YORK": "New York"} and similar.count == 2


DAYS = [datetime.date(2008, 1, 1) + datetime.timedelta(5 * k) for k in range(120)]


@pytest.mark.parametrize(
    ("form", "written"),
    [
        ("%d/%m/%Y", "{0.day:02}/{0.month:02}/{0.year}"),
        ("%m/%d/%Y", "{0.month}/{0.day}/{0.year}"),
        ("%d.%m.%y", "{0.day}.{0.month}.08"),
        ("%Y/%m/%d", "{0.year}/{0.month:02}/{0.day:02}"),
        ("%d/%m/%Y %H:%M", "{0.day}/{0.month}/{0.year} 13:00"),
        ("%d %b %Y", "{0.day} May {0.year}"),
    ],
)
def test_dates_in_other_forms_are_proposed_where_all_cells_agree(form, written):
    texts = [written.format(day) for day in DAYS if not ("08" in written[-3:] and day.year > 2008)]
    seen = bw.study.look(
        {"when": texts, "x": np.random.default_rng(0).normal(size=len(texts))},
        np.random.default_rng(1).integers(0, 2, len(texts)),
    )
    (only,) = [one for one in seen.findings if one.column == "when"]
    assert (only.kind, only.default, only.fix.options["format"]) == ("date", False, form)
    assert seen.ranked()[-1].name == "when" and seen.unchangeable == ("when",)
    assert "which nobody can change: when" in str(seen)
    cleaned = bw.study.clean({"when": texts}, fixes=only.fix).table
    expected = [datetime.datetime.strptime(text, form) for text in texts]
    assert cleaned.column("when year") == [one.year for one in expected]
    assert cleaned.column("when month") == [one.month for one in expected]
    assert cleaned.column("when day") == [one.day for one in expected]


def test_day_and_month_that_cannot_be_told_apart_are_said_to_be():
    texts = [f"{1 + k % 12}/{1 + k % 7}/2008" for k in range(90)]
    (only,) = [one for one in bw.study.look({"when": texts}).findings if one.kind == "date"]
    assert "All cells are dates in the forms '%d/%m/%Y' and '%m/%d/%Y'." in only.message
    assert only.message.endswith("Only proposed: day and month cannot be told apart.")
    assert only.default is False


def test_what_is_no_date_in_all_cells_is_no_date():
    for texts in (
        ["13/13/2008"] * 2,
        ["5/5/2008", "soon"],
        ["1.2.3", "1.2.4"],
        ["5/5/2008", "13/5/2008", "5/13/2008"],
    ):
        assert not [one for one in bw.study.look({"when": texts * 30}).findings if one.kind == "date"], texts


def test_parts_of_dates_cannot_be_changed_either():
    seen = bw.study.look({"when month": [1, 2, 3] * 9, "today": [1, 2, 1] * 9, "month": [5, 6, 7] * 9})
    assert seen.unchangeable == ("when month", "month")
