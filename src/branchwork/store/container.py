"""Write and read a model as a safetensors file: the arrays are tensors, everything else is JSON in the metadata.

    8 bytes          length of the header
    header           JSON: {"__metadata__": {"branchwork": "{…}"}, "tree.0.feature": {dtype, shape, data_offsets}, …}
    the rest         the tensors, side by side

Both directions are written here, not left to the safetensors library. Reading: the sizes in an untrusted file are
compared with each other before memory is allocated, errors name the tensor, and the arrays are views of the bytes that
were read. Writing: the library ends the process where memory does. The bytes are the same as the library's.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from io import BufferedIOBase, BytesIO
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import ModelFormatError
from branchwork.model.committee import Committee
from branchwork.model.model import Model
from branchwork.neighbours.model import Neighbours
from branchwork.rules.rule_list import RuleList
from branchwork.store.about import OPTIONAL_WORDS, WORDS, check_heading, heading, words_from, words_of
from branchwork.store.arrays import KINDS, Array, arrays_of, trees_from
from branchwork.store.assemble import assemble
from branchwork.store.committee import VOTE_WORDS, committee_from, own_members, vote_words_of
from branchwork.store.neighbours import (
    NEIGHBOUR_WORDS,
    arrays_from,
    neighbour_arrays_of,
    neighbour_words_of,
    neighbours_from,
)
from branchwork.store.rule_rows import OPTIONAL_RULE_WORDS, RULE_WORDS, rule_words_of, rules_from
from branchwork.store.seal import check_seal, sealed
from branchwork.store.strict import (
    MOST_TEXT,
    a_text,
    a_whole,
    an_object,
    are_whole,
    parse,
    refuse,
    too_much,
)

KEY = "branchwork"
DTYPES: dict[type[np.generic], str] = {np.float64: "F64", np.int64: "I64", np.int32: "I32", np.uint8: "U8"}
NAMES = {np.dtype(kind): name for kind, name in DTYPES.items()}
ORDER = ("I64", "F64", "I32", "U8")
TENSORS = {name: (DTYPES[kind], np.dtype(kind).itemsize, n_axes) for name, (kind, n_axes) in KINDS.items()}
"""For each name of a tensor: its type, the bytes per number, and the dimensions."""
Bytes = npt.NDArray[np.uint8]
Place = tuple[str, list[int], list[int]]
"""The place of a tensor: the name of its type, its first and last byte, and its shape."""
MOST = 2**31 - 1
"""The largest length of an array: nodes are counted in 32 bits."""


def to_bytes(model: Model | RuleList | Committee | Neighbours) -> bytes:
    """Return a model, a list of rules, a vote or neighbours as the bytes of a .bw file."""
    if isinstance(model, Committee):
        members = {
            f"model.{k:04}": np.frombuffer(to_bytes(one), np.uint8)
            for k, one in enumerate(own_members(model))
        }
        text = json.dumps({**heading(), **vote_words_of(model)}, ensure_ascii=False, separators=(",", ":"))
        return _container(members, text)
    if isinstance(model, Neighbours):
        words = {**heading(), **neighbour_words_of(model)}
        text = json.dumps(words, ensure_ascii=False, separators=(",", ":"))
        return _container(neighbour_arrays_of(model), text)
    if isinstance(model, RuleList):
        text = json.dumps({**heading(), **rule_words_of(model)}, ensure_ascii=False, separators=(",", ":"))
        if complaint := too_much(text.encode()):
            raise ModelFormatError(f"There are too many rules for a model file ({complaint}).")
        return _container({}, text)
    arrays = {
        f"tree.{k}.{name}": array
        for k, tree in enumerate(model.trees)
        for name, array in arrays_of(tree, model.schema).items()
    }
    words = {**heading(), "trees": len(model.trees), **words_of(model)}
    text = json.dumps(words, ensure_ascii=False, separators=(",", ":"))
    return _container(arrays, text)


def _container(arrays: Mapping[str, Array], text: str) -> bytes:
    """Return arrays and a text as the bytes of a sealed file. As in the library, types of more bytes come first."""
    types = {name: NAMES[array.dtype] for name, array in arrays.items()}
    entries: dict[str, Any] = {"__metadata__": {KEY: text}}
    body, at = [], 0
    for name in sorted(arrays, key=lambda name: (ORDER.index(types[name]), name)):
        array = arrays[name]
        end = at + array.nbytes
        entries[name] = {"dtype": types[name], "shape": array.shape, "data_offsets": [at, end]}
        stored = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
        body.append(stored.reshape(-1).view(np.uint8).data)
        at = end
    header = json.dumps(entries, ensure_ascii=False, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)
    return sealed(len(header).to_bytes(8, "little") + header, body)


def from_bytes(data: bytes) -> Model | RuleList | Committee | Neighbours:
    """Return the model, the list of rules, the vote or the neighbours of such bytes.

    Pickles call this function by its name, so it stays.
    """
    return read_container(BytesIO(data), len(data))


def read_container(file: BufferedIOBase, size: int) -> Model | RuleList | Committee | Neighbours:
    """Read a model, a list of rules, a vote or neighbours from a .bw file of this size."""
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
    groups = {} if "vote" in about or "neighbours" in about else _by_tree(entries, size - 8 - n, 8 + n)
    body = _read(file, size - 8 - n)
    check_seal(about.get("sha256"), length + header, body.data)
    if "vote" in about:
        an_object(about, "header", (*heading(), *VOTE_WORDS))
        return committee_from(about, _members(entries, body))
    if "neighbours" in about:
        an_object(about, "header", (*heading(), *NEIGHBOUR_WORDS))
        return neighbours_from(about, arrays_from(about, entries, body))
    if "rules" in about:
        if entries:
            refuse(next(iter(entries)), "a file with rules has no arrays")
        return rules_from(an_object(about, "header", (*heading(), *RULE_WORDS), OPTIONAL_RULE_WORDS))
    an_object(about, "header", (*heading(), "trees", *WORDS), OPTIONAL_WORDS)
    words = words_from(about)
    count = a_whole(about["trees"], "trees", 1, max(1, len(entries)))
    return assemble(words, trees_from(_arrays(groups, count, body), words.schema))


def _members(entries: dict[str, Any], body: Bytes) -> Callable[[int], Any]:
    """Return the function that reads a member of a vote; each is the bytes of a model file, one after the other."""
    places, at = [], 0
    for k, (name, entry) in enumerate(entries.items()):
        if name != f"model.{k:04}":
            refuse(name, f"expected the member model.{k:04}")
        an_object(entry, name, ("dtype", "shape", "data_offsets"))
        if entry["dtype"] != "U8" or not are_whole(entry["shape"], 1, len(body)):
            refuse(name, "expected bytes")
        if not are_whole(entry["data_offsets"], 2, len(body)):
            refuse(f"{name}.data_offsets", f"expected 2 whole numbers from 0 to {len(body)}")
        begin, end = entry["data_offsets"]
        if begin != at or end - begin != entry["shape"][0]:
            refuse(f"{name}.data_offsets", "they do not fit the shape, or the member before")
        places.append((begin, end))
        at = end
    if at != len(body):
        refuse("header", f"the members take {at} bytes, but the file has {len(body)} for them")

    def member(k: int) -> Any:
        if k >= len(places):
            refuse("vote.names", f"there are {len(places)} members")
        begin, end = places[k]
        try:
            return from_bytes(body[begin:end].tobytes())
        except ModelFormatError as error:
            raise ModelFormatError(f"model.{k:04}: {error}") from None

    return member


def _read(file: BufferedIOBase, size: int) -> Bytes:
    """Read this many bytes into NumPy's memory, which is faster for large files than `bytes`."""
    body = np.empty(size, np.uint8)
    if file.readinto(body.data) != size:
        refuse("file", "it is cut off")
    body.flags.writeable = False
    return body


def _by_tree(entries: dict[str, Any], size: int, start: int) -> dict[str, dict[str, Place]]:
    """Return where the arrays of each tree are. They fill the file, one after the other."""
    if start % 8:
        refuse("header", "its length is no multiple of 8")
    groups: dict[str, dict[str, Place]] = {}
    at = 0
    for name, entry in entries.items():
        word, _, rest = name.partition(".")
        number, _, field = rest.partition(".")
        if word != "tree" or field not in TENSORS:
            refuse(name, "no array of a model has this name")
        at = _end(entry, name, field, at, size)
        groups.setdefault(number, {})[field] = entry["dtype"], entry["data_offsets"], entry["shape"]
    if at != size:
        refuse("header", f"the tensors take {at} bytes, but the file has {size} for them")
    return groups


def _end(entry: Any, name: str, field: str, at: int, size: int) -> int:
    """Return where a tensor ends. Refuse it unless it begins at the given place and is what this field must be."""
    dtype, itemsize, n_axes = TENSORS[field]
    an_object(entry, name, ("dtype", "shape", "data_offsets"))
    shape, offsets = entry["shape"], entry["data_offsets"]
    if entry["dtype"] != dtype:
        refuse(f"{name}.dtype", f"expected numbers of type {np.dtype(KINDS[field][0])}")
    if not are_whole(shape, n_axes, MOST):
        refuse(f"{name}.shape", f"expected {n_axes} whole numbers from 0 to {MOST}")
    if not are_whole(offsets, 2, size):
        refuse(f"{name}.data_offsets", f"expected 2 whole numbers from 0 to {size}")
    begin, end = offsets
    if begin != at or begin % itemsize or end - begin != math.prod(shape) * itemsize:
        refuse(f"{name}.data_offsets", "they do not fit the shape, or the tensor before")
    return int(end)


def _arrays(groups: dict[str, dict[str, Place]], count: int, body: Bytes) -> list[dict[str, Array]]:
    """Return the arrays of each tree, as views of the bytes."""
    numbers = [str(k) for k in range(count)]
    if strange := groups.keys() - set(numbers):
        refuse(f"tree.{min(strange)}", f"there are {count} trees, counted from 0")
    whole = {name: _numbers(body, np.dtype(dtype)) for dtype, name in DTYPES.items()}
    return [
        {field: _array(whole, place) for field, place in groups.get(number, {}).items()} for number in numbers
    ]


def _numbers(body: Bytes, dtype: np.dtype[Any]) -> Array:
    """Return all bytes as numbers of one type."""
    stored = dtype.newbyteorder("<")
    numbers: Array = np.ndarray(len(body) // dtype.itemsize, stored, buffer=body)
    return numbers.astype(dtype, copy=False)


def _array(whole: dict[str, Array], place: Place) -> Array:
    dtype, (begin, end), shape = place
    numbers = whole[dtype]
    found = numbers[begin // numbers.itemsize : end // numbers.itemsize]
    return found if len(shape) == 1 else found.reshape(shape)
