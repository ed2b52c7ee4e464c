"""Write and read a vote in a model file: its settings, and its members, each checked like a file of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, get_args

from branchwork.errors import BranchworkError
from branchwork.model.committee import Committee, CommitteeRule, Member
from branchwork.model.model import Model
from branchwork.neighbours.model import Neighbours
from branchwork.rules.rule_list import RuleList
from branchwork.store.about import labels_from, labels_of
from branchwork.store.strict import a_list, a_number, a_text, an_object, number_as_json, one_of, refuse
from branchwork.store.values import as_json, from_json

VOTE_WORDS = ("labels", "vote")
"""The names in a file with a vote, besides its heading and its members."""
MOST_MEMBERS = 1000


def vote_words_of(committee: Committee) -> dict[str, Any]:
    """Return all of a vote except its members, as JSON."""
    weights = committee.weights
    return {
        "labels": labels_of(committee.labels),
        "vote": {
            "names": [as_json(name, f"vote.names[{k}]") for k, name in enumerate(committee.names)],
            "combine": committee.combine,
            "weights": None if weights is None else [number_as_json(float(weight)) for weight in weights],
            "target": None if committee.target is None else as_json(committee.target, "vote.target"),
        },
    }


def own_members(committee: Committee) -> Sequence[Model | RuleList | Neighbours]:
    """Return the members, which must be of kinds that a model file can hold."""
    for name, member in zip(committee.names, committee.members, strict=True):
        if not isinstance(member, Model | RuleList | Neighbours):
            refuse(
                "vote",
                f"the member {name!r} is a {type(member).__name__}; models, lists of rules and neighbours can be saved",
            )
    return committee.members  # type: ignore[return-value]


def committee_from(found: dict[str, Any], member: Callable[[int], Any]) -> Committee:
    """Read a vote; `member(k)` reads the k-th member."""
    vote = an_object(found["vote"], "vote", ("names", "combine", "weights", "target"))
    names = [_text(name, f"vote.names[{k}]") for k, name in enumerate(a_list(vote["names"], "vote.names"))]
    if not 1 <= len(names) <= MOST_MEMBERS:
        refuse("vote.names", f"expected 1 to {MOST_MEMBERS} names, found {len(names)}")
    rule: CommitteeRule = one_of(vote["combine"], "vote.combine", get_args(CommitteeRule))  # type: ignore[assignment]
    given = None if vote["weights"] is None else a_list(vote["weights"], "vote.weights", len(names))
    weights = None if given is None else tuple(a_number(x, f"vote.weights[{k}]") for k, x in enumerate(given))
    target = None if vote["target"] is None else _text(vote["target"], "vote.target")
    members: list[Member] = []
    for k in range(len(names)):
        one = member(k)
        if not isinstance(one, Model | RuleList | Neighbours):
            refuse(f"model.{k}", "a vote cannot contain another vote")
        members.append(one)
    try:
        return Committee(tuple(names), tuple(members), labels_from(found["labels"]), rule, weights, target)
    except BranchworkError as error:
        refuse("vote", str(error).rstrip("."))


def _text(found: Any, place: str) -> str:
    text = from_json(found, place)
    return text if isinstance(text, str) else a_text(found, place)
