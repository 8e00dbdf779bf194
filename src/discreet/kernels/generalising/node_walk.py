"""The walk over the lattice of generalisations: every node visited once, or shown to be no better than the best.

Nodes come as an odometer counts, the last attribute fastest. The classes of a node are rolled up from those of the node
before the last step, so that a table a position of the odometer is kept and nothing is counted twice.

Why a branch may be left out. Every objective is, with nothing suppressed, at least as high at a coarser node, and
suppressing never lowers it (a suppressed record costs what a fully generalised one does). So the value of a node with
nothing suppressed bounds all nodes above it. Of a payout that attacks may lower, what the lost information is worth is
the bound. And where no record of a class that keeps the rules can lose that by generalising, a branch whose coarsest
node needs too much suppression has no node that does with less.
"""

from __future__ import annotations

import math

import numpy as np

from discreet.kernels.generalising.class_rules import expected_payout
from discreet.kernels.generalising.judged import Rules, judge
from discreet.kernels.generalising.rolled import ClassTables, Ladders, Workspace, price_of, roll_up
from discreet.kernels.jit import exact_kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import FloatArray, IntArray

__all__ = [
    "ADDITIVE",
    "AMBIGUITY",
    "CLASS_SIZE",
    "DISCERNIBILITY",
    "DIVERGENCE",
    "PAYOUT",
    "SUPPRESSED",
    "climb",
    "list_nodes",
    "node_value",
    "walk",
]

ADDITIVE, DISCERNIBILITY, CLASS_SIZE, DIVERGENCE, AMBIGUITY, SUPPRESSED, PAYOUT = 0, 1, 2, 3, 4, 5, 6


@exact_kernel
def node_value(
    objective: int,
    ladders: Ladders,
    tables: ClassTables,
    table: int,
    levels: IntArray,
    records: int,  # IN of the whole table
    dearest: float,  # IN what a suppressed record costs
    any_dead: bool,  # IN whether `work.dead` is looked at; otherwise nothing is suppressed
    work: Workspace,
) -> float:
    """Return the objective at a node; sums run in the order of the classes."""
    count = tables.filled[table]
    total = 0.0
    if objective == ADDITIVE:
        for a in range(levels.size):
            total += ladders.margins[a, levels[a]]
        if any_dead:
            for row in range(count):
                if work.dead[row] and tables.sizes[table, row] > 0:
                    saved = price_of(tables.keys[table, row], levels, ladders)
                    total += tables.sizes[table, row] * (dearest - saved)
        return total
    suppressed, classes = 0, 0
    for row in range(count):
        size = tables.sizes[table, row]
        if size == 0:
            continue
        if any_dead and work.dead[row]:
            suppressed += size
            continue
        classes += 1
        if objective == DISCERNIBILITY:
            total += float(size) * float(size)
        elif objective == DIVERGENCE:
            total += size * (price_of(tables.keys[table, row], levels, ladders) - math.log2(size))
        elif objective == PAYOUT:
            reach = tables.people[table, row] if ladders.game[2] > 0.0 else size
            lost = price_of(tables.keys[table, row], levels, ladders)
            total += size * (1.0 - expected_payout(lost, reach, ladders.game[0], ladders.game[1]))
        elif objective == AMBIGUITY:
            total += size * 2.0 ** price_of(tables.keys[table, row], levels, ladders)
    if objective == DISCERNIBILITY:
        return total + float(suppressed) * float(records)
    if objective == CLASS_SIZE:
        return float(records / (classes + (1 if suppressed > 0 else 0)))
    if objective == DIVERGENCE:
        total += ladders.margins[0, 0]
        return float(max(total + (suppressed * (dearest - math.log2(suppressed)) if suppressed > 0 else 0.0), 0.0))
    if objective == SUPPRESSED:
        return float(suppressed)
    if objective == PAYOUT:
        return float(total + suppressed * dearest)
    return float(total + suppressed * 2.0**dearest)


@exact_kernel
def climb(
    ladders: Ladders, tables: ClassTables, source: int, target: int, now: IntArray, levels: IntArray, work: Workspace
) -> None:
    """Fill a table with the classes of a node at or above that of another table; `now` becomes its levels."""
    for a in range(levels.size):
        while now[a] < levels[a]:
            begin, end = ladders.offsets[a, now[a]], ladders.offsets[a, now[a] + 1]
            roll_up(tables, source, target, ladders.fields[a], ladders.upward[begin:end], work)
            source = target
            now[a] += 1
    if source != target:
        count = tables.filled[source]
        for row in range(count):
            for word in range(tables.keys.shape[2]):
                tables.keys[target, row, word] = tables.keys[source, row, word]
            tables.sizes[target, row] = tables.sizes[source, row]
            tables.people[target, row] = tables.people[source, row]
        for s in range(tables.starts.shape[1]):
            for row in range(count + 1):
                tables.starts[target, s, row] = tables.starts[source, s, row]
            for entry in range(tables.starts[source, s, count]):
                tables.values[target, s, entry] = tables.values[source, s, entry]
                tables.counts[target, s, entry] = tables.counts[source, s, entry]
        tables.filled[target] = count


@exact_kernel
def walk(
    objective: int,
    ladders: Ladders,
    rules: Rules,
    tables: ClassTables,  # IN and OUT: m + 2, the first that of the finest node, the last for looking ahead
    records: int,
    dearest: float,
    limit: int,  # IN the most records that may be suppressed
    stays: bool,  # IN see judge
    bounded: bool,  # IN whether branches are left out that cannot hold a better node
    looks_ahead: bool,  # IN whether branches are left out whose coarsest node needs too much suppression
    turns: int,  # IN nodes to visit before the walk is interrupted
    levels: IntArray,  # IN and OUT (m,) int64: where the walk is
    owners: IntArray,  # IN and OUT (m + 1,) int64: which table holds the classes of the first attributes' levels
    progress: IntArray,  # IN and OUT (6,): begun, next position, visited, feasible, bounded away, looked away
    best: FloatArray,  # IN and OUT (2,): value, records suppressed
    best_levels: IntArray,  # OUT (m,) int64
    work: Workspace,
) -> bool:
    """Go on with the walk; say whether it is at its end."""
    m = levels.size
    branch = np.ones(m + 1, dtype=np.int64)  # nodes of a branch whose first attributes are fixed
    for a in range(m - 1, -1, -1):
        branch[a] = branch[a + 1] * (ladders.heights[a] + 1)
    ahead = np.empty(m, dtype=np.int64)
    now = np.empty(m, dtype=np.int64)
    # What an attack costs may fall by generalising; what the information is worth that is lost does not.
    additive = objective in (ADDITIVE, PAYOUT)
    for _ in range(turns):
        heed_stop()
        a = progress[1]
        if progress[0]:
            while a >= 0:
                if levels[a] == ladders.heights[a]:
                    a -= 1
                    continue
                levels[a] += 1
                for later in range(a + 1, m):
                    levels[later] = 0
                value = 0.0
                if bounded and additive:
                    value = node_value(ADDITIVE, ladders, tables, 0, levels, records, dearest, False, work)
                if not bounded or not additive or value < best[0] * (1.0 - 1e-13):
                    source = owners[a] if levels[a] == 1 else a + 1
                    begin, end = ladders.offsets[a, levels[a] - 1], ladders.offsets[a, levels[a]]
                    roll_up(tables, source, a + 1, ladders.fields[a], ladders.upward[begin:end], work)
                    for later in range(a + 1, m + 1):
                        owners[later] = a + 1
                    if bounded and not additive:
                        value = node_value(objective, ladders, tables, a + 1, levels, records, dearest, False, work)
                    if not bounded or additive or value < best[0] * (1.0 - 1e-13):
                        break
                # Neither this step of the attribute nor a higher one can be better.
                progress[4] += branch[a + 1] * (ladders.heights[a] - levels[a] + 1)
                a -= 1
            if a < 0:
                return True
        else:
            progress[0] = 1
            a = -1
        progress[1] = m - 1
        table = owners[m]
        if looks_ahead and 0 <= a < m - 1 and branch[a + 1] > 2:
            for b in range(m):
                ahead[b] = levels[b] if b <= a else ladders.heights[b]
                now[b] = levels[b]
            climb(ladders, tables, table, m + 1, now, ahead, work)
            if judge(ladders, rules, tables, m + 1, ahead, limit, stays, work) < 0:
                progress[5] += branch[a + 1]
                progress[1] = a
                continue
        progress[2] += 1
        suppressed = judge(ladders, rules, tables, table, levels, limit, stays, work)
        if suppressed < 0:
            continue
        progress[3] += 1
        value = node_value(objective, ladders, tables, table, levels, records, dearest, suppressed > 0, work)
        if value < best[0] * (1.0 - 1e-13):
            best[0], best[1] = value, suppressed
            for b in range(m):
                best_levels[b] = levels[b]
    return False


def list_nodes(
    objective: int,
    ladders: Ladders,
    rules: Rules,
    tables: ClassTables,  # IN and OUT, as of `walk`
    records: int,
    dearest: float,
    stays: bool,
    levels: IntArray,  # IN and OUT (m,) int64, as of `walk`, like the next two
    owners: IntArray,
    progress: IntArray,
    steps: IntArray,  # OUT (turns, m) int64: the nodes that were come by
    suppressed: IntArray,  # OUT (turns,) int64: −1 where nothing could be released
    values: FloatArray,  # OUT (turns,) float64
    work: Workspace,
) -> int:
    """Go on with a walk that leaves nothing out, and write down every node; return how many there were."""
    best, best_levels = np.empty(2), np.empty(levels.size, dtype=np.int64)
    for turn in range(suppressed.size):
        best[0], best[1] = np.inf, -1.0
        if walk(
            objective, ladders, rules, tables, records, dearest, records, stays, False, False, 1, levels, owners,
            progress, best, best_levels, work,
        ):  # fmt: skip
            return turn
        steps[turn] = levels
        suppressed[turn] = np.int64(best[1])
        values[turn] = best[0]
    return int(suppressed.size)
