"""Whatever is wrong with a file, the answer is ModelFormatError, and it says where."""

import json
import math
import struct

import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import ModelFormatError
from branchwork.store.container import from_bytes, to_bytes
from branchwork.store.twin import from_json_bytes, to_json_bytes
from branchwork.tree.ledger import KEPT
from branchwork.tree.tree import STOP_REASONS
from store.damage import array_in, parts, put_together, resealed, with_number, with_words

from program_cases import hard_rows, model_of, table_of

INT_MIN, INT_MAX = -(2**31), 2**31 - 1
KINDS = ("id3", "c45", "cart", "chaid", "stump regression", "sum softmax")


def small(kind):
    return model_of(2, kind=kind, rows=24)


@pytest.fixture(
    scope="module", params=[(to_bytes, from_bytes), (to_json_bytes, from_json_bytes)], ids=["bw", "json"]
)
def sealed(request):
    write, read = request.param
    return write(small("stump regression")), read


def test_every_truncation_is_refused(sealed):
    data, read = sealed
    for length in range(len(data)):
        with pytest.raises(ModelFormatError):
            read(data[:length])


def test_every_byte_changed_is_refused(sealed):
    data, read = sealed
    rng = np.random.default_rng(0)
    for at in range(len(data)):
        damaged = bytearray(data)
        damaged[at] ^= 1 << int(rng.integers(8))
        with pytest.raises(ModelFormatError):
            read(bytes(damaged))


def test_something_more_is_refused(sealed):
    data, read = sealed
    for longer in (data + b"\0", data + b" ", b"\0" + data, data + data, b"\xef\xbb\xbf" + data):
        with pytest.raises(ModelFormatError):
            read(longer)


def test_another_file_of_the_same_length_is_told_by_the_seal(sealed):
    data, read = sealed
    with pytest.raises(
        ModelFormatError, match="sha256: the file was changed or damaged after it was written"
    ):
        read(data.replace(b"column 1", b"column 9"))


# ---- one number of one array

FLOATS = {
    "cut",
    "bounds",
    "value",
    "distribution",
    "variance",
    "weight",
    "impurity",
    "gain",
    "agreement",
    "adjusted",
}
FLOATS |= {"split_info", "chance", "judged", "tests", "parts"}
TOLD_ONLY = {"impurity", "gain", "variance", "surrogates.agreement", "surrogates.adjusted"}
TOLD_ONLY |= {
    f"ledger.{name}" for name in ("cut", "gain", "split_info", "chance", "judged", "tests", "parts")
}
"""Numbers that are shown to people and decide nothing: any will do."""
ANOTHER_MODEL = {
    "feature": lambda model, tree, k, x: 0 <= x < len(model.schema) and not model.schema[x].is_nominal,
    "cut": lambda model, tree, k, x: not math.isnan(x),
    "bounds": lambda model, tree, k, x: math.isfinite(x) or x == math.inf,
    "default_child": lambda model, tree, k, x: -1 <= x < tree.n_children[k],
    "pool": lambda model, tree, k, x: -1 <= x < tree.n_children.max(),
    "value": lambda model, tree, k, x: math.isfinite(x),
    "distribution": lambda model, tree, k, x: math.isfinite(x) and x >= 0,
    "answer": lambda model, tree, k, x: 0 <= x < tree.n_outputs,
    "stop": lambda model, tree, k, x: x < len(STOP_REASONS),
    "n_rows": lambda model, tree, k, x: tree.shares_rows and x >= 0,
    "surrogates.feature": lambda model, tree, k, x: 0 <= x < len(model.schema),
    "missing_weight": lambda model, tree, k, x: 0 <= x <= tree.weight[k],
    "surrogates.cut": lambda model, tree, k, x: not math.isnan(x),
    "surrogates.low_child": lambda model, tree, k, x: x in (0, 1),
    "surrogates.pool": lambda model, tree, k, x: -1 <= x <= 1,
    "ledger.node": lambda model, tree, k, x: 0 <= x < tree.n_nodes,
    "ledger.verdict": lambda model, tree, k, x: x < len(KEPT),
    "ledger.sides": lambda model, tree, k, x: -1 <= x <= 8,
}
"""Fields in which another number may be as good as the right one; in all the others every other number is refused."""


def numbers_to_try(field, n_nodes, position, count):
    if field in ("stop", "ledger.verdict"):
        return [0, 1, 12, 13, 255]
    if field.split(".")[-1] in FLOATS:
        return [math.nan, math.inf, -math.inf, -1.0, 0.0, 1e308]
    return [-1, 0, 1, n_nodes, count, INT_MIN, INT_MAX, position]


@pytest.mark.parametrize("kind", KINDS)
def test_every_number_is_refused_or_makes_another_sound_model(kind):
    model = small(kind)
    tree, data, rows = model.trees[0], to_bytes(model), hard_rows(model, 5)
    refused, sound = 0, 0
    for name in (name for name in parts(data)[0] if name.startswith("tree.0.")):
        array, field = array_in(data, name).ravel(), name.removeprefix("tree.0.")
        for position in range(0, len(array), max(1, len(array) // 3)):
            for number in numbers_to_try(field, tree.n_nodes, position, len(array)):
                old = array[position]
                if old == number or (old != old and number != number):
                    continue
                try:
                    other = from_bytes(with_number(data, name, position, number))
                except ModelFormatError as error:
                    refused += 1
                    assert str(error).startswith("tree.0"), error
                    continue
                sound += 1
                fits = field in TOLD_ONLY or ANOTHER_MODEL[field](model, tree, position, number)
                assert fits, (name, position, number)
                other.outputs(table_of(other, rows))
    assert refused > sound > 0


# ---- the frame around the arrays


def test_the_frame_is_measured_before_anything_is_made_of_it():
    data = to_bytes(small("id3"))
    header, body = parts(data)
    for length in (0, 1, 7, len(data), 2**31, 2**62, 2**64 - 1):
        with pytest.raises(ModelFormatError, match="header"):
            from_bytes(resealed(struct.pack("<Q", length) + data[8:]))
    name = "tree.0.feature"
    cases = {
        "shape": [[-1], [2**40], [2**63], [1.5], ["7"], None, [[7]], [True], [], [3, 3]],
        "dtype": ["I64", "F64", "F32", "BF16", "", 7, None],
        "data_offsets": [[0, 0], [0, 2**62], [-4, 4], [4, 0], [0], [0, 1, 2], None, ["0", "4"]],
    }
    for field, wrong in cases.items():
        for value in wrong:
            changed = json.loads(json.dumps(header))
            changed[name][field] = value
            with pytest.raises(ModelFormatError, match=name):
                from_bytes(put_together(changed, body))


def test_tensors_that_are_missing_too_many_or_misnamed():
    data = to_bytes(small("cart"))
    header, body = parts(data)
    for name in header:
        if name == "__metadata__":
            continue
        for other in (
            "tree.1.feature",
            "tree.00.feature",
            "tree.0",
            "x",
            "",
            "tree.0.ledger.feature",
            "tree..x",
        ):
            changed = {(other if key == name else key): entry for key, entry in header.items()}
            with pytest.raises(ModelFormatError):
                from_bytes(put_together(changed, body))
    header["tree.0.more\x1b[31m" + "x" * 500] = {
        "dtype": "F64",
        "shape": [0],
        "data_offsets": [len(body)] * 2,
    }
    with pytest.raises(ModelFormatError, match="no array of a model has this name") as error:
        from_bytes(put_together(header, body))
    assert "\x1b" not in str(error.value) and len(str(error.value)) < 250


def test_a_newer_format_is_refused_politely():
    data = to_bytes(small("id3"))
    with pytest.raises(
        ModelFormatError, match=r"version: the file has format 2, written by a newer Branchwork; this"
    ):
        from_bytes(with_words(data, lambda words: words.update(version=2, more="unknown")))
    text = to_json_bytes(small("id3")).replace(b'"version": 1', b'"version": 99')
    with pytest.raises(ModelFormatError, match="format 99"):
        from_json_bytes(text)
    for version in (0, -1, "1", 1.0, None, True, [], 10**30):
        with pytest.raises(ModelFormatError, match="version"):
            from_bytes(with_words(data, lambda words, version=version: words.update(version=version)))


WORDS = {
    "format": ["", "safetensors", None, 1],
    "writer": [None, 5],
    "trees": [0, 2, -1, 10**9, "1", None, True],
    "columns": [None, [], {}, [{}], [1], [{"name": "a", "kind": "x"}], [{"name": 1, "kind": "numeric"}]],
    "named": [None, 0, "true"],
    "labels": [[], None, {}, ["a"], ["a", "a"], ["a", None], [1, 1.0], [["a"], "b"], [{"int": "0x1"}, "b"]],
    "occurring": [[], [0, 0], [1, 0], [-1], [99], ["0"], [0.0], 7, [True]],
    "handle_unknown": ["ignore", None, 3, ["missing"]],
    "spread": [[], [1.0], "x", [0.0] * 8, [-1.0] * 8, ["inf"] * 8, [True] * 8],
    "combine": [
        None,
        {},
        {"kind": "mean", "base": [1]},
        {"kind": "vote", "weights": [1]},
        {"kind": "weighted_vote"},
        {"kind": "weighted_vote", "weights": [1], "link": "identity"},
        {"kind": "weighted_vote", "weights": [-1], "link": "samme"},
        {"kind": "weighted_vote", "weights": [1, 1], "link": "samme"},
        {"kind": "weighted_vote", "weights": ["inf"], "link": "softmax"},
        {"kind": "median", "weights": [1]},
        {"kind": "sum"},
        {"kind": ["single"]},
    ],
    "recipe": [None, [], 7, "id3"],
}
OPTIONAL_WORDS = {
    "target": [None, 7, ["y"], {"int": "0x1"}],
    "ensemble": [
        None,
        {},
        {"method": "forest", "seed": 0},
        {"method": "jungle", "seed": 0, "errors": []},
        {"method": "forest", "seed": -1, "errors": []},
        {"method": "forest", "seed": 0, "errors": [[10, -1.0]]},
        {"method": "forest", "seed": 0, "errors": [[10, 0.5], [10, 0.4]]},
        {"method": "forest", "seed": 0, "errors": [[10]]},
        {"method": "forest", "seed": 0, "errors": [[10, None]]},
    ],
}


@pytest.mark.parametrize("name", [*WORDS, *OPTIONAL_WORDS])
def test_every_word_is_checked(name):
    model = small("id3")
    data = to_bytes(model)
    text = json.loads(to_json_bytes(model))
    for value in {**WORDS, **OPTIONAL_WORDS}[name]:
        with pytest.raises(ModelFormatError):
            from_bytes(with_words(data, lambda words, value=value: words.update({name: value})))
        if name != "trees":
            with pytest.raises(ModelFormatError):
                from_json_bytes(resealed(json.dumps({**text, name: value}).encode()))
    if name in WORDS:
        with pytest.raises(ModelFormatError, match=name):
            from_bytes(with_words(data, lambda words: words.pop(name)))


@pytest.mark.parametrize(
    "combine",
    [
        {"kind": "sum", "base": [0.0], "output": None, "link": "softmax"},
        {"kind": "sum", "base": [0, 0, 0], "output": [0], "link": "softmax"},
        {"kind": "sum", "base": [0, 0, 0], "output": [9, 9, 9, 9], "link": "softmax"},
        {"kind": "sum", "base": [0, 0, None], "output": None, "link": "softmax"},
        {"kind": "sum", "base": [0, 0, "inf"], "output": None, "link": "softmax"},
        {"kind": "sum", "base": [0, 0, 0], "output": None, "link": "softmax"},
        {"kind": "sum", "base": [0, 0, 0], "output": None, "link": "probit"},
        {"kind": "sum", "base": [], "output": None, "link": "identity"},
        {"kind": "sum", "base": [0.0], "output": None, "link": "logistic"},
        {"kind": "single"},
        {"kind": "mean"},
    ],
)
def test_trees_and_the_way_they_are_combined_fit_each_other(combine):
    data = to_bytes(small("sum softmax"))
    with pytest.raises(ModelFormatError, match=r"combine|tree\.0\.value|recipe\.criterion"):
        from_bytes(with_words(data, lambda words: words.update(combine=combine)))


# ---- JSON


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "not JSON"),
        (b"null", "not a model file"),
        (b"[" * 100_000, "nested too deep"),
        (b'{"a":' * 100_000, "nested too deep"),
        (b'{"a": 1, "a": 2}', "'a' occurs twice"),
        (b'{"a": NaN}', "NaN is not JSON"),
        (b'{"a": -Infinity}', "-Infinity is not JSON"),
        (b"1" * 5000, "too many digits"),
        (b'"\xff"', "byte 1 is not UTF-8"),
        (b'"\xed\xa0\x80"', "is not UTF-8"),
        (b"\xef\xbb\xbf{}", "BOM"),
        (b'{"a\x00": 1}', "not JSON"),
        (b"\x00" * 10, "not JSON"),
        (b'{"format": "branchwork model", "version": 1, "writer": "\\ud800"}', "half a character"),
        (b"[" + b"0," * 4_000_001 + b"0]", "more than 4000000 values"),
    ],
    ids=lambda value: repr(value[:20]),
)
def test_json_that_is_none(text, message):
    with pytest.raises(ModelFormatError, match=message):
        from_json_bytes(text)


def places(found, path=()):
    """Every place in nested data, with its value."""
    yield path, found
    items = found.items() if isinstance(found, dict) else enumerate(found) if isinstance(found, list) else ()
    for key, value in items:
        yield from places(value, (*path, key))


def changed_at(found, path, value):
    copy = json.loads(json.dumps(found))
    at = copy
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return copy


@pytest.mark.parametrize("kind", ["id3", "cart", "chaid"])
def test_every_place_in_the_json_is_of_one_type(kind):
    model = small(kind)
    found = json.loads(to_json_bytes(model))
    rng = np.random.default_rng(0)
    everywhere = [path for path, _ in places(found) if path and path[0] != "recipe"]
    for k in rng.permutation(len(everywhere))[:40].tolist():
        path = everywhere[k]
        for value in ({"strange": 1}, [[[]]], "\ud800", "strange", 10**30):
            if path[0] in ("columns", "labels", "writer") and value == "strange":
                continue  # a name is a name
            with pytest.raises(ModelFormatError):
                from_json_bytes(resealed(json.dumps(changed_at(found, path, value)).encode()))


def test_a_complaint_names_file_and_place(tmp_path):
    path = bw.save(small("id3"), tmp_path / "m.json")
    found = json.loads(path.read_text())
    found["trees"][0]["nodes"][0]["weight"] = -1
    path.write_bytes(resealed(json.dumps(found).encode()))
    with pytest.raises(
        ModelFormatError, match=r"m\.json: tree\.0: Not a valid tree: weight of node 0 is negative"
    ):
        bw.load(path)
