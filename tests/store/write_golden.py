"""Write golden model files: python tests/store/write_golden.py

One .bw and one .json of each kind of model, and what they answered on the day they were written. They must load, and
answer so, for ever: what is there is never written again.
"""

import json
import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np

import branchwork as bw
from branchwork.model.combine import Combine
from branchwork.model.ensemble import Ensemble
from branchwork.model.model import Model
from branchwork.store.about import FORMAT

from program_cases import hard_rows, model_of, random_table, table_of

FOLDER = Path(__file__).parent / "golden" / f"format-{FORMAT}"
MODELS = {
    "id3-multiway": {"seed": 1, "kind": "id3"},
    "c45-shared": {"seed": 2, "kind": "c45 unpruned"},
    "cart-surrogates": {"seed": 3, "kind": "cart"},
    "cart-regression": {"seed": 4, "kind": "cart regression"},
    "chaid-intervals": {"seed": 5, "kind": "chaid"},
    "chaid-regression": {"seed": 6, "kind": "chaid regression"},
    "stump": {"seed": 7, "kind": "stump"},
    "one-against-the-rest": {"seed": 8, "kind": "tree branch one_vs_rest"},
    "hostile-names": {"seed": 9, "kind": "tree learn subset", "hostile": True},
    "unseen-elsewhere": {"seed": 14, "kind": "tree branch subset", "unseen": True},
    "target-named": {"seed": 15, "kind": "id3", "target": "Play \ud800 </script>"},
    "mean": {"seed": 10, "kind": "mean"},
    "sum": {"seed": 11, "kind": "sum exp"},
    "sum-logistic": {"seed": 12, "kind": "sum logistic"},
    "sum-softmax": {"seed": 13, "kind": "sum softmax"},
    "vote": {"seed": 16, "kind": "vote", "made": Ensemble("forest", 7, ((10, 0.25), (12, 0.125)))},
    "weighted-vote": {"seed": 17, "kind": "weighted vote"},
    "weighted-vote-samme": {"seed": 18, "kind": "weighted vote samme", "made": Ensemble("adaboost")},
    "median": {"seed": 19, "kind": "sum", "median": True},
    "neighbours": {"seed": 20, "kind": "neighbours"},
}


def golden(
    seed: int,
    kind: str,
    *,
    hostile: bool = False,
    unseen: bool = False,
    median: bool = False,
    target: str | None = None,
    made: Ensemble | None = None,
) -> Model | bw.Neighbours:
    if kind == "neighbours":
        return neighbours(seed)
    model = replace(model_of(seed, kind=kind, hostile=hostile, rows=24), target=target, ensemble=made)
    if median:
        weights = tuple(0.5 + k for k in range(len(model.trees)))
        return replace(model, combine=Combine("median", weights=weights))
    if not unseen:
        return model
    inner = model.tree.feature >= 0  # as trees of other libraries have it
    tree = model.tree.replace(unseen_child=np.where(inner, 0, -1).astype(np.int32))
    return replace(model, trees=(tree,))


def neighbours(seed: int) -> bw.Neighbours:
    """Neighbours of every kind of cell, with weights and all settings other than the usual ones."""
    rng = np.random.default_rng(seed)
    table = random_table(rng, 24)
    y = [("no", "yes", "perhaps")[k] for k in rng.integers(0, 3, 24)]
    near = bw.NeighboursClassifier(
        3, metric="manhattan", weights="distance", power=1.5, handle_unknown="error"
    )
    return near.set_params(feature_weights=[0.5] * 4 + [1.0] * 4).fit(table, y, rng.integers(1, 3, 24)).model_


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, how in MODELS.items():
        paths = [FOLDER / f"{name}{suffix}" for suffix in (".bw", ".json", ".answers")]
        if any(path.exists() for path in paths):
            print(f"{name}: there already, left as it is")
            continue
        model = golden(**how)
        if isinstance(model, Model) and len(model.trees) > 1:  # of many trees nobody keeps the working
            model = replace(model, trees=tuple(tree.replace(ledger=None) for tree in model.trees))
        rows = hard_rows(model, 20) if isinstance(model, Model) else [model.rows.row(k) for k in range(20)]
        table = table_of(model, rows)
        bw.save(model, paths[0])
        bw.save(model, paths[1])
        answers = {
            "rows": rows,
            "predict": model.predict(table).tolist(),
            "outputs": model.outputs(table).tolist(),
        }
        paths[2].write_text(json.dumps(answers), encoding="utf-8")
        print(f"{name}: written")


if __name__ == "__main__":
    main()
