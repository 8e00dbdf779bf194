"""Steps from event to event as two maps side by side."""

from __future__ import annotations

import html
import re

import altair as alt
import vl_convert

from discreet.results import Flow

__all__ = ["flow_chart"]


def flow_chart(flow: Flow) -> str:
    """Return the shares of steps before and after masking as two maps on one scale of colour, an SVG."""
    rows = [
        {"file": when, "from": start, "to": stop, "share": share}
        for when, matrix in (("before", flow.before), ("after", flow.after))
        for start, line in zip(flow.events, matrix, strict=True)
        for stop, share in zip(flow.events, line, strict=True)
        if share > 0
    ]
    order = list(flow.events)
    axis = alt.Axis(labelLimit=90)
    chart = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_rect()
        .encode(
            x=alt.X("to:N", sort=order, title="to", scale=alt.Scale(domain=order), axis=axis),
            y=alt.Y("from:N", sort=order, title="from", scale=alt.Scale(domain=order), axis=axis),
            color=alt.Color("share:Q", title="% of steps", scale=alt.Scale(scheme="greens", type="sqrt")),
            column=alt.Column("file:N", sort=["before", "after"], title=None),
        )
        .properties(width=220, height=220)
        .configure_view(stroke="#d5d9dc")
        .configure(font="system-ui, sans-serif")
    )
    svg: str = vl_convert.vegalite_to_svg(chart.to_dict())
    # A picture says what it shows to a reader who does not see it.
    label = html.escape(f"Steps from event to event of {flow.name}, before and after masking.", quote=True)
    return re.sub(r"<svg ", f'<svg role="img" aria-label="{label}" ', svg, count=1)
