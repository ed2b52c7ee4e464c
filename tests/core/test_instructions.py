"""Hot loops have a plain form and one for AVX2; both give the same bits."""

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
FITS = """
import hashlib, sys
import numpy as np
import branchwork as bw
from branchwork import _core

assert _core.instructions() == sys.argv[1], _core.instructions()
rng = np.random.default_rng(5)
X = np.column_stack([rng.integers(0, k, 3000) for k in (2, 3, 7, 16, 60, 256)] + [rng.normal(size=3000)])
classes = (X[:, 2] + X[:, 3] + rng.integers(0, 3, 3000)).astype(int) % 5
told = hashlib.sha256()
for y in (classes, classes % 2):
    for criterion in ("gini", "entropy"):
        tree = bw.TreeClassifier(criterion=criterion, min_samples_leaf=2).fit(X, y)
        full = bw.TreeClassifier(criterion=criterion).fit(X, y)
        for model in (tree, full):
            for array in (model.tree_.feature, model.tree_.cut, model.tree_.gain, model.predict_proba(X)):
                told.update(np.ascontiguousarray(array).tobytes())
print(told.hexdigest())
"""


def run(instructions, *command):
    # What was asked for is what is used; AVX2 is the default wherever the processor has it.
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    env.pop("BRANCHWORK_INSTRUCTIONS", None)
    if instructions == "plain":
        env["BRANCHWORK_INSTRUCTIONS"] = "plain"
    done = subprocess.run([sys.executable, *command], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def forms():
    """Name the forms that this processor can run."""
    by_default = run("default", "-c", "from branchwork import _core; print(_core.instructions())").strip()
    return {"plain", by_default}


def test_trees_and_predictions_are_the_same_bit_for_bit():
    told = {form: run(form, "-c", FITS, form) for form in forms()}
    assert len(set(told.values())) == 1, told


def test_the_plain_form_grows_the_trees_of_sorted_columns():
    """A slice of the suite, without AVX2."""
    slice_of_suite = [str(TESTS / "grow" / "test_counted.py"), "-k", "large and not 40000"]
    told = run("plain", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *slice_of_suite)
    assert " passed" in told
