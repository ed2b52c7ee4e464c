"""A chain of thousands of nodes is as good as any other tree: nothing recurses."""

import subprocess
import sys

import numpy as np
import pytest

from registry import EXACT
from tables import DEEP

DEPTH = 20_000 if DEEP else 4_000


def chain():
    """Labels that alternate along one column: every split peels one row."""
    return np.arange(DEPTH + 1.0).reshape(-1, 1), np.arange(DEPTH + 1) % 2


@pytest.mark.parametrize("factory", EXACT)
def test_a_chain_fits_predicts_and_prints(factory):
    X, y = chain()
    estimator = factory().set_params(n_jobs=2).fit(X, y)
    assert (estimator.get_depth(), estimator.get_n_leaves()) == (DEPTH, DEPTH + 1)
    assert (estimator.predict(X) == y).all()
    text = estimator.to_text()
    assert text.count("\n") == 2 * DEPTH
    assert f"[depth {DEPTH}]" in text and max(map(len, text.splitlines())) < 400
    assert estimator.to_text(max_depth=2).count("\n") == 5
    node, depth = estimator.to_dict(), 0
    while "children" in node:
        node, depth = max(node["children"], key=lambda child: child["n_rows"]), depth + 1
    assert depth in (DEPTH, DEPTH - 1)
    assert estimator.decision_path(X[-1:]).sum() in (2, DEPTH + 1)
    assert estimator.feature_importances_.tolist() == [1]


def test_the_command_line_grows_a_chain(tmp_path):
    X, y = chain()
    rows = [f"{int(x)},{label}" for x, label in zip(X[:, 0].tolist(), y.tolist(), strict=True)]
    (tmp_path / "chain.csv").write_text("\n".join(["x,y", *rows]) + "\n")
    command = "import sys; from branchwork.cli import main; sys.argv[0] = 'branchwork'; main()"
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            command,
            "grow",
            "chain.csv",
            "--method",
            "id3",
            "--target",
            "y",
            "--json",
            "--folds",
            "0",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Traceback" not in done.stderr
    assert done.stdout.count('"children"') == DEPTH
    assert done.stdout.count("{") == done.stdout.count("}") and done.stdout.count("[") == done.stdout.count(
        "]"
    )
    assert '"training_error": 0.0' in done.stdout


def test_the_tests_of_depth_would_notice_recursion():
    assert sys.getrecursionlimit() < DEPTH
