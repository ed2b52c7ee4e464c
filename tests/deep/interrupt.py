"""Send Ctrl-C at random moments of every kind of long call, and measure how long it takes to be heard.

    python tests/deep/interrupt.py               ten signals for each call; about 15 minutes
    python tests/deep/interrupt.py --times 50 --only share

Each call runs in a process of its own. It is timed, then it is interrupted at moments drawn evenly from that time.
The machine should have nothing else to do: a delay is wall-clock time.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parent.parent
LIMIT = 0.2  # seconds

HEADER = """
import json, random, signal, sys, time, warnings
import numpy as np
import branchwork as bw
from branchwork import _core
from branchwork.grow.grow import core_options, grow, grow_many
from branchwork.grow.prepared import Prepared
from branchwork.grow.recipe import Search, Stopping
from branchwork.grow.recipes import RECIPES, TREE
from branchwork.grow.steps import grow_in_steps
from branchwork.table.adapt import to_table
from branchwork.table.target import classes, values
from ctrl_c import interrupted

warnings.simplefilter("ignore")
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets its background jobs ignore Ctrl-C
rng = np.random.default_rng(0)

def numbers(rows, columns, holes=0.0):
    X = rng.normal(size=(rows, columns))
    if holes:
        X[rng.random(X.shape) < holes] = np.nan
    return X

def labels(rows, kinds=2):
    return rng.integers(0, kinds, rows)

def words(rows, columns, levels):
    names = np.array([f"w{k:05}" for k in range(levels)], dtype=object)
    return {f"c{j}": names[rng.integers(0, levels, rows)] for j in range(columns)}
"""

FOOTER = """
start = time.perf_counter()
call()
whole = time.perf_counter() - start
chance, times, delays = random.Random(int(sys.argv[1])), int(sys.argv[2]), []
for _ in range(3 * times):
    moment = chance.uniform(0, whole)
    heard = interrupted(call, moment, again=False)
    if heard is None:
        whole = moment  # it is faster now
    else:
        delays.append((moment, heard.seconds))
    if len(delays) == times:
        break
print(json.dumps({"whole": whole, "delays": delays}))
"""

CALLS = {
    "numbers, one thread": """
        X, y = numbers(100_000, 10), labels(100_000)
        call = lambda: bw.TreeClassifier(n_jobs=1).fit(X, y)""",
    "numbers, two threads": """
        X, y = numbers(150_000, 10), labels(150_000)
        call = lambda: bw.TreeClassifier(n_jobs=2).fit(X, y)""",
    "numeric target": """
        X, y = numbers(120_000, 6), rng.normal(size=120_000)
        call = lambda: bw.TreeRegressor(n_jobs=1).fit(X, y)""",
    "many classes": """
        X, y = numbers(80_000, 6), labels(80_000, 50)
        call = lambda: bw.TreeClassifier(criterion="entropy", n_jobs=1, max_depth=12).fit(X, y)""",
    "long columns": """
        X, y = numbers(6_000_000, 2), labels(6_000_000)
        call = lambda: bw.TreeClassifier(max_depth=2, n_jobs=1).fit(X, y)""",
    "long stump in buckets": """
        X, y = numbers(8_000_000, 2), labels(8_000_000)
        call = lambda: bw.StumpClassifier(n_jobs=1).fit(X, y)""",
    "long stump of numbers": """
        X, y = numbers(4_000_000, 2), rng.normal(size=4_000_000)
        call = lambda: bw.StumpRegressor(n_jobs=1).fit(X, y)""",
    "values that differ in the last bits": """
        X = (1 + 1e-12 * rng.random((3_000_000, 2))); X[0] = 1e300
        y = labels(3_000_000)
        call = lambda: bw.TreeClassifier(max_depth=2, n_jobs=1).fit(X, y)""",
    "cuts only where the class changes": """
        X, y = numbers(2_000_000, 2), labels(2_000_000)
        call = lambda: bw.ID3Classifier(max_depth=3, n_jobs=1).fit(X, y)""",
    "whole numbers": """
        X, y = rng.integers(0, 100, size=(4_000_000, 4)).astype(np.int16), labels(4_000_000)
        call = lambda: bw.TreeClassifier(max_depth=4, n_jobs=1).fit(X, y)""",
    "missing: share": """
        X, y = numbers(60_000, 6, holes=0.1), labels(60_000)
        call = lambda: bw.TreeClassifier(missing="share", max_depth=8, n_jobs=1).fit(X, y)""",
    "missing: share, long": """
        X, y = numbers(3_000_000, 2, holes=0.1), labels(3_000_000)
        call = lambda: bw.TreeClassifier(missing="share", max_depth=2, n_jobs=1).fit(X, y)""",
    "missing: learn": """
        X, y = numbers(100_000, 8, holes=0.1), labels(100_000)
        call = lambda: bw.TreeClassifier(missing="learn", max_depth=12, n_jobs=1).fit(X, y)""",
    "surrogates": """
        X, y = numbers(60_000, 8, holes=0.1), labels(60_000)
        call = lambda: bw.CARTClassifier(max_surrogates=3, max_depth=8, cp=0, n_jobs=1).fit(X, y)""",
    "surrogates, long": """
        X, y = numbers(2_000_000, 3, holes=0.1), labels(2_000_000)
        call = lambda: bw.CARTClassifier(max_surrogates=2, max_depth=2, cp=0, n_jobs=1).fit(X, y)""",
    "categories": """
        X, y = to_table(words(3_000_000, 4, 30)), labels(3_000_000)
        call = lambda: bw.ID3Classifier(n_jobs=1).fit(X, y)""",
    "categories in two groups": """
        X, y = to_table(words(400_000, 8, 12)), labels(400_000, 4)
        call = lambda: bw.CARTClassifier(max_depth=8, cp=0, n_jobs=1).fit(X, y)""",
    "many categories in two groups": """
        X, y = to_table(words(1_000_000, 3, 5000)), labels(1_000_000, 30)
        call = lambda: bw.CARTClassifier(max_depth=4, cp=0, n_jobs=1).fit(X, y)""",
    "numbers by category": """
        X, y = to_table(words(3_000_000, 3, 3000)), rng.normal(size=3_000_000)
        call = lambda: bw.CARTRegressor(max_depth=4, cp=0, n_jobs=1).fit(X, y)""",
    "cuts at values of the table": """
        X, y = numbers(3_000_000, 2), labels(3_000_000)
        call = lambda: bw.TreeClassifier(cut="data", max_depth=3, n_jobs=1).fit(X, y)""",
    "every threshold": """
        X, y = numbers(30_000, 2), labels(30_000)
        call = lambda: bw.StumpClassifier(search="values").fit(X, y)""",
    "every threshold of a long column": """
        X, y = numbers(4_000_000, 1), labels(4_000_000)
        call = lambda: bw.StumpClassifier(search="grid", grid=20).fit(X, y)""",
    "neighbours in a k-d tree": """
        near = bw.NeighboursClassifier().fit(numbers(50_000, 8), labels(50_000)); X = numbers(50_000, 8)
        call = lambda: near.predict(X)""",
    "neighbours by brute force": """
        near = bw.NeighboursClassifier().fit(numbers(30_000, 20), labels(30_000)); X = numbers(20_000, 20)
        call = lambda: near.predict(X)""",
    "C4.5": """
        X, y = numbers(50_000, 6), labels(50_000)
        call = lambda: bw.C45Classifier(n_jobs=1).fit(X, y)""",
    "C4.5, long": """
        X, y = numbers(3_000_000, 2), (rng.random(3_000_000) < 0.4) * 1
        call = lambda: bw.C45Classifier(max_depth=2, n_jobs=1).fit(X, y)""",
    "C4.5, groups of values": """
        X, y = to_table(words(100_000, 2, 400)), labels(100_000, 3)
        call = lambda: bw.C45Classifier(value_groups=True, n_jobs=1).fit(X, y)""",
    "C4.5, many groups of values": """
        X, y = to_table(words(100_000, 1, 1500)), labels(100_000, 3)
        call = lambda: bw.C45Classifier(value_groups=True, n_jobs=1).fit(X, y)""",
    "C4.5's pruning": """
        X, y = numbers(200_000, 6), labels(200_000)
        grown = bw.C45Classifier(pruning=None).fit(X, y)
        call = lambda: grown.prune("error_based", X, y)""",
    "reduced error pruning": """
        X, y = numbers(300_000, 6), labels(300_000)
        grown = bw.TreeClassifier().fit(X, y)
        call = lambda: grown.prune("reduced_error", X, y)""",
    "cost-complexity path": """
        X, y = numbers(300_000, 6), labels(300_000)
        grown = bw.TreeClassifier().fit(X, y)
        call = lambda: grown.cost_complexity_path()""",
    "cross-validation": """
        X, y = numbers(20_000, 6), labels(20_000)
        call = lambda: bw.CARTClassifier(xval=10, cp=0, max_depth=10).fit(X, y)""",
    "CHAID": """
        X, y = numbers(60_000, 8), labels(60_000)
        call = lambda: bw.CHAIDClassifier(alpha_split=1.0).fit(X, y)""",
    "CHAID, categories": """
        X, y = to_table(words(100_000, 4, 60)), labels(100_000)
        call = lambda: bw.CHAIDClassifier(alpha_split=1.0, variant="exhaustive").fit(X, y)""",
    "rules": """
        X, y = numbers(4_000, 5), labels(4_000)
        y = (X[:, 0] * X[:, 1] > 0) ^ (rng.random(4_000) < 0.15)
        call = lambda: bw.RuleListClassifier().fit(X, y)""",
    "Mitchell's rules": """
        X, y = numbers(4_000, 5), labels(4_000)
        y = (X[:, 0] * X[:, 1] > 0) ^ (rng.random(4_000) < 0.15)
        call = lambda: bw.RuleListClassifier(method="mitchell").fit(X, y)""",
    "prepared columns": """
        X = to_table(numbers(5_000_000, 4))
        call = lambda: Prepared(X, n_jobs=1)""",
    "prepared columns of few values": """
        X = to_table(rng.integers(0, 50, size=(6_000_000, 4)).astype(np.float32))
        call = lambda: Prepared(X, n_jobs=1)""",
    "drawn samples": """
        X, y = to_table(numbers(2_000_000, 3)), classes(labels(2_000_000))
        prepared = Prepared(X, n_jobs=2)
        draws = [prepared.draw(rng.integers(0, 2_000_000, 2_000_000)) for _ in range(3)]
        recipe = TREE.replace(stopping=Stopping(max_depth=3))
        call = lambda: grow_many(prepared, y, recipe, draws, n_jobs=1)""",
    "a draw of rows": """
        prepared = Prepared(to_table(numbers(6_000_000, 1)), n_jobs=2)
        rows = rng.integers(0, 6_000_000, 6_000_000)
        call = lambda: prepared.draw(rows)""",
    "tallies": """
        X, y = to_table(numbers(1_500_000, 3)), classes(labels(1_500_000))
        rows, options = np.arange(1_500_000, dtype=np.uint32), core_options(TREE, y)
        call = lambda: _core.tally(X.core, y.core, rows, options)""",
    "step by step": """
        X, y = to_table(numbers(1_500_000, 3)), classes(labels(1_500_000))
        recipe = TREE.replace(stopping=Stopping(max_depth=2))
        call = lambda: grow_in_steps(X, y, recipe)""",
    "predictions": """
        X, y = numbers(200_000, 6), labels(200_000)
        grown, many = bw.TreeClassifier().fit(X, y), numbers(5_000_000, 6)
        call = lambda: grown.predict(many)""",
    "predictions that are shared": """
        X, y = numbers(100_000, 6, holes=0.2), labels(100_000)
        grown = bw.TreeClassifier(missing="share", max_depth=12).fit(X, y)
        call = lambda: grown.predict(X)""",
    "predictions from words": """
        X, y = to_table(words(1_000_000, 4, 50)), labels(1_000_000)
        grown = bw.ID3Classifier(max_depth=3).fit(X, y)
        call = lambda: grown.predict(X)""",
    "a table of words": """
        X = words(2_000_000, 3, 500)
        call = lambda: to_table(X)""",
    "leaves of rows": """
        X, y = numbers(200_000, 6), labels(200_000)
        grown = bw.TreeClassifier().fit(X, y)
        call = lambda: grown.decision_path(X)""",
}  # fmt: skip


def delays_of(name: str, times: int, seed: int) -> dict:
    body = "\n".join(line.strip() for line in CALLS[name].strip().splitlines())
    done = subprocess.run(
        [sys.executable, "-c", f"{HEADER}\n{body}\n{FOOTER}", str(seed), str(times)],
        capture_output=True,
        text=True,
        cwd=TESTS,
    )
    if done.returncode != 0:
        return {"failed": done.stderr[-600:]}
    return json.loads(done.stdout.splitlines()[-1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    late = 0
    for name in CALLS:
        if options.only not in name:
            continue
        found = delays_of(name, options.times, options.seed)
        if "failed" in found:
            late += 1
            print(f"{name}: FAILED\n{found['failed']}", flush=True)
            continue
        heard = [(delay, moment) for moment, delay in found["delays"]]
        slowest, moment = max(heard, default=(0.0, 0.0))
        is_late = slowest > LIMIT or not heard
        late += is_late
        print(
            f"{'LATE ' if is_late else '     '}{name}: {len(heard)} signals in {found['whole']:.1f} s, "
            f"heard after {slowest:.3f} s at most, sent at {moment:.2f} s",
            flush=True,
        )
    print(f"{late} calls heard Ctrl-C too late (seed {options.seed})")
    return int(late > 0)


if __name__ == "__main__":
    sys.exit(main())
