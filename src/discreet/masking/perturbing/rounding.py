"""Rounding: numbers to multiples of a base."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar, Literal, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.masker import Masker
from discreet.contracts.plan import Plan, Scope
from discreet.data.block import Block
from discreet.data.keyed_draws import Draws
from discreet.data.schema import Schema
from discreet.errors import ParameterError
from discreet.parameters import AnyOf, ByName, Choice, Names, Number, Optional, Seed
from discreet.parameters.declaration import parameter
from discreet.statistics.question import Inquiry, Need
from discreet.typing import FloatArray, RandomState

__all__ = ["Rounding"]


@dataclass(frozen=True, kw_only=True)
class _RoundingPlan(Plan):
    draws: Draws
    names: tuple[str, ...]


@register("rounding")
class Rounding(Masker):
    """Numbers rounded to multiples of a base, to the nearest or at random without bias.

    Keeps sums nearly (in expectation exactly, at random); destroys what is finer than the base.

    Parameters
    ----------
    base : float or dict of str to float
        What released numbers are multiples of; with a dict, attributes that are not listed are left alone.
    how : {"nearest", "random"}
        To the nearest multiple, halves to the even one; or up or down at random, up with the probability that makes the
        expected value right.
    attributes : list of str, optional
        What to mask; by default every numeric key.
    random_state : int or numpy.random.Generator, optional

    Notes
    -----
    O(n). A multiple is released as its own nearest decimal: 0.3, not 0.30000000000000004. Missing values stay missing.

    References
    ----------
    Willenborg and de Waal (2001), Elements of Statistical Disclosure Control.

    Examples
    --------
    >>> import polars as pl
    >>> wages = pl.DataFrame({"wage": [10.4, 12.5, 17.5, 50.2]})
    >>> Rounding(5).fit_transform(wages)["wage"].to_list()
    [10.0, 10.0, 20.0, 50.0]
    """

    iso_20889: ClassVar[str] = "generalisation: rounding"
    need: ClassVar[Need] = Need.RECORD
    scales: ClassVar[frozenset[str]] = frozenset({"numeric"})
    handles_missing: ClassVar[bool] = True
    base: float | Mapping[str, float] = parameter(
        AnyOf(Number(0, open_low=True), ByName(Number(0, open_low=True))), default=10.0, kw_only=False
    )
    how: Literal["nearest", "random"] = parameter(Choice(("nearest", "random")), default="nearest")
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    random_state: RandomState = parameter(Seed(), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(10), cls(0.25, how="random"), cls({"age": 5, "income": 100})]

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        names = super().columns_for(schema)
        if not isinstance(self.base, Mapping):
            return names
        strangers = [name for name in self.base if name not in names]
        if strangers:
            raise ParameterError(f"Rounding: base names {strangers[0]!r}, which is not masked.")
        return tuple(name for name in names if name in self.base)

    def chosen_numbers(self, name: str) -> tuple[float, ...]:
        return (float(self.base[name] if isinstance(self.base, Mapping) else self.base),)

    def inquire(self, scope: Scope) -> Inquiry[_RoundingPlan]:
        yield from ()  # a number is rounded without looking at others
        return _RoundingPlan(draws=scope.draws, names=scope.names)

    def apply(self, plan: _RoundingPlan, block: Block) -> dict[str, Any]:
        draws = plan.draws.uniforms(block.rows, len(plan.names) if self.how == "random" else 0)
        values = {}
        for place, name in enumerate(plan.names):
            base = float(self.base[name] if isinstance(self.base, Mapping) else self.base)
            steps = block.original.encoded(name) / base
            if self.how == "nearest":
                steps = np.round(steps)
            else:
                low = np.floor(steps)
                steps = low + (draws[:, place] < steps - low)
            values[name] = _multiples(steps, base)
        return values


def _multiples(steps: FloatArray, base: float) -> FloatArray:
    """Return multiples of a base, each the number nearest to what it is in decimals.

    A step times the base is off in the last digit where the base is no binary fraction. A multiple has no more decimals
    than the base is written with, and a whole number of them divided by a power of ten is as near as can be.

    Examples
    --------
    >>> _multiples(np.array([81087.0, 22837.0, 1.0]), 0.05).tolist()
    [4054.35, 1141.85, 0.05]
    >>> _multiples(np.array([1e11 + 7, -3.0]), 10.0).tolist()
    [1000000000070.0, -30.0]
    """
    decimals = max(0, -int(Decimal(repr(base)).normalize().as_tuple().exponent))
    multiples = steps * base
    if decimals == 0 or decimals > 15:
        return multiples
    whole = np.round(multiples * 10.0**decimals)
    return np.where(np.abs(whole) < 2.0**53, whole / 10.0**decimals, multiples)
