"""Each intruder on his own: risks by what he knows, losses once, and the verdict on thresholds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from discreet import catalogue
from discreet.base import Engine, Measure
from discreet.engines.local import LocalEngine
from discreet.errors import DataError, DiscreetError, ParameterError, SchemaError, UnknownNameError
from discreet.evaluation.further_linkers import KNOWS_THE_MASKING, linked_by
from discreet.evaluation.headline import ALL_KEYS, MEASURED, headlines, seen_by
from discreet.evaluation.measuring import applicable, paired, take_measures
from discreet.evaluation.recoded import as_released
from discreet.evaluation.score import papers_score
from discreet.microdata import Microdata, microdata
from discreet.progress import report as report_progress
from discreet.protocol import Scenario, nearest
from discreet.results import Assessment, Masked, Verdict
from discreet.schema import Schema

__all__ = ["KNOWS_THE_MASKING", "assess_scenarios", "check_thresholds", "met_unmasked", "verify"]

_LEAVE_OUT = "Mask so that the measure can be computed, or take the threshold out."

_OF_SCORE = {"risk_at_most": "risk", "loss_at_most": "loss"}


def assess_scenarios(
    original: Any,
    masked: Any,
    scenarios: Sequence[Scenario] = (),
    *,
    schema: Schema | None = None,
    measures: Iterable[str] = (),
    engine: Engine | None = None,
) -> dict[str, Assessment]:
    """Assess a release once for each intruder.

    Parameters
    ----------
    original : Microdata or frame
    masked : Masked, Microdata or frame
        The same records in the same order, unless its provenance says which they are.
    scenarios : sequence of Scenario
        Without any, one intruder who knows every key.
    schema : Schema, optional
        For plain frames.
    measures : iterable of str
        Measures to add to those that are taken unasked.

    Returns
    -------
    dict of str to Assessment
        By scenario. In each, what the intruder knows is a key and every other key is not; the score's risk is the
        highest success of the scenario's linkers, on all that he knows, on parts of it, and of every other intruder
        whose knowledge is a part of his. Losses are those of the whole release and the same in all.

    Examples
    --------
    >>> from discreet.datasets import business
    >>> from discreet.masking.microaggregation.mdav import MDAV
    >>> data = business(60)
    >>> found = assess_scenarios(data, MDAV(k=4).mask(data), [Scenario("tax office", ("TURNOVER", "EMPLOYEES"))])
    >>> found["tax office"].known
    ('EMPLOYEES', 'TURNOVER')
    """
    whole = original if isinstance(original, Microdata) else microdata(original, schema)
    before, release = paired(whole, masked, schema)
    runner = engine or LocalEngine()
    if not before.schema.keys and not scenarios:
        raise SchemaError(
            "The schema names no key, so there is no intruder to measure against.",
            hint='Give role = "key" to what an intruder may know, or write a [[scenario]].',
        )
    intruders = list(scenarios) or [Scenario(ALL_KEYS, before.schema.keys)]
    added = tuple(measures)
    wanted, unfit = applicable(_chosen("loss", added), before, before, release)
    losses, lost = take_measures(wanted, before, release, engine=runner)
    known = as_released(before, release)
    taken = {}
    for done, intruder in enumerate(intruders):
        report_progress("attacking", done, len(intruders))
        table = seen_by(intruder.known, known)
        linked = {MEASURED.get(name) for name in intruder.linkers}
        possible = [m for m in _chosen("risk", added) if m.name not in MEASURED.values() or m.name in linked]
        wanted, unseen = applicable(possible, before, table, release)
        risks, without = take_measures(wanted, before, release, known=table, engine=runner)
        tables = (table if known is before else seen_by(intruder.known, before), table)
        for name in intruder.linkers:
            if name not in MEASURED and (found := linked_by(intruder, name, tables, release, runner)) is not None:
                risks.append(found)
        taken[intruder.name] = (risks, [*without, *unseen])
    scores = headlines(whole, before, release, intruders, known=known, taken=taken, losses=losses, engine=runner)
    report_progress("attacking", len(intruders), len(intruders))
    return {
        one.name: Assessment(
            len(before),
            tuple(name for name in before.schema.names if name in one.known),
            (*taken[one.name][0], *losses),
            scores[one.name][0],
            (*taken[one.name][1], *lost, *unfit),
            unmasked=scores[one.name][1],
            papers=papers_score([*taken[one.name][0], *losses]),
        )
        for one in intruders
    }


def _chosen(kind: str, added: tuple[str, ...]) -> list[Measure]:
    return [measure for name, cls in catalogue.measures(kind).items() if (measure := cls()).default or name in added]


def check_thresholds(thresholds: Mapping[str, float]) -> tuple[str, ...]:
    """Return the measures that thresholds ask for; one that does not exist is refused with the nearest name."""
    wanted = [name.removesuffix("_at_most") for name in thresholds if name not in (*_OF_SCORE, "smallest_group")]
    for name in wanted:
        if name not in catalogue.measures():
            raise UnknownNameError(
                f"[thresholds]: {name}_at_most names no measure.",
                hint=f"{nearest(name, [*catalogue.measures(), 'risk', 'loss'])}`discreet methods` lists the measures.",
            )
    return tuple(wanted)


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
        What :func:`assess_scenarios` gave.
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
    said = f"{earlier.value:.0f} records" if name == "smallest_group" else f"{earlier.value:.2f}"
    return f"The unmasked file, with {said}, meets this limit already: it asks for nothing." if earlier.met else ""


def _verdict(name: str, limit: float, after: Mapping[str, Assessment], masked: Masked | None) -> Verdict:
    if name == "smallest_group":
        return _smallest_group(limit, after, masked)
    found: dict[str, float] = {}
    measure = name.removesuffix("_at_most")
    unit, title = "%", f"The {measure}"
    for scenario, assessment in after.items():
        if name in _OF_SCORE:
            found[scenario] = float(getattr(assessment.score, _OF_SCORE[name]))
            continue
        for one in assessment.measurements:
            if one.name == measure:
                found[scenario], unit, title = one.value, one.unit, one.title
    reasons = [one.reason for a in after.values() for one in a.not_computed if one.name == measure]
    if reasons:
        raise DataError(f"[thresholds]: {name} cannot be verified: {reasons[0]}", hint=_LEAVE_OUT)
    if not found:
        raise ParameterError(
            f"[thresholds]: {name} cannot be verified, because {measure} does not apply to any scenario.",
            hint="Take the threshold out, or let a scenario know what the measure looks at.",
        )
    worst = max(found, key=lambda scenario: found[scenario])
    value = found[worst]
    met = value <= limit
    least = ""
    if name == "risk_at_most":
        partial = {scenario: one.score.incomplete for scenario, one in after.items() if one.score.incomplete}
        least = "at least " if worst in partial else ""
        if met and partial:
            scenario, absent = next(iter(partial.items()))
            # What is not in the risk might be what is high: the limit is neither met nor missed.
            raise DataError(
                f"{name} cannot be verified: the risk is at least {value:.2f} %, which is below the limit of {limit:g} "
                f"%, but not all of it could be computed (scenario {scenario!r}): {absent[0]}",
                hint=_LEAVE_OUT,
            )
    relation = "at most" if met else "above"
    where = f" (scenario {worst!r})" if len(found) > 1 and name != "loss_at_most" else ""
    return Verdict(
        name,
        value,
        limit,
        met,
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
    value, met = sizes[worst], sizes[worst] >= limit
    where = f" (scenario {worst!r})" if len(sizes) > 1 else ""
    relation = "at least" if met else "below"
    return Verdict(
        "smallest_group",
        float(value),
        limit,
        met,
        f"The smallest group of records with the same keys has {value}{where}, {relation} the limit of {limit:g}.",
    )
