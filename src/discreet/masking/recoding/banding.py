"""Numbers and dates put into bands: global recoding of what has no levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self, cast

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.masker import Masker
from discreet.contracts.plan import Plan, Scope
from discreet.data.block import Block
from discreet.data.scales import Moment, Numeric, Ordinal
from discreet.data.scales.precision import Fineness
from discreet.data.scales.semantics import IntervalSemantics
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, ParameterError
from discreet.masking.recoding.adjacent import merged_runs
from discreet.masking.recoding.band_names import Bands, band_names
from discreet.masking.recoding.band_rule import BandConstraint, BandRule, parting_number
from discreet.masking.recoding.best_bands import best_cuts
from discreet.masking.recoding.coding import FEWEST_CODED
from discreet.masking.recoding.stepped_bands import rule_bands
from discreet.parameters import AnyOf, ByName, Choice, Integer, Names, Optional
from discreet.parameters.declaration import parameter
from discreet.statistics.band_tallies import BandTallies, BandTally, DistinctNumbers, NumberCounts
from discreet.statistics.census import Census, Counted, Extent, Extents, Reach
from discreet.statistics.exact_sum import nearest
from discreet.statistics.question import Inquiry, Need
from discreet.statistics.rank_values import values_at_ranks
from discreet.typing import FloatArray

__all__ = ["Banding"]

_BY_SIGN = Bands((np.nextafter(0.0, 1.0),), low_open=True, high_open=True)
"""Numbers of 0 or less, and numbers above."""


@register("banding")
class Banding(Masker):
    """Numbers and dates released as the band they lie in.

    Keeps the order of bands, and every label true; destroys differences within a band.

    Parameters
    ----------
    bands : str, list, or dict of str to these
        For all numbers, or by attribute, and those that are not named then stay. Breaks ``"0,15,30,45,60,75+"``, with
        open ends ``<15`` and ``75+``; or how they are found: ``width:10`` (multiples of ten; ``width:1,90+`` with open
        ends), ``equal:5`` (five of one width or fewer), ``nice:10`` (at most ten, 1, 2 or 5 times a power of ten wide;
        months, quarters, years or decades of dates), ``log:6`` (widths that grow with the numbers), ``count:5`` (about
        equally many records), ``optimal:5`` (the least squared error of all ways to cut).
    release : {"label", "midpoint", "mean", "median"}
        As an ordered category, ``15–29``; or as a number, with the digits of the column: the middle of the band (its
        edge, where the other end is open), or the mean or median of its numbers, and the middle where they are fewer
        than three.
    min_count : int, optional
        The fewest records of a band: smaller ones are joined to the smaller of their neighbours, and ``optimal`` forms
        none. Of a single column; it promises nothing of several together.
    empty : {"keep", "refuse"}
        What is done where a band of the given breaks has no record: it stays a level, as it was named, with a note; or
        the table is refused.
    attributes : list of str, optional
        What to mask; by default every numeric key.

    Notes
    -----
    A band goes from its lower edge, which belongs to it, up to its upper edge, which does not; the last of given breaks
    without an open end belongs to the last band. Numbers outside of given breaks are counted and refused. No edge that
    is found is the least or the greatest number, or says where they are more closely than the band: widths have one
    digit, and an edge between two numbers is the shortest that parts them. Missing values stay missing. O(n); ``count``
    and medians ask for ranks in four passes, ``optimal`` takes O(N m log m) for m different numbers.

    References
    ----------
    Willenborg and de Waal (2001), Elements of Statistical Disclosure Control; Fisher (1958), On grouping for maximum
    homogeneity.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute("age", Numeric(), "key")])
    >>> people = pl.DataFrame({"age": [3, 15, 29, 30, 81]})
    >>> Banding("0,15,30,75+").mask(people, schema).to_native()["age"].to_list()
    ['0–14', '15–29', '15–29', '30–74', '75+']
    >>> Banding("width:20", release="midpoint").mask(people, schema).to_native()["age"].to_list()
    [10, 10, 30, 30, 90]
    """

    iso_20889: ClassVar[str] = "generalisation"
    need: ClassVar[Need] = Need.ORDER
    scales: ClassVar[frozenset[str]] = frozenset({"numeric"})
    perturbative: ClassVar[bool] = False
    handles_missing: ClassVar[bool] = True
    bands: str | Sequence[Any] | Mapping[str, str | Sequence[Any]] = parameter(
        AnyOf(ByName(BandConstraint()), BandConstraint()), default="nice:10", kw_only=False
    )
    release: Literal["label", "midpoint", "mean", "median"] = parameter(
        Choice(("label", "midpoint", "mean", "median")), default="label"
    )
    min_count: int | None = parameter(Optional(Integer(2)), default=None)
    empty: Literal["keep", "refuse"] = parameter(Choice(("keep", "refuse")), default="keep")
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)

    @property
    def makes_numbers(self) -> bool:  # type: ignore[override]
        """Whether numbers are released that were not in the column."""
        return self.release != "label"

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls("nice:6", min_count=4), cls("optimal:4", release="mean")]

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        names = self._named_columns(schema)
        if schema.weight in names and self.release == "label":
            raise ParameterError(
                f"Banding: {schema.weight!r} is the survey weight, which a label cannot be.",
                hint='Release a number for each band: release="midpoint", "mean" or "median" (/midpoint).',
            )
        return names

    def _named_columns(self, schema: Schema) -> tuple[str, ...]:
        if not isinstance(self.bands, Mapping):
            return super().columns_for(schema)
        strangers = [name for name in self.bands if self.attributes is not None and name not in self.attributes]
        if strangers:
            raise ParameterError(f"Banding: bands names {strangers[0]!r}, which is not masked.")
        named = self.clone().set_params(bands="nice:10", attributes=list(self.bands))
        return named.columns_for(schema)

    def _rule(self, name: str) -> BandRule:
        return BandRule.of(self.bands[name] if isinstance(self.bands, Mapping) else self.bands)

    # ----------------------------------------------------------------------------------------------------- planning

    def inquire(self, scope: Scope) -> Inquiry[_BandPlan]:
        names = scope.names
        counted: Counted = yield Census(names, None, names, ())
        extent: Extent = yield Extents(names)
        bands = yield from self._edges(scope.schema, names, counted.fineness, extent)
        tally: BandTally = yield BandTallies.of(bands)
        self._refuse_outside(bands, tally)
        if self.min_count is not None:
            bands = {name: one.joined(merged_runs(tally.counts[name].astype(np.float64), one.size, self.min_count))
                     for name, one in bands.items()}  # fmt: skip
            tally = yield BandTallies.of(bands)
        self._refuse_empty(bands, tally)
        notes = self._notes(bands, tally)
        values: dict[str, FloatArray] = {}
        declared: list[Attribute] = []
        if self.release == "label":
            for name, one in bands.items():
                declared.append(_labelled(scope.schema[name], one, counted.fineness[name]))
        else:
            values = yield from self._numbers(bands, tally, counted.fineness, scope.schema)
        details = {"bands": {name: one.size for name, one in bands.items()}}
        return _BandPlan(attributes=tuple(declared), details=details, notes=tuple(notes), bands=bands, values=values)

    def _edges(
        self, schema: Schema, names: tuple[str, ...], fine: Mapping[str, Fineness], extent: Extent
    ) -> Inquiry[dict[str, Bands]]:
        """Ask for what the edges follow from."""
        rules = {name: self._rule(name) for name in names}
        searched = tuple(name for name in names if rules[name].kind == "optimal")
        ranked = {
            name: _ranks(extent.columns[name].present, int(rules[name].number))
            for name in names
            if rules[name].kind == "count"
        }
        at_ranks = yield from values_at_ranks({name: ranks for name, ranks in ranked.items() if ranks})
        numbers: NumberCounts | None = (yield DistinctNumbers(searched)) if searched else None
        signs: BandTally | None = None
        positive = tuple(name for name in names if rules[name].kind == "log")
        if positive:
            signs = yield BandTallies.of(dict.fromkeys(positive, _BY_SIGN))
        bands: dict[str, Bands] = {}
        for name in names:
            rule, reach, scale = rules[name], extent.columns[name], cast("Numeric", schema[name].scale)
            if rule.kind != "breaks" and not reach.present:
                bands[name] = Bands((), low_open=True, high_open=True)
            elif rule.kind == "count":
                values = at_ranks.get(name, [])
                edges = [parting_number(a, b) if a < b else a for a, b in zip(values[::2], values[1::2], strict=True)]
                bands[name] = _between(edges, reach)
            elif rule.kind == "optimal":
                assert numbers is not None  # noqa: S101 - for the type checker: they were asked for
                levels, counts = numbers.columns[name]
                cuts = best_cuts(levels, counts, int(rule.number), self.min_count or 1)
                bands[name] = _between([parting_number(levels[cut - 1], levels[cut]) for cut in cuts], reach)
            else:
                lost = 0 if signs is None or name not in signs.counts else int(signs.counts[name][0])
                if lost and not isinstance(scale, Moment):
                    raise DataError(
                        f"Banding: {lost} of {reach.present} numbers of column {name!r} are 0 or less and have no "
                        "logarithm.",
                        hint="Use breaks, nice, count or optimal.",
                    )
                whole = fine[name].decimals == 0
                bands[name] = rule_bands("Banding", name, rule, scale, (reach.low, reach.high), whole=whole)
        return bands

    def _refuse_outside(self, bands: Mapping[str, Bands], tally: BandTally) -> None:
        for name in bands:
            outside = tally.outside[name]
            if outside:
                present = outside + int(tally.counts[name].sum())
                raise DataError(
                    f"Banding: {outside} of {present} numbers of column {name!r} lie outside of its breaks.",
                    hint="Open the ends: a first break <15 takes what is below, a last break 75+ what is above.",
                )

    def _refuse_empty(self, bands: Mapping[str, Bands], tally: BandTally) -> None:
        if self.empty == "keep":
            return
        for name, one in bands.items():
            vacant = int((tally.counts[name] == 0).sum())
            if vacant and self._rule(name).kind == "breaks" and tally.counts[name].any():
                raise DataError(
                    f"Banding: {vacant} of {one.size} bands of column {name!r} have no record.",
                    hint='Leave out a break, join small bands by min_count (/5), or keep it: empty="keep".',
                )

    def _notes(self, bands: Mapping[str, Bands], tally: BandTally) -> list[str]:
        notes = []
        for name, one in bands.items():
            counts = tally.counts[name]
            few = int(((counts > 0) & (counts < FEWEST_CODED)).sum())
            vacant = int((counts == 0).sum())
            records = int(counts[(counts > 0) & (counts < FEWEST_CODED)].sum())
            if few:
                stand = ", and are released by their middle" if self.release in ("mean", "median") else ""
                notes.append(
                    f"{name}: {few} of {one.size} bands have fewer than {FEWEST_CODED} records{stand}: {records} "
                    f"{'records stand' if records > 1 else 'record stands'} nearly alone in this column. "
                    f"min_count={FEWEST_CODED} (/{FEWEST_CODED}) joins such bands to their neighbours."
                )
            if vacant and counts.any():
                kept = "; the given breaks are kept as named" if self._rule(name).kind == "breaks" else ""
                notes.append(f"{name}: {vacant} of {one.size} bands have no record{kept}.")
            if one.size == 1:
                notes.append(f"{name} has one band and is constant now.")
        return notes

    def _numbers(
        self, bands: Mapping[str, Bands], tally: BandTally, fine: Mapping[str, Fineness], schema: Schema
    ) -> Inquiry[dict[str, FloatArray]]:
        """Ask for the number that stands for each band."""
        whole = {name: fine[name].unit == 1 and not isinstance(schema[name].scale, Moment) for name in bands}
        values = {name: one.middles(whole=whole[name]) for name, one in bands.items()}
        enough = {name: np.flatnonzero(tally.counts[name] >= FEWEST_CODED) for name in bands}
        if self.release == "mean":
            for name, places in enough.items():
                for place in places:
                    values[name][place] = nearest(tally.sums[name][place], int(tally.counts[name][place]))
        elif self.release == "median":
            ranks: dict[str, list[int]] = {}
            for name, places in enough.items():
                below = np.cumsum(tally.counts[name]) - tally.counts[name]
                ranks[name] = [
                    int(below[p] + half)
                    for p in places
                    for half in ((tally.counts[name][p] + 1) // 2, tally.counts[name][p] // 2 + 1)
                ]
            middle = yield from values_at_ranks({name: those for name, those in ranks.items() if those})
            for name, pairs in middle.items():
                values[name][enough[name]] = [a + (b - a) / 2 for a, b in zip(pairs[::2], pairs[1::2], strict=True)]
        # What is rounded to the digits of the column must not leave its band: 14.6 stands for numbers below 15.
        return {name: one.held(values[name], fine[name].unit) for name, one in bands.items()}

    # ----------------------------------------------------------------------------------------------------- applying

    def apply(self, plan: _BandPlan, block: Block) -> dict[str, Any]:
        released: dict[str, Any] = {}
        for name, one in plan.bands.items():
            numbers = block.original.encoded(name)
            places = one.places(numbers)
            outside = int((places == -2).sum())
            if outside:  # records of another table than the bands were found for
                raise DataError(
                    f"Banding: {outside} of {int((places != -1).sum())} numbers of column {name!r} lie beyond the "
                    "bands of the table that was fitted.",
                    hint='Give breaks with open ends, as in "<20,40,60+", or fit on a table that holds all records.',
                )
            if self.release == "label":
                released[name] = places.astype(np.int32)
            else:
                released[name] = np.where(places < 0, np.nan, plan.values[name][places])
        return released


@dataclass(frozen=True, kw_only=True)
class _BandPlan(Plan):
    """By attribute, its bands, and the number that stands for each where numbers are released."""

    bands: Mapping[str, Bands]
    values: Mapping[str, FloatArray]


def _ranks(present: int, bands: int) -> list[int]:
    """Return the ranks on either side of each cut into bands of equal count."""
    cuts = dict.fromkeys(round(place * present / bands) for place in range(1, bands))
    return [rank for cut in cuts if 0 < cut < present for rank in (cut, cut + 1)]


def _between(edges: Sequence[float], reach: Reach) -> Bands:
    """Return bands that are open at both ends: nobody's least and greatest number is an edge."""
    inner = sorted({edge for edge in edges if reach.low < edge <= reach.high})
    return Bands(tuple(inner), low_open=True, high_open=True)


def _labelled(attribute: Attribute, bands: Bands, fine: Fineness) -> Attribute:
    """Return the declaration of numbers that are released as the labels of their bands."""
    names = band_names(bands, cast("Numeric", attribute.scale), whole=fine.decimals == 0)
    semantics = None
    if not (bands.low_open or bands.high_open):
        semantics = IntervalSemantics(bands.edges[:-1], bands.edges[1:])
    missing = tuple(code for code in attribute.missing if code not in names)
    return replace(attribute, scale=Ordinal(names, semantics), missing=missing)
