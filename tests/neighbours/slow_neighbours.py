"""Nearest neighbours written down a second time, cell by cell and row by row, with nothing shared with the package.

Sample weights are copies: a row of weight 3 stands three times in the list of neighbours.
"""

import math


def distance(a, b, columns, metric, stretch):
    """`columns` has, for each feature, None for categories or (lowest, highest) for numbers."""
    total = 0.0
    for x, y, span, factor in zip(a, b, columns, stretch, strict=True):
        if factor == 0:
            continue
        width = 1.0 if span is None or metric in ("mixed", "hamming") else span[1] - span[0]
        if x is None or y is None:
            gap = width
        elif span is None or metric == "hamming":
            gap = float(x != y)
        elif metric == "mixed":
            gap = abs(x - y) / (span[1] - span[0]) if span[1] > span[0] else 0.0
        else:
            gap = abs(x - y)
        gap *= factor
        total += gap * gap if metric in ("mixed", "euclidean") else gap
    return math.sqrt(total) if metric in ("mixed", "euclidean") else total


def spans(rows, nominal):
    found = []
    for j in range(len(rows[0])):
        cells = [row[j] for row in rows if row[j] is not None]
        found.append(None if nominal[j] else (min(cells), max(cells)) if cells else (0.0, 0.0))
    return found


def nearest(rows, query, columns, metric, stretch, k, copies, leave_out=None):
    """Return (distance, row) of the k nearest copies; distances within 1e-12 are equal, and then the earlier row."""
    every = sorted(
        (distance(query, row, columns, metric, stretch), at)
        for at, row in enumerate(rows)
        if at != leave_out and copies[at]
    )
    groups, last = [], None
    for d, at in every:
        if last is None or d > last * (1 + 1e-12):
            groups.append([])
        groups[-1].append((at, d))
        last = d
    listed = [(d, at) for group in groups for at, d in sorted(group) for _ in range(copies[at])]
    return listed[:k]


def answer(found, y, weights, power):
    """Return {label: share} for text, or a number."""
    exact = any(d == 0 for d, _ in found)
    if weights == "uniform":
        votes = [1.0 for _ in found]
    elif exact:
        votes = [float(d == 0) for d, _ in found]
    else:
        votes = [1 / d**power for d, _ in found]
    if isinstance(y[0], str):
        shares = dict.fromkeys(sorted(set(y)), 0.0)
        for vote, (_, at) in zip(votes, found, strict=True):
            shares[y[at]] += vote / sum(votes)
        return shares
    return sum(vote * y[at] for vote, (_, at) in zip(votes, found, strict=True)) / sum(votes)


def winner(shares):
    most = max(shares.values())
    return next(label for label, share in shares.items() if share >= most - 1e-12)
