"""Hot kernels of Branchwork. Not a public interface."""

from collections.abc import Callable, Sequence
import enum
from typing import Annotated

import numpy
from numpy.typing import NDArray
from typing_extensions import CapsuleType


def instructions() -> str:
    """Return the instruction set that hot loops use: plain or avx2."""

class Columns:
    """The columns of a table. It refers to their arrays without a copy."""

    def __init__(self) -> None: ...

    def add(self, array: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], levels: int) -> None:
        """
        Add a column. `levels` is the number of categories, or -1 for a numeric column.
        """

    @staticmethod
    def matrix(array: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)]) -> Columns:
        """Make numeric columns of a two-dimensional array."""

    def mark_missing(self) -> None:
        """
        Record which columns have missing values: a split on them gets a branch for missing values.
        """

    def with_missing(self, columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> list[int]:
        """
        Return which of these columns have missing values. Columns may be repeated; -1 stands for none.
        """

    def spreads(self, columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> list[float]:
        """
        Return the interquartile range of these columns, listed in the same way; NaN for categorical columns and for all others.
        """

    @property
    def rows(self) -> int: ...

    def __len__(self) -> int: ...

class Target:
    """
    A target of classes or numbers. It refers to its arrays without a copy.
    """

    @staticmethod
    def classes(codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, rows_per_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Target: ...

    @staticmethod
    def values(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> Target: ...

class Unit(enum.Enum):
    byte = 0

    character = 1

    integer = 2

    unsigned_integer = 3

def distinct(bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int, unit: Unit | None = None) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]:
    """
    Find the distinct items of `width` bytes. Return the code of every item, and where each distinct item occurs first. Codes are in order of appearance or, if `unit` says what items are made of, in ascending order.
    """

def distinct_texts(ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], valid: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, first_bit: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]:
    """
    Find the distinct texts of an Arrow array. Return the code of every text, -1 if it is missing, and where each distinct text occurs first. Codes are in ascending order of the texts.
    """

class Prepared:
    """
    The numeric columns of a table, sorted and ranked once for all fits on it.
    """

    @property
    def rows(self) -> int: ...

    @property
    def bytes(self) -> int: ...

def prepare(columns: Columns, threads: int) -> Prepared:
    """Sort and rank every numeric column."""

class GrownTree:
    """A tree as the core returns it: arrays with one entry per node."""

    @property
    def feature(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...

    @property
    def cut(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

    @property
    def first_child(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...

    @property
    def n_children(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...

    @property
    def lookup(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...

    @property
    def pool(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...

    @property
    def default_child(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...

    @property
    def weight(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

    @property
    def n_rows(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def impurity(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

    @property
    def gain(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

    @property
    def variance(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

    @property
    def stats(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

    @property
    def stop(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]: ...

    @property
    def surrogate_count(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """The number of surrogates of each node."""

    @property
    def surrogate_feature(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    @property
    def surrogate_low_child(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    @property
    def surrogate_cut(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def surrogate_agreement(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def surrogate_adjusted(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def surrogate_lookup(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    @property
    def surrogate_pool(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    @property
    def n_leaves(self) -> int: ...

    @property
    def has_ledger(self) -> bool: ...

    @property
    def rules_scored(self) -> int: ...

    @property
    def rows_visited(self) -> int: ...

    @property
    def ledger_node(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    @property
    def ledger_cut(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def ledger_gain(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def ledger_split_info(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def ledger_statistic(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def ledger_freedom(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def ledger_rest(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def ledger_known(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def ledger_before(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def ledger_price(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def ledger_missing_child(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    @property
    def ledger_sides_at(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def ledger_sides(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    @property
    def ledger_verdict(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]: ...

class Criterion(enum.Enum):
    accuracy = 0

    entropy = 1

    gini = 2

    gain_ratio = 3

    variance = 4

    squared_error = 5

    poisson = 6

    own = 7

class OwnTables:
    """A user-defined score, tabulated for every number of rows."""

    def __init__(self, offset: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], terms: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int, by_maximum: bool) -> None: ...

    @property
    def is_concave(self) -> bool: ...

    @property
    def is_monotone(self) -> bool: ...

    @property
    def is_homogeneous(self) -> bool: ...

    @property
    def is_linear(self) -> bool: ...

    @property
    def has_running_terms(self) -> bool: ...

class OwnFunctions:
    """A user-defined score that is called with arrays of candidates."""

    def __init__(self, costs: Callable, gains: Callable, classes: int) -> None:
        """
        costs(nodes) returns two numbers per node: its impurity times its weight, and the magnitude of the numbers that it was computed from. gains(rows, ways) returns, for each way to split the rows, its gain times their weight.
        """

class NumericSearch(enum.Enum):
    grid = 0

    values = 1

    sorted = 2

    random = 3

class Nominal(enum.Enum):
    multiway = 0

    subset = 1

    one_vs_rest = 2

    groups = 3

class Missing(enum.Enum):
    branch = 0

    larger = 1

    share = 2

    learn = 3

    surrogate = 4

class Order(enum.Enum):
    depth = 0

    breadth = 1

    best = 2

class Rules(enum.Enum):
    plain = 0

    c45 = 1

    j48 = 2

    rpart = 3

class Options:
    """A recipe in the form that the core needs."""

    def __init__(self) -> None: ...

    @property
    def criterion(self) -> Criterion: ...

    @criterion.setter
    def criterion(self, arg: Criterion, /) -> None: ...

    @property
    def own(self) -> OwnTables: ...

    @own.setter
    def own(self, arg: OwnTables | None, /) -> None: ...

    @property
    def asked(self) -> OwnFunctions: ...

    @asked.setter
    def asked(self, arg: OwnFunctions | None, /) -> None: ...

    @property
    def search(self) -> NumericSearch: ...

    @search.setter
    def search(self, arg: NumericSearch, /) -> None: ...

    @property
    def grid_step(self) -> float: ...

    @grid_step.setter
    def grid_step(self, arg: float, /) -> None: ...

    @property
    def grid_points(self) -> int: ...

    @grid_points.setter
    def grid_points(self, arg: int, /) -> None: ...

    @property
    def only_changes(self) -> bool: ...

    @only_changes.setter
    def only_changes(self, arg: bool, /) -> None: ...

    @property
    def data_cuts(self) -> bool: ...

    @data_cuts.setter
    def data_cuts(self, arg: bool, /) -> None: ...

    @property
    def nominal(self) -> Nominal: ...

    @nominal.setter
    def nominal(self, arg: Nominal, /) -> None: ...

    @property
    def missing(self) -> Missing: ...

    @missing.setter
    def missing(self, arg: Missing, /) -> None: ...

    @property
    def order(self) -> Order: ...

    @order.setter
    def order(self, arg: Order, /) -> None: ...

    @property
    def rules(self) -> Rules: ...

    @rules.setter
    def rules(self, arg: Rules, /) -> None: ...

    @property
    def collapse(self) -> bool: ...

    @collapse.setter
    def collapse(self, arg: bool, /) -> None: ...

    @property
    def cut_penalty(self) -> bool: ...

    @cut_penalty.setter
    def cut_penalty(self, arg: bool, /) -> None: ...

    @property
    def zero_gain(self) -> bool: ...

    @zero_gain.setter
    def zero_gain(self, arg: bool, /) -> None: ...

    @property
    def max_depth(self) -> int: ...

    @max_depth.setter
    def max_depth(self, arg: int, /) -> None: ...

    @property
    def max_leaves(self) -> int: ...

    @max_leaves.setter
    def max_leaves(self, arg: int, /) -> None: ...

    @property
    def min_split_samples(self) -> float: ...

    @min_split_samples.setter
    def min_split_samples(self, arg: float, /) -> None: ...

    @property
    def min_leaf_samples(self) -> float: ...

    @min_leaf_samples.setter
    def min_leaf_samples(self, arg: float, /) -> None: ...

    @property
    def min_leaf_weight(self) -> float: ...

    @min_leaf_weight.setter
    def min_leaf_weight(self, arg: float, /) -> None: ...

    @property
    def min_gain(self) -> float: ...

    @min_gain.setter
    def min_gain(self, arg: float, /) -> None: ...

    @property
    def min_decrease(self) -> float: ...

    @min_decrease.setter
    def min_decrease(self, arg: float, /) -> None: ...

    @property
    def ledger_nodes(self) -> int: ...

    @ledger_nodes.setter
    def ledger_nodes(self, arg: int, /) -> None: ...

    @property
    def counted_values(self) -> int: ...

    @counted_values.setter
    def counted_values(self, arg: int, /) -> None: ...

    @property
    def max_surrogates(self) -> int: ...

    @max_surrogates.setter
    def max_surrogates(self, arg: int, /) -> None: ...

    @property
    def max_features(self) -> int: ...

    @max_features.setter
    def max_features(self, arg: int, /) -> None: ...

    @property
    def tree_features(self) -> int: ...

    @tree_features.setter
    def tree_features(self, arg: int, /) -> None: ...

    @property
    def most_nodes(self) -> int: ...

    @most_nodes.setter
    def most_nodes(self, arg: int, /) -> None: ...

    @property
    def threads(self) -> int: ...

    @threads.setter
    def threads(self, arg: int, /) -> None: ...

class TreeTooLarge(MemoryError):
    pass

class TableChanged(ValueError):
    pass

def grow(columns: Columns, target: Target, options: Options, progress: Callable | None, whole: Columns | None = None, whole_weight: float = 0.0) -> GrownTree:
    """
    Grow one tree. `whole` is a table with more rows, and `whole_weight` its weight, which C4.5's rules need.
    """

def grow_sample(prepared: Prepared, copies: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], target: Target, options: Options, progress: Callable | None, whole: Columns | None = None, whole_weight: float = 0.0) -> GrownTree:
    """
    Grow one tree on some rows of a prepared table. `copies` says how often each row of the table is taken; `target` has the targets of the rows taken.
    """

def grow_many(prepared: Prepared, target: Target, options: Options, copies: Sequence, seed: int, first_tree: int, progress: Callable | None = None) -> list[GrownTree]:
    """
    Grow one tree per sample. `copies` says for each sample how often it has each row of the table.
    """

class ColumnTally:
    """The statistics of each category or distinct value of one feature."""

    @property
    def values(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

    @property
    def stats(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

class NodeTally:
    """The statistics of the rows of a node for each feature."""

    @property
    def total(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

    @property
    def columns(self) -> list[ColumnTally]: ...

    @property
    def centre(self) -> float: ...

    @property
    def pure(self) -> bool: ...

    @property
    def mean(self) -> float: ...

    @property
    def rows(self) -> int: ...

    @property
    def weight(self) -> float: ...

    @property
    def samples(self) -> float: ...

    @property
    def variance(self) -> float: ...

    def __add__(self, other: NodeTally) -> NodeTally:
        """
        Return the tally of the rows of both, which must be parts of the same table.
        """

    def __getstate__(self) -> tuple[int, bool, bool, list[float], float, float, float, int, list[float], list[tuple[bool, list[float], list[float], list[float]]]]: ...

    def __setstate__(self, arg: tuple[int, bool, bool, Sequence[float], float, float, float, int, Sequence[float], Sequence[tuple[bool, Sequence[float], Sequence[float], Sequence[float]]]], /) -> None: ...

class Candidate:
    """The best split of one feature in one node."""

    @property
    def feature(self) -> int: ...

    @property
    def cut(self) -> float: ...

    @property
    def gain(self) -> float: ...

    @property
    def split_info(self) -> float: ...

    @property
    def statistic(self) -> float: ...

    @property
    def freedom(self) -> float: ...

    @property
    def rest(self) -> float: ...

    @property
    def known(self) -> float: ...

    @property
    def before(self) -> float: ...

    @property
    def price(self) -> float: ...

    @property
    def missing_child(self) -> int: ...

    @property
    def sides(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """
        For a categorical feature whose categories are grouped: the branch of each category; -1: absent.
        """

    @property
    def verdict(self) -> int: ...

class Choice:
    """The candidates of all features, and the index of the best or -1."""

    @property
    def candidates(self) -> list[Candidate]: ...

    @property
    def best(self) -> int: ...

    @property
    def parent(self) -> float: ...

def tally(columns: Columns, target: Target, rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], options: Options, centre: float | None = None) -> NodeTally:
    """
    Return the statistics of the given rows. `centre` is subtracted from a numeric target; tallies can be added only if they have the same centre.
    """

def choose(tally: NodeTally, used: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], least_gain: float, options: Options) -> Choice:
    """Return the best split of every feature, and of the node."""

def route(columns: Columns, feature: int, cut: float, lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: int, rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """Return the child that each of the rows goes to."""

def list_cuts(tally: NodeTally, column: int, options: Options) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    Return every threshold of a numeric feature, as rows of (cut, cost, left, right and missing weight).
    """

class SpecialFunctions:
    """SciPy's functions, as SciPy exports them to C."""

    def __init__(self, chdtrc: CapsuleType, fdtrc: CapsuleType, gammaln: CapsuleType, betaln: CapsuleType) -> None: ...

    def chi_square_tail(self, x: float, freedom: float) -> tuple[float, float, float]:
        """
        Return the probability of a chi-square above x, its logarithm, and the logarithm by the faster method that comparisons use.
        """

    def f_tail(self, f: float, d1: float, d2: float) -> tuple[float, float]:
        """Return the probability of an F above f, and its logarithm."""

class ChaidSettings:
    """How CHAID merges categories."""

    def __init__(self) -> None: ...

    @property
    def exhaustive(self) -> bool: ...

    @exhaustive.setter
    def exhaustive(self, arg: bool, /) -> None: ...

    @property
    def likelihood(self) -> bool: ...

    @likelihood.setter
    def likelihood(self, arg: bool, /) -> None: ...

    @property
    def alpha_merge(self) -> float: ...

    @alpha_merge.setter
    def alpha_merge(self, arg: float, /) -> None: ...

    @property
    def alpha_resplit(self) -> float: ...

    @alpha_resplit.setter
    def alpha_resplit(self, arg: float, /) -> None: ...

    @property
    def least_weight(self) -> float: ...

    @least_weight.setter
    def least_weight(self, arg: float, /) -> None: ...

class ChaidColumns:
    """The columns of a table as categories."""

    def __init__(self, columns: Columns, ordinal: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], bins: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, threads: int) -> None: ...

    def counts(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

class ChaidGrowth:
    """A CHAID tree while it grows: the rows of its last level."""

    def __init__(self, columns: object, target: object, rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, settings: ChaidSettings, special: SpecialFunctions, threads: int) -> None: ...

    def describe(self) -> tuple:
        """
        Return the targets of the nodes: class weights or means, weights, spreads, units, numbers of rows.
        """

    def look(self, open: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple:
        """
        Find the groups of every feature at some nodes. Return, for each node and feature: the outcome, the number of categories, whether values are missing, their group or -1, the number of groups, the statistic, the p-value, its logarithm, and the impurity of the groups.
        """

    def parts(self, looks: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple:
        """
        Return the groups of some results of `look` in the form of the ledger: where each ends, and all of them one after the other.
        """

    def part(self, chosen: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """
        Split the open nodes by these features; -1: do not split. Return the heaviest child of each node that was split.
        """

    @property
    def tests(self) -> int: ...

    @property
    def rows_visited(self) -> int: ...

class OptimalBounds:
    """The bounds of the search; each may be switched off."""

    def __init__(self) -> None: ...

    @property
    def interval(self) -> bool: ...

    @interval.setter
    def interval(self, arg: bool, /) -> None: ...

    @property
    def moved(self) -> bool: ...

    @moved.setter
    def moved(self, arg: bool, /) -> None: ...

    @property
    def equivalent(self) -> bool: ...

    @equivalent.setter
    def equivalent(self, arg: bool, /) -> None: ...

    @property
    def classes(self) -> bool: ...

    @classes.setter
    def classes(self, arg: bool, /) -> None: ...

    @property
    def shallow(self) -> bool: ...

    @shallow.setter
    def shallow(self, arg: bool, /) -> None: ...

    @property
    def cache(self) -> bool: ...

    @cache.setter
    def cache(self, arg: bool, /) -> None: ...

    @property
    def counted(self) -> bool: ...

    @counted.setter
    def counted(self, arg: bool, /) -> None: ...

class OptimalSettings:
    """Settings of the search for an optimal tree."""

    def __init__(self) -> None: ...

    @property
    def max_depth(self) -> int: ...

    @max_depth.setter
    def max_depth(self, arg: int, /) -> None: ...

    @property
    def max_leaves(self) -> int: ...

    @max_leaves.setter
    def max_leaves(self, arg: int, /) -> None: ...

    @property
    def leaf_penalty(self) -> float: ...

    @leaf_penalty.setter
    def leaf_penalty(self, arg: float, /) -> None: ...

    @property
    def min_leaf_samples(self) -> float: ...

    @min_leaf_samples.setter
    def min_leaf_samples(self, arg: float, /) -> None: ...

    @property
    def groups(self) -> bool: ...

    @groups.setter
    def groups(self, arg: bool, /) -> None: ...

    @property
    def lookahead(self) -> int: ...

    @lookahead.setter
    def lookahead(self, arg: int, /) -> None: ...

    @property
    def try_roots(self) -> bool: ...

    @try_roots.setter
    def try_roots(self, arg: bool, /) -> None: ...

    @property
    def max_gap(self) -> float: ...

    @max_gap.setter
    def max_gap(self, arg: float, /) -> None: ...

    @property
    def start(self) -> float: ...

    @start.setter
    def start(self, arg: float, /) -> None: ...

    @property
    def target_cost(self) -> float: ...

    @target_cost.setter
    def target_cost(self, arg: float, /) -> None: ...

    @property
    def only_column(self) -> int: ...

    @only_column.setter
    def only_column(self, arg: int, /) -> None: ...

    @property
    def time_limit(self) -> float: ...

    @time_limit.setter
    def time_limit(self, arg: float, /) -> None: ...

    @property
    def memory_limit(self) -> float: ...

    @memory_limit.setter
    def memory_limit(self, arg: float, /) -> None: ...

    @property
    def keep_interrupted(self) -> bool: ...

    @keep_interrupted.setter
    def keep_interrupted(self, arg: bool, /) -> None: ...

    @property
    def threads(self) -> int: ...

    @threads.setter
    def threads(self, arg: int, /) -> None: ...

    @property
    def bounds(self) -> OptimalBounds: ...

    @bounds.setter
    def bounds(self, arg: OptimalBounds, /) -> None: ...

class OptimalEnding(enum.Enum):
    proven = 0

    gap = 1

    time = 2

    memory = 3

    interrupted = 4

class OptimalNode:
    """One node of the tree found."""

    def __init__(self) -> None: ...

    @property
    def column(self) -> int: ...

    @property
    def cut(self) -> float: ...

    @property
    def branch(self) -> list[int]: ...

    @property
    def missing(self) -> int: ...

    @property
    def branches(self) -> int: ...

class OptimalLevel:
    """The best tree with at most `depth` levels."""

    @property
    def depth(self) -> int: ...

    @property
    def nodes(self) -> list[OptimalNode]: ...

class OptimalCounters:
    """Work that was done, and work that the bounds saved."""

    @property
    def subproblems(self) -> int: ...

    @property
    def cuts(self) -> int: ...

    @property
    def closed_interval(self) -> int: ...

    @property
    def closed_moved(self) -> int: ...

    @property
    def closed_rows(self) -> int: ...

    @property
    def cache_hits(self) -> int: ...

    @property
    def cache_entries(self) -> int: ...

    @property
    def kernels(self) -> int: ...

class OptimalFound:
    """The tree found, in preorder, and the proof."""

    @property
    def nodes(self) -> list[OptimalNode]: ...

    @property
    def has_tree(self) -> bool: ...

    @property
    def levels(self) -> list[OptimalLevel]: ...

    @property
    def cost(self) -> float: ...

    @property
    def lower_bound(self) -> float: ...

    @property
    def ending(self) -> OptimalEnding: ...

    @property
    def seconds(self) -> float: ...

    @property
    def depth_proven(self) -> int: ...

    @property
    def leaves_needed(self) -> int: ...

    @property
    def counters(self) -> OptimalCounters: ...

def optimal_tree(prepared: Prepared, target: Target, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], settings: OptimalSettings, progress: Callable | None = None) -> OptimalFound:
    """
    Find the tree with the least cost. `progress` is called with the cost of the best tree so far, the lower bound, and the number of levels that is being searched. `costs[c * classes + k]` is the cost of predicting class k for a row of class c; empty: every error costs 1.
    """

class ErrorBound:
    """C4.5's upper limit of the errors to expect."""

    def __init__(self, confidence: float, deviate: float, j48: bool) -> None: ...

    def extra(self, errors: float, weight: float) -> float:
        """
        Return the number of errors to add to those observed among rows of this weight.
        """

class PrunedTree:
    """A pruned tree. Its nodes refer to nodes of the given tree."""

    @property
    def origin(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...

    @property
    def leaf(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), writable=False)]: ...

    @property
    def weight(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

    @property
    def n_rows(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def stats(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

    @property
    def answer(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...

    @property
    def estimate(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

    @property
    def of_subtree(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

    @property
    def of_leaf(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

def weakest_links(first_child: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_children: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], risk: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], below: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """Return the complexity at which each node becomes a leaf."""

def links_as_rpart(first_child: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_children: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], risk: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], slack: float) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    Return the complexity at which each node becomes a leaf, as rpart computes it.
    """

class Walker:
    """
    The arrays of a tree that decide which way a row goes. They must have passed branchwork.tree.check: the core does not check them again.
    """

    def __init__(self, feature: object, cut: object, first_child: object, lookup: object, pool: object, bounds: object, default_child: object, unseen_child: object, n_children: object, weight: object, surrogates: Sequence | None = None) -> None: ...

    def leaves(self, columns: Columns, threads: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """Return the leaf of every row."""

    def shares(self, columns: Columns, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """
        Return the leaves of every row if rows with missing values are shared among all branches: where the leaves of each row begin, the leaves, and the share of each.
        """

    def missing_arrivals(self, columns: Columns, row_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        Return, for each node, the weight of the rows that arrive there although their value of the feature that its parent tests is missing.
        """

    def prune_by_error(self, columns: Columns, target: Target, answer: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], bound: ErrorBound, raising: bool) -> PrunedTree:
        """
        Prune by error-based pruning, with the rows that the tree was grown on.
        """

class Ensemble:
    """Trees that predict together. They are packed on first use."""

    def __init__(self, walkers: Sequence, values: Sequence, outputs: Sequence, shares: Sequence, base: Sequence, levels: Sequence, form: str = 'automatic') -> None: ...

    def sums(self, columns: Columns, threads: int, stages: Sequence | None = None, copies: Sequence | None = None, road: str = 'automatic') -> Annotated[NDArray[numpy.float64], dict(shape=(None, None, None))]:
        """
        Return the base plus the outputs of the trees, added in their order, as an array (stages, rows, outputs). Stage s is the sum over the first stages[s] trees. `copies` has one array of numbers per tree, and a tree is added only for rows where its number is 0.
        """

    def leaves(self, columns: Columns, threads: int, road: str = 'automatic') -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """Return the leaf of every row in every tree, as an array (rows, trees)."""

    @property
    def form(self) -> str:
        """How it is packed: raw, bytes or words."""

    @property
    def packed_bytes(self) -> int:
        """
        Memory of the packed nodes and tables in bytes, without the outputs of leaves.
        """
