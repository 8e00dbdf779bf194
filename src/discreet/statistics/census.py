"""What every run of a masker asks first: who lacks what, unfit weights, how fine numbers are, and a fingerprint."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from discreet.data.block import Block
from discreet.data.keyed_draws import Fingerprint, fingerprint
from discreet.data.microdata import Microdata
from discreet.data.scales import Numeric
from discreet.data.scales.precision import Fineness, joined_fineness

__all__ = ["Census", "Counted", "Extent", "Extents", "Reach", "still_somewhere"]


@dataclass(frozen=True)
class Counted:
    """What a census found."""

    missing: Mapping[str, int]
    unfit_weights: int
    fineness: Mapping[str, Fineness]
    marks: Fingerprint

    def merge(self, later: Counted, /) -> Counted:
        return Counted(
            {name: count + later.missing[name] for name, count in self.missing.items()},
            self.unfit_weights + later.unfit_weights,
            {name: joined_fineness([mine, later.fineness[name]]) for name, mine in self.fineness.items()},
            self.marks + later.marks,
        )


@dataclass(frozen=True)
class Census:
    """Missing values of `names`, unfit values of `weight`, the fineness of `numbers`, the fingerprint of `secret`."""

    names: tuple[str, ...]
    weight: str | None
    numbers: tuple[str, ...]
    secret: tuple[str, ...]

    @property
    def original(self) -> tuple[str, ...]:
        every = (*self.names, *self.numbers, *self.secret, *([self.weight] if self.weight else []))
        return tuple(dict.fromkeys(every))

    released: ClassVar[tuple[str, ...]] = ()

    def summarise(self, block: Block, /) -> Counted:
        table = block.original
        missing = {name: int(table.missing(name).sum()) for name in self.names}
        unfit = 0 if self.weight is None else int((~(table.encoded(self.weight) > 0)).sum())
        fine = {
            name: table.once(("fineness", name), lambda name=name: _fineness(table, name))  # type: ignore[misc]
            for name in self.numbers
        }
        return Counted(missing, unfit, fine, fingerprint({n: table.encoded(n) for n in self.secret}, block.rows))


def _fineness(table: Microdata, name: str) -> Fineness:
    scale = table.schema[name].scale
    assert isinstance(scale, Numeric)  # noqa: S101 - for the type checker: only numbers are asked about
    return scale.fineness(table.encoded(name))


@dataclass(frozen=True)
class Reach:
    """How many values of a column are present, and between what they lie; infinite the wrong way where none is."""

    present: int
    low: float
    high: float

    @property
    def varies(self) -> bool:
        """Whether two values differ."""
        return self.high > self.low

    def merge(self, later: Reach, /) -> Reach:
        return Reach(self.present + later.present, min(self.low, later.low), max(self.high, later.high))


@dataclass(frozen=True)
class Extent:
    """By column, what is present and between what it lies."""

    columns: Mapping[str, Reach]

    def merge(self, later: Extent, /) -> Extent:
        return Extent({name: reach.merge(later.columns[name]) for name, reach in self.columns.items()})


def still_somewhere(extents: Sequence[Extent], names: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield every column that varies in the table and not in some of its strata, with the number of these."""
    for name in names if len(extents) > 1 else ():
        reaches = [extent.columns[name] for extent in extents]
        still = sum(reach.present > 0 and not reach.varies for reach in reaches)
        if still and min(reach.low for reach in reaches) < max(reach.high for reach in reaches):
            yield name, still


@dataclass(frozen=True)
class Extents:
    """What is present of some columns, and between what it lies."""

    names: tuple[str, ...]

    @property
    def original(self) -> tuple[str, ...]:
        return self.names

    released: ClassVar[tuple[str, ...]] = ()

    def summarise(self, block: Block, /) -> Extent:
        return Extent({name: _reach(block.original.encoded(name)) for name in self.names})


def _reach(encoded: Any) -> Reach:
    present = encoded[encoded >= 0] if encoded.dtype.kind == "i" else encoded[~np.isnan(encoded)]
    if not present.size:
        return Reach(0, np.inf, -np.inf)
    return Reach(int(present.size), float(present.min()), float(present.max()))
