"""Individual risk with survey weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from discreet.base import Pair, register
from discreet.measures.population_risk import benedetti_franconi
from discreet.measures.risk.frequency import FrequencyRisk, keys_in_words
from discreet.results import Measurement
from discreet.typing import FloatArray, Json

__all__ = ["IndividualRisk"]

_PERCENT = (1, 5, 10, 50)


@register("individual-risk")
class IndividualRisk(FrequencyRisk):
    """Expected share of records that are re-identified in the population, in percent (Benedetti–Franconi).

    The intruder matches a record with everybody in the population who has the same keys and picks one. The value is
    the mean over records (the global risk); the risk of every record comes from ``per_record``.

    Parameters
    ----------
    attributes : list of str, optional
        What the intruder knows; by default every key, numbers included.
    missing : {"category", "any"}
        A missing cell is a value of its own, as the file shows it, or agrees with every value.

    Notes
    -----
    ``r = E[1/F | f]``, F negative binomial given f, exact (see :func:`~discreet.measures.population_risk.
    benedetti_franconi`). Without survey weights the file is taken for the population and r = 1/f. `details` holds the
    expected number of re-identifications and how many records exceed 1, 5, 10 and 50 %. O(records log records × keys).

    References
    ----------
    Benedetti and Franconi (1998), Statistical and technological solutions for controlled data dissemination; Franconi
    and Polettini (2004), Individual risk estimation in µ-Argus: a review.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.scales import Nominal, Numeric
    >>> from discreet.schema import Attribute, Schema
    >>> schema = Schema([Attribute("fuel", Nominal(["gas", "oil"]), "key"), Attribute("w", Numeric(), "weight")])
    >>> sample = pl.DataFrame({"fuel": ["gas", "oil"], "w": [17.0, 5.0]})
    >>> IndividualRisk().per_record(sample, sample, schema).round(4)  # log(17)/16 and log(5)/4
    array([0.1771, 0.4024])
    """

    title: ClassVar[str] = "Expected re-identifications (individual risk)"
    formula: ClassVar[str] = "100 · mean E[1/F | f]"
    reference: ClassVar[str] = "Benedetti and Franconi 1998; Franconi and Polettini 2004"

    def _measure(self, pair: Pair) -> Measurement:
        risks = self._per_record(pair)
        above = {t: int((risks > t / 100.0).sum()) for t in _PERCENT}
        keys, weighted = len(pair.names), pair.weights is not None
        value, sentence, _, details = self.told(
            keys, risks.size, float(risks.sum()), float(risks.max()), above, weighted=weighted
        )
        details["median_percent"] = float(100.0 * np.median(risks))
        return self._flagged(pair, value, sentence, details=details)

    @staticmethod
    def told(
        keys: int, n: int, expected: float, largest: float, above: Mapping[int, int], *, weighted: bool
    ) -> tuple[float, str, None, Json]:
        """Return value, sentence and details; `above` are the records with a risk above 1, 5, 10 and 50 %."""
        value = 100.0 * expected / n
        where = "in the population" if weighted else "if the file is the whole population"
        sentence = (
            f"An intruder who knows {keys_in_words(keys)} re-identifies about {expected:.1f} of {n} records {where} "
            f"({value:.2f} %); the most exposed record with a chance of {100 * largest:.1f} %."
        )
        details: Json = {
            "expected_reidentifications": expected,
            "largest_percent": 100.0 * largest,
            "records_above_percent": {str(t): int(above[t]) for t in _PERCENT},
            "weighted": weighted,
        }
        return min(value, 100.0), sentence, None, details

    def _per_record(self, pair: Pair) -> FloatArray:
        frequencies = self._frequencies(pair)
        return benedetti_franconi(frequencies.sizes, frequencies.totals)
