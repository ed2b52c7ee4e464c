"""Rules in Markdown and LaTeX: read back, and typeset where there is a TeX."""

from __future__ import annotations

import html
import re
import shutil
import subprocess

import pytest

import branchwork as bw
from branchwork.errors import ParameterError

from program_cases import HOSTILE, KINDS, model_of

TENNIS = """\
|  | rule | rows | coverage | confidence | lift |
| --: | :-- | --: | --: | --: | --: |
| 1 | Outlook = Overcast → PlayTennis: Yes | 4 | 28.6% | 100.0% | 1.56 |
| 2 | Outlook = Rain and Wind = Strong → PlayTennis: No | 2 | 14.3% | 100.0% | 2.80 |
| 3 | Outlook = Rain and Wind = Weak → PlayTennis: Yes | 3 | 21.4% | 100.0% | 1.56 |
| 4 | Outlook = Sunny and Humidity = High → PlayTennis: No | 3 | 21.4% | 100.0% | 2.80 |
| 5 | Outlook = Sunny and Humidity = Normal → PlayTennis: Yes | 2 | 14.3% | 100.0% | 1.56 |
|  | otherwise → PlayTennis: Yes |  |  |  |  |
"""


@pytest.fixture
def tennis():
    data = bw.datasets.load("play_tennis")
    return bw.ID3Classifier().fit(data.X, data.y)


def test_markdown_is_a_table(tennis):
    assert tennis.model_.export("markdown") == TENNIS == tennis.rules().to_markdown()


def test_latex_is_a_table(tennis):
    text = tennis.model_.export("latex")
    assert text == tennis.rules().to_latex()
    assert text.startswith(
        "\\begin{longtable}{rp{0.45\\linewidth}rrrr}\n\\hline\n & rule & rows & coverage &"
    )
    assert "1 & Outlook = Overcast $\\to$ PlayTennis: Yes & 4 & 28.6\\% & 100.0\\% & 1.56 \\\\\n" in text


def test_options_are_those_of_rules(tennis):
    plants = bw.datasets.load("vegetation")
    tree = bw.ID3Classifier().fit(plants.X, plants.y)
    short = tree.model_.export("markdown", simplify=True)
    assert short == tree.rules().simplify().to_markdown() and "2250 &lt; ELEVATION &lt;= 4175" in short
    assert "(or missing)" in tennis.model_.export("latex", missing=True)
    with pytest.raises(ParameterError, match="has no option"):
        tennis.model_.export("markdown", colour=True)


@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if kind[:4] not in ("cart", "mean", "sum", "sum ", "vote", "weig")]
)
def test_hostile_words_are_shown_and_not_obeyed(kind):
    model = model_of(0, kind=kind, hostile=True)
    rules = model.rules()
    plain = [cells_of(line) for line in rules.to_markdown().splitlines() if line.startswith("|")]
    assert {len(cells) for cells in plain} == {len(plain[0])}
    for rule, cells in zip(rules, plain[2:-1], strict=True):
        assert unescaped(cells[1]).startswith(rule.describe(rules.schema))
    assert "<" not in rules.to_markdown()


def cells_of(line):
    return [cell.strip(" ") for cell in re.split(r"(?<!\\)(?:\\\\)*\|", line)[1:-1]]


def unescaped(cell):
    return html.unescape(re.sub(r"\\(.)", r"\1", cell))


def test_surrogates_are_written_and_ensembles_have_no_rules():
    for language in ("markdown", "latex"):
        assert "(if missing: " in model_of(0, kind="cart").export(language)
        with pytest.raises(ParameterError, match=r"model\.member\(0\)"):
            model_of(0, kind="mean").export(language)


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex")
def test_latex_is_typeset(tmp_path):
    names = [name for name in HOSTILE if name.isascii()]
    X = {name or "empty": [0, 0, 0, 1, 1, 1, 2, 2] for name in names}
    X = {name: [f"{name}{cell}" for cell in cells] for name, cells in X.items()}
    tables = []
    for name in X:
        model = bw.ID3Classifier().fit({name: X[name]}, [*"aab", name, name, name, "}", "%"]).model_
        tables.append(model.export("latex"))
    text = "\\documentclass{article}\n\\usepackage{longtable}\n\\begin{document}\n"
    (tmp_path / "rules.tex").write_text(text + "\n".join(tables) + "\\end{document}\n", encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "rules.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-1500:].decode(errors="replace")
    assert (tmp_path / "rules.pdf").stat().st_size > 1000
