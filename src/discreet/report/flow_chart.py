"""Steps from event to event as two maps side by side."""

from __future__ import annotations

import altair as alt

from discreet.notebook import printable
from discreet.report.drawing import draw, of_rows
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
    order = [printable(event) for event in flow.events]
    axis = alt.Axis(labelLimit=160)
    chart = (
        of_rows(rows)
        .mark_rect()
        .encode(
            x=alt.X("to:N", sort=order, title="to", scale=alt.Scale(domain=order), axis=axis),
            y=alt.Y("from:N", sort=order, title="from", scale=alt.Scale(domain=order), axis=axis),
            color=alt.Color("share:Q", title="% of steps", scale=alt.Scale(scheme="greens", type="sqrt")),
            column=alt.Column("file:N", sort=["before", "after"], title=None),
        )
        .properties(width=210, height=210)
    )
    return draw(chart, f"Steps from event to event of {flow.name}, before and after masking.")
