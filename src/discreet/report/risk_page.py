"""The risk of one file as a self-contained page."""

from __future__ import annotations

from markupsafe import Markup

from discreet._version import __version__
from discreet.contracts.file_risk import FileRisk
from discreet.drawing import RISK, Canvas, Plot, nice_limit, told
from discreet.report.page import environment

__all__ = ["render_risk", "size_chart"]


def size_chart(risk: FileRisk) -> str:
    """Return how many records are in groups of which size, as an SVG."""
    canvas = Canvas(70 + 560 + 10, 24 + 200 + 44)
    plot = Plot(canvas, 70, 24, 560, 200)
    y = plot.upwards(0, nice_limit(max((s.records for s in risk.sizes), default=0) or 1))
    plot.left_axis(y, "records")
    step = plot.width / max(len(risk.sizes), 1)
    for place, size in enumerate(risk.sizes):
        middle = plot.left + step * (place + 0.5)
        words = told({"records with the same keys": size.label, "records": size.records, "groups": size.groups})
        canvas.rect(middle - step * 0.45, y(size.records), step * 0.9, y(0) - y(size.records), RISK, words)
        canvas.text(middle, y(size.records) - 6, f"{size.records:,}", "middle", 11)
        canvas.text(middle, y(0) + 17, size.label, "middle", 11)
    canvas.text(plot.left + plot.width / 2, y(0) + 36, "records with the same keys", "middle")
    sizes = "; ".join(f"{s.records:,} in groups of {s.label}" for s in risk.sizes if s.records)
    return canvas.svg(f"Records by the size of the group that shares their keys: {sizes}.")


def render_risk(risk: FileRisk, title: str) -> str:
    """Return the page; `title` is the name of the file, or what else it is called."""
    template = environment().get_template("risk.html.j2")
    return template.render(risk=risk, title=title, chart=Markup(size_chart(risk)), version=__version__)  # noqa: S704
