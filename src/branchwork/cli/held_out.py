"""`grow --validation` and `--test`: rows that are kept apart before anything is learned."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from branchwork.errors import ParameterError

if TYPE_CHECKING:
    from branchwork.cli.inputs import Lesson
    from branchwork.model.model import Model
    from branchwork.table.table import Table
    from branchwork.table.target import Target

Validation = Annotated[
    float | None,
    typer.Option(
        "--validation",
        metavar="SHARE",
        help="Keep this share of the rows (or this number) apart, and show the error on them instead of "
        "cross-validation. --set pruning=reduced_error prunes by them.",
    ),
]
Test = Annotated[
    float | None,
    typer.Option(
        "--test",
        metavar="SHARE",
        help="Keep this share of the rows (or this number) apart, and show the error on them at the end.",
    ),
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="The seed of random draws.")]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """The rows that are kept apart, by name: "validation" and "test", those that were asked for."""

    parts: dict[str, tuple[Table, Target]]

    def errors(self, model: Model) -> dict[str, float]:
        """Return the error of a model on each part."""
        from branchwork.study.validate import training_error

        return {name: training_error(model, *rows) for name, rows in self.parts.items()}

    def size(self, name: str) -> int:
        """Return the number of rows of a part."""
        return self.parts[name][0].n_rows


def hold_out(
    lesson: Lesson, validation: float | None, test: float | None, seed: int
) -> tuple[Lesson, HeldOut]:
    """Return the rows to learn from, and those that are kept apart."""
    from branchwork.study.splitting import split
    from branchwork.table.target import Classes

    if validation is None and test is None:
        return lesson, HeldOut({})
    target = lesson.target
    answers: Any = target.codes if isinstance(target, Classes) else target.values
    wanted = {"validation": _share("--validation", validation), "test": _share("--test", test)}
    found = split(lesson.table, answers, seed=seed, **wanted)
    parts = {
        name: (part.X, target.take(part.rows))
        for name in wanted
        if (part := getattr(found, name)) is not None
    }
    return replace(lesson, table=found.train.X, target=target.take(found.train.rows)), HeldOut(parts)


def _share(name: str, share: float | None) -> float:
    """Return a share below 1, or a whole number of rows; none is 0."""
    if share is None:
        return 0
    if share > 0 and (share < 1 or share.is_integer()):
        return share if share < 1 else int(share)
    raise ParameterError(f"{name} {share:g}; expected a share between 0 and 1, or a number of rows.")
