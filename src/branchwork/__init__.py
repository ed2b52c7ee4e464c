"""Decision trees that show their work.

    import branchwork as bw
    tennis = bw.datasets.load("play_tennis")
    tree = bw.ID3Classifier().fit(tennis.X, tennis.y)
    print(tree.to_text())
    print(tree.working())

Everything public is listed here; each name is imported when it is first used, so `import branchwork` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from branchwork import errors as errors
    from branchwork import information as information
    from branchwork import study as study
    from branchwork.data import datasets as datasets
    from branchwork.estimators.adaboost import AdaBoostClassifier as AdaBoostClassifier
    from branchwork.estimators.adaboost import AdaBoostRegressor as AdaBoostRegressor
    from branchwork.estimators.bagging import BaggingClassifier as BaggingClassifier
    from branchwork.estimators.bagging import BaggingRegressor as BaggingRegressor
    from branchwork.estimators.c45 import C45Classifier as C45Classifier
    from branchwork.estimators.cart import CARTClassifier as CARTClassifier
    from branchwork.estimators.cart import CARTRegressor as CARTRegressor
    from branchwork.estimators.chaid import CHAIDClassifier as CHAIDClassifier
    from branchwork.estimators.chaid import CHAIDRegressor as CHAIDRegressor
    from branchwork.estimators.extra_trees import ExtraTreesClassifier as ExtraTreesClassifier
    from branchwork.estimators.extra_trees import ExtraTreesRegressor as ExtraTreesRegressor
    from branchwork.estimators.forests import RandomForestClassifier as RandomForestClassifier
    from branchwork.estimators.forests import RandomForestRegressor as RandomForestRegressor
    from branchwork.estimators.id3 import ID3Classifier as ID3Classifier
    from branchwork.estimators.id3 import ID3Regressor as ID3Regressor
    from branchwork.estimators.neighbours import NeighboursClassifier as NeighboursClassifier
    from branchwork.estimators.neighbours import NeighboursRegressor as NeighboursRegressor
    from branchwork.estimators.optimal import OptimalTreeClassifier as OptimalTreeClassifier
    from branchwork.estimators.optimal import OptimalTreeRegressor as OptimalTreeRegressor
    from branchwork.estimators.rules import RuleListClassifier as RuleListClassifier
    from branchwork.estimators.stump import StumpClassifier as StumpClassifier
    from branchwork.estimators.stump import StumpRegressor as StumpRegressor
    from branchwork.estimators.trees import TreeClassifier as TreeClassifier
    from branchwork.estimators.trees import TreeRegressor as TreeRegressor
    from branchwork.estimators.vote import VoteClassifier as VoteClassifier
    from branchwork.estimators.vote import VoteRegressor as VoteRegressor
    from branchwork.hand.hand_tree import hand_tree as hand_tree
    from branchwork.measure.own_score import Score as Score
    from branchwork.model.model import Model as Model
    from branchwork.neighbours.model import Neighbours as Neighbours
    from branchwork.rules.rule_list import RuleList as RuleList
    from branchwork.store.file import load as load
    from branchwork.store.file import save as save
    from branchwork.store.foreign_lightgbm import from_lightgbm as from_lightgbm
    from branchwork.store.foreign_sklearn import from_sklearn as from_sklearn
    from branchwork.store.foreign_xgboost import from_xgboost as from_xgboost
    from branchwork.study.comparing import compare as compare
    from branchwork.table.adapt import to_table as to_table
    from branchwork.table.read import read as read
    from branchwork.table.schema import Column as Column
    from branchwork.table.schema import Schema as Schema
    from branchwork.table.table import Table as Table
    from branchwork.tree.tree import Tree as Tree
    from branchwork.view.bias_display import BiasVarianceDisplay as BiasVarianceDisplay
    from branchwork.view.curve import GainCurve as GainCurve
    from branchwork.view.curve_display import CurveDisplay as CurveDisplay
    from branchwork.view.feature_display import FeatureDisplay as FeatureDisplay
    from branchwork.view.importance_display import ImportanceDisplay as ImportanceDisplay
    from branchwork.view.pruning_display import PruningPathDisplay as PruningPathDisplay
    from branchwork.view.tree_display import TreeDisplay as TreeDisplay
    from branchwork.view.why import Why as Why
    from branchwork.view.working import Working as Working

__version__ = "0.1.0"

_HOMES = {
    "AdaBoostClassifier": "estimators.adaboost",
    "AdaBoostRegressor": "estimators.adaboost",
    "BaggingClassifier": "estimators.bagging",
    "BaggingRegressor": "estimators.bagging",
    "BiasVarianceDisplay": "view.bias_display",
    "C45Classifier": "estimators.c45",
    "CARTClassifier": "estimators.cart",
    "CARTRegressor": "estimators.cart",
    "CHAIDClassifier": "estimators.chaid",
    "CHAIDRegressor": "estimators.chaid",
    "Column": "table.schema",
    "CurveDisplay": "view.curve_display",
    "ExtraTreesClassifier": "estimators.extra_trees",
    "ExtraTreesRegressor": "estimators.extra_trees",
    "FeatureDisplay": "view.feature_display",
    "GainCurve": "view.curve",
    "ID3Classifier": "estimators.id3",
    "ID3Regressor": "estimators.id3",
    "ImportanceDisplay": "view.importance_display",
    "Model": "model.model",
    "Neighbours": "neighbours.model",
    "NeighboursClassifier": "estimators.neighbours",
    "NeighboursRegressor": "estimators.neighbours",
    "OptimalTreeClassifier": "estimators.optimal",
    "OptimalTreeRegressor": "estimators.optimal",
    "PruningPathDisplay": "view.pruning_display",
    "RandomForestClassifier": "estimators.forests",
    "RandomForestRegressor": "estimators.forests",
    "RuleList": "rules.rule_list",
    "RuleListClassifier": "estimators.rules",
    "Schema": "table.schema",
    "Score": "measure.own_score",
    "StumpClassifier": "estimators.stump",
    "StumpRegressor": "estimators.stump",
    "Table": "table.table",
    "Tree": "tree.tree",
    "TreeClassifier": "estimators.trees",
    "TreeDisplay": "view.tree_display",
    "TreeRegressor": "estimators.trees",
    "VoteClassifier": "estimators.vote",
    "VoteRegressor": "estimators.vote",
    "Why": "view.why",
    "Working": "view.working",
    "compare": "study.comparing",
    "from_lightgbm": "store.foreign_lightgbm",
    "from_sklearn": "store.foreign_sklearn",
    "from_xgboost": "store.foreign_xgboost",
    "hand_tree": "hand.hand_tree",
    "load": "store.file",
    "read": "table.read",
    "save": "store.file",
    "to_table": "table.adapt",
}
_MODULES = {"datasets": "data.datasets", "errors": "errors", "information": "information", "study": "study"}

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "BaggingClassifier",
    "BaggingRegressor",
    "BiasVarianceDisplay",
    "C45Classifier",
    "CARTClassifier",
    "CARTRegressor",
    "CHAIDClassifier",
    "CHAIDRegressor",
    "Column",
    "CurveDisplay",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "FeatureDisplay",
    "GainCurve",
    "ID3Classifier",
    "ID3Regressor",
    "ImportanceDisplay",
    "Model",
    "Neighbours",
    "NeighboursClassifier",
    "NeighboursRegressor",
    "OptimalTreeClassifier",
    "OptimalTreeRegressor",
    "PruningPathDisplay",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RuleList",
    "RuleListClassifier",
    "Schema",
    "Score",
    "StumpClassifier",
    "StumpRegressor",
    "Table",
    "Tree",
    "TreeClassifier",
    "TreeDisplay",
    "TreeRegressor",
    "VoteClassifier",
    "VoteRegressor",
    "Why",
    "Working",
    "compare",
    "datasets",
    "errors",
    "from_lightgbm",
    "from_sklearn",
    "from_xgboost",
    "hand_tree",
    "information",
    "load",
    "read",
    "save",
    "study",
    "to_table",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(f"branchwork.{_HOMES[name]}"), name)
    elif name in _MODULES:
        value = import_module(f"branchwork.{_MODULES[name]}")
    else:
        raise AttributeError(f"module 'branchwork' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
