"""Charts of a report, drawn as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from discreet.contracts.assessment import Assessment, Exposure
from discreet.contracts.before_after import Correlations, Distribution, Flow, Shares
from discreet.contracts.measurement import Measurement
from discreet.notebook import printable
from discreet.report.drawing import AFTER, BEFORE, CHANCE, INK, RISK, draw, of_rows, when_colour

__all__ = [
    "correlation_chart",
    "distribution_chart",
    "flow_chart",
    "key_chart",
    "linkage_chart",
    "loss_chart",
    "risk_chart",
    "shares_chart",
]

_WIDE = 600


_NARROW = 290


_LABELS = 300


def risk_chart(assessment: Assessment) -> str:
    """Return every risk of the release as a bar, with its interval and the level of guessing where it has them."""
    rows = [
        {
            "measure": m.title,
            "value": m.value,
            "chance": m.details.get("chance_percent"),
            "low": m.details.get("interval_percent", (m.value, m.value))[0],
            "high": m.details.get("interval_percent", (m.value, m.value))[1],
        }
        for m in assessment.of_kind("risk")
    ]
    base = of_rows(rows).encode(y=alt.Y("measure:N", title=None, sort=None, axis=alt.Axis(labelLimit=_LABELS)))
    bars = base.mark_bar(color=RISK, height=14).encode(
        x=alt.X("value:Q", title="risk (%)", scale=alt.Scale(domain=[0, 100]))
    )
    interval = base.mark_rule(color=INK, strokeWidth=2).encode(x="low:Q", x2="high:Q")
    guess = base.mark_tick(color=CHANCE, thickness=2, size=20).encode(x="chance:Q")
    chart = (bars + interval + guess).properties(width=_WIDE - 160, height=alt.Step(22))
    text = "Every risk of the release in percent, with the 95 % interval (line) and what guessing reaches (blue tick)."
    return draw(chart, text)


def linkage_chart(scenarios: Mapping[str, Sequence[tuple[Measurement | None, Measurement]]]) -> str:
    """Return the share of records that each intruder re-identifies, with its interval and the level of guessing."""
    rows = []
    for scenario, risks in scenarios.items():
        for earlier, later in risks:
            if "chance_percent" not in later.details:
                continue
            for when, m in (("before", earlier), ("after", later)):
                if m is None:
                    continue
                low, high = m.details.get("interval_percent", (m.value, m.value))
                rows.append(
                    {
                        "attack": m.title if len(scenarios) == 1 else f"{scenario}: {_short(m.title)}",
                        "file": when,
                        "value": m.value,
                        "low": low,
                        "high": high,
                        "chance": m.details["chance_percent"],
                    }
                )
    if not rows:
        return ""
    order = list(dict.fromkeys(row["attack"] for row in rows))
    base = of_rows(rows).encode(
        y=alt.Y("attack:N", title=None, sort=order, axis=alt.Axis(labelLimit=_LABELS, grid=True)),
        yOffset=alt.YOffset("file:N", sort=["before", "after"]),
    )
    x = alt.X("value:Q", title="records re-identified (%)", scale=alt.Scale(domain=[0, 100]))
    interval = base.mark_rule(strokeWidth=2).encode(x="low:Q", x2="high:Q", color=when_colour())
    point = base.mark_point(size=80, filled=True, opacity=1).encode(
        x=x,
        color=when_colour(),
        shape=alt.Shape(
            "file:N", legend=None, scale=alt.Scale(domain=["before", "after"], range=["circle", "diamond"])
        ),
    )
    guess = base.mark_tick(color=CHANCE, thickness=2, size=20).encode(x="chance:Q")
    chart = (interval + point + guess).properties(width=_WIDE - 40, height=alt.Step(20))
    return draw(
        chart,
        "Records that linkage re-identifies, before (circle) and after (diamond) masking, in percent, with the 95 % "
        "interval (line) and what guessing reaches (blue tick).",
    )


def _short(title: str) -> str:
    return title.removeprefix("Re-identified by ")


def key_chart(exposure: Exposure) -> str:
    """Return, by key, the expected re-identifications that it adds, before and after, in the order of the keys."""
    if not exposure.by_key:
        return ""
    rows = [
        {"key": key, "before": before, "after": after, "file": when, "value": value}
        for key, (before, after) in exposure.by_key.items()
        for when, value in (("before", before), ("after", after))
    ]
    base = of_rows(rows).encode(
        y=alt.Y("key:N", title=None, sort=list(exposure.by_key),
                axis=alt.Axis(labelLimit=_LABELS, grid=True))
    )  # fmt: skip
    line = base.mark_rule(color=BEFORE, strokeWidth=1.5).encode(x="before:Q", x2="after:Q")
    point = base.mark_point(size=70, filled=True, opacity=1).encode(
        x=alt.X(
            "value:Q", title="expected re-identifications that are gone without this key", scale=alt.Scale(domainMin=0)
        ),
        color=when_colour(),
        shape=alt.Shape(
            "file:N", legend=None, scale=alt.Scale(domain=["before", "after"], range=["circle", "diamond"])
        ),
    )
    chart = (line + point).properties(width=_WIDE, height=alt.Step(20))
    return draw(
        chart,
        "Expected re-identifications that are gone if the intruder does not know the key, before (circle) and after "
        "(diamond).",
    )


def loss_chart(assessment: Assessment) -> str:
    """Return the losses that make the score, attribute by attribute, as bars side by side; those of nothing apart."""
    ingredients = {
        *assessment.score.ingredients,
        *(assessment.papers.ingredients if assessment.papers is not None else ()),
    }
    measurements = [m for m in assessment.of_kind("loss") if m.name in ingredients and any(m.per_attribute.values())]
    rows = [
        {"measure": m.title, "attribute": name, "value": value}
        for m in measurements
        for name, value in m.per_attribute.items()
    ]
    if not rows:
        return ""
    names = list(dict.fromkeys(name for m in measurements for name in m.per_attribute))
    panels = [
        of_rows([row for row in rows if row["measure"] == m.title])
        .mark_bar(color=AFTER, height=12)
        .encode(
            y=alt.Y("attribute:N", title=None, sort=names, axis=alt.Axis(labelLimit=150)),
            x=alt.X("value:Q", title=m.unit, scale=alt.Scale(domainMin=0, nice=True)),
        )
        .properties(title=alt.Title(m.title, fontSize=12, fontWeight="normal", anchor="start", color=INK),
                    width=260, height=alt.Step(18))
        for m in measurements
    ]  # fmt: skip
    text = "Information loss attribute by attribute: " + "; ".join(m.title for m in measurements) + "."
    return draw(alt.concat(*panels, columns=2), text)


def distribution_chart(distribution: Distribution) -> str:
    """Return the distribution of a numeric attribute before and after masking, as two outlines."""
    rows = []
    for when, heights in (("before", distribution.before), ("after", distribution.after)):
        rows += [
            {"value": edge, "height": height, "file": when}
            for edge, height in zip(distribution.edges, (*heights, heights[-1]), strict=True)
        ]
    chart = (
        of_rows(rows)
        .mark_line(interpolate="step-after", strokeWidth=2)
        .encode(
            x=alt.X("value:Q", title=None, axis=alt.Axis(format="~s", labelOverlap=True, grid=False),
                    scale=alt.Scale(zero=False, nice=False)),
            y=alt.Y("height:Q", title="density", axis=alt.Axis(labels=False, ticks=False, grid=False)),
            color=when_colour(),
            strokeDash=alt.StrokeDash(
                "file:N", scale=alt.Scale(domain=["before", "after"], range=[[4, 3], [1, 0]]), legend=None
            ),
        )
        .properties(width=_NARROW, height=140)
    )  # fmt: skip
    return draw(chart, f"Distribution of {distribution.name} before (dashed) and after (solid) masking.")


def shares_chart(shares: Shares) -> str:
    """Return how often each level occurs before and after masking, as pairs of bars."""
    rows = [
        {"level": level, "file": when, "value": value}
        for when, values in (("before", shares.before), ("after", shares.after))
        for level, value in zip(shares.levels, values, strict=True)
    ]
    chart = (
        of_rows(rows)
        .mark_bar()
        .encode(
            y=alt.Y("level:N", title=None, sort=None, axis=alt.Axis(labelLimit=120)),
            yOffset=alt.YOffset("file:N", sort=["before", "after"]),
            x=alt.X("value:Q", title="% of records", scale=alt.Scale(domainMin=0)),
            color=when_colour(),
        )
        .properties(width=_NARROW - 60, height=alt.Step(8))
    )
    return draw(chart, f"Share of each level of {shares.name} before (grey) and after (green) masking.")


def correlation_chart(correlations: Correlations) -> str:
    """Return the correlations before and after, and their change, as three heat maps."""
    names = list(correlations.names)
    cell = 44 if len(names) <= 4 else 34 if len(names) <= 6 else 20 if len(names) <= 13 else 12
    panels = [
        _heat_map(names, matrix, title, limit, cell, first=place == 0)
        for place, (title, matrix, limit) in enumerate(
            (
                ("before", correlations.before, 1.0),
                ("after", correlations.after, 1.0),
                ("change", correlations.change, 0.5),
            )
        )
    ]
    chart = alt.hconcat(*panels, spacing=12).resolve_scale(color="independent")
    return draw(chart, f"Heat maps of the correlations of {len(names)} attributes before, after, and their change.")


def _heat_map(
    names: list[str], matrix: tuple[tuple[float, ...], ...], title: str, limit: float, cell: int, *, first: bool
) -> Any:
    rows = [
        {"row": row, "column": column, "value": value}
        for row, line in zip(names, matrix, strict=True)
        for column, value in zip(names, line, strict=True)
    ]
    legend = alt.Legend(title=None, orient="bottom", gradientLength=110, values=[-limit, 0, limit])
    return (
        of_rows(rows)
        .mark_rect(stroke="#fff")
        .encode(
            x=alt.X("column:N", sort=None, title=None, axis=alt.Axis(labelAngle=-90, labelLimit=150)),
            y=alt.Y("row:N", sort=None, title=None, axis=alt.Axis(labelLimit=170) if first else None),
            color=alt.Color(
                "value:Q", legend=legend, scale=alt.Scale(scheme="blueorange", domain=[-limit, limit], clamp=True)
            ),
        )
        .properties(title=alt.Title(title, fontSize=12, fontWeight="normal", color=INK),
                    width=alt.Step(cell), height=alt.Step(cell))
    )  # fmt: skip


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
