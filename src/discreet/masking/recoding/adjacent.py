"""Automatic recoding of ordered scales: neighbours are merged until every level is frequent enough, or few are left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal, Self, cast

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.plan import Scope
from discreet.data.scales import Categorical
from discreet.errors import ParameterError
from discreet.masking.recoding.level_change import LevelPlan, LevelRecoding, change_levels
from discreet.parameters import Choice, Flag, Integer, Names, Number, Optional
from discreet.parameters.declaration import parameter
from discreet.statistics.level_totals import LevelTotals, Totals
from discreet.statistics.question import Inquiry
from discreet.typing import FloatArray, IntArray

__all__ = ["AdjacentMerging"]


@register("adjacent-merging")
class AdjacentMerging(LevelRecoding):
    """Neighbouring levels merged, the rarest first, until a target is met.

    Keeps the order, and every value true in the coarser sense; destroys the difference between merged neighbours.

    Parameters
    ----------
    max_levels : int, optional
        Merge until at most this many levels are left.
    min_count : float, optional
        Merge until every level that is left occurs at least this often (weighted, where weights count). With both
        targets, both are met; at least one must be given.
    release : {"level", "range"}
        The most frequent level of a run stands for it, and the scale is kept; or the run is named after its ends,
        such as ``"xs–s"``, on a new scale.
    weighted : bool
        Count with the survey weights, where the schema has them.
    attributes : list of str, optional
        What to mask; by default every ordinal key.

    Notes
    -----
    At every step the rarest run is joined to the rarer of its neighbours; ties go to the lower level. O(n + levels²).
    Missing values stay missing.

    References
    ----------
    Willenborg and de Waal (2001), Elements of Statistical Disclosure Control.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Ordinal
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute("size", Ordinal(["s", "m", "l"]), "key")])
    >>> sizes = pl.DataFrame({"size": ["s", "m", "m", "l", "l", "l"]})
    >>> AdjacentMerging(min_count=2, release="range").mask(sizes, schema).to_native()["size"].to_list()
    ['s–m', 's–m', 's–m', 'l', 'l', 'l']
    """

    scales: ClassVar[frozenset[str]] = frozenset({"ordinal"})
    perturbative: ClassVar[bool] = False
    handles_missing: ClassVar[bool] = True
    max_levels: int | None = parameter(Optional(Integer(1)), default=None, kw_only=False)
    min_count: float | None = parameter(Optional(Number(0, open_low=True)), default=None)
    release: Literal["level", "range"] = parameter(Choice(("level", "range")), default="level")
    weighted: bool = parameter(Flag(), default=True)
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(3), cls(min_count=12)]

    def inquire(self, scope: Scope) -> Inquiry[LevelPlan]:
        if self.max_levels is None and self.min_count is None:
            raise ParameterError("AdjacentMerging: max_levels or min_count must be given.")
        totals: Totals = yield LevelTotals.of_schema(scope.schema, scope.names, scope.weight)
        changes, remaining = {}, {}
        for name in scope.names:
            attribute, counts = scope.schema[name], totals.of(name)
            levels = cast("Categorical", attribute.scale).levels
            runs = merged_runs(counts, self.max_levels or len(levels), self.min_count or 0.0)
            remaining[name] = int(runs[-1]) + 1
            members = [np.flatnonzero(runs == run) for run in range(remaining[name])]
            if self.release == "range":
                ends = [(levels[those[0]], levels[those[-1]]) for those in members]
                named = [str(low) if low == high else f"{low}–{high}" for low, high in ends]
                changes[name] = change_levels(attribute, runs, named)
            else:
                heads = np.array([those[np.argmax(counts[those])] for those in members])
                changes[name] = change_levels(attribute, heads[runs])
        return LevelPlan.of(changes, {"levels_left": remaining})


def merged_runs(counts: FloatArray, max_levels: int, min_count: float) -> IntArray:
    """Return the run of every level: 0 … r − 1, ascending.

    Examples
    --------
    >>> merged_runs(np.array([1.0, 2.0, 3.0]), 3, 2.0).tolist()
    [0, 0, 1]
    """
    runs = [[i] for i in range(counts.size)]
    totals = counts.tolist()
    while len(runs) > 1 and (len(runs) > max_levels or min(totals) < min_count):
        rarest = int(np.argmin(totals))
        beside = [j for j in (rarest - 1, rarest + 1) if 0 <= j < len(runs)]
        low, high = sorted((rarest, min(beside, key=lambda j: (totals[j], j))))
        runs[low] += runs.pop(high)
        totals[low] += totals.pop(high)
    result = np.empty(counts.size, dtype=np.int64)
    for r, members in enumerate(runs):
        result[members] = r
    return result
