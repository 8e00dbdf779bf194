"""Groups whose members have too few confidential values among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

import numpy as np

from discreet.base import Pair, register
from discreet.measures.columns import level_codes, most_of
from discreet.measures.contingency import Cells, count_cells
from discreet.measures.frequencies import key_frequencies
from discreet.measures.risk.frequency import keys_in_words
from discreet.measures.risk.sensitive import SensitiveRisk
from discreet.parameters import Choice, Constraint, Number
from discreet.results import Measurement
from discreet.typing import BoolArray, FloatArray

__all__ = ["LDiversityViolations"]


@register("l-diversity")
class LDiversityViolations(SensitiveRisk):
    """Share of released records in groups of equal keys that are not l-diverse, in percent.

    Whoever finds a group learns its confidential values without finding the record; diverse groups tell little.

    Parameters
    ----------
    l : float
        How many confidential values a group must have, at least.
    kind_of : {"distinct", "entropy", "recursive"}
        Different values; or 2^entropy (in bits) of them; or recursive (c, l)-diversity: the most frequent value is
        rarer than c times all values from the l-th most frequent one on.
    c : float
        For recursive diversity.
    attributes : list of str, optional
        What the intruder knows; by default every key, numbers included.
    sensitive : list of str, optional
        What must be diverse; by default every confidential attribute.

    Notes
    -----
    A record counts where its group fails for any sensitive attribute; `per_attribute` says for which. A missing value
    is a level. O(records log records × attributes).

    References
    ----------
    Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam (2007), ℓ-diversity: privacy beyond k-anonymity.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.scales import Nominal
    >>> from discreet.schema import Attribute, Schema
    >>> area, ill = Attribute("area", Nominal(["n", "s"]), "key"), Attribute("ill", Nominal([0, 1]), "confidential")
    >>> people = pl.DataFrame({"area": ["n", "n", "n", "s", "s"], "ill": [0, 1, 0, 1, 1]})
    >>> LDiversityViolations(2).measure(people, people, Schema([area, ill])).value  # everybody in s is ill
    40.0
    """

    title: ClassVar[str] = "Records in groups with too few confidential values (l-diversity)"
    formula: ClassVar[str] = "100 · #{i : the group of i is not l-diverse} / n"
    reference: ClassVar[str] = "Machanavajjhala et al. 2007"
    parameters: ClassVar[Mapping[str, Constraint]] = {
        "l": Number(1),
        "kind_of": Choice(("distinct", "entropy", "recursive")),
        "c": Number(0, open_low=True),
        **SensitiveRisk.parameters,
    }

    def __init__(
        self,
        l: float = 2,  # noqa: E741 - the letter of the literature
        *,
        kind_of: str = "distinct",
        c: float = 1.0,
        attributes: Sequence[str] | None = None,
        sensitive: Sequence[str] | None = None,
    ) -> None:
        super().__init__(attributes=attributes, sensitive=sensitive)
        self.l = l
        self.kind_of = kind_of
        self.c = c

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(2, kind_of="entropy"), cls(2, kind_of="recursive", c=2.0)]

    def _failing(self, pair: Pair) -> dict[str, BoolArray]:
        """Return, for every sensitive attribute, which records are in a group that fails."""
        labels = key_frequencies(pair.masked, pair.names, missing="category").labels
        groups, result = int(labels.max()) + 1, {}
        for name in self._sensitive(pair.original.schema):
            if name in pair.masked.schema:
                codes, size = level_codes(pair.masked, name)
                cells = count_cells(labels, codes, size, groups, np.ones(labels.size))
                result[name] = ~self._diverse(cells, groups)[labels]
        return result

    def _diverse(self, cells: Cells, groups: int) -> BoolArray:
        if self.kind_of == "distinct":
            return np.bincount(cells.rows, minlength=groups) >= self.l
        total = np.bincount(cells.rows, weights=cells.counts, minlength=groups)
        if self.kind_of == "entropy":
            share = cells.counts / total[cells.rows]
            entropy = np.bincount(cells.rows, weights=-share * np.log2(share), minlength=groups)
            return np.asarray(entropy >= np.log2(self.l) - 1e-12)
        order = np.lexsort([-cells.counts, cells.rows])
        rows, counts = cells.rows[order], cells.counts[order]
        starts = np.searchsorted(rows, np.arange(groups))
        rank = np.arange(rows.size) - starts[rows]
        tail = np.bincount(rows, weights=np.where(rank >= np.ceil(self.l) - 1, counts, 0.0), minlength=groups)
        return np.asarray(counts[starts] < self.c * tail)

    def _per_record(self, pair: Pair) -> FloatArray:
        return np.where(np.any(list(self._failing(pair).values()), axis=0), 1.0, 0.0)

    def _measure(self, pair: Pair) -> Measurement:
        failing = self._failing(pair)
        n, keys = len(pair.masked), f"{keys_in_words(len(pair.names))} counted"
        any_fails = int(np.any(list(failing.values()), axis=0).sum())
        per_attribute = {name: float(100.0 * fails.mean()) for name, fails in failing.items()}
        sentence = (
            f"{any_fails} of {n} records are in groups of equal keys ({keys}) that are not {self.kind_of} "
            f"{self.l:g}-diverse, most for {most_of(per_attribute)}."
            if any_fails
            else f"Every group of equal keys ({keys}) is {self.kind_of} {self.l:g}-diverse in {len(failing)} "
            "attributes."
        )
        details = {"l": float(self.l), "kind_of": self.kind_of, "sensitive": list(failing)}
        return self._flagged(pair, 100.0 * any_fails / n, sentence, per_attribute, details)
