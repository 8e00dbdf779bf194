"""Random record order: the position of a record says nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from discreet.base import Masker, Masking, MaskingJob, register
from discreet.parameters import Constraint, Seed
from discreet.schema import Schema
from discreet.typing import RandomState

__all__ = ["RecordOrder"]


@register("record-order")
class RecordOrder(Masker):
    """The records in random order, so that neighbours in the file (households, streets, dates) are none in the release.

    Keeps every value and every statistic; destroys only what the order gave away.

    Parameters
    ----------
    random_state : int or numpy.random.Generator, optional

    Notes
    -----
    Every order is equally likely. Who went where is kept for measuring and is part of no record. O(n).

    References
    ----------
    Willenborg and de Waal (2001), Elements of Statistical Disclosure Control.

    Examples
    --------
    >>> import polars as pl
    >>> wages = pl.DataFrame({"wage": [10.5, 11.0, 12.0, 50.0]})
    >>> RecordOrder(random_state=0).fit_transform(wages)["wage"].to_list()
    [11.0, 12.0, 50.0, 10.5]
    """

    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal", "sequence"})
    perturbative: ClassVar[bool] = False
    handles_missing: ClassVar[bool] = True
    parameters: ClassVar[Mapping[str, Constraint]] = {"random_state": Seed()}

    def __init__(self, *, random_state: RandomState = None) -> None:
        self.random_state = random_state

    def _names(self, schema: Schema) -> tuple[str, ...]:
        return schema.keys

    def _secret(self, schema: Schema, names: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG002 - the order is the secret
        return schema.names

    def _mask(self, job: MaskingJob) -> Masking:
        rows = np.asarray(job.rng.permutation(len(job.microdata)), dtype=np.int64)
        return Masking({}, rows=rows, details={"records_dropped": 0})
