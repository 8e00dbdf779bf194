"""Re-identification by intruders who know different things, more or less exactly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self, cast

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import Measure, Pair
from discreet.contracts.measurement import Measurement
from discreet.data.microdata import Microdata
from discreet.data.scales import Categorical
from discreet.data.schema import Schema
from discreet.linkage.shared.distance import DistanceLinkage
from discreet.measures.record_draws import record_draws
from discreet.measures.risk.directions import worse
from discreet.parameters import Integer, ListOf, Names, Number, Optional
from discreet.parameters.declaration import parameter
from discreet.progress import track
from discreet.typing import Json

__all__ = ["IntruderScenarios"]


@register("intruder-scenarios")
class IntruderScenarios(Measure):
    """Highest re-identification rate over several intruders, who know different keys with different errors, in percent.

    One intruder who knows everything exactly is the worst case and seldom real; this says which knowledge the risk
    hangs on. `details` holds every scenario with its rate, its 95 % interval and the rate of guessing.

    Parameters
    ----------
    known : list of lists of str, optional
        What each intruder knows; by default all keys, and the numeric and the categorical keys by themselves.
    noise : list of float
        How wrong the knowledge is: numbers are off by so many standard deviations (normal errors), and a category is
        another one with this probability (uniformly). Every list of keys is tried with every noise.
    random_state : int
        The seed of the errors; they belong to the records, wherever those stand in the file.

    Notes
    -----
    Distance-based linkage of the noisy original with the release in the worse of both directions, ties shared. The cost
    of a scenario is that of two linkages. A missing value stays missing. Keys that are released on another scale are
    left out, and the sentence names them.

    References
    ----------
    Domingo-Ferrer and Torra (2001), A quantitative comparison of disclosure control methods for microdata; Elliot and
    Dale (1999), Scenarios of attack.

    Examples
    --------
    >>> import polars as pl
    >>> a = pl.DataFrame({"x": [1.5, 2.5, 8.5, 9.5], "y": [1.5, 9.5, 1.5, 9.5]})
    >>> result = IntruderScenarios([["x"], ["y"]], noise=[0.0]).measure(a, a)
    >>> [one["percent"] for one in result.details["scenarios"]]
    [100.0, 50.0]
    """

    kind: ClassVar[str] = "risk"
    title: ClassVar[str] = "Re-identified by the best informed of several intruders"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    keys_only: ClassVar[bool] = True
    default: ClassVar[bool] = False
    formula: ClassVar[str] = "100 · max over scenarios of correct links / n"
    reference: ClassVar[str] = "Domingo-Ferrer and Torra 2001"
    known: Sequence[Sequence[str]] | None = parameter(Optional(ListOf(Names())), default=None, kw_only=False)
    noise: Sequence[float] = parameter(ListOf(Number(0)), default=(0.0, 0.1, 0.3))
    random_state: int = parameter(Integer(0), default=0)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(noise=(0.2,), random_state=1)]

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        if self.known is None:
            return super().columns_for(schema)
        wanted = {name for names in self.known for name in names}
        for name in wanted:
            schema[name]
        return schema.of_scale(*self.scales, among=wanted)

    def _comparable(self, names: tuple[str, ...], before: Schema, after: Schema) -> tuple[str, ...]:
        return tuple(name for name in names if name in after and before[name].scale == after[name].scale)

    def _known(self, pair: Pair) -> list[tuple[str, ...]]:
        if self.known is not None:
            chosen = [tuple(name for name in names if name in pair.names) for names in self.known]
            return [names for names in chosen if names]
        schema = pair.original.schema
        parts = [schema.of_scale(*kinds, among=pair.names) for kinds in (("numeric",), ("ordinal", "nominal"))]
        return [pair.names, *parts] if all(parts) else [pair.names]

    def _measure(self, pair: Pair) -> Measurement:
        scenarios: list[Json] = []
        tries = [(names, noise) for noise in self.noise for names in self._known(pair)]
        blurred = {noise: self._blurred(pair, noise) for noise in self.noise}
        for names, noise in track(tries, "attacking", len(tries)):
            linker = DistanceLinkage(attributes=list(names))
            direction, both = worse(linker.link_both(blurred[noise], pair.masked, engine=pair.engine))
            linked = both[direction]
            low, high = linked.interval()
            scenarios.append(
                {
                    "known": list(names),
                    "noise": float(noise),
                    "direction": direction,
                    "percent": 100.0 * linked.rate,
                    "interval_percent": [100.0 * low, 100.0 * high],
                    "chance_percent": 100.0 * linked.chance / linked.n,
                }
            )
        best = max(scenarios, key=lambda one: one["percent"])
        least = min(scenarios, key=lambda one: one["percent"])
        sentence = (
            f"Of {len(scenarios)} intruders the most successful, who knows {len(best['known'])} keys with an error of "
            f"{best['noise']:g}, re-identifies {best['percent']:.1f} % of the records; the least successful finds "
            f"{least['percent']:.1f} %, guessing {best['chance_percent']:.2f} %."
        )
        return self.result(min(best["percent"], 100.0), sentence, details={"scenarios": scenarios})

    def _blurred(self, pair: Pair, noise: float) -> Microdata:
        """Return what an intruder knows whose knowledge is off by `noise`."""
        from scipy.special import ndtri

        if noise == 0:
            return pair.original
        values: dict[str, Any] = {}
        for stream, name in enumerate(pair.names):
            encoded = pair.original.encoded(name)
            draws = record_draws(pair, pair.names, self.random_state, 2 * stream)
            if pair.original.schema[name].scale.kind == "numeric":
                values[name] = encoded + noise * np.nanstd(encoded) * ndtri(np.clip(draws, 1e-12, 1 - 1e-12))
                continue
            size = len(cast("Categorical", pair.original.schema[name].scale))
            other = record_draws(pair, pair.names, self.random_state, 2 * stream + 1)
            moved = (encoded + 1 + (other * (size - 1)).astype(np.int32)) % size if size > 1 else encoded
            values[name] = np.where((draws < noise) & (encoded >= 0), moved, encoded).astype(np.int32)
        return pair.original.replacing(values)
