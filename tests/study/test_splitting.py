"""Rows to train on, to validate by and to test on."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import branchwork as bw
from branchwork.errors import DataError, ParameterError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(100, 3))
Y = np.array(["rare"] * 10 + ["common"] * 90)


def rows_of(found):
    return [part.rows.tolist() for part in (found.train, found.validation, found.test) if part is not None]


def test_every_row_is_in_one_part_and_every_part_has_its_share_of_every_class():
    found = bw.study.split(X, Y, validation=0.2, test=0.3, seed=3)
    assert sorted(row for rows in rows_of(found) for row in rows) == list(range(100))
    assert tuple(map(len, (found.train, found.validation, found.test))) == (50, 20, 30)
    assert [int((part.y == "rare").sum()) for part in (found.train, found.validation, found.test)] == [
        5,
        2,
        3,
    ]
    assert (X[found.test.rows] == found.test.X).all() and repr(found).startswith(
        "Split(train 50, validation 20"
    )


def test_small_and_large_numbers_are_spread_over_the_parts():
    y = np.arange(100.0)
    found = bw.study.split(X, y, validation=0.1, test=0.1)
    for part in (found.validation, found.test):
        assert sorted(int(value // 10) for value in part.y) == list(range(10))


def test_a_seed_decides():
    one, same, other = (bw.study.split(X, Y, seed=seed) for seed in (1, 1, 2))
    assert rows_of(one) == rows_of(same) != rows_of(other)


def test_shares_may_be_numbers_of_rows_and_parts_may_be_left_out():
    found = bw.study.split(X, Y, validation=0, test=7)
    assert found.validation is None and len(found.test) == 7 and len(found.train) == 93
    features, target = bw.study.split(X, Y).train
    assert features.shape == (60, 3) and len(target) == 60
    assert len(bw.study.split(X, Y, validation=0.001, test=0.0).validation) == 1


@pytest.mark.parametrize(
    "container",
    [
        pd.DataFrame,
        lambda x: pl.DataFrame(x),
        lambda x: pa.table({f"c{j}": x[:, j] for j in range(3)}),
        lambda x: x.tolist(),
        lambda x: {f"c{j}": x[:, j] for j in range(3)},
        lambda x: bw.to_table(x),
    ],
)
def test_parts_come_in_the_container_that_was_given(container):
    given = container(X)
    found = bw.study.split(given, Y)
    assert type(found.train.X) is type(given)
    assert bw.to_table(found.test.X).n_rows == 20


def test_no_group_is_in_two_parts():
    groups = np.repeat(np.arange(25), 4)
    found = bw.study.split(X, Y, validation=0.2, test=0.2, groups=groups)
    parts = [set(groups[rows]) for rows in rows_of(found)]
    assert not parts[0] & parts[1] and not parts[0] & parts[2] and not parts[1] & parts[2]
    assert [len(rows) for rows in rows_of(found)] == [60, 20, 20]


def test_large_groups_leave_something_for_every_part():
    groups = np.repeat(["a", "b", "c"], [90, 5, 5])
    found = bw.study.split(X, Y, groups=groups)
    assert all(len(rows) > 0 for rows in rows_of(found)) and len(rows_of(found)) == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"validation": 1.5}, "validation=1.5; expected a share"),
        ({"test": -0.1}, "test=-0.1; expected a share"),
        ({"test": 100}, "test=100; expected a share from 0 to below 1, or a number of rows below 100"),
        ({"test": True}, "test=True"),
        ({"validation": 0.6, "test": 0.5}, "leave none of the 100 rows"),
        ({"seed": -1}, "seed=-1"),
        ({"groups": [1, 2]}, "groups has 2 entries, but there are 100 rows"),
    ],
)
def test_what_cannot_be_split(options, message):
    with pytest.raises(ParameterError, match=message):
        bw.study.split(X, Y, **options)


def test_too_few_groups_or_rows():
    with pytest.raises(DataError, match="2 different groups; 3 parts need at least 3"):
        bw.study.split(X, Y, groups=np.repeat([0, 1], 50))
    with pytest.raises(DataError, match="X has 100 rows, but y has 3"):
        bw.study.split(X, [1, 2, 3])
    with pytest.raises(DataError, match="no rows"):
        bw.study.split(np.empty((0, 2)), [])
