"""Losses of classes: how many records a release no longer tells apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import Measure, PairScope
from discreet.contracts.measurement import Measurement
from discreet.data.schema import Schema
from discreet.measures.number_pairs import says_change
from discreet.parameters import Names, Optional
from discreet.parameters.declaration import parameter
from discreet.statistics.both_rows import BothRows, RowCounts
from discreet.statistics.question import Need

__all__ = ["AverageClassSize", "ClassLoss", "Discernibility", "rows_asked"]

_CATEGORIES = ("ordinal", "nominal")


def rows_asked(scope: PairScope) -> BothRows:
    """Ask for the different rows of both files on the attributes that a measure looks at."""
    kinds = {
        name: [schema[name].scale.kind for schema in (scope.before, scope.after) if name in schema]
        for name in scope.names
    }
    levels = tuple(
        scope.levels(name) if len(two) == 2 and all(kind in _CATEGORIES for kind in two) else None
        for name, two in kinds.items()
    )
    return BothRows(scope.names, levels, tuple(name for name in scope.names if name in scope.after))


class ClassLoss(Measure):
    """A loss that counts classes of records with equal keys in both files; what was there before costs nothing."""

    kind: ClassVar[str] = "loss"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal", "sequence"})
    keys_only: ClassVar[bool] = True
    default: ClassVar[bool] = False
    sees_removed: ClassVar[bool] = True
    sees_shuffling: ClassVar[bool] = False
    need: ClassVar[Need] = Need.DISTINCT
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)

    def _comparable(self, names: tuple[str, ...], before: Schema, after: Schema) -> tuple[str, ...]:  # noqa: ARG002
        return names  # each file's classes are counted by themselves

    def question(self, scope: PairScope) -> BothRows:
        return rows_asked(scope)


def _all_records(scope: PairScope) -> tuple[int, int]:
    """Return how many records there were, and how many of them are not released."""
    absent = max(scope.provenance.n_records - scope.n, 0) if scope.provenance is not None else 0
    return scope.n + absent, absent


@register("discernibility")
class Discernibility(ClassLoss):
    """How many pairs of records can no longer be told apart by their keys, in percent (discernibility metric).

    0: every two records that differed still do; 100: all are alike, or suppressed. It sees sizes of classes alone:
    whether values are true is another question.

    Parameters
    ----------
    attributes : list of str, optional
        What a class has in common; by default every key, numbers included.

    Notes
    -----
    The metric is ``Σ size² + suppressed · n``, as the search for a generalisation makes it least; a record is
    suppressed if it was left out or no key of it is left. The value is its growth since the original, in percent of
    the growth that there can be, and 0 where classes became smaller; `details` holds the metric of both files.
    A missing cell is a value of its own, also that of a key that is not released. O(records log records × keys).

    References
    ----------
    Bayardo and Agrawal (2005), Data privacy through optimal k-anonymization.

    Examples
    --------
    >>> import polars as pl
    >>> a, b = pl.DataFrame({"x": [0.5, 1.5, 2.5, 3.5]}), pl.DataFrame({"x": [1.0, 1.0, 3.0, 3.0]})
    >>> loss = Discernibility(attributes=["x"]).measure(a, b)
    >>> loss.details["discernibility"], round(loss.value, 2)  # 2² + 2² = 8, from 4, of at most 16
    (8, 33.33)
    """

    title: ClassVar[str] = "Records no longer told apart (discernibility)"
    formula: ClassVar[str] = "100 · (DM′ − DM) / (n² − DM), DM = Σ size² + suppressed · n"
    reference: ClassVar[str] = "Bayardo and Agrawal 2005"

    def conclude(self, statistics: RowCounts, scope: PairScope) -> Measurement:
        n, absent = _all_records(scope)
        first = int((statistics.before.astype(object) ** 2).sum())
        blank = statistics.blank
        second = int((statistics.after.astype(object) ** 2).sum()) - blank**2 + (blank + absent) * n
        value = 100.0 * max(second - first, 0) / (n**2 - first) if n**2 > first else 0.0
        sentence = (
            f"Of the pairs of records that the keys told apart, {value:.1f} % are now alike or suppressed; a record "
            f"shares its keys with {second / n - 1:.1f} others on average."
            if value > 0
            else "Records are told apart by their keys as before."
        )
        details = {"discernibility": second, "before": first, "suppressed": blank + absent}
        return self.result(min(value, 100.0), sentence, details=details)


@register("class-size")
class AverageClassSize(ClassLoss):
    """How much larger the average class of records with equal keys became, in percent of what there can be.

    0: as many classes as before; 100: all records are one class. It sees sizes of classes alone.

    Parameters
    ----------
    attributes : list of str, optional
        What a class has in common; by default every key, numbers included.

    Notes
    -----
    The average size is records over classes, suppressed records being one class, as the search for a generalisation
    counts; divided by k it is LeFevre's C_AVG. The value is its growth in percent of the growth that there can be,
    ``100 · (s′ − s) / (n − s)``, and 0 where there are more classes than before. A missing cell is a value of its own.
    O(records log records × keys).

    References
    ----------
    LeFevre, DeWitt and Ramakrishnan (2006), Mondrian multidimensional k-anonymity.

    Examples
    --------
    >>> import polars as pl
    >>> a, b = pl.DataFrame({"x": [0.5, 1.5, 2.5, 3.5]}), pl.DataFrame({"x": [1.0, 1.0, 3.0, 3.0]})
    >>> loss = AverageClassSize(attributes=["x"]).measure(a, b)
    >>> loss.details["average_size"], round(loss.value, 2)  # from 1 to 2, of at most 4
    (2.0, 33.33)
    """

    title: ClassVar[str] = "Growth of the average class"
    formula: ClassVar[str] = "100 · (s′ − s) / (n − s), s = n / classes"
    reference: ClassVar[str] = "LeFevre, DeWitt and Ramakrishnan 2006"

    def conclude(self, statistics: RowCounts, scope: PairScope) -> Measurement:
        n, absent = _all_records(scope)
        first = scope.n / int(np.count_nonzero(statistics.before))
        classes = int(np.count_nonzero(statistics.after)) + (1 if absent and not statistics.blank else 0)
        second = n / classes
        value = min(100.0 * max(second - first, 0.0) / (n - first), 100.0) if n > first else 0.0
        sentence = (
            f"The average class of records with equal keys has {second:.2f} records, after {first:.2f} in the original."
            if says_change(value)
            else "Classes of records with equal keys are no larger than before."
        )
        details = {"average_size": second, "before": first, "classes": classes}
        return self.result(value, sentence, details=details)
