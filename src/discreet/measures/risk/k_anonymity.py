"""Records that too few others look like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

import numpy as np

from discreet.base import Pair, register
from discreet.measures.risk.frequency import FrequencyRisk
from discreet.parameters import Constraint, Integer
from discreet.results import Measurement

__all__ = ["KAnonymityViolations"]


@register("k-anonymity")
class KAnonymityViolations(FrequencyRisk):
    """Share of released records whose keys fewer than k records share, in percent.

    0 means that the release is k-anonymous on the keys that were looked at. It says nothing about what the records of
    a group have in common (see l-diversity and t-closeness).

    Parameters
    ----------
    k : int
        The smallest group that is safe.
    attributes : list of str, optional
        What the intruder knows; by default every key, numbers included: equal numbers are equal keys.
    missing : {"any", "category"}
        A missing value agrees with every value, or is a level of its own.

    Notes
    -----
    `details` holds the size of the smallest group and the violations for 2, 3, 5 and 10. O(records log records × keys);
    missing values that agree with everything cost one such pass a pattern of missing values.

    References
    ----------
    Samarati and Sweeney (1998), Protecting privacy when disclosing information.

    Examples
    --------
    >>> import polars as pl
    >>> ages = pl.DataFrame({"age": [31.5, 31.5, 40.5, 40.5, 40.5, 77.5]})
    >>> KAnonymityViolations(k=3).measure(ages, ages).value  # two of 31.5, one of 77.5
    50.0
    """

    title: ClassVar[str] = "Records in groups smaller than k (k-anonymity)"
    counts_numbers: ClassVar[bool] = True
    formula: ClassVar[str] = "100 · #{i : f_i < k} / n"
    reference: ClassVar[str] = "Samarati and Sweeney 1998"
    parameters: ClassVar[Mapping[str, Constraint]] = {"k": Integer(2), **FrequencyRisk.parameters}

    def __init__(self, k: int = 3, *, attributes: Sequence[str] | None = None, missing: str = "any") -> None:
        super().__init__(attributes=attributes, missing=missing)
        self.k = k

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(5, missing="category")]

    def _measure(self, pair: Pair) -> Measurement:
        frequencies = self._frequencies(pair)
        sizes, n = frequencies.sizes, len(pair.masked)
        few = int((sizes < self.k).sum())
        sentence = (
            f"{few} of {n} records share their {len(pair.names)} keys with fewer than {self.k - 1} others; the "
            f"smallest group has {int(sizes.min())}."
            if few
            else f"Every record shares its {len(pair.names)} keys with at least {self.k - 1} others."
        )
        details = {
            "k": self.k,
            "smallest_group": int(sizes.min()),
            "combinations": int(frequencies.labels.max()) + 1,
            "records_below": {str(k): int((sizes < k).sum()) for k in (2, 3, 5, 10)},
            "median_group": float(np.median(sizes)),
        }
        return self._flagged(pair, 100.0 * few / n, sentence, details=details)
