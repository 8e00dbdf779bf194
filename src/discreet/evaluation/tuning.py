"""Tuning: a good candidate with far fewer experiments than the grid has.

Of single maskers, a forest of trees learns from the experiments that were made how parameters bear on the result, and
proposes those from which the most is to be expected: where the prediction is good, or the trees disagree. Chains, and
any candidates under a time or several thresholds, are judged on samples of records first
(:mod:`~discreet.evaluation.halving`).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from discreet.contracts.intruder import Intruder
from discreet.contracts.masker import Masker
from discreet.contracts.measure import Measure
from discreet.contracts.stepwise import StepwiseMasking
from discreet.data.microdata import microdata
from discreet.data.schema import Schema
from discreet.errors import DataError, MissingExtraError, ParameterError, door
from discreet.evaluation.crew import Crew
from discreet.evaluation.experiment import Candidate, Experiment, plan
from discreet.evaluation.halved_tuning import HalvingSearch
from discreet.evaluation.halving import Deadline, Rung
from discreet.evaluation.limits import check_constraints, choose, misses
from discreet.evaluation.row_store import RowStore, open_store, study_seed
from discreet.evaluation.study import Study, check_sets, fingerprint, measures_for, scoring_of, unmasked_files
from discreet.masking.microaggregation.numbers.refinement import check_budget
from discreet.progress import report
from discreet.stopping import absorb_interrupt, stoppable
from discreet.typing import BoolArray, FloatArray, IntArray, Json

__all__ = ["Tuned", "tune"]

_SHARE = 0.05
_LEAST = 24
_FIRST, _MOST_FIRST = 0.3, 0.6  # of the budget, spent before anything is learned
_MOST_WHOLE = 0.25  # of the budget, for methods with few settings, which are tried whole
_SHORT = 32
_BATCHES = 12
_TREES = 50
_MANY = 60  # results from which on leaves may be larger, which evens out what seeds alone do
_PENALTY = 4.0  # what a point of risk above the ceiling counts for, in points of loss


@dataclass(frozen=True, repr=False)
class Tuned:
    """What was found, and every experiment on the way.

    Attributes
    ----------
    study : Study
        The experiments that were made; it answers everything a study answers.
    masker : Masker or Chain
        The candidate to release with, with the seed of a draw that was measured.
    best : dict
        Its score, risk and loss, with the range over repetitions.
    space : int
        How many candidates there were to choose from.
    thresholds : dict of str to float
        What was asked for.
    misses : tuple of str
        What the candidate misses of that, where none meets everything and this one came nearest.
    tried : tuple of dict
        What became of every candidate that was looked at, and on how many records.
    rungs : tuple of Rung
        How many candidates were judged on how many records.
    records : int
        How many records the figures of `best` are of; fewer than the file has only where the search was stopped early.
    """

    study: Study
    masker: Candidate
    best: Json
    space: int
    thresholds: Mapping[str, float] = field(default_factory=dict)
    misses: tuple[str, ...] = ()
    tried: tuple[Json, ...] = ()
    rungs: tuple[Rung, ...] = ()
    records: int = 0

    @property
    def met(self) -> bool:
        """Whether the candidate meets every threshold."""
        return not self.misses

    @property
    def experiments(self) -> int:
        """How many experiments were made."""
        return len(self.study)

    def __repr__(self) -> str:
        return (
            f"Tuned({self.best['label']}: score {self.best['score']:.2f}, risk {self.best['risk']:.2f}, "
            f"loss {self.best['loss']:.2f}; {self.experiments} experiments for {self.space} candidates)"
        )


@door
@stoppable()
def tune(
    data: Any,
    space: Sequence[Candidate],
    *,
    schema: Schema | None = None,
    attributes: Sequence[str] | None = None,
    risk_at_most: float | None = None,
    loss_at_most: float | None = None,
    thresholds: Mapping[str, float] | None = None,
    budget: int | str | None = None,
    repetitions: int = 1,
    measures: Sequence[str | Measure] | None = None,
    random_state: int | None = None,
    workers: int | None = None,
    store: str | os.PathLike[str] | None = None,
    resume: bool = False,
    score: str = "worst-case",
    scenarios: Sequence[Intruder] = (),
) -> Tuned:
    """Find a good candidate of a large grid with few experiments.

    Parameters
    ----------
    data : Microdata or frame
    space : list of Masker or Chain
        All candidates, made with :func:`~discreet.evaluation.candidates.grid` or
        :func:`~discreet.release.alternatives.chains`, and joined with ``+``.
    schema : Schema, optional
        For a plain frame.
    attributes : list of str, optional
        Which keys the file has; by default all.
    risk_at_most : float, optional
        A ceiling on risk: the candidate that loses least under it is looked for, instead of that with the best score.
    loss_at_most : float, optional
        A ceiling on loss, which the candidate must keep too.
    thresholds : mapping of str to float, optional
        Any that a protocol may have: ``smallest_group``, ``<measure>_at_most``. The candidate that loses least among
        those that meet all is looked for.
    budget : int or str, optional
        The most experiments; by default a twentieth of the grid, 24 at least. Or a time such as ``"5m"``: then results
        depend on the speed of the machine. An experiment that has begun is finished.
    repetitions : int
        How often a candidate with draws is run with another seed; each run counts against the budget.
    measures, random_state, workers, store, resume, score, scenarios
        As in :func:`~discreet.evaluation.study.compare`.

    Returns
    -------
    Tuned

    Notes
    -----
    First a part of the budget is drawn at random, some of every method. Then, batch after batch, a random forest is
    fitted to the results, and the candidates with the largest expected improvement over the best so far are run, with a
    few drawn at random so that no corner is ruled out by chance. An experiment has the seed that it has in the full
    grid, so that both give the same rows, and results do not depend on `workers`.

    Where there are chains, a time, or thresholds beside one on risk: successive halving. Where the budget does not
    allow all candidates on the whole file, they are judged on a sample of records; a quarter goes on to four times as
    many records, and so on. An experiment on a part of the records counts as that part. Figures of a sample choose who
    goes on and are never those of `best`. On the whole file a candidate is left as soon as its loss, or what looking
    for equal keys finds, shows that it cannot be the best. Where nobody meets all thresholds, the one that comes
    nearest is returned, and `misses` says by what.

    References
    ----------
    Jamieson and Talwalkar (2016), Non-stochastic best arm identification and hyperparameter optimization.

    Hutter, Hoos and Leyton-Brown (2011), Sequential model-based optimization for general algorithm configuration.

    Examples
    --------
    >>> from discreet.datasets import business
    >>> from discreet.evaluation.candidates import grid
    >>> from discreet.masking.microaggregation.numbers.mdav import MDAV
    >>> names = ["il1s", "distance-linkage"]
    >>> tuned = tune(business(60), grid(MDAV, k=range(2, 20)), budget=6, risk_at_most=25, measures=names)
    >>> tuned.best["risk"] <= 25, tuned.experiments
    (True, 6)
    """
    table = microdata(data, schema)
    keys = {"all keys" if attributes is None else "keys": attributes or table.schema.keys}
    limits = dict(thresholds or {})
    limits |= {"risk_at_most": risk_at_most} if risk_at_most is not None else {}
    limits |= {"loss_at_most": loss_at_most} if loss_at_most is not None else {}
    check_constraints("tune", limits)
    seconds = check_budget("tune", budget) if isinstance(budget, str) else None
    limit = _checked(space, None if isinstance(budget, str) else budget, repetitions, random_state)
    check_sets("tune", keys, table.schema)
    measure_list = measures_for(measures, table.schema)
    seed = study_seed(random_state, store, resume=resume)
    scoring = scoring_of("tune", score, scenarios, measures, limits)
    single = [masker for masker in space if isinstance(masker, Masker)]
    if seconds is not None or len(single) < len(space) or set(limits) - {"risk_at_most"}:
        name, names = next(iter(keys.items()))
        halving = HalvingSearch(
            table, space, (name, names), limits, scoring, measure_list, seed, repetitions, workers,
            None if seconds is not None else limit, Deadline(seconds),
        )  # fmt: skip
        halving.run(store, resume=resume)
        return _halved(halving, unmasked_files(table, keys, scoring), score)
    experiments = plan(space, keys, repetitions, seed)
    by_candidate: dict[int, list[Experiment]] = {}
    places = {id(masker): place for place, masker in enumerate(space)}
    for experiment in experiments:
        by_candidate.setdefault(places[id(experiment.masker)], []).append(experiment)
    search = _TuningSearch(single, [len(by_candidate[i]) for i in range(len(space))], limit, risk_at_most, seed)
    unmasked = unmasked_files(table, keys, scoring)
    rows: dict[int, Json] = {}
    complete = False
    with ExitStack() as stack:
        row_store: RowStore | None = None
        if store is not None:
            plan_name = fingerprint(table, experiments, measure_list, scoring)
            named = hashlib.sha256(f"{plan_name} {limit} {risk_at_most}".encode())
            row_store = stack.enter_context(open_store(store, table, named.hexdigest(), seed, resume=resume))

        def keep(finished: list[Json]) -> None:
            rows.update({row["experiment"]: row for row in finished})
            if row_store is not None:
                row_store.add(finished)
            report("experiments", len(rows), limit)

        with _answering_with_what_is_finished(), Crew(table, measure_list, workers, limit, scoring) as crew:
            while batch := search.next():
                planned = [experiment for place in batch for experiment in by_candidate[place]]
                if row_store is not None:
                    rows.update({e.number: row_store.rows[e.number] for e in planned if e.number in row_store.rows})
                report("experiments", len(rows), limit)
                crew.run([experiment for experiment in planned if experiment.number not in rows], keep)
                for place in batch:
                    search.tell(place, [rows[experiment.number] for experiment in by_candidate[place]])
            complete = True
    finished = tuple(rows[number] for number in sorted(rows))
    study = Study(finished, complete=complete, unmasked=unmasked, score=score)
    if not complete and not study.ranking():
        raise KeyboardInterrupt  # stopped before anything was finished: there is nothing to tell
    if not study.ranking():
        raise DataError(f"tune: all {len(study)} experiments failed.", hint="Try one of the candidates by itself.")
    # Stopped before one was found that meets the ceiling, the best so far is the best that there is.
    ceiling = risk_at_most
    if not complete and risk_at_most is not None and min(entry["risk"] for entry in study.ranking()) > risk_at_most:
        ceiling = None
    best = study.best(risk_at_most=ceiling)
    records = len(table)
    missed = () if ceiling == risk_at_most else misses(best, limits)
    return Tuned(study, _adopted(best, experiments, study), best, len(space), limits, missed, records=records)


def _adopted(best: Json, experiments: Sequence[Experiment], study: Study) -> Candidate:
    """Return a candidate with the seed of the draw that was measured."""
    seed = int(best["draw"]["seed"])
    own = [row for row in study.rows if row["error"] is None and row["candidate"] == best["label"]]
    number = next(int(row["experiment"]) for row in own if row["seed"] == seed)
    experiment: Experiment = experiments[number % len(experiments)]
    return experiment.prepared()


def _halved(search: HalvingSearch, unmasked: Mapping[str, Json], score: str) -> Tuned:
    """Return what a search by halving found."""
    study = Study(search.study_rows(), complete=search.complete, unmasked=unmasked, score=score)
    entries = study.ranking()
    if not entries:
        if not search.complete:
            raise KeyboardInterrupt  # stopped before anything was finished: there is nothing to tell
        why = f" The first: {study.failures[0]['error']}" if study.failures else ""
        raise DataError(f"tune: all {len(search.tried)} candidates failed.{why}", hint="Try one of them by itself.")
    choice = choose(entries, search.thresholds)
    records = next(int(row["records"]) for row in study.rows if row["candidate"] == choice.entry["label"])
    masker = _adopted(choice.entry, search.experiments, study)
    return Tuned(
        study, masker, choice.entry, len(search.space), dict(search.thresholds), choice.misses,
        tuple(search.tried.values()), tuple(search.rungs), records,
    )  # fmt: skip


@contextmanager
def _answering_with_what_is_finished() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        absorb_interrupt()


def _checked(space: Sequence[Candidate], budget: int | None, repetitions: int, random_state: int | None) -> int:
    """Refuse what cannot be; return the budget."""
    kinds = (Masker, StepwiseMasking)
    if not isinstance(space, (list, tuple)) or not space or not all(isinstance(one, kinds) for one in space):
        raise ParameterError("tune: space must be a list of maskers or chains with at least one in it.")
    if len({id(masker) for masker in space}) < len(space):
        raise ParameterError("tune: space must not list the same masker twice.")
    for name, value in (("repetitions", repetitions), ("budget", 1 if budget is None else budget)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ParameterError(f"tune: {name} must be an integer of at least 1; got {value!r}.")
    if random_state is not None and (not isinstance(random_state, int) or random_state < 0):
        raise ParameterError(f"tune: random_state must be an integer of at least 0; got {random_state!r}.")
    return budget if budget is not None else max(_LEAST, round(_SHARE * len(space)))


class _TuningSearch:
    """What to try next, and what has been learned."""

    def __init__(
        self, space: Sequence[Masker], costs: Sequence[int], budget: int, ceiling: float | None, seed: int
    ) -> None:
        self._features, self._methods = _features(space)
        self._costs = np.array(costs, dtype=np.int64)
        self._left, self._budget, self._ceiling = budget, budget, ceiling
        if int(self._costs.sum()) > budget:
            _forests()  # refused now, not after a third of the work
        # Where the budget is small, three of every method are worth more than a model of one.
        several = min(3 * int(self._costs.max()) * (int(self._methods.max()) + 1), round(_MOST_FIRST * budget))
        # Methods with few settings are tried whole where a quarter of the budget is enough: a model of them is not.
        sizes = np.bincount(self._methods)
        small = sizes[self._methods] <= _SHORT
        self._whole: BoolArray = small & (int(self._costs[small].sum()) <= _MOST_WHOLE * budget)
        more = int(self._costs[self._whole].sum())
        self._beginning = max(1, round(_FIRST * budget), several, more + several if more else 0)
        self._rng = np.random.default_rng([seed, len(space)])
        self._tried: BoolArray = np.zeros(len(space), dtype=np.bool_)
        self._results: dict[int, float] = {}

    def tell(self, place: int, rows: Sequence[Json]) -> None:
        """Learn what the experiments of a candidate gave; one that failed is worse than any that did not."""
        valid = [row for row in rows if row["error"] is None]
        if not valid:
            self._results[place] = np.inf
        elif self._ceiling is None:
            self._results[place] = float(np.mean([row["score"] for row in valid]))
        else:
            risk, loss = (float(np.mean([row[name] for row in valid])) for name in ("risk", "loss"))
            self._results[place] = loss + _PENALTY * max(0.0, risk - self._ceiling)

    def next(self) -> list[int]:
        """Return the candidates to try now; none where the budget is spent or everything was tried."""
        worked = [value for value in self._results.values() if np.isfinite(value)]
        if not self._results:
            order = self._first()
        elif len(worked) < 2:
            order = self._rng.permutation(np.flatnonzero(~self._tried))
        else:
            order = self._promising()
        quota = self._beginning if not self._results else max(1, round((self._budget - self._beginning) / _BATCHES))
        batch: list[int] = []
        for place in order:
            cost = int(self._costs[place])
            if cost > self._left or quota <= 0:
                break
            batch.append(int(place))
            self._left -= cost
            quota -= cost
        self._tried[batch] = True
        return batch

    def _first(self) -> IntArray:
        """Return all candidates, methods taking turns in proportion to the root of their numbers.

        A short list is taken from its middle and its ends inwards, a long one at random; what is tried whole is first.
        """
        keys = np.empty(self._methods.size)
        for method in np.unique(self._methods):
            own = np.flatnonzero(self._methods == method)
            own = own[_spread_out(own.size)] if own.size <= _SHORT else self._rng.permutation(own)
            keys[own] = (np.arange(own.size) + 0.5) / np.sqrt(own.size)
        return np.lexsort((np.arange(keys.size), keys, ~self._whole))

    def _promising(self) -> IntArray:
        """Return what was not tried, the most promising first, now and then one at random."""
        from scipy.special import ndtr

        open_ = np.flatnonzero(~self._tried)
        if int(self._costs[open_].sum()) <= self._left:
            return open_  # all of them will be tried, whatever the order
        places = np.array(sorted(self._results))
        results = np.array([self._results[place] for place in places])
        finite = results[np.isfinite(results)]
        results[~np.isfinite(results)] = finite.max()
        leaf = 2 if places.size < _MANY else 4
        forest = _forests()(
            _TREES, min_samples_leaf=leaf, max_features=0.7, random_state=int(self._rng.integers(2**31))
        )
        forest.fit(self._features[places], results)
        votes = np.stack([tree.predict(self._features[open_]) for tree in forest.estimators_])
        mean, spread = votes.mean(axis=0), votes.std(axis=0) + 1e-9
        # What the forest makes of the best so far: its own result may have been luck.
        z = (forest.predict(self._features[places]).min() - mean) / spread
        gain = spread * (z * ndtr(z) + np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi))
        order = open_[np.lexsort((open_, -gain))]
        chance = self._rng.permutation(order)
        mixed = np.insert(order, np.arange(5, order.size + 1, 6), chance[: len(range(5, order.size + 1, 6))])
        return mixed[np.sort(np.unique(mixed, return_index=True)[1])]


def _forests() -> Any:
    """Return what learns from results: the class of random forests, which an extra brings."""
    try:
        from sklearn.ensemble import RandomForestRegressor
    except ImportError:
        raise MissingExtraError(
            "tune: choosing among more candidates than are tried needs the library scikit-learn, which is missing.",
            hint="pip install 'discreet[learn]', or a budget that tries them all.",
        ) from None
    return RandomForestRegressor


def _spread_out(size: int) -> IntArray:
    """Return positions so that each is as far as can be from those before it; the middle comes first.

    Examples
    --------
    >>> _spread_out(9).tolist()
    [4, 0, 8, 2, 6, 1, 3, 5, 7]
    """
    order = [size // 2]
    while len(order) < size:
        gaps = np.abs(np.arange(size)[:, None] - np.array(order)[None, :]).min(axis=1)
        order.append(int(gaps.argmax()))
    return np.array(order, dtype=np.int64)


def _features(space: Sequence[Masker]) -> tuple[FloatArray, IntArray]:
    """Return a row of numbers for every candidate, and its method: numbers as they are, other values by appearance.

    A parameter of another method is one below the least of its own; one that no candidate changes is left out.
    """
    kinds = {cls: place for place, cls in enumerate(dict.fromkeys(type(masker) for masker in space))}
    methods = np.array([kinds[type(masker)] for masker in space], dtype=np.int64)
    columns: list[FloatArray] = [(methods == place).astype(np.float64) for place in kinds.values()]
    for cls, place in kinds.items():
        own = np.flatnonzero(methods == place)
        for name in cls.parameter_names():
            values = [getattr(space[int(i)], name) for i in own]
            distinct = list({repr(value): value for value in values})
            if len(distinct) < 2 or name == "random_state":
                continue
            numbers = all(isinstance(value, (int, float)) for value in values)
            codes = [float(value) if numbers else float(distinct.index(repr(value))) for value in values]
            column = np.full(len(space), min(codes) - 1.0)
            column[own] = codes
            columns.append(column)
    return np.stack(columns, axis=1), methods
