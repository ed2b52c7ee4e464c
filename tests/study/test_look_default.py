"""What is applied without being asked for: no default fix may lose anything that may tell about the target."""

import numpy as np
import pytest

import branchwork as bw
from branchwork.study.look_association import TargetGroups
from branchwork.study.look_default import merged_rows, p_of_loss
from study.look_tables import CLEAN, changed, mixed_table
from study.lost import losses
from study.test_look_findings import planted
from together import together

CHANCE = np.random.default_rng(0)
N = 600


def drawn(*values, n=N):
    return CHANCE.choice(np.array(values, object), n).tolist()


DIFFERENT = {
    "ratings": ["A+", "A", "A-", "B+", "B", "B-"],
    "blood": ["0+", "0-", "A+", "A-", "AB+", "AB-"],
    "degrees": ["5C", "-5C", "15C", "-15C"],
    "codes": ["J45.1", "J4.51", "J45.10", "J451"],
    "versions": ["v1.10", "v11.0", "v1.1.0"],
    "clocks": ["1:30", "13:0", "1:3", "13:00"],
    "scores": ["1-2", "12", "2-1", "21", "x"],
    "chords": ["C", "C#", "Cm", "C#m", "C°"],
    "money": ["$5 bill", "5 bill", "€5 bill"],
    "ends": ["pos+", "pos-", "pos", "-pos", "–pos"],
    "squares": ["m²", "m2", "m³", "m3"],
    "operators": ["<", "<=", ">", ">=", "="],
}
"""Values that differ in a sign, a digit or a point, and nothing else."""


@together("name", DIFFERENT)
def test_values_that_differ_in_signs_and_digits_are_not_even_proposed(name):
    cells = drawn(*DIFFERENT[name])
    seen = bw.study.look({"x": cells, "z": np.arange(N) % 7})
    meant = [one.fix.options["spellings"] for one in seen.findings if one.fix.name == "merge_spellings"]
    forms = [pair for spellings in meant for pair in spellings.items() if pair[0].lower() != pair[1].lower()]
    assert forms == []
    y = [f"class {DIFFERENT[name].index(cell) % 2}" for cell in cells]
    done = bw.study.clean({"x": cells, "z": np.arange(N) % 7}, y)
    kept = dict(zip(cells, done.table.column("x"), strict=True)) if "x" in done.table.schema.names else {}
    assert len(set(kept.values())) == len(kept)  # the target tells them all apart, or they are the target


def test_ratings_keep_what_a_tree_learns_from():
    ratings = drawn(*DIFFERENT["ratings"])
    noise = CHANCE.random(N) < 0.05
    y = np.where(np.isin(ratings, ["A+", "A", "B+"]) ^ noise, "good", "bad").tolist()
    done = bw.study.clean({"rating": ratings, "z": CHANCE.normal(size=N)}, y)
    tree = bw.TreeClassifier(max_depth=2)
    assert tree.fit(done.X, done.y).score(done.X, done.y) > 0.93


def test_spellings_that_the_target_tells_apart_are_only_proposed():
    chord = drawn("C", "c")  # C major and C minor
    y = ["happy" if one == "C" else "sad" for one in chord]
    y[:60] = drawn("happy", "sad", n=60)
    (found,) = bw.study.look({"chord": chord, "z": CHANCE.integers(0, 3, N)}, y).findings
    assert found.kind == "spelling" and not found.default
    assert found.message.endswith("Only proposed: the target tells these cells apart (p < 0.0001).")
    assert not found.to_dict()["default"]
    X = {"chord": chord, "z": [1.0] * 299 + [2.0] * 301}
    assert bw.study.clean(X, y).records == ()
    asked = bw.study.clean(X, y, "merge_spellings")
    assert [str(one.fix) for one in asked.records] == [str(found.fix)]
    assert "proposal: merge_spellings('chord'" in str(bw.study.look(X, y))
    assert (
        bw.study.look({"chord": chord, "z": CHANCE.integers(0, 3, N)}).findings[0].default
    )  # without a target


def test_typing_errors_are_proposed_with_both_numbers_of_cells():
    columns, y = mixed_table()
    town = columns["town"]
    (found,) = bw.study.look(changed(columns, "town", [town.index("Aberdeen")], "Abberdeen"), y).findings
    assert found.kind == "similar_spelling" and not found.default
    n = town.count("Aberdeen") - 1
    assert f"'Abberdeen' (1 cell) for 'Aberdeen' ({n})." in found.message
    assert str(found.message).endswith("Only proposed: they may be different values.")


def test_an_unknown_cell_that_tells_of_the_target_stays_what_it_is():
    cells = CHANCE.normal(70, 10, N)
    cells[:40], cells[40:80] = -999, np.nan  # -999: refused to answer; missing: was never asked
    y = ["ill"] * 40 + ["well"] * 40 + drawn("ill", "well", n=N - 80)
    (found,) = bw.study.look({"weight": cells}, y).findings
    assert found.kind == "sentinel" and not found.default
    y = drawn("ill", "well")
    (found,) = bw.study.look({"weight": cells}, y).findings
    assert found.default


def test_a_unit_that_tells_of_the_target_is_only_proposed():
    cells = CHANCE.normal(70, 10, N)
    cells[:60] *= 1000  # one hospital writes grams
    y = ["ill"] * 60 + drawn("ill", "well", n=N - 60)
    (found,) = bw.study.look({"weight": cells}, y).findings
    assert found.kind == "unit" and not found.default
    (found,) = bw.study.look({"weight": cells}, drawn("ill", "well")).findings
    assert found.default


def test_what_is_never_applied_by_default():
    columns, y = mixed_table()
    outlier = bw.study.look(changed(columns, "weight", 17, 1e6), y).findings
    flag = bw.study.look({**columns, "flag": ["x" if k % 3 else None for k in range(300)]}, y).findings
    assert [(one.kind, one.default) for one in (*outlier, *flag)] == [("outlier", False), ("constant", False)]
    table, target = {"x": [1, 1, 2, 3] * 10, "z": range(40)}, ["a", "b", "a", "b"] * 10
    many = {name: [*cells, *list(cells)[:2]] for name, cells in table.items()}
    kinds = {one.kind: one.default for one in bw.study.look(many, [*target, "b", "a"]).findings}
    assert kinds.get("contradictory_rows", False) is False


def test_copies_with_other_targets_than_the_rest_are_only_proposed():
    columns, y = mixed_table()
    ill = [k for k in range(300) if y[k] == "ill"][:80]
    again = {name: [*cells, *(cells[k] for k in ill)] for name, cells in columns.items()}
    (found,) = bw.study.look(again, [*y, *(y[k] for k in ill)]).findings
    assert found.kind == "duplicate_rows" and not found.default
    assert "these rows have other targets than the rest" in found.message


@together("case", [*planted(), *((name, None, *CLEAN[name]) for name in CLEAN)])
def test_no_default_fix_loses_anything(case):
    assert losses(*case[2:]) == []


@together("name", bw.datasets.names())
def test_no_default_fix_loses_anything_of_a_bundled_table(name):
    data = bw.datasets.load(name)
    assert losses(data.X, list(data.y)) == []


@together("seed", range(30))
def test_no_default_fix_loses_anything_of_a_hostile_table(seed):
    """Each column mixes values that may be told apart by a hair, some of them with the target."""
    chance = np.random.default_rng(seed)
    y = chance.choice(["yes", "no"], 300)
    pools = [
        *DIFFERENT.values(),
        ["Oslo", "OSLO", " oslo", "Os-lo", "Ósló"],
        ["?", "NA", "a", "b", "c", None],
    ]
    pools += [["3", "3.0", "4", "about 4", "4 or 5", "n/a", *map(str, range(5, 40))]]
    pools += [["2024-01-01", "2024-01-01 13:00", "2024-01-02", "2024-01-02 13:00:07", "soon", "later"]]
    columns = {}
    for place, pool in enumerate(pools):
        one, other = (chance.choice(np.array(pool, object), 300) for _ in range(2))
        # half of the columns depend on the target: its classes have different values
        halves = np.array(pool, object)[chance.permutation(len(pool))]
        depends = np.where(y == "yes", halves[chance.integers(0, len(pool) // 2, 300)], other)
        columns[f"c{place}"] = (depends if place % 2 == seed % 2 else one).tolist()
    numbers = chance.normal(50, 9, 300)
    numbers[chance.integers(0, 300, 12)] = -999
    numbers[chance.integers(0, 300, 12)] = np.nan
    numbers[(y == "yes") & (chance.random(300) < 0.1)] *= 1000
    assert losses({**columns, "n": numbers}, y.tolist()) == []


def test_the_information_lost_is_that_of_the_merged_cells():
    before = np.array([0, 0, 1, 1, 2, 2, 2, 2])
    after = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    classes = TargetGroups(np.array([0, 0, 1, 1, 0, 1, 0, 1], np.int32), 2)
    assert merged_rows(before, after).tolist() == [0, 1, 2, 3]
    assert p_of_loss(before, after, classes) == pytest.approx(
        0.01852, abs=1e-4
    )  # G = 8 ln 2, one degree of freedom
    assert p_of_loss(before, before, classes) == 1.0
