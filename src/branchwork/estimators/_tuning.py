"""`tune`: a fitted copy whose settings were chosen by cross-validation."""

from __future__ import annotations

from typing import Any, Self

from branchwork.estimators._copying import Copies
from branchwork.measure.losses import LossName
from branchwork.study.tuning import tuned
from branchwork.study.tuning_result import Choose, Tuning


class Tunes(Copies):
    """An estimator whose settings can be chosen by cross-validation."""

    n_jobs: int | None
    tuning_: Tuning

    def tune(
        self,
        X: Any,
        y: Any,
        *,
        grid: Any = None,
        sample_weight: Any = None,
        folds: Any = 5,
        groups: Any = None,
        loss: LossName | None = None,
        choose: Choose = "1se",
        nested: bool = True,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> Self:
        """Return a fitted copy with the settings that cross-validation chooses; `tuning_` has what was tried.

        By default trees try depths, leaf sizes and pruning strengths, forests depths and leaf sizes, optimal trees
        depths and penalties of a leaf, and C4.5 confidences and leaf sizes. One tree answers all depths and pruning
        strengths, one forest or one search all depths, and the table is sorted once.

        Parameters
        ----------
        X, y : the rows, in any container.
        grid : values of settings by name, as in {"max_depth": [2, 4, None], "ccp_alpha": [0, 0.01]}; None: the usual
            ones. "ccp_alpha" prunes a single tree by cost and complexity after growth.
        sample_weight : one per row: the estimator learns with them, and errors count by them.
        folds : a number of folds, dealt out without random numbers, or the fold of each row.
        groups : the group of each row, such as the patient it is about: whole groups are dealt out.
        loss : how predicted numbers are judged: by "squared_error", or by "poisson", the mean Poisson deviance, in
            which a rate below a thousandth of the mean counts as that. None: as the estimator's criterion says.
        choose : "1se": the fewest leaves within one standard error of the least error; "min": the least error.
        nested : estimate the error of the whole procedure, choice included, by folds that had no part in the choice?
        n_jobs : number of threads; None: the estimator's own. No digit depends on it.
        verbose : show a progress bar.

        >>> import branchwork as bw
        >>> X, y = bw.study.CheckerboardSampler(flip=0.1)(600, seed=0)
        >>> tree = bw.TreeClassifier().tune(X, y)
        >>> tree.get_n_leaves(), tree.tuning_.chosen["max_depth"]
        (10, 6)
        >>> round(tree.tuning_.nested_error, 3), round(tree.tuning_.baseline.error, 3)
        (0.16, 0.47)
        """
        jobs = self.n_jobs if n_jobs is None else n_jobs
        est, found = tuned(
            self,
            X,
            y,
            grid=grid,
            sample_weight=sample_weight,
            folds=folds,
            groups=groups,
            loss=loss,
            choose=choose,
            nested=nested,
            n_jobs=jobs,
            verbose=verbose,
        )
        est.tuning_ = found
        fitted: Self = est
        return fitted
