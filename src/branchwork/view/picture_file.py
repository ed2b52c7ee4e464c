"""A matplotlib figure as the bytes of a file: PNG or PDF."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PictureFormat = Literal["png", "pdf"]

DOTS_PER_INCH = 150.0
LONGEST_SIDE, MOST_DOTS = 30_000, 100_000_000
"""A larger picture would have more dots than viewers open; it is made with fewer dots per inch."""


def picture_bytes(figure: Figure, form: PictureFormat) -> bytes:
    """Return a figure as a file, and close it. The same figure gives the same bytes: no date is written."""
    import matplotlib.pyplot as plt

    width, height = figure.get_size_inches()
    dots = min(DOTS_PER_INCH, LONGEST_SIDE / max(width, height), math.sqrt(MOST_DOTS / (width * height)))
    file = io.BytesIO()
    metadata = {"CreationDate": None} if form == "pdf" else None
    figure.savefig(file, format=form, dpi=dots, metadata=metadata)
    plt.close(figure)
    return file.getvalue()
