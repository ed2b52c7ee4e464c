"""`branchwork predict`: the answers of a saved model for the rows of a file, which may be larger than memory."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from branchwork.cli import inputs
from branchwork.cli.output import AsJson, Output, chosen_format, sink
from branchwork.cli.progress import progress

if TYPE_CHECKING:
    from branchwork.model.committee import Committee
    from branchwork.model.model import Model
    from branchwork.neighbours.model import Neighbours
    from branchwork.rules.rule_list import RuleList
    from branchwork.table.blocks import Block


def predict(
    model: inputs.ModelFile,
    file: inputs.File,
    proba: Annotated[bool, typer.Option("--proba", help="Add the probability of each class.")] = False,
    keep: Annotated[
        bool, typer.Option("--keep", help="Write the columns of the file, too, before the answers.")
    ] = False,
    missing: inputs.Missing = None,
    decimal: inputs.DecimalMark = None,
    input_format: inputs.InputFormat = None,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Predict the rows of a file with a saved model, as CSV or as one JSON object per row.

    \b
      branchwork predict patients.bw new.csv
      branchwork predict patients.bw new.csv --proba --keep -o answers.csv
      cat new.csv | branchwork predict patients.bw - --json

    The file is read in blocks, so it may be larger than memory. Columns are found by their names, in any order.
    """
    from branchwork.errors import TargetError
    from branchwork.table.conform import warn_of_unseen

    form = chosen_format(output, ("csv", "json lines"), model, file, as_json=as_json)
    loaded = inputs.load_any(model)
    if proba and loaded.labels is None:
        raise TargetError("--proba: this model predicts numbers; it has no probabilities.")
    reading = inputs.Reading(missing, input_format, decimal)
    found = inputs.blocks(file, loaded.schema, reading, handle_unknown=loaded.handle_unknown, keep=keep)
    names = found.names if keep else ()
    unseen: Counter[str] = Counter()
    with sink(output) as stream, progress("predicting", unit="rows") as done:
        writer = _JsonLines(stream, names) if form == "json lines" else _Csv(stream, names)
        writer.begin(_labels(loaded) if proba else [])
        for block in found:
            writer.rows(block.kept, *_answers(loaded, block, proba))
            unseen.update(block.unseen)
            if done is not None:
                done(block.first_row + block.table.n_rows)
    warn_of_unseen(unseen, loaded.handle_unknown)


def _labels(model: Model | RuleList | Committee | Neighbours) -> list[Any]:
    return list(model.classes.tolist())


def _answers(
    model: Model | RuleList | Committee | Neighbours, block: Block, proba: bool
) -> tuple[list[Any], list[list[float]]]:
    """What the model answers to each row, and the probabilities, if asked for."""
    shares = model.predict_proba(block.table).tolist() if proba else []
    return model.predict(block.table).tolist(), shares


class _Csv:
    """Writes one line per row; control characters are escaped before a terminal sees them."""

    def __init__(self, stream: IO[str], names: Sequence[str]) -> None:
        self._names = names
        self._stream = stream
        self._writer = csv.writer(stream, lineterminator="\n")
        self._on_terminal = stream.isatty()

    def begin(self, labels: Sequence[Any]) -> None:
        names = list(self._names)
        for wanted in ("prediction", *(f"p({label})" for label in labels)):
            names.append(_free(wanted, names))
        self._write([names])

    def rows(
        self, kept: Sequence[Sequence[Any]], answers: Sequence[Any], shares: Sequence[Sequence[float]]
    ) -> None:
        if not kept and not shares and not self._on_terminal and _are_alike(answers):
            self._write_column(answers)
            return
        columns: list[Sequence[Any]] = [*kept, answers, *zip(*shares, strict=True)]
        self._write(zip(*columns, strict=True))

    def _write_column(self, answers: Sequence[Any]) -> None:
        """Write a single column, whose cells repeat: a tree has few answers, and each is written out once."""
        lines = {}
        for answer in set(answers):
            line = io.StringIO()
            csv.writer(line, lineterminator="\n").writerow([answer])
            lines[answer] = line.getvalue()
        self._stream.write("".join(map(lines.__getitem__, answers)))

    def _write(self, rows: Iterable[Sequence[Any]]) -> None:
        if not self._on_terminal:
            self._writer.writerows(rows)
            return
        from branchwork.view.terminal import harmless

        self._writer.writerows(
            [harmless(cell) if isinstance(cell, str) else cell for cell in row] for row in rows
        )


class _JsonLines:
    """A JSON object for each row."""

    def __init__(self, stream: IO[str], names: Sequence[str]) -> None:
        self._stream, self._names = stream, names
        self._labels: list[str] = []

    def begin(self, labels: Sequence[Any]) -> None:
        self._labels = [str(label) for label in labels]

    def rows(
        self, kept: Sequence[Sequence[Any]], answers: Sequence[Any], shares: Sequence[Sequence[float]]
    ) -> None:
        from branchwork.cli.json_text import dumps

        rows: Iterator[Any] = zip(*kept, strict=True) if kept else iter([()] * len(answers))
        for k, (row, answer) in enumerate(zip(rows, answers, strict=True)):
            said: dict[str, Any] = {"row": dict(zip(self._names, row, strict=True))} if kept else {}
            said["prediction"] = answer
            if shares:
                said["probabilities"] = dict(zip(self._labels, shares[k], strict=True))
            self._stream.write(dumps(said) + "\n")


def _are_alike(answers: Sequence[Any]) -> bool:
    """Whether equal answers are written alike: True and 1 are not, nor are 0.0 and -0.0."""
    return len(set(map(type, answers))) == 1 and 0.0 not in answers


def _free(name: str, taken: Sequence[str]) -> str:
    """A name that no other column has."""
    free, number = name, 2
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    return free
