"""What a release is expected to pay its publisher, where intruders attack if that pays for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self, cast

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import PairScope
from discreet.contracts.measurement import Measurement
from discreet.data.promised_rules import plain_text
from discreet.data.scales import Categorical
from discreet.measures.generalised_levels import Coverage
from discreet.measures.loss.generalised_cells import GeneralisationLoss
from discreet.parameters import Number
from discreet.parameters.declaration import parameter
from discreet.statistics.question import Inquiry, Need, Together
from discreet.statistics.released_texts import ReleasedTexts, TextRecords
from discreet.statistics.tallies import LevelChanges

__all__ = ["PayoutMissed"]


@register("profitability")
class PayoutMissed(GeneralisationLoss):
    """Share of the greatest benefit that the publisher can expect to miss, in percent (cost and benefit).

    0: every record is released as it was and nobody attacks it; above 100: the release costs more than it brings. It
    sees recoding and suppression, which take information, and small groups of equal keys, which draw attacks.

    Parameters
    ----------
    benefit : float
        What a record brings that is released untouched.
    loss : float
        What it costs when a record is found.
    gain, cost : float
        What an intruder gains by a record that he finds, and what an attempt costs him.
    attributes : list of str, optional
        The keys; by default every categorical attribute that is released.
    weighted : bool
        Of no use here: it is records that are attacked.
    hierarchies : dict of str to Hierarchy or path, optional
        By attribute. Without one, a level stands for the original levels whose records became it.

    Notes
    -----
    A record pays ``benefit · (1 − lost)``, less ``loss / f`` where ``gain / f > cost``, f being the records that share
    its keys, and lost the bits of the levels that its cells may be over those of all levels. A record that is not
    released pays nothing. The model of the same name in ``discreet.models``; with the hierarchies of a search its
    objective ``"payout"``. O(records × attributes).

    References
    ----------
    Wan et al. (2015), A game theoretic framework for analyzing re-identification risk.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> fuels = pl.DataFrame({"f": ["gas", "gas", "oil", "sun"]})
    >>> schema = Schema([Attribute("f", Nominal(["gas", "oil", "sun"]), "key")])
    >>> payout = PayoutMissed(benefit=10, loss=4, gain=3, cost=2)
    >>> round(payout.measure(fuels, fuels, schema).value, 9)  # two of four are attacked
    20.0
    """

    # A file that is released untouched is attacked as well: what it misses is no loss of information.
    kind: ClassVar[str] = "risk"
    title: ClassVar[str] = "Payout missed (cost and benefit)"
    high: ClassVar[float] = float("inf")
    need: ClassVar[Need] = Need.DISTINCT
    formula: ClassVar[str] = "100 · (1 − Σ payout / (n · benefit))"
    reference: ClassVar[str] = "Wan et al. 2015"
    benefit: float = parameter(Number(0, open_low=True), default=1200.0)
    loss: float = parameter(Number(0), default=300.0)
    gain: float = parameter(Number(0, open_low=True), default=300.0)
    cost: float = parameter(Number(0, open_low=True), default=4.0)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(benefit=10.0, loss=40.0, gain=6.0, cost=2.0)]

    def inquire(self, scope: PairScope) -> Inquiry[Measurement]:
        answers = yield Together((self.transitions(scope), ReleasedTexts(scope.names)))
        changes, records = cast("tuple[LevelChanges, TextRecords]", answers.statistics)
        covers = self._coverages(changes, scope)
        bits = {name: _bits(scope, name, cover) for name, cover in covers.items()}
        information = sum(np.log2(max(cover.leaves, 1)) for cover in covers.values()) or 1.0
        paid, attacked, unpaid = 0.0, 0, 0
        for record, count in records.counts.items():
            lost = sum(bits[name].get(text, 0.0) for name, text in zip(scope.names, record, strict=True)) / information
            attack = self.gain / count > self.cost * (1 + 1e-12)
            payout = self.benefit * (1.0 - lost) - (self.loss / count if attack else 0.0)
            paid += count * payout
            attacked += count if attack else 0
            unpaid += count if payout <= 1e-12 * self.benefit else 0
        absent = self._absent(scope)
        most = self.benefit * (scope.n + absent)
        value = 100.0 * (1.0 - paid / most)
        value = value if value > 1e-9 else 0.0
        sentence = (
            f"The release is expected to pay {paid:,.6g} of at most {most:,.6g}; an attack would pay for {attacked} of "
            f"{scope.n} records, and {unpaid} cost more than they bring."
        )
        details = {
            "payout": paid,
            "records_attacked": attacked,
            "records_unpaid": unpaid,
            "records_not_released": absent,
        }
        return self.result(value, sentence, details=details)


def _bits(scope: PairScope, name: str, cover: Coverage) -> Mapping[str, float]:
    """Return, by released text, the bits of the levels that it may be; of a missing cell, the most that it hides."""
    scale = cast("Categorical", scope.after[name].scale)
    numbers = all(isinstance(level, (int, float)) for level in scale.levels)
    joined = scope.levels(name)
    places = joined.places or range(len(scale.levels))
    texts = {joined.size - 1: ""}
    texts |= {p: plain_text(level, number=numbers) for p, level in zip(places, scale.levels, strict=True)}
    result: dict[str, float] = {}
    for column, covered in zip(cover.columns.tolist(), cover.covered.tolist(), strict=True):
        text = texts.get(column, "")
        result[text] = max(result.get(text, 0.0), float(np.log2(covered)))
    return result
