"""Studies of data and models: what to learn from, which setting to choose, and what an error is made of.

look             a first look at a table: what its columns hold, what is odd, what they tell about the target
clean            apply fixes by name, record them, and apply the same to new data
split            rows to train on, to validate by and to test on
curve            training and validation error against a setting, and the value to choose
compare          learners on the same folds, with paired tests; also bw.compare
bias_variance    the error in parts: bias, variance and noise
calibrate        a copy of a model whose probabilities other rows have corrected
report           how good a fitted model is, on rows that it was not trained on
compare_trees    where two trees differ, and on which rows they disagree
stability        how much of a tree comes back on bootstrap samples, and how far to trust its leaves
regions          where each leaf of a tree applies on the plane of two columns
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from branchwork.study.bias_result import BiasVariance as BiasVariance
    from branchwork.study.bias_result import BiasVarianceSweep as BiasVarianceSweep
    from branchwork.study.bootstrap_trees import stability as stability
    from branchwork.study.calibration import calibrate as calibrate
    from branchwork.study.clean_apply import Cleaned as Cleaned
    from branchwork.study.clean_apply import Cleaning as Cleaning
    from branchwork.study.clean_apply import clean as clean
    from branchwork.study.clean_apply import fix as fix
    from branchwork.study.comparing import compare as compare
    from branchwork.study.comparison import Comparison as Comparison
    from branchwork.study.consistent import ConsistentTrees as ConsistentTrees
    from branchwork.study.consistent import consistent_trees as consistent_trees
    from branchwork.study.curve_result import Curve as Curve
    from branchwork.study.curves import curve as curve
    from branchwork.study.decompose import bias_variance as bias_variance
    from branchwork.study.intervals import Estimate as Estimate
    from branchwork.study.look_at import look as look
    from branchwork.study.look_finding import Finding as Finding
    from branchwork.study.look_finding import Fix as Fix
    from branchwork.study.look_result import Look as Look
    from branchwork.study.region import Regions as Regions
    from branchwork.study.region import regions as regions
    from branchwork.study.report_on import report as report
    from branchwork.study.report_result import Report as Report
    from branchwork.study.samplers import CheckerboardSampler as CheckerboardSampler
    from branchwork.study.samplers import WaveSampler as WaveSampler
    from branchwork.study.splitting import Split as Split
    from branchwork.study.splitting import split as split
    from branchwork.study.stability_result import Stability as Stability
    from branchwork.study.tree_difference import TreeDifference as TreeDifference
    from branchwork.study.tree_difference import compare_trees as compare_trees
    from branchwork.study.tuning_result import Tuning as Tuning

_HOMES = {
    "BiasVariance": "bias_result",
    "BiasVarianceSweep": "bias_result",
    "CheckerboardSampler": "samplers",
    "Cleaned": "clean_apply",
    "Cleaning": "clean_apply",
    "Comparison": "comparison",
    "ConsistentTrees": "consistent",
    "Curve": "curve_result",
    "Estimate": "intervals",
    "Finding": "look_finding",
    "Fix": "look_finding",
    "Look": "look_result",
    "Regions": "region",
    "Report": "report_result",
    "Split": "splitting",
    "Stability": "stability_result",
    "TreeDifference": "tree_difference",
    "Tuning": "tuning_result",
    "WaveSampler": "samplers",
    "bias_variance": "decompose",
    "calibrate": "calibration",
    "clean": "clean_apply",
    "compare": "comparing",
    "compare_trees": "tree_difference",
    "consistent_trees": "consistent",
    "curve": "curves",
    "fix": "clean_apply",
    "look": "look_at",
    "regions": "region",
    "report": "report_on",
    "split": "splitting",
    "stability": "bootstrap_trees",
}

__all__ = [
    "BiasVariance",
    "BiasVarianceSweep",
    "CheckerboardSampler",
    "Cleaned",
    "Cleaning",
    "Comparison",
    "ConsistentTrees",
    "Curve",
    "Estimate",
    "Finding",
    "Fix",
    "Look",
    "Regions",
    "Report",
    "Split",
    "Stability",
    "TreeDifference",
    "Tuning",
    "WaveSampler",
    "bias_variance",
    "calibrate",
    "clean",
    "compare",
    "compare_trees",
    "consistent_trees",
    "curve",
    "fix",
    "look",
    "regions",
    "report",
    "split",
    "stability",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'branchwork.study' has no attribute {name!r}")
    value = getattr(import_module(f"branchwork.study.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
