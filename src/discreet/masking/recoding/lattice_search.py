"""The search for the best generalisation: every step of every attribute, together, under a limit of suppression."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from discreet.errors import DataError
from discreet.kernels.generalising.class_rules import PROFIT, PROFIT_OF_PEOPLE, UNIQUES
from discreet.kernels.generalising.judged import Rules, judge
from discreet.kernels.generalising.node_walk import (
    ADDITIVE,
    AMBIGUITY,
    CLASS_SIZE,
    DISCERNIBILITY,
    DIVERGENCE,
    PAYOUT,
    SUPPRESSED,
    climb,
    list_nodes,
    node_value,
    walk,
)
from discreet.kernels.generalising.rolled import ClassTables, Ladders, Workspace
from discreet.masking.recoding.explored_lattice import ExploredLattice
from discreet.masking.recoding.tagged_search import MOST_NODES, TaggedSearch
from discreet.models.privacy_model import Demand
from discreet.progress import report
from discreet.typing import BoolArray, FloatArray, IntArray

__all__ = ["OBJECTIVES", "KeyLadder", "LatticeSearch", "SearchOutcome", "SensitiveColumn"]

OBJECTIVES: dict[str, int] = {
    "loss": ADDITIVE,
    "precision": ADDITIVE,
    "entropy": ADDITIVE,
    "discernibility": DISCERNIBILITY,
    "class-size": CLASS_SIZE,
    "kl": DIVERGENCE,
    "ambiguity": AMBIGUITY,
    "payout": PAYOUT,
}
"""What is made least; see :class:`discreet.masking.recoding.generalisation.Generalisation`."""

_FIRST = 2
"""The code of an attribute's first value; 0 is the missing value and 1 the mark of a suppressed record."""
_WORD = 62
_TURNS = 256


@dataclass(frozen=True, eq=False)
class KeyLadder:
    """A key and its hierarchy, as numbers.

    Attributes
    ----------
    name : str
    codes : (n,) int64
        The leaf of every record; −1 where it is missing.
    groups : (steps + 1, leaves) int64
        The group of every leaf at every step; at step 0 each is its own.
    people : (N,) int64, optional
        The leaf of everybody in the population.
    """

    name: str
    codes: IntArray
    groups: IntArray
    people: IntArray | None = None

    @property
    def height(self) -> int:
        return int(self.groups.shape[0]) - 1

    @property
    def leaves(self) -> int:
        return int(self.groups.shape[1])


@dataclass(frozen=True, eq=False)
class SensitiveColumn:
    """A confidential attribute: the value of every record, how many values there are, and its tree, if it has one.

    `shares` are those of the whole table where the records are a part of it.
    """

    codes: IntArray
    size: int
    tree: IntArray | None = None
    shares: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class SearchOutcome:
    """What a search came to.

    Attributes
    ----------
    levels : dict of str to int
        The step of every attribute.
    value : float
        The objective there.
    suppressed : (n,) bool
        The records that are not released as generalised.
    nodes, visited, feasible, bounded, hopeless : int
        Nodes of the lattice; looked at; of these within the limit; left out because no such node can be better, and
        because no such node can be within the limit.
    finished : bool
        Whether every node was looked at or left out.
    bound : float
        No node has a lower value.
    """

    levels: dict[str, int]
    value: float
    suppressed: BoolArray
    nodes: int
    visited: int
    feasible: int
    bounded: int
    hopeless: int
    finished: bool
    bound: float


@dataclass(eq=False)
class LatticeSearch:
    """A table on the lattice of its generalisations.

    Parameters
    ----------
    ladders : sequence of KeyLadder
    demands : sequence of Demand
    sensitive : dict of str to SensitiveColumn
    objective : str
    limit : int
        The most records that may be suppressed.
    stays : bool
        Whether suppressed records stay in the file, fully generalised, and are counted there.
    steadfast : bool
        Whether the records to suppress only become fewer by generalising.
    importance : dict of str to float
        The weight of an attribute in the objectives that add up cells.
    whole : int, optional
        How many records the whole table has where these are a part of it.

    Notes
    -----
    Different records are counted once. A node costs what the node before it had classes; memory is one table of the
    different records an attribute.
    """

    ladders: Sequence[KeyLadder]
    demands: Sequence[Demand]
    sensitive: Mapping[str, SensitiveColumn]
    objective: str = "loss"
    limit: int = 0
    stays: bool = False
    steadfast: bool = False
    importance: Mapping[str, float] = field(default_factory=dict)
    whole: int | None = None

    def __post_init__(self) -> None:
        self.n = int(self.ladders[0].codes.size)
        # The walk keeps coarse tables longest where attributes with many steps come first.
        self.ladders = sorted(self.ladders, key=lambda ladder: -self._shrinks(ladder))
        self.names = [ladder.name for ladder in self.ladders]
        self.steps = _packed_ladders(self.ladders, self.objective, self.importance, _game(self.demands))
        self._fill()
        whole = self.n if self.whole is None else self.whole
        self.rules = _rules(self.demands, self.names, self.steps.fields, self.sensitive, whole, self.words)

    @staticmethod
    def _shrinks(ladder: KeyLadder) -> float:
        """Return how much an attribute tells records apart that its first step does not."""
        if ladder.height == 0:
            return 0.0
        present = ladder.codes[ladder.codes >= 0]
        fine = np.bincount(present, minlength=ladder.leaves)
        coarse = np.bincount(ladder.groups[1][present], minlength=ladder.leaves)
        return _entropy(fine) - _entropy(coarse)

    # ------------------------------------------------------------------------------------------------- preparation

    def _fill(self) -> None:
        """Count the different records into the first table."""
        fields = self.steps.fields
        self.words = int(fields[:, 0].max()) + 1
        keys = self._packed([ladder.codes for ladder in self.ladders])
        people = [ladder.people for ladder in self.ladders if ladder.people is not None]
        weights = np.ones(self.n, dtype=np.int64)
        population = np.zeros(self.n, dtype=np.int64)
        if people:
            other = self._packed(people)
            keys = np.concatenate([keys, other])
            weights = np.concatenate([weights, np.zeros(len(other), dtype=np.int64)])
            population = np.concatenate([population, np.ones(len(other), dtype=np.int64)])
        different, place = _different(keys)
        self.place = place[: self.n]
        d, m, s = len(different), len(self.ladders), len(self.sensitive)
        widest = max([column.size for column in self.sensitive.values()], default=1)
        cells = [np.unique(self.place * column.size + column.codes, return_counts=True) for column in self._columns()]
        entries = max([pairs.size for pairs, _ in cells], default=0)
        tables = m + 2
        self.tables = ClassTables(
            keys=np.empty((tables, d, self.words), dtype=np.int64),
            sizes=np.empty((tables, d), dtype=np.int64),
            people=np.empty((tables, d), dtype=np.int64),
            starts=np.empty((tables, s, d + 1), dtype=np.int64),
            values=np.empty((tables, s, entries), dtype=np.int32),
            counts=np.empty((tables, s, entries), dtype=np.int64),
            filled=np.zeros(tables, dtype=np.int64),
        )
        self.tables.keys[0], self.tables.filled[0] = different, d
        self.tables.sizes[0] = np.bincount(place, weights=weights, minlength=d).astype(np.int64)
        self.tables.people[0] = np.bincount(place, weights=population, minlength=d).astype(np.int64)
        for number, (column, (pairs, counts)) in enumerate(zip(self._columns(), cells, strict=True)):
            rows = pairs // column.size
            self.tables.starts[0, number] = np.searchsorted(rows, np.arange(d + 1))
            self.tables.values[0, number, : pairs.size] = pairs % column.size
            self.tables.counts[0, number, : pairs.size] = counts
        if self.objective == "kl":
            sizes = self.tables.sizes[0][self.tables.sizes[0] > 0]
            self.steps.margins[0, 0] = float((sizes * np.log2(sizes)).sum())
        slots = 4
        while slots < 2 * d:
            slots *= 2
        self.work = Workspace(
            raised=np.empty((d, self.words), dtype=np.int64),
            slots=np.empty(slots, dtype=np.int64),
            heads=np.empty(d, dtype=np.int64),
            labels=np.empty(d, dtype=np.int64),
            order=np.empty(d, dtype=np.int64),
            ends=np.empty(d + 1, dtype=np.int64),
            cursors=np.empty(d + 1, dtype=np.int64),
            tally=np.zeros(widest, dtype=np.int64),
            figures=np.zeros(widest),
            spare_values=np.empty(entries, dtype=np.int32),
            spare_counts=np.empty(entries, dtype=np.int64),
            dead=np.zeros(d, dtype=np.bool_),
            doomed=np.zeros(d, dtype=np.bool_),
        )

    def _columns(self) -> list[SensitiveColumn]:
        return list(self.sensitive.values())

    def _packed(self, columns: Sequence[IntArray]) -> IntArray:
        keys = np.zeros((columns[0].size, self.words), dtype=np.int64)
        for (word, shift, _), column in zip(self.steps.fields.tolist(), columns, strict=True):
            keys[:, word] |= np.where(column < 0, 0, column + _FIRST).astype(np.int64) << shift
        return keys

    @property
    def nodes(self) -> int:
        """How many nodes the lattice has."""
        return int(np.prod([float(h + 1) for h in self.steps.heights]))

    @property
    def dearest(self) -> float:
        """What a suppressed record costs."""
        weights = _weights(self.ladders, self.importance)
        if self.objective == "entropy":
            return float(sum(weights) * np.log2(self.n))
        if OBJECTIVES[self.objective] in (DIVERGENCE, AMBIGUITY):
            return float(sum(np.log2(one.leaves + bool((one.codes < 0).any())) for one in self.ladders))
        return 1.0

    # ------------------------------------------------------------------------------------------------------ search

    def _node(self, levels: IntArray) -> tuple[float, int]:
        """Return the value of a node and how many records it suppresses: −1 where these are too many."""
        table, objective = len(self.names) + 1, OBJECTIVES[self.objective]
        climb(self.steps, self.tables, 0, table, np.zeros_like(levels), levels, self.work)
        lost = judge(self.steps, self.rules, self.tables, table, levels, self.limit, self.stays, self.work)
        if lost < 0:
            return np.inf, -1
        return node_value(
            objective, self.steps, self.tables, table, levels, self.n, self.dearest, lost > 0, self.work
        ), lost

    def judged(self, levels: Mapping[str, int]) -> tuple[float, BoolArray] | None:
        """Return the value of a node and which records it suppresses; None where these are too many."""
        chosen = np.array([levels[name] for name in self.names], dtype=np.int64)
        value, lost = self._node(chosen)
        return None if lost < 0 else (self._scaled(value), self._dead_records(chosen, len(self.names) + 1))

    def _dead_records(self, levels: IntArray, table: int) -> BoolArray:
        """Return which records are in a suppressed class of a table."""
        count = int(self.tables.filled[table])
        keys = self._packed([one.groups[step][one.codes] for one, step in zip(self.ladders, levels, strict=True)])
        for one, (word, shift, mask) in zip(self.ladders, self.steps.fields.tolist(), strict=True):
            keys[one.codes < 0, word] &= ~(mask << shift)
        dead = {key.tobytes() for key in self.tables.keys[table][:count][self.work.dead[:count]]}
        different, place = _different(keys)
        return np.array([key.tobytes() in dead for key in different], dtype=np.bool_)[place]

    def run(
        self, visits: int, seconds: float | None = None, *, bounded: bool = True, label: str = ""
    ) -> SearchOutcome | None:
        """Search the lattice; None where no node is within the limit.

        Parameters
        ----------
        visits : int
            Nodes to look at, at most; the search then ends with the best so far.
        seconds : float, optional
            A time to end after.
        bounded : bool
            Whether branches are left out; the result is the same without.
        label : str
            How progress is called.
        """
        # Where bounds must be counted, rolling up from node to node is faster than leaping between them.
        marked = self.nodes <= MOST_NODES and OBJECTIVES[self.objective] == ADDITIVE
        if bounded and self.steadfast and marked:
            return self._run_tagged(visits, seconds, label)
        m = len(self.names)
        objective = OBJECTIVES[self.objective]
        levels, owners = np.zeros(m, dtype=np.int64), np.zeros(m + 1, dtype=np.int64)
        progress, best = np.zeros(6, dtype=np.int64), np.array([np.inf, 0.0])
        progress[1] = m - 1
        best_levels = np.full(m, -1, dtype=np.int64)
        if bounded:
            self._descend(best, best_levels)
        started, finished = time.monotonic(), False
        while not finished:
            turns = max(1, min(_TURNS, visits - int(progress[2])))
            finished = walk(
                objective,
                self.steps,
                self.rules,
                self.tables,
                self.n,
                self.dearest,
                self.limit,
                self.stays,
                bounded,
                bounded and self.steadfast,
                turns,
                levels,
                owners,
                progress,
                best,
                best_levels,
                self.work,
            )
            if label:
                report(label, int(progress[2] + progress[4] + progress[5]), self.nodes)
            late = seconds is not None and time.monotonic() - started > seconds
            if not finished and (progress[2] >= visits or late):
                break
        if best_levels[0] < 0:
            return None
        outcome = self.judged(dict(zip(self.names, best_levels.tolist(), strict=True)))
        assert outcome is not None  # noqa: S101 - the walk found it within the limit
        value, suppressed = outcome
        return SearchOutcome(
            levels=dict(zip(self.names, best_levels.tolist(), strict=True)),
            value=value,
            suppressed=suppressed,
            nodes=self.nodes,
            visited=int(progress[2]),
            feasible=int(progress[3]),
            bounded=int(progress[4]),
            hopeless=int(progress[5]),
            finished=finished,
            bound=value if finished else min(value, self._open_bound(levels)),
        )

    def _run_tagged(self, visits: int, seconds: float | None, label: str) -> SearchOutcome | None:
        """Search where a node that fails rules out all finer ones."""
        tagged = TaggedSearch(self)
        finished = tagged.run(visits, seconds, label)
        if tagged.best_levels is None:
            return None
        levels = dict(zip(self.names, tagged.best_levels.tolist(), strict=True))
        outcome = self.judged(levels)
        assert outcome is not None  # noqa: S101 - it was found within the limit
        value, suppressed = outcome
        return SearchOutcome(
            levels=levels,
            value=value,
            suppressed=suppressed,
            nodes=self.nodes,
            visited=tagged.visited,
            feasible=tagged.feasible,
            bounded=tagged.bounded,
            hopeless=tagged.hopeless,
            finished=finished,
            bound=value if finished else self._scaled(tagged.bound()),
        )

    def _descend(self, best: FloatArray, best_levels: IntArray) -> None:
        """Find a first node to beat: down from the coarsest, always to the best node one step finer."""
        levels = self.steps.heights.copy()
        value, lost = self._node(levels)
        while lost >= 0:
            if value < best[0]:
                best[0], best[1] = value, lost
                best_levels[:] = levels
            nearest: tuple[float, int, IntArray] | None = None
            for a in np.flatnonzero(levels > 0).tolist():
                finer = levels.copy()
                finer[a] -= 1
                trial, more_lost = self._node(finer)
                if more_lost >= 0 and (nearest is None or trial < nearest[0]):
                    nearest = (trial, more_lost, finer)
            if nearest is None or nearest[0] > value:
                return
            value, lost, levels = nearest

    def _open_bound(self, levels: IntArray) -> float:
        """Return what no node that was not looked at can be below: the least of the branches that are still open."""
        lowest = np.inf
        for a in range(levels.size):
            if levels[a] < self.steps.heights[a]:
                node = [*levels[:a].tolist(), int(levels[a]) + 1, *([0] * (levels.size - a - 1))]
                lowest = min(lowest, self._unsuppressed(np.array(node, dtype=np.int64)))
        return lowest

    def _unsuppressed(self, levels: IntArray) -> float:
        table = len(self.names) + 1
        climb(self.steps, self.tables, 0, table, np.zeros_like(levels), levels, self.work)
        objective = OBJECTIVES[self.objective]
        objective = ADDITIVE if objective == PAYOUT else objective
        return self._scaled(
            node_value(objective, self.steps, self.tables, table, levels, self.n, self.dearest, False, self.work)
        )

    def survey(self, visits: int, seconds: float | None = None, label: str = "") -> ExploredLattice:
        """Look at every node, whatever it would suppress; the first `visits` of them where there are more."""
        m, started = len(self.names), time.monotonic()
        levels, owners = np.zeros(m, dtype=np.int64), np.zeros(m + 1, dtype=np.int64)
        progress = np.zeros(6, dtype=np.int64)
        progress[1] = m - 1
        nodes = min(visits, self.nodes)
        steps = np.empty((nodes, m), dtype=np.int64)
        suppressed, values = np.empty(nodes, dtype=np.int64), np.empty(nodes)
        looked = 0
        while looked < nodes and (seconds is None or time.monotonic() - started <= seconds):
            some = slice(looked, min(looked + _TURNS, nodes))
            looked += list_nodes(
                OBJECTIVES[self.objective],
                self.steps,
                self.rules,
                self.tables,
                self.n,
                self.dearest,
                self.stays,
                levels,
                owners,
                progress,
                steps[some],
                suppressed[some],
                values[some],
                self.work,
            )
            if label:
                report(label, looked, self.nodes)
        values = np.where(suppressed >= 0, values / self._norm(), np.nan)
        return ExploredLattice(
            names=tuple(self.names),
            heights=tuple(self.steps.heights.tolist()),
            steps=steps[:looked],
            suppressed=suppressed[:looked],
            values=values[:looked],
            objective=self.objective,
            limit=self.limit,
            n=self.n,
        )

    def nearest_miss(self, visits: int) -> tuple[dict[str, int], int] | None:
        """Return the node that would suppress fewest records, and how many; None where none releases anything."""
        m = len(self.names)
        progress, best, best_levels = np.zeros(6, dtype=np.int64), np.array([np.inf, 0.0]), np.full(m, -1, np.int64)
        progress[1] = m - 1
        levels, owners = np.zeros(m, dtype=np.int64), np.zeros(m + 1, dtype=np.int64)
        finished = False
        while not finished and progress[2] < visits:
            finished = walk(
                SUPPRESSED,
                self.steps,
                self.rules,
                self.tables,
                self.n,
                self.dearest,
                self.n,
                self.stays,
                False,
                False,
                _TURNS,
                levels,
                owners,
                progress,
                best,
                best_levels,
                self.work,
            )
        if best_levels[0] < 0:
            return None
        return dict(zip(self.names, best_levels.tolist(), strict=True)), int(best[1])

    def _norm(self) -> float:
        if self.objective == "entropy":
            weights = _weights(self.ladders, self.importance)
            most = 0.0
            for weight, one in zip(weights, self.ladders, strict=True):
                counts = np.unique(one.codes, return_counts=True)[1]
                most += weight * float((counts * (np.log2(self.n) - np.log2(counts))).sum())
            return most or 1.0
        return 1.0 if OBJECTIVES[self.objective] in (DISCERNIBILITY, CLASS_SIZE) else float(self.n)

    def _scaled(self, value: float) -> float:
        return float(value) / self._norm()


def _different(keys: IntArray) -> tuple[IntArray, IntArray]:
    """Return the different rows, and which each row is."""
    if keys.shape[1] == 1:
        different, place = np.unique(keys[:, 0], return_inverse=True)
        return different[:, None], place
    different, place = np.unique(keys, axis=0, return_inverse=True)
    return different, place.ravel()


def _entropy(counts: IntArray) -> float:
    share = counts[counts > 0] / counts.sum()
    return float(-(share * np.log2(share)).sum())


def _weights(ladders: Sequence[KeyLadder], importance: Mapping[str, float]) -> list[float]:
    weights = [float(importance.get(ladder.name, 1.0)) for ladder in ladders]
    return [weight / sum(weights) for weight in weights]


def _game(demands: Sequence[Demand]) -> FloatArray:
    """Return what the models say of costs and gains: of a record that is found, and of how many guesses deter."""
    for demand in demands:
        if demand.kind in (PROFIT, PROFIT_OF_PEOPLE):
            return np.array([demand.first, demand.second, float(demand.kind == PROFIT_OF_PEOPLE)])
    return np.zeros(3)


def _packed_ladders(
    ladders: Sequence[KeyLadder], objective: str, importance: Mapping[str, float], game: FloatArray
) -> Ladders:
    """Lay out the codes of every step, and what a cell costs there."""
    m, steps = len(ladders), max(ladder.height for ladder in ladders) + 1
    fields = np.zeros((m, 3), dtype=np.int64)
    offsets, margins = np.zeros((m, steps + 1), dtype=np.int64), np.zeros((m, steps + 1))
    upward: list[IntArray] = []
    price: list[FloatArray] = []
    content: list[FloatArray] = []
    information = float(sum(np.log2(ladder.leaves) for ladder in ladders)) or 1.0
    tops = np.ones(m, dtype=np.int64)
    word, shift, used = 0, 0, 0
    weights = _weights(ladders, importance)
    for a, ladder in enumerate(ladders):
        bits = int(ladder.leaves + _FIRST).bit_length()
        if bits > _WORD:
            raise DataError(f"The hierarchy of {ladder.name!r} has too many leaves.")
        if shift + bits > _WORD:
            word, shift = word + 1, 0
        fields[a] = word, shift, (1 << bits) - 1
        shift += bits
        frequencies = np.bincount(ladder.codes[ladder.codes >= 0], minlength=ladder.leaves)
        absent = int((ladder.codes < 0).sum())
        for step in range(ladder.height + 1):
            groups = ladder.groups[step]
            size = int(groups.max()) + 1
            offsets[a, step] = used
            mapping = np.arange(size + _FIRST)
            if step < ladder.height:
                mapping[_FIRST + groups] = _FIRST + ladder.groups[step + 1]
            cost = np.zeros(size + _FIRST)
            covered = np.bincount(groups, minlength=size)
            counts = np.bincount(groups, weights=frequencies, minlength=size)
            content.append(np.concatenate([[0.0, np.log2(ladder.leaves)], np.log2(covered)]) / information)
            if objective == "loss":
                cost[_FIRST:] = weights[a] * (covered - 1) / max(ladder.leaves - 1, 1)
            elif objective == "precision":
                cost[_FIRST:] = weights[a] * step / max(ladder.height, 1)
            elif objective == "entropy":
                cost[0] = weights[a] * np.log2(max(absent, 1))
                cost[_FIRST:] = weights[a] * np.log2(np.maximum(counts, 1))
                own = frequencies[frequencies > 0]
                margins[a, step] = float((counts * cost[_FIRST:]).sum() - weights[a] * (own * np.log2(own)).sum())
            elif objective in ("kl", "ambiguity"):
                cost[_FIRST:] = np.log2(covered)
            elif objective == "payout":
                cost = content[-1]
            if objective in ("loss", "precision", "payout"):
                margins[a, step] = float((counts * cost[_FIRST:]).sum())
            upward.append(mapping)
            price.append(cost)
            used += size + _FIRST
        offsets[a, ladder.height + 1 :] = used
        if ladder.groups[-1].max() == 0 and ladder.height > 0:
            tops[a] = _FIRST
    heights = np.array([ladder.height for ladder in ladders], dtype=np.int64)
    margins = np.maximum(margins, 0.0)
    return Ladders(
        fields,
        heights,
        np.concatenate(upward),
        offsets,
        np.concatenate(price),
        margins,
        tops,
        np.concatenate(content),
        game,
    )


def _rules(
    demands: Sequence[Demand],
    names: Sequence[str],
    fields: IntArray,
    sensitive: Mapping[str, SensitiveColumn],
    n: int,
    words: int,
) -> Rules:
    columns = np.array([[name in demand.columns for name in names] for demand in demands], dtype=np.bool_)
    masks = np.zeros((len(demands), words), dtype=np.int64)
    for r in range(len(demands)):
        for a, (word, shift, mask) in enumerate(fields.tolist()):
            if columns[r, a]:
                masks[r, word] |= mask << shift
    order = list(sensitive)
    widest = max([column.size for column in sensitive.values()], default=1)
    depth = max([len(column.tree) for column in sensitive.values() if column.tree is not None], default=1)
    shares = np.zeros((max(len(order), 1), widest))
    trees = np.zeros((max(len(order), 1), depth, widest), dtype=np.int64)
    steps = np.ones(max(len(order), 1), dtype=np.int64)
    for number, column in enumerate(sensitive.values()):
        own = np.bincount(column.codes, minlength=column.size) / n
        shares[number, : column.size] = own if column.shares is None else column.shares
        if column.tree is not None:
            trees[number, : len(column.tree), : column.size] = column.tree
            steps[number] = len(column.tree)
    # Sizes are judged first: what they suppress need not be looked at any closer.
    ranks = sorted(range(len(demands)), key=lambda r: (demands[r].sensitive is not None, not columns[r].all()))
    demands, columns, masks = [demands[r] for r in ranks], columns[ranks], masks[ranks]
    return Rules(
        kinds=np.array([demand.kind for demand in demands], dtype=np.int64),
        low=np.array([demand.low for demand in demands], dtype=np.float64),
        high=np.array([demand.high for demand in demands], dtype=np.float64),
        first=np.array([d.first * n if d.kind == UNIQUES else d.first for d in demands], dtype=np.float64),
        columns=columns,
        masks=masks,
        sensitive=np.array([-1 if d.sensitive is None else order.index(d.sensitive) for d in demands], dtype=np.int64),
        shares=shares,
        sizes=np.array([column.size for column in sensitive.values()] or [1], dtype=np.int64),
        trees=trees,
        steps=steps,
    )
