"""What commands read: tables with a target, rows in the columns of a model, and models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeGuard

import typer

from branchwork.cli import streams
from branchwork.cli.help import READING
from branchwork.cli.manners import say
from branchwork.cli.words import completion, word_option
from branchwork.errors import (
    AbsentColumnError,
    FileFormatError,
    ParameterError,
    TargetError,
    WeightError,
    did_you_mean,
)

if TYPE_CHECKING:
    from branchwork.model.committee import Committee
    from branchwork.model.model import Model
    from branchwork.neighbours.model import Neighbours
    from branchwork.rules.rule_list import RuleList
    from branchwork.study.look_input import Given
    from branchwork.table.blocks import Blocks
    from branchwork.table.schema import Schema
    from branchwork.table.table import Table
    from branchwork.table.target import Target

TASKS = ("auto", "classification", "regression")
FORMATS = ("csv", "tsv", "parquet", "arff")


def bundled_names() -> Iterable[str]:
    """Names of the bundled tables."""
    from branchwork.data import datasets

    return datasets.names()


_FILE = (
    "CSV, TSV (also .gz), Parquet, ARFF or C4.5 file; the name of a bundled table; or - for standard input."
)

File = Annotated[str, typer.Argument(metavar="FILE", help=_FILE, autocompletion=completion(bundled_names))]
ModelFile = Annotated[
    str, typer.Argument(metavar="MODEL", help="A saved model: a .bw or .json file, as `grow -o` writes it.")
]
Target_ = Annotated[
    str | None,
    typer.Option("--target", metavar="COLUMN", help="The column to predict. Bundled tables have their own."),
]
AnswerColumn = Annotated[
    str | None,
    typer.Option("--target", metavar="COLUMN", help="The column of the data with the right answers."),
]
TrainingData = Annotated[
    str | None,
    typer.Option(
        "--data",
        metavar="FILE",
        help="The file that the tree was grown on, to make the working again; needs --target.",
        autocompletion=completion(bundled_names),
    ),
]
Task = Annotated[
    str,
    word_option(
        "--task",
        words=lambda: TASKS,
        text="classification or regression. By default the target column decides: numbers with more than "
        "10 different values are a regression.",
    ),
]
Weights = Annotated[
    str | None,
    typer.Option(
        "--weights", metavar="COLUMN", help="The column of sample weights.", rich_help_panel=READING
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        "--drop",
        metavar="COLUMN",
        help="A column to leave out, unread. May be repeated.",
        rich_help_panel=READING,
    ),
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(
        "--categorical",
        metavar="COLUMN",
        help="A column of numbers that stand for categories. May be repeated.",
        rich_help_panel=READING,
    ),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        "--missing",
        metavar="TEXT",
        help="A text that stands for a missing value, instead of NA, NaN and nan. May be repeated.",
        rich_help_panel=READING,
    ),
]
DecimalMark = Annotated[
    str | None,
    typer.Option(
        "--decimal",
        metavar="MARK",
        help="The decimal mark of a CSV file: . or , (12,5). By default the cells tell.",
        rich_help_panel=READING,
    ),
]
InputFormat = Annotated[
    str | None,
    word_option(
        "--input-format",
        words=lambda: FORMATS,
        text=f"The format of the file, if its name does not tell: {', '.join(FORMATS)}. The first bytes of standard "
        "input and of pipes tell it, too.",
        panel=READING,
    ),
]
Member = Annotated[
    int | None,
    typer.Option("--tree", metavar="K", help="Which tree of a model that has many, counted from 0."),
]


@dataclass(frozen=True)
class Reading:
    """How a file is read: texts that mean a missing cell, its format, and its decimal mark; None: as usual."""

    missing: Sequence[str] | None = None
    input_format: str | None = None
    decimal: str | None = None

    @property
    def suffix(self) -> str | None:
        """The format, as the end of a name."""
        return f".{self.input_format}" if self.input_format else None


# ---- tables to learn from ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Lesson:
    """Features, and the target they are to tell."""

    table: Table
    target: Target
    target_name: str


def lesson(
    file: str,
    reading: Reading,
    *,
    target: str | None,
    task: str = "auto",
    weights: str | None = None,
    drop: Sequence[str] | None = None,
    categorical: Sequence[str] | None = None,
) -> Lesson:
    """Read what is to be learned; a row of weight 0 is as if absent."""
    from branchwork.learn.single import without_weightless_rows
    from branchwork.table.adapt import to_table

    # The target and the weights are read even if they are dropped; they are no features anyway.
    drop = [name for name in drop or () if name not in (target, weights)]
    categorical = [name for name in categorical or () if name not in drop]
    bundled = _bundled(file)
    if bundled is not None:
        _check_bundled(file, bundled, target)
        table = to_table(bundled.X.drop(drop), categorical)
        wanted: Any = bundled.y
        name, gone = bundled.target, []
    else:
        table = _whole_table(file, reading, categorical, drop)
        if target is None:
            names = ", ".join(map(repr, table.schema.names[:20]))
            raise ParameterError(f"Which column is to be predicted? Say --target NAME. The file has {names}.")
        wanted = _cells_of_target(table, target)
        name, gone = target, [target]
    weight = None if weights is None else table.column(weights)
    table = table.drop(gone if weights is None else [*gone, weights])
    if not len(table.schema):
        raise ParameterError(
            f"Nothing is left to predict {name!r} from: all other columns are dropped, or hold weights. Drop fewer."
        )
    try:
        return Lesson(*without_weightless_rows(table, _target(wanted, task, weight)), name)
    except WeightError as error:
        raise WeightError(f"--weights {weights}: {error}") from None


def columns_and_target(
    file: str,
    reading: Reading,
    *,
    target: str | None,
    drop: Sequence[str] | None = None,
    categorical: Sequence[str] | None = None,
) -> Given:
    """Read a table to look at; without a target, all its columns are looked at alike."""
    from branchwork.study.look_input import given
    from branchwork.table.adapt import to_table

    drop = [name for name in drop or () if name != target]
    categorical = [name for name in categorical or () if name not in drop]
    bundled = _bundled(file)
    if bundled is not None:
        _check_bundled(file, bundled, target)
        from branchwork.table.schema import Column

        found = given(to_table(bundled.X.drop(drop), categorical), bundled.y)
        assert found.column is not None
        own = Column(bundled.target, found.column.kind, found.column.categories, found.column.declared)
        return replace(found, column=own)
    return given(_whole_table(file, reading, categorical, drop), target)


def _check_bundled(file: str, bundled: Any, target: str | None) -> None:
    if target not in (None, bundled.target):
        raise ParameterError(f"The target of the bundled table {file!r} is {bundled.target!r}.")


def _bundled(file: str) -> Any:
    """The bundled table of a name, unless there is a file of that name; None: it is to be a file."""
    from branchwork.data import datasets

    if file == "-" or Path(file).exists():
        return None
    if file in datasets.names():
        return datasets.load(file)
    raise no_such_file(file, datasets.names())


def no_such_file(file: str, others: Iterable[str] = ()) -> FileFormatError:
    """What to say of a file that is not there."""
    folder = Path(file).parent
    beside = [str(folder / path.name) for path in folder.iterdir()] if folder.is_dir() else []
    return FileFormatError(f"There is no file {file!r}.{did_you_mean(file, [*others, *beside])}")


def _whole_table(file: str, reading: Reading, categorical: Sequence[str], drop: Sequence[str]) -> Table:
    from branchwork.table.read import read

    if file.endswith(".bw"):
        raise ParameterError(f"{file} is a saved model, not a table. See it with: branchwork show {file}")

    options: dict[str, Any] = {
        "missing": reading.missing,
        "decimal": reading.decimal,
        "categorical_features": list(categorical),
        "drop": list(drop),
    }
    if not streams.is_stream(file):
        return read(file, suffix=reading.suffix, **options)
    with streams.spooled(file, reading.suffix) as path:
        return read(path, **options)


def _cells_of_target(table: Table, target: str) -> Any:
    """The target's cells; in its own order of labels, if the file declares one."""
    from branchwork.table.target import Classes, classes

    index = table.schema.index(target)
    column, codes = table.schema[index], table.arrays[index]
    if not (column.is_nominal and column.declared):
        return table.column(target)
    if (codes < 0).any():
        return classes(table.column(target))  # names the row
    return Classes(codes, column.categories, declared=True)


def _target(wanted: Any, task: str, weights: Any) -> Target:
    from branchwork.table.target import Classes, classes, values
    from branchwork.table.target import weights as sample_weights

    if isinstance(wanted, Classes):
        return replace(wanted, weights=sample_weights(weights, len(wanted)))
    if _is_regression(wanted, task):
        return values(wanted, weights)
    return classes([int(c) if isinstance(c, float) and c.is_integer() else c for c in wanted], weights)


def _is_regression(cells: Sequence[Any], task: str) -> bool:
    import numpy as np

    from branchwork.table.target import values_are_classes

    if task != "auto":
        return task == "regression"
    known = {cell for cell in cells if cell is not None}
    if not all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in known):
        return False
    regression = not values_are_classes(np.array(sorted(known), np.float64))
    chosen, other = TASKS[:0:-1] if regression else TASKS[1:]
    say(f"numeric target taken as {chosen}; --task {other} for the other")
    return regression


# ---- rows for a model --------------------------------------------------------------------------------------


def blocks(file: str, schema: Schema, reading: Reading, **options: Any) -> Blocks:
    """The rows of a file in the columns of a model, block by block."""
    from branchwork.table.adapt import to_table
    from branchwork.table.blocks import read_blocks

    options |= {"missing": reading.missing, "suffix": reading.suffix, "decimal": reading.decimal}
    if streams.is_stream(file):
        return _blocks_of_stream(file, schema, options)
    bundled = _bundled(file)
    if bundled is None:
        return read_blocks(file, schema, **options)
    cells = {name: bundled.X.column(name) for name in bundled.X.schema.names}
    return read_blocks(to_table({**cells, bundled.target: bundled.y}), schema, **options)


def _blocks_of_stream(file: str, schema: Schema, options: dict[str, Any]) -> Blocks:
    """The rows of a stream; Parquet, which is read from its end, is copied to a file first."""
    from branchwork.table.blocks import Block, Blocks, read_blocks

    closing = ExitStack()
    stream = closing.enter_context(streams.opened(file))
    options["suffix"] = options["suffix"] or streams.suffix_of(stream)
    with ExitStack() as until_here:
        until_here.push(closing)
        if options["suffix"] in (".parquet", ".pq"):
            path = closing.enter_context(streams.spooled(file, options["suffix"], stream))
            found = read_blocks(path, schema, **options)
        else:
            found = read_blocks(stream, schema, name=streams.name_of(file), **options)
        until_here.pop_all()

    def blocks() -> Iterator[Block]:
        with closing:
            yield from found

    return Blocks(found.names, blocks())


def labelled_rows(
    file: str, model: Model, reading: Reading, target: str | None, weights: str | None = None
) -> tuple[Table, Target]:
    """Return the rows of a file, features and target, in the columns and labels of a model."""
    from branchwork.learn.single import without_weightless_rows
    from branchwork.table.blocks import read_like
    from branchwork.table.schema import Column, Schema
    from branchwork.table.target import Classes, values
    from branchwork.table.target import weights as sample_weights

    if target is None:
        known = "" if model.target is None else f" The model predicts {model.target!r}."
        raise ParameterError(f"Which column has the right answers? Say --target NAME.{known}")
    if target in model.schema.names:
        raise ParameterError(f"--target {target!r} is a column that the model predicts from.")
    kind = "numeric" if model.labels is None else "nominal"
    answers = Column(target, kind, model.labels or ())  # type: ignore[arg-type]
    beside = () if weights is None else (Column(weights, "numeric"),)
    schema = Schema((*model.schema.columns, answers, *beside))
    try:
        found = blocks(file, schema, reading)
    except AbsentColumnError as error:
        raise (no_such_target(error, model) if error.column == target else error) from None
    read = read_like(found, schema, handle_unknown=model.handle_unknown)
    weight = None if weights is None else read.column(weights)
    table = read.drop([target] if weights is None else [target, weights])
    if model.labels is None:
        return without_weightless_rows(table, values(read.column(target), weight))
    codes = read.arrays[len(model.schema)]
    if (codes < 0).any():
        row = int((codes < 0).argmax())
        what = "is missing" if codes[row] == -1 else "was not among the labels of training"
        raise TargetError(f"{file}, column {target!r}, row {row}: the answer {what}.")
    answered = Classes(codes, model.labels, weights=sample_weights(weight, len(codes)), declared=True)
    return without_weightless_rows(table, answered)


def no_such_target(error: AbsentColumnError, model: Model) -> TargetError:
    """What to say of a column with the right answers that is not there."""
    name, known = model.target, error.known
    hint = f" Did you mean {name!r}?" if name in known else did_you_mean(error.column, known)
    predicts = repr(name) if name is not None else "numbers" if model.labels is None else _some(model.labels)
    return TargetError(
        f"--target {error.column!r}: the table has no such column.{hint} The model predicts {predicts}."
    )


def _some(labels: Sequence[Any]) -> str:
    shown = " or ".join(map(repr, labels[:4]))
    return shown if len(labels) <= 4 else f"{shown} or … {len(labels) - 4} more"


# ---- models ------------------------------------------------------------------------------------------------


def load_any(path: str) -> Model | RuleList | Committee | Neighbours:
    """Return a saved model, list of rules, vote or neighbours."""
    from branchwork.store.file import load

    if not Path(path).exists():
        raise no_such_file(path)
    return load(path)


def is_many(found: Any) -> TypeGuard[Model]:
    """Whether this is a model of many trees."""
    from branchwork.model.model import Model

    return isinstance(found, Model) and found.combine.kind != "single"


def load_tree(path: str, member: int | None = None) -> Model:
    """A saved model of one tree, or one tree of a saved model."""
    return as_tree(load_any(path), path, member)


def as_tree(model: Model | RuleList | Committee | Neighbours, path: str, member: int | None = None) -> Model:
    """Return what was loaded as a model of one tree, or one of its trees."""
    from branchwork.model.committee import Committee
    from branchwork.neighbours.model import Neighbours
    from branchwork.rules.rule_list import RuleList

    if isinstance(model, RuleList):
        raise ParameterError(
            f"{path} holds a list of rules, and no tree. See them with: branchwork rules {path}. The commands predict "
            "and export take them, too."
        )
    if isinstance(model, Committee):
        raise ParameterError(
            f"{path} holds a vote of {len(model.members)} models ({', '.join(map(repr, model.names))}), and no single "
            "tree. The commands predict and export take it."
        )
    if isinstance(model, Neighbours):
        raise ParameterError(
            f"{path} holds the rows of nearest neighbours, and no tree. The commands predict and why take it."
        )
    if member is not None:
        return model.member(member)
    if model.combine.kind != "single":
        last = len(model.trees) - 1
        raise ParameterError(f"{path} has {last + 1} trees. Say which one: --tree 0 to --tree {last}.")
    return model
