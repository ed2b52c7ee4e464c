"""How the documentation is built: `make docs`. Pages are MyST Markdown and notebooks; the API comes from docstrings."""

import sys
from dataclasses import is_dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import branchwork

from docstrings import to_rst

project = "Branchwork"
author = copyright = "the authors of Branchwork"
version = release = branchwork.__version__

extensions = [
    "myst_nb",  # Markdown and notebooks
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "formulas",
    "live_site",
]
exclude_patterns = ["**/.ipynb_checkpoints"]
myst_enable_extensions = ["dollarmath"]
myst_dmath_allow_space = myst_dmath_allow_digits = False  # "$5 or $ 6" is text
myst_heading_anchors = 3
nb_execution_mode = "off"  # the tests run the notebooks and compare what they show
html_math_renderer = "mathml"
highlight_language = "text"
smartquotes = False  # "text" is a value, too

copybutton_prompt_text = r">>> |\.\.\. ?|\$ "
copybutton_prompt_is_regexp = True
copybutton_selector = "div.highlight:not(.cell_output .highlight) pre"

add_module_names = False
autosummary_generate = False
autodoc_typehints = "none"  # docstrings say what a parameter may be
autodoc_member_order = "bysource"
python_maximum_signature_line_length = 80
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = "Branchwork"
html_logo = html_favicon = "_static/logo.svg"
html_static_path = ["_static"]
html_css_files = ["branchwork.css"]
html_js_files = ["branchwork.js"]
html_copy_source = False
html_domain_indices = False  # of four modules
html_show_sourcelink = False
pygments_dark_style = "github-dark"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#00557f", "color-brand-content": "#00659a"},
    "dark_css_variables": {"color-brand-primary": "#6cc5f5", "color-brand-content": "#6cc5f5"},
}


def setup(app):
    app.connect("autodoc-process-docstring", _as_rst)
    app.connect("autodoc-process-signature", _without_fields)


def _as_rst(app, what, name, thing, options, lines):
    lines[:] = to_rst(lines)


def _without_fields(app, what, name, thing, options, signature, returns):
    """Results are read, not made: their fields stand among the parameters."""
    return ("", returns) if is_dataclass(thing) else None
