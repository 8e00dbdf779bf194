"""How well original and released records can be told apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import Measure, Pair
from discreet.contracts.measurement import Measurement
from discreet.kernels.values.logistic import add_logistic_block
from discreet.measures.number_pairs import levels_of_both, record_weights
from discreet.parameters import Flag, Names, Optional
from discreet.parameters.declaration import parameter
from discreet.progress import report
from discreet.typing import FloatArray

__all__ = ["PropensityLoss"]

_BLOCK = 1024
_ITERATIONS = 25
_RIDGE = 1e-3
_LEVELS = 8


@register("propensity")
class PropensityLoss(Measure):
    """How well a model tells released records from original ones (propensity score), in percent.

    0: nobody can tell from a record which file it is from, so any analysis gives about the same; 100: every record
    gives its file away. It sees relations of two attributes, not of three.

    Parameters
    ----------
    attributes : list of str, optional
        What the model sees; by default everything that is released.
    weighted : bool
        Count records by their survey weight.

    Notes
    -----
    ``400 · mean (p̂ − ½)²`` with p̂ from a logistic regression of the file on the record: numbers and positions of
    ordered levels and their squares, the missing value and the eight most frequent levels of unordered attributes, and
    the products of every two attributes (an unordered one by its most frequent level). `details` holds what an
    independent sample of the same size would reach with as many terms. Newton's method with a small ridge, in blocks of
    records: O(records × terms²), memory linear. It needs all records at once, because every one of up to 25 turns looks
    at all of them, after two that standardise terms and their squares.

    References
    ----------
    Woo, Reiter, Oganian and Karr (2009), Global measures of data utility for microdata masked for disclosure
    limitation; Snoke, Raab, Nowok, Dibben and Slavković (2018), General and specific utility measures for synthetic
    data.

    Examples
    --------
    >>> import polars as pl
    >>> a, b = pl.DataFrame({"x": [0.5, 1.5] * 50}), pl.DataFrame({"x": [70.5, 71.5] * 50})
    >>> [round(PropensityLoss().measure(a, file).value) for file in (a, b)]
    [0, 100]
    """

    kind: ClassVar[str] = "loss"
    title: ClassVar[str] = "Original and release told apart (propensity)"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    default: ClassVar[bool] = False
    formula: ClassVar[str] = "400 · mean (p̂ − ½)²"
    reference: ClassVar[str] = "Woo, Reiter, Oganian and Karr 2009; Snoke et al. 2018"
    instead: ClassVar[str] = (
        "Its model is fitted in up to 25 turns over all records. Take it of a sample of them; Kolmogorov-Smirnov and "
        "correlations take them all."
    )
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    weighted: bool = parameter(Flag(), default=False)

    def _measure(self, pair: Pair) -> Measurement:
        weights = record_weights(type(self).__name__, pair, self.weighted)
        weights = weights / weights.mean()
        terms, summaries = _terms(pair)
        n, size = len(pair.original), terms.shape[1] + summaries.shape[1] * (summaries.shape[1] - 1) // 2 + 1
        solution, value = np.zeros(size), 0.0
        for iteration in range(_ITERATIONS):
            report("telling files apart", iteration, _ITERATIONS)
            gradient, curvature, value = _derivatives(terms, summaries, weights, solution)
            step = np.linalg.solve(curvature, gradient)
            solution = solution - step
            if np.abs(step).max(initial=0.0) < 1e-6:
                break
        report("telling files apart", _ITERATIONS, _ITERATIONS)
        value = min(400.0 * value / (2.0 * weights.sum()), 100.0)
        noise = 25.0 * (size - 1) / n
        sentence = (
            f"Original and released records can be told apart by {value:.1f} % (0 not at all, 100 always); two samples "
            f"of the same population would show {min(noise, 100.0):.1f} %."
        )
        return self.result(value, sentence, details={"terms": size - 1, "expected_of_samples": min(noise, 100.0)})


def _derivatives(
    terms: FloatArray, summaries: FloatArray, weights: FloatArray, solution: FloatArray
) -> tuple[FloatArray, FloatArray, float]:
    """Return gradient and curvature of the deviance, and Σ (p̂ − ½)², block after block of records."""
    left, right = np.triu_indices(summaries.shape[1], 1)
    gradient, curvature, value = _RIDGE * solution, _RIDGE * np.eye(solution.size), 0.0
    for start in range(0, terms.shape[2], _BLOCK):
        rows = slice(start, start + _BLOCK)
        given = np.ascontiguousarray(weights[rows])
        for file, truth in ((0, 0.0), (1, 1.0)):
            products = summaries[file, left, rows] * summaries[file, right, rows]
            block = np.concatenate([np.ones((1, given.size)), terms[file, :, rows], products])
            scratch = np.empty((2, given.size))
            value += add_logistic_block(block, given, truth, solution, scratch, gradient, curvature)
    return gradient, np.tril(curvature) + np.tril(curvature, -1).T, value


def _terms(pair: Pair) -> tuple[FloatArray, FloatArray]:
    """Return the terms of single attributes, (2, t, n), and one column an attribute for products, (2, a, n)."""
    terms: list[FloatArray] = []
    summaries: list[FloatArray] = []
    for name in pair.names:
        scale = pair.original.schema[name].scale
        if scale.kind == "numeric":
            numbers = np.stack([pair.original.encoded(name), pair.masked.encoded(name)])
            absent = np.isnan(numbers)
        else:
            levels = levels_of_both(pair, name)
            codes = np.stack([levels.before, levels.after])
            absent = codes == levels.size - 1
            if not scale.ordered or (codes[~absent] >= levels.declared).any():
                frequent = np.argsort(-np.bincount(codes.ravel(), minlength=levels.size), kind="stable")
                shown = [_standard((codes == level).astype(np.float64)) for level in frequent[:_LEVELS]]
                terms += [column for column in shown if column.any()]
                summaries.append(shown[0])
                continue
            numbers = np.where(absent, np.nan, codes.astype(np.float64))
        terms += [_standard(absent.astype(np.float64))] if absent.any() else []
        column = _standard(np.where(absent, np.nanmean(numbers) if not absent.all() else 0.0, numbers))
        terms += [column, _standard(column**2)]
        summaries.append(column)
    return np.stack(terms, axis=1), np.stack(summaries, axis=1)


def _standard(columns: FloatArray) -> FloatArray:
    """Return a column of both files with mean 0 and standard deviation 1 over both; zeros where it is constant."""
    centred = columns - columns.mean()
    spread = centred.std()
    return np.asarray(centred / spread) if spread > 1e-12 * np.abs(columns).max() else np.zeros_like(centred)
