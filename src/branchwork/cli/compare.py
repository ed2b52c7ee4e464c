"""`branchwork compare`: algorithms side by side on one file, and beside the answer that needs none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from branchwork.cli import inputs
from branchwork.cli.ensembles import METHODS as ENSEMBLES
from branchwork.cli.estimators import StudyOutput, check_study_output, write_study
from branchwork.cli.grow import Folds
from branchwork.cli.held_out import Seed
from branchwork.cli.manners import say
from branchwork.cli.methods import ON_REQUEST, method_option, methods_for
from branchwork.cli.output import AsJson, write
from branchwork.cli.progress import progress
from branchwork.errors import ParameterError

if TYPE_CHECKING:
    from branchwork.grow.prepared import Prepared
    from branchwork.model.model import Model
    from branchwork.study.comparing import Contender
    from branchwork.study.containers import Rows
    from branchwork.study.sources import Coder, Learned


def compare(
    file: inputs.File,
    target: inputs.Target_ = None,
    method: Annotated[
        list[str] | None,
        method_option(
            "An algorithm to compare. May be repeated; by default all single trees that can learn the target, except "
            "optimal, which may take long",
            ensembles=True,
        ),
    ] = None,
    folds: Folds = None,
    repeats: Annotated[
        int,
        typer.Option(
            "--repeats",
            metavar="N",
            help="Deal the folds out this many times; from 2 on, at random by --seed.",
        ),
    ] = 1,
    groups: Annotated[
        str | None,
        typer.Option(
            "--groups",
            metavar="COLUMN",
            help="Rows with the same value here, such as a patient's, stay in one fold. No algorithm sees the column.",
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against", metavar="METHOD", help="Test all others against this one; by default the best one."
        ),
    ] = None,
    seed: Seed = 0,
    task: inputs.Task = "auto",
    weights: inputs.Weights = None,
    drop: inputs.Drop = None,
    categorical: inputs.Categorical = None,
    missing: inputs.Missing = None,
    decimal: inputs.DecimalMark = None,
    input_format: inputs.InputFormat = None,
    output: StudyOutput = None,
    as_json: AsJson = False,
) -> None:
    """Compare algorithms on one table, and with always giving the same answer.

    \b
      branchwork compare patients.csv --target outcome
      branchwork compare patients.csv --target outcome --method c45 -o both.html
      branchwork compare patients.csv --target outcome --repeats 2
      branchwork compare patients.csv --target outcome --groups id --folds 5

    Each algorithm is shown with its cross-validated error and its interval, the p-value of the difference from the best
    one, its error on the training rows, the number of leaves, and the time it took. All are tested on the same folds.
    Trees are pruned as `branchwork grow` prunes them.
    """
    from branchwork.cli.procedure import checked_folds
    from branchwork.grow.prepared import Prepared
    from branchwork.study.comparing import contest
    from branchwork.study.sources import Coder
    from branchwork.table.target import Classes
    from branchwork.view.terminal import terminal_width, wants_colour

    wanted = check_study_output(output, as_json, file)
    lesson = inputs.lesson(
        file,
        inputs.Reading(missing, input_format, decimal),
        target=target,
        task=task,
        weights=weights,
        drop=drop,
        categorical=categorical,
    )
    lesson, codes = _without_groups(lesson, groups)
    usual = [name for name in methods_for(lesson.target) if name not in ON_REQUEST]
    chosen = list(dict.fromkeys(method or usual))
    count = checked_folds("--folds", folds, len(lesson.target))
    coder = Coder(isinstance(lesson.target, Classes))
    truth = _coded(lesson, coder)
    parts = _parts(lesson, truth, count, repeats, codes, seed)
    prepared = Prepared(lesson.table)
    contenders = [_contender(name, lesson, prepared, coder) for name in chosen]
    with progress("compare", (len(chosen) + 1) * len(parts)) as done:
        found = contest(
            contenders,
            lesson.table,
            lesson.target,
            parts,
            coder=coder,
            truth=truth,
            against=against,
            are_independent=codes is None,
            progress=done,
        )
    if wanted == "text" and output is None:
        write(found.to_text(color=wants_colour(), width=terminal_width()), output)
        return
    write_study(found, wanted, output)
    if output is not None:
        say(f"wrote {output}; best: {found.best}")


def _without_groups(lesson: inputs.Lesson, column: str | None) -> tuple[inputs.Lesson, Any]:
    """Return the lesson without the column of groups, and the group of each row."""
    from dataclasses import replace

    if column is None:
        return lesson, None
    if column not in lesson.table.schema.names:
        known = ", ".join(lesson.table.schema.names)
        raise ParameterError(f"--groups {column}: there is no such feature. There are {known}.")
    return replace(lesson, table=lesson.table.drop([column])), lesson.table.column(column)


def _coded(lesson: inputs.Lesson, coder: Coder) -> Any:
    from branchwork.table.target import Classes

    target = lesson.target
    if isinstance(target, Classes):
        return coder.codes_of(target.labels)[target.codes]
    return target.values


def _parts(
    lesson: inputs.Lesson, truth: Any, folds: int, repeats: int, groups: Any, seed: int
) -> list[tuple[Rows, Rows]]:
    """Return training rows and test rows: dealt out once without random numbers, or several times at random."""
    from branchwork.measure.folds import splits
    from branchwork.study.cross_folds import cross_folds

    if repeats < 1:
        raise ParameterError(f"--repeats {repeats}; expected a number of at least 1.")
    if groups is not None:
        if repeats > 1:
            raise ParameterError("--repeats and --groups do not go together: groups are dealt out once.")
        return cross_folds(folds, truth, truth, groups, False, seed)
    if repeats == 1:
        return list(splits(lesson.target, folds))
    from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold

    from branchwork.table.target import Classes

    rarest = lesson.target.counts if isinstance(lesson.target, Classes) else None
    stratified = rarest is not None and rarest[rarest > 0].min() >= folds
    kind = RepeatedStratifiedKFold if stratified else RepeatedKFold
    return cross_folds(
        kind(n_splits=folds, n_repeats=repeats, random_state=seed), truth, truth, None, False, seed
    )


@dataclass(frozen=True, eq=False)
class _Grown:
    """Models of a method of `grow`, each on some rows of one table that is sorted once."""

    method: str
    lesson: inputs.Lesson
    prepared: Prepared
    coder: Coder

    def learned(self, samples: Sequence[Rows], queries: Sequence[Any]) -> Iterator[Learned]:
        """Yield what the model of each sample answers."""
        import warnings

        import numpy as np

        from branchwork.errors import BranchworkWarning
        from branchwork.study.sources import Learned

        for rows in samples:
            with warnings.catch_warnings():  # a fold may lack a category or a class
                warnings.simplefilter("ignore", BranchworkWarning)
                model = self.model(rows)
                said = np.concatenate([self._answers(model, query) for query in queries])
            yield Learned(said[None, :], np.array([_leaves(model)]))

    def model(self, rows: Rows | None = None) -> Model:
        """Learn from some rows, or from all."""
        from branchwork.cli.ensembles import ensemble_of
        from branchwork.cli.procedure import procedure_of

        table, target = self.lesson.table, self.lesson.target
        drawn = self.prepared.draw_all() if rows is None else self.prepared.draw(rows)
        if rows is not None:
            table, target = table.take(rows), target.take(rows)
        if self.method in ENSEMBLES:
            return ensemble_of(self.method, self.lesson.target, {}).learn(table, target)
        procedure = procedure_of(self.method, self.lesson.target, {})
        return procedure.learn(table, target, drawn=None if rows is None else drawn).model

    def _answers(self, model: Model, query: Any) -> Any:
        if model.labels is None:
            return model.predict(query)
        return self.coder.codes_of(model.labels)[model.decisions(query)]


def _leaves(model: Model) -> float:
    return float(sum(tree.n_leaves for tree in model.trees))


def _contender(method: str, lesson: inputs.Lesson, prepared: Prepared, coder: Coder) -> Contender:
    from branchwork.cli.ensembles import ensemble_of
    from branchwork.cli.procedure import procedure_of
    from branchwork.study.comparing import Contender

    make = ensemble_of if method in ENSEMBLES else procedure_of
    make(method, lesson.target, {})  # refuse what cannot learn the target before anything is grown
    source = _Grown(method, lesson, prepared, coder)

    def whole() -> tuple[Model, float]:
        model = source.model()
        return model, _leaves(model)

    return Contender(method, source, whole)
