"""Studies of data and models: what to learn from, which setting to choose, and what an error is made of.

split            rows to train on, to validate by and to test on
curve            training and validation error against a setting, and the value to choose
bias_variance    the error in parts: bias, variance and noise
regions          where on the plane of two columns each leaf of a tree answers
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from branchwork.study.bias_result import BiasVariance as BiasVariance
    from branchwork.study.bias_result import BiasVarianceSweep as BiasVarianceSweep
    from branchwork.study.consistent import ConsistentTrees as ConsistentTrees
    from branchwork.study.consistent import consistent_trees as consistent_trees
    from branchwork.study.curve_result import Curve as Curve
    from branchwork.study.curves import curve as curve
    from branchwork.study.decompose import bias_variance as bias_variance
    from branchwork.study.region import Regions as Regions
    from branchwork.study.region import regions as regions
    from branchwork.study.samplers import CheckerboardSampler as CheckerboardSampler
    from branchwork.study.samplers import WaveSampler as WaveSampler
    from branchwork.study.splitting import Split as Split
    from branchwork.study.splitting import split as split

_HOMES = {
    "BiasVariance": "bias_result",
    "BiasVarianceSweep": "bias_result",
    "CheckerboardSampler": "samplers",
    "ConsistentTrees": "consistent",
    "Curve": "curve_result",
    "Regions": "region",
    "Split": "splitting",
    "WaveSampler": "samplers",
    "bias_variance": "decompose",
    "consistent_trees": "consistent",
    "curve": "curves",
    "regions": "region",
    "split": "splitting",
}

__all__ = [
    "BiasVariance",
    "BiasVarianceSweep",
    "CheckerboardSampler",
    "ConsistentTrees",
    "Curve",
    "Regions",
    "Split",
    "WaveSampler",
    "bias_variance",
    "consistent_trees",
    "curve",
    "regions",
    "split",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'branchwork.study' has no attribute {name!r}")
    value = getattr(import_module(f"branchwork.study.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
