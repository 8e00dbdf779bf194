"""The risk–utility map of a study: every candidate as a point, the Pareto front as a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import vl_convert

__all__ = ["map_html", "map_png", "map_svg"]


Entries = Sequence[Mapping[str, Any]]


def _specification(entries: Entries, front: Entries, unmasked: Mapping[str, Any] | None = None) -> dict[str, Any]:
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
    layers = edge + spread + dots
    if unmasked is not None:
        layers += _beside(unmasked, x, y)
    chart = layers.properties(
        width=640,
        height=420,
        title=alt.TitleParams(
            "Risk and loss of every candidate; nobody beats the line in both",
            subtitle="Bars: lowest to highest mean of a repetition with another seed. Cross: the unmasked file",
        ),
    )
    result: dict[str, Any] = chart.configure(font="sans-serif").to_dict()
    return result


def _beside(unmasked: Mapping[str, Any], x: Any, y: Any) -> Any:
    """Return the unmasked file as a cross with its name."""
    point = {"label": "unmasked file", **{name: unmasked[name] for name in ("risk", "loss", "score")}}
    base = alt.Chart(alt.InlineData(values=[point])).encode(x=x, y=y)
    cross = base.mark_point(shape="cross", size=110, filled=True, color="#1b1f23").encode(
        tooltip=[
            alt.Tooltip("label:N", title="candidate"),
            *(alt.Tooltip(f"{name}:Q", format=".2f") for name in ("score", "risk", "loss")),
        ]
    )
    return cross + base.mark_text(align="right", dx=-9, dy=-6, color="#1b1f23").encode(text="label:N")


def _range(entry: Mapping[str, Any]) -> str:
    return f"{entry['score_low']:.2f} – {entry['score_high']:.2f}" if entry.get("experiments", 1) > 1 else "one run"


def map_svg(entries: Entries, front: Entries, unmasked: Mapping[str, Any] | None = None) -> str:
    """Return the map as a picture."""
    svg: str = vl_convert.vegalite_to_svg(_specification(entries, front, unmasked))
    return svg


def map_png(entries: Entries, front: Entries, unmasked: Mapping[str, Any] | None = None) -> bytes:
    """Return the map as pixels, fine enough for print."""
    pixels: bytes = vl_convert.vegalite_to_png(_specification(entries, front, unmasked), scale=2)
    return pixels


def map_html(entries: Entries, front: Entries, unmasked: Mapping[str, Any] | None = None) -> str:
    """Return the map as a self-contained page with names on hover; nothing is loaded from elsewhere."""
    page: str = vl_convert.vegalite_to_html(_specification(entries, front, unmasked), bundle=True)
    return page
