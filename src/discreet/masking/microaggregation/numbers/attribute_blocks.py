"""Attributes taken two, three or more at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.contracts.masker import MaskingJob
from discreet.errors import ParameterError
from discreet.typing import FloatArray

__all__ = ["attribute_blocks"]


def attribute_blocks(
    owner: str, job: MaskingJob, blocks: int | Sequence[Sequence[str]] | None, order: str
) -> list[tuple[str, ...]]:
    """Return the blocks of attributes that share groups.

    Parameters
    ----------
    owner : str
        The method's name, for errors.
    job : MaskingJob
    blocks : int, list of lists of str, or None
        So many at a time (the last block takes what is left), these ones, or all at once.
    order : {"schema", "correlation"}
        With a number: neighbours in the schema, or greedily the most correlated with the first free one.
    """
    names = job.names
    if blocks is None:
        return [names]
    if isinstance(blocks, int):
        if order == "correlation" and 1 < blocks < len(names):
            return _by_correlation(names, job.microdata.numeric(names), blocks)
        return [names[i : i + blocks] for i in range(0, len(names), blocks)]
    listed = [name for block in blocks for name in block]
    if sorted(listed) != sorted(names):
        raise ParameterError(
            f"{owner}: blocks must hold each of the {len(names)} masked attributes once; "
            f"they hold {len(listed)} names.",
            hint="List every attribute in exactly one block.",
        )
    return [tuple(block) for block in blocks]


def _by_correlation(names: tuple[str, ...], values: FloatArray, size: int) -> list[tuple[str, ...]]:
    strength = _absolute_correlations(values)
    free, result = list(range(len(names))), []
    while free:
        block = [free.pop(0)]
        while free and len(block) < size:
            # The attribute that goes best with all that are in the block already; the first of equals.
            best = max(free, key=lambda j: (strength[j, block].mean(), -j))
            free.remove(best)
            block.append(best)
        result.append(tuple(names[j] for j in sorted(block)))
    return result


def _absolute_correlations(values: FloatArray) -> FloatArray:
    present = ~np.isnan(values)
    ranks = np.zeros_like(values)
    for j in range(values.shape[1]):
        column = values[present[:, j], j]
        if column.size:
            ranks[present[:, j], j] = (
                np.argsort(np.argsort(column, kind="stable"), kind="stable") - (column.size - 1) / 2
            )
    norms = np.sqrt((ranks**2).sum(axis=0))
    norms[norms == 0] = 1.0
    return np.asarray(np.abs((ranks / norms).T @ (ranks / norms)), dtype=np.float64)
