"""How much better the confidential attribute is guessed from the release."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.links import Links
from discreet.contracts.measure import Measure, Pair, PairScope
from discreet.contracts.measurement import Measurement
from discreet.data.microdata import Microdata
from discreet.data.scales import GapFlag
from discreet.data.schema import Schema
from discreet.errors import DataError, SchemaError
from discreet.linkage.shared.coordinates import BothSpreads, Spread, SpreadOf
from discreet.linkage.shared.distance import DistanceLinkage
from discreet.linkage.shared.term_search import DistanceSearch
from discreet.linkage.shared.yardstick import yardstick
from discreet.measures.loss.numbers import spread
from discreet.measures.number_pairs import levels_of_both, most_of
from discreet.measures.record_draws import record_draws
from discreet.measures.risk.equal_keys import keys_in_words
from discreet.measures.risk.learnt_values import (
    GuessedValue,
    HalfSpread,
    LearningSearch,
    values_within,
    within_release,
)
from discreet.measures.risk.linked_sample import everybody_is_asked
from discreet.parameters import Integer, Names, Number, Optional
from discreet.parameters.declaration import parameter
from discreet.statistics.level_totals import LevelTotals
from discreet.statistics.question import Inquiry, Need, Together
from discreet.statistics.sample import Sample
from discreet.statistics.sampled_pairs import PairSample
from discreet.typing import FloatArray, IntArray, Json

__all__ = ["AttributeDisclosure"]

_BASE = 100_000
"""Records that tell which number is the most frequent, where there are too many to sort."""

_TOO_FEW = "The records are too few, or too much alike, to be split into two halves."


@dataclass(frozen=True, repr=False)
class _Attack:
    """Targets that are looked for among the released records, and what was found."""

    targets: IntArray
    links: Links


@register("attribute-disclosure")
class AttributeDisclosure(Measure):
    """How much better a confidential attribute is guessed about people in the release than about others, in percent.

    The intruder knows the keys of a target, looks for the nearest released record and takes its confidential value for
    the target's. What works as well on people who are not in the release is knowledge about the population, and no
    disclosure: a control half measures it.

    Parameters
    ----------
    attributes : list of str, optional
        What the intruder knows; by default every key that is released on its own scale.
    sensitive : list of str, optional
        What is guessed; by default every confidential attribute.
    tolerance : float
        A number is guessed where it is right to within this many standard deviations.
    targets : int
        At most so many people are attacked in each half.
    random_state : int
        Which people are in which half: the halves come from a hash of the records, not from their order.

    Notes
    -----
    Half of the masked records play the release, drawn by what they hold in memory and by their places in a file that is
    asked block by block: two halves, whose figures differ as those of two samples do. ``(a − c) / (1 − c)``, 0 at
    least, with a and c the shares of correct guesses in that half and in the other one, ties shared; the value is the
    largest over the sensitive attributes.
    `details` holds a and c with their 95 % Wilson intervals, and the share that guessing the most frequent value
    reaches. Where there are more than `targets` people in a half, a sample of them is attacked; numeric keys with
    missing values are left out; the sentence says so. The intruder starts from the people he knows (the direction
    ``"original"`` of linkage). O(targets × records × keys).

    Beyond a million records, which may lie in files, halves and people are drawn by their positions instead, a missing
    number of a key is a value of its own, and the most frequent number is that of 100,000 records.

    References
    ----------
    Giomi, Boenisch, Wehmeyer and Tasnádi (2023), A unified framework for quantifying privacy risk in synthetic data.

    Examples
    --------
    >>> import numpy as np
    >>> import polars as pl
    >>> from discreet.data.scales import Numeric
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute("key", Numeric(), "key"), Attribute("debt", Numeric(), "confidential")])
    >>> people = pl.DataFrame({"key": np.arange(100.0), "debt": np.arange(100.0) * 37 % 100})
    >>> AttributeDisclosure().measure(people, people, schema).value > 80  # an unmasked file gives everything away
    True
    """

    kind: ClassVar[str] = "risk"
    title: ClassVar[str] = "Confidential values learnt (attribute disclosure)"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    keys_only: ClassVar[bool] = True
    needs_numbers: ClassVar[bool] = True
    need: ClassVar[Need] = Need.ASKED
    formula: ClassVar[str] = "100 · max_j (attack − control) / (1 − control)"
    reference: ClassVar[str] = "Giomi, Boenisch, Wehmeyer and Tasnádi 2023"
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    sensitive: Sequence[str] | None = parameter(Optional(Names()), default=None)
    tolerance: float = parameter(Number(0), default=0.05)
    targets: int = parameter(Integer(1), default=1000)
    random_state: int = parameter(Integer(0), default=0)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(targets=20, random_state=3)]

    def _sensitive(self, schema: Schema) -> tuple[str, ...]:
        confidential = schema.of_role("confidential") if self.sensitive is None else tuple(self.sensitive)
        for name in confidential:
            schema[name]
        return schema.of_scale(*self.scales, among=confidential)

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        sensitive = self._sensitive(schema)
        return tuple(name for name in super().columns_for(schema) if name not in sensitive) if sensitive else ()

    def _comparable(self, names: tuple[str, ...], before: Schema, after: Schema) -> tuple[str, ...]:
        if not self._guessable(before, after):
            return ()
        return tuple(name for name in names if name in after and before[name].scale == after[name].scale)

    def _nothing_to_look_at(self, before: Schema, after: Schema) -> SchemaError:
        if not self._sensitive(before):
            return SchemaError(
                "AttributeDisclosure: the schema names no confidential attribute, so there is nothing to be learnt.",
                hint='Give role = "confidential" to what nobody should learn, or name it in sensitive.',
            )
        if not self._guessable(before, after):
            listed = ", ".join(self._sensitive(before))
            return SchemaError(
                f"AttributeDisclosure: no confidential attribute is released on a scale of its kind: {listed}.",
                hint="What is not released cannot be learnt from the release.",
            )
        return super()._nothing_to_look_at(before, after)

    def _guessable(self, before: Schema, after: Schema) -> tuple[str, ...]:
        numeric = before.of_scale("numeric")
        return tuple(
            name
            for name in self._sensitive(before)
            if name in after and (name in numeric) == (name in after.of_scale("numeric"))
        )

    def inquire(self, scope: PairScope) -> Inquiry[Measurement]:
        if everybody_is_asked(scope):
            return (yield from super().inquire(scope))
        return (yield from self._asked(scope))

    def _measure(self, pair: Pair) -> Measurement:
        keys = [name for name in pair.names if not _lacks_numbers(pair, name)]
        if not keys:
            raise DataError("AttributeDisclosure: every key has missing numbers.", hint="Name attributes without.")
        sensitive = self._guessable(pair.original.schema, pair.masked.schema)
        draws = record_draws(pair, (*keys, *sensitive), self.random_state)
        released = np.flatnonzero(draws < 0.5)
        others = np.flatnonzero(draws >= 0.5)
        if not released.size or not others.size:
            return self.result(0.0, _TOO_FEW)
        attack = self._attack(pair, keys, released, released[np.argsort(draws[released])])
        control = self._attack(pair, keys, released, others[np.argsort(draws[others])])
        figures = {name: self._figures(pair, name, released, attack, control) for name in sensitive}
        tried = ((int(attack.targets.size), released.size), (int(control.targets.size), others.size))
        return self._told(pair.declared, keys, figures, tried)

    def _told(
        self,
        declared: Sequence[str],
        keys: Sequence[str],
        figures: dict[str, Json],
        tried: tuple[tuple[int, int], tuple[int, int]],
        remarks: str = "",
    ) -> Measurement:
        """Return the measurement, from how many people of how many were looked for: in the release, and not in it."""
        per_attribute = {name: one["risk_percent"] for name, one in figures.items()}
        known = [name for name in declared if name in keys]
        left_out = [name for name in declared if name not in keys]
        value, worst = max(per_attribute.values()), most_of(per_attribute)
        sentence = (
            f"From {keys_in_words(len(known))}, {worst} is guessed correctly about "
            f"{figures[worst]['attack_percent']:.1f} % of people in the release and "
            f"{figures[worst]['control_percent']:.1f} % of others: the release gives away {value:.1f} % of what could "
            "not be guessed without it."
        )
        (attacked, inside), (controls, outside) = tried
        if attacked < inside or controls < outside:
            sentence += f" Tried on a sample: {attacked} of {inside} people in it, {controls} of {outside} others."
        if left_out:
            verb = "has" if len(left_out) == 1 else "have"
            sentence += f" Of {len(declared)} keys {', '.join(left_out)} {verb} gaps, not used."
        details = {"known": known, "left_out": left_out, "attacked": attacked, "controls": controls}
        return self.result(value, sentence + remarks, per_attribute, {**details, "by_attribute": figures})

    def _asked(self, scope: PairScope) -> Inquiry[Measurement]:
        """Look for some people among everybody who is released, whom blocks bring along."""
        keys, sensitive = scope.names, self._guessable(scope.before, scope.after)
        numbers = scope.before.of_scale("numeric", among=keys)
        amounts = scope.before.of_scale("numeric", among=sensitive)
        kinds = tuple(name for name in sensitive if name not in amounts)
        # Each half of so many has as many as are looked for, but once in ten thousand samples.
        enough = 2 * self.targets + 6 * math.isqrt(2 * self.targets) + 16
        answers = yield Together(
            (
                PairSample((*keys, *sensitive), enough, scope.n, self.random_state),
                SpreadOf((*numbers, *amounts)),
                LevelTotals.of_schema(scope.before, kinds, None),
                Sample(amounts, _BASE, scope.n, self.random_state),
            )
        )
        drawn, spreads, totals, base = answers.statistics
        inside = within_release(self.random_state, drawn.positions)
        draws = drawn.draws[drawn.order]
        both = [
            np.flatnonzero(half)[np.argsort(draws[half], kind="stable")[: self.targets]] for half in (inside, ~inside)
        ]
        if not both[0].size or not both[1].size:
            return self.result(0.0, _TOO_FEW)
        people = drawn.tables()[0].take(np.concatenate(both))
        middle = np.where(np.isfinite(spreads.first.mean), spreads.first.mean, 0.0)[: len(numbers)]
        absent = (spreads.first.absent + spreads.second.absent)[: len(numbers)]
        gaps = tuple(name for name, count in zip(numbers, absent, strict=True) if count)
        # Without a number, no record has to be looked at: levels are compared by their declarations.
        seed = self.random_state
        half = (yield HalfSpread(numbers, tuple(middle.tolist()), seed)) if numbers else Spread.of(np.empty((0, 0)))
        measured = yardstick(type(self).__name__, (scope.after, scope.before), BothSpreads(half, half), keys)
        search = DistanceSearch(measured.reading_gaps(gaps, middle), people)
        deviations = dict(zip(amounts, spreads.first.deviation[len(numbers) :], strict=True))
        values = tuple(
            _guessed(scope, name, people, self.tolerance * float(deviations.get(name, 0.0))) for name in sensitive
        )
        learnt = yield LearningSearch(search, values, self.random_state)
        rates, sample = learnt.shares(), base.records()
        figures = {}
        for place, one in enumerate(values):
            if one.levels is None:
                there = sample[one.name][~np.isnan(sample[one.name])]
                baseline = _most_within(there, one.reach) / max(sample[one.name].size, 1)
            else:
                baseline = float(totals.of(one.name).max(initial=0.0) / scope.n)
            halves = np.split(rates[:, place], [both[0].size])
            figures[one.name] = _percentages(halves[0], halves[1], baseline)
        declared = [name for name in keys if not isinstance(scope.before[name].scale, GapFlag)]
        remarks = " A missing number counts as a value of its own." if gaps or len(declared) < len(keys) else ""
        released = learnt.nearest.records
        tried = ((both[0].size, released), (both[1].size, scope.n - released))
        return self._told(declared, keys, figures, tried, remarks)

    def _attack(self, pair: Pair, keys: Sequence[str], released: IntArray, ranked: IntArray) -> _Attack:
        targets = np.sort(ranked[: self.targets])
        linker = DistanceLinkage(attributes=list(keys))
        release, people = pair.masked.take(released), pair.original.take(targets)
        return _Attack(targets, linker.link(release, people, engine=pair.engine))

    def _figures(self, pair: Pair, name: str, released: IntArray, attack: _Attack, control: _Attack) -> Json:
        if pair.original.schema[name].scale.kind == "numeric":
            truth, published = pair.original.encoded(name), pair.masked.encoded(name)
            there = truth[~np.isnan(truth)]
            reach = self.tolerance * spread(there, np.ones(there.size)) if there.size else 0.0
            baseline = _most_within(there, reach) / max(truth.size, 1)
        else:
            levels = levels_of_both(pair, name)
            truth, published = levels.before.astype(np.float64), levels.after.astype(np.float64)
            truth[levels.before == levels.size - 1] = np.nan  # nobody guesses that a value is missing
            reach = 0.0
            baseline = float(np.bincount(levels.before, minlength=levels.size)[:-1].max() / truth.size)
        shares = [_shares(one, truth[one.targets], published[released], reach) for one in (attack, control)]
        return _percentages(shares[0], shares[1], baseline)


def _guessed(scope: PairScope, name: str, people: Microdata, reach: float) -> GuessedValue:
    codes = people.encoded(name)
    if scope.before[name].scale.kind == "numeric":
        return GuessedValue(name, None, codes, reach)
    levels = scope.levels(name)
    places = levels.before(codes)
    truth = np.where(places == levels.size - 1, np.nan, places.astype(np.float64))
    return GuessedValue(name, levels, truth, 0.0)


def _percentages(attack: FloatArray, control: FloatArray, baseline: float) -> Json:
    """Return the figures of an attribute, from the chance of a right guess about every person."""
    rates = float(attack.mean()), float(control.mean())
    risk = max(rates[0] - rates[1], 0.0) / (1.0 - rates[1]) if rates[1] < 1.0 else 0.0
    return {
        "risk_percent": 100.0 * risk,
        "attack_percent": 100.0 * rates[0],
        "attack_interval_percent": _wilson(rates[0], attack.size),
        "control_percent": 100.0 * rates[1],
        "control_interval_percent": _wilson(rates[1], control.size),
        "baseline_percent": 100.0 * baseline,
    }


def _lacks_numbers(pair: Pair, name: str) -> bool:
    if pair.original.schema[name].scale.kind != "numeric":
        return False
    return bool(np.isnan(pair.original.encoded(name)).any() or np.isnan(pair.masked.encoded(name)).any())


def _shares(attack: _Attack, truth: FloatArray, published: FloatArray, reach: float) -> FloatArray:
    """Return by person the share of the nearest released records with the right value."""
    links = attack.links
    owner = np.repeat(np.arange(truth.size), np.diff(links.tied_offsets))
    hits = np.zeros(truth.size)
    np.add.at(hits, owner, values_within(published, links.classes, links.tied, truth[owner], reach))
    return np.asarray(hits / np.maximum(links.ties, 1))


def _most_within(values: FloatArray, reach: float) -> int:
    """Return how many numbers the best single guess is right about."""
    ordered = np.sort(values)
    return int((np.searchsorted(ordered, ordered + 2.0 * reach, "right") - np.arange(ordered.size)).max(initial=0))


def _wilson(rate: float, n: int, z: float = 1.959964) -> list[float]:
    centre, width = rate + z * z / (2 * n), z * np.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    return [100.0 * float((centre - width) / (1 + z * z / n)), 100.0 * float((centre + width) / (1 + z * z / n))]
