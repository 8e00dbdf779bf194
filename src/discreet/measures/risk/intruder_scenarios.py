"""Re-identification by intruders who know different things, more or less exactly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self, cast

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.links import Linked
from discreet.contracts.measure import Measure, Pair, PairScope
from discreet.contracts.measurement import Measurement
from discreet.data.microdata import Microdata
from discreet.data.scales import Categorical
from discreet.data.schema import Schema
from discreet.linkage.shared.coordinates import BothSpreads, Spread, SpreadOf
from discreet.linkage.shared.distance import DistanceLinkage
from discreet.linkage.shared.term_search import DistanceSearch
from discreet.linkage.shared.yardstick import yardstick
from discreet.measures.record_draws import record_draws
from discreet.measures.risk.blurred_knowledge import Blur, BlurredSearch, BlurredSpread, wrong_levels, wrong_numbers
from discreet.measures.risk.directions import DIRECTIONS, worse
from discreet.measures.risk.linked_sample import SAMPLE, everybody_is_asked
from discreet.parameters import Integer, ListOf, Names, Number, Optional
from discreet.parameters.declaration import parameter
from discreet.progress import track
from discreet.statistics.question import Inquiry, Need, Together
from discreet.statistics.sampled_pairs import PairSample
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
    left out, and the sentence names them. Beyond a million records, which may lie in files, 2,000 are asked for, each
    compared with everybody; errors then belong to positions, and the sentence states the interval.

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
    need: ClassVar[Need] = Need.ASKED
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

    def _known(self, schema: Schema, among: tuple[str, ...]) -> list[tuple[str, ...]]:
        if self.known is not None:
            chosen = [tuple(name for name in names if name in among) for names in self.known]
            return [names for names in chosen if names]
        parts = [schema.of_scale(*kinds, among=among) for kinds in (("numeric",), ("ordinal", "nominal"))]
        return [among, *parts] if all(parts) else [among]

    def _tries(self, schema: Schema, among: tuple[str, ...]) -> list[tuple[tuple[str, ...], float]]:
        return [(names, noise) for noise in self.noise for names in self._known(schema, among)]

    def inquire(self, scope: PairScope) -> Inquiry[Measurement]:
        if everybody_is_asked(scope):
            return (yield from super().inquire(scope))
        return (yield from self._asked(scope))

    def _measure(self, pair: Pair) -> Measurement:
        scenarios: list[Json] = []
        tries = self._tries(pair.original.schema, pair.names)
        blurred = {noise: self._blurred(pair, noise) for noise in self.noise}
        for names, noise in track(tries, "attacking", len(tries)):
            linker = DistanceLinkage(attributes=list(names))
            direction, both = worse(linker.link_both(blurred[noise], pair.masked, engine=pair.engine, second=False))
            scenarios.append(_scenario(names, noise, direction, both[direction]))
        return self._told(scenarios)

    def _asked(self, scope: PairScope) -> Inquiry[Measurement]:
        """Look for some records among everybody, each of whom is known as inexactly as blocks bring him along."""
        schemas = (scope.before, scope.after)
        numbers = scope.before.of_scale("numeric", among=scope.names)
        answers = yield Together((PairSample(scope.names, SAMPLE, scope.n), SpreadOf(numbers)))
        drawn, spreads = answers.statistics
        before, after = drawn.tables()
        deviation = dict(zip(numbers, spreads.first.deviation.tolist(), strict=True))
        deviations = tuple(deviation.get(name, 0.0) for name in scope.names)
        blurs = {noise: Blur(scope.names, deviations, noise, self.random_state) for noise in self.noise}
        nothing = BothSpreads(*(Spread.of(np.empty((0, 0))),) * 2)
        known = (yield BlurredSpread(numbers, tuple(blurs.values()))).spreads if numbers else {}
        tries = self._tries(scope.before, scope.names)
        searches: list[tuple[BlurredSearch, DistanceSearch]] = []
        for names, noise in tries:
            columns = [numbers.index(name) for name in scope.before.of_scale("numeric", among=names)]
            both = known.get(noise, nothing)
            spread = BothSpreads(both.first.of_columns(columns), both.second.of_columns(columns))
            measured = yardstick(DistanceLinkage.__name__, schemas, spread, names)
            people = blurs[noise].of(before, drawn.positions, scope.names)
            search = DistanceSearch(measured, after)
            searches.append((BlurredSearch(search, blurs[noise]), DistanceSearch(measured, people, of_release=False)))
        nearest = (yield Together(tuple(one for two in searches for one in two))).statistics
        scenarios: list[Json] = []
        for place, ((names, noise), (of_release, of_original)) in enumerate(zip(tries, searches, strict=True)):
            linked = {
                "release": nearest[2 * place].evaluate(of_release.own(of_original.asked)),
                "original": nearest[2 * place + 1].evaluate(of_original.own(after)),
            }
            direction = max(DIRECTIONS, key=lambda name: linked[name].rate)
            scenarios.append(_scenario(names, noise, direction, linked[direction]))
        return self._told(scenarios, (len(before), scope.n))

    def _told(self, scenarios: list[Json], asked: tuple[int, int] | None = None) -> Measurement:
        """Return the measurement; `asked` are the records that were looked for, of how many, where not everybody."""
        best = max(scenarios, key=lambda one: one["percent"])
        least = min(scenarios, key=lambda one: one["percent"])
        sentence = (
            f"Of {len(scenarios)} intruders the most successful, who knows {len(best['known'])} keys with an error of "
            f"{best['noise']:g}, re-identifies {best['percent']:.1f} % of the records; the least successful finds "
            f"{least['percent']:.1f} %, guessing {best['chance_percent']:.2f} %."
        )
        details: Json = {"scenarios": scenarios}
        if asked is not None and asked[0] < asked[1]:
            low, high = best["interval_percent"]
            details |= {"exact": False}
            sentence += (
                f" The rate is between {low:.1f} and {high:.1f} % with 95 % confidence. Compared: a sample of "
                f"{asked[0]} of {asked[1]} records, each with everybody."
            )
        return self.result(min(best["percent"], 100.0), sentence, details=details)

    def _blurred(self, pair: Pair, noise: float) -> Microdata:
        """Return what an intruder knows whose knowledge is off by `noise`; errors follow the values of a record."""
        if noise == 0:
            return pair.original
        values: dict[str, Any] = {}
        for stream, name in enumerate(pair.names):
            encoded = pair.original.encoded(name)
            draws = record_draws(pair, pair.names, self.random_state, 2 * stream)
            if pair.original.schema[name].scale.kind == "numeric":
                values[name] = wrong_numbers(encoded, float(np.nanstd(encoded)), noise, draws)
                continue
            size = len(cast("Categorical", pair.original.schema[name].scale))
            other = record_draws(pair, pair.names, self.random_state, 2 * stream + 1)
            values[name] = wrong_levels(encoded, size, noise, draws, other)
        return pair.original.replacing(values)


def _scenario(names: Sequence[str], noise: float, direction: str, linked: Linked) -> Json:
    low, high = linked.interval()
    return {
        "known": list(names),
        "noise": float(noise),
        "direction": direction,
        "percent": 100.0 * linked.rate,
        "interval_percent": [100.0 * low, 100.0 * high],
        "chance_percent": 100.0 * linked.chance / linked.n,
    }
