"""Knowledge that is off: errors of an intruder that belong to positions, and questions about what he then knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from discreet.data.block import Block
from discreet.data.keyed_draws import Draws
from discreet.data.microdata import Microdata
from discreet.data.scales import Categorical
from discreet.linkage.nearest_so_far import NearestSoFar
from discreet.linkage.shared.coordinates import BothSpreads, Spread
from discreet.linkage.shared.term_search import DistanceSearch
from discreet.typing import FloatArray, IntArray

__all__ = ["Blur", "BlurredSearch", "BlurredSpread", "wrong_levels", "wrong_numbers"]


def wrong_numbers(numbers: FloatArray, deviation: float, noise: float, draws: FloatArray) -> FloatArray:
    """Return numbers that are off by normal errors of so many standard deviations."""
    from scipy.special import ndtri

    return np.asarray(numbers + noise * deviation * ndtri(np.clip(draws, 1e-12, 1 - 1e-12)))


def wrong_levels(codes: Any, size: int, noise: float, draws: FloatArray, other: FloatArray) -> Any:
    """Return levels of which each is another one with this probability, uniformly; a missing one stays missing."""
    moved = (codes + 1 + (other * (size - 1)).astype(np.int32)) % size if size > 1 else codes
    return np.where((draws < noise) & (codes >= 0), moved, codes).astype(np.int32)


@dataclass(frozen=True)
class Blur:
    """What an intruder knows whose knowledge is off by `noise`, record by record.

    Attributes
    ----------
    names : tuple of str
        What he knows; the place of a name here tells its errors from those of others.
    deviations : tuple of float
        The standard deviations of the numbers, 0 for a category.
    """

    names: tuple[str, ...]
    deviations: tuple[float, ...]
    noise: float
    seed: int

    def of(self, table: Microdata, rows: IntArray, wanted: tuple[str, ...]) -> Microdata:
        """Return some columns of the records at these positions as he knows them."""
        table = table.select(wanted)
        if self.noise == 0:
            return table
        errors = Draws.of(self.seed, None, "error")
        values: dict[str, Any] = {}
        for name in wanted:
            stream, encoded = self.names.index(name), table.encoded(name)
            draws = errors.uniform(rows, 2 * stream)
            if table.schema[name].scale.kind == "numeric":
                values[name] = wrong_numbers(encoded, self.deviations[stream], self.noise, draws)
                continue
            size = len(cast("Categorical", table.schema[name].scale))
            values[name] = wrong_levels(encoded, size, self.noise, draws, errors.uniform(rows, 2 * stream + 1))
        return table.replacing(values)


@dataclass(frozen=True, repr=False)
class SpreadsByNoise:
    """By noise, how the numbers that an intruder knows spread, and how those of the release do."""

    spreads: Mapping[float, BothSpreads]

    def merge(self, later: SpreadsByNoise, /) -> SpreadsByNoise:
        return SpreadsByNoise({noise: one.merge(later.spreads[noise]) for noise, one in self.spreads.items()})


@dataclass(frozen=True)
class BlurredSpread:
    """Ask how numbers spread as intruders know them, and in the release."""

    names: tuple[str, ...]
    blurs: tuple[Blur, ...]

    @property
    def original(self) -> tuple[str, ...]:
        return self.names

    released = original

    def summarise(self, block: Block, /) -> SpreadsByNoise:
        release = Spread.of(block.release.numeric(self.names))
        known = {blur.noise: blur.of(block.original, block.rows, self.names).numeric(self.names) for blur in self.blurs}
        return SpreadsByNoise({noise: BothSpreads(Spread.of(one), release) for noise, one in known.items()})


@dataclass(frozen=True, repr=False, eq=False)
class BlurredSearch:
    """Look for released records among everybody whom an intruder knows, more or less exactly."""

    search: DistanceSearch
    blur: Blur

    released: tuple[str, ...] = ()

    @property
    def original(self) -> tuple[str, ...]:
        return self.search.original

    def summarise(self, block: Block, /) -> NearestSoFar:
        known = self.blur.of(block.original, np.asarray(block.rows), self.search.original)
        return self.search.among(known, np.asarray(block.rows))

    def own(self, truth: Microdata) -> FloatArray:
        """Return the sums of terms of the asked records and of what he knows of those that they are."""
        return self.search.own(truth)
