"""Save and load models: .bw files, and .json files that people can read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from branchwork.errors import FileFormatError, ModelFormatError
from branchwork.files import check_name, save_bytes
from branchwork.model.committee import Committee
from branchwork.model.model import Model
from branchwork.neighbours.model import Neighbours
from branchwork.rules.rule_list import RuleList
from branchwork.store.container import from_bytes, read_container, to_bytes
from branchwork.store.savable import saved_of
from branchwork.store.twin import from_json_bytes, read_twin, to_json_bytes

SUFFIXES = (".bw", ".json")


def save(model: Any, path: str | os.PathLike[str]) -> Path:
    """Write a model to a file: `.bw` (safetensors), or `.json`, which people can read.

    The file holds numbers and text only, a version, and a SHA-256 over all of it. The new file replaces an old one
    only when it is complete, so a file of that name is always whole, whatever happens.

    Parameters
    ----------
    model : a fitted estimator, a Model, a RuleList, a Committee or Neighbours. For a RuleListClassifier, the rules
        are saved, not the tree that they came from.
    path : a path that ends in .bw or .json.

    >>> import branchwork as bw
    >>> tennis = bw.datasets.load("play_tennis")
    >>> tree = bw.ID3Classifier().fit(tennis.X, tennis.y)
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = bw.save(tree, f"{folder}/tennis.bw")
    ...     bw.load(path).predict(tennis.X.take([0, 2]))
    array(['No', 'Yes'], dtype=object)
    """
    check_name(path)
    path = Path(path)
    suffix = _suffix(path)
    if path.exists() and not path.is_file():
        raise FileFormatError(f"{path} is not a file.")
    given = saved_of(model)
    data = to_bytes(given) if suffix == ".bw" else to_json_bytes(given)
    (from_bytes if suffix == ".bw" else from_json_bytes)(data)  # never write a file that could not be read
    return save_bytes(path, data)


def load(path: str | os.PathLike[str]) -> Model | RuleList | Committee | Neighbours:
    """Read a model, a list of rules, a vote or neighbours from a file that `save` wrote.

    No code in the file is run, and everything is checked before it is used: if anything is wrong, a ModelFormatError
    says where. The loaded model predicts without scikit-learn; only neighbours in many dimensions use its
    brute-force search.

    Parameters
    ----------
    path : a .bw or .json file.
    """
    check_name(path)
    path = Path(path)
    suffix = _suffix(path)
    if not path.is_file():
        raise ModelFormatError(f"{path} is not a file." if path.exists() else f"{path} does not exist.")
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            return (read_container if suffix == ".bw" else read_twin)(file, size)
    except ModelFormatError as error:
        raise ModelFormatError(f"{path}: {error}") from None


def _suffix(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        found = f"the suffix {path.suffix!r}" if suffix else "no suffix"
        raise FileFormatError(
            f"{path} has {found}; a model file ends in .bw, or in .json to be read by people."
        )
    return suffix
