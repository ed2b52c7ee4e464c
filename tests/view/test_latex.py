"""LaTeX takes what is written for it, whatever names are in it."""

import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

import branchwork as bw
from branchwork.view.formula import words_in_tex
from branchwork.view.working_formats import in_latex

SIGNS = [
    *(
        "[a]",
        "*b",
        "--c",
        "---",
        "$d$",
        "\\e",
        "{f",
        "g}",
        "%h",
        "#i",
        "&j",
        "~k^l",
        "m_n",
        "<o>",
        "|p|",
        "`q`",
    ),
    *("''r''", '"s"', "é−…²", "≤ 5 → x", "ß€°×", "x\ny", "\\input{/etc/passwd}", "^^41", "[", "*", "?`!`"),
]

PAGE = r"""\documentclass{{article}}
\usepackage{{amsmath}}
\usepackage[paperwidth=80cm,paperheight=80cm]{{geometry}}
\begin{{document}}
{body}
\end{{document}}
"""


def hostile(seed=0):
    rng = np.random.default_rng(seed)
    names = np.array(SIGNS, object)
    X = pd.DataFrame({name: rng.choice(names, 90) for name in SIGNS})
    X["[number]"] = rng.normal(size=90)
    return X, rng.choice(names, 90)


def workings():
    X, y = hostile()
    numbers = X["[number]"] * 1e-9
    for estimator, target in (
        (bw.ID3Classifier(max_depth=1), y),
        (bw.CARTClassifier(max_depth=1), y),
        (bw.C45Classifier(pruning=None), y),
        (bw.ID3Regressor(max_depth=1), numbers),
        (bw.TreeRegressor(criterion="poisson", max_depth=1), np.exp(numbers)),
    ):
        tree = estimator.fit(X, target)
        yield from (tree.working(0, X, target, style=style) for style in ("table", "lecture"))


def test_latex_compiles_it(tmp_path):
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed: apt-get install texlive-latex-base")
    body = "\n\n".join(working.to_latex() for working in workings())
    (tmp_path / "page.tex").write_text(PAGE.format(body=body), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-no-shell-escape", "page.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace")
    errors = [line for line in done.stdout.splitlines() if line.startswith("!")]
    assert errors == [] and done.returncode == 0 and (tmp_path / "page.pdf").exists()


def test_braces_are_balanced_and_rows_begin_with_words():
    for working in workings():
        text = working.to_latex()
        plain = text.replace("\\{", "").replace("\\}", "").replace("\\\\", "")
        depths = np.cumsum([(sign == "{") - (sign == "}") for sign in plain])
        assert depths.min() == 0 and depths[-1] == 0
        rows = text.split("\\\\\n")
        assert not any(row.lstrip().startswith(("[", "*")) for row in rows), "that belongs to the row before"


@pytest.mark.parametrize("write", [in_latex, words_in_tex])
def test_hyphens_stay_hyphens(write):
    assert "--" not in write("a--b---c") and write("a--b---c").count("-") == 5
