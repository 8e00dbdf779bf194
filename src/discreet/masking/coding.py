"""Top and bottom coding: the extremes of a scale become one value."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self, cast

import numpy as np

from discreet.base import Masking, MaskingJob, register
from discreet.errors import ParameterError
from discreet.masking.levels import merge_into
from discreet.masking.strata import StratifiedMasker
from discreet.operators.means import ArithmeticMean, NumericMedian
from discreet.parameters import AnyOf, ByName, Choice, Constraint, Integer, Names, Number, Optional, Text
from discreet.scales import Categorical
from discreet.schema import Schema
from discreet.typing import FloatArray

__all__ = ["FEWEST_CODED", "BottomCoding", "TopCoding"]

FEWEST_CODED = 3
"""The fewest coded numbers whose mean or median is released: that of one is its value, that of two tells either."""


class _Coding(StratifiedMasker):
    """What top and bottom coding share; `_sign` is 1 where high values are coded and −1 where low ones are."""

    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    perturbative: ClassVar[bool] = False
    handles_missing: ClassVar[bool] = True
    touches_all: ClassVar[bool] = False
    parameters: ClassVar[Mapping[str, Constraint]] = {
        "p": AnyOf(Integer(1), ByName(Integer(1))),
        "share": Number(0, 1, open_low=True, open_high=True),
        "threshold": Optional(AnyOf(Number(), ByName(Number()))),
        "replacement": Choice(("threshold", "mean", "median")),
        "category": Optional(Text("the name of the new category")),
        "strata": Optional(Names()),
        "attributes": Optional(Names()),
    }
    _sign: ClassVar[int]

    @property
    def makes_numbers(self) -> bool:  # type: ignore[override]
        """Whether a mean or median is released, which was not in the column; a threshold is what the user chose."""
        return self.replacement != "threshold"

    def __init__(
        self,
        p: int | Mapping[str, int] = 1,
        *,
        share: float = 0.05,
        threshold: float | Mapping[str, float] | None = None,
        replacement: str = "threshold",
        category: str | None = None,
        strata: Sequence[str] | None = None,
        attributes: Sequence[str] | None = None,
    ) -> None:
        self.p = p
        self.share = share
        self.threshold = threshold
        self.replacement = replacement
        self.category = category
        self.strata = strata
        self.attributes = attributes

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(2), cls(9, share=0.2, replacement="mean")]

    def _names(self, schema: Schema) -> tuple[str, ...]:
        names = super()._names(schema)
        for parameter in ("p", "threshold"):
            given = getattr(self, parameter)
            strangers = [name for name in given if name not in names] if isinstance(given, Mapping) else []
            if strangers:
                raise ParameterError(
                    f"{type(self).__name__}: {parameter} names {len(strangers)} attributes that are not masked, "
                    f"the first {strangers[0]!r}."
                )
        return names

    def _mask_part(self, job: MaskingJob) -> Masking:
        values: dict[str, Any] = {}
        transitions, attributes, whole, unordered = {}, [], [], []
        for name in job.names:
            attribute, encoded = job.schema[name], job.microdata.encoded(name)
            if name in job.numeric:
                values[name] = self._coded(name, encoded)
                continue
            size = len(cast("Categorical", attribute.scale))
            p = _for(self.p, name, 1)
            whole += [name] if p >= size else []
            unordered += [] if attribute.scale.ordered else [name]
            coded = np.arange(size)[-min(p, size) :] if self._sign > 0 else np.arange(size)[: min(p, size)]
            # The level nearest to those that stay stands for all of them, so that the scale need not change.
            change = merge_into(
                attribute, encoded, coded, int(coded[0] if self._sign > 0 else coded[-1]), self.category
            )
            values[name], transitions[name] = change.codes, change.transitions
            attributes += [] if change.attribute is None else [change.attribute]
        notes = []
        if whole:
            notes.append(f"Attributes with p levels or fewer, now constant ({len(whole)}): {', '.join(whole)}.")
        if unordered:
            notes.append(
                f"Unordered attributes, coded in the order in which their levels are declared ({len(unordered)}): "
                f"{', '.join(unordered)}."
            )
        return Masking(values, transitions=transitions, attributes=tuple(attributes), notes=tuple(notes))

    def _coded(self, name: str, numbers: FloatArray) -> FloatArray:
        """Return numbers with those beyond the threshold replaced."""
        result = numbers.copy()
        present = np.sort(self._sign * numbers[~np.isnan(numbers)])
        if not present.size:
            return result
        given = _for(self.threshold, name, None)
        if given is None:
            threshold = self._sign * float(present[-math.ceil(self.share * present.size)])
        else:
            threshold = float(given)
        beyond = self._sign * numbers >= self._sign * threshold
        if not beyond.any():
            return result
        if self.replacement == "threshold" or beyond.sum() < FEWEST_CODED:
            result[beyond] = threshold
        else:
            operator = ArithmeticMean() if self.replacement == "mean" else NumericMedian()
            result[beyond] = operator(numbers[beyond])
        return result


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
        The name of the merged category. Without it the lowest merged level stands for all of them, and the scale of the
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
        The name of the merged category. Without it the highest merged level stands for all of them, and the scale of
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


def _for(given: Any, name: str, otherwise: Any) -> Any:
    return given.get(name, otherwise) if isinstance(given, Mapping) else given
