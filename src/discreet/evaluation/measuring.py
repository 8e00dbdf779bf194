"""Measures on a release that may lack what they look at: what can be computed is, and the rest is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from discreet.base import Engine, Measure, aligned
from discreet.errors import DataError, MissingValueError
from discreet.evaluation.recoded import known_to_the_intruder
from discreet.microdata import Microdata
from discreet.progress import report
from discreet.results import Masked, Measurement, NotComputed
from discreet.schema import Schema

__all__ = ["applicable", "emptied", "paired", "take_measure", "take_measures"]

_NAMES = 5


def paired(original: Any, masked: Any, schema: Schema | None = None) -> tuple[Microdata, Masked | Microdata]:
    """Return the original in the order of the release, and the release as one in that order."""
    before, after = aligned(original, masked, schema)
    release = masked if isinstance(masked, Masked) else after
    if isinstance(release, Masked) and release.provenance.rows is not None:
        # The original is in the release's order now; it must not be put into that order a second time.
        release = replace(release, provenance=replace(release.provenance, rows=None))
    return before, release


def emptied(before: Microdata, release: Masked | Microdata, names: Sequence[str]) -> list[str]:
    """Return the attributes among `names` that have no value in one of the two files."""
    after = release.microdata if isinstance(release, Masked) else release
    return [n for n in names if n in after.schema and (before.missing(n).all() or after.missing(n).all())]


def take_measure(
    measure: Measure, before: Microdata, release: Masked | Microdata, engine: Engine | None = None
) -> Measurement:
    """Measure a release; a measure that has no rule for an attribute without any value leaves it out and says so.

    Raises
    ------
    MissingValueError
        Nothing is left that the measure could look at, or values are missing elsewhere.
    """
    try:
        return measure.measure(before, release, engine=engine)
    except MissingValueError:
        names = measure._candidates(before.schema)  # noqa: SLF001 - what it would look at
        empty = emptied(before, release, names)
        left = [name for name in names if name not in empty]
        if not empty or not left or "attributes" not in measure.parameter_names():
            raise
    narrower = measure.clone().set_params(attributes=left)
    found: Measurement = narrower.measure(before, release, engine=engine)
    verb = "has" if len(empty) == 1 else "have"
    return replace(
        found,
        sentence=f"{found.sentence} Not compared: {', '.join(empty)}, which {verb} no value left.",
        details={
            **found.details,
            "not_compared": [*found.details.get("not_compared", []), *empty],
            "emptied": empty,
        },
    )


def applicable(
    measures: Sequence[Measure], before: Microdata, known: Microdata, release: Masked | Microdata
) -> tuple[list[Measure], list[NotComputed]]:
    """Return the measures that fit the release, and those that fit the original alone, with the reason."""
    after = release.microdata if isinstance(release, Masked) else release
    fitting, without = [], []
    for one in measures:
        table = known if one.kind == "risk" else before
        if one.applies_to(table.schema, after.schema):
            fitting.append(one)
        elif one.applies_to(table.schema):
            names = one._candidates(table.schema)  # noqa: SLF001 - what it would look at
            shown = ", ".join(names[:_NAMES]) + (f" and {len(names) - _NAMES} more" if len(names) > _NAMES else "")
            verb = "is" if len(names) == 1 else "are"
            reason = f"{shown} {verb} released on a scale of another kind."
            without.append(NotComputed(one.name, one.title, one.kind, reason, in_score=one.in_score))
    return fitting, without


def take_measures(
    measures: Sequence[Measure],
    before: Microdata,
    release: Masked | Microdata,
    *,
    known: Microdata | None = None,
    engine: Engine | None = None,
    needed: bool = False,
    progress: bool = False,
) -> tuple[list[Measurement], list[NotComputed]]:
    """Take several measures, and say of those that cannot be computed why.

    Parameters
    ----------
    known : Microdata, optional
        What risks are measured against: the original as an intruder makes it fit the release
        (:func:`~discreet.evaluation.recoded.as_released`).
    needed : bool
        Whether a measure that cannot be computed is an error: somebody asked for it by name.
    progress : bool
        Whether to report each measure; not where many releases are measured.
    """
    results: list[Measurement] = []
    without: list[NotComputed] = []
    for done, one in enumerate(measures):
        if progress:
            report("measuring", done, len(measures))
        tables = (before, release)
        if one.kind == "risk":
            tables = known_to_the_intruder(one, before if known is None else known, release)
        try:
            results.append(take_measure(one, *tables, engine))
        except DataError as error:
            if needed:
                raise
            without.append(NotComputed(one.name, one.title, one.kind, error.message, in_score=one.in_score))
    if progress:
        report("measuring", len(measures), len(measures))
    return results, without
