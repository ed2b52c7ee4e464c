"""Write and read how the trees of an ensemble were made."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, get_args

from branchwork.model.ensemble import Ensemble, Method
from branchwork.store.strict import a_list, a_number, a_whole, an_object, number_as_json, one_of, refuse

MOST_TREES = 2**31 - 1
MOST_SEED = 2**64 - 1


def ensemble_as_json(ensemble: Ensemble) -> dict[str, Any]:
    """Return how the trees were made, as JSON."""
    errors = [[int(trees), number_as_json(float(error))] for trees, error in ensemble.errors]
    return {"method": ensemble.method, "seed": ensemble.seed, "errors": errors}


def ensemble_from(found: Any, place: str = "ensemble") -> Ensemble:
    """Read what `ensemble_as_json` wrote."""
    an_object(found, place, ("method", "seed", "errors"))
    method: Method = one_of(found["method"], f"{place}.method", get_args(Method))  # type: ignore[assignment]
    seed = None if found["seed"] is None else a_whole(found["seed"], f"{place}.seed", 0, MOST_SEED)
    errors = []
    for k, pair in enumerate(a_list(found["errors"], f"{place}.errors")):
        here = f"{place}.errors[{k}]"
        trees, error = a_list(pair, here, 2)
        errors.append((a_whole(trees, here, 1, MOST_TREES), a_number(error, here)))
        if not 0 <= errors[-1][1] < float("inf"):
            refuse(here, "expected an error of 0 or more")
    for k, ((before, _), (after, _)) in enumerate(pairwise(errors)):
        if before >= after:
            refuse(f"{place}.errors[{k + 1}]", "numbers of trees do not rise")
    return Ensemble(method, seed, tuple(errors))
