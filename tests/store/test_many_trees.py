"""A file of many trees: read together, refused as each of them alone would be."""

import numpy as np
import pytest

from branchwork.errors import ModelFormatError
from branchwork.store.arrays import arrays_of, trees_from
from branchwork.store.container import from_bytes, to_bytes
from branchwork.tree import grove
from store.damage import with_number

from program_cases import model_of

KINDS = ("mean", "sum", "sum softmax")
FLOATS = (np.nan, np.inf, -1.0, 0.0, 3.0)
WHOLE = (-2, -1, 0, 1, 2, 3, 7, 2**31 - 1)


def complaint(given, schema):
    """What is said of some trees; None: they are good."""
    try:
        trees_from(given, schema)
    except ModelFormatError as error:
        return str(error)
    return None


def damaged(arrays, rng):
    """The arrays of a tree with one number another one, or one array longer or shorter by a number."""
    name = str(rng.choice(sorted(name for name, array in arrays.items() if array.size)))
    array = arrays[name].copy()
    if array.ndim == 1 and rng.random() < 0.1:
        array = array[:-1] if rng.random() < 0.5 else np.concatenate((array, array[-1:]))
    else:
        number = rng.choice(FLOATS) if array.dtype.kind == "f" else rng.choice(WHOLE)
        array.flat[int(rng.integers(array.size))] = min(number, 255) if array.dtype == np.uint8 else number
    return {**arrays, name: array}


@pytest.mark.parametrize("kind", KINDS)
def test_one_wrong_number_is_told_as_of_the_tree_alone(kind, monkeypatch):
    rng = np.random.default_rng(KINDS.index(kind))
    model = model_of(3, kind=kind, rows=40)
    given = [arrays_of(tree, model.schema) for tree in model.trees] * 2
    assert complaint(given, model.schema) is None
    refused = 0
    for turn in range(80):
        monkeypatch.setattr(grove, "MOST", (150, 10**9)[turn % 2])
        k = int(rng.integers(len(given)))
        worse = damaged(given[k], rng)
        alone = complaint([worse], model.schema)
        expected = None if alone is None else f"tree.{k}{alone.removeprefix('tree.0')}"
        assert complaint([*given[:k], worse, *given[k + 1 :]], model.schema) == expected
        refused += alone is not None
    assert 25 < refused < 80


@pytest.mark.parametrize(("longer", "shorter"), [(0, 1), (1, 0)])
def test_pools_cannot_make_up_for_each_other(longer, shorter):
    model = model_of(3, kind="mean", rows=40)
    given = [arrays_of(model.trees[0], model.schema) for _ in range(2)]
    pool = given[0]["pool"]
    given[longer] = {**given[longer], "pool": np.concatenate((pool, pool[-1:]))}
    assert (
        complaint(given, model.schema)
        == f"tree.{longer}: Not a valid tree: pool has shape {(len(pool) + 1,)}, expected {pool.shape}."
    )
    given[shorter] = {**given[shorter], "pool": pool[:-1]}
    assert "tree.0: Not a valid tree" in complaint(given, model.schema)


def test_a_complaint_names_the_tree():
    model = model_of(3, kind="sum", rows=40)
    data = to_bytes(model)
    for k in range(len(model.trees)):
        with pytest.raises(
            ModelFormatError, match=rf"^tree\.{k}: Not a valid tree: weight of node 0 is negative"
        ):
            from_bytes(with_number(data, f"tree.{k}.weight", 0, -1))


def test_trees_share_the_memory_of_the_file():
    model = from_bytes(to_bytes(model_of(3, kind="sum", rows=40)))
    whole = {id(tree.weight.base) for tree in model.trees} | {id(tree.value.base) for tree in model.trees}
    assert len(whole) == 1
    assert not any(tree.feature.flags.writeable for tree in model.trees)
