"""IL: how surprising each original category is once the release is known."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from discreet.base import Pair, register
from discreet.measures.columns import most_of
from discreet.measures.loss.entropy import EntropyLoss
from discreet.results import Measurement

__all__ = ["TransitionLoss"]


@register("il")
class TransitionLoss(EntropyLoss):
    """Surprise at the original category given the released one, in percent of the surprise without it (IL).

    Where EBIL asks how uncertain a released level leaves everybody, this asks about the record's own value: a change
    that hardly ever happens costs more than one that is expected.

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
        A file like the original to take P(V) from (the papers' ILRF). By default it is the file that is masked
        (ILMF).

    Notes
    -----
    ``IL = Σ_records Σ_attributes −log₂ P(V = v | V' = v')``, in bits in `details`; the value is the mean over
    attributes of ``100 · IL / (n · H(V))``, 100 at most. With both probabilities taken from the two files themselves it
    equals EBIL; it differs where P(V' | V) is given or P(V) comes from a reference file. The missing value is a level.
    O(records × attributes).

    References
    ----------
    Domingo-Ferrer and Torra (2001), Disclosure control methods and information loss for microdata; (2002), section 3.4.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.scales import Nominal
    >>> from discreet.schema import Attribute, Schema
    >>> schema = Schema([Attribute("fuel", Nominal(["gas", "oil", "sun", "wood"]), "key")])
    >>> fuels = pl.DataFrame({"fuel": ["gas", "oil", "sun", "wood"]})  # 2 bits a record
    >>> TransitionLoss().measure(fuels, pl.DataFrame({"fuel": ["gas", "gas", "sun", "sun"]}), schema).value  # 1 bit
    50.0
    """

    title: ClassVar[str] = "Surprise at categories (IL)"
    default: ClassVar[bool] = False
    formula: ClassVar[str] = "100 · mean_j Σ −log₂ P(V = v | V′ = v′) / (n H(V))"
    reference: ClassVar[str] = "Domingo-Ferrer and Torra 2001, 2002"

    def _measure(self, pair: Pair) -> Measurement:
        beliefs = self._posteriors(pair)
        bits = {name: belief.surprise() for name, belief in beliefs.items()}
        per_attribute = self._shares(bits, beliefs)
        value = float(np.mean(list(per_attribute.values())))
        sentence = (
            f"Knowing the released category, the original one is still {value:.1f} % as surprising as without it, "
            f"most in {most_of(per_attribute)}."
            if value > 0
            else "Every original category follows from the released one."
        )
        return self.result(value, sentence, per_attribute, self._sources(bits))
