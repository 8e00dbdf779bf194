"""Privacy models as measures: which released records are in classes that break a model."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import Pair, PairScope
from discreet.kernels.generalising.class_rules import class_figure, class_passes
from discreet.measures.number_pairs import most_of
from discreet.measures.risk.diversity import SensitiveRisk
from discreet.measures.risk.equal_keys import keys_in_words
from discreet.models.disclosure import AlphaK, BetaLikeness, DeltaDisclosure
from discreet.models.privacy_model import PrivacyModel
from discreet.parameters import Flag, Integer, Number
from discreet.parameters.declaration import parameter
from discreet.statistics.class_values import Classified
from discreet.typing import BoolArray, FloatArray, Json

__all__ = ["AlphaKViolations", "BetaLikenessViolations", "DeltaDisclosureViolations", "SensitiveModelRisk"]


class SensitiveModelRisk(SensitiveRisk):
    """Share of released records in groups of equal keys that break a model of confidential values, in percent."""

    symbol: ClassVar[str]

    def _model(self, name: str) -> PrivacyModel:
        """Return the model for one confidential attribute."""
        raise NotImplementedError

    def _per_record(self, pair: Pair) -> FloatArray:
        classes = self._classified(pair)
        failing = [~self._kept(classes, name)[0][classes.labels] for name in classes.codes]
        return np.where(np.any(failing, axis=0), 1.0, 0.0)

    def _kept(self, classes: Classified, name: str) -> tuple[BoolArray, float]:
        """Return which classes keep the model, and the worst figure of its last rule."""
        codes, size = classes.codes[name]
        whole = np.bincount(codes, weights=classes.counts, minlength=size) / classes.n
        kept, worst = np.ones(classes.groups, dtype=np.bool_), 0.0
        order = np.argsort(classes.labels, kind="stable")
        starts = np.searchsorted(classes.labels[order], np.arange(classes.groups + 1))
        # Part of a larger array, as those of a lattice are: loops are compiled once for both.
        tree, work = np.zeros((1, size + 1), dtype=np.int64)[:, :size], np.zeros(size)
        tally = np.zeros(size, dtype=np.int64)
        for demand in self._model(name).demands(()):
            for group in range(classes.groups):
                members = order[starts[group] : starts[group + 1]]
                tally[:] = 0
                np.add.at(tally, codes[members], classes.counts[members])
                figure = class_figure(demand.kind, demand.first, int(tally.sum()), 0, tally, whole, tree, work)
                kept[group] &= class_passes(demand.kind, figure, demand.low, demand.high)
                worst = max(worst, figure) if demand.sensitive is not None else worst
        return kept, worst

    def _told(self, classes: Classified, scope: PairScope) -> tuple[float, str, dict[str, float], Json]:
        outcomes = {name: self._kept(classes, name) for name in classes.codes}
        failing = {name: ~kept[classes.labels] for name, (kept, _) in outcomes.items()}
        n, keys = classes.n, f"{keys_in_words(len(scope.names))} counted"
        records = int(classes.counts[np.any(list(failing.values()), axis=0)].sum())
        per_attribute = {name: float(100.0 * classes.counts[fails].sum() / n) for name, fails in failing.items()}
        sentence = (
            f"{records} of {n} records are in groups of equal keys ({keys}) that break {self.symbol}, most for "
            f"{most_of(per_attribute)}."
            if records
            else f"Every group of equal keys ({keys}) keeps {self.symbol} in {len(failing)} attributes."
        )
        worst = {name: figure if np.isfinite(figure) else None for name, (_, figure) in outcomes.items()}
        return 100.0 * records / n, sentence, per_attribute, {"sensitive": list(failing), "largest": worst}


@register("beta-likeness")
class BetaLikenessViolations(SensitiveModelRisk):
    """Share of released records in groups where a confidential value is far more frequent than in the file, in percent.

    Whoever finds the group becomes surer of that value by more than β times its share.

    Parameters
    ----------
    beta : float
        The largest relative gain (q − p) / p of a value's share.
    enhanced : bool
        At most min(β, −ln p).
    attributes : list of str, optional
        What the intruder knows; by default every key, numbers included.
    sensitive : list of str, optional
        What is learnt; by default every confidential attribute.

    Notes
    -----
    The model of the same name in ``discreet.models``, judged in the release. O(groups × values).

    References
    ----------
    Cao and Karras (2012), Publishing microdata with a robust privacy guarantee.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> area, ill = Attribute("area", Nominal(["n", "s"]), "key"), Attribute("ill", Nominal([0, 1]), "confidential")
    >>> people = pl.DataFrame({"area": ["n", "n", "n", "s"], "ill": [0, 0, 0, 1]})
    >>> BetaLikenessViolations(2).measure(people, people, Schema([area, ill])).value  # in s, 1 against 1/4
    25.0
    """

    title: ClassVar[str] = "Records in groups that make a confidential value likelier (β-likeness)"
    formula: ClassVar[str] = "100 · #{i : max_v (q_v − p_v)/p_v > β in the group of i} / n"
    reference: ClassVar[str] = "Cao and Karras 2012"
    symbol: ClassVar[str] = "β-likeness"
    beta: float = parameter(Number(0, open_low=True), default=1.0, kw_only=False)
    enhanced: bool = parameter(Flag(), default=False)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(2.0, enhanced=True)]

    def _model(self, name: str) -> PrivacyModel:
        return BetaLikeness(self.beta, name, enhanced=self.enhanced)


@register("delta-disclosure")
class DeltaDisclosureViolations(SensitiveModelRisk):
    """Share of released records in groups where a confidential value's share is off by a factor of e^δ, in percent.

    A value that a group lacks counts: whoever finds the group knows that it is not the record's.

    Parameters
    ----------
    delta : float
        The bound, which the absolute value of ln(q / p) must stay below.
    attributes : list of str, optional
        What the intruder knows; by default every key, numbers included.
    sensitive : list of str, optional
        What is learnt; by default every confidential attribute.

    Notes
    -----
    The model of the same name in ``discreet.models``, judged in the release. O(groups × values).

    References
    ----------
    Brickell and Shmatikov (2008), The cost of privacy.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> area, ill = Attribute("area", Nominal(["n", "s"]), "key"), Attribute("ill", Nominal([0, 1]), "confidential")
    >>> people = pl.DataFrame({"area": ["n", "n", "s", "s"], "ill": [0, 1, 0, 1]})
    >>> DeltaDisclosureViolations(1).measure(people, people, Schema([area, ill])).value
    0.0
    """

    title: ClassVar[str] = "Records in groups that change a confidential value's share (δ-disclosure)"
    formula: ClassVar[str] = "100 · #{i : max_v |ln(q_v / p_v)| ≥ δ in the group of i} / n"
    reference: ClassVar[str] = "Brickell and Shmatikov 2008"
    symbol: ClassVar[str] = "δ-disclosure privacy"
    delta: float = parameter(Number(0, open_low=True), default=1.0, kw_only=False)

    def _model(self, name: str) -> PrivacyModel:
        return DeltaDisclosure(self.delta, name)


@register("alpha-k")
class AlphaKViolations(SensitiveModelRisk):
    """Share of released records in groups that are too small or dominated by one confidential value, in percent.

    Parameters
    ----------
    alpha : float
        The largest share of a value in a group.
    k : int
        The smallest group.
    attributes : list of str, optional
        What the intruder knows; by default every key, numbers included.
    sensitive : list of str, optional
        What is learnt; by default every confidential attribute.

    Notes
    -----
    The model of the same name in ``discreet.models``, judged in the release. O(groups × values).

    References
    ----------
    Wong, Li, Fu and Wang (2006), (α, k)-anonymity.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> area, ill = Attribute("area", Nominal(["n", "s"]), "key"), Attribute("ill", Nominal([0, 1]), "confidential")
    >>> people = pl.DataFrame({"area": ["n", "n", "n", "s", "s"], "ill": [0, 1, 0, 1, 1]})
    >>> AlphaKViolations(0.7, 2).measure(people, people, Schema([area, ill])).value  # everybody in s is ill
    40.0
    """

    title: ClassVar[str] = "Records in groups dominated by a confidential value ((α, k)-anonymity)"
    formula: ClassVar[str] = "100 · #{i : group of i < k or max_v q_v > α} / n"
    reference: ClassVar[str] = "Wong, Li, Fu and Wang 2006"
    symbol: ClassVar[str] = "(α, k)-anonymity"
    alpha: float = parameter(Number(0, 1, open_low=True), default=0.8, kw_only=False)
    k: int = parameter(Integer(1), default=2, kw_only=False)

    def _model(self, name: str) -> PrivacyModel:
        return AlphaK(self.alpha, self.k, name)
