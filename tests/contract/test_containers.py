"""The same cells give the same tree, byte for byte, whatever they come in."""

from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import is_classifier

import branchwork as bw
from contract.checks import arrays, sound
from together import together

from registry import ALL, EAGER

RNG = np.random.default_rng(0)
CELLS = RNG.integers(-50, 50, size=(64, 3)).astype(
    float
)  # whole numbers: every type below holds them exactly
TARGET = RNG.integers(0, 3, size=64)
GAPS = CELLS.copy()
GAPS[RNG.random(GAPS.shape) < 0.2] = np.nan
WORDS = RNG.choice(["red", "green", "blue", ""], size=(64, 2)).astype(object)
WORDS[RNG.random(WORDS.shape) < 0.2] = None


class OwnFrame(pd.DataFrame):
    """A frame of somebody's own kind."""

    @property
    def _constructor(self):
        return OwnFrame


class OwnArray(np.ndarray):
    """An array of somebody's own kind."""


def unaligned(cells):
    raw = np.zeros(cells.size * 8 + 1, np.uint8)
    out = raw[1:].view(np.float64).reshape(cells.shape)
    out[:] = cells
    assert not out.flags.aligned
    return out


def read_only(cells):
    out = cells.copy()
    out.flags.writeable = False
    return out


def spread(cells):
    out = np.full((cells.shape[0] * 3, cells.shape[1] * 2), 99.0)
    out[::3, ::2] = cells
    return out[::3, ::2]


ARRAYS = {
    "C order": lambda c: c.copy(),
    "Fortran order": np.asfortranarray,
    "strided": spread,
    "reversed rows": lambda c: c[::-1].copy()[::-1],
    "reversed columns": lambda c: c[:, ::-1].copy()[:, ::-1],
    "transposed": lambda c: c.T.copy().T,
    "read-only": read_only,
    "unaligned": unaligned,
    "big-endian float64": lambda c: c.astype(">f8"),
    "big-endian float32": lambda c: c.astype(">f4"),
    "float32": lambda c: c.astype("f4"),
    "float16": lambda c: c.astype("f2"),
    "long double": lambda c: c.astype(np.longdouble),
    "objects": lambda c: c.astype(object),
    "objects with None": lambda c: np.where(np.isnan(c), None, c.astype(object)),
    "masked": lambda c: np.ma.masked_invalid(c),
    "a subclass": lambda c: c.view(OwnArray),
    "a matrix in a list": lambda c: c.tolist(),
    "a tuple of tuples": lambda c: tuple(map(tuple, c.tolist())),
}


@pytest.fixture(scope="module")
def reference():
    """Fit once from plain arrays."""
    fitted = {}

    def of(factory, cells, name):
        if (factory, name) not in fitted:
            fitted[factory, name] = factory().fit(cells, TARGET)
        return fitted[factory, name]

    return of


def same_tree(estimator, expected, X, cells):
    ours, theirs = arrays(estimator), arrays(expected)
    assert ours.pop("schema").columns == theirs.pop("schema").columns
    assert ours == theirs
    sound(estimator, X)
    assert estimator.predict(X).tolist() == expected.predict(cells).tolist()
    if hasattr(expected, "apply"):  # neighbours have no leaves
        assert estimator.apply(X).tolist() == expected.apply(cells).tolist()


@together("factory", ALL)
@pytest.mark.parametrize("layout", ARRAYS)
@pytest.mark.parametrize("name", ["whole", "gaps"])
def test_arrays_of_any_layout_and_type_give_the_same_tree(factory, layout, name, reference):
    cells = CELLS if name == "whole" else GAPS
    X = ARRAYS[layout](cells)
    before = np.array(X, dtype=object)
    same_tree(factory().fit(X, TARGET), reference(factory, cells, name), X, cells)
    assert str(np.array(X, dtype=object)) == str(before)  # not written to


@together("factory", ALL)
@pytest.mark.parametrize("dtype", ["i1", "i2", ">i2", "i4", ">i4", "i8", ">i8"])
def test_integers_of_any_width_and_order_give_the_same_tree(factory, dtype, reference):
    X = CELLS.astype(dtype)
    same_tree(factory().fit(X, TARGET), reference(factory, CELLS, "whole"), X, CELLS)


@pytest.mark.parametrize("factory", ALL)
def test_a_memory_mapped_file_gives_the_same_tree(factory, tmp_path, reference):
    np.save(tmp_path / "cells.npy", GAPS)
    X = np.load(tmp_path / "cells.npy", mmap_mode="r")
    same_tree(factory().fit(X, TARGET), reference(factory, GAPS, "gaps"), X, GAPS)


@cache
def frames(name):
    """One table of x0, x1, … in every kind of frame, made once for all estimators; NaN stands for a missing cell."""
    cells = CELLS if name == "whole" else GAPS
    plain = pd.DataFrame({f"x{j}": cells[:, j] for j in range(cells.shape[1])})
    polars = pl.DataFrame({name: plain[name].to_numpy() for name in plain}, nan_to_null=True)
    arrow = polars.to_arrow()
    return {
        "pandas": plain,
        "a subclass of a pandas frame": OwnFrame(plain),
        "pandas with another index": plain.set_index(np.arange(len(plain))[::-1] * 7),
        "pandas Float64": plain.astype("Float64"),
        "pandas Int64": plain.astype("Int64"),
        "pandas Int8": plain.astype("Int8"),
        "pandas float32": plain.astype("float32"),
        "pandas objects": plain.astype(object),
        "pandas objects with None": plain.astype(object).where(plain.notna(), None),
        "pandas objects with NA": plain.astype(object).where(plain.notna(), pd.NA),
        "pandas Arrow double": plain.astype(pd.ArrowDtype(pa.float64())),
        "pandas Arrow int": plain.astype("Int64").astype(pd.ArrowDtype(pa.int64())),
        "polars": polars,
        "polars Int16": polars.cast(pl.Int16),
        "polars Float32": polars.cast(pl.Float32),
        "Arrow": arrow,
        "Arrow in chunks": pa.concat_tables([arrow[:10], arrow[10:11], arrow[11:11], arrow[11:]]),
        "Arrow record batch": arrow.combine_chunks().to_batches()[0],
        "Arrow decimal": arrow.cast(pa.schema([(name, pa.decimal128(10, 2)) for name in arrow.column_names])),
        "a table of ours": bw.Table(*_own(plain)),
        "a mapping": {name: plain[name].tolist() for name in plain},
        "a mapping of series": {name: plain[name] for name in plain},
        "records": plain.astype(object).where(plain.notna(), None).to_dict("records"),
        "a structured array": plain.to_records(index=False).view(np.ndarray),
    }


def _own(plain):
    columns = tuple(bw.Column(name, "numeric") for name in plain)
    return bw.Schema(columns), tuple(plain[name].to_numpy() for name in plain)


@together("factory", ALL)
@pytest.mark.parametrize("name", ["whole", "gaps"])
@pytest.mark.parametrize("kind", list(frames("whole")))
def test_frames_of_every_kind_give_the_same_tree(factory, kind, name, reference):
    cells = CELLS if name == "whole" else GAPS
    X = frames(name)[kind]
    expected = reference(factory, cells, name)
    estimator = factory().fit(X, TARGET)
    assert estimator.feature_names_in_.tolist() == ["x0", "x1", "x2"]
    same_tree(estimator, expected, X, cells)


@cache
def word_frames():
    """Strings with missing cells in every kind of container."""
    plain = pd.DataFrame(WORDS, columns=["x0", "x1"])
    polars = pl.DataFrame({"x0": WORDS[:, 0].tolist(), "x1": WORDS[:, 1].tolist()})
    gaps = pd.isna(WORDS)
    return {
        "pandas objects": pd.DataFrame(
            {name: pd.Series(WORDS[:, j], dtype=object) for j, name in enumerate(["x0", "x1"])}
        ),
        "pandas str": plain.astype("str"),
        "pandas string": plain.astype("string"),
        "pandas Arrow": plain.astype(pd.ArrowDtype(pa.string())),
        "polars": polars,
        "polars Categorical": polars.cast(pl.Categorical),
        "Arrow": polars.to_arrow(),
        "Arrow string": polars.to_arrow().cast(pa.schema([("x0", pa.string()), ("x1", pa.string())])),
        "a mapping": {"x0": WORDS[:, 0].tolist(), "x1": WORDS[:, 1].tolist()},
        "lists": WORDS.tolist(),
        "a masked array": np.ma.masked_array(np.where(gaps, "", WORDS).astype(str), mask=gaps),
    }


@together("factory", EAGER)
@pytest.mark.parametrize("kind", list(word_frames()))
def test_strings_of_every_kind_give_the_same_tree(factory, kind, reference):
    X = word_frames()[kind]
    same_tree(factory().fit(X, TARGET), reference(factory, WORDS, "words"), X, WORDS)


FLAGS = [True, None, False, True] * 16
FLAG_COLUMNS = {
    "pandas boolean": pd.array(FLAGS, dtype="boolean"),
    "pandas objects": pd.Series(FLAGS, dtype=object),
    "pandas Arrow": pd.Series(FLAGS, dtype=pd.ArrowDtype(pa.bool_())),
    "polars": pl.Series(FLAGS),
    "Arrow": pa.array(FLAGS),
    "a list": FLAGS,
}


@together("factory", EAGER)
@pytest.mark.parametrize("kind", FLAG_COLUMNS)
def test_booleans_of_every_kind_give_the_same_tree(factory, kind, reference):
    cells = np.array(FLAGS, dtype=object).reshape(-1, 1)
    X = {"x0": FLAG_COLUMNS[kind]}
    same_tree(factory().fit(X, TARGET), reference(factory, cells, "flags"), X, cells)


TARGETS = {
    "a list": TARGET.tolist(),
    "a tuple": tuple(TARGET.tolist()),
    "int8": TARGET.astype("i1"),
    "big-endian": TARGET.astype(">i4"),
    "float": TARGET.astype(float),
    "strided": np.repeat(TARGET, 2)[::2],
    "reversed": TARGET[::-1].copy()[::-1],
    "read-only": read_only(TARGET),
    "objects": TARGET.astype(object),
    "pandas": pd.Series(TARGET, index=np.arange(64)[::-1]),
    "pandas Int64": pd.Series(TARGET, dtype="Int64"),
    "pandas Arrow": pd.Series(TARGET, dtype=pd.ArrowDtype(pa.int32())),
    "polars": pl.Series(TARGET),
    "Arrow": pa.array(TARGET),
    "Arrow in chunks": pa.chunked_array([TARGET[:5], TARGET[5:]]),
    "an index": pd.Index(TARGET),
}


@together("factory", ALL)
@pytest.mark.parametrize("kind", TARGETS)
def test_targets_of_every_kind_give_the_same_tree(factory, kind, reference):
    estimator, expected = factory().fit(GAPS, TARGETS[kind]), reference(factory, GAPS, "gaps")
    assert arrays(estimator) == arrays(expected)
    assert estimator.predict(GAPS).tolist() == expected.predict(GAPS).tolist()


@pytest.mark.parametrize("factory", ALL)
def test_a_target_of_one_column_is_taken_with_a_warning(factory, reference):
    from sklearn.exceptions import DataConversionWarning

    with pytest.warns(DataConversionWarning):
        estimator = factory().fit(GAPS, TARGET.reshape(-1, 1))
    assert arrays(estimator) == arrays(reference(factory, GAPS, "gaps"))


@together("factory", ALL)
@pytest.mark.parametrize(
    "kind", [list, tuple, np.array, pd.Series, pl.Series, pa.array, lambda w: pd.Series(w, dtype="Float64")]
)
def test_weights_of_every_kind_give_the_same_tree(factory, kind):
    weights = RNG.integers(1, 4, size=64).astype(float)
    expected = factory().fit(GAPS, TARGET, sample_weight=weights)
    assert arrays(factory().fit(GAPS, TARGET, sample_weight=kind(weights.tolist()))) == arrays(expected)


def test_the_reference_trees_are_worth_comparing(reference):
    for factory in EAGER:
        for cells, name in ((CELLS, "whole"), (GAPS, "gaps"), (WORDS, "words")):
            estimator = reference(factory, cells, name)
            assert estimator.get_depth() >= 1
            assert is_classifier(estimator) or len(np.unique(estimator.predict(cells))) > 1
