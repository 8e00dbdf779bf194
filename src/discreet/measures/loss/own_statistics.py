"""A user's own figures, before and after."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import Measure, PairScope
from discreet.contracts.measurement import Measurement
from discreet.data.schema import Schema
from discreet.errors import DataError, ParameterError
from discreet.measures.number_pairs import says_change, weight_asked
from discreet.measures.own_statistic import GroupSums, PublishedFigure, SumsOfGroups
from discreet.parameters import ByName, Flag, Instance, ListOf, Number, Optional, Text
from discreet.parameters.declaration import parameter
from discreet.statistics.question import Everything, Inquiry, Need, Together
from discreet.typing import FloatArray, Json

__all__ = ["OwnStatistics"]

_FEW = 10
"""Records of a group below which its figure before masking is nobody's business."""


@register("own-statistics")
class OwnStatistics(Measure):
    """How far a user's own figures are from those of the original, or from published ones, in percent.

    0: whoever computes these figures from the release gets those of the original. It sees what they see.

    Parameters
    ----------
    statistics : list of str
        Such as ``"mean(income) by region"``, ``"sum(rent) / sum(income) where age >= 18"``, ``"share(income < 900) by
        region, sex"``: count(), sum, mean, share, var and sd, arithmetic between them, columns after ``by``, a
        condition after ``where``. They are read, never run as code.
    weighted : bool
        Count records by their survey weight.
    published : dict of str to float, optional
        By statistic, the figure that was published: the release is compared with it instead of the original. Only for
        statistics without ``by``.
    function : callable, optional
        Takes a table as a polars frame, and returns a number or a dict of numbers, which are compared as well. It is
        the user's own code, needs all records at once, and cannot stand in a protocol.

    Notes
    -----
    ``100 · mean |a − a′| / |a|`` over all figures, each 1 at most; a figure of 0 that changed, or one that the release
    no longer has, counts 1. Groups that the original does not have do not count; a missing value after ``by`` is a
    group. Records that lack a value are left out of that figure. Figures of the original stand in `details` only for
    groups of at least ten records, and figures that a `function` gives never do. O(records × statistics).

    References
    ----------
    Karr, Kohnen, Oganian, Reiter and Sanil (2006); Benschop, Machingauta and Welch (2019), Statistical Disclosure
    Control: A Practice Guide, steps 5 and 11.

    Examples
    --------
    >>> import polars as pl
    >>> a = pl.DataFrame({"home": ["own", "own", "rent", "rent"], "pay": [1.5, 2.5, 3.5, 4.5]})
    >>> b = a.with_columns(pay=pl.Series([1.5, 2.5, 5.5, 4.5]))
    >>> OwnStatistics(["mean(pay) by home"]).measure(a, b).value  # 2 and 2; 4 and 5
    12.5
    """

    kind: ClassVar[str] = "loss"
    title: ClassVar[str] = "Own figures before and after"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    default: ClassVar[bool] = False
    formula: ClassVar[str] = "100 · mean min(|a − a′| / |a|, 1)"
    reference: ClassVar[str] = "Karr et al. 2006; Benschop, Machingauta and Welch 2019"
    statistics: Sequence[str] | None = parameter(
        Optional(ListOf(Text('a statistic such as "mean(income) by region"'))), default=None, kw_only=False
    )
    weighted: bool = parameter(Flag(), default=False)
    published: Mapping[str, float] | None = parameter(Optional(ByName(Number())), default=None)
    function: Callable[..., Any] | None = parameter(
        Optional(Instance(Callable, "a function of a table")),  # type: ignore[arg-type]
        default=None,
    )

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(["mean(income) by fuel", "sum(income) / sum(wealth) by region where age >= 30"], weighted=True)]

    @property
    def need(self) -> Need:  # type: ignore[override]
        """Sums of groups merge; of a function nobody knows what it does."""
        return Need.RECORD if self.function is None else Need.ALL

    def _figures(self) -> list[PublishedFigure]:
        return [PublishedFigure(text, type(self).__name__) for text in self.statistics or ()]

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        figures = self._figures()
        wanted = {name for one in figures for name in (*one.names, *one.groups)}
        for name in wanted:
            schema[name]
        return tuple(n for n in super().columns_for(schema) if n in wanted or self.function or not figures)

    def inquire(self, scope: PairScope) -> Inquiry[Measurement]:
        figures = self._figures()
        if not figures and self.function is None:
            raise ParameterError(
                "OwnStatistics: statistics must say which figures are compared.",
                hint='OwnStatistics(["mean(income) by region"]).',
            )
        for name in dict.fromkeys(name for one in figures for name in (*one.names, *one.groups)):
            kinds = [schema[name].scale.kind for schema in (scope.before, scope.after) if name in schema]
            if len(kinds) < 2 or "sequence" in kinds or (kinds[0] == "numeric") != (kinds[1] == "numeric"):
                raise ParameterError(
                    f"OwnStatistics: {name!r} must be a released attribute with one value, on the scale it had."
                )
        unordered = [name for one in figures for name in one.groups if scope.before[name].scale.kind == "numeric"]
        if unordered:
            raise ParameterError(f"OwnStatistics: {unordered[0]!r} after by must be categorical.")
        strange = [text for text in self.published or () if text not in [one.text for one in figures if not one.groups]]
        if strange:
            raise ParameterError("OwnStatistics: published names figures that are no statistics without by.")
        weight = weight_asked(type(self).__name__, scope, self.weighted)
        before, after, rows = [], [], []
        if figures:
            questions = [SumsOfGroups(one, tuple(map(scope.levels, one.groups)), weight) for one in figures]
            answers = yield Together(tuple(questions))
            for figure, sums in zip(figures, answers.statistics, strict=True):
                row, first, second = self._compared(figure, sums)
                before.append(first)
                after.append(second)
                rows.append(row)
        if self.function is not None:
            block = yield Everything(type(self).__name__, *scope.everything, self.instead)
            one, two = (_called(self.function, table) for table in (block.original, block.release))
            before.append(np.array(list(one.values())))
            after.append(np.array([two.get(name, np.nan) for name in one]))
            rows.append({"statistic": "function", "figures": len(one)})
        return self._told(np.concatenate(before), np.concatenate(after), rows)

    def _compared(self, figure: PublishedFigure, sums: GroupSums) -> tuple[Json, FloatArray, FloatArray]:
        first, second = (np.atleast_1d(figure.figures(side)) for side in sums.sums)
        there = np.isfinite(first) & (sums.records[0] > 0)
        shown = {}
        if self.published is not None and figure.text in self.published:
            first, there = np.array([float(self.published[figure.text])]), np.array([True])
        if first.size == 1 and sums.records[0].sum() >= _FEW and there.all() and np.isfinite(second).all():
            shown = {"before": float(first[0]), "after": float(second[0])}
        apart = _relative(first[there], second[there])
        mean = float(100.0 * apart.mean()) if apart.size else 0.0
        row: Json = {"statistic": figure.text, "figures": int(there.sum()), "difference": mean, **shown}
        return row, first[there], second[there]

    def _told(self, before: FloatArray, after: FloatArray, rows: list[Json]) -> Measurement:
        if not before.size:
            raise DataError("OwnStatistics: none of the figures can be computed from the original.")
        apart = _relative(before, after)
        value = float(100.0 * apart.mean())
        changed = int((apart > 1e-9).sum())
        sentence = (
            f"{changed} of {before.size} figures changed, by {value:.2f} % on average over all, and by "
            f"{100.0 * float(apart.max()):.1f} % at most."
            if says_change(value)
            else f"None of {before.size} figures changed."
        )
        details: Json = {"statistics": rows, "changed": changed, "largest": 100.0 * float(apart.max())}
        return self.result(value, sentence, details=details)


def _relative(before: FloatArray, after: FloatArray) -> FloatArray:
    """Return |a − a′| / |a|, 1 at most, and 1 where there is no a′ or a is 0 and a′ is not."""
    gap = np.abs(before - after)
    size = np.abs(before)
    share = np.where(size > 0, gap / np.where(size > 0, size, 1.0), (gap > 0).astype(np.float64))
    return np.where(np.isfinite(after), np.minimum(share, 1.0), 1.0)


def _called(function: Callable[..., Any], table: Any) -> dict[str, float]:
    """Return what a user's function says of a table, by name."""
    try:
        outcome = function(table.to_polars())
        named = outcome if isinstance(outcome, Mapping) else {"": outcome}
        figures = {str(name): float(number) for name, number in named.items()}
    except Exception as error:  # noqa: BLE001 - a user's code may raise anything, and may quote values
        raise DataError(f"OwnStatistics: the function failed with {type(error).__name__}.") from None
    if not figures or not all(np.isfinite(number) for number in figures.values()):
        raise DataError("OwnStatistics: the function must return a number, or a dict of numbers.")
    return figures
