"""Models of what an attack is worth: to the intruder who would begin it, and to the publisher who pays for it."""

from __future__ import annotations

from math import ceil
from typing import ClassVar

from discreet.data.microdata import Microdata
from discreet.errors import ParameterError
from discreet.kernels.generalising.class_rules import POPULATION, PROFIT, PROFIT_OF_PEOPLE, SIZE
from discreet.models.people_source import People, PeopleSource, load_people
from discreet.models.privacy_model import Demand, PrivacyModel, register_model
from discreet.parameters import Number, Optional
from discreet.parameters.declaration import parameter

__all__ = ["NoAttack", "Profitability"]


@register_model("no-attack")
class NoAttack(PrivacyModel):
    """No record is worth an attack: what finding it brings, times the chance, is no more than the attempt costs.

    Parameters
    ----------
    gain : float
        What an intruder gains by a record that he finds.
    cost : float
        What an attempt costs him.
    population : Microdata or path, optional
        The people he has to choose among; by default the records themselves.
    keys : list of str, optional
        On these alone.

    References
    ----------
    Wan et al. (2015), A game theoretic framework for analyzing re-identification risk.

    Examples
    --------
    >>> NoAttack(gain=300, cost=4).smallest  # one guess in 75 pays for itself
    75
    """

    title: ClassVar[str] = "records that an attack would not pay for"
    reference: ClassVar[str] = "Wan et al. 2015"
    steadfast: ClassVar[bool] = True
    gain: float = parameter(Number(0, open_low=True), default=300.0, kw_only=False)
    cost: float = parameter(Number(0, open_low=True), default=4.0, kw_only=False)
    population: People | None = parameter(Optional(PeopleSource()), default=None)

    @property
    def people(self) -> Microdata | None:
        return None if self.population is None else load_people(self.population)

    @property
    def smallest(self) -> int:
        return max(ceil(self.gain / self.cost - 1e-9), 1) if self.keys is None and self.population is None else 1

    def demands(self, names: tuple[str, ...]) -> list[Demand]:
        kind = SIZE if self.population is None else POPULATION
        return [Demand(kind, self.columns(names), low=self.gain / self.cost)]


@register_model("profitability")
class Profitability(PrivacyModel):
    """Every released record is expected to pay its publisher more than it costs him.

    Parameters
    ----------
    benefit : float
        What a record brings that is released untouched; generalised, the share of its information that is left.
    loss : float
        What it costs when a record is found.
    gain, cost : float
        What an intruder gains by a record that he finds, and what an attempt costs him: where the gain times the
        chance is no more than the cost, he does not try.
    population : Microdata or path, optional
        The people he has to choose among; by default the records themselves.

    Notes
    -----
    A record's payout is ``benefit · (1 − lost) − loss / f`` where an attack pays, and ``benefit · (1 − lost)`` where it
    does not, f being how many share its keys; ``lost = Σ log(leaves covered) / Σ log(leaves)`` over the keys. Neither
    generalising nor suppressing can only help: the search looks at every combination of steps that the information
    alone does not rule out. The objective ``"payout"`` makes the sum of all payouts greatest.

    References
    ----------
    Wan et al. (2015), A game theoretic framework for analyzing re-identification risk.

    Examples
    --------
    >>> Profitability(benefit=1200, loss=300, gain=300, cost=4).demands(("age",))[0].second
    75.0
    """

    title: ClassVar[str] = "records whose release pays (cost and benefit)"
    reference: ClassVar[str] = "Wan et al. 2015"
    monotone: ClassVar[bool] = False
    benefit: float = parameter(Number(0, open_low=True), default=1200.0, kw_only=False)
    loss: float = parameter(Number(0), default=300.0, kw_only=False)
    gain: float = parameter(Number(0, open_low=True), default=300.0, kw_only=False)
    cost: float = parameter(Number(0, open_low=True), default=4.0, kw_only=False)
    population: People | None = parameter(Optional(PeopleSource()), default=None)

    @classmethod
    def examples(cls) -> list[PrivacyModel]:
        return [cls(), cls(10, 30, 5, 1)]

    @property
    def people(self) -> Microdata | None:
        return None if self.population is None else load_people(self.population)

    def columns(self, names: tuple[str, ...]) -> tuple[str, ...]:
        if self.keys is not None:
            raise ParameterError("Profitability: keys must be None; a record's information is that of all keys.")
        return names

    def demands(self, names: tuple[str, ...]) -> list[Demand]:
        kind = PROFIT if self.population is None else PROFIT_OF_PEOPLE
        share, guesses = self.loss / self.benefit, self.gain / self.cost
        return [Demand(kind, self.columns(names), low=0.0, first=share, second=guesses)]
