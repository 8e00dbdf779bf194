"""Mask → attack → measure → score: the arrows in the middle of the sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from discreet import catalogue
from discreet.base import Engine, Linker, Masker, Measure
from discreet.cleaning import widened
from discreet.engines.local import LocalEngine
from discreet.errors import SchemaError, door
from discreet.evaluation.headline import ALL_KEYS, headlines
from discreet.evaluation.measuring import applicable, paired, take_measures
from discreet.evaluation.recoded import as_released
from discreet.evaluation.score import papers_score
from discreet.microdata import Microdata, microdata
from discreet.protocol import Scenario
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
        By default every measure that applies to the schema and needs nothing from you (`Measure.default`). The score is
        the same, whatever is listed here.

    Returns
    -------
    Assessment
        Its score is the worst case of an intruder who knows every key, and what the cells lost, with the same of the
        unmasked file beside it. What cannot be computed is in `not_computed`, with the reason: say, where suppression
        left a column without any value. A measure of several attributes leaves out the one without a value, and its
        sentence says so.
    """
    whole = original if isinstance(original, Microdata) else microdata(original, schema)
    before, release, known = _tables(whole, masked, schema)
    results, without = _measured(before, release, known, measures, engine)
    # What was asked for by name may look at a part of the keys: the headline then measures all of them itself.
    taken = (results, without) if measures is None else ((), ())
    intruder = Scenario(ALL_KEYS, before.schema.keys)
    score, unmasked = headlines(
        whole, before, release, [intruder], known=known, taken={ALL_KEYS: taken}, engine=engine or LocalEngine()
    )[ALL_KEYS]
    return Assessment(
        len(before), before.schema.keys, results, score, without, unmasked=unmasked, papers=papers_score(results)
    )


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
    before, release, known = _tables(original, masked, schema)
    return _measured(before, release, known, measures, engine)[0]


def _tables(original: Any, masked: Any, schema: Schema | None) -> tuple[Microdata, Masked | Microdata, Microdata]:
    """Return the original in the release's order, the release, and the original as an intruder makes it fit."""
    before, release = paired(original, masked, schema)
    if not before.schema.keys:
        raise SchemaError(
            "The schema names no key, so there is no intruder to measure against.",
            hint='Give role = "key" to what an intruder may know.',
        )
    return before, release, as_released(before, release)


def _measured(
    before: Microdata,
    release: Masked | Microdata,
    known: Microdata,
    measures: Sequence[str | Measure] | None,
    engine: Engine | None,
) -> tuple[tuple[Measurement, ...], tuple[NotComputed, ...]]:
    chosen: list[Measure] = []
    for item in measures if measures is not None else list(catalogue.measures()):
        one = item if isinstance(item, Measure) else catalogue.method("measure", item)()
        if measures is not None or one.default:
            chosen.append(one)
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
    return tuple(results), (*without, *unfit)
