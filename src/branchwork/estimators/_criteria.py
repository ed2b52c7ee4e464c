"""The scores that an estimator may be asked for: the lecture's trees take the lecture's, all others every one."""

from __future__ import annotations

from typing import Literal

LectureClassCriterion = Literal["entropy", "gini", "accuracy"]
LectureValueCriterion = Literal["variance", "squared_error"]
ClassCriterion = Literal["gini", "entropy", "accuracy", "gain_ratio"]
ValueCriterion = Literal["squared_error", "variance", "poisson"]
