"""The page as a widget of a notebook: the same module, and the selected node in Python."""

from __future__ import annotations

from functools import cache
from typing import Any

from branchwork.errors import MissingExtraError
from branchwork.model.model import Model
from branchwork.table.table import Table
from branchwork.table.target import Target
from branchwork.tree.split import harmless
from branchwork.view.html import script, style
from branchwork.view.model_view import picture_html
from branchwork.view.page import to_data
from branchwork.view.page_working import Pages
from branchwork.webpage.parts import safe_json


def to_widget(
    model: Model,
    *,
    unit: str,
    title: str,
    data: tuple[Table, Target] | None = None,
    pages: Pages | None = None,
) -> Any:
    """Return a model's tree as a widget; `selected` is the node that is selected, and may be set.

    `data` and `pages` are rows to show histograms of, and workings that were computed from them, as in `to_data`.
    """
    sent = safe_json(to_data(model, unit=unit, data=data, pages=pages))
    picture = picture_html(model)
    return _widget_class()(data=sent, title=harmless(title), n_nodes=model.tree.n_nodes, picture=picture)


@cache
def _widget_class() -> type:
    try:
        import anywidget
        import traitlets
    except ImportError:
        raise MissingExtraError("A widget", "anywidget", extra="notebook") from None

    class TreeWidget(anywidget.AnyWidget):
        """A tree to look at; `selected` follows the reader, and the reader follows it."""

        _esm = script()
        _css = style()
        data = traitlets.Unicode().tag(sync=True)  # ASCII: not every name can be sent as it is
        title = traitlets.Unicode().tag(sync=True)
        selected = traitlets.Int(0).tag(sync=True)
        n_nodes = traitlets.Int(1)
        picture = (
            traitlets.Unicode()
        )  # what is left in a notebook that is exported without the widget's state

        def _repr_mimebundle_(self, **kwargs: Any) -> Any:
            """Leave a picture beside the widget: it is shown where no widget can be."""
            found: Any = super()._repr_mimebundle_(**kwargs)
            bundle, *rest = found if isinstance(found, tuple) else (found,)
            bundle = {**bundle, "text/html": self.picture}
            return (bundle, *rest) if rest else bundle

        @traitlets.validate("selected")
        def _is_a_node(self, proposal: Any) -> Any:
            if 0 <= proposal["value"] < self.n_nodes:
                return proposal["value"]
            raise traitlets.TraitError(
                f"selected={proposal['value']}; the tree has nodes 0 to {self.n_nodes - 1}."
            )

    return TreeWidget
