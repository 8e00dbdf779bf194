"""An intruder who knows a few moments of a person: readings, or places, with their times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple, Self
from zlib import crc32

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import Measure, Pair
from discreet.contracts.measurement import Measurement
from discreet.data.scales import EncodedSequences, Succession
from discreet.data.scales.sequence import distinct
from discreet.measures.sequence_pairs import sequence_pair
from discreet.parameters import Integer, Names, Optional
from discreet.parameters.declaration import parameter
from discreet.progress import track
from discreet.typing import FloatArray, IntArray

__all__ = ["KnownMoments"]


class _Found(NamedTuple):
    """By record that was asked for: the intruder's best and mean chance of having found it."""

    best: FloatArray
    mean: FloatArray


@register("known-moments")
class KnownMoments(Measure):
    """Share of records that an intruder finds who knows a few moments of a person with their times, in percent.

    Of a series a moment is a reading, of a trajectory a place. The intruder takes the released record that fits best
    what he knows, and draws among those that fit alike. Of what may be known of a person, the worst of several draws
    counts.

    Parameters
    ----------
    attributes : list of str, optional
        What the intruder has glimpses of; by default every key that is a series or a trajectory. The largest share
        counts.
    known : int
        How many moments the intruder knows; of a shorter record, all of it.
    draws : int
        How many sets of moments are tried for each record.
    targets : int
        For how many records the intruder looks; all, where there are no more.
    random_state : int
        Where the sets come from. Those of a record depend on the record and this number alone.

    Notes
    -----
    ``100 · mean_i max_draws 1 / ties`` over the records asked for, 0 where the own release does not fit best. In a
    release in which every record appears k times it is at most 100 / k. The detail has the mean over draws instead of
    the worst, and both for the unmasked file. O(targets · draws · known · different released records). Records with a
    missing value are left out.

    References
    ----------
    De Montjoye et al. (2013), Unique in the crowd: the privacy bounds of human mobility.

    Examples
    --------
    >>> import polars as pl
    >>> import discreet as dc
    >>> schema = dc.Schema([dc.Attribute("load", dc.TimeSeries(), "key")])
    >>> a, b = pl.DataFrame({"load": ["1 2", "3 4", "8 9"]}), pl.DataFrame({"load": ["2 3", "2 3", "8 9"]})
    >>> round(KnownMoments(known=1).measure(a, b, schema).value, 1)  # a half each for two, the third for certain
    66.7
    """

    kind: ClassVar[str] = "risk"
    title: ClassVar[str] = "Found by a few known moments"
    scales: ClassVar[frozenset[str]] = frozenset({"series", "trajectory"})
    keys_only: ClassVar[bool] = True
    formula: ClassVar[str] = "100 · mean over records of the best chance"
    reference: ClassVar[str] = "De Montjoye et al. 2013"
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    known: int = parameter(Integer(1), default=3)
    draws: int = parameter(Integer(1), default=5)
    targets: int = parameter(Integer(1), default=1000)
    random_state: int = parameter(Integer(0), default=0)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(known=1, draws=2), cls(targets=10)]

    def _measure(self, pair: Pair) -> Measurement:
        shares: dict[str, float] = {}
        details: dict[str, dict[str, float]] = {}
        for name in pair.names:
            both = sequence_pair(type(self).__name__, pair.original, pair.masked, name)
            scale = pair.original.schema[name].scale
            if not isinstance(scale, Succession):
                continue
            asked = self._asked(both.before, both.after)
            after = self._attack(scale, both.before, both.after, asked, name)
            before = self._attack(scale, both.before, both.before, asked, name)
            shares[name] = 100.0 * float(after.best.mean())
            details[name] = {
                "asked": int(asked.size),
                "records": len(both.before),
                "mean_over_draws_percent": 100.0 * float(after.mean.mean()),
                "before_percent": 100.0 * float(before.best.mean()),
                "before_mean_over_draws_percent": 100.0 * float(before.mean.mean()),
            }
        worst = max(shares, key=lambda name: shares[name])
        of = details[worst]
        some = f" {of['asked']} of {of['records']} records were looked for." if of["asked"] < of["records"] else ""
        sentence = (
            f"Knowing {self.known} moments of a person with their times, an intruder finds {shares[worst]:.1f} % of "
            f"the records in the release, at the worst of {self.draws} draws of what may be known; before masking it "
            f"was {of['before_percent']:.1f} %.{some}"
        )
        return self.result(shares[worst], sentence, shares, {"by_attribute": details})

    def _asked(self, before: EncodedSequences, after: EncodedSequences) -> IntArray:
        """Return the records that are looked for, whatever the order in which they stand."""
        filled = np.flatnonzero(before.lengths > 0)
        if filled.size <= self.targets:
            return filled if filled.size else np.arange(min(1, len(before)))
        keys = list(zip(before.keys(), after.keys(), strict=True))
        numbers = np.array([crc32(keys[i][1], crc32(keys[i][0], self.random_state)) for i in filled])
        return np.sort(filled[np.argsort(numbers, kind="stable")[: self.targets]])

    def _attack(
        self, scale: Succession, before: EncodedSequences, after: EncodedSequences, asked: IntArray, name: str
    ) -> _Found:
        classes, first, counts = distinct([after])
        released = after.take(first)
        best, mean = np.zeros(asked.size), np.zeros(asked.size)
        keys = before.take(asked).keys()
        for place, row in enumerate(track(asked.tolist(), f"known moments of {name}", asked.size)):
            codes = before.codes[before.offsets[row] : before.offsets[row + 1]]
            rng = np.random.default_rng([self.random_state, crc32(keys[place])])
            own, chances = classes[row], []
            for moments in scale.moments(codes, self.known, self.draws, rng):
                far = scale.far_from(codes, moments, released)
                nearest = far == far.min()
                chances.append(1.0 / float(counts[nearest].sum()) if nearest[own] else 0.0)
            best[place], mean[place] = max(chances, default=0.0), float(np.mean(chances)) if chances else 0.0
        return _Found(best, mean)
