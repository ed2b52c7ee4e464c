"""Escape text of unknown origin for Markdown and LaTeX, so that nothing in it acts as markup."""

from __future__ import annotations

import re

from branchwork.tree.split import harmless

_IN_MARKDOWN = {
    **{sign: f"\\{sign}" for sign in "\\`*_[]|~$#"},
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
}


def in_markdown(text: str) -> str:
    """Escape text of unknown origin for Markdown.

    >>> in_markdown("a|b <i> *c*")
    'a\\\\|b &lt;i&gt; \\\\*c\\\\*'
    """
    return "".join(_IN_MARKDOWN.get(sign, sign) for sign in harmless(text))


_IN_LATEX = {
    **{sign: f"\\{sign}" for sign in "{}$&#_%"},
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "<": "\\textless{}",
    ">": "\\textgreater{}",
    "|": "\\textbar{}",
    "`": "\\textasciigrave{}",
    "−": "$-$",
    "–": "\\textendash{}",
    "…": "\\ldots{}",
    "≤": "$\\leq$",
    "≥": "$\\geq$",
    "→": "$\\to$",
    "[": "{[}",  # a row cannot begin with these two: LaTeX would read them as options of the row before
    "*": "{*}",
    "²": "$^2$",
}


def in_latex(text: str) -> str:
    """Escape text of unknown origin for LaTeX.

    >>> print(in_latex("50% of_all <= 3"))
    50\\% of\\_all \\textless{}= 3
    """
    shown = "".join(_IN_LATEX.get(sign, sign) for sign in harmless(text))
    return re.sub("-(?=-)", "-{}", shown)  # two hyphens would become a dash
