"""A model as JSON: the readable form of the model file, which `bw.load` reads back."""

from __future__ import annotations

from branchwork.model.model import Model
from branchwork.store.twin import to_json_bytes


def write(model: Model) -> str:
    """Return the text that `bw.save(model, "model.json")` writes.

    >>> import branchwork as bw
    >>> tennis = bw.datasets.load("play_tennis")
    >>> print(write(bw.ID3Classifier().fit(tennis.X, tennis.y).model_)[:30])
    {
     "format": "branchwork model
    """
    return to_json_bytes(model).decode()
