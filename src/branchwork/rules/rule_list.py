"""A list of rules that predicts by itself.

The first rule that a row matches answers for it, and a row that matches none gets the default. If the list came from a
tree that shares rows with missing values among branches, such a row matches several rules, each with a share of it. The
answer is then the mean of theirs, weighted by share, as in the tree.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from branchwork.errors import ModelFormatError, TargetError
from branchwork.lazy import cached_property
from branchwork.model.model import label_array, label_order
from branchwork.model.score import accuracy, r_squared
from branchwork.rules.rule import Floats, Rule
from branchwork.rules.simplify import simplify_rule
from branchwork.rules.text import Told, to_html, to_latex, to_markdown, to_text
from branchwork.table.adapt import to_table
from branchwork.table.conform import HandleUnknown, conform
from branchwork.table.schema import Schema
from branchwork.table.table import Table
from branchwork.table.text_table import terminal_width
from branchwork.tree.apply import Shares
from branchwork.tree.outputs import likeliest

Estimate = Literal["pessimistic", "observed"]
Method = Literal["c4.5rules", "mitchell"]


@dataclass(frozen=True)
class RuleList:
    """Rules in order, and the default for rows that match none.

    Parameters
    ----------
    schema : the columns that the rules use.
    labels : the classes in declared order; None for a numeric target.
    rules : the rules, in order.
    default : a rule without conditions, for rows that match none.
    prior : the weight of each label among all training rows; None for a numeric target.
    handle_unknown : what to do with unseen categories.
    target : the name of what is predicted; None: not known.

    >>> import branchwork as bw
    >>> tennis = bw.datasets.load("play_tennis")
    >>> rules = bw.ID3Classifier().fit(tennis.X, tennis.y).rules()
    >>> print(rules)
       rule                                                     rows  coverage  confidence  lift
    1  Outlook = Overcast → PlayTennis: Yes                        4     28.6%      100.0%  1.56
    2  Outlook = Rain and Wind = Strong → PlayTennis: No           2     14.3%      100.0%  2.80
    3  Outlook = Rain and Wind = Weak → PlayTennis: Yes            3     21.4%      100.0%  1.56
    4  Outlook = Sunny and Humidity = High → PlayTennis: No        3     21.4%      100.0%  2.80
    5  Outlook = Sunny and Humidity = Normal → PlayTennis: Yes     2     14.3%      100.0%  1.56
       otherwise → PlayTennis: Yes
    """

    schema: Schema
    labels: tuple[Hashable, ...] | None
    rules: tuple[Rule, ...]
    default: Rule
    prior: tuple[float, ...] | None = None
    handle_unknown: HandleUnknown = "missing"
    target: str | None = None

    # ---- in a pickle

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        """Pickle the bytes of a model file, which are checked when the pickle is loaded."""
        from branchwork.store.container import from_bytes, to_bytes

        try:
            return from_bytes, (to_bytes(self),)
        except ModelFormatError:  # labels of a type that a model file cannot hold, or too many rules
            return RuleList, tuple(getattr(self, own.name) for own in fields(self))

    def __copy__(self) -> RuleList:
        """Return another list with the same rules, which cannot change."""
        return replace(self)

    # ---- as a sequence

    def __len__(self) -> int:
        """Return the number of rules; the default is not counted."""
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        """Iterate over the rules."""
        return iter(self.rules)

    def __getitem__(self, position: int) -> Rule:
        """Return the rule at a position."""
        return self.rules[position]

    # ---- predicting

    @cached_property
    def shares_rows(self) -> bool:
        """Return whether a row with missing values may match several rules, each with a share of it."""
        return any(rule.shares for rule in self.rules)

    @cached_property
    def class_order(self) -> npt.NDArray[np.intp]:
        """Return the positions in `labels` of the classes that occur, sorted by label: the columns of predict_proba."""
        if self.labels is None or self.prior is None:
            raise TargetError("These rules predict numbers; they have no classes.")
        return label_order(self.labels, np.flatnonzero(np.array(self.prior) > 0).tolist())

    @property
    def classes(self) -> npt.NDArray[Any]:
        """Return the classes that occur, sorted."""
        order = self.class_order
        assert self.labels is not None
        return label_array(self.labels)[order]

    def table(self, X: Any) -> Table:
        """Code any container by the schema of these rules."""
        return conform(to_table(X), self.schema, handle_unknown=self.handle_unknown)

    def matches(self, X: Any) -> npt.NDArray[np.bool_]:
        """Return which rules each row matches, whatever their order: (rows, rules)."""
        table = self.table(X)
        found = np.zeros((table.n_rows, len(self)), np.bool_)
        for k, rule in enumerate(self.rules):
            found[rule.matching(table, np.arange(table.n_rows)), k] = True
        return found

    def apply(self, X: Any) -> npt.NDArray[np.int32]:
        """Return the position of the rule that answers for each row; -1 is the default. The largest share counts."""
        table = self.table(X)
        return self._shares(table).largest() if self.shares_rows else self._first(table)

    def outputs(self, X: Any) -> Floats:
        """Return the full answer of the rules: a probability for each label in declared order, or the number."""
        table = self.table(X)
        value = np.array([*(rule.value for rule in self.rules), self.default.value])  # -1 is the default
        return self._shares(table).mix(value) if self.shares_rows else value[self._first(table)]

    def decisions(self, X: Any) -> npt.NDArray[np.intp]:
        """Return the position in `labels` of every row's class."""
        if self.labels is None:
            raise TargetError("These rules predict numbers; they have no classes.")
        table = self.table(X)
        if self.shares_rows:
            return likeliest(self.outputs(table))
        place = {label: code for code, label in enumerate(self.labels)}
        codes = [place[rule.prediction] for rule in (*self.rules, self.default)]
        return np.array(codes, np.intp)[self._first(table)]

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class or the number of every row."""
        if self.labels is None:
            return self.outputs(X)[:, 0]
        return label_array(self.labels)[self.decisions(X)]

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of every class that occurs, in the order of `classes`."""
        return self.outputs(X)[:, self.class_order]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy or, for numbers, R²; both weighted."""
        if self.labels is None:
            return r_squared(self.predict(X), y, sample_weight)
        return accuracy(self.labels, self.decisions(X), y, sample_weight)

    def _first(self, table: Table) -> npt.NDArray[np.int32]:
        """Return the first rule that each row matches, or -1."""
        first = np.full(table.n_rows, -1, np.int32)
        left = np.arange(table.n_rows)
        for k, rule in enumerate(self.rules):
            if not left.size:
                break
            first[rule.matching(table, left)] = k
            left = left[first[left] < 0]
        return first

    def _shares(self, table: Table) -> Shares:
        """Return the rules that each row matches, in order, with their shares; the default has what none matches."""
        found = [rule.matching(table, np.arange(table.n_rows)) for rule in self.rules]
        parts = [rule.share_of(table, matching) for rule, matching in zip(self.rules, found, strict=True)]
        unmatched = np.setdiff1d(np.arange(table.n_rows), np.concatenate(found))
        found, parts = [*found, unmatched], [*parts, np.ones(len(unmatched))]
        rows = np.concatenate(found)
        which = np.repeat([*range(len(self)), -1], [len(matching) for matching in found])
        order = np.argsort(rows, kind="stable")
        starts = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=table.n_rows))))
        return Shares(starts, which[order].astype(np.int32), np.concatenate(parts)[order])

    # ---- making shorter

    def simplify(self) -> RuleList:
        """Return the list with conditions on one feature merged, and without conditions that always hold.

        Every rule matches the same rows as before, also those with missing values and unseen categories. A rule that
        no row can match is left out.
        """
        short = (simplify_rule(rule, self.schema) for rule in self.rules)
        return replace(self, rules=tuple(rule for rule in short if rule is not None))

    def post_prune(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        method: Method = "mitchell",
        confidence: float = 0.25,
        estimate: Estimate = "pessimistic",
    ) -> RuleList:
        """Return a list of rules without conditions that do not help, judged by these rows.

        Parameters
        ----------
        X, y, sample_weight : the rows to judge by: the training rows, or others with estimate="observed".
        method : "mitchell": drop conditions whose removal does not lower the estimated accuracy of a rule, then sort by
            it. "c4.5rules": Quinlan's method, which also chooses a subset of the rules of each class by description
            length, and orders the classes.
        confidence : that of the pessimistic estimate; smaller values prune more.
        estimate : for "mitchell": "pessimistic" expects more errors than were seen; "observed" takes them as they are.
        """
        from branchwork.rules.post_prune import post_prune

        return post_prune(self, X, y, sample_weight, method=method, confidence=confidence, estimate=estimate)

    # ---- looking

    def export(self, language: str, **options: Any) -> str | bytes:
        """Write the rules as a program: "python", "c", "javascript", "java", "sql" or "questionnaire"; or as a table.

        `options` are those of the language (docs/guide/export.md); tables are "markdown" and "latex".
        """
        from branchwork.export import export

        return export(self, language, **options)

    def to_dict(self) -> dict[str, Any]:
        """Return the list as plain data: "rules", each with its conditions and numbers, and "default"."""
        return {
            "rules": [rule.to_dict(self.schema, self.labels) for rule in self.rules],
            "default": self.default.prediction,
        }

    def to_text(self, *, missing: bool = False, full: bool = False, width: int | None = None) -> str:
        """Return the rules as text, a line each.

        Parameters
        ----------
        missing : say of every condition whether a missing cell passes; otherwise only where training rows with a
            missing cell did.
        full : name every category of a group, every surrogate, and all digits of an answer; otherwise of more than
            four categories the first three, and four digits.
        width : the columns that lines may take; None: any number.
        """
        return to_text(self._told(missing, full), width=width)

    def _told(self, missing: bool = False, full: bool = False) -> Told:
        return Told(self.schema, self.rules, self.default, self.target, missing, full)

    def to_markdown(self, *, missing: bool = False, full: bool = False) -> str:
        """Return the rules as a table in Markdown; `missing` and `full` as in `to_text`."""
        return to_markdown(self._told(missing, full))

    def to_latex(self, *, missing: bool = False, full: bool = False) -> str:
        """Return the rules as a table in LaTeX, for the package longtable; `missing` and `full` as in `to_text`."""
        return to_latex(self._told(missing, full))

    def __str__(self) -> str:
        """Show the rules, a line each; in a terminal as wide as it is."""
        return self.to_text(width=terminal_width())

    def __repr__(self) -> str:
        """Show how many there are."""
        return f"RuleList({len(self)} rule{'s' * (len(self) != 1)}, otherwise {self.default.prediction!r})"

    def _repr_html_(self) -> str:
        """Show the rules as a table in notebooks."""
        return to_html(self._told())
