"""How much better the confidential attribute is guessed from the release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.links import Links
from discreet.contracts.measure import Measure, Pair
from discreet.contracts.measurement import Measurement
from discreet.data.schema import Schema
from discreet.errors import DataError
from discreet.linkage.shared.distance import DistanceLinkage
from discreet.measures.loss.numbers import spread
from discreet.measures.number_pairs import levels_of_both, most_of
from discreet.measures.record_draws import record_draws
from discreet.measures.risk.equal_keys import keys_in_words
from discreet.parameters import Integer, Names, Number, Optional
from discreet.parameters.declaration import parameter
from discreet.typing import FloatArray, IntArray, Json

__all__ = ["AttributeDisclosure"]


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
    Half of the masked records play the release. ``(a − c) / (1 − c)``, 0 at least, with a and c the shares of correct
    guesses in that half and in the other one, ties shared; the value is the largest over the sensitive attributes.
    `details` holds a and c with their 95 % Wilson intervals, and the share that guessing the most frequent value
    reaches. Where there are more than `targets` people in a half, a sample of them is attacked; numeric keys with
    missing values are left out; the sentence says so. The intruder starts from the people he knows (the direction
    ``"original"`` of linkage). O(targets × records × keys).

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

    def _guessable(self, before: Schema, after: Schema) -> tuple[str, ...]:
        numeric = before.of_scale("numeric")
        return tuple(
            name
            for name in self._sensitive(before)
            if name in after and (name in numeric) == (name in after.of_scale("numeric"))
        )

    def _measure(self, pair: Pair) -> Measurement:
        keys = [name for name in pair.names if not _lacks_numbers(pair, name)]
        if not keys:
            raise DataError("AttributeDisclosure: every key has missing numbers.", hint="Name attributes without.")
        sensitive = self._guessable(pair.original.schema, pair.masked.schema)
        draws = record_draws(pair, (*keys, *sensitive), self.random_state)
        released = np.flatnonzero(draws < 0.5)
        others = np.flatnonzero(draws >= 0.5)
        if not released.size or not others.size:
            return self.result(0.0, "The records are too few, or too much alike, to be split into two halves.")
        attack = self._attack(pair, keys, released, released[np.argsort(draws[released])])
        control = self._attack(pair, keys, released, others[np.argsort(draws[others])])
        figures, per_attribute = {}, {}
        for name in sensitive:
            figures[name] = self._figures(pair, name, released, attack, control)
            per_attribute[name] = figures[name]["risk_percent"]
        declared = [name for name in pair.declared if name in keys]
        left_out = [name for name in pair.declared if name not in keys]
        value, worst = max(per_attribute.values()), most_of(per_attribute)
        sentence = (
            f"From {keys_in_words(len(declared))}, {worst} is guessed correctly about "
            f"{figures[worst]['attack_percent']:.1f} % of people in the release and "
            f"{figures[worst]['control_percent']:.1f} % of others: the release gives away {value:.1f} % of what could "
            "not be guessed without it."
        )
        attacked, controls = int(attack.targets.size), int(control.targets.size)
        if attacked < released.size or controls < others.size:
            sentence += (
                f" Tried on a sample: {attacked} of {released.size} people in it, {controls} of {others.size} others."
            )
        if left_out:
            verb = "has" if len(left_out) == 1 else "have"
            sentence += f" Of {len(pair.declared)} keys {', '.join(left_out)} {verb} gaps, not used."
        details = {
            "known": declared,
            "left_out": left_out,
            "attacked": attacked,
            "controls": controls,
        }
        return self.result(value, sentence, per_attribute, {**details, "by_attribute": figures})

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
        rates = [_rate(one, truth[one.targets], published[released], reach) for one in (attack, control)]
        risk = max(rates[0] - rates[1], 0.0) / (1.0 - rates[1]) if rates[1] < 1.0 else 0.0
        return {
            "risk_percent": 100.0 * risk,
            "attack_percent": 100.0 * rates[0],
            "attack_interval_percent": _wilson(rates[0], attack.targets.size),
            "control_percent": 100.0 * rates[1],
            "control_interval_percent": _wilson(rates[1], control.targets.size),
            "baseline_percent": 100.0 * baseline,
        }


def _lacks_numbers(pair: Pair, name: str) -> bool:
    if pair.original.schema[name].scale.kind != "numeric":
        return False
    return bool(np.isnan(pair.original.encoded(name)).any() or np.isnan(pair.masked.encoded(name)).any())


def _rate(attack: _Attack, truth: FloatArray, published: FloatArray, reach: float) -> float:
    """Return the share of targets whose value is read off the nearest released record, ties shared."""
    links = attack.links
    # Released values class after class, each in order: those near a target's are two searches apart.
    order = np.lexsort([published, links.classes])
    values, starts = published[order], np.searchsorted(links.classes[order], np.arange(links.classes.max() + 2))
    owner = np.repeat(np.arange(truth.size), np.diff(links.tied_offsets))
    hits = np.zeros(truth.size)
    for target, group in zip(owner, links.tied, strict=True):
        mine = values[starts[group] : starts[group + 1]]
        low, high = truth[target] - reach, truth[target] + reach
        hits[target] += np.searchsorted(mine, high, "right") - np.searchsorted(mine, low)
    hits[np.isnan(truth)] = 0.0
    return float((hits / np.maximum(links.ties, 1)).mean())


def _most_within(values: FloatArray, reach: float) -> int:
    """Return how many numbers the best single guess is right about."""
    ordered = np.sort(values)
    return int((np.searchsorted(ordered, ordered + 2.0 * reach, "right") - np.arange(ordered.size)).max(initial=0))


def _wilson(rate: float, n: int, z: float = 1.959964) -> list[float]:
    centre, width = rate + z * z / (2 * n), z * np.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    return [100.0 * float((centre - width) / (1 + z * z / n)), 100.0 * float((centre + width) / (1 + z * z / n))]
