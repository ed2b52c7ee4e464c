"""A model as a safetensors file: the arrays as tensors, the words as one JSON text in the metadata.

    8 bytes          length of the header
    header           JSON: {"__metadata__": {"branchwork": "{…}"}, "tree.0.feature": {dtype, shape, data_offsets}, …}
    the rest         the tensors, side by side

Read by hand, because a stranger's file is measured against itself before anything is made of it, because a complaint
names the tensor, and because the arrays are views of the bytes that were read.
"""

from __future__ import annotations

import io
import json
import math
from typing import IO, Any

import numpy as np

from branchwork.model.model import Model
from branchwork.store.about import OPTIONAL_WORDS, WORDS, check_heading, heading, words_from, words_of
from branchwork.store.arrays import Array, arrays_of, kind_of, tree_from
from branchwork.store.assemble import assemble
from branchwork.store.seal import check_seal, sealed
from branchwork.store.strict import MOST_TEXT, a_list, a_text, a_whole, an_object, parse, refuse

KEY = "branchwork"
DTYPES: dict[str, type[np.generic]] = {"F64": np.float64, "I64": np.int64, "I32": np.int32, "U8": np.uint8}
STORED = {name: np.dtype(dtype).newbyteorder("<") for name, dtype in DTYPES.items()}
MOST = 2**31 - 1
"""The length of an array: nodes are counted in 32 bits."""


def to_bytes(model: Model) -> bytes:
    """The model as the bytes of a .bw file."""
    from safetensors.numpy import save

    arrays = {
        f"tree.{k}.{name}": array
        for k, tree in enumerate(model.trees)
        for name, array in arrays_of(tree, model.schema).items()
    }
    words = {**heading(), "trees": len(model.trees), **words_of(model)}
    text = json.dumps(words, ensure_ascii=False, separators=(",", ":"))
    return sealed(save(arrays, {KEY: text}))


def from_bytes(data: bytes) -> Model:
    """The model of such bytes."""
    return read_container(io.BytesIO(data), len(data))


def read_container(file: IO[bytes], size: int) -> Model:
    """Read a model from a .bw file of this size."""
    length = file.read(8)
    n = int.from_bytes(length, "little")
    if len(length) < 8 or n > size - 8:
        refuse("header", "not a model file, or the file is cut off")
    if n > MOST_TEXT:
        refuse("header", f"{n} bytes; at most {MOST_TEXT} are read")
    header = file.read(n)
    entries = parse(header, "header")
    if not isinstance(entries, dict):
        refuse("header", "expected an object")
    metadata = an_object(entries.pop("__metadata__", None), "header.__metadata__", (KEY,))
    about = parse(a_text(metadata[KEY], f"header.{KEY}").encode(), f"header.{KEY}")
    check_heading(about, "header")
    _check_entries(entries, size - 8 - n, 8 + n)
    body = file.read(size - 8 - n)
    check_seal(about.get("sha256"), length + header, body)
    an_object(about, "header", (*heading(), "trees", *WORDS), OPTIONAL_WORDS)
    words = words_from(about)
    groups = _by_tree(entries, a_whole(about["trees"], "trees", 1, max(1, len(entries))))
    trees = [
        tree_from({name: _array(entry, body) for name, entry in group.items()}, words.schema, f"tree.{k}")
        for k, group in enumerate(groups)
    ]
    return assemble(words, tuple(trees))


def _check_entries(entries: dict[str, Any], size: int, start: int) -> None:
    """Types, shapes and places of all tensors, against each other and the size of the file."""
    if start % 8:
        refuse("header", "its length is no multiple of 8")
    at = 0
    for name, entry in entries.items():
        an_object(entry, name, ("dtype", "shape", "data_offsets"))
        dtype, shape = entry["dtype"], a_list(entry["shape"], f"{name}.shape")
        kind = kind_of(_split(name)[1])
        if kind is None:
            refuse(name, "no array of a model has this name")
        if not isinstance(dtype, str) or DTYPES.get(dtype) is not kind[0]:
            refuse(f"{name}.dtype", f"expected numbers of type {np.dtype(kind[0])}")
        if len(shape) != kind[1]:
            refuse(f"{name}.shape", f"expected {kind[1]} dimensions, found {len(shape)}")
        count = math.prod(a_whole(length, f"{name}.shape", 0, MOST) for length in shape)
        begin, end = (
            a_whole(x, f"{name}.data_offsets", 0, size) for x in a_list(entry["data_offsets"], name, 2)
        )
        itemsize = STORED[dtype].itemsize
        if begin != at or begin % itemsize or end - begin != count * itemsize:
            refuse(f"{name}.data_offsets", "they do not fit the shape, or the tensor before")
        at = end
    if at != size:
        refuse("header", f"the tensors take {at} bytes, but the file has {size} for them")


def _split(name: str) -> tuple[str, str]:
    """The number of the tree, and the name of the array in it."""
    word, _, rest = name.partition(".")
    number, _, field = rest.partition(".")
    return (number, field) if word == "tree" else ("", "")


def _by_tree(entries: dict[str, Any], count: int) -> list[dict[str, Any]]:
    groups: dict[str, dict[str, Any]] = {str(k): {} for k in range(count)}
    for name, entry in entries.items():
        number, field = _split(name)
        if number not in groups:
            refuse(name, f"there are {count} trees, counted from 0")
        groups[number][field] = entry
    return list(groups.values())


def _array(entry: dict[str, Any], body: bytes) -> Array:
    """A view of the bytes: they are not copied."""
    place = entry["data_offsets"][0]
    stored: Array = np.ndarray(tuple(entry["shape"]), STORED[entry["dtype"]], buffer=body, offset=place)
    return stored.astype(DTYPES[entry["dtype"]], copy=False)
