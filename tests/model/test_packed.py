"""Packed prediction equals the plain walk, bit by bit: every form, every road, every kind of test, hard cells."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import branchwork as bw
from branchwork.errors import ParameterError
from branchwork.model.combine import Combine
from branchwork.model.model import Model
from branchwork.model.packed import packed_trees
from branchwork.table.schema import Column, Schema
from branchwork.table.table import Table
from instructions import in_both_forms
from model.plain_walk import plain_leaves, plain_outputs, same_bits, tree_outputs

from program_cases import ENSEMBLES, KINDS, hard_rows, model_of, table_of

FORMS = ("automatic", "raw", "bytes", "words")
ROADS = ("automatic", "plain", "few_rows", "many_rows")


def packed(model, form="automatic"):
    return packed_trees(
        model.trees,
        model.schema,
        model.combine,
        unseen_with_majority=model.handle_unknown == "majority",
        form=form,
    )


def assert_equal_everywhere(model, table, forms=FORMS, roads=ROADS, n_jobs=1):
    """Every form and road finds the leaves and the outputs of the plain walk."""
    outputs, leaves = plain_outputs(model, table), plain_leaves(model, table)
    for form in forms:
        trees = packed(model, form)
        for road in roads:
            sums = trees.sums(table.core, n_jobs, road=road)
            assert same_bits(model.combine.finished(sums[0], len(model.trees)), outputs), (form, road)
            assert same_bits(trees.leaves(table.core, n_jobs, road=road), leaves), (form, road)


@lru_cache(maxsize=200)
def case(kind, seed):
    model = model_of(seed, kind=kind)
    return model, table_of(model, hard_rows(model, 150, seed))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_tree_on_hard_rows(kind):
    for seed in range(2):
        model, table = case(kind, seed)
        assert_equal_everywhere(model, table)
        assert same_bits(model.outputs(table), plain_outputs(model, table))
        leaves = plain_leaves(model, table)
        assert same_bits(model.apply(table), leaves if kind in ENSEMBLES else leaves[:, 0])


@given(
    seed=st.integers(0, 10_000),
    rows=st.integers(0, 150),
    form=st.sampled_from(FORMS),
    n_jobs=st.integers(1, 3),
)
def test_any_number_of_rows(seed, rows, form, n_jobs):
    model, table = case(KINDS[seed % len(KINDS)], seed % 3)
    assert_equal_everywhere(model, table.take(slice(0, rows)), forms=(form,), n_jobs=n_jobs)


# ---- larger ensembles


def forest(seed, *, trees, depth=None, rows=400, features=6, kind="mean", classes=2, missing=True):
    """Trees on different samples of one table, put together by hand."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(rows, features)), 2)
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    score = np.nan_to_num(X).sum(axis=1) + rng.normal(size=rows)
    grow = bw.TreeRegressor if kind == "sum" else bw.TreeClassifier
    y = score if kind == "sum" else np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))
    members = []
    for k in range(trees):
        drawn = np.random.default_rng([seed, k]).integers(0, rows, rows)
        drawn[:classes] = (
            np.arange(rows)[np.unique(y, return_index=True)[1][:classes]] if kind != "sum" else 0
        )
        policy = ("learn", "larger")[k % 2] if missing else "larger"
        members.append(grow(max_depth=depth, missing=policy).fit(X[drawn], y[drawn]).model_)
    combine = Combine("sum", base=(0.25,)) if kind == "sum" else Combine("mean")
    model = replace(members[0], trees=tuple(member.trees[0] for member in members), combine=combine)
    cuts = np.concatenate([tree.cut[tree.feature >= 0] for tree in model.trees])
    hard = np.concatenate([cuts, np.nextafter(cuts, np.inf), np.nextafter(cuts, -np.inf), [0.0, -0.0]])
    hard = np.concatenate([hard, [np.inf, -np.inf, np.nan, 1e300, -1e300]])
    return model, model.table(rng.choice(hard, (700, features)))


@pytest.mark.parametrize("kind", ["mean", "sum"])
def test_a_forest_of_small_trees_takes_bytes(kind):
    model, table = forest(1, trees=20, depth=5, kind=kind)
    assert model.packed.form == "bytes"
    assert_equal_everywhere(model, table, n_jobs=2)


@pytest.mark.parametrize("classes", [2, 3])
def test_a_forest_of_large_trees_takes_words(classes):
    model, table = forest(2, trees=12, rows=3000, classes=classes)
    assert max(tree.n_leaves for tree in model.trees) > 256
    assert model.packed.form == "words"
    assert_equal_everywhere(model, table, n_jobs=2)


def test_one_tree_is_walked_as_it_is():
    model, table = forest(3, trees=1, rows=3000)
    assert model.packed.form == "raw"
    assert_equal_everywhere(model, table)


@pytest.mark.parametrize("rows", [1, 2, 7, 8, 9, 31, 32, 33, 63, 64, 65, 511, 512, 513])
def test_rows_at_the_ends_of_blocks(rows):
    model, table = forest(4, trees=9, depth=6)
    assert_equal_everywhere(model, table.take(slice(0, rows)))


def staircase(steps, *, features=1):
    """A chain: row x goes to leaf x. Its depth is the number of steps."""
    nodes = 2 * steps + 1
    inner = np.arange(nodes) % 2 == 0
    inner[-1] = False
    feature = np.where(inner, np.arange(nodes) // 2 % features, -1).astype(np.int32)
    first = np.where(inner, np.arange(nodes) + 1, -1).astype(np.int32)
    ones = np.ones(nodes)
    tree = bw.Tree(
        feature=feature,
        cut=np.where(inner, np.arange(nodes) // 2, np.nan).astype(float),
        first_child=first,
        n_children=np.where(inner, 2, 0).astype(np.int32),
        lookup=np.full(nodes, -1, np.int32),
        pool=np.empty(0, np.int32),
        default_child=np.where(inner, np.arange(nodes) // 2 % 2, -1).astype(np.int32),
        value=np.arange(nodes, dtype=float)[:, None],
        distribution=None,
        weight=ones,
        n_rows=np.ones(nodes, np.int64),
        impurity=ones,
        gain=ones,
        variance=None,
        stop=np.zeros(nodes, np.uint8),
    )
    schema = Schema(tuple(Column(f"x{j}", "numeric") for j in range(features)))
    return Model(schema, None, (tree,), {})


@pytest.mark.parametrize("steps", [0, 1, 2, 253, 254, 255, 256, 3000, 65_534, 65_535])
def test_the_ends_of_what_fits_into_bytes_and_words(steps):
    """With 255 thresholds ranks do not fit into bytes any more, with 65 535 not into words; leaves end at 256."""
    model = staircase(steps)
    cells = np.array(
        [-np.inf, np.inf, np.nan, -0.0, 0.5, steps - 1, steps - 0.5, steps, 250, 254.5, 60_000, 7, 8, 9]
    )
    table = model.table(np.concatenate([cells, cells])[:, None])
    assert_equal_everywhere(model, table, roads=("few_rows", "many_rows"))
    assert packed(model, "bytes").form == ("bytes" if steps <= 254 else "words")


def test_groups_of_trees_that_share_their_ranks():
    """Fifty trees have more thresholds together than fit into a byte, so they are ranked in several groups."""
    model, table = forest(5, trees=50, depth=7, rows=2000, features=2)
    cuts = np.unique(np.concatenate([tree.cut[tree.feature == 0] for tree in model.trees]))
    assert len(cuts) > 254
    assert_equal_everywhere(model, table, forms=("bytes", "words"))


def test_many_distinct_sets_of_categories():
    rng = np.random.default_rng(6)
    X = {f"c{j}": rng.choice([f"v{k}" for k in range(40)], 3000).tolist() for j in range(3)}
    X["x"] = rng.normal(size=3000).tolist()
    y = rng.integers(0, 2, 3000)
    for nominal in ("subset", "multiway"):
        for depth in (4, None):
            kind = bw.TreeClassifier(max_depth=depth, nominal=nominal, missing="learn")
            trees = [kind.fit(X, rng.permutation(y)).model_ for _ in range(6)]
            model = replace(trees[0], trees=tuple(one.trees[0] for one in trees), combine=Combine("mean"))
            assert_equal_everywhere(model, table_of(model, hard_rows(model, 200, 6)))


# ---- cells of every type, in every layout

DTYPES = ("float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


@lru_cache(maxsize=4)
def numbers_forest(size):
    rng = np.random.default_rng(size)
    X = rng.integers(0, 120, (size, 5)).astype(float)
    y = (X @ [1, -1, 2, 0, 1] + rng.normal(size=size) * 50 > 100).astype(int)
    fits = [bw.TreeClassifier().fit(X[k::3], y[k::3]).model_ for k in range(3)]
    return replace(fits[0], trees=tuple(fit.trees[0] for fit in fits), combine=Combine("mean"))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [300, 6000])
def test_types_and_strides(dtype, size):
    model = numbers_forest(size)
    cells = np.random.default_rng(1).integers(0, 127, (130, 5)).astype(dtype)
    layouts = {
        "C": cells,
        "F": np.asfortranarray(cells),
        "every second row": np.repeat(cells, 2, axis=0)[::2],
        "backwards": cells[::-1][::-1],
        "columns of a wider array": np.concatenate([cells, cells], axis=1)[:, :5],
        "one row again and again": np.broadcast_to(cells[0], cells.shape),
    }
    for layout, array in layouts.items():
        columns = tuple(array[:, j] for j in range(5))
        table = Table(model.schema, columns)
        expected = plain_outputs(model, Table(model.schema, tuple(np.array(c, np.float64) for c in columns)))
        for form in FORMS:
            found = packed(model, form).sums(table.core, 1)[0] / len(model.trees)
            assert same_bits(found, expected), (layout, form)
    mixed = tuple(cells[:, j].astype(DTYPES[j]) for j in range(5))
    assert_equal_everywhere(model, Table(model.schema, mixed))


def test_float32_cells_beside_float64_cuts():
    """A float32 cell next to a cut that no float32 can be goes where its exact value goes."""
    model, _ = forest(7, trees=10, depth=6, missing=False)
    cuts = np.concatenate([tree.cut[tree.feature >= 0] for tree in model.trees])
    short = cuts.astype(np.float32)
    beside = np.concatenate([short, np.nextafter(short, np.float32(9)), np.nextafter(short, np.float32(-9))])
    X = np.random.default_rng(7).choice(beside, (500, len(model.schema))).astype(np.float32)
    table = model.table(X)
    assert_equal_everywhere(model, table)
    assert same_bits(model.outputs(X), plain_outputs(model, model.table(X.astype(np.float64))))


# ---- stages, rows out of bag


@pytest.mark.parametrize("kind", ENSEMBLES)
def test_stages_are_the_sums_of_the_first_trees(kind):
    for seed in range(3):
        model, table = case(kind, seed)
        together = 1 if model.combine.output is None else 3
        stages = list(range(together, len(model.trees) + 1, together))
        for form in FORMS:
            for road in ROADS:
                sums = packed(model, form).sums(
                    table.core, 1, [0, *range(1, len(model.trees) + 1)], road=road
                )
                for k in range(1, len(model.trees) + 1):
                    outputs = model.combine.first(k).finished(sums[k], k)
                    assert same_bits(outputs, plain_outputs(model, table, k))
        if stages:
            found = model.staged_outputs(table)
            assert len(found) == len(stages)
            for k, stage in zip(stages, found, strict=True):
                assert same_bits(stage, plain_outputs(model, table, k))


def test_stages_of_small_trees_end_anywhere():
    model, table = forest(8, trees=21, depth=4, kind="sum")
    assert model.packed.form == "bytes"
    stages = [1, 2, 9, 16, 17, 20]
    for k, stage in zip(stages, model.staged_outputs(table, stages, n_jobs=2), strict=True):
        assert same_bits(stage, plain_outputs(model, table, k))
    with pytest.raises(
        ParameterError, match=r"stages=\[3, 2\]; expected ascending numbers of trees from 1 to 21"
    ):
        model.staged_outputs(table, [3, 2])
    with pytest.raises(ParameterError, match=r"stages=\[22\]"):
        model.staged_outputs(table, [22])


@pytest.mark.parametrize(("trees", "depth", "rows"), [(10, 4, 400), (6, None, 3000)])
def test_out_of_bag_rows_are_added_by_the_trees_that_did_not_see_them(trees, depth, rows):
    model, table = forest(9, trees=trees, depth=depth, rows=rows)
    rng = np.random.default_rng(9)
    copies = [rng.poisson(1.0, table.n_rows).astype(np.uint32) for _ in range(trees)]
    for one in copies:
        one[:3] = 1  # three rows that every tree has seen
    expected = np.full((table.n_rows, 2), np.nan)
    outputs = tree_outputs(model, table)
    for row in range(table.n_rows):
        own = [outputs[t][row] for t in range(trees) if copies[t][row] == 0]
        if own:
            total = own[0].copy()
            for values in own[1:]:
                total = total + values
            expected[row] = total / len(own)
    assert np.isnan(expected).any(axis=1).sum() >= 3
    for n_jobs in (1, 2):
        assert same_bits(model.outputs_out_of_bag(table, copies, n_jobs=n_jobs), expected)
    for form in FORMS:
        for road in ROADS:
            sums = packed(model, form).sums(table.core, 1, None, copies, road=road)[0]
            counts = np.sum([one == 0 for one in copies], axis=0)[:, None]
            some = counts[:, 0] > 0
            assert same_bits(sums[some] / counts[some], expected[some]), (form, road)


def test_out_of_bag_rows_that_are_shared():
    model, table = case("mean", 1)
    copies = [np.arange(table.n_rows, dtype=np.uint32) % (2 + t) for t in range(len(model.trees))]
    outputs = tree_outputs(model, table)
    for form in FORMS:
        sums = packed(model, form).sums(table.core, 1, None, copies)[0]
        for row in range(table.n_rows):
            own = [outputs[t][row] for t in range(len(model.trees)) if copies[t][row] == 0]
            expected = np.full(sums.shape[1], -0.0)
            for values in own:
                expected = expected + values
            assert same_bits(sums[row], expected)


def test_out_of_bag_says_what_is_wrong():
    model, table = forest(9, trees=3, depth=2)
    with pytest.raises(ParameterError, match="each of the 3 trees, with a number for each of the 700 rows"):
        model.outputs_out_of_bag(table, [np.zeros(700, np.uint32)] * 2)
    with pytest.raises(ParameterError, match="an array for each of the 3 trees"):
        model.outputs_out_of_bag(table, [np.zeros(699, np.uint32)] * 3)
    with pytest.raises(ParameterError, match="have rows out of bag; this model is a single"):
        model.member(0).outputs_out_of_bag(table, [np.zeros(700, np.uint32)])


# ---- the model


def test_a_model_packs_once_and_copies_pack_for_themselves():
    import copy
    import pickle

    model, table = forest(10, trees=5, depth=3)
    assert model.packed is model.packed
    assert copy.copy(model).packed is not model.packed
    again = pickle.loads(pickle.dumps(model))
    assert same_bits(again.outputs(table), model.outputs(table))
    unseen = replace(model, handle_unknown="majority")
    assert unseen.packed is not model.packed


def test_memory_of_the_packed_form():
    for trees, depth, rows in ((40, 6, 2000), (20, None, 20_000)):
        model, _ = forest(11, trees=trees, depth=depth, rows=rows, features=10)
        nodes = sum(tree.n_nodes for tree in model.trees)
        assert model.packed.packed_bytes <= 16 * nodes, model.packed.form


INSTRUCTIONS = """
import hashlib
from model.test_packed import FORMS, ROADS, case, forest, packed
from program_cases import KINDS

digest = hashlib.sha256()
cases = [case(kind, 0) for kind in KINDS[::4]]
cases += [forest(1, trees=20, depth=5), forest(2, trees=4, rows=3000)]
cases += [forest(5, trees=50, depth=7, rows=2000, features=2)]
for model, table in cases:
    for form in FORMS:
        for road in ROADS:
            digest.update(packed(model, form).sums(table.core, 1, road=road).tobytes())
result = digest.hexdigest()
"""


def test_every_instruction_set_gives_the_same_bits():
    plain, usual = in_both_forms(INSTRUCTIONS)
    assert plain == usual
