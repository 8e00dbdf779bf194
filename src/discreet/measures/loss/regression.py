"""What a user's own regression lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import Measure, PairScope
from discreet.contracts.measurement import Measurement
from discreet.data.schema import Schema
from discreet.errors import DataError, ParameterError
from discreet.measures.number_pairs import weight_asked
from discreet.parameters import Choice, Flag, Names, Optional, Text
from discreet.parameters.declaration import parameter
from discreet.progress import report
from discreet.statistics.level_totals import LevelTotals, Totals
from discreet.statistics.linear_model import Fit, LinearModel, ModelMoments, ModelResiduals, Predictor, SideMoments
from discreet.statistics.logistic_model import LogisticTurn, begun
from discreet.statistics.question import Inquiry, Need
from discreet.typing import FloatArray, Json

__all__ = ["RegressionLoss"]

_TURNS = 25
_SETTLED = 1e-10
_Z = 1.959963984540054


@dataclass(frozen=True, repr=False)
class _Estimates:
    """Coefficients and their standard errors; NaN where a column of the model is constant 0."""

    coefficients: FloatArray
    errors: FloatArray


@register("regression")
class RegressionLoss(Measure):
    """How little the confidence intervals of a user's linear or logistic model overlap before and after, in percent.

    0: an analyst would draw the same conclusions from the release; 100: no interval even touches its counterpart.

    Parameters
    ----------
    outcome : str
        The attribute that is explained: numeric, or of a logistic model any with one value.
    predictors : list of str
        What explains it, numeric or categorical.
    weighted : bool
        Weighted least squares, or likelihood, with the survey weights.
    family : {"linear", "logistic"}
        ``"logistic"``: the chance that a level is another than the most frequent one of the original, or that a number
        is above 0, by Newton's method; up to 25 passes.

    Notes
    -----
    Least squares with an intercept; a categorical predictor has one column a level, without the most frequent one of
    the original. Of every coefficient but the intercept, the overlap of the two 95 % intervals is taken as a share of
    each and averaged, 0 where they do not meet or the level has gone; the value is 100 minus its mean in percent.
    Records with a missing value in the model are left out; of columns that depend on each other, the shortest solution
    is taken. O(records × columns²), in three passes: levels, moments, residuals.

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
    need: ClassVar[Need] = Need.RECORD
    formula: ClassVar[str] = "100 · (1 − mean overlap of 95 % intervals)"
    reference: ClassVar[str] = "Karr, Kohnen, Oganian, Reiter and Sanil 2006"
    outcome: str | None = parameter(Optional(Text("the name of a numeric attribute")), default=None, kw_only=False)
    predictors: Sequence[str] | None = parameter(Optional(Names()), default=None, kw_only=False)
    weighted: bool = parameter(Flag(), default=False)
    family: Literal["linear", "logistic"] = parameter(Choice(("linear", "logistic")), default="linear")

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls("wealth", ["income", "age"]),
            cls("income", ["size", "fuel", "age"], weighted=True),
            cls("owner", ["income", "age"], family="logistic"),
        ]

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        wanted = [self.outcome, *(self.predictors or ())]
        for name in wanted:
            if name is not None:
                schema[name]
        return tuple(name for name in super().columns_for(schema) if name in wanted or self.outcome is None)

    def inquire(self, scope: PairScope) -> Inquiry[Measurement]:
        if self.outcome is None or not self.predictors or self.outcome in self.predictors:
            raise ParameterError(
                "RegressionLoss: outcome and predictors must name the attributes of a model.",
                hint='RegressionLoss("income", ["age", "sex"]).',
            )
        numeric = self.outcome if self.family == "linear" else None
        for name in (self.outcome, *self.predictors):
            if name not in scope.names or (name == numeric and scope.before[name].scale.kind != "numeric"):
                kind = "a released numeric attribute" if name == numeric else "a released attribute with one value"
                raise ParameterError(f"RegressionLoss: {name!r} must be {kind}.")
        weight = weight_asked(type(self).__name__, scope, self.weighted)
        kinds = tuple(n for n in (*self.predictors, self.outcome) if scope.before[n].scale.kind != "numeric")
        totals = (yield LevelTotals.of_schema(scope.before, kinds, None)) if kinds else Totals((), (), False)
        labels: list[str] = []
        predictors = []
        for name in self.predictors:
            if name not in kinds:
                labels.append(name)
                predictors.append(Predictor(name))
                continue
            counts, levels = totals.of(name), scope.levels(name)
            places = tuple(int(place) for place in np.flatnonzero(counts) if place != counts.argmax())
            labels += [f"{name}, level {place + 1} of {levels.declared}" for place in places]
            predictors.append(Predictor(name, levels, places))
        usual = None
        if self.family == "logistic":
            has_levels = self.outcome in kinds
            usual = (
                scope.levels(self.outcome) if has_levels else None,
                int(totals.of(self.outcome).argmax()) if has_levels else 0,
            )
        model = LinearModel(self.outcome, tuple(predictors), weight, usual)
        moments = yield ModelMoments(model)
        unit = moments.weight / moments.records
        sides = moments.before, moments.after
        if self.family == "logistic":
            one, two = yield from _logistic(model, sides, unit, len(labels))
            return self._told(labels, one, two)
        fits = sides[0].solved(unit), sides[1].solved(unit)
        squares = yield ModelResiduals(model, fits)
        first, second = (
            _estimates(len(labels), fit, squared / unit, side.records)
            for fit, squared, side in zip(fits, (squares.before, squares.after), sides, strict=True)
        )
        return self._told(labels, first, second)

    def _told(self, labels: Sequence[str], first: _Estimates, second: _Estimates) -> Measurement:
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


def _logistic(
    model: LinearModel, sides: tuple[SideMoments, SideMoments], unit: float, columns: int
) -> Inquiry[tuple[_Estimates, _Estimates]]:
    """Inquire, turn after turn, until no coefficient changes in either file."""
    fits = begun(sides[0]), begun(sides[1])
    for turn in range(_TURNS):
        report("fitting a logistic model", turn, _TURNS)
        sums = yield LogisticTurn(model, fits, unit)
        steps = [
            (None, 0.0) if fit is None else fit.stepped(gradient, curvature)
            for fit, gradient, curvature in zip(fits, sums.gradients, sums.curvatures, strict=True)
        ]
        fits = steps[0][0], steps[1][0]
        if max(step for _, step in steps) < _SETTLED:
            break
    report("fitting a logistic model", _TURNS, _TURNS)
    empty = np.full(columns + 1, np.nan)
    first, second = (
        _Estimates(empty, empty) if fit is None else _Estimates(*fit.told(columns, curvature))
        for fit, curvature in zip(fits, sums.curvatures, strict=True)
    )
    return first, second


def _estimates(columns: int, fit: Fit | None, squares: float, records: int) -> _Estimates:
    """Return the coefficients of all columns in their own units, from Σ w r²."""
    coefficients, errors = np.full(columns + 1, np.nan), np.full(columns + 1, np.nan)
    if fit is None:
        return _Estimates(coefficients, errors)
    variance = squares / max(records - fit.solution.size, 1)
    places, scale = np.append(0, 1 + fit.used), np.append(1.0, fit.scale)
    coefficients[places] = fit.solution / scale
    errors[places] = np.sqrt(np.maximum(fit.leverage, 0.0) * variance) / scale
    coefficients[0] += fit.middle[-1]
    return _Estimates(coefficients, errors)


def _overlaps(first: _Estimates, second: _Estimates) -> FloatArray:
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
