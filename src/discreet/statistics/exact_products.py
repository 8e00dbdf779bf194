"""Mean products of columns to the last bit, however the records were cut into blocks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from discreet.data.block import Block
from discreet.errors import DataError
from discreet.statistics.exact_sum import exact_sums, nearest
from discreet.statistics.question import Inquiry
from discreet.typing import FloatArray

__all__ = ["ProductSums", "mean_products"]


@dataclass(frozen=True)
class ProductTotals:
    """The number of records, and the exact sums of the products of every two columns, and of the columns."""

    n: int
    beyond: int
    sums: tuple[int, ...]

    def merge(self, later: ProductTotals, /) -> ProductTotals:
        sums = tuple(a + b for a, b in zip(self.sums, later.sums, strict=True))
        return ProductTotals(self.n + later.n, self.beyond + later.beyond, sums)


@dataclass(frozen=True, eq=False)
class ProductSums:
    """Sums of the columns that `values` makes of a block, and of the products of every two; nothing is missing."""

    names: tuple[str, ...]
    values: Callable[[Block], FloatArray]

    @property
    def original(self) -> tuple[str, ...]:
        return self.names

    released: ClassVar[tuple[str, ...]] = ()

    def summarise(self, block: Block, /) -> ProductTotals:
        values = self.values(block)
        ones = np.zeros(len(values), dtype=np.int64)
        sums: list[int] = []
        beyond = 0
        width = values.shape[1]
        for i in range(width):
            for j in range(i, width + 1):
                with np.errstate(over="ignore"):
                    product = values[:, i] if j == width else values[:, i] * values[:, j]
                finite = np.isfinite(product)
                beyond += int((~finite).sum())
                sums += exact_sums(np.where(finite, product, 0.0), ones, 1)
        return ProductTotals(len(values), beyond, tuple(sums))


def mean_products(
    names: tuple[str, ...], values: Callable[[Block], FloatArray]
) -> Inquiry[tuple[FloatArray, FloatArray]]:
    """Ask for the means of columns, and for the means of the products of every two of them: O(n columns²)."""
    totals: ProductTotals = yield ProductSums(names, values)
    if totals.beyond:
        raise DataError(f"{totals.beyond} products of values are too large for a covariance.")
    # So many sums come with so many columns: one a pair, and one a column.
    width = int((np.sqrt(9 + 8 * len(totals.sums)) - 3) / 2 + 0.5)
    means, products = np.zeros(width), np.zeros((width, width))
    place = 0
    for i in range(width):
        for j in range(i, width + 1):
            mean = nearest(totals.sums[place], max(totals.n, 1))
            place += 1
            if j == width:
                means[i] = mean
            else:
                products[i, j] = products[j, i] = mean
    return means, products
