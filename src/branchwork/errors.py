"""Everything Branchwork raises or warns with.

    BranchworkError
     ├─ DataError (ValueError)            the data cannot be used: which column, which row, what was expected
     │   ├─ TargetError                   ... the target
     │   ├─ WeightError                   ... sample_weight
     │   ├─ AbsentColumnError             ... a column that a model needs is not there
     │   └─ FileFormatError               ... a file; names file and line
     │       └─ ModelFormatError          ... a model file; names the field
     ├─ CellTypeError (TypeError)         a cell, column or table of a type that means nothing here
     ├─ ParameterError (ValueError)       a setting out of range or unknown; says what is allowed
     ├─ TreeError (ValueError)            arrays that do not make a tree
     ├─ TooLargeError (MemoryError)       what is asked for needs more memory than is free; says how much
     └─ MissingExtraError (ImportError)   an optional library is needed; gives the install line

    BranchworkWarning (UserWarning)
     ├─ UnseenCategoryWarning             categories at prediction that training never saw; one per call
     └─ OneClassWarning                   nothing to learn: the target has one value

All errors are also the built-in kind that old habits catch.
"""

from __future__ import annotations

import difflib
import sys
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path


class BranchworkError(Exception):
    """Base of every error that Branchwork raises itself."""


class DataError(BranchworkError, ValueError):
    """The data cannot be used."""


class TargetError(DataError):
    """The target cannot be used."""


class WeightError(DataError):
    """The sample weights cannot be used."""


class AbsentColumnError(DataError):
    """A column is not in the table: `column` is its name, `known` are those that are there."""

    def __init__(self, message: str, *, column: str = "", known: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.column, self.known = column, known


class FileFormatError(DataError):
    """A file is not what its name says."""


class ModelFormatError(FileFormatError):
    """A model file is damaged, from a newer version, or no model file at all."""


class CellTypeError(BranchworkError, TypeError):
    """A cell, column or table of a type that means nothing here."""


class ParameterError(BranchworkError, ValueError):
    """A setting is out of range or unknown."""


class TreeError(BranchworkError, ValueError):
    """Arrays that do not make a tree."""


class TooLargeError(BranchworkError, MemoryError):
    """What is asked for needs more memory than is free."""


class MissingExtraError(BranchworkError, ImportError):
    """An optional library is needed."""

    def __init__(self, what: str, library: str, extra: str | None = None) -> None:
        install = f'pip install "branchwork[{extra}]"' if extra else f"pip install {library}"
        super().__init__(f"{what} needs {library}, which is not installed. Install it with: {install}")


class BranchworkWarning(UserWarning):
    """Base of every warning that Branchwork gives."""


class UnseenCategoryWarning(BranchworkWarning):
    """Categories at prediction that training never saw."""


class OneClassWarning(BranchworkWarning):
    """The target has one value: there is nothing to learn."""


def warn(message: str, category: type[BranchworkWarning] | type[UserWarning]) -> None:
    """Warn at the caller's own line: the first one outside this package."""
    package = str(Path(__file__).parent)
    level, frame = 1, sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(package):
        level, frame = level + 1, frame.f_back  # type: ignore[assignment]
    warnings.warn(message, category, stacklevel=level)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """' Did you mean 'x'?' for the closest known word, or nothing.

    >>> did_you_mean("Outlok", ["Outlook", "Wind"])
    " Did you mean 'Outlook'?"
    """
    names = list(known)
    close = difflib.get_close_matches(word, names, n=1) or [
        name for name in names if name.lower() == word.lower()
    ]
    return f" Did you mean {close[0]!r}?" if close else ""
