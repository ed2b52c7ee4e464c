"""Make a model from LightGBM's trees, from its text format."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import numpy as np

from branchwork.errors import ModelFormatError, ParameterError
from branchwork.model.combine import Combine, Link
from branchwork.model.model import Model
from branchwork.store.foreign_columns import labels_given
from branchwork.store.foreign_lightgbm_text import Fields, read_text, whole
from branchwork.store.foreign_lightgbm_tree import columns_of, tree_of

Task = Literal["number", "two", "many"]

OBJECTIVES: dict[str, tuple[Task, Link]] = {
    "regression": ("number", "identity"),
    "regression_l1": ("number", "identity"),
    "huber": ("number", "identity"),
    "fair": ("number", "identity"),
    "quantile": ("number", "identity"),
    "mape": ("number", "identity"),
    "lambdarank": ("number", "identity"),
    "rank_xendcg": ("number", "identity"),
    "poisson": ("number", "exp"),
    "gamma": ("number", "exp"),
    "tweedie": ("number", "exp"),
    "binary": ("two", "logistic"),
    "multiclass": ("many", "softmax"),
}
"""The task of each objective, and the link that turns sums into predictions."""


def from_lightgbm(source: Any, *, labels: Iterable[Any] | None = None, rounds: int | None = None) -> Model:
    """Make a model from LightGBM's trees.

    Every row comes to the same leaves, and sums agree to 1e-12. Categories are taken as they are: LightGBM truncates
    2.7 to 2, but for this model 2.7 is an unseen category.

    Parameters
    ----------
    source : a text file (its path), the text itself, or a Booster, LGBMClassifier or LGBMRegressor in memory, whose
        trees are taken up to the best round.
    labels : names for the classes 0, 1, …
    rounds : take the trees of this many rounds, from the first; None means all.
    """
    if hasattr(source, "booster_"):
        labels = getattr(source, "classes_", None) if labels is None else labels
        source = source.booster_
    written = read_text(_text(source))
    head = written.head
    task, link, sharpness = _objective(head)
    width = whole(head, "num_tree_per_iteration", "The head", lowest=1)
    if (task == "many") != (width > 1) or whole(head, "num_class", "The head", lowest=1) != width:
        raise ModelFormatError(
            f"The header has {width} trees per round, and the objective {head.get('objective')!r}."
        )
    columns = columns_of(written)
    kept = _kept(len(written.trees), width, rounds)
    averaged = "average_output" in head
    n_rounds = kept // width
    alone = averaged and link == "identity"
    scale = sharpness if alone or not averaged else sharpness / n_rounds
    trees = tuple(
        tree_of(fields, columns, scale, f"Tree {k}") for k, fields in enumerate(written.trees[:kept])
    )
    classes = None if task == "number" else labels_given(labels, 2 if task == "two" else width)
    if classes is None and labels is not None:
        objective = head.get("objective", "an objective of your own")
        raise ParameterError(
            f"labels are for classes; {objective} predicts numbers. Of an LGBMClassifier take booster_."
        )
    output = tuple(k % width for k in range(kept)) if width > 1 else None
    return Model(
        columns.schema,
        classes,
        trees,
        {"library": "LightGBM", "name": head.get("objective", "custom"), "criterion": "loss"},
        occurring=None if classes is None else tuple(range(len(classes))),
        combine=Combine("mean") if alone else Combine("sum", base=(0.0,) * width, output=output, link=link),
    )


def _text(source: Any) -> str:
    if hasattr(source, "model_to_string"):
        return str(source.model_to_string())
    if isinstance(source, str) and source.lstrip()[:5] == "tree\n":
        return source.lstrip()
    if isinstance(source, bytes | bytearray):
        return _decoded(bytes(source))
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        if "\n" in str(source) or not path.is_file():
            raise ModelFormatError(f"There is no file {str(source)[:200]!r}.")
        return _decoded(path.read_bytes())
    raise ParameterError(f"from_lightgbm takes a path, text or a Booster; found {type(source).__name__}.")


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise ModelFormatError(f"This is not LightGBM's text: {error}.") from None


def _objective(head: Fields) -> tuple[Task, Link, float]:
    """Return the task, the link, and the factor of the sums before it."""
    if "objective" not in head:  # a custom objective: sums are returned as they are
        return "number", "identity", 1.0
    name, *settings = head["objective"].split() or [""]
    if name not in OBJECTIVES or "sqrt" in settings:
        raise ParameterError(
            f"LightGBM's objective {head['objective'][:60]!r} cannot be expressed here; these can: "
            f"{', '.join(OBJECTIVES)} (without reg_sqrt)."
        )
    return (*OBJECTIVES[name], _sharpness(settings) if name == "binary" else 1.0)


def _sharpness(settings: list[str]) -> float:
    for setting in settings:
        if setting.startswith("sigmoid:"):
            try:
                sharpness = float(setting.removeprefix("sigmoid:"))
            except ValueError:
                sharpness = 0.0
            if not 0 < sharpness < float("inf"):
                raise ModelFormatError(f"The objective has {setting[:40]!r}; expected a number above 0.")
            return sharpness
    return 1.0


def _kept(count: int, width: int, rounds: int | None) -> int:
    """Return how many trees the first rounds have."""
    if count == 0 or count % width:
        raise ModelFormatError(f"There are {count} trees, expected {width} for each round.")
    if rounds is None:
        return count
    most = count // width
    if isinstance(rounds, bool) or not isinstance(rounds, int | np.integer) or not 1 <= rounds <= most:
        raise ParameterError(f"rounds={rounds!r}; expected a whole number from 1 to {most}.")
    return int(rounds) * width
