"""Several linkers on one release: whom at least one of them finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.links import Linked
from discreet.contracts.measure import Pair, PairScope
from discreet.contracts.measurement import Measurement
from discreet.data.microdata import Microdata
from discreet.data.scales import GapFlag
from discreet.data.scales.gap_flag import flagged_by
from discreet.linkage.one_guess import one_guess
from discreet.measures.risk.directions import DIRECTIONS, TwoWayRisk
from discreet.measures.risk.linked import DistanceLinkageRisk, ProbabilisticLinkageRisk
from discreet.parameters import Names, Optional
from discreet.parameters.declaration import parameter
from discreet.statistics.different_pairs import DifferentPairs, PairRows
from discreet.typing import FloatArray

__all__ = ["CombinedLinkageRisk", "combined_linkage"]


@register("combined-linkage")
class CombinedLinkageRisk(TwoWayRisk):
    """Share of records that linkage by distance or linkage by agreement finds, in percent.

    The two re-identify different people: of more records than either finds, one of two guesses is right. The detail
    holds what an intruder finds who makes one guess a record, that of the linker which he has more reason to believe;
    this is what the headline counts.

    Parameters
    ----------
    attributes : list of str, optional
        What the intruder knows; by default every key.
    direction : {"worse", "release", "original"}
        What the intruder asks: of every released record whose it is, of every person which released record is theirs,
        or whichever finds more.

    Notes
    -----
    A record counts with the larger of its two chances: ties are broken alike in both ways, so that an unmasked file
    gives away no more than its keys tell apart. (:func:`~discreet.combine` breaks ties apart, as two people would, and
    so counts more.) Two guesses may both be made of k records that look alike: at most 2/k of them are found. With one
    guess (``details["percent_of_one_guess"]``) it is 1/k again: of both links that one is taken which is surer as
    :func:`~discreet.linkage.one_guess.sureness` says without knowing the truth, and that may be less than the better
    linker finds. Missing cells as in either linkage. The cost of both: an assessment makes them anyway, and puts this
    together from what they found. A model of all pairs needs all records at once.

    References
    ----------
    Domingo-Ferrer and Torra (2002), section 4: both ways of linking together find most.

    Examples
    --------
    >>> import polars as pl
    >>> a = pl.DataFrame({"x": [1.5, 2.0, 9.0, 8.5]})
    >>> CombinedLinkageRisk().measure(a, a).value
    100.0
    """

    title: ClassVar[str] = "Re-identified by combined linkage (two guesses)"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    formula: ClassVar[str] = "100 · max over directions of Σ max(chance by distance, chance by agreement) / n"
    reference: ClassVar[str] = "Domingo-Ferrer and Torra 2002"
    needs_numbers: ClassVar[bool] = True
    in_headline: ClassVar[bool] = True
    joins: ClassVar[tuple[str, ...]] = ("distance-linkage", "probabilistic-linkage")
    instead: ClassVar[str] = (
        "Agreements are weighed by a model of all pairs. Take it of a sample of the records, or distance-linkage, "
        "which looks for some among everybody."
    )
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)

    def _measure(self, pair: Pair) -> Measurement:
        first = DistanceLinkageRisk(attributes=pair.names)._measure(pair)  # noqa: SLF001 - the tables are checked
        plain = _with_gaps(pair)
        before, after = plain.original, plain.masked
        scope = PairScope(before.schema, after.schema, plain.names, len(before), plain.provenance, plain.engine)
        rows = PairRows(DifferentPairs(plain.names, plain.names), before, after, {}, None, None)
        second = ProbabilisticLinkageRisk(attributes=self.attributes, worst_case=False).conclude(rows, scope)
        joined = combined_linkage([first, second], self.direction)
        assert joined is not None  # noqa: S101 - for the type checker: both linked every record
        return joined

    def put_together(self, measurements: Sequence[Measurement]) -> Measurement | None:
        return combined_linkage(measurements, self.direction)


def combined_linkage(measurements: Sequence[Measurement], direction: str = "worse") -> Measurement | None:
    """Put together what several linkages of the same records found; None where one does not tell it by record.

    Parameters
    ----------
    measurements : sequence of Measurement
        Of linkages, each with what it found by direction.
    direction : {"worse", "release", "original"}
    """
    links = [tuple(one.found[name] for name in DIRECTIONS if name in one.found) for one in measurements]
    if len(links) < 2 or any(len(both) < 2 for both in links) or len({both[0].n_b for both in links}) > 1:
        return None
    names = DIRECTIONS if direction == "worse" else (direction,)
    linked, one_guess_each = {}, {}
    for name in names:
        place = DIRECTIONS.index(name)
        chances = np.stack([both[place].evaluate().probability for both in links])
        linked[name] = _either(chances)
        shares = one_guess([(both[0], both[1]) for both in links], place)
        one_guess_each[name] = 100.0 * float((shares * chances).sum(axis=0).mean())
    worst = max(names, key=lambda name: linked[name].rate)
    single = max(one_guess_each.values())
    known = [list(one.details["known"]) for one in measurements]
    every = list(dict.fromkeys(name for names in known for name in names))
    keys = "1 true key" if len(every) == 1 else f"{len(every)} true keys"
    ways = {one.name: one.value for one in measurements}
    measurement = CombinedLinkageRisk().told(
        f"An intruder who knows {keys} of everybody, and links by distance and by agreement,",
        linked,
        worst,
        {"known": every, "each_percent": ways, "percent_of_one_guess": single, "one_guess": one_guess_each},
        " A record counts that at least one of the two finds; with one guess a record, that of the linker which is "
        f"surer of it, he finds {single:.1f} %.",
    )
    left_out = [name for one in measurements for name in one.details.get("left_out", ())]
    return replace(measurement, details={**measurement.details, "left_out_by_one": left_out})


def _either(chances: FloatArray) -> Linked:
    """Return what is found by whichever way is better for a record; equal records are taken alike in all ways."""
    best = chances.max(axis=0)
    return Linked(
        expected=float(best.sum()),
        optimistic=int((best > 0).sum()),
        pessimistic=int((best == 1).sum()),
        n=best.size,
        chance=1.0,
        probability=best,
    )


def _with_gaps(pair: Pair) -> Pair:
    """Return tables in which filled numbers are missing again, without the flags that say so."""
    flags = [name for name in pair.names if name not in pair.declared]
    if not flags:
        return pair
    tables = [_emptied(table, pair.names) for table in (pair.original, pair.masked)]
    return Pair(tables[0], tables[1], pair.declared, pair.provenance, pair.engine)


def _emptied(table: Microdata, names: Sequence[str]) -> Microdata:
    values: dict[str, Any] = {}
    for flag in names:
        if isinstance(table.schema[flag].scale, GapFlag):
            name = flagged_by(flag)
            values[name] = np.where(table.encoded(flag) == 1, np.nan, table.encoded(name))
    return table.replacing(values)
