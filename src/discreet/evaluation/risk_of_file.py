"""Measure what one file would risk: one pass for every count, and models on top."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.contracts.assessment import Exposure, NotComputed
from discreet.contracts.engine import Engine, TablePair
from discreet.contracts.file_risk import FileRisk
from discreet.contracts.masked import Masked, release_of
from discreet.contracts.measure import Measure
from discreet.contracts.measurement import Measurement
from discreet.contracts.pairing import as_microdata
from discreet.data.microdata import Microdata
from discreet.data.schema import Schema
from discreet.data.table import StoredTable
from discreet.errors import DataError, DiscreetError, ParameterError, door, wrong_type
from discreet.evaluation.assessing import engine_for
from discreet.evaluation.exposure import expose
from discreet.evaluation.group_sizes import sizes_between
from discreet.io.reading import survey
from discreet.measures.risk.equal_keys import KAnonymityViolations
from discreet.measures.risk.household_risk import HouseholdRisk
from discreet.measures.risk.loglinear_risk import LogLinearRisk
from discreet.measures.risk.mahalanobis_intervals import MahalanobisIntervalDisclosure
from discreet.measures.risk.population_uniques import population_of
from discreet.measures.risk.special_uniques import SpecialUniques
from discreet.statistics import question
from discreet.statistics.class_sizes import Chances, ClassSizes, GuessChances, SizeTable
from discreet.statistics.counts import Counts
from discreet.statistics.key_frequencies import benedetti_franconi
from discreet.statistics.population_uniqueness import estimate_uniqueness
from discreet.statistics.question import Inquiry
from discreet.statistics.risk_threshold import threshold_for
from discreet.stopping import stoppable
from discreet.typing import FloatArray, IntArray

__all__ = ["risk"]

_BELOW = (2, 3, 5)
_MOST_KEYS = 62
_MOST_NUMBERS = 100_000
"""Records up to which neighbours among numbers are looked for unasked."""

_NO_FRACTION = (
    "Nothing says how many people the file was drawn from: declare the weight, or give fraction or population."
)


@door
@stoppable()
def risk(
    data: Any,
    schema: Schema | None = None,
    *,
    keys: Sequence[str] | None = None,
    weight: str | None = None,
    household: str | None = None,
    fraction: float | None = None,
    population: float | None = None,
    wanted: float | None = None,
    engine: Engine | None = None,
) -> FileRisk:
    """Say what releasing a file as it stands would risk, in one screen.

    Parameters
    ----------
    data : Microdata, Masked, frame, path or StoredTable
        One file, before or after masking.
    schema : Schema, optional
        For plain frames; what is not declared is inferred.
    keys : sequence of str, optional
        What an intruder may know, names or patterns; by default the keys of the schema.
    weight : str, optional
        The survey weight; by default that of the schema.
    household : str, optional
        What says which records belong together.
    fraction, population : float, optional
        The share of the population that is in the file, or its size, where there is no weight: figures about the
        population need one of them. They take the place of the weights where both are given.
    wanted : float, optional
        A share of re-identifications in the population, in percent: the result then tells above which individual risk
        records have to be protected for it.
    engine : Engine, optional

    Notes
    -----
    The headline is the worst of the expected re-identifications: as a rule those of an intruder who knows that a person
    is in the file. A missing cell is a value of its own, as the file shows it. Counts are taken in one pass at any
    size; special uniques, households and the riskiest keys need the keys in memory, up to a million records of files.
    O(records log records × keys), and the passes of SUDA2.

    Examples
    --------
    >>> import polars as pl
    >>> people = pl.DataFrame({"sex": list("ffmm"), "job": ["vet", "vet", "vet", "cook"]})
    >>> shown = risk(people, keys=["sex", "job"])
    >>> shown.value, dict(shown.below)  # 3 groups among 4 records
    (75.0, {2: 2, 3: 4, 5: 4})
    """
    if not isinstance(schema, (Schema, str, os.PathLike, type(None))):
        raise wrong_type("risk", "schema must be a Schema", schema, 'Schema([Attribute("age", Numeric(), "key")])')
    table = _declared(data, schema, keys, weight, household)
    home = table.schema.household
    n = len(table)
    share = _fraction(n, fraction, population)
    if wanted is not None and not 0.0 < wanted < 100.0:
        raise ParameterError("risk: wanted must be a percentage above 0 and below 100.")
    where = engine or engine_for(table)
    tables = TablePair(table, table)
    scope = KAnonymityViolations().scope(tables, None, where)
    names = scope.names
    rule = benedetti_franconi if share is None else _Grossed(share)
    inquiries: dict[str, Inquiry[Any]] = {
        "sizes": _asked(Counts(names, scope.weight, ClassSizes())),
        "chances": _asked(Counts(names, scope.weight, Chances(rule, ()))),
        "population": population_of(scope, share),
    }
    measures = _measures(table.schema, n, names, home, share, scope.weight)
    not_computed: list[NotComputed] = []
    if "suda2" not in measures:
        reason = f"SUDA2 looks at {_MOST_KEYS} keys at most; there are {len(names)}."
        not_computed.append(NotComputed("suda2", SpecialUniques.title, "risk", reason))
    for label, measure in measures.items():
        try:
            inquiries[label] = measure.measured(measure.scope(tables, None, where))
        except DiscreetError as error:
            not_computed.append(NotComputed(measure.name, measure.title, "risk", error.message))
    answers = where.answer(tables, inquiries)
    counted = _Counted(*(_needed(answers[name]) for name in ("sizes", "chances", "population")))
    measurements: dict[str, Measurement] = {}
    for label, measure in measures.items():
        answer = answers.get(label)
        if isinstance(answer, Measurement):
            measurements[label] = answer
        elif isinstance(answer, DataError):
            not_computed.append(NotComputed(measure.name, measure.title, "risk", answer.message))
        elif isinstance(answer, DiscreetError):
            raise answer
    exposure = _exposed(table, names, share, not_computed)
    known = share is not None or scope.weight is not None
    if not known:
        not_computed.append(NotComputed("population-uniques", "Alone in the population", "risk", _NO_FRACTION))
    return _concluded(n, names, counted, measurements, exposure, tuple(not_computed), wanted, share, known=known)


@dataclass(frozen=True, repr=False)
class _Counted:
    sizes: SizeTable
    chances: GuessChances
    population: float


@dataclass(frozen=True)
class _Grossed:
    """The chance of a guess where every record stands for equally many people."""

    fraction: float

    def __call__(self, sizes: IntArray, totals: FloatArray) -> FloatArray:  # noqa: ARG002
        return benedetti_franconi(sizes, sizes / self.fraction)


def _needed(answer: Any) -> Any:
    if isinstance(answer, DiscreetError):
        raise answer
    return answer


def _asked(one: Counts) -> Inquiry[Any]:
    return (yield one)


def _declared(
    data: Any, schema: Schema | None, keys: Sequence[str] | None, weight: str | None, household: str | None
) -> Microdata | StoredTable:
    """Return the table with the roles that were told."""
    data = release_of(data)
    told: dict[str, Any] = {"keys": keys, "weight": weight, "household": household}
    told = {name: value for name, value in told.items() if value is not None}
    if keys is not None and not len(keys):
        raise ParameterError("risk: keys must name at least one column.")
    table: Microdata | StoredTable
    if isinstance(data, StoredTable):
        if told:
            raise ParameterError(
                f"risk: {next(iter(told))} of a table in files is what its schema says.",
                hint="Declare it as you open the table.",
            )
        table = data
    elif told or isinstance(data, (str, os.PathLike)):
        table = survey(data.microdata if isinstance(data, Masked) else data, schema=schema, **told)
    else:
        table = as_microdata(data, schema)
    if not len(table):
        raise DataError("The table has no records.")
    return table


def _fraction(n: int, fraction: float | None, population: float | None) -> float | None:
    if fraction is not None and population is not None:
        raise ParameterError("risk: give fraction or population, not both.")
    if fraction is not None and not 0.0 < fraction <= 1.0:
        raise ParameterError("risk: fraction must be above 0 and at most 1.")
    if population is not None:
        if not population >= n or not np.isfinite(population):
            raise ParameterError(f"risk: population must be at least the {n} records of the file.")
        return n / float(population)
    return fraction


def _measures(
    schema: Schema, n: int, names: tuple[str, ...], home: str | None, share: float | None, weight: str | None
) -> dict[str, Measure]:
    known = share is not None or weight is not None
    result: dict[str, Measure] = {}
    if len(names) <= _MOST_KEYS:
        result["suda2"] = SpecialUniques(attributes=names, sampling_fraction=share)
    if home is not None:
        # Whoever knows that a household is in the file needs no sampling fraction.
        result["file household"] = HouseholdRisk(home, attributes=names, sampling_fraction=1.0)
        if known:
            result["household"] = HouseholdRisk(home, attributes=names, sampling_fraction=share)
    if known:
        result["loglinear"] = LogLinearRisk(attributes=names, sampling_fraction=share)
    numbers = schema.of_scale("numeric", among=schema.of_role("confidential"))
    if numbers and n <= _MOST_NUMBERS:
        result["numbers"] = MahalanobisIntervalDisclosure(attributes=numbers)
    return result


def _exposed(
    table: Microdata | StoredTable, names: tuple[str, ...], share: float | None, not_computed: list[NotComputed]
) -> Exposure | None:
    if isinstance(table, StoredTable):
        if len(table) > question.MOST_AT_ONCE:
            reason = f"the files have more than {question.MOST_AT_ONCE:,} records."
            not_computed.append(NotComputed("exposure", "Riskiest keys", "risk", reason))
            return None
        weight = () if table.schema.weight is None else (table.schema.weight,)
        table = table.in_memory((*names, *weight))
    weights = None if share is None else np.full(len(table), 1.0 / share)
    return expose(table, table, names, weights=weights)


def _concluded(
    n: int,
    names: tuple[str, ...],
    counted: _Counted,
    measurements: Mapping[str, Measurement],
    exposure: Exposure | None,
    not_computed: tuple[NotComputed, ...],
    wanted: float | None,
    share: float | None,
    *,
    known: bool,
) -> FileRisk:
    sizes, chances = counted.sizes, counted.chances
    expected = {"file": float(sizes.combinations.sum())}
    uniques: dict[str, float] = {}
    chosen, threshold = "", None
    if known:
        expected["population"] = min(chances.total, float(n))
        estimates = estimate_uniqueness(sizes, counted.population)
        inside = {name: estimates.of(name) for name in ("pitman", "zayatz", "snb")}
        alone = float(sizes.below(2))
        uniques = {k: min(u * n / estimates.population, alone) for k, u in inside.items() if u is not None}
        uniques["weights"] = alone * share if share is not None else sizes.alone
        if "loglinear" in measurements:
            uniques["loglinear"] = measurements["loglinear"].details["expected_population_uniques"]
        chosen = estimates.chosen
        if estimates.snb is None:
            reason = "the shifted negative binomial has no solution for these groups."
            not_computed = (*not_computed, NotComputed("snb", "Shifted negative binomial", "risk", reason))
        if wanted is not None and chances.values is not None and chances.records is not None:
            limit = threshold_for(chances.values, chances.records, wanted / 100.0)
            threshold = (float(wanted), 100.0 * limit)
    elif wanted is not None:
        raise ParameterError(f"risk: wanted is a share of the population's. {_NO_FRACTION}")
    for label in ("file household", "household"):
        if label in measurements:
            expected[label] = float(measurements[label].details["expected_reidentifications"])
    return FileRisk(
        n_records=n,
        keys=names,
        value=min(100.0 * max(expected.values()) / n, 100.0),
        sentence=_headline(n, expected, sizes),
        population=counted.population if known else None,
        below={k: sizes.below(k) for k in _BELOW},
        groups=int(sizes.combinations.sum()),
        sizes=sizes_between(sizes.sizes, sizes.combinations, sizes.records),
        expected=expected,
        highest=100.0 * (chances.highest if known else 1.0 / float(sizes.sizes[0])),
        uniques=uniques,
        chosen=chosen,
        threshold=threshold,
        measurements=tuple(m for label, m in measurements.items() if label != "file household"),
        exposure=exposure,
        not_computed=not_computed,
    )


def _headline(n: int, expected: dict[str, float], sizes: SizeTable) -> str:
    who = max(expected, key=lambda name: expected[name])
    whose = {
        "file": "by an intruder who knows who is in the file",
        "population": "by an intruder who does not know who is in the file",
        "file household": "through a member of their household by an intruder who knows who is in the file",
        "household": "through a member of their household",
    }[who]
    count, alone = expected[who], sizes.below(2)
    uniques = "1 is the only one with its keys" if alone == 1 else f"{alone:,} are the only ones with their keys"
    return (
        f"{100 * count / n:.2f} % of the records ({count:,.1f} of {n:,}) are expected to be re-identified {whose}; "
        f"{uniques}."
    )
