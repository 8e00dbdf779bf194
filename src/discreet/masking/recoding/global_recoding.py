"""Global recoding: the rarest levels of a scale become one category."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.plan import Scope
from discreet.masking.recoding.level_change import LevelChange, LevelPlan, LevelRecoding, merge_into
from discreet.parameters import Flag, Integer, Names, Optional, Text
from discreet.parameters.declaration import parameter
from discreet.statistics.level_totals import LevelTotals, Totals
from discreet.statistics.question import Inquiry

__all__ = ["GlobalRecoding"]


@register("global-recoding")
class GlobalRecoding(LevelRecoding):
    """The `p` least frequent levels of every attribute become one category.

    Keeps frequent levels as they are and every released value true in the coarser sense; destroys the difference
    between rare levels, which is what makes records stand out.

    Parameters
    ----------
    p : int
        How many of the levels that occur are merged.
    category : str, optional
        The name of the merged category. Without it the most frequent of the merged levels stands for all of them, and
        the scale of the release is that of the original, so that the two can be compared.
    weighted : bool
        Count with the survey weights, where the schema has them.
    attributes : list of str, optional
        What to mask; by default every categorical key.

    Notes
    -----
    O(n). Levels that nobody has are not counted among the `p`, but they go where the rarest go. Of equally frequent
    levels the one declared first is merged first. Where `p` reaches the number of levels that occur, the attribute
    becomes constant; a note says so. Missing values stay missing.

    References
    ----------
    Torra (2004), Microaggregation for categorical variables, section 4.1; Willenborg and de Waal (2001).

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute("fuel", Nominal(["gas", "oil", "wood"]), "key")])
    >>> fuels = pl.DataFrame({"fuel": ["gas", "gas", "gas", "oil", "oil", "wood"]})
    >>> GlobalRecoding(2).mask(fuels, schema).to_native()["fuel"].to_list()
    ['gas', 'gas', 'gas', 'oil', 'oil', 'oil']
    """

    scales: ClassVar[frozenset[str]] = frozenset({"ordinal", "nominal"})
    perturbative: ClassVar[bool] = False
    handles_missing: ClassVar[bool] = True
    p: int = parameter(Integer(1), default=2, kw_only=False)
    category: str | None = parameter(Optional(Text("the name of the new category")), default=None)
    weighted: bool = parameter(Flag(), default=True)
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(2), cls(9, weighted=False)]

    def inquire(self, scope: Scope) -> Inquiry[LevelPlan]:
        totals: Totals = yield LevelTotals.of_schema(scope.schema, scope.names, scope.weight)
        changes: dict[str, LevelChange] = {}
        constant = []
        for name in scope.names:
            counts = totals.of(name)
            rarest = np.argsort(counts, kind="stable")
            unused = int((counts == 0).sum())
            merged = rarest[: unused + self.p]
            constant += [name] if counts.size - unused <= self.p else []
            changes[name] = merge_into(
                scope.schema[name], merged, int(merged[np.argmax(counts[merged])]), self.category
            )
        note = f"Attributes in which p or fewer levels occur, now constant ({len(constant)}): {', '.join(constant)}."
        return LevelPlan.of(changes, notes=[note] if constant else [])
