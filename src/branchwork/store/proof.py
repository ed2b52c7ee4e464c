"""Write and read what is proven about an optimal tree.

Time and work of the search differ from run to run, so a file does not keep them: the same fit gives the same file.
"""

from __future__ import annotations

import math
from typing import Any, get_args

from branchwork.store.strict import a_number, an_object, number_as_json, one_of, refuse
from branchwork.tree.proof import Ending, Proof


def proof_as_json(proof: Proof) -> dict[str, Any]:
    """Return the proof as JSON."""
    return {
        "objective": number_as_json(float(proof.objective)),
        "lower_bound": number_as_json(float(proof.lower_bound)),
        "ending": proof.ending,
    }


def proof_from(found: Any, place: str = "proof") -> Proof:
    """Read what `proof_as_json` wrote."""
    an_object(found, place, ("objective", "lower_bound", "ending"))
    ending: Ending = one_of(found["ending"], f"{place}.ending", get_args(Ending))  # type: ignore[assignment]
    objective, bound = (a_number(found[name], f"{place}.{name}") for name in ("objective", "lower_bound"))
    if not 0 <= bound <= objective or not math.isfinite(objective):
        refuse(place, f"expected 0 <= lower_bound <= objective, found {bound:g} and {objective:g}")
    return Proof(objective, bound, ending)
