"""EBIL: how uncertain the original categories are once the release is known."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from discreet.base import Pair, register
from discreet.measures.columns import most_of
from discreet.measures.loss.entropy import EntropyLoss
from discreet.results import Measurement

__all__ = ["EntropyBasedLoss"]


@register("ebil")
class EntropyBasedLoss(EntropyLoss):
    """Entropy of the original category given the released one, in percent of its entropy before the release (EBIL).

    Masking is read as a noisy channel. 0: every original value follows from the released one, renamings included;
    100: the release tells nothing about the single value.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every categorical attribute that is released.
    weighted : bool
        Count records by their survey weight.
    matrices : dict of str to (levels, released levels) array, optional
        P(V' | V) where it is known, as for PRAM (``masked.provenance.details["matrices"]``). By default it is
        estimated from the two files, and `details` says so.
    reference_file : Microdata, optional
        A file like the original to take P(V) from (the papers' EBILRF). By default it is the file that is masked
        (EBILMF).

    Notes
    -----
    ``EBIL = Σ_records Σ_attributes H(V | V' = v')``, in bits in `details`, with P(V | V') by Bayes' rule; the value is
    the mean over attributes of ``100 · EBIL / (n · H(V))``, 100 at most. The papers' "same file being masked" is read
    as the original: released frequencies would say that merged levels cannot be. Estimated from few records a level,
    P(V' | V) makes the loss look small. The missing value is a level. O(records × attributes).

    References
    ----------
    Kooiman, Willenborg and Gouweleeuw (1998), PRAM: a method for disclosure limitation of microdata; Domingo-Ferrer and
    Torra (2002), section 3.4.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.scales import Nominal
    >>> from discreet.schema import Attribute, Schema
    >>> schema = Schema([Attribute("fuel", Nominal(["gas", "oil", "sun", "wood"]), "key")])
    >>> fuels = pl.DataFrame({"fuel": ["gas", "oil", "sun", "wood"]})  # 2 bits a record
    >>> EntropyBasedLoss().measure(fuels, pl.DataFrame({"fuel": ["gas", "gas", "sun", "sun"]}), schema).value  # 1 bit
    50.0
    """

    title: ClassVar[str] = "Uncertainty of categories (EBIL)"
    in_score: ClassVar[bool] = True
    formula: ClassVar[str] = "100 · mean_j Σ H(V | V′ = v′) / (n H(V))"
    reference: ClassVar[str] = "Kooiman, Willenborg and Gouweleeuw 1998; Domingo-Ferrer and Torra 2002"

    def _measure(self, pair: Pair) -> Measurement:
        beliefs = self._posteriors(pair)
        bits = {name: belief.entropy() for name, belief in beliefs.items()}
        per_attribute = self._shares(bits, beliefs)
        value = float(np.mean(list(per_attribute.values())))
        sentence = (
            f"Somebody who sees a released category still lacks {value:.1f} % of the information about the original "
            f"one, most in {most_of(per_attribute)}."
            if value > 0
            else "Every original category follows from the released one."
        )
        return self.result(value, sentence, per_attribute, self._sources(bits))
