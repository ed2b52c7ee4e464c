"""Damage model files in many ways and load them: refused, or a sound model, and never anything else.

    python tests/deep/mutate_models.py 1000000 --seed 1 --processes 2

Bytes are flipped, cut out, doubled and put in, as they are or with the seal made to fit; numbers of arrays, words of
the header and places of the JSON become strange ones. What still loads must predict. A crash, a hang of more than a
second of processor time, an allocation of more than 512 MB, or an error other than ModelFormatError is a failure; the
number of the case is told, and `--only` runs it again. On a core with sanitizers ASAN_OPTIONS has to limit memory
(max_allocation_size_mb=512), and BRANCHWORK_SANITIZED tells this script not to.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import resource
import signal
import sys
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np

from branchwork.errors import ModelFormatError
from branchwork.store.container import from_bytes, to_bytes
from branchwork.store.twin import from_json_bytes, to_json_bytes
from store.damage import NUMPY, parts, put_together, resealed

from program_cases import KINDS, hard_rows, model_of, table_of

SECONDS = 1.0
MOST_MEMORY = 512 * 2**20
WHOLE = (-1, 0, 1, 2, 3, 7, 255, 256, 2**31 - 1, -(2**31), 2**31, 2**53, 2**63 - 1, 2**63, 10**40)
FLOATS = (0.0, -0.0, -1.0, 0.5, 1e308, -1e308, 5e-324, float("nan"), float("inf"), float("-inf"))
STRANGE: tuple[Any, ...] = (
    *WHOLE,
    *FLOATS[:7],
    *(
        None,
        True,
        False,
        "",
        "inf",
        "-inf",
        "x",
        "\ud800",
        "share",
        [],
        {},
        [[]],
        [0] * 50,
        {"int": "0x1"},
        {"float": "nan"},
    ),
)


class Case:
    """One model: its files, their parts, and rows to predict."""

    def __init__(self, number: int) -> None:
        model = model_of(number, kind=KINDS[number % len(KINDS)], rows=16, hostile=number % 2 == 0)
        self.rows = hard_rows(model, 4)
        self.data, self.text = to_bytes(model), to_json_bytes(model)
        self.header, self.body = parts(self.data)
        self.tensors = [
            name for name in self.header if name != "__metadata__" and 0 not in self.header[name]["shape"]
        ]
        self.words = json.loads(self.header["__metadata__"]["branchwork"])
        self.found = json.loads(self.text)


# ---- ways to damage


def bytes_changed(data: bytes, chance: random.Random) -> bytes:
    """Flip, set, cut, double or insert something, up to three times."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        at, way = chance.randrange(len(changed) + 1), chance.randrange(6)
        length = chance.choice((1, 1, 2, 4, 8, 64))
        if way == 0 and at < len(changed):
            changed[at] ^= 1 << chance.randrange(8)
        elif way == 1:
            changed[at : at + length] = chance.randbytes(length)
        elif way == 2:
            del changed[at : at + length]
        elif way == 3:
            changed[at:at] = changed[at : at + length]
        elif way == 4:
            changed[at:at] = chance.choice((b"\0", b"\xff", b'"', b"{", b"[", b",", b"9" * 5000, b"[" * 3000))
        else:
            del changed[at:]
        if not changed:
            break
    return bytes(changed)


def number_changed(case: Case, chance: random.Random) -> bytes:
    name = chance.choice(case.tensors)
    begin, end = case.header[name]["data_offsets"]
    array = np.frombuffer(case.body[begin:end], NUMPY[case.header[name]["dtype"]]).copy()
    for _ in range(chance.choice((1, 1, 2))):
        at = chance.randrange(len(array))
        if array.dtype.kind == "f":
            array[at] = chance.choice(FLOATS)
        else:
            low, high = np.iinfo(array.dtype).min, np.iinfo(array.dtype).max
            array[at] = min(max(chance.choice((*WHOLE, at, len(array), chance.randrange(-2, 40))), low), high)
    return put_together(case.header, case.body[:begin] + array.tobytes() + case.body[end:])


def strange_at(found: Any, chance: random.Random) -> Any:
    """A copy of nested data with one place made strange: another value, one of its own twice, or nothing."""
    if isinstance(found, dict | list) and found and chance.random() < 0.9:
        key = chance.choice(list(found) if isinstance(found, dict) else range(len(found)))
        copy = dict(found) if isinstance(found, dict) else list(found)
        if chance.random() < 0.04:
            del copy[key]
        elif chance.random() < 0.04 and isinstance(copy, list):
            copy.append(copy[key])
        else:
            copy[key] = strange_at(found[key], chance)
        return copy
    if isinstance(found, int | float) and not isinstance(found, bool) and chance.random() < 0.5:
        return found + chance.choice((-1, 1, 0.5, 1e-9))
    return chance.choice(STRANGE)


def as_text(found: Any) -> str:
    return json.dumps(found, ensure_ascii=True, separators=(",", ":"))


def damaged(case: Case, chance: random.Random) -> tuple[str, bytes, bool]:
    """What was done, the bytes, and whether they are a .bw file."""
    way = chance.randrange(8)
    if way == 0:
        return "bytes of .bw", bytes_changed(case.data, chance), True
    if way == 1:
        return "bytes of .json", bytes_changed(case.text, chance), False
    if way == 2:
        return "bytes of .bw, sealed", resealed(bytes_changed(case.data, chance)), True
    if way == 3:
        return "bytes of .json, sealed", resealed(bytes_changed(case.text, chance)), False
    if way == 4:
        return "number, sealed", number_changed(case, chance), True
    if way == 5:
        return "header, sealed", put_together(strange_at(case.header, chance), case.body), True
    if way == 6:
        metadata = {"branchwork": as_text(strange_at(case.words, chance))}
        return "words, sealed", put_together({**case.header, "__metadata__": metadata}, case.body), True
    return "place in .json, sealed", resealed(as_text(strange_at(case.found, chance)).encode()), False


# ---- one case after the other


class TooSlowError(Exception):
    """More than a second of processor time."""


def too_slow(*_: Any) -> None:
    raise TooSlowError


def outcome(case: Case, data: bytes, is_container: bool) -> str:
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        model = (from_bytes if is_container else from_json_bytes)(data)
    except ModelFormatError:
        return "refused"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    if model.schema.names == tuple(case.rows[0]):
        predict(model, case)
        return "loaded, predicts"
    return "loaded"


def predict(model: Any, case: Case) -> None:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            table = table_of(model, case.rows)
        except ValueError:  # a column is now of another kind than the rows' cells
            return
        model.predict(table)
        model.outputs(table)


def work(seed: int, numbers: range, cases: list[Case], at: Any, told: Any) -> None:
    signal.signal(signal.SIGPROF, too_slow)
    if "BRANCHWORK_SANITIZED" not in os.environ:
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + MOST_MEMORY,) * 2)
    counts: Counter[tuple[str, str]] = Counter()
    failures = []
    for number in numbers:
        at.value = number
        chance = random.Random(f"{seed}/{number}")
        case = cases[chance.randrange(len(cases))]
        how, data, is_container = damaged(case, chance)
        try:
            found = outcome(case, data, is_container)
            counts[how, found if data not in (case.data, case.text) else "nothing was changed"] += 1
            if found != "refused" and not how.endswith("sealed") and data not in (case.data, case.text):
                raise AssertionError("changed bytes with the old seal were loaded")
        except Exception as error:
            counts[how, "FAILED"] += 1
            failures.append(f"case {number}: {how}: {type(error).__name__}: {error}")
    told.put((counts, failures[:20]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", type=int, help="one case, in this process, with its traceback")
    options = parser.parse_args()
    cases = [Case(k) for k in range(len(KINDS))]
    if options.only is not None:
        chance = random.Random(f"{options.seed}/{options.only}")
        case = cases[chance.randrange(len(cases))]
        how, data, is_container = damaged(case, chance)
        print(how, outcome(case, data, is_container))
        return 0
    start, context = time.perf_counter(), multiprocessing.get_context("fork")
    told, workers = context.Queue(), []
    for k in range(options.processes):
        at = context.Value("q", -1, lock=False)
        numbers = range(k, options.count, options.processes)
        worker = context.Process(target=work, args=(options.seed, numbers, cases, at, told))
        worker.start()
        workers.append((worker, at))
    counts, failures = Counter(), []
    for worker, at in workers:
        worker.join()
        if worker.exitcode:
            failures.append(f"case {at.value}: the process died with exit code {worker.exitcode}")
    while not told.empty():
        some, worse = told.get()
        counts += some
        failures += worse
    for (how, what), number in sorted(counts.items()):
        print(f"{number:9d}  {how}: {what}")
    print(
        f"{counts.total()} of {options.count} files in {time.perf_counter() - start:.0f} s; {len(failures)} failures"
    )
    print("\n".join(failures))
    return len(failures) + (counts.total() != options.count)


if __name__ == "__main__":
    sys.exit(min(main(), 1))
