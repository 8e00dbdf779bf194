"""Losses of numbers from sums that one pass gathers: movement, means, variances, covariances, correlations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.base import MASKED, Block, Source, TableEngine
from discreet.measures.loss.correlations import CorrelationDifference
from discreet.measures.loss.covariances import CovarianceDifference
from discreet.measures.loss.il1s import IL1s
from discreet.measures.loss.means import MeanDifference
from discreet.measures.loss.numeric import NumericLoss, in_units
from discreet.measures.loss.sse import SquaredError
from discreet.measures.loss.variances import VarianceDifference
from discreet.measures.moments import off_diagonal
from discreet.results import Measurement
from discreet.typing import FloatArray

__all__ = ["number_losses"]


@dataclass(frozen=True)
class _Sums:
    """Sums of both tables, taken from the sample's means, so that an offset of the numbers costs no digits."""

    names: tuple[str, ...]
    middle: FloatArray

    def __call__(self, block: Block) -> Block:
        x = np.stack([block[name] for name in self.names], axis=1) - self.middle
        y = np.stack([block[name + MASKED] for name in self.names], axis=1) - self.middle
        result: dict[str, Any] = {}
        for label, table in (("x", x), ("y", y)):
            present = (~np.isnan(table)).astype(np.float64)
            filled = np.nan_to_num(table)
            # Of every two columns, over the records that have both: how many, the sum of the first, of the products.
            result |= {
                f"{label}n": present.T @ present,
                f"{label}s": filled.T @ present,
                f"{label}p": filled.T @ filled,
            }
        both = ~np.isnan(x - y)
        moved = np.where(both, x - y, 0.0)
        kept = np.where(both, x, 0.0)
        sums = [both.sum(axis=0), np.abs(moved).sum(axis=0), (moved**2).sum(axis=0)]
        result["both"] = np.stack([*sums, kept.sum(axis=0), (kept**2).sum(axis=0)])
        return result


def _covariances(sums: dict[str, Any], label: str) -> FloatArray:
    n = np.maximum(sums[f"{label}n"], 1.0)
    first = sums[f"{label}s"] / n
    result = sums[f"{label}p"] / n - first * first.T
    np.fill_diagonal(result, np.maximum(np.diagonal(result), 0.0))
    return np.asarray(result)


def _correlations(covariance: FloatArray) -> FloatArray:
    spread = np.sqrt(np.diagonal(covariance))
    unit = np.outer(spread, spread)
    scaled = np.where(unit > 0, covariance / np.where(unit > 0, unit, 1.0), 0.0)
    np.fill_diagonal(scaled, 1.0)
    return np.clip(scaled, -1.0, 1.0)


def number_losses(original: Source, masked: Source, engine: TableEngine, *, seed: int = 0) -> list[Measurement]:
    """Return IL1s, SSE/SST and the changes of means, variances, covariances and correlations.

    Notes
    -----
    One pass over both tables side by side, O(n · d²). A correlation is of the covariances of its pair and the variances
    of each attribute alone; where values are missing it may differ in the third digit from the one in memory.
    """
    names = tuple(n for n in IL1s()._candidates(original.schema) if n in masked.schema and _is_number(masked, n))  # noqa: SLF001
    if not names:
        return []
    sample = engine.sample(engine.open(original, names), 10_000, len(original), seed)
    middle = np.array([np.nanmean(sample[name]) if (~np.isnan(sample[name])).any() else 0.0 for name in names])
    sums = engine.fold(engine.pair(original, masked, names), _Sums(names, middle))
    before, after = _covariances(sums, "x"), _covariances(sums, "y")
    spread = np.sqrt(np.diagonal(before))
    n, moved, squared, total, squares = sums["both"]
    n = np.maximum(n, 1.0)
    means = [np.diagonal(sums[f"{t}s"]) / np.maximum(np.diagonal(sums[f"{t}n"]), 1.0) for t in "xy"]
    variance = np.maximum(squares / n - (total / n) ** 2, 0.0)
    by_column: dict[NumericLoss, list[float]] = {
        IL1s(): [in_units(m, np.sqrt(2.0) * s) for m, s in zip(moved / n, spread, strict=True)],
        SquaredError(): [in_units(e, v) for e, v in zip(squared / n, variance, strict=True)],
        MeanDifference(): [in_units(abs(a - b), s) for a, b, s in zip(*means, spread, strict=True)],
        VarianceDifference(): [
            in_units(abs(a - b), a) for a, b in zip(np.diagonal(before), np.diagonal(after), strict=True)
        ],
    }
    result = []
    # A column without a value in one of the tables did not stay as it was: it cannot be compared, and that is said.
    empty = [name for name, both in zip(names, sums["both"][0], strict=True) if not both]
    for measure, values in by_column.items():
        per_attribute = {name: value for name, value in zip(names, values, strict=True) if name not in empty}
        if per_attribute:
            result.append(_measured(measure, float(np.mean(list(per_attribute.values()))), per_attribute, empty))
    if len(names) > 1:
        unit = np.where(spread > 0, spread, 1.0)
        for measure, difference in (
            (CovarianceDifference(), 100.0 * np.abs(before - after) / np.outer(unit, unit)),
            (CorrelationDifference(), 100.0 * np.abs(_correlations(before) - _correlations(after))),
        ):
            np.fill_diagonal(difference, 0.0)
            per_attribute = dict(zip(names, (difference.sum(axis=1) / (len(names) - 1)).tolist(), strict=True))
            result.append(_measured(measure, float(off_diagonal(difference).mean()), per_attribute))
    return result


def _is_number(table: Source, name: str) -> bool:
    return table.schema[name].scale.kind == "numeric"


def _measured(
    measure: NumericLoss, value: float, per_attribute: dict[str, float], empty: Sequence[str] = ()
) -> Measurement:
    worst = max(per_attribute, key=lambda name: per_attribute[name])
    sentence = f"{measure.title}: {value:.2f} % on average, most in {worst}." if value > 0 else "Nothing changed."
    if not empty:
        return measure.result(value, sentence, per_attribute)
    verb = "has" if len(empty) == 1 else "have"
    sentence += f" Not compared: {', '.join(empty)}, which {verb} no value left."
    return measure.result(value, sentence, per_attribute, {"not_compared": list(empty)})
