"""Rounding: numbers to multiples of a base."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

import numpy as np

from discreet.base import Masker, Masking, MaskingJob, register
from discreet.errors import ParameterError
from discreet.parameters import AnyOf, ByName, Choice, Constraint, Names, Number, Optional, Seed
from discreet.schema import Schema
from discreet.typing import RandomState

__all__ = ["Rounding"]


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

    scales: ClassVar[frozenset[str]] = frozenset({"numeric"})
    handles_missing: ClassVar[bool] = True
    parameters: ClassVar[Mapping[str, Constraint]] = {
        "base": AnyOf(Number(0, open_low=True), ByName(Number(0, open_low=True))),
        "how": Choice(("nearest", "random")),
        "attributes": Optional(Names()),
        "random_state": Seed(),
    }

    def __init__(
        self,
        base: float | Mapping[str, float] = 10.0,
        *,
        how: str = "nearest",
        attributes: Sequence[str] | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.base = base
        self.how = how
        self.attributes = attributes
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(10), cls(0.25, how="random"), cls({"age": 5, "income": 100})]

    def _names(self, schema: Schema) -> tuple[str, ...]:
        names = super()._names(schema)
        if not isinstance(self.base, Mapping):
            return names
        strangers = [name for name in self.base if name not in names]
        if strangers:
            raise ParameterError(f"Rounding: base names {strangers[0]!r}, which is not masked.")
        return tuple(name for name in names if name in self.base)

    def _mask(self, job: MaskingJob) -> Masking:
        values = {}
        for name in job.names:
            numbers = job.microdata.encoded(name)
            base = float(self.base[name] if isinstance(self.base, Mapping) else self.base)
            steps = numbers / base
            if self.how == "nearest":
                steps = np.round(steps)
            else:
                low = np.floor(steps)
                steps = low + (job.rng.random(steps.size) < steps - low)
            # A step times the base is off in the last digit where the base is no binary fraction.
            digits = max(0, 12 - int(np.floor(np.log10(base))))
            values[name] = np.round(steps * base, min(digits, 15))
        return Masking(values)
