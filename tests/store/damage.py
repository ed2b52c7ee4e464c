"""Files with something wrong in them, sealed anew so that only the loader's own checks are left to see it."""

import hashlib
import json
import re

import numpy as np

SEAL = re.compile(rb'(sha256\\?": ?\\?")([0-9a-f]{64})')
NUMPY = {"F64": "<f8", "I64": "<i8", "I32": "<i4", "U8": "u1"}


def resealed(data: bytes) -> bytes:
    """The bytes with a seal that fits them."""
    found = SEAL.search(data)
    if found is None:
        return data
    begin, end = found.span(2)
    blank = data[:begin] + b"0" * 64 + data[end:]
    return data[:begin] + hashlib.sha256(blank).hexdigest().encode() + data[end:]


def parts(data: bytes) -> tuple[dict, bytes]:
    """The header and the tensors of a .bw file."""
    n = int.from_bytes(data[:8], "little")
    return json.loads(data[8 : 8 + n]), data[8 + n :]


def put_together(header: dict, body: bytes) -> bytes:
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")
    text += b" " * (-len(text) % 8)
    return resealed(len(text).to_bytes(8, "little") + text + body)


def with_words(data: bytes, change) -> bytes:
    """A .bw file whose JSON text was changed by a function."""
    header, body = parts(data)
    words = json.loads(header["__metadata__"]["branchwork"])
    change(words)
    header["__metadata__"]["branchwork"] = json.dumps(words, separators=(",", ":"), ensure_ascii=False)
    return put_together(header, body)


def array_in(data: bytes, name: str) -> np.ndarray:
    header, body = parts(data)
    begin, end = header[name]["data_offsets"]
    return np.frombuffer(body[begin:end], NUMPY[header[name]["dtype"]]).reshape(header[name]["shape"])


def with_number(data: bytes, name: str, position: int, number) -> bytes:
    """A .bw file in which one number of one array is another."""
    header, body = parts(data)
    begin, end = header[name]["data_offsets"]
    array = np.frombuffer(body[begin:end], NUMPY[header[name]["dtype"]]).copy()
    array[position] = number
    return put_together(header, body[:begin] + array.tobytes() + body[end:])
