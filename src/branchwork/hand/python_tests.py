"""Parse the small pieces of an exported Python program: literals, tests of a cell, and chains of `if` and `else`."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from branchwork.errors import ParameterError

COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.LtE: operator.le,
    ast.Lt: operator.lt,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
}


def chain_of(chain: ast.If) -> tuple[list[ast.expr], list[list[ast.stmt]]]:
    """Return the tests of if and elif, and the bodies, the last of which is that of else."""
    tests, bodies = [chain.test], [chain.body]
    rest = chain.orelse
    column = chain.col_offset
    while len(rest) == 1 and isinstance(rest[0], ast.If) and rest[0].col_offset == column:  # elif
        tests.append(rest[0].test)
        bodies.append(rest[0].body)
        rest = rest[0].orelse
    if not rest:
        raise wrong(f"the if of line {chain.lineno} has no else")
    return tests, [*bodies, rest]


def cell_of(test: ast.expr) -> str:
    """Return the name of the cell that a test reads."""
    found = {one.attr for one in ast.walk(test) if isinstance(one, ast.Attribute)}
    if len(found) != 1:
        raise wrong(f"line {test.lineno} does not ask for one cell")
    return found.pop()


def is_known(test: ast.expr) -> bool:
    """Return whether a test is `cell.x == cell.x`."""
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Attribute)
        and isinstance(test.comparators[0], ast.Attribute)
    )


def limit_of(test: ast.expr, sign: type[ast.cmpop]) -> float | None:
    """Return the limit of `cell.x <= limit` or `cell.x > limit`, or None for any other test."""
    if (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Attribute)
        and isinstance(test.ops[0], sign)
        and not isinstance(test.comparators[0], ast.Attribute)
    ):
        limit = constant(test.comparators[0])
        if not is_number(limit):
            raise wrong(f"line {test.lineno} compares a cell with something that is no number")
        return float(limit)
    return None


def is_number(value: Any) -> bool:
    """Return whether a literal is a number that a float can hold."""
    return type(value) is float or (type(value) is int and abs(value) < 2**63)


def place_of(body: list[ast.stmt]) -> int | None:
    """Return the place of a body `return place`, or None for any other body."""
    if len(body) == 1 and isinstance(body[0], ast.Return) and body[0].value is not None:
        place = constant(body[0].value)
        return place if isinstance(place, int) else None
    return None


def holds(test: ast.expr, code: int) -> bool:
    """Return whether a test holds for the code of a category."""
    if isinstance(test, ast.BoolOp):
        both = isinstance(test.op, ast.And)
        return (
            all(holds(one, code) for one in test.values)
            if both
            else any(holds(one, code) for one in test.values)
        )
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in COMPARE:
        left, right = _at_code(test.left, code), _at_code(test.comparators[0], code)
        return COMPARE[type(test.ops[0])](left, right)
    raise wrong(f"the test of line {test.lineno} is not understood")


def _at_code(part: ast.expr, code: int) -> Any:
    if isinstance(part, ast.Attribute):
        return code
    if isinstance(part, ast.Subscript):
        letters, place = constant(part.value), _at_code(part.slice, code)
        if not isinstance(letters, str) or not 0 <= place < len(letters):
            return ""
        return letters[place]
    if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add | ast.Sub):
        left, right = _at_code(part.left, code), _at_code(part.right, code)
        return left + right if isinstance(part.op, ast.Add) else left - right
    return constant(part)


def constant(node: ast.expr | None) -> Any:
    """Return the value of a literal; `float("inf")` and its like are literals here."""
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "float" and len(node.args) == 1:
        return float(constant(node.args[0]))
    if isinstance(node, ast.Tuple):
        return tuple(constant(one) for one in node.elts)
    try:
        return ast.literal_eval(node) if node is not None else None
    except (ValueError, TypeError, SyntaxError):
        raise wrong(f"line {getattr(node, 'lineno', '?')} has something else than a number or text") from None


def wrong(what: str) -> ParameterError:
    """Return the error about a program that an export would not write."""
    return ParameterError(f"This Python program cannot be read as a tree: {what}.")
