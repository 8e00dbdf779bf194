"""A study as points on a map of risk and loss."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from discreet.evaluation.study import Study
from discreet.studio.session_values import Point, StudyMap
from discreet.typing import Json

__all__ = ["study_map"]


def study_map(rows: Sequence[Json], total: int, unmasked: Json | None = None) -> StudyMap:
    """Return the map of the rows that are there, with the unmasked file beside them."""
    study = Study(tuple(rows))
    ranking = sorted(study.ranking(), key=lambda entry: str(entry["label"]))
    front = {entry["label"] for entry in study.front()}
    families = {name: i for i, name in enumerate(dict.fromkeys(entry["method"] for entry in ranking))}
    entries = [*ranking, *([unmasked] if unmasked is not None else [])]
    across, risks = _axis([entry["risk"] for entry in entries], 0.0, 640.0)
    up, losses = _axis([entry["loss"] for entry in entries], 360.0, 0.0)
    points = tuple(
        Point(i, e["label"], e["method"], families[e["method"]], e["risk"], e["loss"], e["score"],
              across(e["risk"]), up(e["loss"]), e["label"] in front, e["draw"])
        for i, e in enumerate(ranking)
    )  # fmt: skip
    line = tuple((p.x, p.y) for p in sorted(points, key=lambda p: p.x) if p.front)
    failures = tuple((str(row["candidate"]), str(row["error"])) for row in study.failures)
    beside = None
    if unmasked is not None:
        risk, loss = unmasked["risk"], unmasked["loss"]
        beside = Point(
            -1, "the unmasked file", "unmasked", 0, risk, loss, unmasked["score"], across(risk), up(loss), False
        )
    return StudyMap(points, line, risks, losses, failures, len(rows), total, beside)


def _axis(
    values: Sequence[float], start: float, end: float
) -> tuple[Callable[[float], float], tuple[tuple[float, str], ...]]:
    """Return where a value is between `start` and `end`, and ticks from nought to a round number above the largest."""
    most = max(values, default=1.0) or 1.0
    step = float(10.0 ** np.floor(np.log10(most)))
    while most / step < 3:
        step /= 2
    top = float(np.ceil(most * 1.02 / step) * step)
    top = min(top, 100.0) if most <= 100 else top

    def place(value: float) -> float:
        return round(start + (end - start) * value / top, 1)

    return place, tuple((place(i * step), f"{i * step:g}") for i in range(round(top / step) + 1))
