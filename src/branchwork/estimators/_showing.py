"""Looking at a fitted tree: as text, as data, as rules, and the working of its nodes."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from branchwork.errors import ParameterError
from branchwork.estimators._fitted import FittedTree
from branchwork.grow.recipe import one_of
from branchwork.grow.replay import recount, replay
from branchwork.learn.single import without_weightless_rows
from branchwork.model.describe import to_dict
from branchwork.rules.extract import extract
from branchwork.rules.rule_list import RuleList
from branchwork.tree.ledger import Page
from branchwork.view.text import to_text
from branchwork.view.working import Style, Working, working


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

    def rules(self, *, simplify: bool = False) -> RuleList:
        """Return the tree as rules, one for each leaf; they predict what the tree predicts.

        `simplify` merges conditions on one feature on the way, as `RuleList.simplify()` does afterwards.
        """
        check_is_fitted(self)
        return extract(self.model_, simplify=simplify)

    def working(
        self,
        node: int = 0,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        style: Style = "table",
    ) -> Working:
        """Show the working of a node: every feature's best candidate, its numbers, and why it won or lost.

        With the training data handed back (X and y, and the weights if there were any) every cut of a numeric feature
        is listed too, with a test of each candidate: chi-square for classes, F for means. Trees of more than 1 000
        nodes keep no working: for them the data must be handed back. Where rows are shared among branches (C4.5,
        missing="share") candidates are those that were kept, without a test.

        `style="lecture"` writes the arithmetic out as on a blackboard, with the node's own numbers; the branches of all
        features, not only of the chosen one, if the data are handed back.

        >>> import branchwork as bw
        >>> tennis = bw.datasets.load("play_tennis")
        >>> tree = bw.ID3Classifier().fit(tennis.X, tennis.y)
        >>> lecture = tree.working(0, tennis.X, tennis.y, style="lecture").to_text()
        >>> print([line for line in lecture.splitlines() if "Gain(Outlook)" in line][0])
          Gain(Outlook) = 0.9403 − 0.6935 = 0.2467
        """
        one_of("style", style, Style)
        tree, recipe = self.tree_, self._recipe()
        if not 0 <= node < tree.n_nodes:
            raise ParameterError(f"node={node}; the tree has nodes 0 to {tree.n_nodes - 1}.")
        page = self._kept_page(node) if X is None else self._page_again(node, X, y, sample_weight)
        return working(self.model_, node, page, recipe.unit, style, data_given=X is not None)

    def _kept_page(self, node: int) -> Page | None:
        ledger = self.tree_.ledger
        if ledger is None:
            raise ParameterError(
                f"A tree of {self.tree_.n_nodes} nodes keeps no working. Hand back the training data: "
                f"working({node}, X=X, y=y)."
            )
        return ledger.page(node)

    def _page_again(self, node: int, X: Any, y: Any, sample_weight: Any) -> Page | None:
        if y is None:
            raise ParameterError("X was handed back without y; the working needs both.")
        tree, recipe = self.tree_, self._recipe()
        table, target = without_weightless_rows(self._coded(X), self._retarget(y, sample_weight))
        if recipe.search.missing != "share" or tree.ledger is None:
            return replay(tree, table, target, recipe, node)
        page = tree.ledger.page(node)
        return None if page is None else recount(page, tree, table, target, recipe)
