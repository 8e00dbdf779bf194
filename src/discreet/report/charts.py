"""Charts of a report, drawn as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from discreet.contracts.assessment import Assessment, Exposure
from discreet.contracts.before_after import Correlations, Distribution, Flow, Shares
from discreet.contracts.measurement import Measurement
from discreet.drawing import (
    AFTER,
    BEFORE,
    CHANCE,
    INK,
    RISK,
    Canvas,
    Plot,
    blended,
    legend_of_files,
    nice_limit,
    put_beside,
    shortened,
    spelled,
    text_width,
    told,
)

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

_WIDE, _NARROW, _LABELS = 600, 290, 300
_BELOW = 44  # an axis with its title
_SHAPES = {"before": "circle", "after": "diamond"}
_COLOURS = {"before": BEFORE, "after": AFTER}


def _room(names: Sequence[str], limit: float) -> float:
    """Return the width that the longest of several names takes, at most the limit, and the gap beside it."""
    return min(max((text_width(name) for name in names), default=0.0), limit) + 12


def risk_chart(assessment: Assessment) -> str:
    """Return every risk of the release as a bar, with its interval and the level of guessing where it has them."""
    risks = assessment.of_kind("risk")
    names = [m.title for m in risks]
    margin = _room(names, _LABELS)
    canvas = Canvas(margin + _WIDE - 160 + 20, 22 * len(risks) + 10 + _BELOW)
    plot = Plot(canvas, margin, 6, _WIDE - 160, 22 * len(risks))
    x = plot.across(0, 100)
    plot.bottom_axis(x, "risk (%)")
    middles = plot.rows(names, _LABELS)
    for m, y in zip(risks, middles, strict=True):
        canvas.rect(x(0), y - 7, x(m.value) - x(0), 14, RISK, told({"risk (%)": m.value, "measure": m.title}))
    for m, y in zip(risks, middles, strict=True):
        low, high = m.details.get("interval_percent", (m.value, m.value))
        words = told({"low": low, "measure": m.title, "high": high})
        canvas.line([(x(low), y), (x(high), y)], INK, 2, label=words)
    for m, y in zip(risks, middles, strict=True):
        chance = m.details.get("chance_percent")
        if chance is not None:
            words = told({"chance": chance, "measure": m.title})
            canvas.line([(x(chance), y - 10), (x(chance), y + 10)], CHANCE, 2, label=words)
    return canvas.svg(
        "Every risk of the release in percent, with the 95 % interval (line) and what guessing reaches (blue tick)."
    )


def linkage_chart(scenarios: Mapping[str, Sequence[tuple[Measurement | None, Measurement]]]) -> str:
    """Return the share of records that each intruder re-identifies, with its interval and the level of guessing."""
    marks: list[tuple[str, str, Measurement]] = []
    for scenario, risks in scenarios.items():
        for earlier, later in risks:
            if "chance_percent" not in later.details:
                continue
            for when, m in (("before", earlier), ("after", later)):
                if m is not None:
                    attack = m.title if len(scenarios) == 1 else f"{scenario}: {_short(m.title)}"
                    marks.append((attack, when, m))
    if not marks:
        return ""
    names = list(dict.fromkeys(attack for attack, _, _ in marks))
    margin = _room(names, _LABELS)
    canvas = Canvas(margin + _WIDE - 40 + 20, 40 * len(names) + 26 + _BELOW)
    plot = Plot(canvas, margin, 24, _WIDE - 40, 40 * len(names))
    legend_of_files(canvas, margin, 14, shapes=True)
    x = plot.across(0, 100)
    plot.bottom_axis(x, "records re-identified (%)")
    middles = dict(zip(names, plot.rows(names, _LABELS, grid=True), strict=True))
    for attack, when, m in marks:
        y = middles[attack] + (-8 if when == "before" else 8)
        low, high = m.details.get("interval_percent", (m.value, m.value))
        where = {"attack": attack, "file": when}
        interval = told({"low": low, "attack": attack, "high": high, "file": when})
        canvas.line([(x(low), y), (x(high), y)], _COLOURS[when], 2, label=interval)
        words = told({"records re-identified (%)": m.value, **where})
        canvas.dot(x(m.value), y, _COLOURS[when], _SHAPES[when], words)
        guess = x(m.details["chance_percent"])
        words = told({"chance": m.details["chance_percent"], **where})
        canvas.line([(guess, y - 8), (guess, y + 8)], CHANCE, 2, label=words)
    return canvas.svg(
        "Records that linkage re-identifies, before (circle) and after (diamond) masking, in percent, with the 95 % "
        "interval (line) and what guessing reaches (blue tick)."
    )


def _short(title: str) -> str:
    return title.removeprefix("Re-identified by ")


def key_chart(exposure: Exposure) -> str:
    """Return, by key, the expected re-identifications that it adds, before and after, in the order of the keys."""
    if not exposure.by_key:
        return ""
    names = list(exposure.by_key)
    margin = _room(names, _LABELS)
    canvas = Canvas(margin + _WIDE + 20, 20 * len(names) + 26 + _BELOW)
    plot = Plot(canvas, margin, 24, _WIDE, 20 * len(names))
    legend_of_files(canvas, margin, 14, shapes=True)
    x = plot.across(0, nice_limit(max(max(pair) for pair in exposure.by_key.values()) or 1.0))
    title = "expected re-identifications that are gone without this key"
    plot.bottom_axis(x, title)
    for (name, pair), y in zip(exposure.by_key.items(), plot.rows(names, _LABELS, grid=True), strict=True):
        canvas.line([(x(pair[0]), y), (x(pair[1]), y)], BEFORE, 1.5)
        for when, value in zip(("before", "after"), pair, strict=True):
            canvas.dot(x(value), y, _COLOURS[when], _SHAPES[when], told({title: value, "key": name, "file": when}))
    return canvas.svg(
        "Expected re-identifications that are gone if the intruder does not know the key, before (circle) and after "
        "(diamond)."
    )


def loss_chart(assessment: Assessment) -> str:
    """Return the losses that make the score, attribute by attribute, as bars side by side; those of nothing apart."""
    ingredients = {
        *assessment.score.ingredients,
        *(assessment.papers.ingredients if assessment.papers is not None else ()),
    }
    measurements = [m for m in assessment.of_kind("loss") if m.name in ingredients and any(m.per_attribute.values())]
    if not measurements:
        return ""
    text = "Information loss attribute by attribute: " + "; ".join(m.title for m in measurements) + "."
    return put_beside([_loss_panel(m) for m in measurements], 2).svg(text)


def _loss_panel(m: Measurement) -> Canvas:
    names = list(m.per_attribute)
    margin = _room(names, 150)
    canvas = Canvas(margin + 260 + 20, 18 * len(names) + 26 + _BELOW)
    plot = Plot(canvas, margin, 24, 260, 18 * len(names))
    canvas.text(margin, 14, shortened(m.title, 270))
    x = plot.across(0, nice_limit(max(m.per_attribute.values())))
    plot.bottom_axis(x, m.unit, ticks=4)
    for (name, value), y in zip(m.per_attribute.items(), plot.rows(names, 150), strict=True):
        canvas.rect(x(0), y - 6, x(value) - x(0), 12, AFTER, told({m.unit: value, "attribute": name}))
    return canvas


def distribution_chart(distribution: Distribution) -> str:
    """Return the distribution of a numeric attribute before and after masking, as two outlines."""
    edges = distribution.edges
    canvas = Canvas(_NARROW + 62, 140 + 26 + 26)
    plot = Plot(canvas, 52, 24, _NARROW, 140)
    legend_of_files(canvas, 52, 14)
    x = plot.across(edges[0], edges[-1])
    y = plot.upwards(0, max(*distribution.before, *distribution.after, 1e-300))
    plot.bottom_axis(x, grid=False, ticks=4)
    plot.left_axis(y, "density", grid=False, ticks=3)
    for when, heights, dash in (("before", distribution.before, "4 3"), ("after", distribution.after, "")):
        outline = [(x(edge), y(height)) for place, height in enumerate(heights) for edge in edges[place : place + 2]]
        words = told({"value": edges[0], "density": heights[0], "file": when})
        canvas.line(outline, _COLOURS[when], 2, dash, words)
    return canvas.svg(f"Distribution of {distribution.name} before (dashed) and after (solid) masking.")


def shares_chart(shares: Shares) -> str:
    """Return how often each level occurs before and after masking, as pairs of bars."""
    margin = _room(shares.levels, 120)
    canvas = Canvas(margin + _NARROW - 60 + 20, 18 * len(shares.levels) + 26 + _BELOW)
    plot = Plot(canvas, margin, 24, _NARROW - 60, 18 * len(shares.levels))
    legend_of_files(canvas, margin, 14)
    x = plot.across(0, nice_limit(max(*shares.before, *shares.after, 1e-9)))
    plot.bottom_axis(x, "% of records", ticks=4)
    middles = plot.rows(shares.levels, 120)
    for when, values, shift in (("before", shares.before, -7), ("after", shares.after, 0)):
        for level, value, y in zip(shares.levels, values, middles, strict=True):
            words = told({"% of records": value, "level": level, "file": when})
            canvas.rect(x(0), y + shift, x(value) - x(0), 7, _COLOURS[when], words)
    return canvas.svg(f"Share of each level of {shares.name} before (grey) and after (green) masking.")


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
    text = f"Heat maps of the correlations of {len(names)} attributes before, after, and their change."
    return put_beside(panels, 3, 12).svg(text)


def _heat_map(
    names: list[str], matrix: tuple[tuple[float, ...], ...], title: str, limit: float, cell: int, *, first: bool
) -> Canvas:
    size = min(12, cell - 1)
    margin, below = _room(names, 170) if first else 2.0, _room(names, 150)
    extent = cell * len(names)
    canvas = Canvas(margin + max(extent, 120) + 2, 24 + extent + below + 40)
    canvas.text(margin + extent / 2, 14, title, "middle")
    if first:
        canvas.say(f"Down: {', '.join(names)}.")
    canvas.say(f"Across: {', '.join(names)}.")
    for i, (row, line) in enumerate(zip(names, matrix, strict=True)):
        if first:
            canvas.text(margin - 6, 24 + cell * (i + 0.5) + 4, shortened(row, 170, size), "end", size)
        canvas.text(margin + cell * (i + 0.5) + 4, 24 + extent + 6, shortened(row, 150, size), "end", size, turned=True)
        for j, (column, value) in enumerate(zip(names, line, strict=True)):
            words = told({"column": column, "row": row, "value": value})
            canvas.rect(margin + cell * j, 24 + cell * i, cell, cell, _diverging(value / limit), words, "#fff")
    _gradient(canvas, margin, 24 + extent + below + 8, [(s / 10 - 1) for s in range(21)], limit)
    return canvas


def _diverging(share: float) -> str:
    """Return blue for −1, nearly white for 0, orange for 1, and what lies between."""
    return blended(abs(share), "#f4f4f2", "#b35806" if share > 0 else "#2a5d9f")


def _gradient(canvas: Canvas, x: float, y: float, shares: Sequence[float], limit: float) -> None:
    """Draw what colours mean."""
    canvas.say(f"Colours from {spelled(-limit)} (blue) to {spelled(limit)} (orange).")
    width = 110 / len(shares)
    for place, share in enumerate(shares):
        canvas.rect(x + width * place, y, width + 0.5, 8, _diverging(share))
    for value, share, anchor in ((-limit, 0.0, "start"), (0.0, 0.5, "middle"), (limit, 1.0, "end")):
        where: Any = anchor
        canvas.text(x + 110 * share, y + 21, spelled(value), where, 11)


def flow_chart(flow: Flow) -> str:
    """Return the shares of steps before and after masking as two maps on one scale of colour, an SVG."""
    most = max((share for matrix in (flow.before, flow.after) for line in matrix for share in line), default=0.0)
    panels = [
        _flow_map(flow.events, matrix, when, most or 1.0, first=when == "before")
        for when, matrix in (("before", flow.before), ("after", flow.after))
    ]
    return put_beside(panels, 2).svg(f"Steps from event to event of {flow.name}, before and after masking.")


def _flow_map(
    events: Sequence[str], matrix: tuple[tuple[float, ...], ...], when: str, most: float, *, first: bool
) -> Canvas:
    cell = 210 / max(len(events), 1)
    size = max(4.0, min(12.0, cell - 1))
    margin, below = (_room(events, 160) + 18 if first else 4.0), _room(events, 160)
    canvas = Canvas(margin + 212, 26 + 210 + below + (46 if first else 20))
    canvas.text(margin + 105, 14, when, "middle")
    canvas.say(f"{when}: from events downwards, to events across, {', '.join(events)}.")
    if first:
        canvas.text(12, 26 + 105, "from", "middle", turned=True)
    canvas.text(margin + 105, 26 + 210 + below + 14, "to", "middle")
    for i, (start, line) in enumerate(zip(events, matrix, strict=True)):
        if first:
            canvas.text(margin - 6, 26 + cell * (i + 0.5) + size / 3, shortened(start, 160, size), "end", size)
        canvas.text(
            margin + cell * (i + 0.5) + size / 3, 26 + 216, shortened(start, 160, size), "end", size, turned=True
        )
        for j, (stop, share) in enumerate(zip(events, line, strict=True)):
            if share > 0:
                colour = blended((share / most) ** 0.5, "#e4f1ea", AFTER)
                words = told({"to": stop, "from": start, "% of steps": share})
                canvas.rect(margin + cell * j, 26 + cell * i, cell, cell, colour, words)
    if first:
        y = 26 + 210 + below + 24
        for place in range(20):
            canvas.rect(margin + 5.5 * place, y, 6, 8, blended((place / 19) ** 0.5, "#e4f1ea", AFTER))
        canvas.text(margin + 116, y + 9, f"0 to {spelled(round(most, 2))} % of steps", size=11)
    return canvas
