"""Looking at a fitted tree: as text, as a picture, as data, as rules, and the working of its nodes."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from branchwork.errors import ParameterError
from branchwork.estimators._fitted import FittedTree
from branchwork.grow.replay import replay
from branchwork.learn.single import without_weightless_rows
from branchwork.model.describe import to_dict
from branchwork.rules.extract import extract
from branchwork.rules.rule_list import RuleList
from branchwork.view.dot import to_dot
from branchwork.view.palette import ThemeName
from branchwork.view.pieces import Svg
from branchwork.view.svg import to_svg
from branchwork.view.text import to_text
from branchwork.view.why import Why, why
from branchwork.view.working import Working, working


class Shows(FittedTree):
    """How a single tree is looked at."""

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as a nested plain dictionary."""
        check_is_fitted(self)
        return to_dict(self.model_)

    def to_text(self, *, max_depth: int | None = None, color: bool | None = None) -> str:
        """Return the tree as text, one line a node."""
        check_is_fitted(self)
        return to_text(self.model_, max_depth=max_depth, color=color)

    def to_svg(
        self,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        max_depth: int | None = None,
        theme: ThemeName = "light",
        highlight: int | None = None,
    ) -> Svg:
        """Draw the tree: an SVG picture as text, which needs nothing but a browser. A notebook shows it.

        Parameters
        ----------
        X, y, sample_weight : rows, perhaps those of training: each node then has a histogram of the column it asks
            for, or of a numeric target.
        max_depth : draw nodes down to this depth. None: as deep as about 200 nodes allow; a line says what is left out.
        theme : "light", "dark", or "auto": what the reader's system asks for.
        highlight : a node; the way to it is drawn strong. `apply` tells the leaf of a row.

        >>> import branchwork as bw
        >>> tennis = bw.datasets.load("play_tennis")
        >>> picture = bw.ID3Classifier().fit(tennis.X, tennis.y).to_svg()
        >>> picture[:4], ">Outlook<" in picture
        ('<svg', True)
        """
        check_is_fitted(self)
        if (X is None) != (y is None):
            raise ParameterError("A picture with histograms needs X and y, both.")
        data = None if X is None else (self._coded(X), self._retarget(y, sample_weight))
        return to_svg(self.model_, max_depth=max_depth, theme=theme, highlight=highlight, data=data)

    def to_dot(self, *, max_depth: int | None = None) -> str:
        """Return the tree in the language of Graphviz; a dashed edge is one that missing values take."""
        check_is_fitted(self)
        return to_dot(self.model_, max_depth=max_depth)

    def why(self, row: Any, *, want: Any = None) -> Why:
        """Explain the answer for one row: the way to it, the splits that nearly won, and the nearest other answer.

        Parameters
        ----------
        row : a mapping of column to value, values in column order, a pandas Series, or a table with one row.
        want : the answer that a change should lead to: a label, or (lowest, highest) of a number; None: any other one.

        >>> import branchwork as bw
        >>> tennis = bw.datasets.load("play_tennis")
        >>> tree = bw.ID3Classifier().fit(tennis.X, tennis.y)
        >>> found = tree.why({"Outlook": "Rain", "Temperature": "Mild", "Humidity": "High", "Wind": "Weak"})
        >>> found.prediction, found.to_dict()["counterfactual"]["row"]["Wind"]
        ('Yes', 'Strong')
        """
        check_is_fitted(self)
        return why(self.model_, row, want=want)

    def rules(self, *, simplify: bool = False) -> RuleList:
        """Return the tree as rules, one for each leaf; they predict what the tree predicts.

        `simplify` merges conditions on one feature on the way, as `RuleList.simplify()` does afterwards.
        """
        check_is_fitted(self)
        return extract(self.model_, simplify=simplify)

    def working(self, node: int = 0, X: Any = None, y: Any = None, sample_weight: Any = None) -> Working:
        """Show the working of a node: every feature's best candidate, its numbers, and why it won or lost.

        With the training data handed back (X and y, and the weights if there were any) every cut of a numeric feature
        is listed too, with a chi-square test of each candidate. Trees of more than 1 000 nodes keep no working: for
        them the data must be handed back. Where rows are shared among branches (C4.5, missing="share") there is what
        was kept, and nothing can be made again.
        """
        tree, recipe = self.tree_, self._recipe()
        if not 0 <= node < tree.n_nodes:
            raise ParameterError(f"node={node}; the tree has nodes 0 to {tree.n_nodes - 1}.")
        if X is not None:
            if y is None:
                raise ParameterError("X was handed back without y; the working needs both.")
            table, target = without_weightless_rows(self._coded(X), self._retarget(y, sample_weight))
            shared = recipe.search.missing == "share" and tree.ledger is not None
            page = (
                tree.ledger.page(node)
                if shared and tree.ledger
                else replay(tree, table, target, recipe, node)
            )
        elif tree.ledger is not None:
            page = tree.ledger.page(node)
        else:
            raise ParameterError(
                f"A tree of {tree.n_nodes} nodes keeps no working. Hand back the training data: "
                f"working({node}, X=X, y=y)."
            )
        return working(self.model_, node, page, recipe.unit)
