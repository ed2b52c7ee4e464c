"""A grown tree makes its arrays when they are asked for; nobody can tell that from a tree that has them all."""

import copy
import pickle

import numpy as np
import pytest

import branchwork as bw
from branchwork.tree.tree import Tree

from same_tree import assert_same_tree

FIELDS = (*Tree.__dataclass_fields__,)


def grown() -> Tree:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    return bw.TreeClassifier().fit(X, (X[:, 0] + X[:, 1] > 0).astype(int)).tree_


def test_a_fit_makes_only_what_it_needs():
    made = vars(grown()).keys() & set(FIELDS)
    assert "feature" in made and not made & {"value", "distribution", "ledger", "impurity", "pool"}


def test_an_array_is_made_once_and_is_read_only():
    tree = grown()
    for name in FIELDS:
        array = getattr(tree, name)
        assert array is getattr(tree, name)
        assert not isinstance(array, np.ndarray) or not array.flags.writeable


@pytest.mark.parametrize("copied", [lambda tree: pickle.loads(pickle.dumps(tree)), copy.copy, copy.deepcopy])
def test_a_copy_has_all_arrays(copied):
    tree = copied(grown())
    assert vars(tree).keys() >= set(FIELDS)
    assert_same_tree(tree, grown(), 0.0)


def test_a_replaced_array_does_not_change_what_is_made_from_it():
    """Outputs come from class weights, of the tree as it was grown."""
    tree, other = grown(), grown().replace(weight=np.ones(grown().n_nodes), distribution=None)
    assert np.array_equal(other.value, tree.value)
    assert other.distribution is None and (other.weight == 1).all() and not other.weight.flags.writeable
    with pytest.raises(TypeError, match="A tree has no leaves"):
        tree.replace(leaves=3)


def test_other_names_are_no_arrays():
    with pytest.raises(AttributeError, match="'Tree' object has no attribute 'leaves'"):
        getattr(grown(), "leaves")  # noqa: B009
