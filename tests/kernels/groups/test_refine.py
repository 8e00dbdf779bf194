"""Refinement: exact sums, reproducible with any number of threads, and low losses."""

import bisect
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest
from tests.reference.microaggregation import information_loss, plain_least_error
from tests.stand_ins import instead

from discreet.kernels.draws import below, uniform
from discreet.kernels.groups import pool
from discreet.kernels.groups import refine as module
from discreet.kernels.groups.mdav import mdav
from discreet.kernels.groups.partitioned import partitioned_mdav
from discreet.kernels.groups.refine import Refinement, nearest_records, refine


def refined(values, k, steps, threads=2, seed=1):
    with ThreadPoolExecutor(threads) as workers:
        for refinement in refine(values, k, mdav(values, k), seed=seed, steps=steps, workers=workers):
            labels = refinement.labels
    return labels


def test_reaches_the_optimum_of_a_handful_of_records():
    for seed in range(5):
        values = np.random.default_rng(seed).standard_normal((11, 2))
        labels = refined(values, 3, 3000)
        error = information_loss(values, labels) / 100 * ((values - values.mean(axis=0)) ** 2).sum()
        assert error == pytest.approx(plain_least_error(values, 3), rel=1e-9)


def test_lowers_the_loss_by_a_tenth_and_repeats_itself():
    values = np.random.default_rng(0).standard_t(3, (900, 5))
    start = information_loss(values, mdav(values, 4))
    labels = refined(values, 4, 60_000, threads=1)
    assert information_loss(values, labels) < 0.9 * start
    assert np.array_equal(labels, refined(values, 4, 60_000, threads=3))


def test_cost_is_the_squared_error_of_the_labels():
    values = np.random.default_rng(0).standard_normal((500, 3))
    with ThreadPoolExecutor(2) as workers:
        refinement = Refinement(values, 3, mdav(values, 3), 0, workers)
        start = refinement.cost
        for _ in range(3):
            refinement.anneal(5000, 0.5)
    ratio = information_loss(values, refinement.labels) / information_loss(values, mdav(values, 3))
    assert refinement.cost / start == pytest.approx(ratio, rel=1e-9)


def test_pool_descent_keeps_its_sums():
    rng = np.random.default_rng(3)
    points = rng.standard_normal((14, 3))
    size, groups, k = 14, 3, 4
    D, columns = np.empty((size, size)), np.empty((3, size))
    pool.pairwise(points, np.arange(size), size, columns, D)
    group = np.arange(size) % groups
    R, T, count = np.empty((groups, size)), np.empty(groups), np.empty(groups, dtype=np.int64)
    before = pool.measure(D, size, groups, group, R, T, count)
    after = pool.descend(D, size, groups, k, group, R, T, count)
    again = pool.measure(D, size, groups, group, R.copy(), T.copy(), count.copy())
    assert after < before
    assert after == pytest.approx(again, rel=1e-12)
    assert np.bincount(group).min() >= k


def test_nearest_records():
    points = np.random.default_rng(0).standard_normal((700, 3))
    with ThreadPoolExecutor(2) as workers:
        lists = nearest_records(points, 5, workers)
    distances = ((points[:, None] - points) ** 2).sum(axis=2)
    assert np.array_equal(lists, np.argsort(distances, axis=1)[:, 1:6])


def test_partitioned_is_close_to_exact_and_repeats_itself():
    values = np.random.default_rng(0).standard_normal((6000, 3))
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(2) as two:
        labels = partitioned_mdav(values, 5, seed=0, workers=one, block=2000)
        assert np.array_equal(labels, partitioned_mdav(values, 5, seed=0, workers=two, block=2000))
    assert information_loss(values, labels) < 1.01 * information_loss(values, mdav(values, 5))


# ------------------------------------------------------------------------------------------------------ the parts


def seeded(seed):
    return np.array([seed], dtype=np.uint64), np.array([seed], dtype=np.uint64)


def costly(ids, costs, state):
    """The first group up to which the running sum exceeds the draw."""
    running = np.cumsum(costs).tolist()
    return int(ids[min(bisect.bisect_right(running, uniform(state) * running[-1]), len(ids) - 1)])


def gathered_costly(ids, costs, sizes, state, most, first):
    found = [first]
    for _ in range(2 * most):
        g = costly(ids, costs, state)
        if sizes[g] and g not in found:
            found.append(g)
            if len(found) == most:
                break
    return found


def test_groups_are_drawn_by_their_cost():
    ids, costs = np.array([7, 3, 9, 1, 4]), np.array([1.0, 0.0, 5.0, 2.0, 0.0])
    drawn = set()
    for seed in range(60):
        state, twin = seeded(seed)
        drawn.add(module._costly(ids, np.cumsum(costs), state))
        assert costly(ids, costs, twin) in drawn
        assert state == twin
    assert drawn == {7, 9, 1}, "never one that costs nothing"
    assert module._costly(ids[:1], np.zeros(1), seeded(1)[0]) == 7


@pytest.mark.parametrize("most", [2, 3, 5])
def test_costly_groups_are_gathered_once_and_none_that_is_empty(most):
    ids, costs = np.arange(6), np.array([1.0, 2.0, 1.0, 4.0, 1.0, 1.0])
    sizes = np.array([3, 3, 0, 3, 3, 3])
    for seed in range(40):
        state, twin = seeded(seed)
        groups = np.full(6, -1)
        groups[0] = 3
        n = module._gather_costly(ids, np.cumsum(costs), sizes, state, most, groups)
        assert groups[:n].tolist() == gathered_costly(ids, costs, sizes, twin, most, 3)
        assert state == twin


def test_members_sizes_and_costs_by_hand():
    points = np.array([[0.0, 1.0], [2.0, 1.0], [5.0, 0.0], [5.0, 4.0], [8.0, 2.0]])
    members, sizes, costs = np.full((3, 3), -1), np.full(3, 9), np.full(3, 9.0)
    module._fill(points, np.array([2, 2, 0, 0, 0]), members, sizes, costs)
    assert members.tolist() == [[2, 3, 4], [-1, -1, -1], [0, 1, -1]]
    assert sizes.tolist() == [3, 0, 2]
    assert costs.tolist() == [6.0 + 8.0, 0.0, 2.0]


def plain_annealing(
    points, k, row, lists, labels, members, sizes, costs, region, here, ids, start, free, state, steps, temperature
):
    """The same steps with the parts of a pool, and with lists for the rest."""
    change = 0.0
    for _ in range(steps):
        first = costly(ids, start, state)
        if uniform(state) < 0.5:
            first = int(ids[below(state, ids.size)])
        if sizes[first] == 0:
            continue
        draw = uniform(state)
        most = 2 + (draw >= 0.2) + (draw >= 0.6) + (draw >= 0.85)
        groups = np.empty(50, np.int64)
        if uniform(state) < 0.15:
            chosen = gathered_costly(ids, start, sizes, state, most, first)
        else:
            near = members[first, below(state, sizes[first])]
            n = pool.gather(labels, region, here, near, row, lists, state, most, groups)
            chosen = groups[:n].tolist()
        records = np.array([i for g in chosen for i in members[g, : sizes[g]].tolist()])
        group = np.array([q for q, g in enumerate(chosen) for _ in range(sizes[g])])
        old, size, count = sum(float(costs[g]) for g in chosen), len(records), len(chosen)
        draw = uniform(state)
        if draw < 0.15 and count > -(-size // (2 * k - 1)):
            count -= 1
        elif draw > 0.7 and count < size // k and count - len(chosen) < len(free):
            count += 1
        if count == len(chosen) == 1:
            continue
        D = np.empty((size, size))
        pool.pairwise(points, records, size, np.empty((points.shape[1], size)), D)
        if count == len(chosen) and uniform(state) < 0.15:
            pool.shake(size, state, group)
        else:
            pool.regroup(D, size, count, k, state, group, np.empty(count, np.int64))
        R, T, counts = np.empty((count, size)), np.empty(count), np.empty(count, np.int64)
        pool.measure(D, size, count, group, R, T, counts)
        gain = old - pool.descend(D, size, count, k, group, R, T, counts)
        if gain < -40.0 * temperature:
            continue
        if gain < 0.0 and uniform(state) >= np.exp(gain / max(temperature, 1e-300)):
            continue
        if abs(gain) <= 1e-13 * old:
            continue
        if count > len(chosen):
            chosen.append(free.pop())
        elif count < len(chosen):
            free.append(chosen.pop())
            sizes[free[-1]], costs[free[-1]] = 0, 0.0
        pool.write_back(records, size, count, group, T, counts, np.array(chosen), labels, members, sizes, costs)
        change -= gain
    return change


@pytest.mark.parametrize(("k", "temperature"), [(2, 0.05), (3, 0.0), (3, 0.02), (4, 1.0)])
def test_annealing_is_that_of_its_draws(k, temperature):
    went = 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        n = 14 * k + seed
        points = rng.standard_normal((n, 2))
        labels = np.minimum(np.arange(n) // (k + (seed % 2)), n // (k + 1) - 1)
        total = n // k
        arrays = []
        for _ in range(2):
            members, sizes, costs = np.zeros((total, 2 * k - 1), np.int64), np.zeros(total, np.int64), np.zeros(total)
            own = module.split_large_groups(points, labels, k)
            module._fill(points, own, members, sizes, costs)
            arrays.append((own, members, sizes, costs))
        lists = nearest_records(points, 12, None)
        region = np.zeros(total, dtype=np.int32)
        region[::9] = 1  # not ours
        ids = np.flatnonzero(region == 0)
        (state, twin), row = seeded(seed), np.arange(n)
        start = arrays[0][3][ids].copy()
        empty = ids[arrays[0][2][ids] == 0]
        free = np.zeros(ids.size, np.int64)
        free[: empty.size] = empty
        change = module._anneal(
            points, k, row, lists, *arrays[0], region, 0, ids, np.cumsum(start), free, empty.size, state, 150,
            temperature,
        )  # fmt: skip
        expected = plain_annealing(
            points, k, row, lists, *arrays[1], region, 0, ids, start, empty.tolist(), twin, 150, temperature
        )  # fmt: skip
        assert state == twin
        assert change == pytest.approx(expected)
        for one, other in zip(arrays[0][:3:2], arrays[1][:3:2], strict=True):
            assert np.array_equal(one, other)
        assert arrays[0][3] == pytest.approx(arrays[1][3])
        went += change != 0.0
    assert went > 2


def test_regions_are_slabs_of_as_many_groups():
    values = np.random.default_rng(0).standard_normal((1300, 2))
    refinement = Refinement(values, 3, np.arange(1300) // 4, 5, None)
    assert refinement.groups == 433
    assert refinement._regions == 3
    direction = np.random.default_rng(5).standard_normal(2)
    region, ids, offsets = refinement._cut()
    assert offsets.tolist() == [0, 145, 289, 433]
    position = refinement._points[refinement._members[:, 0]] @ direction
    order = np.argsort(position, kind="stable")  # empty groups lie where the first record does
    for here in range(3):
        assert (region[ids[offsets[here] : offsets[here + 1]]] == here).all()
        assert set(order[offsets[here] : offsets[here + 1]].tolist()) == set(np.flatnonzero(region == here).tolist())
    assert region.dtype == np.int32


@pytest.mark.parametrize(("n", "regions"), [(60, 1), (799, 1), (800, 2), (6399, 15), (6400, 16), (9000, 16)])
def test_how_many_regions_there_are_depends_on_the_records_only(n, regions):
    values = np.random.default_rng(0).standard_normal((n, 1))
    labels = np.minimum(np.arange(n) // 20, n // 20 - 1)
    assert Refinement(values, 20, labels, 0, None, by_group=True)._regions == regions


def test_groups_at_one_place_are_told_apart_by_their_number():
    refinement = Refinement(np.zeros((900, 2)), 3, np.arange(900) // 3, 5, None, by_group=True)
    region, ids, offsets = refinement._cut()
    assert region.tolist() == [0] * 150 + [1] * 150
    assert ids.tolist() == list(range(300))
    assert offsets.tolist() == [0, 150, 300]
    assert refinement.spread == 1.0


def test_the_spread_says_how_much_dearer_the_costly_groups_are():
    values = np.array([0.0, 1.0, 10.0, 13.0, 20.0, 20.0])[:, None]
    refinement = Refinement(values, 2, np.array([0, 0, 1, 1, 2, 2]), 0, None)
    # Costs in the proportion of 1 to 9 to 0: (1 + 81) · 3 / 10².
    assert refinement.spread == pytest.approx(2.46)
    assert refinement.start == refinement.cost == refinement._costs.sum()


def test_neighbours_of_groups_are_records_of_the_groups_with_the_nearest_centres():
    values = np.array([0.0, 1.0, 10.0, 11.0, 14.0, 15.0, 30.0, 31.0])[:, None]
    refinement = Refinement(values, 2, np.array([3, 3, 0, 0, 1, 1, 2, 2]), 0, None, by_group=True)
    assert refinement._row.tolist() == [3, 3, 0, 0, 1, 1, 2, 2]
    assert refinement._lists.tolist() == [[4, 0, 6], [2, 0, 6], [4, 2, 0], [2, 4, 6]]
    by_record = Refinement(values, 2, np.array([3, 3, 0, 0, 1, 1, 2, 2]), 0, None)
    assert by_record._row.tolist() == list(range(8))
    assert by_record._lists.shape == (8, 7)
    assert by_record._lists[0].tolist() == [1, 2, 3, 4, 5, 6, 7]


def scheduled(monkeypatch, groups, spread, **given):
    """The slices that would be run, with half a second for each."""
    now, slices = [100.0], []

    class Watched:
        def __init__(self, *told):
            assert told == ("values", 5, "labels", 4, "workers")
            now[0] += 1.0  # to prepare
            self.groups, self.spread = groups, spread

        def anneal(self, steps, temperature):
            slices.append((steps, temperature))
            now[0] += 0.5

    monkeypatch.setattr(module, "Refinement", Watched)
    monkeypatch.setattr(module, "time", instead(module.time, perf_counter=lambda: now[0]))
    for _ in refine("values", 5, "labels", seed=4, workers="workers", **given):
        assert len(slices) < 1000
    return slices


def test_steps_are_run_in_slices_that_cool_down(monkeypatch):
    slices = scheduled(monkeypatch, 100, 3.0, steps=4000)
    hot = 3.0 * 0.004 * np.sqrt(40)
    assert [steps for steps, _ in slices] == [1000] * 4
    assert [heat for _, heat in slices] == pytest.approx([hot * (1e-3 / hot) ** (q / 4) for q in range(4)])
    assert [steps for steps, _ in scheduled(monkeypatch, 100, 3.0, steps=7)] == [7]
    many = scheduled(monkeypatch, 100, 3.0, steps=10**6)
    assert [steps for steps, _ in many] == [5000] * 200
    assert many[0][1] == pytest.approx(3.0 * 0.4), "no hotter than this"
    assert scheduled(monkeypatch, 10**6, 3.0, steps=10)[0][1] == pytest.approx(3.0 * 0.01), "nor cooler"
    assert scheduled(monkeypatch, 100, 3.0, steps=10, hot=0.2)[0] == (10, pytest.approx(0.6))
    cold = scheduled(monkeypatch, 100, 1.0, steps=3000, hot=0.2, cold=0.5)
    assert [heat for _, heat in cold] == pytest.approx([0.2] * 3), "what begins cold stays so"


def test_seconds_are_run_in_slices_too(monkeypatch):
    """Of three seconds one prepares; of the two that are left every slice takes a quarter."""
    slices = scheduled(monkeypatch, 100, 1.0, seconds=3.0)
    assert [steps for steps, _ in slices] == [40_000] * 4
    first, hot = 0.01, 0.004 * np.sqrt(1600)
    expected = [first, *(hot * (1e-3 / hot) ** (q / 4) for q in range(1, 4))]
    assert [heat for _, heat in slices] == pytest.approx(expected)
    assert [steps for steps, _ in scheduled(monkeypatch, 30_000, 1.0, seconds=1.2)] == [60_000]
    assert len(scheduled(monkeypatch, 100, 1.0, seconds=3.0, steps=2000)) == 2, "the one that ends first counts"
    assert len(scheduled(monkeypatch, 100, 1.0, seconds=2.0, steps=9000)) == 2


def test_only_what_is_better_is_kept():
    refinement = Refinement(np.arange(12.0)[:, None], 3, np.arange(12) // 3, 0, None)
    start, labels = refinement.cost, refinement.labels.tolist()
    refinement._current[:] = refinement._current[::-1].copy()
    assert refinement._kept_if_best() == start
    assert refinement.labels.tolist() == labels, "as good is not better"
    refinement._costs[0] /= 2
    assert refinement._kept_if_best() == refinement.cost < start
    assert refinement.labels.tolist() == labels[::-1]


def test_work_is_done_here_if_nobody_else_is_there():
    done = []
    module._run(None, lambda *job: done.append(job), [(1, 2), (3, 4)])
    assert done == [(1, 2), (3, 4)]
    waited = []
    workers = SimpleNamespace(submit=lambda work, *job: SimpleNamespace(result=lambda: waited.append((work, job))))
    module._run(workers, "work", [(1,), (2,)])
    assert waited == [("work", (1,)), ("work", (2,))]
