"""What the script of the documentation adds for keyboards and screen readers, on a page as the theme writes it."""

from pathlib import Path

from axe_playwright_python.sync_playwright import Axe

SCRIPT = Path(__file__).parents[2] / "docs" / "_static" / "branchwork.js"
PAGE = """<!doctype html><html lang="en"><head><title>A page</title><script>{script}</script></head><body>
<aside class="sidebar-drawer"><p class="caption" role="heading"><span>Start</span></p></aside>
<main><h1>A page</h1>
<div class="highlight"><pre style="overflow: auto">{wide}</pre></div><div class="highlight"><pre>short</pre></div>
<dl class="py"><dt class="sig">f(<dl><dd><em>a</em>,</dd><dd><em>b</em></dd></dl>)</dt><dd>It does.</dd></dl></main>
<aside class="toc-drawer"><p>On this page</p></aside></body></html>"""


def test_axe_finds_nothing_in_what_the_theme_writes(usual_page):
    usual_page.goto("about:blank")
    page = PAGE.format(script=SCRIPT.read_text(encoding="utf-8"), wide="wide " * 200)
    usual_page.set_content(page)
    assert [one["id"] for one in Axe().run(usual_page).response["violations"]] == []
    stops = usual_page.locator("pre").evaluate_all("(all) => all.map((one) => one.getAttribute('tabindex'))")
    assert stops == ["0", None]
    assert usual_page.locator("dt.sig").inner_text().split() == ["f(", "a,", "b", ")"]
    usual_page.set_content(PAGE.format(script="", wide="wide " * 200))
    found = {one["id"] for one in Axe().run(usual_page).response["violations"]}
    assert {"aria-required-attr", "landmark-unique", "definition-list"} <= found
