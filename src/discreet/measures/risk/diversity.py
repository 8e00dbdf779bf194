"""Risks of confidential values within classes of equal keys: l-diversity, t-closeness."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Literal, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import Pair, PairScope
from discreet.contracts.measurement import Measurement
from discreet.data.scales import Categorical
from discreet.data.schema import Schema
from discreet.errors import ParameterError
from discreet.masking.recoding.hierarchy import Hierarchy, HierarchyByName
from discreet.measures.number_pairs import most_of
from discreet.measures.risk.equal_keys import FrequencyRisk, keys_in_words
from discreet.parameters import Choice, Names, Number, Optional
from discreet.parameters.declaration import parameter
from discreet.statistics.class_values import Classified, ClassRecords, ClassValues
from discreet.statistics.key_frequencies import key_frequencies
from discreet.statistics.question import Need
from discreet.statistics.tallies import Cells, count_cells
from discreet.typing import BoolArray, FloatArray, IntArray, Json

__all__ = ["LDiversityViolations", "SensitiveRisk", "TCloseness"]


class SensitiveRisk(FrequencyRisk):
    """A risk of learning a confidential attribute from the group a record is in.

    A missing cell is a value of its own.
    """

    need: ClassVar[Need] = Need.DISTINCT
    guessed: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    """The scales of what is learnt: a sequence may be a key, and is not guessed."""

    sensitive: Sequence[str] | None = parameter(Optional(Names()), default=None)

    def _sensitive(self, schema: Schema) -> tuple[str, ...]:
        confidential = schema.of_role("confidential") if self.sensitive is None else tuple(self.sensitive)
        for name in confidential:
            schema[name]
        return schema.of_scale(*self.guessed, among=confidential)

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        sensitive = self._sensitive(schema)
        return tuple(name for name in super().columns_for(schema) if name not in sensitive) if sensitive else ()

    def _comparable(self, names: tuple[str, ...], before: Schema, after: Schema) -> tuple[str, ...]:
        sensitive = self._sensitive(before)
        if not any(name in after for name in sensitive):
            return ()
        return tuple(name for name in super()._comparable(names, before, after) if name not in sensitive)

    def _released(self, before: Schema, after: Schema) -> tuple[str, ...]:
        return tuple(name for name in self._sensitive(before) if name in after)

    def _classified(self, pair: Pair) -> Classified:
        labels = key_frequencies(pair.masked, pair.names, missing="category").labels
        return Classified.of(labels, pair.masked, self._released(pair.original.schema, pair.masked.schema))

    def question(self, scope: PairScope) -> ClassValues:
        return ClassValues(scope.names, self._released(scope.before, scope.after))

    def conclude(self, statistics: ClassRecords, scope: PairScope) -> Measurement:
        classes = statistics.classified(self._released(scope.before, scope.after), scope.after)
        value, sentence, per_attribute, details = self._told(classes, scope)
        perturbative = None if scope.provenance is None else scope.provenance.perturbative
        return self.stated(
            scope.names, value, sentence, per_attribute, details, perturbative=perturbative, gaps=classes.gaps
        )

    def _told(self, classes: Classified, scope: PairScope) -> tuple[float, str, dict[str, float], Json]:
        """Return the value, the sentence, the value by attribute, and details."""
        raise NotImplementedError


@register("l-diversity")
class LDiversityViolations(SensitiveRisk):
    """Share of released records in groups of equal keys that are not l-diverse, in percent.

    Whoever finds a group learns its confidential values without finding the record; diverse groups tell little.

    Parameters
    ----------
    l : float
        How many confidential values a group must have, at least.
    kind_of : {"distinct", "entropy", "recursive"}
        Different values; or 2^entropy (in bits) of them; or recursive (c, l)-diversity: the most frequent value is
        rarer than c times all values from the l-th most frequent one on.
    c : float
        For recursive diversity.
    attributes : list of str, optional
        What the intruder knows; by default every key, numbers included.
    sensitive : list of str, optional
        What must be diverse; by default every confidential attribute.

    Notes
    -----
    A record counts where its group fails for any sensitive attribute; `per_attribute` says for which. A missing value
    is a level. O(records log records × attributes).

    References
    ----------
    Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam (2007), ℓ-diversity: privacy beyond k-anonymity.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> area, ill = Attribute("area", Nominal(["n", "s"]), "key"), Attribute("ill", Nominal([0, 1]), "confidential")
    >>> people = pl.DataFrame({"area": ["n", "n", "n", "s", "s"], "ill": [0, 1, 0, 1, 1]})
    >>> LDiversityViolations(2).measure(people, people, Schema([area, ill])).value  # everybody in s is ill
    40.0
    """

    title: ClassVar[str] = "Records in groups with too few confidential values (l-diversity)"
    formula: ClassVar[str] = "100 · #{i : the group of i is not l-diverse} / n"
    reference: ClassVar[str] = "Machanavajjhala et al. 2007"
    l: float = parameter(Number(1), default=2, kw_only=False)  # noqa: E741 - the letter of the literature
    kind_of: Literal["distinct", "entropy", "recursive"] = parameter(
        Choice(("distinct", "entropy", "recursive")), default="distinct"
    )
    c: float = parameter(Number(0, open_low=True), default=1.0)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(2, kind_of="entropy"), cls(2, kind_of="recursive", c=2.0)]

    def _failing(self, classes: Classified) -> dict[str, BoolArray]:
        """Return, for every sensitive attribute, who is in a group that fails."""
        labels, groups, result = classes.labels, classes.groups, {}
        for name, (codes, size) in classes.codes.items():
            cells = count_cells(labels, codes, size, groups, classes.counts.astype(np.float64))
            result[name] = ~self._diverse(cells, groups)[labels]
        return result

    def _diverse(self, cells: Cells, groups: int) -> BoolArray:
        if self.kind_of == "distinct":
            return np.bincount(cells.rows, minlength=groups) >= self.l
        total = np.bincount(cells.rows, weights=cells.counts, minlength=groups)
        if self.kind_of == "entropy":
            share = cells.counts / total[cells.rows]
            entropy = np.bincount(cells.rows, weights=-share * np.log2(share), minlength=groups)
            return np.asarray(entropy >= np.log2(self.l) - 1e-12)
        order = np.lexsort([-cells.counts, cells.rows])
        rows, counts = cells.rows[order], cells.counts[order]
        starts = np.searchsorted(rows, np.arange(groups))
        rank = np.arange(rows.size) - starts[rows]
        tail = np.bincount(rows, weights=np.where(rank >= np.ceil(self.l) - 1, counts, 0.0), minlength=groups)
        return np.asarray(counts[starts] < self.c * tail)

    def _per_record(self, pair: Pair) -> FloatArray:
        failing = self._failing(self._classified(pair))
        return np.where(np.any(list(failing.values()), axis=0), 1.0, 0.0)

    def _told(self, classes: Classified, scope: PairScope) -> tuple[float, str, dict[str, float], Json]:
        failing = self._failing(classes)
        n, keys = classes.n, f"{keys_in_words(len(scope.names))} counted"
        any_fails = int(classes.counts[np.any(list(failing.values()), axis=0)].sum())
        per_attribute = {name: float(100.0 * classes.counts[fails].sum() / n) for name, fails in failing.items()}
        sentence = (
            f"{any_fails} of {n} records are in groups of equal keys ({keys}) that are not {self.kind_of} "
            f"{self.l:g}-diverse, most for {most_of(per_attribute)}."
            if any_fails
            else f"Every group of equal keys ({keys}) is {self.kind_of} {self.l:g}-diverse in {len(failing)} "
            "attributes."
        )
        details = {"l": float(self.l), "kind_of": self.kind_of, "sensitive": list(failing)}
        return 100.0 * any_fails / n, sentence, per_attribute, details


@register("t-closeness")
class TCloseness(SensitiveRisk):
    """Largest distance of a group's confidential distribution from the whole file's, in percent (t-closeness).

    It bounds what is learnt about anybody from being in a group of equal keys. Small groups are far by chance alone.

    Parameters
    ----------
    t : float
        The distance above which a record counts in `details`.
    distance : {"scale", "equal", "ordered", "hierarchical"}
        What moving from one value to another costs: by default the places between them where the attribute is ordered,
        and 1 where not; or one of these for all; or the step of their lowest common name in a hierarchy.
    hierarchies : dict of str to Hierarchy or path, optional
        Of the confidential attributes, for the hierarchical distance.
    attributes : list of str, optional
        What the intruder knows; by default every key, numbers included.
    sensitive : list of str, optional
        What is learnt; by default every confidential attribute.

    Notes
    -----
    The earth mover's distance between 0 and 1: total variation for unordered attributes, ``Σ |F_g − F| / (m − 1)`` over
    the m values that occur in the file for ordered ones and numbers, ``Σ_steps Σ_branches |g − p| / (2 · steps)`` on a
    hierarchy, in which a missing value is a branch of its own. A missing value is the last level, and one that is
    declared but that nobody has is none. O(records log records × attributes), whatever m: between two values of a group
    the sum is taken from tables of the whole file.

    References
    ----------
    Li, Li and Venkatasubramanian (2007), t-closeness: privacy beyond k-anonymity and ℓ-diversity.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> area, ill = Attribute("area", Nominal(["n", "s"]), "key"), Attribute("ill", Nominal([0, 1]), "confidential")
    >>> people = pl.DataFrame({"area": ["n", "n", "n", "n", "s"], "ill": [0, 1, 0, 1, 1]})
    >>> TCloseness().measure(people, people, Schema([area, ill])).value  # in s, 1 against 3 of 5
    40.0
    """

    title: ClassVar[str] = "Largest distance of a group from the whole (t-closeness)"
    formula: ClassVar[str] = "100 · max_g EMD(group, file)"
    reference: ClassVar[str] = "Li, Li and Venkatasubramanian 2007"
    t: float = parameter(Number(0, 1), default=0.2, kw_only=False)
    distance: Literal["scale", "equal", "ordered", "hierarchical"] = parameter(
        Choice(("scale", "equal", "ordered", "hierarchical")), default="scale"
    )
    hierarchies: Mapping[str, Hierarchy | str | os.PathLike[str]] | None = parameter(
        Optional(HierarchyByName()), default=None
    )

    def _distances(self, classes: Classified, schema: Schema) -> dict[str, FloatArray]:
        """Return, for every sensitive attribute, how far everybody's group is from the whole."""
        labels, groups, result = classes.labels, classes.groups, {}
        counts = classes.counts.astype(np.float64)
        for name, (codes, size) in classes.codes.items():
            cells = count_cells(labels, codes, size, groups, counts)
            whole = np.bincount(codes, weights=counts, minlength=size) / counts.sum()
            if whole[-1] == 0:
                whole = whole[:-1]  # nothing is missing
            result[name] = self._distance(name, schema)(cells, groups, whole)[labels]
        return result

    def _distance(self, name: str, schema: Schema) -> Callable[[Cells, int, FloatArray], FloatArray]:
        ordered = schema[name].scale.ordered
        if self.distance == "hierarchical":
            return self._on_hierarchy(name, schema)
        if self.distance == "ordered" and not ordered:
            raise ParameterError(f"TCloseness: {name!r} has no order for the ordered distance.")
        return _ordered if ordered and self.distance != "equal" else _unordered

    def _on_hierarchy(self, name: str, schema: Schema) -> Callable[[Cells, int, FloatArray], FloatArray]:
        """Return the distance on the hierarchy of an attribute: what must cross each of its branches."""
        scale, given = schema[name].scale, self.hierarchies or {}
        if name not in given or not isinstance(scale, Categorical):
            raise ParameterError(f"TCloseness: {name!r} needs levels and a hierarchy for the hierarchical distance.")
        source = given[name]
        tree = source if isinstance(source, Hierarchy) else Hierarchy.load(source)
        strangers = sum(str(level) not in tree.rows for level in scale.levels)
        if strangers:
            raise ParameterError(f"TCloseness: {strangers} of {len(scale)} levels of {name!r} have no row.")
        paths = [tree.rows[str(level)] for level in scale.levels]
        joined = len({row[-1] for row in tree.rows.values()}) == 1
        steps = len(paths[0]) - (1 if joined else 0)

        def distance(cells: Cells, groups: int, whole: FloatArray) -> FloatArray:
            shares, total = _shares(cells, groups), np.zeros(groups)
            for step in range(steps):
                names = [*(str(row[step]) for row in paths), None][: whole.size]
                number = {one: place for place, one in enumerate(dict.fromkeys(names))}
                branch = np.array([number[one] for one in names], dtype=np.int64)
                all_shares = np.bincount(branch, weights=whole, minlength=len(number))
                place = cells.rows * len(number) + branch[cells.columns]
                there, first = np.unique(place, return_inverse=True)
                crowd = np.bincount(first.ravel(), weights=shares)
                expected = all_shares[there % len(number)]
                # Branches that a group lacks are what is left of the whole.
                beyond = np.abs(crowd - expected) - expected
                total += 1.0 + np.bincount(there // len(number), weights=beyond, minlength=groups)
            return np.maximum(total / (2.0 * steps), 0.0)

        return distance

    def _per_record(self, pair: Pair) -> FloatArray:
        distances = self._distances(self._classified(pair), pair.masked.schema)
        return np.asarray(np.max(list(distances.values()), axis=0))

    def _told(self, classes: Classified, scope: PairScope) -> tuple[float, str, dict[str, float], Json]:
        distances, n = self._distances(classes, scope.after), classes.n
        largest = np.max(list(distances.values()), axis=0)
        per_attribute = {name: float(100.0 * distance.max()) for name, distance in distances.items()}
        value = max(per_attribute.values())
        beyond = int(classes.counts[largest > self.t].sum())
        sentence = (
            f"The confidential values of a group of equal keys ({keys_in_words(len(scope.names))} counted) are up to "
            f"{value:.1f} % away from those of the file, most in {most_of(per_attribute)}; {beyond} of {n} "
            f"records are in groups beyond {100 * self.t:g} %."
        )
        details = {
            "t": self.t,
            "records_beyond": beyond,
            "mean_percent": float(100.0 * (largest * classes.counts).sum() / n),
        }
        return min(value, 100.0), sentence, per_attribute, details


def _shares(cells: Cells, groups: int) -> FloatArray:
    total = np.bincount(cells.rows, weights=cells.counts, minlength=groups)
    return np.asarray(cells.counts / total[cells.rows])


def _unordered(cells: Cells, groups: int, whole: FloatArray) -> FloatArray:
    """Return the total variation distance; where a group has more than its share is half of all that differs."""
    more = np.maximum(_shares(cells, groups) - whole[cells.columns], 0.0)
    return np.bincount(cells.rows, weights=more, minlength=groups).astype(np.float64)


def _ordered(cells: Cells, groups: int, whole: FloatArray) -> FloatArray:
    """Return Σ_v |F_g(v) − F(v)| / (m − 1) over values that occur, from one value of a group to the next at a time."""
    occurs = whole > 0
    whole, columns = whole[occurs], (np.cumsum(occurs) - 1)[cells.columns]
    m = whole.size
    if m < 2:
        return np.zeros(groups)
    cumulated = np.cumsum(whole)
    sums = np.append(0.0, np.cumsum(cumulated))
    shares = _shares(cells, groups)
    reached = np.cumsum(shares)
    starts = np.searchsorted(cells.rows, np.arange(groups))
    reached -= (reached[starts] - shares[starts])[cells.rows]
    # F_g is 0 up to a group's first value, and `reached` from each of its values to the next (or to the end).
    following = np.append(columns[1:], m)
    following[np.append(starts[1:], cells.rows.size) - 1] = m
    result = sums[columns[starts]].copy()
    np.add.at(result, cells.rows, _area(reached, columns, following, cumulated, sums))
    return np.asarray(result / (m - 1))


def _area(level: FloatArray, start: IntArray, end: IntArray, cumulated: FloatArray, sums: FloatArray) -> FloatArray:
    """Return Σ_{start ≤ v < end} |level − F(v)|: F rises, so it lies below `level` first and above it afterwards."""
    crossing = np.clip(np.searchsorted(cumulated, level), start, end)
    below = level * (crossing - start) - (sums[crossing] - sums[start])
    above = (sums[end] - sums[crossing]) - level * (end - crossing)
    return np.asarray(below + above)
