"""Scores of the papers: one number out of losses and risks, 0 (best) to 100, with everything that went in.

What a release is judged by is the headline (:mod:`discreet.evaluation.headline`): the worst case of the risks, and what
every changed cell lost. Here are the scores of the papers, under their own names. Higher loss and higher risk are both
bad. Many measures overlap (means, quantiles and histograms all see the same shift), so a score is never the mean of
whatever was measured: the plain score takes the few measures that the papers average (``Measure.in_score``: IL1s for
numbers; Dist, CTBIL and EBIL for categories; distance-based and probabilistic linkage), the scores of Domingo-Ferrer
and Torra have their own lists, and a user's own score names its measures and weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from discreet import catalogue
from discreet.contracts.assessment import Score
from discreet.contracts.engine import Engine
from discreet.contracts.measurement import Measurement
from discreet.contracts.pairing import aligned
from discreet.data.microdata import Microdata
from discreet.data.schema import Schema
from discreet.errors import DataError, ParameterError, SchemaError
from discreet.progress import report
from discreet.statistics.correlations import correlations, covariances, off_diagonal
from discreet.typing import FloatArray

__all__ = [
    "categorical_score",
    "continuous_score",
    "mean_score",
    "papers_score",
    "relative_losses",
    "weighted_score",
]

_MOST_KNOWN = 7


def mean_score(measurements: Sequence[Measurement]) -> Score:
    """Return the papers' plain score: the mean of the mean loss and the mean risk.

    Parameters
    ----------
    measurements : sequence of Measurement
        At least one loss and one risk. Of each kind, those marked ``in_score`` are averaged; where none is marked (the
        user chose the measures), all of the kind are. A value beyond 100 counts as 100: the file is ruined either way.

    Notes
    -----
    0 would be a file that lost nothing and risks nothing; lower is better. A mean of risks is no promise: one linker
    may find everybody where another finds nobody, so that a release is judged by its worst case instead
    (:func:`~discreet.evaluation.headline.worst_case`). What is measured beside the ingredients is not averaged.

    References
    ----------
    Torra (2004), Microaggregation for categorical variables: a median based approach.

    Examples
    --------
    >>> from discreet.contracts.measurement import Measurement
    >>> loss = Measurement("il1s", "", "loss", 12.0, 0, 100, "%", "", in_score=True)
    >>> other = Measurement("means", "", "loss", 1.0, 0, 100, "%", "")
    >>> risk = Measurement("distance-linkage", "", "risk", 30.0, 0, 100, "%", "", in_score=True)
    >>> mean_score([loss, other, risk]).value  # of 12 and 30
    21.0
    """
    parts: dict[str, float] = {}
    ingredients: dict[str, float] = {}
    for kind in ("loss", "risk"):
        of_kind = [m for m in measurements if m.kind == kind]
        if not of_kind:
            raise DataError(f"The score needs at least one {kind}; none of the measures applies to this schema.")
        figures = {m.name: min(m.value, 100.0) for m in [m for m in of_kind if m.in_score] or of_kind}
        ingredients |= figures
        parts[kind] = sum(figures.values()) / len(figures)
    value = (parts["loss"] + parts["risk"]) / 2
    sentence = (
        f"The mean of information loss ({parts['loss']:.1f}) and disclosure risk ({parts['risk']:.1f}), each the mean "
        "of the papers' measures; 0 is best."
    )
    return Score("mean", value, parts["loss"], parts["risk"], sentence, ingredients)


def papers_score(measurements: Sequence[Measurement]) -> Score | None:
    """Return the papers' plain score (:func:`mean_score`), or None where a loss or a risk is not measured."""
    try:
        return mean_score(measurements)
    except DataError:
        return None


def weighted_score(measurements: Sequence[Measurement], weights: Mapping[str, float]) -> Score:
    """Return a user's own score: the weighted mean of chosen measures.

    Parameters
    ----------
    measurements : sequence of Measurement
    weights : dict of str to float
        By the measures' names; every name must have been measured, in percent. They need not sum to 1.

    Examples
    --------
    >>> from discreet.contracts.measurement import Measurement
    >>> loss = Measurement("il1s", "", "loss", 12.0, 0, 100, "%", "")
    >>> risk = Measurement("uniques", "", "risk", 30.0, 0, 100, "%", "")
    >>> weighted_score([loss, risk], {"il1s": 1, "uniques": 3}).value  # (12 + 3 · 30) / 4
    25.5
    """
    by_name = {m.name: m for m in measurements}
    for name, weight in weights.items():
        if isinstance(weight, bool) or not isinstance(weight, (int, float, np.number)) or not 0 <= weight < np.inf:
            raise ParameterError(f"weighted_score: the weight of {name!r} must be a number of at least 0.")
        if name not in by_name:
            raise ParameterError(f"weighted_score: {name!r} was not measured.", hint=f"Measured: {', '.join(by_name)}.")
        if by_name[name].unit != "%":
            raise ParameterError(f"weighted_score: {name!r} is in {by_name[name].unit or 'no unit'}, not in percent.")
    if not sum(weights.values()) > 0:
        raise ParameterError("weighted_score: weights must name a measure with a weight above 0.")
    capped = {name: min(by_name[name].value, 100.0) for name in weights}
    parts = {}
    for kind in ("loss", "risk"):
        names = [name for name in weights if by_name[name].kind == kind]
        total = sum(weights[name] for name in names)
        parts[kind] = sum(weights[name] * capped[name] for name in names) / total if total > 0 else 0.0
    value = sum(weights[name] * capped[name] for name in weights) / sum(weights.values())
    shares = ", ".join(f"{name} {100 * weights[name] / sum(weights.values()):.0f} %" for name in weights)
    return Score("weighted", float(value), parts["loss"], parts["risk"], f"The weighted mean of {shares}.", capped)


def continuous_score(
    original: Any,
    masked: Any,
    schema: Schema | None = None,
    *,
    known: Sequence[Sequence[str]] | None = None,
    engine: Engine | None = None,
) -> Score:
    """Return the score of Domingo-Ferrer and Torra for numbers: ``0.5 IL + 0.125 DLD + 0.125 PLD + 0.25 ID``.

    Parameters
    ----------
    original, masked : Microdata, Masked or frame
    schema : Schema, optional
        For plain frames.
    known : list of lists of str, optional
        What the intruder knows, one list a scenario; by default the first 1, 2, …, 7 numeric keys.
    engine : Engine, optional

    Notes
    -----
    IL is the mean of IL1 … IL5 (:func:`relative_losses`), each 100 at most; DLD and PLD are the percentages of correct
    distance-based and probabilistic links, averaged over the scenarios; ID is the rank interval disclosure. Which 1 … 7
    attributes the intruder knows is not settled in the paper; the order of the schema is taken.

    References
    ----------
    Domingo-Ferrer and Torra (2001), A quantitative comparison of disclosure control methods for microdata.
    """
    before, after = aligned(original, masked, schema)
    keys = before.schema.of_scale("numeric", among=before.schema.keys)
    scenarios = [list(names) for names in known or [keys[:k] for k in range(1, min(_MOST_KNOWN, len(keys)) + 1)]]
    if not keys or not all(scenarios):
        raise SchemaError("continuous_score: the schema names no numeric key.", hint="Use categorical_score.")
    losses = relative_losses(before, after, keys)
    linkages = {}
    for label, linker in (("dld", "distance"), ("pld", "probabilistic")):
        linkages[label] = _linked_percent(before, after, linker, scenarios, engine)
    disclosed = catalogue.method("measure", "rank-interval")(attributes=list(keys)).measure(before, after).value
    loss = sum(losses.values()) / len(losses)
    risk = 0.25 * linkages["dld"] + 0.25 * linkages["pld"] + 0.5 * disclosed
    sentence = (
        f"Half the information loss ({loss:.1f}), an eighth each of distance-based ({linkages['dld']:.1f}) and "
        f"probabilistic ({linkages['pld']:.1f}) linkage, a quarter of the interval disclosure ({disclosed:.1f}); "
        f"the intruder knows {len(scenarios[0])} to {len(scenarios[-1])} keys."
    )
    ingredients = {**losses, **linkages, "id": disclosed}
    return Score("continuous", 0.5 * loss + 0.5 * risk, loss, risk, sentence, ingredients)


def categorical_score(
    original: Any, masked: Any, schema: Schema | None = None, *, engine: Engine | None = None
) -> Score:
    """Return the score of Domingo-Ferrer and Torra for categories: the mean of loss and risk.

    Parameters
    ----------
    original, masked : Microdata, Masked or frame
    schema : Schema, optional
        For plain frames.
    engine : Engine, optional

    Notes
    -----
    Loss is the mean of Dist, CTBIL and EBIL, each in percent of what it can be; risk the mean of the percentages of
    correct distance-based and probabilistic links on all categorical keys.

    References
    ----------
    Domingo-Ferrer and Torra (2001), A quantitative comparison of disclosure control methods for microdata; Torra
    (2004), Microaggregation for categorical variables, section 4.1.
    """
    before, after = aligned(original, masked, schema)
    keys = before.schema.of_scale("ordinal", "nominal", among=before.schema.keys)
    if not keys:
        raise SchemaError("categorical_score: the schema names no categorical key.", hint="Use continuous_score.")
    losses = {
        name: catalogue.method("measure", name)(attributes=list(keys)).measure(original, masked, schema).value
        for name in ("dist", "ctbil", "ebil")
    }
    risks = {
        f"{linker}-linkage": _linked_percent(before, after, linker, [list(keys)], engine)
        for linker in ("distance", "probabilistic")
    }
    loss, risk = sum(losses.values()) / len(losses), sum(risks.values()) / len(risks)
    sentence = (
        f"The mean of information loss ({loss:.1f}: Dist, CTBIL, EBIL) and disclosure risk ({risk:.1f}: distance-based "
        f"and probabilistic linkage on {len(keys)} keys)."
    )
    return Score("categorical", (loss + risk) / 2, loss, risk, sentence, {**losses, **risks})


def relative_losses(before: Microdata, after: Microdata, names: Sequence[str]) -> dict[str, float]:
    """Return IL1 … IL5 of Domingo-Ferrer and Torra, in percent, each 100 at most.

    Mean relative differences of the values (IL1), means (IL2), covariances i ≤ j (IL3) and variances (IL4), and the
    mean absolute difference of correlations (IL5; 0 for a single attribute). What was 0 counts 0 where it stayed and 1
    where it did not; cells that are missing in either file are left out.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.microdata import microdata
    >>> a, b = pl.DataFrame({"x": [1.0, 2.5, 4.0]}), pl.DataFrame({"x": [1.5, 2.5, 3.0]})
    >>> losses = relative_losses(microdata(a), microdata(b), ["x"])
    >>> {name: round(loss, 2) for name, loss in losses.items()}  # 0.5/1, 0, 1/4; 2.5 → 2.33; 1.5 → 0.39
    {'il1': 25.0, 'il2': 6.67, 'il3': 74.07, 'il4': 74.07, 'il5': 0.0}
    """
    x, y = before.numeric(names), after.numeric(names)
    ones = np.ones(len(x))
    first, second = covariances(x, ones), covariances(y, ones)
    lower = np.tril_indices(len(names))
    single = len(names) < 2
    relations = 0.0 if single else float(np.abs(off_diagonal(correlations(x, ones) - correlations(y, ones))).mean())
    losses = {
        "il1": _relative(x, y),
        "il2": _relative(np.nanmean(x, axis=0), np.nanmean(y, axis=0)),
        "il3": _relative(first[lower], second[lower]),
        "il4": _relative(np.diagonal(first), np.diagonal(second)),
        "il5": relations,
    }
    return {name: min(100.0 * loss, 100.0) for name, loss in losses.items()}


def _relative(before: FloatArray, after: FloatArray) -> float:
    moved, size = np.abs(before - after), np.abs(before)
    ratio = np.where(size > 0, moved / np.where(size > 0, size, 1.0), (moved > 0).astype(np.float64))
    counted = ~np.isnan(moved)
    return float(ratio[counted].mean()) if counted.any() else 0.0


def _linked_percent(
    before: Microdata, after: Microdata, linker: str, scenarios: Sequence[Sequence[str]], engine: Engine | None
) -> float:
    rates: list[float] = []
    for count, names in enumerate(scenarios):
        report(f"{linker} linkage", count, len(scenarios))
        method = catalogue.method("linker", linker)(attributes=list(names))
        rates.append(100.0 * method.link(before, after, engine=engine).evaluate().rate)
    report(f"{linker} linkage", len(scenarios), len(scenarios))
    return sum(rates) / len(rates)
