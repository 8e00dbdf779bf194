"""Models against finding a record: how many share its keys, in the release, in the population, on average."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import ceil
from typing import Any, ClassVar

from discreet.data.microdata import Microdata
from discreet.errors import ParameterError
from discreet.kernels.generalising.class_rules import AVERAGE, ITEMS, POPULATION, PRESENCE, SIZE, UNIQUES
from discreet.models.people_source import People, PeopleSource, load_people
from discreet.models.privacy_model import Demand, PrivacyModel, register_model
from discreet.parameters import AnyOf, Constraint, Integer, Names, Number, Optional
from discreet.parameters.declaration import parameter

__all__ = [
    "KM",
    "AverageRisk",
    "BySize",
    "DeltaPresence",
    "HighestRisk",
    "K",
    "KMap",
    "PopulationUniqueness",
]


class BySize(Constraint):
    """A threshold for each size of a combination of keys; typed as ``1:20 2:10 3:5``."""

    def accepts(self, value: Any) -> bool:
        number = Integer(1)
        return (
            isinstance(value, Mapping)
            and bool(value)
            and all(number.accepts(size) and number.accepts(k) for size, k in value.items())
        )

    def describe(self) -> str:
        return "a mapping of sizes of combinations to thresholds"

    def parse(self, text: str) -> dict[int, int]:
        pairs = [pair.split(":") for pair in text.replace("+", " ").split()]
        return {int(size): int(k) for size, k in pairs}


@register_model("k")
class K(PrivacyModel):
    """Every combination of keys is shared by at least k records (k-anonymity).

    Parameters
    ----------
    k : int or dict of int to int
        How many; or by the number of keys in a combination: ``{1: 20, 2: 10}`` asks that every value occurs 20 times
        and every pair of values 10 times.
    keys : list of str, optional
        On these alone.

    References
    ----------
    Samarati and Sweeney (1998), Protecting privacy when disclosing information.

    Examples
    --------
    >>> [demand.columns for demand in K({2: 10}).demands(("age", "sex", "area"))]
    [('age', 'sex'), ('age', 'area'), ('sex', 'area')]
    """

    title: ClassVar[str] = "records that share their keys (k-anonymity)"
    reference: ClassVar[str] = "Samarati and Sweeney 1998"
    steadfast: ClassVar[bool] = True
    k: int | Mapping[int, int] = parameter(AnyOf(Integer(1), BySize()), default=5, kw_only=False)

    @classmethod
    def examples(cls) -> list[PrivacyModel]:
        return [cls(3), cls({1: 4, 2: 2})]

    @property
    def smallest(self) -> int:
        return self.k if isinstance(self.k, int) and self.keys is None else 1

    def demands(self, names: tuple[str, ...]) -> list[Demand]:
        columns = self.columns(names)
        if not isinstance(self.k, Mapping):
            return [Demand(SIZE, columns, low=self.k)]
        if max(self.k) > len(columns):
            raise ParameterError(f"K: k has combinations of {max(self.k)} keys; there are {len(columns)}.")
        return [
            Demand(SIZE, columns_of, low=k) for size, k in self.k.items() for columns_of in combinations(columns, size)
        ]


@register_model("k-map")
class KMap(PrivacyModel):
    """Every released combination of keys is shared by at least k people of the population.

    Parameters
    ----------
    k : int
    population : Microdata or path
        A table of the population with the same keys, or a text file that holds one.
    keys : list of str, optional
        On these alone.

    References
    ----------
    Sweeney (2001), Computational disclosure control.
    """

    title: ClassVar[str] = "people of the population who share the keys (k-map)"
    reference: ClassVar[str] = "Sweeney 2001"
    steadfast: ClassVar[bool] = True
    k: int = parameter(Integer(1), kw_only=False)
    population: People = parameter(PeopleSource(), kw_only=False)

    @classmethod
    def examples(cls) -> list[PrivacyModel]:
        return []

    @property
    def people(self) -> Microdata | None:
        return load_people(self.population)

    def demands(self, names: tuple[str, ...]) -> list[Demand]:
        return [Demand(POPULATION, self.columns(names), low=self.k)]


@register_model("presence")
class DeltaPresence(PrivacyModel):
    """Of the people who share a released combination of keys, a share between two bounds is in the release.

    Parameters
    ----------
    low, high : float
        The bounds; δ-presence of (low, high).
    population : Microdata or path
        Everybody, those in the release included; or a text file that holds them.
    keys : list of str, optional
        On these alone.

    References
    ----------
    Nergiz, Atzori and Clifton (2007), Hiding the presence of individuals from shared databases.
    """

    title: ClassVar[str] = "share of the population that is in the release (δ-presence)"
    reference: ClassVar[str] = "Nergiz, Atzori and Clifton 2007"

    @property
    def monotone(self) -> bool:  # type: ignore[override]
        """A class that grows by people of whom none is released may fall below the lower bound, never above."""
        return self.low == 0

    low: float = parameter(Number(0, 1), kw_only=False)
    high: float = parameter(Number(0, 1), kw_only=False)
    population: People = parameter(PeopleSource(), kw_only=False)

    @classmethod
    def examples(cls) -> list[PrivacyModel]:
        return []

    @property
    def people(self) -> Microdata | None:
        return load_people(self.population)

    def demands(self, names: tuple[str, ...]) -> list[Demand]:
        return [Demand(PRESENCE, self.columns(names), low=self.low, high=self.high)]


@register_model("km")
class KM(PrivacyModel):
    """Every combination of at most m items that a record has is had by at least k records (k^m-anonymity).

    Parameters
    ----------
    k, m : int
    items : list of str, optional
        The columns that hold the set, one item a cell; a missing cell is no item. By default all keys.

    References
    ----------
    Terrovitis, Mamoulis and Kalnis (2008), Privacy-preserving anonymization of set-valued data.
    """

    title: ClassVar[str] = "records that share any m items (k^m-anonymity)"
    reference: ClassVar[str] = "Terrovitis, Mamoulis and Kalnis 2008"
    steadfast: ClassVar[bool] = True
    k: int = parameter(Integer(1), default=5, kw_only=False)
    m: int = parameter(Integer(1), default=2, kw_only=False)
    items: Sequence[str] | None = parameter(Optional(Names()), default=None)

    @classmethod
    def examples(cls) -> list[PrivacyModel]:
        return [cls(3, 2)]

    def demands(self, names: tuple[str, ...]) -> list[Demand]:
        columns = self.columns(names) if self.items is None else tuple(n for n in names if n in self.items)
        if self.items is not None and len(columns) < len(self.items):
            raise ParameterError(f"KM: items has {len(self.items) - len(columns)} columns that are not generalised.")
        sizes = range(1, min(self.m, len(columns)) + 1)
        return [Demand(ITEMS, chosen, low=self.k) for size in sizes for chosen in combinations(columns, size)]


@register_model("highest-risk")
class HighestRisk(PrivacyModel):
    """Nobody is found with a higher chance than `risk`, by whoever knows that he is in the release.

    Parameters
    ----------
    risk : float
        The chance is one over the number of records that share the keys.
    keys : list of str, optional
        On these alone.

    References
    ----------
    El Emam and Dankar (2008), Protecting privacy using k-anonymity.
    """

    title: ClassVar[str] = "highest chance of a correct guess (prosecutor)"
    reference: ClassVar[str] = "El Emam and Dankar 2008"
    steadfast: ClassVar[bool] = True
    risk: float = parameter(Number(0, 1, open_low=True), default=0.2, kw_only=False)

    @property
    def smallest(self) -> int:
        return ceil(1.0 / self.risk - 1e-9) if self.keys is None else 1

    def demands(self, names: tuple[str, ...]) -> list[Demand]:
        return [Demand(SIZE, self.columns(names), low=1.0 / self.risk)]


@register_model("average-risk")
class AverageRisk(PrivacyModel):
    """On average over the released records, nobody is found with a higher chance than `risk`.

    Parameters
    ----------
    risk : float
        The mean of one over the number of records that share the keys: classes over records.

    Notes
    -----
    Where suppression is allowed, the smallest classes go, one by one, until it holds.

    References
    ----------
    El Emam and Dankar (2008), Protecting privacy using k-anonymity.
    """

    title: ClassVar[str] = "average chance of a correct guess (marketer)"
    reference: ClassVar[str] = "El Emam and Dankar 2008"
    of_file: ClassVar[bool] = True
    risk: float = parameter(Number(0, 1, open_low=True), default=0.05, kw_only=False)

    def columns(self, names: tuple[str, ...]) -> tuple[str, ...]:
        if self.keys is not None:
            raise ParameterError("AverageRisk: keys must be None; it is of all keys together.")
        return names

    def demands(self, names: tuple[str, ...]) -> list[Demand]:
        return [Demand(AVERAGE, self.columns(names), high=self.risk)]


@register_model("population-uniqueness")
class PopulationUniqueness(PrivacyModel):
    """At most a share `risk` of the released records is expected to be alone in the population.

    Parameters
    ----------
    risk : float
    population_size : int
        People in the population, of which the table is a random sample.

    Notes
    -----
    A record that is unique in a sample of the share π is alone in the population with probability π (negative
    binomial, Benedetti and Franconi). π is that of the table before suppression. Where suppression is allowed, the
    smallest classes go, one by one, until it holds.

    References
    ----------
    Benedetti and Franconi (1998); Skinner and Elliot (2002), A measure of disclosure risk for microdata.
    """

    title: ClassVar[str] = "records expected to be alone in the population"
    reference: ClassVar[str] = "Benedetti and Franconi 1998"
    of_file: ClassVar[bool] = True
    risk: float = parameter(Number(0, 1), kw_only=False)
    population_size: int = parameter(Integer(1), kw_only=False)

    @classmethod
    def examples(cls) -> list[PrivacyModel]:
        return [cls(0.01, 1000)]

    def columns(self, names: tuple[str, ...]) -> tuple[str, ...]:
        if self.keys is not None:
            raise ParameterError("PopulationUniqueness: keys must be None; it is of all keys together.")
        return names

    def demands(self, names: tuple[str, ...]) -> list[Demand]:
        # `first` is completed with the number of records, which gives the sampling fraction.
        return [Demand(UNIQUES, self.columns(names), high=self.risk, first=1.0 / self.population_size)]
