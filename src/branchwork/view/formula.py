"""Formulas with numbers in them, as on a blackboard.

A formula is one thing written in three ways: in plain text, in TeX for math mode, and in MathML. Small functions make
large formulas of small ones:

    Entropy(S) = −(9/14)·log2(9/14) − (5/14)·log2(5/14) = 0.9403
    └ named ┘    └── total of product(ratio, log2) ───┘   └ value
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from branchwork.tree.split import number
from branchwork.view.digits import LARGEST, weighed, worked
from branchwork.view.terminal import harmless

TERMS_A_LINE = 4
"""Of a long sum in TeX."""
MOST_TERMS = 12
"""Of a sum that is written out; of more the first ones are."""


@dataclass(frozen=True)
class Formula:
    """The same thing, three times."""

    text: str
    tex: str  # a new line in it: here an equation may go on in the next line
    mathml: str

    @property
    def one_line(self) -> str:
        """The TeX where no line may end."""
        return self.tex.replace("\n", " ")


def value(x: float) -> Formula:
    """A number, to four places.

    >>> value(0.25).text, value(1.0).text, value(-0.00001).text, value(0.00001).tex
    ('0.2500', '1', '−1e-05', '1\\\\cdot 10^{-5}')
    """
    is_short = float(x).is_integer() and abs(x) < LARGEST
    return _digits(number(x) if is_short else worked(x))


def count(x: float) -> Formula:
    """A number of rows: whole, or a weight to four places."""
    return _digits(weighed(x))


def _digits(digits: str) -> Formula:
    text = digits.replace("-", "−", 1) if digits.startswith("-") else digits
    plain, _, power = digits.partition("e")
    return Formula(text, f"{plain}\\cdot 10^{{{int(power)}}}" if power else plain, f"<mn>{text}</mn>")


def ratio(above: Formula, below: Formula) -> Formula:
    """One over the other."""
    top, bottom = (f"({part.text})" if _is_sum(part.text) else part.text for part in (above, below))
    return Formula(
        f"({top}/{bottom})",
        f"\\frac{{{above.one_line}}}{{{below.one_line}}}",
        f"<mfrac><mrow>{above.mathml}</mrow><mrow>{below.mathml}</mrow></mfrac>",
    )


def _outside(text: str) -> str:
    """What stands outside all brackets; the outermost ones stay."""
    found, depth = [], 0
    for sign in text:
        depth -= sign == ")"
        if depth == 0:
            found.append(sign)
        depth += sign == "("
    return "".join(found)


def _is_sum(text: str) -> bool:
    return " " in _outside(text)


def _is_bracketed(text: str) -> bool:
    return _outside(text) == "()"


def brackets(inner: Formula) -> Formula:
    """In brackets, which text does not write twice."""
    text = inner.text if _is_bracketed(inner.text) else f"({inner.text})"
    return Formula(
        text, f"\\left({inner.one_line}\\right)", f"<mrow><mo>(</mo>{inner.mathml}<mo>)</mo></mrow>"
    )


def log2(inner: Formula) -> Formula:
    """The binary logarithm."""
    of = brackets(inner)
    return Formula(f"log2{of.text}", f"\\log_2{of.tex}", f"<msub><mi>log</mi><mn>2</mn></msub>{of.mathml}")


def ln(inner: Formula) -> Formula:
    """The natural logarithm."""
    of = brackets(inner)
    return Formula(f"ln{of.text}", f"\\ln{of.tex}", f"<mi>ln</mi>{of.mathml}")


def squared(inner: Formula) -> Formula:
    """Times itself."""
    of = brackets(inner)
    return Formula(f"{of.text}²", f"{of.tex}^2", f"<msup>{of.mathml}<mn>2</mn></msup>")


def product(*factors: Formula) -> Formula:
    """Factors side by side."""
    return Formula(
        "·".join(factor.text for factor in factors),
        "\\cdot ".join(factor.tex for factor in factors),
        "<mo>·</mo>".join(factor.mathml for factor in factors),
    )


def total(terms: Sequence[tuple[str, Formula]]) -> Formula:
    """Terms, each with + or − before it; in TeX four in a line.

    >>> total([("−", value(1)), ("+", value(2))]).text
    '−1 + 2'
    """
    text, tex, mathml = [], [], []
    for k, (sign, term) in enumerate(terms):
        shown = "" if k == 0 and sign == "+" else sign
        text.append(f" {sign} {term.text}" if k else f"{shown}{term.text}")
        gap = "" if k == 0 else " " if k % TERMS_A_LINE else "\n"
        tex.append(f"{gap}{shown.replace('−', '-')} {term.tex}" if shown else term.tex)
        mathml.append(f"<mo>{shown}</mo>{term.mathml}" if shown else term.mathml)
    return Formula("".join(text), "".join(tex), "".join(mathml))


def first_terms(terms: list[tuple[str, Formula]]) -> list[tuple[str, Formula]]:
    """The terms of a sum; of very many the first, and how many more there are."""
    if len(terms) <= MOST_TERMS:
        return terms
    left_off = len(terms) - MOST_TERMS + 1
    return [*terms[: MOST_TERMS - 1], (terms[-1][0], words(f"… {left_off} more terms"))]


def shares_entropy(weights: Sequence[float], whole: float) -> Formula:
    """−Σ p·log2(p) over shares of a whole, written out.

    >>> shares_entropy([1, 3], 4).text
    '−(1/4)·log2(1/4) − (3/4)·log2(3/4)'
    """
    shares = [ratio(count(weight), count(whole)) for weight in weights if weight > 0]
    return total(first_terms([("−", product(share, log2(share))) for share in shares]))


def largest(terms: Sequence[Formula]) -> Formula:
    """The largest of some numbers.

    >>> largest([value(1), value(-2)]).text
    'max(1, −2)'
    """
    shown = [*terms[:MOST_TERMS], *([words("…")] if len(terms) > MOST_TERMS else [])]
    return Formula(
        f"max({', '.join(term.text for term in shown)})",
        f"\\max({', '.join(term.one_line for term in shown)})",
        f"<mi>max</mi><mo>(</mo>{'<mo>,</mo>'.join(term.mathml for term in shown)}<mo>)</mo>",
    )


def squares_about(mean: Formula) -> Formula:
    """The sum of squared deviations from a mean."""
    return Formula(
        f"Σ(y − {mean.text})²",
        f"\\sum (y - {mean.tex})^2",
        f"<mo>∑</mo><msup><mrow><mo>(</mo><mi>y</mi><mo>−</mo>{mean.mathml}<mo>)</mo></mrow><mn>2</mn></msup>",
    )


def mean_of_logs() -> Formula:
    """The mean of y·ln(y)."""
    return Formula(
        "mean of y·ln(y)",
        "\\text{mean of }y\\ln(y)",
        "<mtext>mean of </mtext><mi>y</mi><mo>·</mo><mi>ln</mi><mo>(</mo><mi>y</mi><mo>)</mo>",
    )


def minus(a: Formula, b: Formula) -> Formula:
    """A difference."""
    return total([("+", a), ("−", b)])


def named(name: str, of: str) -> Formula:
    """What is computed, and of what: "Gain(Outlook)". Both may come from anywhere."""
    shown, is_plain = harmless(of), name.isascii() and name.isalnum()
    in_tex = f"\\mathrm{{{name}}}" if is_plain else words_in_tex(name)
    return Formula(
        f"{harmless(name)}({shown})",
        f"{in_tex}({words_in_tex(of)})",
        f"<mi>{html.escape(harmless(name))}</mi><mo>(</mo><mtext>{html.escape(shown)}</mtext><mo>)</mo>",
    )


def words(text: str) -> Formula:
    """A few words inside a formula."""
    return Formula(text, words_in_tex(text), f"<mtext>{html.escape(text)}</mtext>")


def equation(left: Formula, *right: Formula) -> Formula:
    """What is equal, from left to right; in TeX for an aligned display, where a long sum takes several lines."""
    sides = (left, *right)
    text = [side.text[1:-1] if _is_bracketed(side.text) else side.text for side in sides]
    tex = f"{left.tex} &= {' = '.join(side.tex for side in right)}"
    return Formula(
        " = ".join(text),
        tex.replace("\n", " \\\\ &\\quad "),
        "<mo>=</mo>".join(f"<mrow>{side.mathml}</mrow>" for side in sides),
    )


SPECIAL = {
    "\\": "\\backslash ",
    "^": "\\wedge ",
    "~": "\\sim ",
    "|": "\\mid ",
    "`": "{'}",
    "−": "-",
    "≤": "\\leq ",
    "≥": "\\geq ",
    "→": "\\to ",
    **{sign: f"\\{sign}" for sign in "{}$&#%_"},
    **{sign: f"{{{sign}}}" for sign in "<>*[]"},
}
"""Signs that TeX or Markdown would obey. So, outside \\text, they mean one thing to LaTeX, MathJax and KaTeX."""

_PIECES = re.compile("([" + re.escape("".join(SPECIAL)) + "])|(?<=-)(?=-)")
"""Such signs, and the place between two hyphens, which together would become a dash."""


def words_in_tex(text: str) -> str:
    """Words of unknown origin for math mode: neither TeX nor Markdown finds anything to obey.

    >>> print(words_in_tex("50% of_all"))
    \\text{50}\\%\\text{ of}\\_\\text{all}
    """
    pieces = [piece for piece in _PIECES.split(harmless(text)) if piece]
    return "".join(SPECIAL.get(piece) or f"\\text{{{piece}}}" for piece in pieces)
