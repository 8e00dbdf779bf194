"""The risk–utility map of a study: every candidate as a point, the Pareto front as a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import vl_convert

__all__ = ["map_html", "map_png", "map_svg"]


def _specification(entries: Sequence[Mapping[str, Any]], front: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    fields = ("label", "method", "risk", "loss", "score", "risk_low", "risk_high", "loss_low", "loss_high")
    points = [{name: entry[name] for name in fields} | {"range": _range(entry)} for entry in entries]
    line = [{"risk": entry["risk"], "loss": entry["loss"], "order": i} for i, entry in enumerate(front)]
    x = alt.X("risk:Q", title="disclosure risk (%)", scale=alt.Scale(zero=False))
    y = alt.Y("loss:Q", title="information loss", scale=alt.Scale(zero=False))
    base = alt.Chart(alt.InlineData(values=points))
    bars = base.mark_rule(opacity=0.35, strokeWidth=2)
    spread = bars.encode(y=y, x="risk_low:Q", x2="risk_high:Q", color="method:N")
    spread += bars.encode(x=x, y="loss_low:Q", y2="loss_high:Q", color="method:N")
    dots = base.mark_circle(size=70, opacity=0.9).encode(
        x=x,
        y=y,
        color=alt.Color("method:N", title="method"),
        tooltip=[
            alt.Tooltip("label:N", title="candidate"),
            alt.Tooltip("score:Q", format=".2f"),
            alt.Tooltip("range:N", title="over seeds"),
            alt.Tooltip("risk:Q", format=".2f"),
            alt.Tooltip("loss:Q", format=".2f"),
        ],
    )
    edge = (
        alt.Chart(alt.InlineData(values=line))
        .mark_line(color="#1b1f23", strokeDash=[4, 3], interpolate="step-after")
        .encode(x=x, y=y, order="order:Q")
    )
    chart = (edge + spread + dots).properties(
        width=640,
        height=420,
        title=alt.TitleParams(
            "Risk and loss of every candidate; nobody beats the line in both",
            subtitle="Bars: lowest to highest mean of a repetition with another seed",
        ),
    )
    result: dict[str, Any] = chart.configure(font="sans-serif").to_dict()
    return result


def _range(entry: Mapping[str, Any]) -> str:
    return f"{entry['score_low']:.2f} – {entry['score_high']:.2f}" if entry.get("experiments", 1) > 1 else "one run"


def map_svg(entries: Sequence[Mapping[str, Any]], front: Sequence[Mapping[str, Any]]) -> str:
    """Return the map as a picture."""
    svg: str = vl_convert.vegalite_to_svg(_specification(entries, front))
    return svg


def map_png(entries: Sequence[Mapping[str, Any]], front: Sequence[Mapping[str, Any]]) -> bytes:
    """Return the map as pixels, fine enough for print."""
    pixels: bytes = vl_convert.vegalite_to_png(_specification(entries, front), scale=2)
    return pixels


def map_html(entries: Sequence[Mapping[str, Any]], front: Sequence[Mapping[str, Any]]) -> str:
    """Return the map as a self-contained page with names on hover; nothing is loaded from elsewhere."""
    page: str = vl_convert.vegalite_to_html(_specification(entries, front), bundle=True)
    return page
