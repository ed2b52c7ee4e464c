"""Many cases of one law in one test: all of them run, and those that fail are listed together.

`@together("factory", ALL)` stands where `@pytest.mark.parametrize("factory", ALL)` would make a test of each case. A
thousand small tests cost more in reports than in work.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest

MOST_SHOWN = 20
"""Failures that are described; more are counted."""


def together(names: str | tuple[str, ...], cases: Iterable[Any]) -> Callable[[Any], Any]:
    """Run a test once for every case and fail with a list of the cases that did.

    `names` are the arguments that a case gives, as pytest.mark.parametrize takes them. The other arguments are fixtures
    or parameters as usual; a fixture is the same one for all cases.
    """
    names = tuple(name.strip() for name in names.split(",")) if isinstance(names, str) else names
    cases = list(cases)

    def decorate(test: Any) -> Any:
        @functools.wraps(test)
        def all_cases(**others: Any) -> None:
            failures: list[tuple[str, BaseException]] = []
            for case in cases:
                given = dict(zip(names, [case] if len(names) == 1 else case, strict=True))
                try:
                    test(**given, **others)
                except (Exception, pytest.fail.Exception) as failure:
                    failures.append((", ".join(map(_name, given.values())), failure))
            if failures:
                raise AssertionError(_described(failures, len(cases))) from failures[0][1]

        signature = inspect.signature(test)
        kept = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for parameter in signature.parameters.values()
            if parameter.name not in names
        ]
        all_cases.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return all_cases

    return decorate


def _name(value: Any) -> str:
    return getattr(value, "__name__", None) or repr(value)[:60]


def _described(failures: list[tuple[str, BaseException]], count: int) -> str:
    lines = [f"{len(failures)} of {count} cases fail:"]
    lines += [f"- {case}: {type(why).__name__}: {str(why)[:300]}" for case, why in failures[:MOST_SHOWN]]
    if len(failures) > MOST_SHOWN:
        lines.append(f"- and {len(failures) - MOST_SHOWN} more")
    return "\n".join(lines)
