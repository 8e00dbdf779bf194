"""Pictures that results give of themselves: figures of many records, bins of ten or more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.contracts.chart import Chart
from discreet.drawing import (
    AFTER,
    BEFORE,
    CHANCE,
    INK,
    RISK,
    Canvas,
    Plot,
    legend_of_files,
    nice_limit,
    put_beside,
    shortened,
    spelled,
    text_width,
    told,
)
from discreet.typing import FloatArray

if TYPE_CHECKING:
    from discreet.contracts.assessment import Assessment
    from discreet.contracts.file_risk import GroupSizes
    from discreet.contracts.links import AttributeEvidence
    from discreet.contracts.measurement import Measurement

__all__ = [
    "SMALLEST",
    "LinkOutcome",
    "assessment_chart",
    "changed_chart",
    "evidence_chart",
    "precision_chart",
    "safe_edges",
    "score_chart",
    "sizes_chart",
    "threshold_chart",
]

SMALLEST = 10
"""The fewest records that a bin, or a step of a line, stands for."""

_BINS = 24
_BELOW = 44
_LABELS = 260.0


def safe_edges(values: FloatArray, smallest: int = SMALLEST, bins: int = _BINS) -> FloatArray:
    """Return bounds between which at least `smallest` of the values lie, or none; the outermost count in the end bins.

    Not even the ends are those of one record: they are the values that `smallest` others reach.

    Examples
    --------
    >>> safe_edges(np.arange(100.0), bins=4).tolist()
    [9.0, 29.25, 49.5, 69.75, 90.0]
    >>> safe_edges(np.arange(15.0)).tolist()
    []
    """
    ordered = np.sort(values[np.isfinite(values)])
    if ordered.size < 2 * smallest:
        return np.empty(0)
    low, high = float(ordered[smallest - 1]), float(ordered[-smallest])
    if not low < high:
        return np.empty(0)
    edges = [low]
    for edge in np.linspace(low, high, bins + 1)[1:-1]:
        start = ordered.size - int(np.searchsorted(ordered, edges[-1])) if len(edges) > 1 else ordered.size
        after = ordered.size - int(np.searchsorted(ordered, edge))
        if start - after >= smallest and after >= smallest:
            edges.append(float(edge))
    return np.array([*edges, high])


def _room(names: Sequence[str], limit: float) -> float:
    return min(max((text_width(name) for name in names), default=0.0), limit) + 12


# ------------------------------------------------------------------------------------------------------- assessments


def assessment_chart(assessment: Assessment) -> Chart:
    """Return every risk and every loss in percent as bars, with intervals and what guessing reaches."""
    panels = []
    for kind, colour in (("risk", RISK), ("loss", AFTER)):
        measurements = [m for m in assessment.of_kind(kind) if m.unit == "%"]
        if measurements:
            panels.append(_measurements(kind, measurements, colour))
    text = (
        f"Score {assessment.score.value:.2f}: risks and losses of the release in percent, with the 95 % interval "
        "(line) and what guessing reaches (blue tick)."
    )
    whole = put_beside(panels, 1) if panels else Canvas(10, 10)
    return Chart(whole.svg(text), text)


def _measurements(kind: str, measurements: Sequence[Measurement], colour: str) -> Canvas:
    names = [m.title for m in measurements]
    margin = _room(names, _LABELS)
    canvas = Canvas(margin + 420 + 20, 20 * len(names) + 12 + _BELOW)
    plot = Plot(canvas, margin, 6, 420, 20 * len(names))
    x = plot.across(0, max(100.0, nice_limit(max(m.value for m in measurements) or 1.0)))
    plot.bottom_axis(x, f"{kind} (%)")
    for m, y in zip(measurements, plot.rows(names, _LABELS), strict=True):
        canvas.rect(x(0), y - 6, x(m.value) - x(0), 12, colour, told({f"{kind} (%)": round(m.value, 2), "by": m.title}))
        if "interval_percent" in m.details:
            low, high = m.details["interval_percent"]
            canvas.line([(x(low), y), (x(high), y)], INK, 2)
        if "chance_percent" in m.details:
            chance = x(m.details["chance_percent"])
            canvas.line([(chance, y - 9), (chance, y + 9)], CHANCE, 2)
    return canvas


# ---------------------------------------------------------------------------------------------------------- releases


def changed_chart(changed: Mapping[str, int], n_records: int) -> Chart:
    """Return by attribute the share of cells that hold another value, in whole percent."""
    text = "Cells that hold another value than before, attribute by attribute, in percent."
    names = list(changed)
    margin = _room(names, _LABELS)
    canvas = Canvas(margin + 360 + 20, 20 * max(len(names), 1) + 12 + _BELOW)
    plot = Plot(canvas, margin, 6, 360, 20 * max(len(names), 1))
    x = plot.across(0, 100)
    plot.bottom_axis(x, "cells changed (%)")
    for (name, count), y in zip(changed.items(), plot.rows(names, _LABELS), strict=True):
        share = float(round(100.0 * count / n_records)) if n_records else 0.0
        canvas.rect(x(0), y - 6, x(share) - x(0), 12, AFTER, told({"cells changed (%)": share, "attribute": name}))
    return Chart(canvas.svg(text), text)


def sizes_chart(before: Sequence[GroupSizes], after: Sequence[GroupSizes] = ()) -> Chart:
    """Return how many records are in groups of which size, of one file or of a file and its release."""
    files = [("before", before, BEFORE), ("after", after, AFTER)] if after else [("file", before, RISK)]
    words = [
        f"{name}: {', '.join(f'{s.records} in groups of {s.label}' for s in sizes if s.records)}"
        for name, sizes, _ in files
    ]
    text = f"Records by the size of the group that shares their keys; {'; '.join(words)}."
    canvas = Canvas(64 + 560 + 10, 26 + 190 + _BELOW)
    plot = Plot(canvas, 64, 26, 560, 190)
    y = plot.upwards(0, nice_limit(max((s.records for _, sizes, _ in files for s in sizes), default=0) or 1.0))
    plot.left_axis(y, "records")
    if after:
        legend_of_files(canvas, 64, 14)
    step = 560 / max(len(before), 1)
    width = 0.7 * step / len(files)
    for place, one in enumerate(before):
        middle = 64 + step * (place + 0.5)
        canvas.text(middle, 26 + 190 + 17, one.label, "middle", 11)
        for shift, (name, sizes, colour) in enumerate(files):
            records = sizes[place].records
            x = middle + width * (shift - len(files) / 2)
            words_of_bar = told({"records": records, "in groups of": one.label, "file": name})
            canvas.rect(x, y(records), width, y(0) - y(records), colour, words_of_bar)
    canvas.text(64 + 280, 26 + 190 + 36, "records with the same keys", "middle")
    return Chart(canvas.svg(text), text)


# ------------------------------------------------------------------------------------------------------------- links


@dataclass(frozen=True)
class LinkOutcome:
    """Links down to a score: how many records have one as good, and how many of these are right."""

    score: float
    linked: float
    correct: float | None


def score_chart(scores: FloatArray, edges: FloatArray, title: str) -> Chart:
    """Return how many records have a best link of which score, no bar of fewer than ten."""
    text = f"Records by the {title} of their best link; no bar stands for fewer than {SMALLEST} records."
    canvas = Canvas(64 + 520 + 16, 12 + 200 + _BELOW)
    plot = Plot(canvas, 64, 12, 520, 200)
    if edges.size < 2:
        return _too_few(title)
    inside = np.clip(scores[np.isfinite(scores)], edges[0], edges[-1])
    counts = np.histogram(inside, edges)[0]
    densities = counts / np.diff(edges)
    x = plot.across(float(edges[0]), float(edges[-1]))
    y = plot.upwards(0, nice_limit(float(densities.max())))
    plot.bottom_axis(x, title)
    plot.left_axis(y, "records a unit of width")
    for low, high, count, density in zip(edges[:-1], edges[1:], counts, densities, strict=True):
        words = told(
            {title: f"{spelled(round(float(low), 3))} to {spelled(round(float(high), 3))}", "records": int(count)}
        )
        canvas.rect(x(low), y(density), x(high) - x(low), y(0) - y(density), CHANCE, words, "#fff")
    return Chart(canvas.svg(text), text)


def evidence_chart(evidence: Sequence[AttributeEvidence]) -> Chart:
    """Return how the weight of a pair that agrees on everything is made, attribute by attribute, as a waterfall."""
    text = (
        "Match weight of a pair that agrees on everything, attribute by attribute (green), and what each takes away "
        "where the pair disagrees on it (red line), in binary logarithms."
    )
    names = [*(one.name for one in evidence), "all together"]
    margin = _room(names, _LABELS)
    sums = np.concatenate([[0.0], np.cumsum([one.agreement for one in evidence])])
    ends = [*sums, *(start + one.disagreement for start, one in zip(sums[:-1], evidence, strict=True))]
    canvas = Canvas(margin + 420 + 20, 22 * len(names) + 12 + _BELOW)
    plot = Plot(canvas, margin, 6, 420, 22 * len(names))
    low, high = min(ends), max(ends)
    x = plot.across(low - 0.05 * (high - low or 1.0), high + 0.05 * (high - low or 1.0))
    plot.bottom_axis(x, "match weight (log₂)")
    *rows, last = plot.rows(names, _LABELS)
    for one, start, y in zip(evidence, sums[:-1], rows, strict=True):
        first, second = sorted((x(start), x(start + one.agreement)))
        words = told({"agreement": round(one.agreement, 2), "disagreement": round(one.disagreement, 2), "on": one.name})
        canvas.rect(first, y - 7, second - first, 14, AFTER, words)
        canvas.line([(x(start), y), (x(start + one.disagreement), y)], RISK, 2)
    canvas.rect(min(x(0), x(sums[-1])), last - 7, abs(x(sums[-1]) - x(0)), 14, INK, told({"sum": round(sums[-1], 2)}))
    return Chart(canvas.svg(text), text)


def threshold_chart(outcomes: Sequence[LinkOutcome], title: str) -> Chart:
    """Return, by threshold, the share of records that are linked and the share of links that is right."""
    text = f"By threshold on the {title}: records linked (grey, dashed) and links that are right (red), in percent."
    if len(outcomes) < 2:
        return _too_few(title)
    canvas = Canvas(64 + 520 + 16, 30 + 200 + _BELOW)
    plot = Plot(canvas, 64, 30, 520, 200)
    scores = [one.score for one in outcomes]
    x, y = plot.across(min(scores), max(scores)), plot.upwards(0, 100)
    plot.bottom_axis(x, f"threshold on the {title}")
    plot.left_axis(y, "%")
    _legend(canvas, (("records linked", BEFORE), ("links that are right", RISK)))
    canvas.line([(x(one.score), y(100 * one.linked)) for one in outcomes], BEFORE, 2, "4 3", "records linked")
    right = [(x(one.score), y(100 * one.correct)) for one in outcomes if one.correct is not None]
    if right:
        canvas.line(right, RISK, 2, label="links that are right")
    for one in outcomes:
        figures: dict[str, object] = {title: round(one.score, 3), "linked (%)": round(100 * one.linked, 1)}
        if one.correct is not None:
            figures["right (%)"] = round(100 * one.correct, 1)
            canvas.dot(x(one.score), y(100 * one.correct), RISK, label=told(figures), radius=3)
        else:
            canvas.dot(x(one.score), y(100 * one.linked), BEFORE, label=told(figures), radius=3)
    return Chart(canvas.svg(text), text)


def precision_chart(outcomes: Sequence[LinkOutcome], known: float) -> Chart:
    """Return precision against recall; `known` is the share of records that have a counterpart."""
    text = "Precision (links that are right) against recall (records found of those that can be), in percent."
    points = [
        (min(1.0, one.linked * one.correct / known), one.correct, one.score)
        for one in outcomes
        if one.correct is not None and known > 0
    ]
    if len(points) < 2:
        return _too_few("score")
    canvas = Canvas(64 + 320 + 16, 12 + 260 + _BELOW)
    plot = Plot(canvas, 64, 12, 320, 260)
    x, y = plot.across(0, 100), plot.upwards(0, 100)
    plot.bottom_axis(x, "recall (%)")
    plot.left_axis(y, "precision (%)")
    canvas.line([(x(100 * recall), y(100 * precision)) for recall, precision, _ in points], CHANCE, 2)
    for recall, precision, score in points:
        figures = {"recall (%)": round(100 * recall, 1), "precision (%)": round(100 * precision, 1)}
        words = told({**figures, "threshold": round(score, 3)})
        canvas.dot(x(100 * recall), y(100 * precision), CHANCE, label=words, radius=3)
    return Chart(canvas.svg(text), text)


def _legend(canvas: Canvas, names: Sequence[tuple[str, str]]) -> None:
    x = 64.0
    for name, colour in names:
        canvas.rect(x, 6, 12, 10, colour)
        canvas.text(x + 18, 15, shortened(name, 200))
        x += 40 + text_width(name)


def _too_few(title: str) -> Chart:
    text = (
        f"Too few records, or too few different ones, for a picture of the {title}: no bin of {SMALLEST} can be made."
    )
    canvas = Canvas(text_width(text) + 20, 34)
    canvas.text(8, 22, text)
    return Chart(canvas.svg(text), text)
