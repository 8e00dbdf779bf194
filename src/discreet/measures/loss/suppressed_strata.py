"""Where values are missing: suppression by stratum or by the size of a household."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import ClassVar, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import Measure, PairScope
from discreet.contracts.measurement import Measurement
from discreet.data.block import Block
from discreet.data.microdata import Microdata
from discreet.data.schema import Schema
from discreet.errors import ParameterError
from discreet.parameters import Names, Optional, Text
from discreet.parameters.declaration import parameter
from discreet.statistics.question import Need
from discreet.statistics.value_counts import check_different
from discreet.typing import FloatArray, IntArray

__all__ = ["SuppressionByStratum"]


@dataclass(frozen=True, repr=False)
class _Strata:
    """By stratum: its number, and the records, values before, and values gone."""

    strata: IntArray
    counts: IntArray

    def merge(self, later: _Strata, /) -> _Strata:
        return _joined(np.concatenate([self.strata, later.strata]), np.concatenate([self.counts, later.counts], axis=1))


def _joined(strata: IntArray, counts: IntArray) -> _Strata:
    different, place = np.unique(strata, return_inverse=True)
    check_different("strata", different.size)
    sums = [np.bincount(place, weights=row, minlength=different.size).astype(np.int64) for row in counts]
    return _Strata(different, np.stack(sums))


@dataclass(frozen=True)
class _GoneBy:
    """Ask how many values are gone in every stratum."""

    names: tuple[str, ...]
    by: str

    @property
    def original(self) -> tuple[str, ...]:
        return (*self.names, self.by)

    @property
    def released(self) -> tuple[str, ...]:
        return self.names

    def summarise(self, block: Block, /) -> _Strata:
        there = np.stack([~block.original.missing(name) for name in self.names])
        gone = there & np.stack([block.release.missing(name) for name in self.names])
        counts = np.stack([np.ones(len(block), dtype=np.int64), there.sum(axis=0), gone.sum(axis=0)])
        return _joined(_numbers_of(block.original, self.by), counts)


def _numbers_of(table: Microdata, name: str) -> IntArray:
    """Return a number for every stratum, the same in every block; an identifier has no levels, and is its text."""
    if table.schema[name].role != "identifier":
        return table.cell_keys(name)
    texts, place = np.unique(table.column(name).to_numpy(zero_copy_only=False).astype(str), return_inverse=True)
    digests = [blake2b(str(text).encode(), digest_size=8).digest() for text in texts]
    return np.array([int.from_bytes(one, "little", signed=True) for one in digests], dtype=np.int64)[place]


@register("suppression-by")
class SuppressionByStratum(Measure):
    """Largest share of values that a stratum, or households of one size, lost to suppression, in percent.

    It sees whether suppression falls on some more than on others, which a share over all records hides.

    Parameters
    ----------
    by : str
        An attribute of the original with levels or whole numbers; the household's column stands for its size.
    attributes : list of str, optional
        What to look at; by default everything that is released.

    Notes
    -----
    ``100 · max_s (values gone in s) / (values of s)``. `details` counts strata by what they lost, largest first, with
    their records, and does not name them; of households the sizes, which no single one of them has, are told. A missing
    stratum is one. O(records log records).

    References
    ----------
    Benschop, Machingauta and Welch (2019), Statistical Disclosure Control: A Practice Guide, section on suppression.

    Examples
    --------
    >>> import polars as pl
    >>> a = pl.DataFrame({"home": ["own", "own", "rent", "rent"], "x": [0.5, 1.5, 2.5, 3.5]})
    >>> b = a.with_columns(x=pl.Series([0.5, 1.5, None, 3.5]))
    >>> SuppressionByStratum("home", attributes=["x"]).measure(a, b).value  # none of two, one of two
    50.0
    """

    kind: ClassVar[str] = "loss"
    title: ClassVar[str] = "Values suppressed in the worst stratum"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal", "sequence"})
    default: ClassVar[bool] = False
    sees_shuffling: ClassVar[bool] = False
    need: ClassVar[Need] = Need.DISTINCT
    formula: ClassVar[str] = "100 · max_s suppressed / present"
    reference: ClassVar[str] = "Benschop, Machingauta and Welch 2019"
    by: str | None = parameter(Optional(Text("the name of an attribute")), default=None, kw_only=False)
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls("region")]

    def _comparable(self, names: tuple[str, ...], before: Schema, after: Schema) -> tuple[str, ...]:  # noqa: ARG002
        return names  # a value is there or not, whatever the scale

    def question(self, scope: PairScope) -> _GoneBy:
        if self.by is None or self.by not in scope.before:
            raise ParameterError(
                "SuppressionByStratum: by must name an attribute of the original.",
                hint='SuppressionByStratum("region").',
            )
        return _GoneBy(tuple(name for name in scope.names if name != self.by) or scope.names, self.by)

    def conclude(self, statistics: _Strata, scope: PairScope) -> Measurement:
        counts, sizes = statistics.counts, None
        if self.by == scope.before.household:
            found = _joined(counts[0], counts)
            counts, sizes = found.counts, found.strata
        shares: FloatArray = 100.0 * counts[2] / np.maximum(counts[1], 1)
        order = np.argsort(-shares, kind="stable")
        rows = [
            {"records": int(counts[0, s]), "suppressed": int(counts[2, s]), "percent": float(shares[s])}
            | ({} if sizes is None else {"size": int(sizes[s])})
            for s in sorted(order.tolist(), key=lambda s: (-shares[s], -counts[0, s], -counts[2, s]))
        ]
        value, whole = float(shares.max()), 100.0 * float(counts[2].sum()) / max(float(counts[1].sum()), 1.0)
        what = "strata" if sizes is None else "sizes of households"
        sentence = (
            f"Of {shares.size} {what} of {self.by}, the worst lost {value:.1f} % of its values, and all together lost "
            f"{whole:.1f} %."
            if value > 0
            else f"No value is suppressed in any of {shares.size} {what} of {self.by}."
        )
        return self.result(value, sentence, details={"strata": rows, "of_all": whole})
