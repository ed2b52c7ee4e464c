"""What pages of the documentation can show besides text: live pages, pictures made at build time, and a gallery.

```{live} tennis                      the page live/tennis-inside.html in a frame, with a link to live/tennis.html
:title: The tree of the tennis table
:steps:                               … and a link that opens it step by step
```

```{made} optimal.svg                 a picture that live.py makes
:alt: what it shows
```

```{gallery}                          picture | title | page; a picture of docs/pictures or one that live.py makes
id3-tennis.svg | ID3 | algorithms/id3
```

```{cards}                            title | page | sentence
Ship a model | guide/export | Save a model, or export it.
```

A picture name.png that has a twin name-dark.png is shown as light or dark as the page, wherever it stands. An SVG
picture has both schemes in itself.
"""

from __future__ import annotations

import html
import shutil
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective

from live import MADE, make_all

PICTURES = Path(__file__).parent / "pictures"


def dark_twin(picture: str) -> str | None:
    """Return the name of the dark twin of a picture; None if it has none."""
    twin = Path(picture).with_name(f"{Path(picture).stem}-dark{Path(picture).suffix}")
    return twin.as_posix() if (PICTURES / twin.name).exists() else None


class DarkTwins(SphinxTransform):
    """Put the dark twin of each picture beside it; the theme shows one of them."""

    default_priority = 400

    def apply(self, **kwargs: Any) -> None:
        """Change the pictures of a page."""
        for image in list(self.document.findall(nodes.image)):
            twin = dark_twin(image["uri"])
            if twin is None:
                continue
            dark = image.deepcopy()
            dark["uri"] = twin
            dark["classes"] = [*image["classes"], "only-dark"]
            image["classes"] = [*image["classes"], "only-light"]
            place = image.parent.index(image)
            image.parent.insert(place + 1, dark)


def _raw(text: str) -> list[nodes.Node]:
    return [nodes.raw("", text, format="html")]


class _OnSite(SphinxDirective):
    """A directive that writes HTML and knows the way to the root of the site."""

    has_content = True
    final_argument_whitespace = True

    def up(self) -> str:
        return "../" * self.env.docname.count("/")


class Live(_OnSite):
    """A page of `live.py` in a frame."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {
        "title": directives.unchanged_required,
        "height": directives.positive_int,
        "at": directives.unchanged,
        "steps": directives.flag,
    }

    def run(self) -> list[nodes.Node]:
        """Return the frame and its links."""
        name = self.arguments[0]
        inside = f"{name}-inside.html" if f"{name}-inside.html" in MADE else f"{name}.html"
        if inside not in MADE:
            raise self.error(f"live.py makes no page {name!r}.")
        page = f"{self.up()}live/{name}.html"
        links = [f'<a href="{page}">Open this page in a window of its own</a>']
        if "steps" in self.options:
            links.insert(0, f'<a class="steps" href="{page}#steps">▶ Watch it grow, step by step</a>')
        title = html.escape(self.options["title"])
        return _raw(
            f'<figure class="live"><iframe src="{self.up()}live/{inside}{self.options.get("at", "")}" title="{title}" '
            f'height="{self.options.get("height", 520)}" loading="lazy"></iframe>'
            f"<figcaption>{' · '.join(links)}</figcaption></figure>"
        )


class Made(_OnSite):
    """A picture of `live.py`."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {"alt": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """Return the picture."""
        name = self.arguments[0]
        if name not in MADE:
            raise self.error(f"live.py makes no picture {name!r}.")
        return _raw(
            f'<img class="tree" src="{self.up()}live/{name}" alt="{html.escape(self.options["alt"])}">'
        )


class Gallery(_OnSite):
    """Pictures, each with a title and a link to its page."""

    def run(self) -> list[nodes.Node]:
        """Return the pictures as a list."""
        items = []
        for line in self.content:
            picture, title, page = (part.strip() for part in line.split("|"))
            if page not in self.env.found_docs:
                raise self.error(f"There is no page {page!r}.")
            if picture not in MADE and not (PICTURES / picture).exists():
                raise self.error(f"There is no picture {picture!r}.")
            shown = f'<img src="{self.up()}live/{picture}" alt="">'
            if (twin := dark_twin(picture)) is not None:
                dark = f'<img class="only-dark" src="{self.up()}live/{twin}" alt="">'
                shown = shown.replace("<img ", '<img class="only-light" ') + dark
            items.append(
                f'<li><a href="{self.up()}{page}.html">{shown}<span>{html.escape(title)}</span></a></li>'
            )
        return _raw(f'<ul class="gallery">{"".join(items)}</ul>')


class Cards(_OnSite):
    """Large links, each with a sentence."""

    def run(self) -> list[nodes.Node]:
        """Return the links as a list."""
        items = []
        for line in self.content:
            title, page, sentence = (html.escape(part.strip()) for part in line.split("|"))
            if page not in self.env.found_docs:
                raise self.error(f"There is no page {page!r}.")
            items.append(
                f'<li><a href="{self.up()}{page}.html"><b>{title}</b> <span>{sentence}</span></a></li>'
            )
        return _raw(f'<ul class="cards">{"".join(items)}</ul>')


def _finish(app: Sphinx, failed: Exception | None) -> None:
    """Put everything into the folder `live` of the built site."""
    if failed is None and app.builder.format == "html":
        make_all(Path(app.outdir) / "live")
        for path in PICTURES.iterdir():
            shutil.copy(path, Path(app.outdir) / "live")


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx what there is."""
    app.add_directive("live", Live)
    app.add_directive("made", Made)
    app.add_directive("gallery", Gallery)
    app.add_directive("cards", Cards)
    app.add_transform(DarkTwins)
    app.connect("build-finished", _finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
