"""All errors and warnings of Branchwork.

    BranchworkError
     ├─ DataError (ValueError)            the data cannot be used; names column and row, and what was expected
     │   ├─ TargetError                   ... the target
     │   ├─ WeightError                   ... sample_weight
     │   ├─ AbsentColumnError             ... a column that a model needs is not there
     │   └─ FileFormatError               ... a file; names file and line
     │       └─ ModelFormatError          ... a model file; names the field
     ├─ CellTypeError (TypeError)         a cell, column or table has a type that cannot be used
     ├─ ParameterError (ValueError)       a setting out of range or unknown; says what is allowed
     ├─ TreeError (ValueError)            arrays do not form a valid tree
     ├─ TooLargeError (MemoryError)       more memory is needed than is free; says how much
     └─ MissingExtraError (ImportError)   an optional library is needed; gives the install line

    BranchworkWarning (UserWarning)
     ├─ UnseenCategoryWarning             categories in prediction that were not in training; one per call
     ├─ MixedColumnWarning                a few texts in a column of numbers of a file turned it into categories
     ├─ IdentifierWarning                 columns with almost as many values as rows, such as ticket numbers
     ├─ OneClassWarning                   nothing to learn: the target has one value
     ├─ LowWeightWarning                  no split is made, only because the sample weights are so small
     ├─ OutOfBagWarning                   some rows were used by every tree, so no tree can test them
     ├─ BoostingWarning                   AdaBoost stopped, because its first model is no better than guessing
     └─ InterruptedWarning                Ctrl-C ended a fit, and the finished trees are kept

Every error is also a built-in one, so that `except ValueError` and the like catch it.
"""

from __future__ import annotations

import difflib
import os
import sys
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path


class BranchworkError(Exception):
    """Base of every error that Branchwork raises itself.

    `unusable_column` is the name of a feature that cannot be used, if leaving it out would help.
    """

    unusable_column: str | None = None


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
    """A model file is damaged, was written by a newer version, or is not a model file."""


class CellTypeError(BranchworkError, TypeError):
    """A cell, column or table has a type that cannot be used."""


class ParameterError(BranchworkError, ValueError):
    """A setting is out of range or unknown."""


class TreeError(BranchworkError, ValueError):
    """Arrays do not form a valid tree."""


class TooLargeError(BranchworkError, MemoryError):
    """More memory is needed than is free."""


class MissingExtraError(BranchworkError, ImportError):
    """An optional library is needed."""

    def __init__(self, what: str, library: str, extra: str | None = None) -> None:
        install = f'pip install "branchwork[{extra}]"' if extra else f"pip install {library}"
        super().__init__(f"{what} needs {library}, which is not installed. Install it with: {install}")


class BranchworkWarning(UserWarning):
    """Base of every warning that Branchwork gives."""


class UnseenCategoryWarning(BranchworkWarning):
    """Prediction met categories that were not in the training table."""


class MixedColumnWarning(BranchworkWarning):
    """A few texts among many numbers made a column of a file categorical."""


class DecimalWarning(BranchworkWarning):
    """A file has numbers with decimal commas, or what looks like them."""


class OneClassWarning(BranchworkWarning):
    """The target has one value: there is nothing to learn."""


class IdentifierWarning(BranchworkWarning):
    """Columns look like identifiers.

    `columns` are their names, `finding` is the message without the advice, and `enough` is the `min_category_rows` to
    try.
    """

    def __init__(
        self, message: str, *, finding: str = "", columns: Sequence[str] = (), enough: int = 10
    ) -> None:
        super().__init__(message)
        self.finding, self.columns, self.enough = finding, columns, enough


class LowWeightWarning(BranchworkWarning):
    """The tree is a single leaf only because the sample weights add up to less than the number of rows."""


class LossWarning(BranchworkWarning):
    """A loss matrix seems to be the wrong way round: with it, cross-validation finds every split harmful."""


class OutOfBagWarning(BranchworkWarning):
    """Some rows were in the sample of every tree, so they have no out-of-bag prediction."""


class BoostingWarning(BranchworkWarning):
    """The first model of AdaBoost is no better than guessing."""


class InterruptedWarning(BranchworkWarning):
    """Ctrl-C ended a fit, and the finished trees are kept."""


CALL_US_FOR_OTHERS = ("sklearn", "joblib")
"""Libraries that call estimators on behalf of the user: pipelines, cross-validation, searches, meta-estimators."""


def warn(message: str | BranchworkWarning, category: type[Warning]) -> None:
    """Give a warning that points to the user's own line.

    This is the first line outside this package and outside the libraries that call it.

    In a worker thread or process there is no such line. The warning then points to the first line outside this package.
    """
    own = _folder_of(__name__.partition(".")[0])
    others = tuple(folder for package in CALL_US_FOR_OTHERS if (folder := _folder_of(package)))
    outside: int | None = None
    level, frame = 2, sys._getframe(1)  # 1 is this function
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith(own):
            outside = outside or level
            if not file.startswith(others) and not _is_standard_library(file):
                break
        level, frame = level + 1, frame.f_back  # type: ignore[assignment]
    warnings.warn(message, category, stacklevel=level if frame is not None else outside or 1)


def _folder_of(package: str) -> str:
    """Return the folder of an imported package, with a separator at its end; '' if it was not imported."""
    file = getattr(sys.modules.get(package), "__file__", None)
    return f"{Path(file).parent}{os.sep}" if file else ""


def _is_standard_library(file: str) -> bool:
    """Return whether a file belongs to Python itself, such as decorators and the starters of threads and processes."""
    folder = f"{Path(os.__file__).parent}{os.sep}"
    return file.startswith("<frozen ") or (file.startswith(folder) and "-packages" not in file)


def shown(value: object, longest: int = 200) -> str:
    """Return a value as an error message shows it: its repr, cut off if it is long.

    >>> shown("zzz"), len(shown(10**400))
    ("'zzz'", 201)
    """
    try:
        text = repr(value)
    except Exception:  # an integer with more digits than Python prints, or an object whose repr fails
        text = f"<{type(value).__name__}>"
    return text if len(text) <= longest else f"{text[:longest]}…"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return " Did you mean 'x'?" for the closest known word, or an empty string.

    >>> did_you_mean("Outlok", ["Outlook", "Wind"])
    " Did you mean 'Outlook'?"
    """
    names = list(known)
    close = difflib.get_close_matches(word, names, n=1) or [
        name for name in names if name.lower() == word.lower()
    ]
    return f" Did you mean {close[0]!r}?" if close else ""
