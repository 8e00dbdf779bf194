"""Automatic recoding of ordered scales: neighbours are merged until every level is frequent enough, or few are left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self, cast

import numpy as np

from discreet.base import Masker, Masking, MaskingJob, register
from discreet.errors import ParameterError
from discreet.masking.levels import change_levels, level_counts
from discreet.parameters import Choice, Constraint, Flag, Integer, Names, Number, Optional
from discreet.scales import Categorical
from discreet.typing import FloatArray, IntArray

__all__ = ["AdjacentMerging"]


@register("adjacent-merging")
class AdjacentMerging(Masker):
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
    >>> from discreet.scales import Ordinal
    >>> from discreet.schema import Attribute, Schema
    >>> schema = Schema([Attribute("size", Ordinal(["s", "m", "l"]), "key")])
    >>> sizes = pl.DataFrame({"size": ["s", "m", "m", "l", "l", "l"]})
    >>> AdjacentMerging(min_count=2, release="range").mask(sizes, schema).to_native()["size"].to_list()
    ['s–m', 's–m', 's–m', 'l', 'l', 'l']
    """

    scales: ClassVar[frozenset[str]] = frozenset({"ordinal"})
    perturbative: ClassVar[bool] = False
    handles_missing: ClassVar[bool] = True
    parameters: ClassVar[Mapping[str, Constraint]] = {
        "max_levels": Optional(Integer(1)),
        "min_count": Optional(Number(0, open_low=True)),
        "release": Choice(("level", "range")),
        "weighted": Flag(),
        "attributes": Optional(Names()),
    }

    def __init__(
        self,
        max_levels: int | None = None,
        *,
        min_count: float | None = None,
        release: str = "level",
        weighted: bool = True,
        attributes: Sequence[str] | None = None,
    ) -> None:
        self.max_levels = max_levels
        self.min_count = min_count
        self.release = release
        self.weighted = weighted
        self.attributes = attributes

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(3), cls(min_count=12)]

    def _mask(self, job: MaskingJob) -> Masking:
        if self.max_levels is None and self.min_count is None:
            raise ParameterError("AdjacentMerging: max_levels or min_count must be given.")
        values: dict[str, Any] = {}
        transitions, attributes, left = {}, [], {}
        weights = job.weights if self.weighted else None
        for name in job.names:
            attribute, codes = job.schema[name], job.microdata.encoded(name)
            levels = cast("Categorical", attribute.scale).levels
            counts = level_counts(codes, len(levels), weights)
            runs = merged_runs(counts, self.max_levels or len(levels), self.min_count or 0.0)
            left[name] = int(runs[-1]) + 1
            if self.release == "range":
                ends = [
                    (levels[np.flatnonzero(runs == r)[0]], levels[np.flatnonzero(runs == r)[-1]])
                    for r in range(left[name])
                ]
                named = [str(a) if a == b else f"{a}–{b}" for a, b in ends]
                change = change_levels(attribute, codes, runs, named)
            else:
                heads = np.array([np.flatnonzero(runs == r)[np.argmax(counts[runs == r])] for r in range(left[name])])
                change = change_levels(attribute, codes, heads[runs])
            values[name], transitions[name] = change.codes, change.transitions
            attributes += [] if change.attribute is None else [change.attribute]
        details = {"levels_left": left}
        return Masking(values, transitions=transitions, attributes=tuple(attributes), details=details)


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
