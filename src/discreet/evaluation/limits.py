"""What a candidate must keep: thresholds as constraints, the best among those that meet them, or the nearest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from discreet import catalogue
from discreet.contracts.engine import Engine
from discreet.contracts.intruder import Intruder
from discreet.contracts.masked import Masked
from discreet.data.microdata import Microdata
from discreet.errors import DataError, ParameterError
from discreet.evaluation.attacking import seen_by
from discreet.evaluation.measuring import applicable, take_measures
from discreet.evaluation.thresholds import check_thresholds
from discreet.typing import Json

__all__ = ["LimitChoice", "check_constraints", "choose", "excess", "limited_figures", "misses", "penalty"]

OF_SCORE = {"risk_at_most": "risk", "loss_at_most": "loss"}
GROUP = "smallest_group"
_PERCENT = 4.0  # points that a point of risk or loss above its ceiling counts for, where candidates are put in order
_WHOLE = 25.0  # points that a figure counts for which is off by its whole limit


def check_constraints(owner: str, thresholds: Mapping[str, float]) -> None:
    """Refuse thresholds that name nothing or are no numbers."""
    for name, limit in thresholds.items():
        if name != GROUP and not name.endswith("_at_most"):
            raise ParameterError(
                f"{owner}: unknown threshold {name!r}.",
                hint="smallest_group, risk_at_most, loss_at_most, or a measure's.",
            )
        if isinstance(limit, bool) or not isinstance(limit, (int, float)):
            raise ParameterError(f"{owner}: {name} must be a number; got {limit!r}.")
        if name in OF_SCORE and not 0 <= limit <= 100:
            raise ParameterError(f"{owner}: {name} must be a number between 0 and 100; got {limit!r}.")
    check_thresholds(thresholds)


def limited_figures(
    names: Sequence[str],
    before: Microdata,
    release: Masked | Microdata,
    recoded: Microdata,
    intruders: Sequence[Intruder],
    engine: Engine,
) -> dict[str, float]:
    """Return what thresholds beside those of risk and loss ask for, by the intruder for whom it is worst.

    The figures are those that :func:`~discreet.evaluation.thresholds.verify` compares with the limits.
    """
    figures: dict[str, float] = {}
    for name in names:
        if name in OF_SCORE:
            continue
        measure = catalogue.method("measure", "k-anonymity" if name == GROUP else name.removesuffix("_at_most"))()
        risk = measure.kind == "risk"
        values: list[float] = []
        for one in intruders if risk else intruders[:1]:
            table = seen_by(one.known, recoded) if risk else before
            fitting, _ = applicable([measure], before, table, release)
            taken, absent = take_measures(fitting, before, release, known=table if risk else None, engine=engine)
            if absent:
                raise DataError(f"{name} cannot be verified: {absent[0].reason}")
            values += [float(m.details["smallest_group"]) if name == GROUP else m.value for m in taken]
        if not values and name == GROUP and isinstance(release, Masked) and release.labels is not None:
            values = [float(release.provenance.to_dict()["groups"]["smallest"])]
        if not values:
            raise DataError(f"{name} cannot be verified: it does not apply to what any intruder knows.")
        figures[f"threshold_{name}"] = min(values) if name == GROUP else max(values)
    return figures


def excess(figures: Mapping[str, float], thresholds: Mapping[str, float]) -> dict[str, tuple[float, float, float]]:
    """Return by threshold that is missed the figure, the limit, and by how much in points."""
    result = {}
    for name, limit in thresholds.items():
        value = figures.get(OF_SCORE.get(name, f"threshold_{name}"))
        if value is None:
            continue
        beyond = limit - value if name == GROUP else value - limit
        if beyond > 0:
            points = _PERCENT * beyond if name in OF_SCORE else _WHOLE * min(beyond / max(abs(limit), 1e-9), 4.0)
            result[name] = (value, float(limit), points)
    return result


def penalty(figures: Mapping[str, float], thresholds: Mapping[str, float]) -> float:
    """Return the points by which thresholds are missed, all together."""
    return sum(points for _, _, points in excess(figures, thresholds).values())


def misses(figures: Mapping[str, float], thresholds: Mapping[str, float]) -> tuple[str, ...]:
    """Return a sentence for every threshold that is missed.

    Examples
    --------
    >>> misses({"risk": 31.25, "threshold_smallest_group": 1}, {"risk_at_most": 20, "smallest_group": 3})
    ('risk 31.25 % (at most 20)', 'smallest group 1 (at least 3)')
    """
    sentences = []
    for name, (value, limit, _) in excess(figures, thresholds).items():
        if name == GROUP:
            sentences.append(f"smallest group {value:.0f} (at least {limit:g})")
        else:
            unit = " %" if name in OF_SCORE else ""
            sentences.append(f"{name.removesuffix('_at_most')} {value:.2f}{unit} (at most {limit:g})")
    return tuple(sentences)


@dataclass(frozen=True)
class LimitChoice:
    """The candidate to release with, and whether it keeps what was asked for.

    Attributes
    ----------
    entry : dict
        Of the ranking of a study.
    misses : tuple of str
        What it misses; empty where it meets every threshold. Then no candidate meets all, and this one came nearest.
    """

    entry: Json
    misses: tuple[str, ...] = ()

    @property
    def met(self) -> bool:
        """Whether every threshold is met."""
        return not self.misses


def choose(entries: Sequence[Json], thresholds: Mapping[str, float]) -> LimitChoice:
    """Return the candidate that loses least among those that meet all thresholds, or the one that comes nearest.

    Without a threshold, the one with the best score. A candidate of several draws must meet them by its mean and by
    the draw that would be adopted.
    """
    absent = [
        name for name in thresholds if any(OF_SCORE.get(name, f"threshold_{name}") not in entry for entry in entries)
    ]
    if absent:
        raise ParameterError(
            f"The study has no figures for {absent[0]}.", hint="Give the thresholds to compare(…, thresholds=…) too."
        )
    if not thresholds:
        return LimitChoice(min(entries, key=lambda entry: (entry["score"], entry["risk"], entry["label"])))

    def off(entry: Json) -> float:
        return max(penalty(entry, thresholds), penalty({**entry, **entry.get("draw", {})}, thresholds))

    best = min(entries, key=lambda entry: (off(entry), entry["loss"], entry["risk"], entry["label"]))
    figures = max((best, {**best, **best.get("draw", {})}), key=lambda one: penalty(one, thresholds))
    return LimitChoice(best, misses(figures, thresholds))
