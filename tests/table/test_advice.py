"""Every error and warning of the readers that gives advice: the advice, followed to the letter, works.

A case provokes a message and returns it; its second half does what the message says. The last test finds every piece of
advice in the source and looks for it among the messages, so advice without a case fails.
"""

from __future__ import annotations

import ast
import re
import tomllib
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

import branchwork as bw
from branchwork.errors import BranchworkError, MissingExtraError
from branchwork.table import adapt
from branchwork.table.one_row import one_row
from branchwork.table.target import classes
from table.files import write

HUGE = 2**53 + 1
DAY = np.array(["2020-01-01", "2020-03-01"], "datetime64[ns]")
SCHEMA = bw.Schema((bw.Column("size", "numeric"), bw.Column("colour", "nominal", ("red",))))

Case = tuple[Callable[[Path], Any], Callable[[Path, str], Any]]
CASES: dict[str, Case] = {}


def case(provoke: Callable[[Path], Any]) -> Callable[[Callable[[Path, str], Any]], None]:
    def register(follow: Callable[[Path, str], Any]) -> None:
        CASES[follow.__name__] = provoke, follow

    return register


def message_of(provoke: Callable[[Path], Any], folder: Path) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises((BranchworkError, Warning)) as caught:
            provoke(folder)
    return str(caught.value)


# ---- columns to leave out ----------------------------------------------------------------------------------

CONTAINERS: dict[str, Any] = {
    "pandas": pd.DataFrame({"id": [1, HUGE], "a": [1.0, 2.0]}),
    "pandas, numbered": pd.DataFrame({0: [1, HUGE], 1: [1.0, 2.0]}),
    "pandas, a date": pd.DataFrame({"id": DAY, "a": [1.0, 2.0]}),
    "polars": pl.DataFrame({"id": [1, HUGE], "a": [1.0, 2.0]}),
    "polars, a date": pl.DataFrame({"id": DAY, "a": [1.0, 2.0]}),
    "arrow": pa.table({"id": [1, HUGE], "a": [1.0, 2.0]}),
    "arrow, a batch": pa.record_batch({"id": [1, HUGE], "a": [1.0, 2.0]}),
    "duckdb": duckdb.sql(f"SELECT * FROM (VALUES (1, 1.5), ({HUGE}, 2.5)) AS t(id, a)"),
    "array": np.array([[1, 1], [HUGE, 2]]),
    "rows": [[1, 1.0], (HUGE, 2.0)],
    "rows with a date": [[DAY[0], 1.0], [DAY[1], 2.0]],
    "mixed rows": [[1, 1.0], ["x", 2.0]],
    "mapping": {"id": [1, HUGE], "a": [1.0, 2.0]},
    "mappings": [{"id": 1, "a": 1.0}, {"id": HUGE, "a": 2.0}],
}


@pytest.mark.parametrize("kind", CONTAINERS)
def test_a_column_is_left_out_as_the_message_says(kind: str) -> None:
    X = CONTAINERS[kind]
    message = message_of(lambda _: bw.to_table(X), Path())
    (expression,) = re.findall(r"To leave the column out, use (.*)\.$", message)
    table = bw.to_table(eval(expression, {"X": X, "numpy": np, "pyarrow": pa}))
    assert table.shape == (2, 1)
    assert table.arrays[0].tolist() in ([1.0, 2.0], [1.5, 2.5])


@case(lambda folder: bw.read(write(folder, "a.csv", f"the id,a\n{HUGE},1\n")))
def a_column_of_a_file(folder: Path, message: str) -> None:
    ((drop, option),) = re.findall(r"use (drop=.*) in bw.read, or (--drop .*) on the command line", message)
    assert (drop, option) == ("drop=['the id']", "--drop 'the id'")  # tests/cli/test_grow.py takes the second
    assert eval(f"read(path, {drop})", {"read": bw.read, "path": folder / "a.csv"}).schema.names == ("a",)


@case(lambda folder: bw.read(write(folder, "a.csv", "a;b\n1,25;2\n3,5;4\n")))
def decimal_commas(folder: Path, message: str) -> None:
    confirmed, text = re.findall(r"(decimal='.') ", message)
    for option, column in ((confirmed, [1.25, 3.5]), (text, ["1,25", "3,5"])):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            table = eval(f"read(path, {option})", {"read": bw.read, "path": folder / "a.csv"})
        assert table.column("a") == column


@case(lambda folder: bw.read(write(folder, "a.csv", "a;b\n1,25;2.5\n3,5;4\n")))
def commas_beside_points(folder: Path, message: str) -> None:
    assert message.endswith(
        "If it is a decimal comma, say decimal=',' (--decimal ,)."
    )  # tests/cli: the option
    assert bw.read(folder / "a.csv", decimal=",").column("a") == [1.25, 3.5]


@case(lambda folder: bw.to_table(pl.DataFrame({"id": [1, HUGE]})))
def an_expression_of_polars(folder: Path, message: str) -> None:
    assert "use X.drop(['id'])." in message  # followed above, as the next one


@case(lambda folder: bw.to_table(pd.DataFrame({"id": [1, HUGE]})))
def an_expression_of_pandas(folder: Path, message: str) -> None:
    assert "use X.drop(columns=['id'])." in message


# ---- containers --------------------------------------------------------------------------------------------


@case(lambda folder: bw.to_table(scipy.sparse.csr_matrix([[0.0, 1.0]])))
def a_sparse_matrix(folder: Path, message: str) -> None:
    assert "Use X.toarray()" in message
    assert bw.to_table(scipy.sparse.csr_matrix([[0.0, 1.0]]).toarray()).shape == (1, 2)


@case(lambda folder: bw.to_table(str(write(folder, "a.csv", "x\n1\n"))))
def a_path(folder: Path, message: str) -> None:
    assert "bw.read(path)" in message
    assert bw.read(str(folder / "a.csv")).n_rows == 1


@case(lambda folder: bw.to_table({"size": 1.5, "colour": "red"}))
def one_row_without_a_list(folder: Path, message: str) -> None:
    assert "put it in a list: [X]" in message
    assert bw.to_table([{"size": 1.5, "colour": "red"}]).shape == (1, 2)


@case(lambda folder: bw.to_table([{"a": 1, "b": 2}, {"a": 1}]))
def a_row_without_a_key(folder: Path, message: str) -> None:
    assert "a missing cell is None" in message
    assert bw.to_table([{"a": 1, "b": 2}, {"a": 1, "b": None}]).column("b") == [2.0, None]


@case(lambda folder: bw.to_table([[1, 2], [3]]))
def a_short_row(folder: Path, message: str) -> None:
    assert bw.to_table([[1, 2], [3, None]]).shape == (2, 2)


@case(lambda folder: bw.to_table({"a": [1, 2], "b": [1]}))
def a_short_column(folder: Path, message: str) -> None:
    assert bw.to_table({"a": [1, 2], "b": [1, None]}).shape == (2, 2)


@case(lambda folder: bw.to_table(np.arange(3.0)))
def one_dimension(folder: Path, message: str) -> None:
    for expression in re.findall(r"array\.reshape\(.*?\)", message):
        assert sorted(bw.to_table(eval(expression, {"array": np.arange(3.0)})).shape) == [1, 3]


class ArrowColumn:
    """One column that nothing but its Arrow interface tells of."""

    def __arrow_c_array__(self, requested_schema: object = None) -> object:
        return pa.array([1.0, 2.0]).__arrow_c_array__(requested_schema)


@case(lambda folder: bw.to_table(ArrowColumn()))
def a_single_column(folder: Path, message: str) -> None:
    assert "a table has rows and named columns" in message
    assert bw.to_table({"a": pa.array([1.0, 2.0])}).shape == (2, 1)


@case(lambda folder: bw.to_table(pl.LazyFrame({"a": [1]})))
def a_lazy_frame(folder: Path, message: str) -> None:
    assert (
        bw.to_table(eval(re.findall(r"Use (.*)\.$", message)[0], {"X": pl.LazyFrame({"a": [1]})})).n_rows == 1
    )


@case(lambda folder: bw.to_table(pd.DataFrame([[1, 2]], columns=["a", "a"])))
def a_name_twice(folder: Path, message: str) -> None:
    assert bw.to_table(pd.DataFrame([[1, 2]], columns=["a", "b"])).shape == (1, 2)


@case(lambda folder: bw.to_table({"a": [1.5, "tall"]}))
def kinds_mixed(folder: Path, message: str) -> None:
    assert bw.to_table({"a": ["1.5", "tall"]}).column("a") == ["1.5", "tall"]


@case(lambda folder: bw.to_table(pd.DataFrame({"day": DAY})))
def dates(folder: Path, message: str) -> None:
    days = (pd.DataFrame({"day": DAY})["day"] - pd.Timestamp("2020-01-01")).dt.days
    assert bw.to_table({"day": days}).column("day") == [0, 60]


@case(lambda folder: one_row(np.zeros((2, 2)), SCHEMA))
def two_rows_for_one(folder: Path, message: str) -> None:
    assert one_row(np.array([[1.0, None], [2.0, None]], object)[:1], SCHEMA).n_rows == 1


@case(lambda folder: one_row({"size": 1}, SCHEMA))
def a_row_without_a_column(folder: Path, message: str) -> None:
    assert "A missing cell is None" in message
    assert one_row({"size": 1, "colour": None}, SCHEMA).n_rows == 1


@case(lambda folder: bw.to_table({"size": [1]})["size"])
def a_column_by_brackets(folder: Path, message: str) -> None:
    assert "column(" in message and "row(" in message
    assert bw.to_table({"size": [1]}).column("size") == [1]
    assert bw.to_table({"size": [1]}).row(0) == {"size": 1}


@case(lambda folder: classes(["a", None]))
def a_target_that_is_missing(folder: Path, message: str) -> None:
    assert len(classes(["a"])) == len(classes(["a", "b"])) - 1 == 1


# ---- files -------------------------------------------------------------------------------------------------


@case(lambda folder: bw.read(write(folder, "t.dat", "a,b\n1,2\n")))
def say_the_suffix(folder: Path, message: str) -> None:
    assert "say suffix='.csv' in bw.read" in message
    assert bw.read(folder / "t.dat", suffix=".csv").schema.names == ("a", "b")


@case(lambda folder: bw.read(write(folder, "a.data", "x,y\n1,2\n")))
def half_a_pair(folder: Path, message: str) -> None:
    assert "give it the suffix .csv" in message
    assert bw.read((folder / "a.data").rename(folder / "a.csv")).n_rows == 1


@case(lambda folder: bw.read(write(folder, "a.csv.gz", "x,y\n1,2\n")))
def plain_text_called_gz(folder: Path, message: str) -> None:
    assert "take .gz off its name" in message
    assert bw.read((folder / "a.csv.gz").rename(folder / "a.csv")).n_rows == 1


def converted(folder: Path, message: str) -> str:
    encoding = re.findall(r"iconv -f (\S+) -t utf-8", message)[0]
    path = write(folder, "b.csv", (folder / "a.csv").read_bytes().decode(encoding))
    return str(bw.read(path).column("x")[0])


@case(lambda folder: bw.read(write(folder, "a.csv", "x,y\né,2\n".encode("latin1"))))
def another_encoding(folder: Path, message: str) -> None:
    assert converted(folder, message) == "é"


@case(lambda folder: bw.read(write(folder, "a.csv", "x,y\né,2\n".encode("utf-16"))))
def wide_characters(folder: Path, message: str) -> None:
    assert converted(folder, message) == "é"


@case(lambda folder: bw.read(write(folder, "a.csv", "x,y\né,2\n".encode("utf-16-le"))))
def wide_characters_without_a_mark(folder: Path, message: str) -> None:
    assert converted(folder, message) == "é"


@case(lambda folder: classes([10**5000, 1]))
def a_label_that_cannot_be_written(folder: Path, message: str) -> None:
    assert "Make it text" in message
    assert len(classes(["ten to the 5000", "1"]).labels) == 2


@case(lambda folder: bw.read(write(folder, "a.csv", "a,b\n" + "1,2\n" * 20 + "x,y\n")))
def numbers_and_a_few_texts(folder: Path, message: str) -> None:
    for advice, kind in zip(re.findall(r"(\w+=\[.*?\]) \(", message), ("numeric", "nominal"), strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            table = eval(f"read(path, {advice})", {"read": bw.read, "path": folder / "a.csv"})
        assert {column.kind for column in table.schema} == {kind}


@case(lambda folder: bw.read(write(folder, "a.csv", "size,b\n1,2\n"), drop="sise"))
def a_name_misspelt(folder: Path, message: str) -> None:
    (name,) = re.findall(r"Did you mean '(.*)'\?", message)
    assert bw.read(folder / "a.csv", drop=name).schema.names == ("b",)


@case(lambda folder: bw.TreeClassifier().fit([[1.0], [2.0]], ["a"]))
def a_row_without_an_answer(folder: Path, message: str) -> None:
    bw.TreeClassifier().fit([[1.0], [2.0]], ["a", "b"])


# ---- all of them -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CASES)
def test_advice_works(tmp_path: Path, name: str) -> None:
    provoke, follow = CASES[name]
    follow(tmp_path, message_of(provoke, tmp_path))


def test_what_is_to_be_installed_exists() -> None:
    project = tomllib.loads(Path(__file__).parents[2].joinpath("pyproject.toml").read_text())["project"]
    assert any(wanted.startswith("duckdb") for wanted in project["optional-dependencies"]["io"])
    assert 'pip install "branchwork[io]"' in str(MissingExtraError("Reading Parquet", "duckdb", extra="io"))


ADVICE = re.compile(
    r"\b([Uu]se|Turn|[Dd]rop|Reshape|Make|[Tt]ake|Convert|[Gg]ive it|[Pp]ut it|Install|[Ss]ay|read the file with|"
    r"for example|need|needs|To leave|A missing cell is|is one row as)\b"
)
NO_MESSAGE = {"drop", "dropped"}  # the name of a setting


def pieces_of_advice() -> list[str]:
    found = []
    for path in sorted(Path(adapt.__file__).parent.glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
        found += [
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in alone
            and ADVICE.search(node.value)
            and node.value not in NO_MESSAGE
        ]
    return found


def test_every_piece_of_advice_has_a_case(tmp_path: Path) -> None:
    messages = []
    for name, (provoke, _) in CASES.items():
        folder = tmp_path / name
        folder.mkdir()
        messages.append(message_of(provoke, folder))
    pieces = pieces_of_advice()
    assert len(pieces) > 20
    assert [piece for piece in pieces if not any(piece in message for message in messages)] == []
