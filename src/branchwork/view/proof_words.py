"""The proof of an optimal tree in sentences: how good the tree is, and what the search did to know it."""

from __future__ import annotations

from branchwork.tree.proof import Proof

STOPPED_BY = {
    "time": "its time limit",
    "memory": "its memory limit",
    "interrupted": "an interrupt",
}

CLOSED = (
    ("closed_interval", "intervals of cuts by what their two ends cost"),
    ("closed_moved", "intervals by the rows between a cut and a known one"),
    ("closed_rows", "subproblems by rows that no test can tell apart, or by more classes than leaves"),
    ("cache_hits", "subproblems because the same rows were solved before"),
)
"""What each bound rules out."""


def how_good(proof: Proof) -> str:
    """Tell how far the tree is from the best one, at most.

    >>> how_good(Proof(23.0, 20.0, "time"))
    'objective 23, lower bound 20, gap 3: the search was ended by its time limit'
    """
    here = f"objective {proof.objective:g}"
    if proof.proven:
        return f"no tree within these limits is better ({here}, proven)"
    if proof.ending == "not_searched":
        return f"{here}, without a proof"
    here = f"{here}, lower bound {proof.lower_bound:g}, gap {proof.gap:g}"
    if proof.ending == "gap":
        return f"{here}, as close as max_gap asks for"
    return f"{here}: the search was ended by {STOPPED_BY[proof.ending]}"


def how_known(proof: Proof) -> str:
    """Tell what the search tried, and what each bound ruled out; "" where that is not known.

    >>> how_known(Proof(0.0, 0.0, "proven", counts={"subproblems": 1200, "cuts": 5, "cache_hits": 7}))
    'Subproblems solved: 1,200; cuts tried: 5. Ruled out: 7 subproblems because the same rows were solved before.'
    """
    counts = proof.counts
    if not counts:
        return ""
    tried = f"Subproblems solved: {counts['subproblems']:,}; cuts tried: {counts['cuts']:,}."
    closed = [f"{counts[name]:,} {words}" for name, words in CLOSED if counts.get(name)]
    return f"{tried} Ruled out: {'; '.join(closed)}." if closed else tried


def proof_sentences(proof: Proof | None, node: int) -> list[str]:
    """Tell the proof at a node: in full at the root, in one sentence below it."""
    if proof is None:
        return []
    whole = how_good(proof)
    if node:
        return [f"The whole tree: {whole}."]
    known = how_known(proof)
    return [f"{whole[0].upper()}{whole[1:]}.", *([known] if known else [])]
