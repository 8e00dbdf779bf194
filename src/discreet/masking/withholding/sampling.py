"""Sampling: some records are released, the others are not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.masker import Masker, Masking, MaskingJob
from discreet.data.schema import Schema
from discreet.errors import ParameterError
from discreet.parameters import Integer, Names, Number, Optional, Seed
from discreet.parameters.declaration import parameter
from discreet.typing import RandomState

__all__ = ["Sampling"]


@register("sampling")
class Sampling(Masker):
    """A simple random sample of the records, the same share of every stratum where strata are given.

    Keeps every released value true and every estimate unbiased; destroys precision. An intruder cannot know whether
    the person he looks for is in the release.

    Parameters
    ----------
    share : float
        The share of the records that is released, above 0 and below 1.
    size : int, optional
        The number of records instead, of the whole table, or of each stratum.
    strata : list of str, optional
        Sample within these.
    random_state : int or numpy.random.Generator, optional

    Notes
    -----
    The sample has share · n records, rounded, and at least one; records keep their order. Survey weights are multiplied
    by the number of records over the number released, so that totals keep their expectation. O(n).

    References
    ----------
    Willenborg and de Waal (2001), Elements of Statistical Disclosure Control.

    Examples
    --------
    >>> import polars as pl
    >>> wages = pl.DataFrame({"wage": [float(i) + 0.5 for i in range(100)]})
    >>> len(Sampling(0.25).fit_transform(wages))
    25
    """

    instead: ClassVar[str] = "take every tenth record, say, before"
    iso_20889: ClassVar[str] = "statistical tools: sampling"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal", "sequence"})
    perturbative: ClassVar[bool] = False
    handles_missing: ClassVar[bool] = True
    reorders: ClassVar[bool] = True
    share: float = parameter(Number(0, 1, open_low=True, open_high=True), default=0.5, kw_only=False)
    size: int | None = parameter(Optional(Integer(1)), default=None)
    random_state: RandomState = parameter(Seed(), default=None)
    strata: Sequence[str] | None = parameter(Optional(Names()), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(0.3), cls(size=2)]

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        for name in self.strata or ():
            if schema[name].scale.kind not in {"ordinal", "nominal"}:
                raise ParameterError(f"Sampling: strata must be categorical; {name!r} is {schema[name].scale.kind}.")
        return schema.keys

    def _secret(self, schema: Schema, names: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG002 - whole records
        return schema.names

    def _check_strata(self, sizes: Sequence[int]) -> None:
        small = sum(size < (self.size or 1) for size in sizes)
        if small:
            raise ParameterError(
                f"Sampling: size must be at most the number of records of every stratum; "
                f"{small} of {len(sizes)} strata have fewer than {self.size}."
            )

    def _mask_part(self, job: MaskingJob) -> Masking:
        n = len(job.microdata)
        size = max(1, round(self.share * n)) if self.size is None else self.size
        if size > n:
            raise ParameterError(f"Sampling: size must be at most the number of records, {n}; got {size}.")
        rows = np.sort(job.rng.choice(n, size, replace=False)).astype(np.int64)
        values: dict[str, Any] = {}
        weight = job.schema.weight
        if weight is not None:
            values[weight] = job.microdata.encoded(weight) * (n / size)
        return Masking(values, rows=rows, details={"records_dropped": n - size})
