"""The risk of one file as a self-contained page."""

from __future__ import annotations

import altair as alt
from markupsafe import Markup

from discreet._version import __version__
from discreet.contracts.file_risk import FileRisk
from discreet.report.drawing import RISK, draw, of_rows
from discreet.report.page import environment

__all__ = ["render_risk", "size_chart"]


def size_chart(risk: FileRisk) -> str:
    """Return how many records are in groups of which size, as an SVG."""
    rows = [{"size": s.label, "records": s.records, "groups": s.groups} for s in risk.sizes]
    base = of_rows(rows).encode(
        x=alt.X("size:N", sort=None, title="records with the same keys", axis=alt.Axis(labelAngle=0))
    )
    bars = base.mark_bar(color=RISK).encode(y=alt.Y("records:Q", title="records"))
    counts = base.mark_text(dy=-6).encode(y="records:Q", text=alt.Text("records:Q", format=","))
    chart = (bars + counts).properties(width=560, height=200)
    told = "; ".join(f"{s.records:,} in groups of {s.label}" for s in risk.sizes if s.records)
    return draw(chart, f"Records by the size of the group that shares their keys: {told}.")


def render_risk(risk: FileRisk, title: str) -> str:
    """Return the page; `title` is the name of the file, or what else it is called."""
    template = environment().get_template("risk.html.j2")
    return template.render(risk=risk, title=title, chart=Markup(size_chart(risk)), version=__version__)  # noqa: S704
