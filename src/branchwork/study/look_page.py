"""Write a look as one HTML page: findings, the target, a picture of every feature against it, and tables of numbers."""

from __future__ import annotations

import html
from collections.abc import Sequence

from branchwork.study.look_finding import Finding
from branchwork.study.look_result import Feature, Look, TargetLook
from branchwork.study.look_text import counted, headline, signed, values_text
from branchwork.tree.split import category, harmless, rounded
from branchwork.view.chart import number
from branchwork.view.digits import chance, percent, shortened
from branchwork.view.feature_chart import Bars, described, feature_chart
from branchwork.view.overview import frame, page
from branchwork.view.style import style_sheet

MOST_PICTURES = 150
"""The largest number of features that are drawn: those that tell most about the target."""
MOST_LINES = 1_000
"""The largest number of features that the table lists."""
MOST_PAIRS = 40
MOST_CLASSES = 20
LONGEST_NAME = 60
LONGEST_FIX = 240


def look_page(seen: Look, title: str) -> str:
    """Return a look as a self-contained page."""
    sections = [
        f"<style>{style_sheet('auto', () if seen.key is None else seen.key.plain)}</style>",
        '<div class="look">',
        _head(seen, title),
        _figures(seen),
        _findings(seen.findings),
        *_target(seen),
        _features(seen),
        *_pairs(seen),
        _table(seen),
        "</div>",
    ]
    return page(title, sections, more_style=["look.css"])


def look_frame(seen: Look) -> str:
    """Return the page in a frame that a notebook can show."""
    title = "A first look"
    return frame(title, look_page(seen, title), text=str(seen))


def _text(text: str, most: int = 400) -> str:
    return html.escape(shortened(harmless(text), most))


def _head(seen: Look, title: str) -> str:
    return f"<h1>{_text(title)}</h1>\n<p>{_text(headline(seen))}.</p>"


def _figures(seen: Look) -> str:
    missing = sum(one.summary.missing for one in seen.features)
    cells = seen.n_rows * len(seen.features)
    numeric = sum(one.summary.kind == "numeric" for one in seen.features)
    figures = [
        ("rows", number(seen.n_rows)),
        ("numeric features", str(numeric)),
        ("nominal features", str(len(seen.features) - numeric)),
        ("cells missing", percent(missing / cells)),
        ("findings", str(len(seen.findings))),
    ]
    items = "".join(f"<li><b>{_text(value)}</b><span>{_text(name)}</span></li>" for name, value in figures)
    return f'<ul class="figures">{items}</ul>'


def _findings(findings: Sequence[Finding]) -> str:
    if not findings:
        return '<h2>Findings</h2>\n<p class="none">Nothing odd was found.</p>'
    items = "\n".join(
        f"<li><b>{_text(one.title[0].upper() + one.title[1:])}</b><span>{_text(one.message)}</span>"
        f"<code>{_text(str(one.fix), LONGEST_FIX)}</code></li>"
        for one in findings
    )
    call = "<code>bw.study.clean(X, y, fixes=[…])</code>"
    note = (
        f"Each has a fix by name: {call} applies it, and does the same to new rows. "
        "Fixes that are only proposed are never applied unless you ask for them."
    )
    return f'<h2>Findings</h2>\n<p>{note}</p>\n<ul class="findings">\n{items}\n</ul>'


def _target(seen: Look) -> list[str]:
    target = seen.target_look
    if target is None:
        return []
    if target.classes is not None:
        return [f"<h2>The target: {_text(target.name, LONGEST_NAME)}</h2>", _balance(target)]
    one = target.summary
    assert one is not None
    figures = [
        ("smallest", one.minimum),
        ("first quartile", one.quartile1),
        ("median", one.median),
        ("mean", one.mean),
        ("third quartile", one.quartile3),
        ("largest", one.maximum),
        ("standard deviation", one.deviation),
    ]
    items = "".join(
        f"<li><b>{_text(rounded(value))}</b><span>{name}</span></li>"
        for name, value in figures
        if value is not None
    )
    return [f"<h2>The target: {_text(target.name, LONGEST_NAME)}</h2>", f'<ul class="figures">{items}</ul>']


def _balance(target: TargetLook) -> str:
    assert target.classes is not None
    shown = sorted(target.classes, key=lambda one: -one[1])[:MOST_CLASSES]
    names = tuple(f"{harmless(category(label))}: {number(count)}" for label, count in shown)
    counts = tuple((count,) for _, count in shown)
    left = sum(count for _, count in target.classes) - sum(count for _, count in shown)
    if left:
        names, counts = (
            (*names, f"{len(target.classes) - len(shown)} others: {number(left)}"),
            (*counts, (left,)),
        )
    title = f"Rows of each of {len(target.classes)} classes"
    picture = feature_chart(Bars(names, counts, fill="fo"), None, title=title, theme="auto", styled=False)
    return f'<div class="balance">{picture}</div>'


def _features(seen: Look) -> str:
    ranked = seen.ranked()
    shown = ranked[:MOST_PICTURES]
    odd = {one.column for one in seen.findings}
    cards = "\n".join(_card(seen, one, one.name in odd) for one in shown)
    title = "The features" if seen.target is None else "The features against the target"
    if len(shown) < len(ranked):
        title += f", the first {len(shown)} of {len(ranked)}"
    return f'<h2>{title}</h2>\n<p>{_how_to_read(seen)}</p>\n{_key(seen)}\n<div class="features">\n{cards}\n</div>'


def _how_to_read(seen: Look) -> str:
    if seen.target is None:
        return "Features with a coloured frame have a finding."
    told = (
        "Those come first that tell most about the target, in bits beyond what chance gives; "
        "identifiers come last. A coloured frame means that there is a finding. "
    )
    if seen.key is None:
        return told + "Boxes hold the middle half of the target's numbers, the mark is their median."
    return told + "Columns and grey bars count rows; the strips have the share of each class."


def _key(seen: Look) -> str:
    if seen.key is None:
        return ""
    items = "".join(
        f'<li><svg class="branchwork-auto" viewBox="0 0 12 12" aria-hidden="true"><rect class="{seen.key.fill(entry)}" '
        f'width="12" height="12" rx="2"/></svg>{_text(name, LONGEST_NAME)}</li>'
        for entry, name in enumerate(seen.key.names)
    )
    return f'<ul class="key">{items}</ul>'


def _card(seen: Look, one: Feature, odd: bool) -> str:
    name = one.name
    picture = feature_chart(
        one.picture,
        seen.key,
        title=described(one.picture, shortened(name, LONGEST_NAME)),
        theme="auto",
        styled=False,
    )
    found = one.association
    bits = (
        ""
        if found is None
        else f"<span>{found.mutual_information:.3f} bits, {found.corrected_information:.3f} beyond chance</span>"
    )
    missing = one.summary.missing
    facts = [values_text(one)]
    if missing:
        facts.append(f"{percent(missing / seen.n_rows)} missing")
    return (
        f"<article{' class=odd' * odd}><h3>{_text(name, LONGEST_NAME)}{bits}</h3><p>{_text('; '.join(facts))}</p>"
        f"{picture}</article>"
    )


def _pairs(seen: Look) -> list[str]:
    if not seen.redundancy:
        return []
    rows = [
        (
            one.one,
            one.other,
            f"{percent(one.strength)} of their information is shared"
            if one.spearman is None
            else f"correlation of ranks {one.spearman:.3f}",
        )
        for one in seen.redundancy[:MOST_PAIRS]
    ]
    left = len(seen.redundancy) - len(rows)
    more = f"<p>… and {counted(left, 'more pair')}.</p>" if left else ""
    body = "".join(
        f'<tr><th scope="row">{_text(a, LONGEST_NAME)}</th><th scope="row">{_text(b, LONGEST_NAME)}</th>'
        f"<td>{_text(how)}</td></tr>"
        for a, b, how in rows
    )
    head = "<thead><tr><th>feature</th><th>feature</th><th>how strongly</th></tr></thead>"
    return [
        "<h2>Features that depend on each other</h2>",
        f'<div class="scroll"><table>{head}<tbody>{body}</tbody></table></div>{more}',
    ]


def _table(seen: Look) -> str:
    """List all numbers about the features."""
    ranked = seen.ranked()[:MOST_LINES]
    numeric_target = seen.target_look is not None and seen.target_look.classes is None
    permuted = any(one.association and one.association.permutation_p is not None for one in ranked)
    header = ["missing", "distinct", "mean", "deviation"]
    if seen.target is not None:
        header += [
            "bits",
            "beyond chance",
            "share",
            "p value",
            *(["permuted p"] if permuted else []),
            "ratio",
        ]
    if numeric_target:
        header += ["Pearson", "Spearman"]
    rows = "".join(_line(seen, one, permuted, numeric_target) for one in ranked)
    head = "".join(f'<th class="number">{name}</th>' for name in header)
    note = (
        "<p>Bits: mutual information with the target. Share: of the uncertainty about the target that it removes. "
        "P value: of the G test. Ratio: the correlation ratio.</p>"
        if seen.target is not None
        else ""
    )
    return (
        f'<h2>All numbers</h2>\n{note}<div class="scroll"><table><thead><tr><th>feature</th><th>values</th>{head}</tr>'
        f"</thead><tbody>{rows}</tbody></table></div>"
    )


def _line(seen: Look, one: Feature, permuted: bool, numeric_target: bool) -> str:
    summary, found = one.summary, one.association
    cells = [
        percent(summary.missing / seen.n_rows) if summary.missing else "",
        number(summary.distinct),
        "" if summary.mean is None else rounded(summary.mean, 5),
        "" if summary.deviation is None else rounded(summary.deviation, 5),
    ]
    if found is not None:
        cells += [
            f"{found.mutual_information:.4f}",
            f"{found.corrected_information:.4f}",
            percent(found.share),
            chance(found.p_value),
        ]
        if permuted:
            cells.append("" if found.permutation_p is None else f"{found.permutation_p:.3g}")
        cells.append(signed(found.correlation_ratio))
    if found is not None and numeric_target:
        cells += [signed(found.pearson), signed(found.spearman)]
    numbers = "".join(f'<td class="number">{_text(cell)}</td>' for cell in cells)
    name = _text(one.name, LONGEST_NAME)
    return f'<tr><th scope="row">{name}</th><td class="words">{_text(values_text(one))}</td>{numbers}</tr>'
