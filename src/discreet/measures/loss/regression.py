"""What a user's own regression lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import Measure, Pair
from discreet.contracts.measurement import Measurement
from discreet.data.schema import Schema
from discreet.errors import DataError, ParameterError
from discreet.measures.number_pairs import levels_of_both, record_weights
from discreet.parameters import Flag, Names, Optional, Text
from discreet.parameters.declaration import parameter
from discreet.typing import FloatArray, Json

__all__ = ["RegressionLoss"]

_Z = 1.959963984540054


@dataclass(frozen=True, repr=False)
class _Fit:
    """Coefficients and their standard errors; NaN where a column of the model is constant 0."""

    coefficients: FloatArray
    errors: FloatArray


@register("regression")
class RegressionLoss(Measure):
    """How little the confidence intervals of a user's linear model overlap before and after, in percent.

    0: an analyst would draw the same conclusions from the release; 100: no interval even touches its counterpart.

    Parameters
    ----------
    outcome : str
        The numeric attribute that is explained.
    predictors : list of str
        What explains it, numeric or categorical.
    weighted : bool
        Weighted least squares with the survey weights.

    Notes
    -----
    Least squares with an intercept; a categorical predictor has one column a level, without the most frequent one of
    the original. Of every coefficient but the intercept, the overlap of the two 95 % intervals is taken as a share of
    each and averaged, 0 where they do not meet or the level has gone; the value is 100 minus its mean in percent.
    Records with a missing value in the model are left out. O(records × columns²).

    References
    ----------
    Karr, Kohnen, Oganian, Reiter and Sanil (2006), A framework for evaluating the utility of data altered to protect
    confidentiality.

    Examples
    --------
    >>> import polars as pl
    >>> a = pl.DataFrame({"x": [0.5, 1.5, 2.5, 3.5], "y": [1.0, 2.0, 3.5, 4.0]})
    >>> far = a.with_columns(y=-10 * a["y"])
    >>> [RegressionLoss("y", ["x"]).measure(a, b).value for b in (a, far)]
    [0.0, 100.0]
    """

    kind: ClassVar[str] = "loss"
    title: ClassVar[str] = "Confidence intervals of a regression"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    default: ClassVar[bool] = False
    formula: ClassVar[str] = "100 · (1 − mean overlap of 95 % intervals)"
    reference: ClassVar[str] = "Karr, Kohnen, Oganian, Reiter and Sanil 2006"
    outcome: str | None = parameter(Optional(Text("the name of a numeric attribute")), default=None, kw_only=False)
    predictors: Sequence[str] | None = parameter(Optional(Names()), default=None, kw_only=False)
    weighted: bool = parameter(Flag(), default=False)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls("wealth", ["income", "age"]), cls("income", ["size", "fuel", "age"], weighted=True)]

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        wanted = [self.outcome, *(self.predictors or ())]
        for name in wanted:
            if name is not None:
                schema[name]
        return tuple(name for name in super().columns_for(schema) if name in wanted or self.outcome is None)

    def _measure(self, pair: Pair) -> Measurement:
        if self.outcome is None or not self.predictors or self.outcome in self.predictors:
            raise ParameterError(
                "RegressionLoss: outcome and predictors must name the attributes of a model.",
                hint='RegressionLoss("income", ["age", "sex"]).',
            )
        for name in (self.outcome, *self.predictors):
            if name not in pair.names or (name == self.outcome and pair.original.schema[name].scale.kind != "numeric"):
                kind = "a released numeric attribute" if name == self.outcome else "a released attribute with one value"
                raise ParameterError(f"RegressionLoss: {name!r} must be {kind}.")
        weights = record_weights(type(self).__name__, pair, self.weighted)
        labels, before, after = self._columns(pair)
        first = _least_squares(before, pair.original.encoded(self.outcome), weights)
        second = _least_squares(after, pair.masked.encoded(self.outcome), weights)
        overlaps = _overlaps(first, second)
        counted = ~np.isnan(first.coefficients[1:])
        if not counted.any():
            raise DataError("RegressionLoss: the model has no coefficient that can be estimated.")
        value = float(100.0 * (1.0 - overlaps[counted].mean()))
        sentence = (
            f"The 95 % intervals of {int(counted.sum())} coefficients overlap by {100 - value:.1f} % on average; "
            f"{int((overlaps[counted] == 0).sum())} do not meet."
        )
        details: Json = {
            "coefficients": [
                {"term": label, "before": _number(b), "after": _number(a), "overlap": float(o)}
                for label, b, a, o in zip(
                    labels, first.coefficients[1:], second.coefficients[1:], overlaps, strict=True
                )
            ]
        }
        return self.result(max(value, 0.0), sentence, details=details)

    def _columns(self, pair: Pair) -> tuple[list[str], FloatArray, FloatArray]:
        """Return the names of the model's columns, and the columns of both files without the intercept."""
        labels, before, after = [], [], []
        for name in self.predictors or ():
            if pair.original.schema[name].scale.kind == "numeric":
                labels.append(name)
                before.append(pair.original.encoded(name))
                after.append(pair.masked.encoded(name))
                continue
            levels = levels_of_both(pair, name)
            counts = np.bincount(levels.before, minlength=levels.size)[:-1]
            for place in np.flatnonzero(counts):
                if place == counts.argmax():
                    continue
                labels.append(f"{name}, level {place + 1} of {levels.declared}")
                for codes, columns in ((levels.before, before), (levels.after, after)):
                    column = (codes == place).astype(np.float64)
                    column[codes == levels.size - 1] = np.nan
                    columns.append(column)
        return labels, np.stack(before, axis=1), np.stack(after, axis=1)


def _least_squares(columns: FloatArray, outcome: FloatArray, weights: FloatArray) -> _Fit:
    there = ~(np.isnan(columns).any(axis=1) | np.isnan(outcome))
    x, y, w = columns[there], outcome[there], np.sqrt(weights[there] / weights.mean())
    size = columns.shape[1] + 1
    coefficients, errors = np.full(size, np.nan), np.full(size, np.nan)
    if not len(x):
        return _Fit(coefficients, errors)
    # Centred and scaled columns keep the normal equations well conditioned; slopes are scaled back.
    middle, spread = x.mean(axis=0), x.std(axis=0)
    used = spread > 0
    design = np.column_stack([np.ones(len(x)), (x[:, used] - middle[used]) / spread[used]]) * w[:, None]
    origin = y.mean()
    inverse = np.linalg.pinv(design.T @ design, hermitian=True)
    solution = inverse @ (design.T @ ((y - origin) * w))
    residuals = (y - origin) * w - design @ solution
    variance = (residuals**2).sum() / max(len(x) - design.shape[1], 1)
    places = np.append(0, 1 + np.flatnonzero(used))
    scale = np.append(1.0, spread[used])
    coefficients[places] = solution / scale
    errors[places] = np.sqrt(np.maximum(np.diagonal(inverse), 0.0) * variance) / scale
    coefficients[0] += origin
    return _Fit(coefficients, errors)


def _overlaps(first: _Fit, second: _Fit) -> FloatArray:
    low = np.maximum(first.coefficients - _Z * first.errors, second.coefficients - _Z * second.errors)[1:]
    high = np.minimum(first.coefficients + _Z * first.errors, second.coefficients + _Z * second.errors)[1:]
    common = np.where(np.isnan(high - low), 0.0, np.maximum(high - low, 0.0))
    result = np.zeros(common.size)
    for errors in (first.errors[1:], second.errors[1:]):
        length = 2.0 * _Z * errors
        result += np.where(length > 0, common / np.where(length > 0, length, 1.0), 0.0) / 2.0
    same = (first.coefficients == second.coefficients)[1:] & (first.errors == second.errors)[1:]
    return np.where(same, 1.0, np.minimum(result, 1.0))


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
