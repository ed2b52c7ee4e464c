"""What programs share besides their parts: the keys of categories, and sentences about cells and answers."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from branchwork.errors import ParameterError
from branchwork.export.parts import Plan
from branchwork.export.program import AS_MISSING, Ask, Field, Program

WRITTEN_BY = "Written by Branchwork."


def keys(field: Field) -> list[tuple[Hashable, int]]:
    """What a cell may be, and its code: the categories, and other spellings of truth."""
    named = dict(enumerate(field.categories))
    found: list[tuple[Hashable, int]] = []
    for key, code in field.column.code_of.items():
        value = key[1] if isinstance(key, tuple) and len(key) == 2 and key[0] == "bool" else key
        found.append((plain(value, f"Category {named[code]!r} of column {field.name!r}"), code))
    return found


def labels(plan: Plan) -> list[Hashable]:
    """The labels by position."""
    return [plain(label, f"Label {label!r}") for label in plan.labels]


def plain(value: Hashable, what: str) -> Hashable:
    """A value that programs have, too: text, a number or truth."""
    if type(value) in (str, bool, int, float):
        return value
    raise ParameterError(
        f"{what} is of type {type(value).__name__}; programs have text, numbers and truth. Make it text first."
    )


def exact_double(value: Hashable, what: str) -> float:
    """A number that a double holds exactly, for languages that have no other."""
    assert isinstance(value, int | float)
    try:
        number = float(value)
    except OverflowError:
        number = float("nan")
    if number != value:
        raise ParameterError(f"{what}, {value!r}, is no double, and this language knows no other numbers.")
    return number


def refused(program: Program) -> bool:
    """Whether a category that training never saw stops the program."""
    return program.handle_unknown == "error" and any(field.is_nominal for field in program.fields)


def on_unknown(program: Program) -> list[str]:
    """What becomes of a category that training never saw, in a sentence; nothing where there are none."""
    if not any(field.is_nominal for field in program.fields):
        return []
    asks = [step for steps in program.trees for step in steps if isinstance(step, Ask)]
    fate = {"majority": "goes with the majority", "error": "is refused"}.get(
        program.handle_unknown,
        "has ways of its own"
        if any(ask.child_of is not None and ask.unseen != AS_MISSING for ask in asks)
        else "is as good as a missing cell",
    )
    return [f"A category that training never saw {fate}."]


def rows_of(values: list[str], width: int = 100) -> Iterator[str]:
    """Values side by side, so many letters a line, each with a comma."""
    line = ""
    for value in values:
        if line and len(line) + len(value) > width:
            yield line.rstrip()
            line = ""
        line += f"{value}, "
    if line:
        yield line.rstrip()
