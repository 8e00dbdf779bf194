"""Thresholds: whether an assessment keeps what was asked for, and whether the unmasked file does already."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from discreet import catalogue
from discreet.contracts.assessment import Assessment, Verdict
from discreet.contracts.masked import Masked
from discreet.errors import DataError, DiscreetError, ParameterError, UnknownNameError
from discreet.registry import did_you_mean

__all__ = ["check_thresholds", "met_unmasked", "verify"]

_LEAVE_OUT = "Mask so that the measure can be computed, or take the threshold out."


_OF_SCORE = {"risk_at_most": "risk", "loss_at_most": "loss"}


def check_thresholds(thresholds: Mapping[str, float]) -> tuple[str, ...]:
    """Return the measures that thresholds ask for; one that does not exist is refused with the nearest name."""
    measures = [name.removesuffix("_at_most") for name in thresholds if name not in (*_OF_SCORE, "smallest_group")]
    for name in measures:
        if name not in catalogue.measures():
            raise UnknownNameError(
                f"[thresholds]: {name}_at_most names no measure."
                f"{did_you_mean(name, [*catalogue.measures(), 'risk', 'loss'])}",
                hint="`discreet methods` lists the measures.",
            )
    return tuple(measures)


def verify(
    after: Mapping[str, Assessment] | Assessment,
    thresholds: Mapping[str, float],
    masked: Masked | None = None,
    before: Mapping[str, Assessment] | None = None,
) -> tuple[Verdict, ...]:
    """Compare a release with thresholds, by the scenario in which it does worst.

    Parameters
    ----------
    after : mapping of str to Assessment, or Assessment
        What :func:`assess_intruders` gave.
    thresholds : mapping of str to float
        ``risk_at_most``: the headline's risk, the worst case. ``loss_at_most``: the headline's loss.
        ``smallest_group``: the fewest records that share their known keys. ``<measure>_at_most``: any measure.
    masked : Masked, optional
        Where no measure counts records that share keys (sequences), the groups of the masking are taken.
    before : mapping of str to Assessment, optional
        The same of the unmasked file: a threshold that it meets already is said to ask for nothing.

    Returns
    -------
    tuple of Verdict

    Raises
    ------
    DataError
        What could be computed of a risk is below its limit, and something could not be computed: the limit is neither
        met nor missed.
    """
    check_thresholds(thresholds)
    by_scenario = {"the release": after} if isinstance(after, Assessment) else dict(after)
    verdicts = []
    for name, limit in thresholds.items():
        verdict = _verdict(name, float(limit), by_scenario, masked)
        earlier = _met_before(name, float(limit), by_scenario, before or {})
        verdicts.append(replace(verdict, sentence=f"{verdict.sentence} {earlier}") if earlier else verdict)
    return tuple(verdicts)


def met_unmasked(
    after: Mapping[str, Assessment], thresholds: Mapping[str, float], before: Mapping[str, Assessment] | None = None
) -> tuple[str, ...]:
    """Return the thresholds that the unmasked file meets already, so that they ask for nothing."""
    return tuple(name for name, limit in thresholds.items() if _met_before(name, float(limit), after, before or {}))


def _met_before(name: str, limit: float, after: Mapping[str, Assessment], before: Mapping[str, Assessment]) -> str:
    """Return that the unmasked file meets a threshold already, or nothing; a loss it has none."""
    if name == "risk_at_most":
        risks = [one.unmasked.risk for one in after.values() if one.unmasked is not None]
        if risks and max(risks) <= limit:
            return f"The unmasked file, with {max(risks):.2f} %, meets this limit already: it asks for nothing."
        return ""
    measure = name.removesuffix("_at_most")
    if (
        not before
        or name == "loss_at_most"
        or (name != "smallest_group" and catalogue.measures()[measure].kind != "risk")
    ):
        return ""
    try:
        earlier = _verdict(name, limit, before, None)
    except DiscreetError:  # what was not measured before masking says nothing
        return ""
    figure = f"{earlier.value:.0f} records" if name == "smallest_group" else f"{earlier.value:.2f}"
    return f"The unmasked file, with {figure}, meets this limit already: it asks for nothing." if earlier.met else ""


def _verdict(name: str, limit: float, after: Mapping[str, Assessment], masked: Masked | None) -> Verdict:
    if name == "smallest_group":
        return _smallest_group(limit, after, masked)
    by_scenario: dict[str, float] = {}
    measure = name.removesuffix("_at_most")
    unit, title = "%", f"The {measure}"
    for scenario, assessment in after.items():
        if name in _OF_SCORE:
            by_scenario[scenario] = float(getattr(assessment.score, _OF_SCORE[name]))
            continue
        for one in assessment.measurements:
            if one.name == measure:
                by_scenario[scenario], unit, title = one.value, one.unit, one.title
    reasons = [one.reason for a in after.values() for one in a.not_computed if one.name == measure]
    if reasons:
        raise DataError(f"[thresholds]: {name} cannot be verified: {reasons[0]}", hint=_LEAVE_OUT)
    if not by_scenario:
        raise ParameterError(
            f"[thresholds]: {name} cannot be verified, because {measure} does not apply to any scenario.",
            hint="Take the threshold out, or let a scenario know what the measure looks at.",
        )
    worst = max(by_scenario, key=lambda scenario: by_scenario[scenario])
    value = by_scenario[worst]
    within = value <= limit
    least = ""
    if name == "risk_at_most":
        partial = {scenario: one.score.incomplete for scenario, one in after.items() if one.score.incomplete}
        least = "at least " if worst in partial else ""
        if within and partial:
            scenario, absent = next(iter(partial.items()))
            # What is not in the risk might be what is high: the limit is neither met nor missed.
            raise DataError(
                f"{name} cannot be verified: the risk is at least {value:.2f} %, which is below the limit of {limit:g} "
                f"%, but not all of it could be computed (scenario {scenario!r}): {absent[0]}",
                hint=_LEAVE_OUT,
            )
    relation = "at most" if within else "above"
    where = f" (scenario {worst!r})" if len(by_scenario) > 1 and name != "loss_at_most" else ""
    return Verdict(
        name,
        value,
        limit,
        within,
        f"{title} is {least}{value:.2f} {unit}{where}, {relation} the limit of {limit:g} {unit}.",
    )


def _smallest_group(limit: float, after: Mapping[str, Assessment], masked: Masked | None) -> Verdict:
    sizes: dict[str, int] = {}
    for scenario, assessment in after.items():
        for one in assessment.measurements:
            if one.name == "k-anonymity":
                sizes[scenario] = int(one.details["smallest_group"])
    if not sizes and masked is not None and masked.labels is not None:
        sizes = {"the groups of the masking": int(masked.provenance.to_dict()["groups"]["smallest"])}
    if not sizes:
        raise ParameterError(
            "[thresholds]: smallest_group cannot be verified, because no scenario knows keys that can be counted."
        )
    worst = min(sizes, key=lambda scenario: sizes[scenario])
    value, enough = sizes[worst], sizes[worst] >= limit
    where = f" (scenario {worst!r})" if len(sizes) > 1 else ""
    relation = "at least" if enough else "below"
    return Verdict(
        "smallest_group",
        float(value),
        limit,
        enough,
        f"The smallest group of records with the same keys has {value}{where}, {relation} the limit of {limit:g}.",
    )
