"""Records that nobody else looks like."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from discreet.base import Pair, register
from discreet.measures.risk.frequency import FrequencyRisk, keys_in_words
from discreet.results import Measurement
from discreet.typing import FloatArray, Json

__all__ = ["SampleUniques"]


@register("uniques")
class SampleUniques(FrequencyRisk):
    """Share of released records whose combination of keys nobody else in the file has, in percent.

    A sample unique may have doubles in the population: with survey weights, `details` estimates how many do not.

    Parameters
    ----------
    attributes : list of str, optional
        What the intruder knows; by default every key, numbers included.
    missing : {"category", "any"}
        A missing cell is a value of its own, as the file shows it, or agrees with every value.

    Notes
    -----
    Under the negative binomial model of Benedetti and Franconi, a sample unique of weight w is alone in the population
    with probability 1/w; their sum is the expected number of population uniques in the file. O(records log records ×
    keys).

    References
    ----------
    Skinner and Elliot (2002), A measure of disclosure risk for microdata; Benedetti and Franconi (1998).

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.scales import Nominal
    >>> from discreet.schema import Attribute, Schema
    >>> schema = Schema([Attribute("fuel", Nominal(["gas", "oil", "sun"]), "key")])
    >>> fuels = pl.DataFrame({"fuel": ["gas", "gas", "oil", "sun"]})
    >>> SampleUniques().measure(fuels, fuels, schema).value  # oil and sun
    50.0
    """

    title: ClassVar[str] = "Unique records"
    formula: ClassVar[str] = "100 · #{i : f_i = 1} / n"
    reference: ClassVar[str] = "Skinner and Elliot 2002"

    def _measure(self, pair: Pair) -> Measurement:
        frequencies = self._frequencies(pair)
        unique = frequencies.sizes == 1
        alone = None if pair.weights is None else float((1.0 / frequencies.totals[unique].clip(min=1.0)).sum())
        return self._flagged(pair, *self.told(len(pair.names), len(pair.masked), int(unique.sum()), alone))

    @staticmethod
    def told(keys: int, n: int, count: int, alone: float | None) -> tuple[float, str, None, Json]:
        """Return value, sentence and details; `alone` are the expected population uniques, where weights tell."""
        sentence = f"{count} of {n} records are the only ones with their {keys_in_words(keys)}"
        details: Json = {"uniques": count, "n": n}
        if alone is not None:
            sentence += f"; about {alone:.0f} of them are the only ones in the population"
            details["expected_population_uniques"] = alone
        return 100.0 * count / n, sentence + ".", None, details

    def _per_record(self, pair: Pair) -> FloatArray:
        return np.where(self._frequencies(pair).sizes == 1, 1.0, 0.0)
