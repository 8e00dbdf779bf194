"""Mask → attack → measure → score: the arrows in the middle of the sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from discreet import catalogue
from discreet.base import Engine, Linker, Masker, Measure
from discreet.cleaning import widened
from discreet.engines.local import LocalEngine
from discreet.errors import SchemaError, door
from discreet.evaluation.measuring import applicable, paired, take_measures
from discreet.evaluation.recoded import as_released
from discreet.evaluation.score import mean_score
from discreet.microdata import Microdata
from discreet.results import Assessment, Links, Masked, Measurement, NotComputed
from discreet.schema import Schema

__all__ = ["assess", "attack", "link", "measure", "protect"]


@door
def protect(
    data: Any,
    method: str | Masker = "mdav",
    *,
    schema: Schema | None = None,
    engine: Engine | None = None,
    **parameters: Any,
) -> Masked:
    """Mask a table with one method.

    Parameters
    ----------
    data : Microdata or frame
    method : str or Masker
        A registered name (``discreet.catalogue.maskers()``) with its `parameters`, or a masker that has them already.
    schema : Schema, optional
        For a plain frame.

    Examples
    --------
    >>> from discreet.datasets import business
    >>> protect(business(100), "mdav", k=4)
    Masked(100 records by mdav: EMPLOYEES, TURNOVER, ..., RESEARCH)
    """
    masker = method if isinstance(method, Masker) else catalogue.method("masker", method)(**parameters)
    return masker.mask(data, schema, engine=engine or LocalEngine())


@door
def attack(
    original: Any, masked: Any, linker: str | Linker = "distance", *, engine: Engine | None = None, **parameters: Any
) -> Links:
    """Link a release back to the original, as an intruder who holds the original keys would."""
    method = linker if isinstance(linker, Linker) else catalogue.method("linker", linker)(**parameters)
    if isinstance(original, Microdata) and isinstance(masked, Microdata):
        masked = widened(masked, original)  # a release that was read with its own schema
    return method.link(original, masked, engine=engine or LocalEngine())


@door
def link(
    a: Any, b: Any, linker: str | Linker = "probabilistic", *, engine: Engine | None = None, **parameters: Any
) -> Links:
    """Link two files of any size and coverage: for every record of `b`, whom it belongs to in `a`."""
    return attack(a, b, linker, engine=engine, **parameters)


@door
def assess(
    original: Any,
    masked: Any,
    *,
    schema: Schema | None = None,
    measures: Sequence[str | Measure] | None = None,
    engine: Engine | None = None,
) -> Assessment:
    """Measure what a release risks and what it lost, and score it.

    Parameters
    ----------
    original : Microdata or frame
    masked : Masked, Microdata or frame
        The same records in the same order.
    schema : Schema, optional
        For plain frames.
    measures : list of str or Measure, optional
        By default every measure that applies to the schema and needs nothing from you (`Measure.default`).

    Returns
    -------
    Assessment
        What cannot be computed is in `not_computed`, with the reason: say, where suppression left a column without any
        value. A measure of several attributes leaves out the one without a value, and its sentence says so.
    """
    before, results, without = _measured(original, masked, measures, schema, engine)
    return Assessment(len(before), before.schema.keys, results, mean_score(results), without)


@door
def measure(
    original: Any,
    masked: Any,
    measures: Sequence[str | Measure] | None = None,
    *,
    schema: Schema | None = None,
    engine: Engine | None = None,
) -> tuple[Measurement, ...]:
    """Measure a release without scoring it: any measures, of risk or loss alone.

    Parameters
    ----------
    original, masked, schema
        As for :func:`assess`.
    measures : list of str or Measure, optional
        By default every measure that applies to the schema and needs nothing from you (`Measure.default`).

    Examples
    --------
    >>> from discreet.datasets import business
    >>> companies = business(100)
    >>> [figure.value for figure in measure(companies, companies, ["sse", "distance-linkage"])]
    [0.0, 100.0]
    """
    return _measured(original, masked, measures, schema, engine)[1]


def _measured(
    original: Any,
    masked: Any,
    measures: Sequence[str | Measure] | None,
    schema: Schema | None,
    engine: Engine | None,
) -> tuple[Microdata, tuple[Measurement, ...], tuple[NotComputed, ...]]:
    before, release = paired(original, masked, schema)
    if not before.schema.keys:
        raise SchemaError(
            "The schema names no key, so there is no intruder to measure against.",
            hint='Give role = "key" to what an intruder may know.',
        )
    chosen: list[Measure] = []
    for item in measures if measures is not None else list(catalogue.measures()):
        one = item if isinstance(item, Measure) else catalogue.method("measure", item)()
        if measures is not None or one.default:
            chosen.append(one)
    known = as_released(before, release)
    unfit: list[NotComputed] = []
    if measures is None:
        chosen, unfit = applicable(chosen, before, known, release)
    results, without = take_measures(
        chosen,
        before,
        release,
        known=known,
        engine=engine or LocalEngine(),
        needed=measures is not None,
        progress=True,
    )
    return before, tuple(results), (*without, *unfit)
