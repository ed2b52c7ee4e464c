"""Hot loops have a plain form and one for AVX2; both give the same bits."""

import subprocess
import sys

import pytest

from contract.checks import TESTS, environment
from instructions import in_both_forms

FITS = """
import hashlib
import numpy as np
import branchwork as bw

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
result = told.hexdigest()
"""


def test_trees_and_predictions_are_the_same_bit_for_bit():
    plain, usual = in_both_forms(FITS)
    assert plain == usual


@pytest.mark.deep
def test_the_plain_form_grows_the_trees_of_sorted_columns():
    """A slice of the suite, without AVX2."""
    slice_of_suite = [str(TESTS / "grow" / "test_counted.py"), "-k", "large and not 40000"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *slice_of_suite],
        env=environment(BRANCHWORK_INSTRUCTIONS="plain"),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout + done.stderr
