"""Every container gives the same table, or an error that names the column."""

import doctest
import warnings

import narwhals
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchwork.errors import BranchworkError, ParameterError
from branchwork.table import adapt
from branchwork.table.adapt import to_table
from branchwork.table.cells import is_missing
from branchwork.table.schema import Column
from table.adapted import LARGEST, NAN, OnlyStream, assert_same_tables, column_of, nominal

# ---- the same values in every container --------------------------------------------------------------------


def rows_of(columns):
    return [list(row) for row in zip(*columns.values(), strict=True)]


def pandas_nullable(columns):
    dtype_of = {float: "Float64", int: "Int64", bool: "boolean", str: "string"}
    kinds = {name: type(next(cell for cell in cells if cell is not None)) for name, cells in columns.items()}
    return pd.DataFrame(
        {name: pd.array(cells, dtype=dtype_of[kinds[name]]) for name, cells in columns.items()}
    )


def arrow_chunks(columns):
    table = pa.table(columns)
    return pa.concat_tables([table.slice(0, 1), table.slice(1, 0), table.slice(1)])


def typed_arrays(columns):
    """NumPy's own types, where nothing is missing."""
    return {name: cells if None in cells else np.array(cells) for name, cells in columns.items()}


CONTAINERS = {
    "dict of lists": dict,
    "dict of tuples": lambda columns: {name: tuple(cells) for name, cells in columns.items()},
    "dict of NumPy arrays": typed_arrays,
    "dict of polars series": lambda columns: {name: pl.Series(cells) for name, cells in columns.items()},
    "list of lists": rows_of,
    "tuple of tuples": lambda columns: tuple(map(tuple, rows_of(columns))),
    "list of dicts": lambda columns: [dict(zip(columns, row, strict=True)) for row in rows_of(columns)],
    "object array": lambda columns: np.array(rows_of(columns), dtype=object),
    "pandas": pd.DataFrame,
    "pandas objects": lambda columns: pd.DataFrame(columns, dtype=object),
    "pandas nullable": pandas_nullable,
    "pandas Arrow": lambda columns: pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.DataFrame,
    "Arrow table": pa.table,
    "Arrow chunks": arrow_chunks,
    "Arrow batch": pa.RecordBatch.from_pydict,
    "Arrow stream": lambda columns: OnlyStream(pa.table(columns)),
    "Arrow stream of polars": lambda columns: OnlyStream(pl.DataFrame(columns)),
    "narwhals": lambda columns: narwhals.from_native(pl.DataFrame(columns)),
}
MIXED = {
    "x0": [1.5, None, -np.inf, 0.1],
    "x1": [3, 1, 2, LARGEST],
    "x2": [7, None, -7, 0],
    "x3": ["b", None, "nan", "a"],
    "x4": [True, None, False, True],
    "x5": ["None", "NA", "", "None"],
    "x6": [False, False, False, False],
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_the_same_values_give_the_same_table_in(container):
    table = to_table(CONTAINERS[container](MIXED))
    assert_same_tables(table, to_table(MIXED))
    assert {name: table.column(name) for name in table.schema.names} == MIXED
    assert table.core.rows == 4


def cells_like(cell):
    known = st.lists(st.one_of(st.none(), cell), min_size=1, max_size=6)
    return known.filter(lambda cells: any(value is not None for value in cells))


@st.composite
def mixed_columns(draw):
    kinds = [
        st.floats(allow_nan=False),
        st.integers(-LARGEST, LARGEST),
        st.text(
            st.characters(codec="utf-8", exclude_characters="\0"), max_size=3
        ),  # NumPy cuts a final NUL off
        st.sampled_from(["nan", "NA", "None", "", "é", "True"]),
        st.booleans(),
    ]
    cells = draw(st.lists(st.sampled_from(kinds).flatmap(cells_like), min_size=1, max_size=4))
    n = min(map(len, cells))
    cells = [column[:n] for column in cells]
    columns = [column for column in cells if any(value is not None for value in column)]
    return {f"x{j}": column for j, column in enumerate(columns)} or {"x0": ["a"]}


@given(columns=mixed_columns())
def test_random_tables_are_the_same_in_every_container(columns):
    wanted = to_table(columns)
    assert {name: wanted.column(name) for name in wanted.schema.names} == columns
    for name, container in CONTAINERS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            table = to_table(container(columns))
        assert_same_tables(table, wanted)
        assert table.schema.named == (name not in ("list of lists", "tuple of tuples", "object array"))


# ---- nothing but missing cells -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "X",
    [
        {"a": [None, None]},
        {"a": [pd.NA, None]},
        [{"a": None}, {"a": None}],
        np.ma.masked_all(2, dtype=[("a", "f8")]),
        pd.DataFrame({"a": [None, None]}),
        pd.DataFrame({"a": pd.array([None, None], dtype="str")}),
        pd.DataFrame({"a": pd.array([None, None], dtype="boolean")}),
        pd.DataFrame({"a": pd.array([None, None], dtype=pd.ArrowDtype(pa.null()))}),
        pl.DataFrame({"a": [None, None]}),
        pl.DataFrame({"a": pl.Series([None, None], dtype=pl.String)}),
        pa.table({"a": pa.nulls(2)}),
        pa.table({"a": pa.nulls(2, pa.string())}),
    ],
    ids=lambda X: type(X).__module__.partition(".")[0],
)
def test_a_column_of_nothing_is_nominal_without_categories(X):
    table = to_table(X)
    assert table.schema[0] == nominal([])
    assert table.column("a") == [None, None]
    assert table.core.rows == 2


@pytest.mark.parametrize(
    "X",
    [
        np.full((2, 1), NAN),
        [[NAN], [NAN]],
        [[NAN], [None]],
        {"x0": [pd.NA, NAN]},
        pd.DataFrame({"x0": [NAN, NAN]}),
        pd.DataFrame({"x0": pd.array([None, None], dtype="Int64")}),
        pl.DataFrame({"x0": pl.Series([None, None], dtype=pl.Int8)}),
        pa.table({"x0": pa.nulls(2, pa.float32())}),
    ],
    ids=lambda X: type(X).__module__.partition(".")[0],
)
def test_a_column_of_nan_or_of_a_numeric_type_is_numeric_without_a_number(X):
    assert column_of(X) == (Column("x0", "numeric"), [None, None])


# ---- categorical_features ----------------------------------------------------------------------------------

COUNTS = {"n": np.array([3, 1, 3]), "f": np.array([2.5, NAN, -1.0]), "s": ["b", "a", None], "z": [1, 2, 3]}


@pytest.mark.parametrize(
    "chosen",
    [
        ["n", "f"],
        ("f", "n"),
        [0, 1],
        [-4, -3],
        np.array([0, 1]),
        np.array(["n", "f"]),
        [True, True, False, False],
        np.array([True, True, True, False]),
        pd.Series([True, True, False, False]),
        ["n", 1, "s"],
        ["n", "n", "f"],
    ],
    ids=str,
)
def test_numbers_become_categories_by_name_position_or_mask(chosen):
    table = to_table(COUNTS, chosen)
    assert table.schema.columns == (
        nominal([1, 3], name="n"),
        nominal([-1.0, 2.5], name="f"),
        nominal(["a", "b"], name="s"),
        Column("z", "numeric"),
    )
    assert table.column("n") == [3, 1, 3]
    assert table.column("f") == [2.5, None, -1]
    assert all(array.dtype == np.int32 for array in table.arrays[:3])
    assert table.core.rows == 3


@pytest.mark.parametrize("chosen", ["from_dtype", None, [], (), [False] * 4], ids=str)
def test_without_a_choice_numbers_stay_numbers(chosen):
    assert_same_tables(to_table(COUNTS, chosen), to_table(COUNTS))
    assert [column.kind for column in to_table(COUNTS, chosen).schema] == [
        "numeric",
        "numeric",
        "nominal",
        "numeric",
    ]


def test_a_table_becomes_another_table_by_its_categorical_features():
    table = to_table(COUNTS)
    assert to_table(table) is table
    assert to_table(table, ["z"]).schema[3] == nominal([1, 2, 3], name="z")
    assert table.schema[3] == Column("z", "numeric")


def test_a_declared_category_stays_declared():
    frame = pd.DataFrame({"a": pd.Categorical([2, 1], categories=[2, 3, 1])})
    assert to_table(frame, ["a"]).schema[0] == nominal([2, 3, 1], declared=True)


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        (["nn"], "categorical_features: There is no column 'nn'. Did you mean 'n'?"),
        ([4], "categorical_features names 4; expected column names, positions below 4"),
        ([-5], "categorical_features names -5"),
        ([1.0], "categorical_features=[1.0]; expected a list of column names, of positions"),
        ({"n": 1}, "categorical_features={'n': 1}; expected a list of column names"),
        (iter(["n"]), "; expected a list of column names"),
        ([True, False], "categorical_features is a mask of 2 flags, but the table has 4 columns"),
    ],
)
def test_a_wrong_choice_is_refused_with_what_is_right(chosen, message):
    with pytest.raises(ParameterError) as error:
        to_table(COUNTS, chosen)
    assert message in str(error.value)


@pytest.mark.parametrize("chosen", ["n", "from_dtyp", 0, True], ids=repr)
def test_a_choice_that_is_no_list_is_refused(chosen):
    with pytest.raises(ParameterError, match=f"categorical_features={chosen!r}; expected a list"):
        to_table(COUNTS, chosen)


# ---- all of it ---------------------------------------------------------------------------------------------


@given(
    cells=st.lists(
        st.one_of(
            st.none(),
            st.booleans(),
            st.integers(),
            st.floats(),
            st.text(max_size=2),
            st.binary(max_size=2),
            st.decimals(),
            st.fractions(),
            st.dates(),
            st.complex_numbers(),
            st.just(pd.NA),
            st.tuples(st.integers()),
        ),
        max_size=5,
    )
)
def test_any_cells_make_a_column_or_an_error_that_names_it(cells):
    for X in (
        {"a": cells},
        [{"a": cell} for cell in cells] or {"a": []},
        pd.DataFrame({"a": pd.Series(cells, dtype=object)}),
    ):
        try:
            table = to_table(X)
        except BranchworkError as error:
            assert "olumn 'a'" in str(error)
            assert "row " in str(error)
        else:
            assert table.n_rows == len(cells)
            assert all((a is None) == is_missing(b) for a, b in zip(table.column("a"), cells, strict=True))


def test_the_examples_in_the_documentation_are_true():
    assert doctest.testmod(adapt).failed == 0
