"""Each intruder on his own: risks by what he knows, losses once, and the verdict on thresholds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from discreet import catalogue
from discreet.base import Engine, Measure
from discreet.engines.local import LocalEngine
from discreet.errors import DataError, ParameterError, SchemaError, UnknownNameError
from discreet.evaluation.measuring import applicable, paired, take_measures
from discreet.evaluation.recoded import as_released, fit_to_compare, without_gaps
from discreet.evaluation.score import mean_score
from discreet.microdata import Microdata
from discreet.progress import report as report_progress
from discreet.protocol import Scenario, nearest
from discreet.results import Assessment, Links, Masked, Measurement, Verdict
from discreet.schema import Schema

__all__ = ["KNOWS_THE_MASKING", "assess_scenarios", "check_thresholds", "verify"]

_MEASURED = {"distance": "distance-linkage", "probabilistic": "probabilistic-linkage"}
"""Linkers whose success is a measure already."""

KNOWS_THE_MASKING = {"masking-aware"}
"""Linkers that read off the provenance what each level can have become."""

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
        By scenario. In each, what the intruder knows is a key and every other key is not; the score's risk is the mean
        success of the scenario's linkers. Losses are those of the whole release and the same in all.

    Examples
    --------
    >>> from discreet.datasets import business
    >>> from discreet.masking.microaggregation.mdav import MDAV
    >>> data = business(60)
    >>> found = assess_scenarios(data, MDAV(k=4).mask(data), [Scenario("tax office", ("TURNOVER", "EMPLOYEES"))])
    >>> found["tax office"].known
    ('EMPLOYEES', 'TURNOVER')
    """
    before, release = paired(original, masked, schema)
    runner = engine or LocalEngine()
    if not before.schema.keys and not scenarios:
        raise SchemaError(
            "The schema names no key, so there is no intruder to measure against.",
            hint='Give role = "key" to what an intruder may know, or write a [[scenario]].',
        )
    intruders = list(scenarios) or [Scenario("all keys", before.schema.keys)]
    added = tuple(measures)
    wanted, unfit = applicable(_chosen("loss", added), before, before, release)
    losses, lost = take_measures(wanted, before, release, engine=runner)
    known = as_released(before, release)
    found: dict[str, Assessment] = {}
    for done, intruder in enumerate(intruders):
        report_progress("attacking", done, len(intruders))
        table = _as_seen_by(intruder, known)
        linked = {_MEASURED.get(name) for name in intruder.linkers}
        possible = [m for m in _chosen("risk", added) if m.name not in _MEASURED.values() or m.name in linked]
        wanted, unseen = applicable(possible, before, table, release)
        risks, without = take_measures(wanted, before, release, known=table, engine=runner)
        plain = table if known is before else _as_seen_by(intruder, before)
        tables = (plain, table)
        risks += [
            _linked(intruder, name, tables, release, runner) for name in intruder.linkers if name not in _MEASURED
        ]
        found[intruder.name] = Assessment(
            len(before),
            table.schema.keys,
            (*risks, *losses),
            mean_score([*risks, *losses]),
            (*without, *unseen, *lost, *unfit),
        )
    report_progress("attacking", len(intruders), len(intruders))
    return found


def _chosen(kind: str, added: tuple[str, ...]) -> list[Measure]:
    return [measure for name, cls in catalogue.measures(kind).items() if (measure := cls()).default or name in added]


def _as_seen_by(intruder: Scenario, table: Microdata) -> Microdata:
    for name in intruder.known:
        table.schema[name]
    roles = {name: "other" for name in table.schema.keys if name not in intruder.known}
    roles |= dict.fromkeys(intruder.known, "key")
    seen = Microdata(table.to_native(), table.schema.with_roles(**roles))
    seen.share_encoding(table)
    return seen


def _linked(
    intruder: Scenario, name: str, tables: tuple[Microdata, Microdata], release: Any, engine: Engine
) -> Measurement:
    """Return the success of a linker that no measure stands for, in the shape of one.

    `tables` are what the intruder knows, as it is, and recoded like the release for linkers that do not see how.
    """
    try:
        cls = catalogue.method("linker", name)
    except UnknownNameError as error:
        hint = nearest(name, catalogue.linkers()) + error.hint
        raise UnknownNameError(f"Scenario {intruder.name!r}: there is no linker {name!r}.", hint=hint) from None
    table = fit_to_compare(*tables, release) if name in KNOWS_THE_MASKING else tables[1]
    if cls.scales & {"numeric"} and cls.scales & {"nominal"}:
        table, release = without_gaps(table, release)
    names = table.schema.of_scale(*cls.scales, among=table.schema.keys)
    if not names:
        raise ParameterError(
            f"Scenario {intruder.name!r}: the linker {name!r} links {', '.join(sorted(cls.scales))} attributes, and "
            f"the intruder knows none.",
            hint="Leave the linker out of the scenario.",
        )
    linker = cls(attributes=list(names)) if "attributes" in cls.parameter_names() else cls()
    links: Links = linker.link(table, release, engine=engine)
    linked = links.evaluate()
    low, high = linked.interval()
    value = 100.0 * linked.rate
    return Measurement(
        name=f"{name}-linkage",
        title=f"Re-identified by {name} linkage",
        kind="risk",
        value=value,
        low=0.0,
        high=100.0,
        unit="%",
        sentence=(
            f"An intruder who knows {len(names)} keys of everybody and links by the method {name} re-identifies about "
            f"{linked.expected:.0f} of {linked.n} records ({value:.1f} %); guessing finds {linked.chance:.0f}."
        ),
        details={
            "known": list(names),
            "expected": linked.expected,
            "optimistic": linked.optimistic,
            "pessimistic": linked.pessimistic,
            "n": linked.n,
            "chance_percent": 100.0 * linked.chance / linked.n,
            "interval_percent": [100.0 * low, 100.0 * high],
        },
        in_score=True,
    )


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
    after: Mapping[str, Assessment] | Assessment, thresholds: Mapping[str, float], masked: Masked | None = None
) -> tuple[Verdict, ...]:
    """Compare a release with thresholds, by the scenario in which it does worst.

    Parameters
    ----------
    after : mapping of str to Assessment, or Assessment
        What :func:`assess_scenarios` gave.
    thresholds : mapping of str to float
        ``risk_at_most``: the score's risk. ``loss_at_most``: the score's loss. ``smallest_group``: the fewest records
        that share their known keys. ``<measure>_at_most``: any measure.
    masked : Masked, optional
        Where no measure counts records that share keys (sequences), the groups of the masking are taken.

    Returns
    -------
    tuple of Verdict
    """
    check_thresholds(thresholds)
    by_scenario = {"the release": after} if isinstance(after, Assessment) else dict(after)
    return tuple(_verdict(name, float(limit), by_scenario, masked) for name, limit in thresholds.items())


def _verdict(name: str, limit: float, after: Mapping[str, Assessment], masked: Masked | None) -> Verdict:
    if name == "smallest_group":
        return _smallest_group(limit, after, masked)
    found: dict[str, float] = {}
    measure = name.removesuffix("_at_most")
    unit, title = "%", f"The {measure}"
    for scenario, assessment in after.items():
        if name in _OF_SCORE:
            _refuse_partial(name, scenario, assessment)
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
    relation = "at most" if met else "above"
    where = f" (scenario {worst!r})" if len(found) > 1 and name != "loss_at_most" else ""
    return Verdict(
        name, value, limit, met, f"{title} is {value:.2f} {unit}{where}, {relation} the limit of {limit:g} {unit}."
    )


def _refuse_partial(name: str, scenario: str, assessment: Assessment) -> None:
    """Refuse to judge a risk without one of the measures that it is the mean of: it might be the one that is high."""
    kind = _OF_SCORE[name]
    for one in assessment.not_computed:
        if one.in_score and one.kind == kind == "risk":
            raise DataError(
                f"[thresholds]: {name} cannot be verified (scenario {scenario!r}): {one.title}: {one.reason}",
                hint=_LEAVE_OUT,
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
