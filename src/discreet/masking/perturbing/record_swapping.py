"""Targeted record swapping: households at risk exchange their geography with others that look like them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from discreet.contracts.estimator import one_of, register
from discreet.contracts.masker import Masker, Masking, MaskingJob
from discreet.data.microdata import Microdata
from discreet.data.schema import Schema
from discreet.errors import DataError, ParameterError
from discreet.masking.running.units import check_constant, unit_labels
from discreet.parameters import AnyOf, Flag, Integer, ListOf, Names, Number, Optional, Seed, Text
from discreet.parameters.declaration import parameter
from discreet.progress import track
from discreet.statistics.different import comparable
from discreet.typing import BoolArray, FloatArray, IntArray, Json, RandomState

__all__ = ["RecordSwapping"]


class _Homes(NamedTuple):
    """The households of a table, by number."""

    labels: IntArray
    """The household of every record."""
    first: IntArray
    """The first record of every household."""
    regions: IntArray
    """(households, levels): the region at every level, the levels above it included; −1 where one is missing."""
    profiles: list[IntArray]
    """By profile, a number that households share which are alike."""
    counts: IntArray
    """(households, levels): of the members' combinations of risk variables, how many records of the region have the
    rarest."""


@register("record-swapping")
class RecordSwapping(Masker):
    """Households at risk, and some others, exchange their whole geography with a household alike elsewhere.

    Keeps the number of households of every size in every region exactly, and whatever does not relate to geography;
    weakens relations between geography and everything else. Members stay together.

    Parameters
    ----------
    hierarchy : list of str
        The geography, from the coarsest level to the finest: county, municipality, district.
    rate : float
        The share of households that are swapped at least, between 0 and 1; both of a pair count.
    k : int
        A household is at risk at a level where fewer than `k` records of its region share the risk variables of one of
        its members; 1 stands for nobody.
    risk : list of str, optional
        The risk variables; by default every categorical key that is no geography.
    similar : list of str or list of list of str, optional
        What two households must have in common besides their size: all their members' values of these. Several lists
        are tried one after the other. By default the size alone.
    carry : list of str, optional
        Further columns that belong to the place and travel with it, such as coordinates.
    household : str, optional
        The attribute that says who lives together; by default the one that the schema declares, and every record by
        itself where it declares none.
    certain : bool
        Swap every household at risk, as sdcMicro does. Whoever knows that can rule out the region that is shown, and of
        two regions tells the true one. By default a household at risk that could be in one of m regions stays with
        probability 1/m, so that the region that is shown is right no more often than a guess.
    random_state : int or numpy.random.Generator, optional

    Notes
    -----
    From the coarsest level down, households at risk at a level are swapped with one of another region of that level, if
    possible within the same region above it; then others are, until `rate` is reached. Partners and the others are
    drawn with probabilities in proportion to 1 over the count of their rarest member. Nobody is swapped twice.
    Households whose geography is not complete are left alone, and so are those that find nobody alike; notes count
    them. Weights stay with the household, so that sums of weights by region change. Records keep their places: a table
    in the order of its regions has to be reordered (`record-order`), and a note says so. O(n log n) as a rule.

    References
    ----------
    Dalenius and Reiss (1982), Data-swapping: a technique for disclosure control; Shlomo, Tudor and Groom (2010), Data
    swapping for protecting census tables; de Wolf et al. (2019), Recommendations for the protection of grid and
    hypercube data in the 2021 census.

    Examples
    --------
    One baker a village, whom everybody knows, and ten who farm:

    >>> import polars as pl
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> levels = {"village": ["x", "y"], "work": ["baker", "farmer"]}
    >>> schema = Schema([Attribute(name, Nominal(values), "key") for name, values in levels.items()])
    >>> people = pl.DataFrame({"village": ["x"] * 6 + ["y"] * 6, "work": (["baker"] + ["farmer"] * 5) * 2})
    >>> masked = RecordSwapping(["village"], rate=0, certain=True).mask(people, schema)
    >>> masked.provenance.details["at_risk"], sorted(masked.to_native().rows()) == sorted(people.rows())
    ({'village': 2}, True)
    """

    instead: ClassVar[str] = "swap every county, or the like, by itself"
    iso_20889: ClassVar[str] = "randomisation: permutation"
    scales: ClassVar[frozenset[str]] = frozenset({"ordinal", "nominal"})
    handles_missing: ClassVar[bool] = True
    hierarchy: Sequence[str] = parameter(Names(), kw_only=False)
    rate: float = parameter(Number(0, 1), default=0.05)
    k: int = parameter(Integer(1), default=3)
    risk: Sequence[str] | None = parameter(Optional(Names()), default=None)
    similar: Sequence[str] | Sequence[Sequence[str]] | None = parameter(
        Optional(AnyOf(Names(), ListOf(Names()))), default=None
    )
    carry: Sequence[str] | None = parameter(Optional(Names()), default=None)
    household: str | None = parameter(Optional(Text("the name of an attribute")), default=None)
    certain: bool = parameter(Flag(), default=False)
    random_state: RandomState = parameter(Seed(), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(["fuel"], rate=0.3, risk=["size", "owner"]), cls(["owner", "fuel"], k=2, similar=["size"])]

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        beside = self.scales | {"numeric"}
        for option, names, kinds in (
            ("hierarchy", self.hierarchy, self.scales),
            ("risk", self.risk or (), beside),
            ("similar", [name for profile in self._profiles() for name in profile], beside),
            ("carry", self.carry or (), beside),
        ):
            for name in names:
                if schema[name].scale.kind not in kinds:
                    raise ParameterError(
                        f"RecordSwapping: {option} must be {one_of(kinds)}; {name!r} is {schema[name].scale.kind}."
                    )
                if option != "similar" and schema[name].role == "identifier":
                    raise ParameterError(f"RecordSwapping: {option} names {name!r}, an identifier.")
        places = {*self.hierarchy, *(self.carry or ())}
        if len(places) < len(self.hierarchy) + len(self.carry or ()):
            raise ParameterError("RecordSwapping: hierarchy and carry must name an attribute once.")
        if places & set(self.risk or ()):
            raise ParameterError("RecordSwapping: risk must be attributes that stay where they are; one is swapped.")
        if self.household is not None:
            schema[self.household]
        return tuple(name for name in schema.names if name in places)

    def _secret(self, schema: Schema, names: tuple[str, ...]) -> tuple[str, ...]:
        also = (*self._risk(schema), *(name for profile in self._profiles() for name in profile))
        return tuple(dict.fromkeys((*names, *also)))

    def _profiles(self) -> list[Sequence[str]]:
        if not self.similar:
            return [()]
        return [list(self.similar)] if isinstance(self.similar[0], str) else list(self.similar)  # type: ignore[arg-type]

    def _risk(self, schema: Schema) -> tuple[str, ...]:
        if self.risk is not None:
            return tuple(self.risk)
        places = {*self.hierarchy, *(self.carry or ())}
        return tuple(name for name in schema.of_scale("ordinal", "nominal", among=schema.keys) if name not in places)

    def _mask_part(self, job: MaskingJob) -> Masking:
        homes = self._homes(job.microdata)
        if np.unique(homes.regions[:, -1][homes.regions[:, -1] >= 0]).size < 2:
            raise DataError(
                f"RecordSwapping: all records with a complete {', '.join(self.hierarchy)} are of one region.",
                hint="Name a finer geography, or leave the method out.",
            )
        if self.k > 1 and not self._risk(job.schema):
            raise ParameterError(
                "RecordSwapping: risk must name attributes; the schema has no categorical key but geography."
            )
        swap = _Swap(homes, job.rng)
        level = np.where(homes.counts < self.k, np.arange(len(self.hierarchy)), len(self.hierarchy)).min(axis=1)
        at_risk = (level < len(self.hierarchy)) & swap.free
        if not self.certain:
            swap.let_stay(at_risk, level)
        staying = int((at_risk & ~swap.free).sum())
        for place in range(len(self.hierarchy)):
            swap.exchange(np.flatnonzero(at_risk & swap.free & (level == place)), place)
        wanted = int(np.ceil(self.rate * len(homes.first) / 2)) - swap.pairs
        swap.exchange(np.flatnonzero(swap.free), len(self.hierarchy) - 1, max(0, wanted))
        moved = swap.partner != np.arange(len(homes.first))
        source = homes.first[swap.partner[homes.labels]]
        values: dict[str, Any] = {name: job.microdata.encoded(name)[source] for name in job.names}
        figures: Json = {
            "households": len(homes.first),
            "swapped": int(moved.sum()),
            "records_moved": int(moved[homes.labels].sum()),
            "at_risk": {name: int((at_risk & (level == place)).sum()) for place, name in enumerate(self.hierarchy)},
            "at_risk_swapped": int((at_risk & moved).sum()),
            "left_by_chance": staying,
            "without_partner": int(at_risk.sum()) - int((at_risk & moved).sum()) - staying,
        }
        transitions = {
            name: _any_present(job.microdata.encoded(name), len(job.schema[name].scale))  # type: ignore[arg-type]
            for name in job.schema.of_scale("ordinal", "nominal", among=job.names)
        }
        return Masking(
            values, transitions=transitions, details=figures, notes=tuple(self._sentences(job.schema, homes, figures))
        )

    def _homes(self, table: Microdata) -> _Homes:
        unit = self.household or table.schema.household
        labels = np.arange(len(table)) if unit is None else unit_labels(table, unit)
        if unit is not None:
            check_constant(table, labels, (*self.hierarchy, *(self.carry or ())), unit)
        first = np.unique(labels, return_index=True)[1].astype(np.int64)
        codes = np.stack([table.encoded(name)[first] for name in self.hierarchy], axis=1)
        complete = (codes >= 0).all(axis=1)
        regions = np.stack([_numbered(codes[:, : level + 1]) for level in range(codes.shape[1])], axis=1)
        regions[~complete] = -1
        traits = _combined(table, self._risk(table.schema))
        counts = np.empty(regions.shape, dtype=np.int64)
        for level in range(regions.shape[1]):
            classes = _numbered(np.stack([regions[labels, level], traits], axis=1))
            alike = np.bincount(classes)[classes]
            counts[:, level] = np.iinfo(np.int64).max
            np.minimum.at(counts[:, level], labels, alike)
        profiles = [_compositions(_combined(table, tuple(profile)), labels) for profile in self._profiles()]
        return _Homes(labels, first, regions, profiles, counts)

    def _sentences(self, schema: Schema, homes: _Homes, figures: Json) -> Iterator[str]:
        alone = (self.household or schema.household) is None
        what = "records" if alone else "households"
        yield (
            f"{figures['swapped']} of {figures['households']} {what} exchanged their {', '.join(self.hierarchy)} with "
            f"another one; {sum(figures['at_risk'].values())} were at risk, {figures['at_risk_swapped']} of which were "
            "swapped."
        )
        if figures["without_partner"]:
            yield f"At risk, and nobody alike is left elsewhere: {figures['without_partner']} {what}, not swapped."
        incomplete = int((homes.regions[:, -1] < 0).sum())
        if incomplete:
            yield f"Left alone, because their geography is not complete: {incomplete} {what}."
        finest = homes.regions[homes.labels, -1]
        runs = 1 + int((finest[1:] != finest[:-1]).sum())
        if runs < 2 * np.unique(finest).size:
            yield (
                f"The records stand in the order of {self.hierarchy[-1]}, so that whoever was swapped stands among old "
                "neighbours: reorder the records (record-order)."
            )


class _Swap:
    """Who is exchanged with whom so far."""

    def __init__(self, homes: _Homes, rng: np.random.Generator) -> None:
        n = len(homes.first)
        self.homes = homes
        self.partner = np.arange(n)
        self.free: BoolArray = homes.regions[:, -1] >= 0
        self.pairs = 0
        self._stays: FloatArray = rng.random(n)
        # Of exponential numbers the smallest is one's with a probability in proportion to one's rate: 1 over the count.
        self._turn = rng.standard_exponential(n) * homes.counts[:, -1]

    def let_stay(self, at_risk: BoolArray, level: IntArray) -> None:
        """Take those out who stay, one in as many as there are regions where they could be."""
        regions = self.homes.regions
        for place in range(regions.shape[1]):
            inside = np.flatnonzero(at_risk & (level == place))
            everywhere = np.unique(regions[regions[:, place] >= 0][:, : place + 1], axis=0)
            possible = np.full(inside.size, len(everywhere))
            if place:
                parents, siblings = np.unique(everywhere[:, place - 1], return_counts=True)
                near = siblings[np.searchsorted(parents, regions[inside, place - 1])]
                possible = np.where(near > 1, near, possible)
            self.free[inside[self._stays[inside] * possible < 1]] = False

    def exchange(self, seekers: IntArray, level: int, most: int | None = None) -> None:
        """Exchange these with free ones of another region of a level, as many pairs as are wanted."""
        if most == 0 or not seekers.size:
            return
        parents = self.homes.regions[:, level - 1] if level else np.zeros(len(self.partner), dtype=np.int64)
        scopes = [parents, np.zeros_like(parents)] if level else [parents]
        pools = [_Pool(self, level, scope, profile) for scope in scopes for profile in self.homes.profiles]
        before = self.pairs
        for one in track(seekers[np.argsort(self._turn[seekers], kind="stable")].tolist(), "swapping", seekers.size):
            if most is not None and self.pairs - before >= most:
                break
            if not self.free[one]:
                continue
            other = next((found for pool in pools if (found := pool.partner(one)) is not None), None)
            if other is not None:
                self.partner[one], self.partner[other] = other, one
                self.free[one] = self.free[other] = False
                self.pairs += 1
                for pool in pools:
                    pool.take(one)
                    pool.take(other)

    def order(self) -> IntArray:
        """Return those who are free, in the order of their turn."""
        free = np.flatnonzero(self.free)
        return np.asarray(free[np.argsort(self._turn[free], kind="stable")])


class _Pool:
    """Those who are free, by where they may be and what they look like."""

    def __init__(self, swap: _Swap, level: int, scope: IntArray, profile: IntArray) -> None:
        self._free = swap.free
        self._regions = swap.homes.regions[:, level].tolist()
        self._keys = _numbered(np.stack([scope, profile], axis=1)).tolist()
        self._queues: dict[int, list[int]] = {}
        self._left: Counter[int] = Counter()
        self._left_inside: Counter[tuple[int, int]] = Counter()
        for one in swap.order()[::-1].tolist():
            key = self._keys[one]
            self._queues.setdefault(key, []).append(one)
            self._left[key] += 1
            self._left_inside[key, self._regions[one]] += 1

    def take(self, one: int) -> None:
        """Take one out."""
        key = self._keys[one]
        self._left[key] -= 1
        self._left_inside[key, self._regions[one]] -= 1

    def partner(self, one: int) -> int | None:
        """Return the next who is alike and of another region; None where nobody is."""
        key, region = self._keys[one], self._regions[one]
        if self._left[key] == self._left_inside[key, region]:
            return None
        queue = self._queues[key]
        while not self._free[queue[-1]]:
            queue.pop()
        for other in reversed(queue):
            if self._free[other] and self._regions[other] != region:
                return other
        return None


def _numbered(codes: IntArray) -> IntArray:
    """Return a number for every row, equal exactly where rows are."""
    numbers = np.zeros(len(codes), dtype=np.int64)
    for j in range(codes.shape[1]):
        places = np.unique(codes[:, j], return_inverse=True)[1].ravel()
        numbers = np.unique(numbers * (int(places.max(initial=0)) + 1) + places, return_inverse=True)[1].ravel()
    return numbers


def _combined(table: Microdata, names: tuple[str, ...]) -> IntArray:
    """Return a number for every record, equal where they agree on some attributes, gaps included."""
    if not names:
        return np.zeros(len(table), dtype=np.int64)
    columns = [np.unique(comparable(table.encoded(name)), return_inverse=True)[1].ravel() for name in names]
    return _numbered(np.stack(columns, axis=1))


def _compositions(traits: IntArray, labels: IntArray) -> IntArray:
    """Return a number for every household, equal where the members of two are alike, in any order."""
    order = np.lexsort([traits, labels])
    cuts = np.flatnonzero(np.diff(labels[order])) + 1
    members = [tuple(part.tolist()) for part in np.split(traits[order], cuts)]
    numbers: dict[tuple[int, ...], int] = {}
    return np.array([numbers.setdefault(home, len(numbers)) for home in members], dtype=np.int64)


def _any_present(codes: IntArray, size: int) -> BoolArray:
    """Say which levels may become which others: those that occur."""
    possible = np.eye(size + 1, dtype=np.bool_)
    occurs = np.bincount(codes[codes >= 0], minlength=size) > 0
    possible[:size, :size] |= np.outer(occurs, occurs)
    return possible
