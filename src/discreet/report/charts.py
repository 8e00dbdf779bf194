"""Charts as SVG, made offline."""

from __future__ import annotations

import html
import re
from typing import Any

import altair as alt
import vl_convert

from discreet.results import Assessment, Distribution

__all__ = ["distribution_chart", "loss_chart", "risk_chart"]

_BEFORE, _AFTER, _RISK, _CHANCE = "#5b6770", "#0b6e4f", "#b3341f", "#8a929a"


def risk_chart(assessment: Assessment) -> str:
    """Return the risks as bars, each with the level that guessing reaches as a tick."""
    rows = [
        {
            "measure": m.title,
            "value": m.value,
            "chance": m.details.get("chance_percent"),
            "low": m.details.get("interval_percent", [m.value, m.value])[0],
            "high": m.details.get("interval_percent", [m.value, m.value])[1],
        }
        for m in assessment.of_kind("risk")
    ]
    base = _chart(rows).encode(y=alt.Y("measure:N", title=None, axis=alt.Axis(labelLimit=320)))
    bars = base.mark_bar(color=_RISK, height=18).encode(
        x=alt.X("value:Q", title="risk (%)", scale=alt.Scale(domain=[0, 100]))
    )
    interval = base.mark_rule(color="#1b1f23", strokeWidth=2).encode(x="low:Q", x2="high:Q")
    chance = base.mark_tick(color=_CHANCE, thickness=3, height=26).encode(x="chance:Q")
    text = "Risk in percent of records, with the 95 % interval (line) and the level of guessing (grey tick)."
    return _svg(bars + interval + chance, text)


def loss_chart(assessment: Assessment) -> str:
    """Return the largest loss of the score that has a value for each attribute, as bars."""
    shown = [m for m in assessment.of_kind("loss") if m.per_attribute and m.name in assessment.score.ingredients]
    if not shown:
        return ""
    m = max(shown, key=lambda candidate: candidate.value)
    rows = [{"attribute": name, "value": value} for name, value in m.per_attribute.items()]
    chart = (
        _chart(rows)
        .mark_bar(color=_AFTER, height=14)
        .encode(
            y=alt.Y("attribute:N", title=None, sort=None, axis=alt.Axis(labelLimit=320)),
            x=alt.X("value:Q", title=f"{m.title} ({m.unit})"),
        )
    )
    return _svg(chart, f"{m.title} by attribute.")


def distribution_chart(distribution: Distribution) -> str:
    """Return the distribution of one attribute before and after masking, as two outlines."""
    rows = []
    for when, heights in (("before", distribution.before), ("after", distribution.after)):
        rows += [
            {"value": edge, "height": height, "file": when}
            for edge, height in zip(distribution.edges, (*heights, heights[-1]), strict=True)
        ]
    chart = (
        _chart(rows)
        .mark_line(interpolate="step-after", strokeWidth=2)
        .encode(
            x=alt.X("value:Q", title=distribution.name, axis=alt.Axis(format="~s", labelOverlap=True)),
            y=alt.Y("height:Q", title="density", axis=alt.Axis(labels=False, ticks=False)),
            color=alt.Color(
                "file:N",
                title=None,
                scale=alt.Scale(domain=["before", "after"], range=[_BEFORE, _AFTER]),
                legend=alt.Legend(orient="top"),
            ),
            strokeDash=alt.StrokeDash(
                "file:N", scale=alt.Scale(domain=["before", "after"], range=[[4, 3], [1, 0]]), legend=None
            ),
        )
    )
    return _svg(chart, f"Distribution of {distribution.name} before (dashed) and after (solid) masking.", height=150)


def _chart(rows: list[dict[str, Any]]) -> alt.Chart:
    return alt.Chart(alt.InlineData(values=rows))


def _svg(chart: Any, text: str, *, height: int | None = None) -> str:
    sized = chart.properties(width=440) if height is None else chart.properties(width=270, height=height)
    specification = sized.configure_view(stroke=None).configure(font="sans-serif").to_dict()
    svg: str = vl_convert.vegalite_to_svg(specification)
    # A picture says what it shows to a reader who does not see it.
    label = html.escape(text, quote=True)
    return re.sub(r"<svg ", f'<svg role="img" aria-label="{label}" ', svg, count=1)
