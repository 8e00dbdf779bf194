"""Records that too few others look like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

import numpy as np

from discreet.base import Pair, register
from discreet.measures.risk.frequency import FrequencyRisk, keys_in_words
from discreet.parameters import Constraint, Integer
from discreet.results import Measurement
from discreet.typing import Json

__all__ = ["KAnonymityViolations"]

_BELOW = (2, 3, 5, 10)


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
    missing : {"category", "any"}
        A missing cell is a value of its own, as the file shows it, or agrees with every value.

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
    formula: ClassVar[str] = "100 · #{i : f_i < k} / n"
    reference: ClassVar[str] = "Samarati and Sweeney 1998"
    parameters: ClassVar[Mapping[str, Constraint]] = {"k": Integer(2), **FrequencyRisk.parameters}

    def __init__(self, k: int = 3, *, attributes: Sequence[str] | None = None, missing: str = "category") -> None:
        super().__init__(attributes=attributes, missing=missing)
        self.k = k

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(5, missing="any")]

    def _measure(self, pair: Pair) -> Measurement:
        frequencies = self._frequencies(pair)
        sizes, n = frequencies.sizes, len(pair.masked)
        below = {k: int((sizes < k).sum()) for k in (*_BELOW, self.k)}
        combinations = int(frequencies.labels.max()) + 1
        value, sentence, _, details = self.told(len(pair.names), n, below, int(sizes.min()), combinations)
        details["median_group"] = float(np.median(sizes))
        return self._flagged(pair, value, sentence, details=details)

    def told(
        self, keys: int, n: int, below: Mapping[int, int], smallest: int, combinations: int
    ) -> tuple[float, str, None, Json]:
        """Return value, sentence and details; `below` are the records in groups smaller than 2, 3, 5, 10 and k."""
        few = below[self.k]
        sentence = (
            f"{few} of {n} records share their {keys_in_words(keys)} with fewer than {self.k - 1} others; the "
            f"smallest group has {smallest}."
            if few
            else f"Every record shares its {keys_in_words(keys)} with at least {self.k - 1} others."
        )
        details: Json = {
            "k": self.k,
            "smallest_group": smallest,
            "combinations": combinations,
            "records_below": {str(k): below[k] for k in _BELOW},
        }
        return 100.0 * few / n, sentence, None, details
