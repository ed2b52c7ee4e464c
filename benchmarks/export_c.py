"""A tree as a C program beside the library itself: how long it compiles, and how fast it answers, on one thread."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
from datasets import logistic
from timing import Figure, LeftOutError, Settings, at_most, best_of_turns, seconds

import branchwork as bw

LEAVES = 1_000
ROWS = 200_000
COLUMNS = 20
MAIN = f"""
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Reads rows, answers them, tells the seconds of the answers alone, and writes the answers. */
int main(void) {{
    struct tree_row *rows = malloc({ROWS} * sizeof *rows);
    signed char *found = malloc({ROWS});
    struct timespec begin, end;
    if (fread(rows, sizeof *rows, {ROWS}, stdin) != {ROWS}) return 1;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int k = 0; k < {ROWS}; ++k) found[k] = (signed char)tree_predict(&rows[k]);
    clock_gettime(CLOCK_MONOTONIC, &end);
    fwrite(found, 1, {ROWS}, stdout);
    fprintf(stderr, "%.9f", (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec));
    return 0;
}}
"""


def figures(settings: Settings) -> Iterator[Figure]:
    """Compile a tree of a thousand leaves and let it answer rows that it never saw."""
    if shutil.which("gcc") is None:
        raise LeftOutError("gcc is not installed")
    X, y, _ = logistic(ROWS, COLUMNS)
    X = X.astype(np.float64)
    estimator = bw.TreeClassifier(max_leaf_nodes=LEAVES, n_jobs=1).fit(X[: ROWS // 2], y[: ROWS // 2])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = "#define _POSIX_C_SOURCE 199309L\n" + str(estimator.model_.export("c")) + MAIN
        (folder / "tree.c").write_text(source, encoding="ascii")
        compiling = seconds(partial(subprocess.run, _compile("-O2"), cwd=folder, check=True))
        yield Figure(f"C of {LEAVES:,} leaves: gcc -O2", "a limit of 10 s", 10, compiling, at_most(1))
        given = X.tobytes()
        jobs = {
            "ours": lambda: seconds(lambda: estimator.predict(X)),
            "C": lambda: _answered(folder, given, estimator.predict(X)),
        }
        best = best_of_turns(jobs, settings.rounds, clock=lambda job: job())
        work = f"C of {LEAVES:,} leaves: {ROWS:,} rows"
        yield Figure(work, "our predict, one thread", best["ours"], best["C"], at_most(1.5))


def _compile(level: str) -> list[str]:
    return ["gcc", "-std=c99", level, "tree.c", "-o", "tree", "-lm"]


def _answered(folder: Path, given: bytes, expected: np.ndarray) -> float:
    done = subprocess.run([folder / "tree"], input=given, capture_output=True, check=True)
    if (np.frombuffer(done.stdout, np.int8) != expected).any():
        raise AssertionError("the C program answers otherwise")
    return float(done.stderr)
