"""Options that take one of some known words: checked with a suggestion, completed by the shell."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import typer

from branchwork.errors import ParameterError, did_you_mean

Words = Callable[[], Iterable[str]]
"""Gives the words when they are needed; what knows them need not be imported before."""


def word_option(name: str, *, words: Words, text: str, panel: str | None = None) -> Any:
    """Return an option whose value, or each of its values, is one of some words."""
    return typer.Option(
        name,
        help=text,
        metavar=name.rpartition("-")[2].upper(),
        callback=_check(name, words),
        autocompletion=completion(words),
        rich_help_panel=panel,
    )


def word_argument(name: str, *, words: Words, text: str) -> Any:
    """An argument that is one of some words."""
    return typer.Argument(
        help=text, metavar=name, callback=_check(name.strip("[]"), words), autocompletion=completion(words)
    )


def completion(words: Words) -> Callable[[str], list[str]]:
    """What the shell may complete."""

    def complete(incomplete: str) -> list[str]:
        return [word for word in words() if word.startswith(incomplete)]

    return complete


def _check(shown: str, words: Words) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        for word in [value] if isinstance(value, str) else value or []:
            known = list(words())
            if word not in known:
                raise ParameterError(
                    f"{shown} {word!r} is not known.{did_you_mean(word, known)} Expected one of {', '.join(known)}."
                )
        return value

    return check
