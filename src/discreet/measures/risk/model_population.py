"""Privacy models of a population as measures: how many people share what is released, and how many are in it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from typing import ClassVar, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import Pair, PairScope
from discreet.contracts.measurement import Measurement
from discreet.data.microdata import Microdata
from discreet.data.schema import Schema
from discreet.data.text_table import table_of_texts
from discreet.errors import ParameterError
from discreet.masking.recoding.hierarchy import Hierarchy, HierarchyByName
from discreet.measures.risk.equal_keys import FrequencyRisk, keys_in_words
from discreet.models.people_source import People, PeopleSource, load_people
from discreet.parameters import Integer, Number, Optional
from discreet.parameters.declaration import parameter
from discreet.statistics.question import Need
from discreet.statistics.released_texts import ReleasedTexts, TextRecords, texts_of
from discreet.typing import FloatArray, Json

__all__ = ["KMapViolations", "PresenceViolations"]


class _PopulationRisk(FrequencyRisk):
    """A risk of a release beside a table of the population."""

    need: ClassVar[Need] = Need.DISTINCT
    default: ClassVar[bool] = False
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    population: People | None = parameter(Optional(PeopleSource()), default=None)
    hierarchies: Mapping[str, Hierarchy | str | os.PathLike[str]] | None = parameter(
        Optional(HierarchyByName()), default=None
    )

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        names = super().columns_for(schema)
        if self.attributes is not None or self.population is None:
            return names
        # Whoever holds the population knows what it says of people, and no more.
        known = load_people(self.population).schema
        return tuple(name for name in names if name in known)

    def question(self, scope: PairScope) -> ReleasedTexts:
        return ReleasedTexts(scope.names)

    def _breaks(self, count: int, people: int) -> bool:
        """Say whether a class of so many records breaks the model that so many people belong to."""
        raise NotImplementedError

    def _per_record(self, pair: Pair) -> FloatArray:
        records = ReleasedTexts(pair.names).records(pair.masked)
        counts = Counter(records)
        people = self._people(TextRecords(counts), pair.names)
        return np.array([float(self._breaks(counts[record], people[record])) for record in records])

    def _people(self, released: TextRecords, names: tuple[str, ...]) -> Counter[tuple[str, ...]]:
        """Count the population in the words of the release.

        A key with a hierarchy is raised to the lowest step at which all its released names stand.
        """
        owner = type(self).__name__
        if self.population is None:
            raise ParameterError(f"{owner}: population must be a table or a file of the population; got None.")
        table = load_people(self.population)
        columns = []
        for place, name in enumerate(names):
            if name not in table.schema:
                raise ParameterError(f"{owner}: the population has no column {name!r}.")
            codes, texts = texts_of(table, name)
            if self.hierarchies is not None and name in self.hierarchies:
                source = self.hierarchies[name]
                tree = source if isinstance(source, Hierarchy) else Hierarchy.load(source)
                texts = _raised(tree, texts, {record[place] for record in released.counts} - {""})
            columns.append(np.array(texts, dtype=object)[codes])
        return Counter(zip(*columns, strict=True))


def _raised(tree: Hierarchy, texts: list[str], released: set[str]) -> list[str]:
    rows = {str(leaf): [str(step) for step in row] for leaf, row in tree.rows.items()}
    steps = range(len(next(iter(rows.values()))))
    chosen = next((s for s in steps if released <= {row[s] for row in rows.values()}), 0)
    return [rows[text][chosen] if text in rows else text for text in texts]


def _fuels(counts: Mapping[str, int]) -> Microdata:
    return table_of_texts({"fuel": [fuel for fuel, count in counts.items() for _ in range(count)]})


@register("k-map")
class KMapViolations(_PopulationRisk):
    """Share of released records whose keys fewer than k people of the population share, in percent.

    Parameters
    ----------
    k : int
        The fewest people of the population who look like a record.
    population : Microdata or path
        A table of the population with the same keys, or a text file that holds one.
    hierarchies : dict of str to Hierarchy or path, optional
        Of keys that were generalised, from the population's values to the released names.
    attributes : list of str, optional
        What the intruder knows; by default every key that the population has.

    Notes
    -----
    The model of the same name in ``discreet.models``. Values are compared as text, numbers by their value. O(different
    records + people).

    References
    ----------
    Sweeney (2001), Computational disclosure control.

    Examples
    --------
    >>> homes = table_of_texts({"fuel": ["gas", "gas", "oil"]})
    >>> town = table_of_texts({"fuel": ["gas", "gas", "gas", "gas", "oil"]})
    >>> round(KMapViolations(2, population=town).measure(homes, homes).value, 1)
    33.3
    """

    title: ClassVar[str] = "Records that too few of the population match (k-map)"
    formula: ClassVar[str] = "100 · #{i : F_i < k} / n"
    reference: ClassVar[str] = "Sweeney 2001"
    k: int = parameter(Integer(1), default=5, kw_only=False)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(3, population=_fuels({"gas": 9, "oil": 4, "wood": 2, "sun": 5}))]

    def _breaks(self, count: int, people: int) -> bool:  # noqa: ARG002 - of the population alone
        return people < self.k

    def conclude(self, statistics: TextRecords, scope: PairScope) -> Measurement:
        people = self._people(statistics, scope.names)
        few = sum(count for record, count in statistics.counts.items() if self._breaks(count, people[record]))
        smallest = min(people[record] for record in statistics.counts)
        keys = keys_in_words(len(scope.names))
        sentence = (
            f"{few} of {scope.n} records share their {keys} with fewer than {self.k} people of the population of "
            f"{people.total()}; the fewest are {smallest}."
            if few
            else f"Every record shares its {keys} with at least {self.k} people of the population of {people.total()}."
        )
        details: Json = {"k": self.k, "population": people.total(), "smallest_group": smallest}
        gaps = sum("" in record for record in statistics.counts)
        return self.told(scope, gaps, 100.0 * few / scope.n, sentence, details)


@register("presence")
class PresenceViolations(_PopulationRisk):
    """Share of released records whose presence is too certain or too unlikely, in percent (δ-presence).

    Of the people who share a record's keys, the share that is in the release tells how sure somebody can be that a
    person he knows is in it.

    Parameters
    ----------
    least, most : float
        Between which the share must lie.
    population : Microdata or path
        Everybody, those in the release included; or a text file that holds them.
    hierarchies : dict of str to Hierarchy or path, optional
        Of keys that were generalised, from the population's values to the released names.
    attributes : list of str, optional
        What the intruder knows; by default every key that the population has.

    Notes
    -----
    The model of the same name in ``discreet.models``: a combination that is released is judged, and one that nobody in
    the release has is not. O(different records + people).

    References
    ----------
    Nergiz, Atzori and Clifton (2007), Hiding the presence of individuals from shared databases.

    Examples
    --------
    >>> homes = table_of_texts({"fuel": ["gas", "gas", "oil"]})
    >>> town = table_of_texts({"fuel": ["gas", "gas", "gas", "gas", "oil"]})
    >>> round(PresenceViolations(0, 0.5, population=town).measure(homes, homes).value, 1)  # the one of oil is in it
    33.3
    """

    title: ClassVar[str] = "Records whose presence is known (δ-presence)"
    formula: ClassVar[str] = "100 · #{i : f_i / F_i outside [least, most]} / n"
    reference: ClassVar[str] = "Nergiz, Atzori and Clifton 2007"
    least: float = parameter(Number(0, 1), default=0.0, kw_only=False)
    most: float = parameter(Number(0, 1), default=0.5, kw_only=False)

    @classmethod
    def examples(cls) -> list[Self]:
        many = _fuels({"gas": 60, "oil": 40, "wood": 30, "sun": 50})
        return [cls(0.1, 0.6, population=many)]

    def _breaks(self, count: int, people: int) -> bool:
        return not people or not self.least - 1e-12 <= count / people <= self.most + 1e-12

    def conclude(self, statistics: TextRecords, scope: PairScope) -> Measurement:
        people = self._people(statistics, scope.names)
        outside = sum(count for record, count in statistics.counts.items() if self._breaks(count, people[record]))
        shares = [count / max(people[record], count) for record, count in statistics.counts.items()]
        largest = max(shares)
        sentence = (
            f"For {outside} of {scope.n} records the share of people with equal {keys_in_words(len(scope.names))} who "
            f"are in the file is not between {100 * self.least:g} and {100 * self.most:g} %; the largest is "
            f"{100 * largest:.1f} %."
        )
        details: Json = {"least": self.least, "most": self.most, "population": people.total(), "largest_share": largest}
        gaps = sum("" in record for record in statistics.counts)
        return self.told(scope, gaps, 100.0 * outside / scope.n, sentence, details)
