"""Rare levels joined: into one category, or into the nearest level of an ordered scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal, Self, cast

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.plan import Scope
from discreet.data.scales import Categorical
from discreet.data.schema import Attribute
from discreet.masking.recoding.adjacent import merged_runs
from discreet.masking.recoding.level_change import LevelChange, LevelPlan, LevelRecoding, change_levels, merge_into
from discreet.parameters import Choice, Integer, Names, Optional, Text
from discreet.parameters.declaration import parameter
from discreet.statistics.level_totals import LevelTotals, Totals
from discreet.statistics.question import Inquiry
from discreet.typing import FloatArray, IntArray

__all__ = ["RareLevels", "rarest_levels"]


@register("rare-levels")
class RareLevels(LevelRecoding):
    """Levels that fewer than `min_count` records have, joined until every level that is left has as many.

    Keeps frequent levels as they are and every released value true in the coarser sense; destroys the difference
    between rare levels, which is what makes records stand out.

    Parameters
    ----------
    min_count : int
        The fewest records of a level that is released by its own name.
    into : {"other", "nearest"}
        All rare levels become `category`; or, on an ordered scale, each is joined to the rarer of its neighbours, the
        most frequent of which stands for all, and unordered scales get the category.
    category : str
        The name of the category. One of the attribute's own levels is an ordinary level that takes the rare ones in.
    attributes : list of str, optional
        What to mask; by default every categorical key.

    Notes
    -----
    O(n). Records are counted, never survey weights. Where the rare levels together are fewer than `min_count`, the next
    rarest are joined to them until they are enough; of equally frequent levels the one declared first. Levels that
    nobody has go where the rare ones go. Of a single column; it promises nothing of several together. Missing values
    stay missing.

    References
    ----------
    Willenborg and de Waal (2001), Elements of Statistical Disclosure Control.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Schema
    >>> schema = Schema([Attribute("fuel", Nominal(["gas", "oil", "wood"]), "key")])
    >>> fuels = pl.DataFrame({"fuel": ["gas", "gas", "gas", "oil", "wood"]})
    >>> RareLevels(2).mask(fuels, schema).to_native()["fuel"].to_list()
    ['gas', 'gas', 'gas', 'other', 'other']
    """

    scales: ClassVar[frozenset[str]] = frozenset({"ordinal", "nominal"})
    perturbative: ClassVar[bool] = False
    handles_missing: ClassVar[bool] = True
    min_count: int = parameter(Integer(2), default=5, kw_only=False)
    into: Literal["other", "nearest"] = parameter(Choice(("other", "nearest")), default="other")
    category: str = parameter(Text("the name of the new category"), default="other")
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(9, attributes=["size", "fuel"]), cls(7, into="nearest")]

    def inquire(self, scope: Scope) -> Inquiry[LevelPlan]:
        totals: Totals = yield LevelTotals.of_schema(scope.schema, scope.names, None)
        changes: dict[str, LevelChange] = {}
        notes, remaining = [], {}
        for name in scope.names:
            attribute, counts = scope.schema[name], totals.of(name)
            changes[name] = self._change(attribute, counts)
            targets = np.unique(changes[name].table[:-1][counts > 0])
            remaining[name] = int(targets.size)
            if targets.size == 1 and (counts > 0).sum() > 1:
                notes.append(f"{name} has one level left and is constant now.")
        return LevelPlan.of(changes, {"levels_left": remaining}, notes)

    def _change(self, attribute: Attribute, counts: FloatArray) -> LevelChange:
        levels = cast("Categorical", attribute.scale).levels
        if self.into == "nearest" and attribute.scale.ordered:
            runs = merged_runs(counts, len(levels), self.min_count)
            members = [np.flatnonzero(runs == run) for run in range(int(runs[-1]) + 1)]
            heads = np.array([run[np.argmax(counts[run])] for run in members])
            return change_levels(attribute, heads[runs])
        host = levels.index(self.category) if self.category in levels else None
        merged = rarest_levels(counts, self.min_count, host)
        if not merged.size:
            return change_levels(attribute, np.arange(len(levels)))
        return merge_into(attribute, merged, int(merged[np.argmax(counts[merged])]), self.category)


def rarest_levels(counts: FloatArray, min_count: float, host: int | None = None) -> IntArray:
    """Return the levels to join so that they, and every other level, have at least so many records.

    Parameters
    ----------
    counts : (levels,) float64
    min_count : float
    host : int, optional
        A level that takes them in: its records count among theirs.

    Examples
    --------
    >>> rarest_levels(np.array([9.0, 1.0, 4.0, 0.0]), 3).tolist()
    [1, 2, 3]
    """
    order = [level for level in np.argsort(counts, kind="stable").tolist() if level != host]
    rare = [level for level in order if counts[level] < min_count]
    total = sum(counts[level] for level in rare) + (0.0 if host is None else counts[host])
    too_few = host is not None and 0 < counts[host] < min_count
    if not too_few and not any(counts[level] for level in rare):
        return np.empty(0, dtype=np.int64)
    for level in order[len(rare) :]:
        if total >= min_count:
            break
        rare.append(level)
        total += counts[level]
    return np.array(sorted(rare), dtype=np.int64)
