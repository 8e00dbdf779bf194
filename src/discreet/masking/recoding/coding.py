"""Top and bottom coding: the extremes of a scale become one value."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, cast

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.masker import Masker
from discreet.contracts.plan import Scope
from discreet.data.block import Block
from discreet.data.scales import Categorical
from discreet.data.schema import Schema
from discreet.errors import ParameterError
from discreet.masking.recoding.level_change import LevelChange, LevelPlan, merge_into
from discreet.operators.numbers.means import NumericMedian
from discreet.parameters import AnyOf, ByName, Choice, Integer, Names, Number, Optional, Text
from discreet.parameters.declaration import parameter
from discreet.statistics.census import Extent, Extents
from discreet.statistics.exact_sum import exact_sums, nearest
from discreet.statistics.question import Inquiry, Need
from discreet.statistics.rank_values import values_at_ranks

__all__ = ["FEWEST_CODED", "BottomCoding", "TopCoding"]

FEWEST_CODED = 3
"""The fewest coded numbers whose mean or median is released: that of one is its value, that of two tells either."""


class _Coding(Masker):
    """What top and bottom coding share; `_sign` is 1 where high values are coded and −1 where low ones are."""

    iso_20889: ClassVar[str] = "generalisation: top and bottom coding"
    need: ClassVar[Need] = Need.ORDER
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    perturbative: ClassVar[bool] = False
    handles_missing: ClassVar[bool] = True
    touches_all: ClassVar[bool] = False
    p: int | Mapping[str, int] = parameter(AnyOf(Integer(1), ByName(Integer(1))), default=1, kw_only=False)
    share: float = parameter(Number(0, 1, open_low=True, open_high=True), default=0.05)
    threshold: float | Mapping[str, float] | None = parameter(Optional(AnyOf(Number(), ByName(Number()))), default=None)
    replacement: Literal["threshold", "mean", "median"] = parameter(
        Choice(("threshold", "mean", "median")), default="threshold"
    )
    category: str | None = parameter(Optional(Text("the name of the new category")), default=None)
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    strata: Sequence[str] | None = parameter(Optional(Names()), default=None)
    _sign: ClassVar[int]

    @property
    def makes_numbers(self) -> bool:  # type: ignore[override]
        """Whether a mean or median is released, which was not in the column; a threshold is what the user chose."""
        return self.replacement != "threshold"

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(2), cls(9, share=0.2, replacement="mean")]

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        names = super().columns_for(schema)
        for option in ("p", "threshold"):
            setting = getattr(self, option)
            strangers = [name for name in setting if name not in names] if isinstance(setting, Mapping) else []
            if strangers:
                raise ParameterError(
                    f"{type(self).__name__}: {option} names {len(strangers)} attributes that are not masked, "
                    f"the first {strangers[0]!r}."
                )
        if self.category is not None and not schema.of_scale("ordinal", "nominal", among=names):
            bands = "width:1,90+" if self._sign > 0 else "width:1,<18"
            raise ParameterError(
                f"{type(self).__name__}: category must be None where only numbers are coded, which stay numbers.",
                hint=f"For a text use banding, which makes the column one of labels (--recode 'age={bands}').",
            )
        return names

    def chosen_numbers(self, name: str) -> tuple[float, ...]:
        threshold = self.threshold.get(name) if isinstance(self.threshold, Mapping) else self.threshold
        return () if threshold is None else (float(threshold),)

    def inquire(self, scope: Scope) -> Inquiry[_CodingPlan]:
        changes, notes = self._merged_levels(scope)
        numbers = scope.schema.of_scale("numeric", among=scope.names)
        thresholds = {name: _for(self.threshold, name, None) for name in numbers}
        extent: Extent = yield Extents(numbers)
        ranks = {}
        for name, threshold in thresholds.items():
            present = extent.columns[name].present
            if threshold is None and present:
                ranks[name] = [self._rank(present, math.ceil(self.share * present))]
        quantiles = yield from values_at_ranks(ranks)
        numeric = {name: float(value) for name, value in thresholds.items() if value is not None}
        numeric |= {name: values[0] for name, values in quantiles.items()}
        replacements = dict(numeric)
        if self.replacement != "threshold" and numeric:
            beyond: _Tails = yield _Beyond(self._sign, tuple(numeric.items()))
            replacements |= yield from self._replaced(extent, beyond)
        plan = LevelPlan.of(changes, notes=notes)
        return _CodingPlan(
            tables=plan.tables,
            transitions=plan.transitions,
            attributes=plan.attributes,
            notes=plan.notes,
            numbers=numbers,
            thresholds=numeric,
            replacements=replacements,
        )

    def _rank(self, present: int, place: int) -> int:
        """Return the rank of the value that is so many places from the end that is coded."""
        return present - place + 1 if self._sign > 0 else place

    def _replaced(self, extent: Extent, beyond: _Tails) -> Inquiry[dict[str, float]]:
        """Ask what stands for the numbers beyond each threshold; too few of them are told by the threshold alone."""
        counts = {name: count for name, (count, _) in beyond.tails.items() if count >= FEWEST_CODED}
        if self.replacement == "mean":
            return {name: nearest(beyond.tails[name][1], count) for name, count in counts.items()}
        ranks = {
            name: [self._rank(extent.columns[name].present, place) for place in ((count + 1) // 2, count // 2 + 1)]
            for name, count in counts.items()
        }
        middle = yield from values_at_ranks(ranks)
        return {name: float(NumericMedian()(np.array(values))) for name, values in middle.items()}

    def _merged_levels(self, scope: Scope) -> tuple[dict[str, LevelChange], list[str]]:
        """Return what becomes of the categorical attributes, and what the user should know of it."""
        changes: dict[str, LevelChange] = {}
        constant, unordered = [], []
        for name in scope.schema.of_scale("ordinal", "nominal", among=scope.names):
            attribute = scope.schema[name]
            size = len(cast("Categorical", attribute.scale))
            p = _for(self.p, name, 1)
            constant += [name] if p >= size else []
            unordered += [] if attribute.scale.ordered else [name]
            coded = np.arange(size)[-min(p, size) :] if self._sign > 0 else np.arange(size)[: min(p, size)]
            # The level nearest to those that stay stands for all of them, so that the scale need not change.
            stands = int(coded[0] if self._sign > 0 else coded[-1])
            changes[name] = merge_into(attribute, coded, stands, self.category)
        notes = []
        if constant:
            notes.append(f"Attributes with p levels or fewer, now constant ({len(constant)}): {', '.join(constant)}.")
        if unordered:
            notes.append(
                f"Unordered attributes, coded in the order in which their levels are declared ({len(unordered)}): "
                f"{', '.join(unordered)}."
            )
        return changes, notes

    def apply(self, plan: _CodingPlan, block: Block) -> dict[str, Any]:
        values: dict[str, Any] = {name: table[block.original.encoded(name)] for name, table in plan.tables.items()}
        for name in plan.numbers:
            numbers = block.original.encoded(name)
            if name in plan.thresholds:
                beyond = self._sign * numbers >= self._sign * plan.thresholds[name]
                numbers = np.where(beyond, plan.replacements[name], numbers)
            values[name] = numbers
        return values


@dataclass(frozen=True, kw_only=True)
class _CodingPlan(LevelPlan):
    """Where levels go; from where on numbers are coded, and as what."""

    numbers: tuple[str, ...]
    thresholds: Mapping[str, float]
    replacements: Mapping[str, float]


@dataclass(frozen=True)
class _Tails:
    """By column, how many numbers lie beyond its threshold, and their exact sum."""

    tails: Mapping[str, tuple[int, int]]

    def merge(self, later: _Tails, /) -> _Tails:
        return _Tails({n: (a + later.tails[n][0], b + later.tails[n][1]) for n, (a, b) in self.tails.items()})


@dataclass(frozen=True)
class _Beyond:
    """The numbers beyond thresholds: above them where `sign` is 1, below them where it is −1."""

    sign: int
    thresholds: tuple[tuple[str, float], ...]

    @property
    def original(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.thresholds)

    released: ClassVar[tuple[str, ...]] = ()

    def summarise(self, block: Block, /) -> _Tails:
        tails = {}
        for name, threshold in self.thresholds:
            column = block.original.encoded(name)
            beyond = column[self.sign * column >= self.sign * threshold]
            tails[name] = int(beyond.size), exact_sums(beyond, np.zeros(beyond.size, dtype=np.int64), 1)[0]
        return _Tails(tails)


@register("top-coding")
class TopCoding(_Coding):
    """The highest levels, or the largest numbers, become one value.

    Keeps everything below the threshold as it is; destroys the upper tail, which is where rare and famous records are.

    Parameters
    ----------
    p : int or dict of str to int
        How many of the highest levels of a categorical attribute are merged.
    share : float
        For numbers without a threshold: the share of the records with the largest values that is coded.
    threshold : float or dict of str to float, optional
        For numbers: what is at least this large is coded.
    replacement : {"threshold", "mean", "median"}
        What coded numbers are released as: the threshold, or the mean or median of the coded ones, with the digits of
        the column; the threshold where fewer than three are coded.
    category : str, optional
        The name of the merged category, of categories only: for “90+” in a column of numbers take `banding` with
        ``"width:1,90+"``. Without it the lowest merged level stands for all of them, and the scale of the
        release is that of the original, so that the two can be compared.
    strata : list of str, optional
        Find the threshold of a share of the records, and its replacement, within each combination of these.
    attributes : list of str, optional
        What to mask; by default every key that is no sequence.

    Notes
    -----
    O(n) for levels, O(n log n) for numbers. With `p` at least the number of levels the attribute becomes constant; a
    note says so. The levels of an unordered attribute are taken in the order in which they are declared; a note says
    so. Missing values stay missing.

    References
    ----------
    Torra (2004), Microaggregation for categorical variables, section 4.1; Domingo-Ferrer and Torra (2001).

    Examples
    --------
    >>> import polars as pl
    >>> wages = pl.DataFrame({"wage": [10.0, 11.0, 12.0, 50.0, 52.0, 53.0]})
    >>> TopCoding(threshold=40).fit_transform(wages)["wage"].to_list()
    [10.0, 11.0, 12.0, 40.0, 40.0, 40.0]
    >>> TopCoding(share=0.5, replacement="mean").fit_transform(wages)["wage"].to_list()
    [10.0, 11.0, 12.0, 52.0, 52.0, 52.0]
    """

    _sign: ClassVar[int] = 1


@register("bottom-coding")
class BottomCoding(_Coding):
    """The lowest levels, or the smallest numbers, become one value.

    Keeps everything above the threshold as it is; destroys the lower tail.

    Parameters
    ----------
    p : int or dict of str to int
        How many of the lowest levels of a categorical attribute are merged.
    share : float
        For numbers without a threshold: the share of the records with the smallest values that is coded.
    threshold : float or dict of str to float, optional
        For numbers: what is at most this large is coded.
    replacement : {"threshold", "mean", "median"}
        What coded numbers are released as: the threshold, or the mean or median of the coded ones, with the digits of
        the column; the threshold where fewer than three are coded.
    category : str, optional
        The name of the merged category, of categories only: for “<18” in a column of numbers take `banding` with
        ``"width:1,<18"``. Without it the highest merged level stands for all of them, and the scale of
        the release is that of the original.
    strata : list of str, optional
        Find the threshold of a share of the records, and its replacement, within each combination of these.
    attributes : list of str, optional
        What to mask; by default every key that is no sequence.

    Notes
    -----
    As for top coding.

    References
    ----------
    Torra (2004), Microaggregation for categorical variables, section 4.1; Domingo-Ferrer and Torra (2001).

    Examples
    --------
    >>> import polars as pl
    >>> wages = pl.DataFrame({"wage": [10.0, 11.0, 12.0, 50.0, 54.0]})
    >>> BottomCoding(threshold=11.5).fit_transform(wages)["wage"].to_list()
    [11.5, 11.5, 12.0, 50.0, 54.0]
    """

    _sign: ClassVar[int] = -1


def _for(setting: Any, name: str, otherwise: Any) -> Any:
    return setting.get(name, otherwise) if isinstance(setting, Mapping) else setting
