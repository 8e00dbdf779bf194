"""The papers' tables as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterator

import jinja2
from markupsafe import Markup

from discreet._version import __version__
from discreet.reproduction.papers_figures import draw
from discreet.reproduction.printed import SAID, Cell, Figure, PaperComparison

__all__ = ["render_papers"]


def render_papers(comparison: PaperComparison) -> str:
    """Return the page: every table in its printed layout, every figure redrawn, nothing loaded from elsewhere."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("discreet.reproduction"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"drawn": _svg, "hint": _hint}
    template = environment.get_template("papers.html.j2")
    return template.render(comparison=comparison, version=__version__, said=SAID)


def _hint(cell: Cell) -> str:
    return ". ".join(part for part in (_facts(cell), cell.reason, cell.note) if part)


def _facts(cell: Cell) -> str:
    return ", ".join(_numbers(cell))


def _numbers(cell: Cell) -> Iterator[str]:
    yield SAID[cell.verdict]
    if cell.difference is not None and cell.printed:
        yield f"difference {cell.difference:+.4g}"
    if cell.z is not None:
        yield f"z {cell.z:+.2f}"


def _svg(figure: Figure) -> Markup:
    return Markup(draw(figure))  # noqa: S704 - our own SVG, its texts escaped where they are drawn
