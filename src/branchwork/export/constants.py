"""Make what all exported programs share: the keys of categories, and sentences for their comments."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from branchwork.errors import ParameterError
from branchwork.export.lines import remark
from branchwork.export.parts import Plan
from branchwork.export.program import AS_MISSING, Ask, Field, Program

WRITTEN_BY = "Written by Branchwork."


def purpose(program: Program) -> str:
    """Say in a comment what the program predicts: "A model that predicts survived, the class of a row."."""
    what = "the number" if program.labels is None else "the class"
    named = "" if program.target is None else f"{remark(program.target)}, "
    return f"A model that predicts {named}{what} of a row. {WRITTEN_BY}"


def keys(field: Field) -> list[tuple[Hashable, int]]:
    """Return the possible values of a column with their codes: the categories, and other spellings of booleans."""
    named = dict(enumerate(field.categories))
    found: list[tuple[Hashable, int]] = []
    for key, code in field.column.code_of.items():
        value = key[1] if isinstance(key, tuple) and len(key) == 2 and key[0] == "bool" else key
        found.append((plain(value, f"Category {named[code]!r} of column {field.name!r}"), code))
    return found


def labels(plan: Plan) -> list[Hashable]:
    """Return the labels by position."""
    return [plain(label, f"Label {label!r}") for label in plan.labels]


def plain(value: Hashable, what: str) -> Hashable:
    """Return a value as a type that programs also have: text, a number or a boolean."""
    if type(value) in (str, bool, int, float):
        return value
    raise ParameterError(
        f"{what} is of type {type(value).__name__}; programs have only text, numbers and booleans. Make it text first."
    )


def exact_double(value: Hashable, what: str) -> float:
    """Return a number that a double holds exactly, for languages without other numbers."""
    assert isinstance(value, int | float)
    try:
        number = float(value)
    except OverflowError:
        number = float("nan")
    if number != value:
        raise ParameterError(
            f"{what}, {value!r}, does not fit in a double, and this language has no other numbers."
        )
    return number


def refused(program: Program) -> bool:
    """Return whether an unseen category stops the program."""
    return program.handle_unknown == "error" and any(field.is_nominal for field in program.fields)


def on_unknown(program: Program) -> list[str]:
    """Say in a sentence what happens to an unseen category; return nothing if there are no categories."""
    if not any(field.is_nominal for field in program.fields):
        return []
    asks = [step for steps in program.trees for step in steps if isinstance(step, Ask)]
    fate = {"majority": "goes with the majority", "error": "is refused"}.get(
        program.handle_unknown,
        "goes where each node sends it"
        if any(ask.child_of is not None and ask.unseen != AS_MISSING for ask in asks)
        else "counts as missing",
    )
    return [f"A category that did not occur in training {fate}."]


def rows_of(values: list[str], width: int = 100) -> Iterator[str]:
    """Return values, each with a comma, in lines of up to this many letters."""
    line = ""
    for value in values:
        if line and len(line) + len(value) > width:
            yield line.rstrip()
            line = ""
        line += f"{value}, "
    if line:
        yield line.rstrip()
