"""Random record order: the position of a record says nothing."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.masker import Masker, Masking, MaskingJob
from discreet.data.schema import Schema
from discreet.parameters import Seed
from discreet.parameters.declaration import parameter
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

    instead: ClassVar[str] = "sort by a random column before"
    iso_20889: ClassVar[str] = "none"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal", "sequence"})
    perturbative: ClassVar[bool] = False
    handles_missing: ClassVar[bool] = True
    reorders: ClassVar[bool] = True
    random_state: RandomState = parameter(Seed(), default=None)

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        return schema.keys

    def _secret(self, schema: Schema, names: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG002 - the order is the secret
        return schema.names

    def _mask_part(self, job: MaskingJob) -> Masking:
        rows = np.asarray(job.rng.permutation(len(job.microdata)), dtype=np.int64)
        return Masking({}, rows=rows, details={"records_dropped": 0})
