"""Global recoding: the rarest levels of a scale become one category."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self, cast

import numpy as np

from discreet.base import Masker, Masking, MaskingJob, register
from discreet.masking.levels import level_counts, merge_into
from discreet.parameters import Constraint, Flag, Integer, Names, Optional, Text
from discreet.scales import Categorical

__all__ = ["GlobalRecoding"]


@register("global-recoding")
class GlobalRecoding(Masker):
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
    >>> from discreet.scales import Nominal
    >>> from discreet.schema import Attribute, Schema
    >>> schema = Schema([Attribute("fuel", Nominal(["gas", "oil", "wood"]), "key")])
    >>> fuels = pl.DataFrame({"fuel": ["gas", "gas", "gas", "oil", "oil", "wood"]})
    >>> GlobalRecoding(2).mask(fuels, schema).to_native()["fuel"].to_list()
    ['gas', 'gas', 'gas', 'oil', 'oil', 'oil']
    """

    scales: ClassVar[frozenset[str]] = frozenset({"ordinal", "nominal"})
    perturbative: ClassVar[bool] = False
    handles_missing: ClassVar[bool] = True
    parameters: ClassVar[Mapping[str, Constraint]] = {
        "p": Integer(1),
        "category": Optional(Text("the name of the new category")),
        "weighted": Flag(),
        "attributes": Optional(Names()),
    }

    def __init__(
        self,
        p: int = 2,
        *,
        category: str | None = None,
        weighted: bool = True,
        attributes: Sequence[str] | None = None,
    ) -> None:
        self.p = p
        self.category = category
        self.weighted = weighted
        self.attributes = attributes

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(2), cls(9, weighted=False)]

    def _mask(self, job: MaskingJob) -> Masking:
        values: dict[str, Any] = {}
        transitions, attributes, whole = {}, [], []
        weights = job.weights if self.weighted else None
        for name in job.names:
            attribute, codes = job.schema[name], job.microdata.encoded(name)
            counts = level_counts(codes, len(cast("Categorical", attribute.scale)), weights)
            rarest = np.argsort(counts, kind="stable")
            unused = int((counts == 0).sum())
            merged = rarest[: unused + self.p]
            whole += [name] if counts.size - unused <= self.p else []
            change = merge_into(attribute, codes, merged, int(merged[np.argmax(counts[merged])]), self.category)
            values[name], transitions[name] = change.codes, change.transitions
            attributes += [] if change.attribute is None else [change.attribute]
        notes = [f"Attributes in which p or fewer levels occur, now constant ({len(whole)}): {', '.join(whole)}."]
        return Masking(
            values, transitions=transitions, attributes=tuple(attributes), notes=tuple(notes if whole else [])
        )
