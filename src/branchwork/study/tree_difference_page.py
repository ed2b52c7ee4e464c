"""Write two trees as one page: what differs, place by place, both trees side by side, and the rows they disagree on."""

from __future__ import annotations

from branchwork.study.report_words import interval, said
from branchwork.study.tree_difference import Disagreement, TreeDifference
from branchwork.study.tree_difference_text import mark
from branchwork.study.tree_pairs import Pair
from branchwork.view.beside_tree import MOST_NODES, page_of_two_trees
from branchwork.view.digits import chance, percent, shortened
from branchwork.view.overview import figures, frame, page, text

MOST_LINES = 300
MOST_LEAVES = 40
DEEPEST_INDENT = 20
STYLES = ("report.css",)


def difference_page(found: TreeDifference, title: str) -> str:
    """Return a self-contained page."""
    sections = [
        '<div class="report">',
        _head(found, title),
        *_trees(found),
        _places(found),
        *_rows(found),
        "</div>",
    ]
    if not _has_trees(found):
        return page(title, sections, more_style=STYLES)
    return page_of_two_trees(title, sections, found.a, found.b, more_style=STYLES)


def difference_frame(found: TreeDifference) -> str:
    """Return the page in a frame that a notebook can show."""
    title = "Two trees compared"
    return frame(title, difference_page(found, title), text=str(found), scripts=_has_trees(found))


def _has_trees(found: TreeDifference) -> bool:
    return max(found.a.tree.n_nodes, found.b.tree.n_nodes) <= MOST_NODES


def _head(found: TreeDifference, title: str) -> str:
    count = len(found.differences)
    boxes = [
        ("leaves of A", str(found.a.tree.n_leaves)),
        ("leaves of B", str(found.b.tree.n_leaves)),
        ("places that differ", f"{count} of {len(found.pairs)}"),
    ]
    if found.disagreement is not None:
        boxes.append(("rows with different answers", percent(found.disagreement.share.value)))
    about = (
        "Both trees ask the same questions and give the same answers."
        if found.is_same
        else "Nodes are compared at the same place below the root. Click a line to see it in both trees."
    )
    return f"<h1>{text(title)}</h1><p>{about}</p>{figures(boxes)}"


def _trees(found: TreeDifference) -> list[str]:
    if not _has_trees(found):
        return [f"<p>One of the trees has more than {MOST_NODES} nodes, so they are not drawn here.</p>"]
    return ['<h2>The trees</h2><div class="two"><div id="tree-a"></div><div id="tree-b"></div></div>']


def _places(found: TreeDifference) -> str:
    shown = found.shown_pairs()
    body = "".join(_line(found, pair, equal) for pair, equal in shown[:MOST_LINES])
    left = len(shown) - MOST_LINES
    more = f"<p>… and {left} more places.</p>" if left > 0 else ""
    head = "".join(f'<th scope="col">{name}</th>' for name in ("place", "tree A", "tree B", "what differs"))
    return (
        f'<h2>Place by place</h2><div class="scroll" tabindex="0" role="group" aria-label="Place by place"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>{more}"
    )


def _line(found: TreeDifference, pair: Pair, equal: int) -> str:
    condition = text(shortened(pair.condition, 80))
    style = f'class="place" style="--depth: {min(pair.depth, DEEPEST_INDENT)}"'
    place = f"<span {style}>{condition}</span>"
    if _has_trees(found):
        link = f'<button type="button" class="link" data-a="{pair.a}" data-b="{pair.b}">{condition}</button>'
        place = f"<span {style}>{link}</span>"
    what = (f"{equal} nodes alike below" if equal else "") if pair.kind == "same" else mark(pair)
    differs = "" if pair.kind == "same" else ' class="differs"'
    cells = "".join(
        f'<td class="words">{text(shortened(part, 120))}</td>' for part in (pair.a_text, pair.b_text, what)
    )
    return f'<tr{differs}><th scope="row">{place}</th>{cells}</tr>'


def _rows(found: TreeDifference) -> list[str]:
    one = found.disagreement
    if one is None:
        return []
    about = (
        f"{len(one.rows)} of {one.n_rows} rows get different answers ({percent(one.share.value)}, interval "
        f"{interval(one.share)})."
    )
    if one.a_right is not None:
        p = "" if one.p_value is None else f" The chance of this by luck: p {chance(one.p_value)} (McNemar)."
        right = "only A is right" if one.mean_difference is None else "A is nearer"
        other = "only B" if one.mean_difference is None else "B"
        about += f" Of these, {right} for {one.a_right} and {other} for {one.b_right}.{p}"
    return [f"<h2>Rows with different answers</h2><p>{text(about)}</p>", _leaves(found, one)]


def _leaves(found: TreeDifference, one: Disagreement) -> str:
    if not one.leaves:
        return ""
    lines = []
    for pair in one.leaves[:MOST_LEAVES]:
        name = f"{pair.a} and {pair.b}"
        if _has_trees(found):
            name = f'<button type="button" class="link" data-a="{pair.a}" data-b="{pair.b}">{name}</button>'
        lines.append(
            f'<tr><th scope="row">{name}</th><td class="words">{text(said(pair.a_answer))}</td>'
            f'<td class="words">{text(said(pair.b_answer))}</td><td class="number">{pair.n_rows}</td></tr>'
        )
    head = '<th scope="col">leaves of A and B</th><th scope="col">A says</th><th scope="col">B says</th>'
    left = len(one.leaves) - MOST_LEAVES
    more = f"<p>… and {left} more pairs of leaves.</p>" if left > 0 else ""
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="Leaves"><table><thead><tr>{head}'
        f'<th scope="col" class="number">rows</th></tr></thead><tbody>{"".join(lines)}</tbody></table></div>{more}'
    )
