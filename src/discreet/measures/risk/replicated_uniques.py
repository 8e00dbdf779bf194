"""Records that are alone in the original, and again in the release."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from discreet.contracts.estimator import register
from discreet.contracts.measure import Measure, PairScope
from discreet.contracts.measurement import Measurement
from discreet.measures.loss.class_losses import rows_asked
from discreet.parameters import Names, Optional
from discreet.parameters.declaration import parameter
from discreet.statistics.both_rows import BothRows, RowCounts
from discreet.statistics.question import Need

__all__ = ["ReplicatedUniques"]


@register("replicated-uniques")
class ReplicatedUniques(Measure):
    """Share of released records whose keys are unique in the release and unique in the original, in percent.

    The intruder knows the keys of one person who is alone with them, and finds one released record that has them all:
    what is called a replicated unique of synthetic data, and of masked data is a record that was hardly touched.

    Parameters
    ----------
    attributes : list of str, optional
        What the intruder knows; by default every key, numbers included.

    Notes
    -----
    ``100 · #{combinations that one record of either file has} / n``. That the record is the person's own is not asked:
    the intruder believes so. Values are compared as such, and a missing value is one of its own; a key that is released
    on another scale is left out. O(records log records × keys).

    References
    ----------
    Nowok, Raab and Dibben (2016), synthpop: Bespoke creation of synthetic data in R; Raab (2024), Privacy risk from
    synthetic data: practical proposals.

    Examples
    --------
    >>> import polars as pl
    >>> a, b = pl.DataFrame({"x": [0.5, 1.5, 1.5, 3.5]}), pl.DataFrame({"x": [0.5, 1.5, 2.5, 2.5]})
    >>> ReplicatedUniques(attributes=["x"]).measure(a, b).value  # 0.5; 1.5 was not alone
    25.0
    """

    kind: ClassVar[str] = "risk"
    title: ClassVar[str] = "Uniques of the original that the release has again"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal", "sequence"})
    keys_only: ClassVar[bool] = True
    default: ClassVar[bool] = False
    need: ClassVar[Need] = Need.DISTINCT
    formula: ClassVar[str] = "100 · #{f = 1 and f′ = 1} / n"
    reference: ClassVar[str] = "Nowok, Raab and Dibben 2016"
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)

    def question(self, scope: PairScope) -> BothRows:
        return rows_asked(scope)

    def conclude(self, statistics: RowCounts, scope: PairScope) -> Measurement:
        alone = statistics.before == 1
        again = int((alone & (statistics.after == 1)).sum())
        sentence = (
            f"{again} of {scope.n} released records have keys that one person of the original has, and that no other "
            "released record has."
            if again
            else "No combination of keys is unique in both files."
        )
        details = {
            "replicated": again,
            "unique_before": int(alone.sum()),
            "unique_after": int((statistics.after == 1).sum()),
            "keys": list(scope.names),
        }
        return self.result(100.0 * again / scope.n, sentence, details=details)
