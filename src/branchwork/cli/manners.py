"""How every command behaves: results on standard output, messages on standard error, one clear line on bad input."""

from __future__ import annotations

import os
import shlex
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeVar

from branchwork.errors import BranchworkError, BranchworkWarning, IdentifierWarning

Command = TypeVar("Command", bound=Callable[..., Any])

BAD_INPUT = 2
INTERRUPTED = 130
MOST_NAMED = 20
"""A message spells out up to this many options."""


def say(message: str) -> None:
    """One line on standard error, whatever is in the message."""
    from branchwork.view.terminal import harmless

    print(f"branchwork: {harmless(message)}", file=sys.stderr)


@contextmanager
def manners() -> Iterator[None]:
    """Turn errors into one line and an exit code; a reader that has seen enough is no error."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:  # `head`, for one
        raise _enough() from None
    except SystemExit as end:  # after --help or --version; typer has caught the error of a pipe itself
        if isinstance(end.__context__, BrokenPipeError) or not _is_flushed():
            raise _enough() from None
        raise
    except (BranchworkError, OSError) as error:
        say(_told(error))
        raise SystemExit(BAD_INPUT) from None
    except KeyboardInterrupt:
        say("interrupted")
        raise SystemExit(INTERRUPTED) from None


def _enough() -> SystemExit:
    """Return the end of a command whose reader has seen enough; what is still to be written goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return SystemExit(0)


def _is_flushed() -> bool:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        return False
    return True


def _told(error: Exception) -> str:
    """An error in words; the system's own come with the file they are about."""
    if isinstance(error, OSError) and error.strerror and not isinstance(error, BranchworkError):
        return f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
    return str(error)


def _advised(warning: IdentifierWarning) -> str:
    """Return what the warning found, with the options of the command line that help."""
    drop = " ".join(f"--drop {shlex.quote(name)}" for name in warning.columns[:MOST_NAMED])
    drop += " …" if len(warning.columns) > MOST_NAMED else ""
    merge = f"grow --set min_category_rows={warning.enough}"
    without = "id3 and stump have no such setting"
    return f"{warning.finding} Leave out such columns ({drop}), or merge rare values ({merge}; {without})."


def with_manners(command: Command) -> Command:
    """The command, well-behaved."""

    @wraps(command)
    def behaved(*arguments: Any, **options: Any) -> None:
        said = set()

        def say_once(message: Warning | str, *_: Any, **__: Any) -> None:
            text = _advised(message) if isinstance(message, IdentifierWarning) else str(message)
            if text not in said:
                said.add(text)
                say(text)

        with manners(), warnings.catch_warnings():
            warnings.simplefilter("always", BranchworkWarning)
            warnings.showwarning = say_once
            command(*arguments, **options)

    return behaved  # type: ignore[return-value]
