"""Make the pictures of the pages on algorithms: python docs/make_pictures.py"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import branchwork as bw
from branchwork.files import save_text

PICTURES: dict[str, tuple[str, Any]] = {
    "id3-tennis": ("play_tennis", bw.ID3Classifier()),
    "id3-vegetation": ("vegetation", bw.ID3Classifier()),
    "id3-bikes": ("bike_rentals", bw.ID3Regressor()),
    "stump-food": ("food_journal", bw.StumpClassifier()),
    "c45-tennis": ("play_tennis", bw.C45Classifier()),
    "cart-tennis": ("play_tennis", bw.CARTClassifier()),
    "cart-bikes": ("bike_rentals", bw.CARTRegressor(max_depth=2)),
    "chaid-restaurant": ("restaurant", bw.CHAIDClassifier()),
    "trees-tennis": (
        "play_tennis",
        bw.TreeClassifier(criterion="entropy", nominal="one_vs_rest", max_leaf_nodes=3),
    ),
}
"""Name of the picture → bundled table, estimator."""


def picture(name: str) -> str:
    """The picture as SVG; it follows the reader's choice of light and dark."""
    table, estimator = PICTURES[name]
    data = bw.datasets.load(table)
    return str(estimator.fit(data.X, data.y).to_svg(theme="auto"))


if __name__ == "__main__":
    folder = Path(__file__).parent / "pictures"
    folder.mkdir(exist_ok=True)
    for name in PICTURES:
        save_text(folder / f"{name}.svg", picture(name))
