"""Votes of different learners: ours, and any others that have scikit-learn's manners."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin, RegressorMixin, clone, is_classifier, is_regressor
from sklearn.utils.metaestimators import _BaseComposition
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from branchwork.errors import ParameterError, TargetError, shown
from branchwork.estimators._copying import Copies, of_one_fit
from branchwork.estimators._predicting import Predicts, PredictsClasses, one_column
from branchwork.grow.checks import word_in
from branchwork.model.committee import Committee, CommitteeRule, check_weights
from branchwork.model.diversity import Diversity, diversity_of_classes, diversity_of_numbers
from branchwork.model.model import Model
from branchwork.neighbours.model import Neighbours
from branchwork.rules.rule_list import RuleList
from branchwork.table import target as targets
from branchwork.table.adapt import to_table
from branchwork.table.named import target_name_of
from branchwork.tree.outputs import likeliest
from branchwork.view.vote_why import VoteWhy, vote_why

Floats = npt.NDArray[np.float64]


class _Vote(Copies, _BaseComposition):  # type: ignore[misc]  # scikit-learn has no type hints
    """What votes for classes and for numbers share."""

    estimators: Any
    weights: Any
    estimators_: list[Any]
    n_features_in_: int

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the settings, and those of the members as name__setting."""
        return dict(self._get_params("estimators", deep=deep))

    def set_params(self, **settings: Any) -> Self:
        """Change settings, those of members as name__setting, and whole members by their name."""
        self._set_params("estimators", **settings)
        return self

    @property
    @of_one_fit
    def named_estimators_(self) -> dict[str, Any]:
        """The fitted members by their names."""
        check_is_fitted(self)
        return dict(zip(self._names(), self.estimators_, strict=True))

    def _names(self) -> tuple[str, ...]:
        return tuple(str(name) for name, _ in self.estimators)

    def _check(self, classes: bool) -> None:
        """Refuse members that cannot vote."""
        given = self.estimators
        pairs = isinstance(given, list | tuple) and len(given) > 0
        if not pairs or not all(isinstance(one, tuple) and len(one) == 2 for one in given):
            raise ParameterError(
                f"estimators={shown(given)}; expected a list of pairs of a name and an estimator, such as "
                '[("tree", TreeClassifier()), ("stump", StumpClassifier())].'
            )
        for name, member in given:
            if (
                not isinstance(name, str)
                or not name
                or "__" in name
                or name in ("estimators", "weights", "combine")
            ):
                raise ParameterError(
                    f"estimators has the name {shown(name)}; expected text without '__' that is no setting of the vote."
                )
            if isinstance(member, type) or not hasattr(member, "fit"):
                raise ParameterError(f"estimators: {name!r} is {shown(member)}, which is no estimator.")
            if (is_regressor if classes else is_classifier)(member):
                found, wanted = ("numbers", "classes") if classes else ("classes", "numbers")
                raise ParameterError(
                    f"estimators: {name!r} learns {found}; a vote of {wanted} cannot use it."
                )
        if len(set(self._names())) < len(given):
            raise ParameterError("estimators has two members of one name; expected different names.")
        if self.weights is not None:
            if not hasattr(self.weights, "__len__") or isinstance(self.weights, str | bytes | dict):
                raise ParameterError(
                    f"weights={shown(self.weights)}; expected one number per estimator, or None."
                )
            try:
                weights = [float(weight) for weight in self.weights]
            except (TypeError, ValueError):
                raise ParameterError(f"weights={shown(self.weights)}; expected numbers.") from None
            check_weights(weights, len(given))

    def _shares(self) -> Floats:
        given = np.ones(len(self.estimators)) if self.weights is None else np.array(self.weights, np.float64)
        return np.asarray(given / given.sum())

    def _fit_members(self, X: Any, y: Any, sample_weight: Any, target: str | None) -> list[Any]:
        fitted = []
        for name, member in self.estimators:
            one = clone(member)
            if sample_weight is not None and not has_fit_parameter(one, "sample_weight"):
                raise ParameterError(
                    f"sample_weight was given, but the member {name!r}, a {type(one).__name__}, cannot use it."
                )
            more = {} if sample_weight is None else {"sample_weight": sample_weight}
            if target is not None and isinstance(one, Predicts | _Vote):
                more["target_name"] = target
            fitted.append(one.fit(X, y, **more))
        return fitted

    def _committee(
        self,
        members: list[Any],
        labels: tuple[Any, ...] | None,
        combine: CommitteeRule,
        target: str | None,
    ) -> Committee | None:
        """Return the vote as a model, if all members are ours."""
        own = [getattr(member, "rules_", None) or getattr(member, "model_", None) for member in members]
        if not all(isinstance(one, Model | RuleList | Neighbours) for one in own):
            return None
        weights = None if self.weights is None else tuple(float(weight) for weight in self.weights)
        return Committee(self._names(), tuple(own), labels, combine, weights, target)  # type: ignore[arg-type]

    def _foreign(self) -> str:
        """Say which member keeps the vote from being saved or exported."""
        for name, member in self.named_estimators_.items():
            own = getattr(member, "rules_", None) or getattr(member, "model_", None)
            if not isinstance(own, Model | RuleList | Neighbours):
                home = type(member).__module__.partition(".")[0]
                return (
                    f"The member {name!r} of this vote is a {type(member).__name__} of {home}, and only votes of "
                    "Branchwork's own estimators can be saved or exported."
                )
        raise AssertionError("all members are ours")

    def _features(self, members: list[Any], X: Any) -> dict[str, Any]:
        """Return what is known of the features, by name."""
        n = int(getattr(members[0], "n_features_in_", None) or len(to_table(X).schema))
        names = getattr(members[0], "feature_names_in_", None)
        return {"n_features_in_": n} | ({} if names is None else {"feature_names_in_": names})

    def __sklearn_tags__(self) -> Any:
        """Say what this estimator can take: what its members can."""
        from sklearn.utils import get_tags

        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        members = [get_tags(member) for _, member in self.estimators if hasattr(member, "fit")]
        tags.input_tags.allow_nan = all(one.input_tags.allow_nan for one in members)
        tags.input_tags.categorical = all(one.input_tags.categorical for one in members)
        tags.input_tags.string = all(one.input_tags.string for one in members)
        return tags

    @of_one_fit
    def export(self, language: str, **options: Any) -> str | bytes:
        """Write the vote as a program; all members must be Branchwork's own, and means of trees."""
        check_is_fitted(self)
        if self.model_ is None:
            raise ParameterError(self._foreign())
        written: str | bytes = self.model_.export(language, **options)
        return written

    @of_one_fit
    def diversity(self, X: Any, y: Any) -> Diversity:
        """Return how the members differ on some rows: disagreement of every two, strength and correlation."""
        check_is_fitted(self)
        y = one_column(y, type(self).__name__)
        if not isinstance(self, VoteClassifier):
            answers = np.stack([one[:, 0] for one in self._said(X)])
            return diversity_of_numbers(answers, targets.values(y).values, self.predict(X))
        target = targets.classes(y).in_labels(self._labels)
        place = {label: k for k, label in enumerate(self._labels)}
        said = [
            [place[_plain(label)] for label in np.asarray(member.predict(X)).tolist()]
            for member in self.estimators_
        ]
        together = likeliest(self._outputs(X))
        return diversity_of_classes(np.array(said, np.intp), target.codes, together, len(place))

    @of_one_fit
    def why(self, row: Any) -> VoteWhy:
        """Return who voted what for one row."""
        check_is_fitted(self)
        return vote_why(self, row)


class VoteClassifier(ClassifierMixin, _Vote):  # type: ignore[misc]
    """A vote of different classifiers, by majority or weighted.

    Parameters
    ----------
    estimators : pairs of a name and a classifier: Branchwork's, or any with scikit-learn's manners.
    weights : how much each of them counts; None: all alike.
    combine : "vote": each decides for a class, and the class with most votes wins (ties: the earlier label); "mean":
        the mean of their probabilities.

    Attributes
    ----------
    estimators_, named_estimators_ : the fitted members.
    model_ : the vote as one model that can be saved, if all members are Branchwork's own; None otherwise.

    >>> import branchwork as bw
    >>> tennis = bw.datasets.load("play_tennis")
    >>> members = [("id3", bw.ID3Classifier()), ("stump", bw.StumpClassifier()), ("c4.5", bw.C45Classifier())]
    >>> vote = bw.VoteClassifier(members).fit(tennis.X, tennis.y)
    >>> print(vote.why(tennis.X.take([5])))
    PlayTennis: No, 2 of 3 votes
    id3    No
    stump  Yes
    c4.5   No
    """

    classes_: npt.NDArray[Any]

    def __init__(self, estimators: Any = (), *, weights: Any = None, combine: CommitteeRule = "vote") -> None:
        self.estimators = estimators
        self.weights = weights
        self.combine = combine

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, target_name: str | None = None) -> Self:
        """Fit every member.

        Parameters
        ----------
        X, y : rows and labels, in any form that all members take.
        sample_weight : one per row; every member must take it.
        target_name : the name of what is predicted, for everything that is shown; None: that of y, if it has one.
        """
        self._check(classes=True)
        combine: CommitteeRule = word_in(CommitteeRule)("combine", self.combine)
        name = target_name_of(y, target_name)
        y = one_column(y, type(self).__name__)
        target = PredictsClasses._target(self, y, None)
        if not isinstance(target, targets.Classes):
            raise TargetError("y has no classes.")
        labels = targets.Classes(target.codes, target.labels).forget_undeclared().labels
        members = self._fit_members(X, y, sample_weight, name)
        if combine == "mean":
            for own, member in zip(self._names(), members, strict=True):
                if not hasattr(member, "predict_proba"):
                    raise ParameterError(
                        f'combine="mean" needs probabilities, and the member {own!r} has none.'
                    )
        model = self._committee(members, labels, combine, name)
        shown_labels = _in_type_of(y, labels)
        fitted = {"estimators_": members, "model_": model, "_labels": labels, "classes_": shown_labels}
        self._become(fitted | {"_target_name": name} | self._features(members, X))
        return self

    def _said(self, X: Any) -> list[Floats]:
        """Return votes or probabilities of each member, in the order in which ties are broken."""
        check_is_fitted(self)
        place = {label: k for k, label in enumerate(self._labels)}
        found = []
        for member in self.estimators_:
            own = np.array([place[_plain(label)] for label in member.classes_], np.intp)
            if self.combine == "vote":
                codes = [place[_plain(label)] for label in np.asarray(member.predict(X)).tolist()]
                found.append(np.eye(len(place))[codes])
                continue
            said = np.asarray(member.predict_proba(X))
            placed = np.zeros((len(said), len(place)))
            placed[:, own] = said
            found.append(placed)
        return found

    def _outputs(self, X: Any) -> Floats:
        said = self._said(X)
        return np.asarray(sum(share * one for share, one in zip(self._shares(), said, strict=True)))

    @of_one_fit
    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Predict the class of every row."""
        decided = likeliest(self._outputs(X))
        return self.classes_[self._columns()[decided]]

    @of_one_fit
    def predict_proba(self, X: Any) -> Floats:
        """Return the share of votes, or the mean probability, of every class, in the order of `classes_`."""
        outputs = self._outputs(X)
        return outputs[:, np.argsort(self._columns())]

    def _columns(self) -> npt.NDArray[np.intp]:
        """Return where each label stands in `classes_`."""
        place = {_plain(label): k for k, label in enumerate(self.classes_.tolist())}
        return np.array([place[label] for label in self._labels], np.intp)


class VoteRegressor(RegressorMixin, _Vote):  # type: ignore[misc]
    """The mean of different regressors, weighted or not.

    Parameters
    ----------
    estimators : pairs of a name and a regressor: Branchwork's, or any with scikit-learn's manners.
    weights : how much each of them counts; None: all alike.

    Attributes
    ----------
    estimators_, named_estimators_, model_ : as in VoteClassifier.
    """

    def __init__(self, estimators: Any = (), *, weights: Any = None) -> None:
        self.estimators = estimators
        self.weights = weights

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, target_name: str | None = None) -> Self:
        """Fit every member.

        Parameters
        ----------
        X, y : rows and numbers, in any form that all members take.
        sample_weight : one per row; every member must take it.
        target_name : the name of what is predicted, for everything that is shown; None: that of y, if it has one.
        """
        self._check(classes=False)
        name = target_name_of(y, target_name)
        y = one_column(y, type(self).__name__)
        targets.values(y, None)
        members = self._fit_members(X, y, sample_weight, name)
        model = self._committee(members, None, "mean", name)
        fitted = {"estimators_": members, "model_": model, "_target_name": name}
        self._become(fitted | self._features(members, X))
        return self

    def _said(self, X: Any) -> list[Floats]:
        check_is_fitted(self)
        return [np.asarray(member.predict(X), np.float64)[:, None] for member in self.estimators_]

    @of_one_fit
    def predict(self, X: Any) -> Floats:
        """Predict the number of every row: the mean of what the members predict."""
        pairs = zip(self._shares(), self._said(X), strict=True)
        return np.asarray(sum(share * one for share, one in pairs))[:, 0]


def _plain(label: Any) -> Any:
    return label.item() if hasattr(label, "item") else label


def _in_type_of(y: Any, labels: tuple[Any, ...]) -> npt.NDArray[Any]:
    """Return the labels, sorted, in the type that the target came in."""
    try:
        ordered = sorted(labels)
    except TypeError:
        ordered = list(labels)
    kind = y.dtype if isinstance(y, np.ndarray) and y.dtype.kind in "iufbUS" else None
    if kind is not None:
        return np.array(ordered).astype(kind if kind.kind in "iufb" else str)
    array = np.empty(len(ordered), dtype=object)
    array[:] = ordered
    return np.array(ordered) if {type(label) for label in ordered} <= {int} else array
