from __future__ import annotations

import signal
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from tests.stand_ins import instead

import discreet as dc
from discreet.contracts.masker import Masker
from discreet.errors import ParameterError
from discreet.masking.microaggregation.numbers import refinement
from discreet.masking.microaggregation.numbers.genetic import GeneticMicroaggregation
from discreet.masking.microaggregation.numbers.mdav import MDAV
from discreet.masking.microaggregation.numbers.mhm import MHM
from discreet.masking.microaggregation.numbers.refinement import Refine
from discreet.masking.microaggregation.numbers.univariate import IndividualRanking
from discreet.masking.microaggregation.numbers.vmdav import VMDAV
from discreet.masking.microaggregation.numbers.ward import WardMicroaggregation
from discreet.masking.running.robust_ellipsoid import sphered
from discreet.progress import listening


def loss(masker, data):
    return masker.mask(data).provenance.details["information_loss"]


@pytest.fixture(scope="module")
def accounts():
    return dc.datasets.business(400)


def clusters(n=140, size=7, seed=0):
    """Well separated clusters of 7 records: groups of 3 or 4 tear them apart, groups of 5 to 9 need not."""
    rng = np.random.default_rng(seed)
    centres = rng.uniform(-100, 100, (n // size, 2))
    return pl.DataFrame(np.repeat(centres, size, axis=0) + rng.normal(size=(n, 2)) / 50, schema=["x", "y"])


@pytest.mark.parametrize("start", [None, VMDAV(), WardMicroaggregation(), MHM()])
def test_never_worse_than_its_start_and_clearly_better_with_steps(accounts, start):
    before = loss((start or MDAV()).clone().set_params(k=4), accounts)
    after = [loss(Refine(k=4, start=start, budget=b, random_state=1), accounts) for b in (1, 20_000)]
    assert after[0] <= before + 1e-9
    assert after[1] < 0.93 * before


def test_the_same_seed_and_steps_give_the_same_groups(accounts):
    first, second, other = (MDAV(k=4, refine=4000, random_state=s).mask(accounts).labels for s in (5, 5, 6))
    assert np.array_equal(first, second)
    assert not np.array_equal(first, other)


def test_mdav_with_refine_is_refine_after_mdav(accounts, monkeypatch):
    monkeypatch.setattr(Masker, "_purpose", lambda *_: "one for both")  # draws are the method's own otherwise
    assert np.array_equal(
        MDAV(k=4, refine=3000, random_state=5).mask(accounts).labels,
        Refine(k=4, budget=3000, random_state=5).mask(accounts).labels,
    )


def test_a_time_is_a_budget_too(accounts):
    assert loss(MDAV(k=4, refine="700ms", random_state=0), accounts) < loss(MDAV(k=4), accounts)


@pytest.mark.parametrize("budget", ["10", "fast", "-3s", "0s", "s"])
def test_times_that_are_none_are_refused(accounts, budget):
    with pytest.raises(ParameterError, match="a time must look like '10s'"):
        MDAV(k=4, refine=budget).mask(accounts)


def test_an_interrupt_ends_it_without_a_release(accounts):
    """The budget is of steps, so that a search which went on after Ctrl-C would come to its end, and be noticed."""
    slices = []

    def interrupt(label, _done, _total):
        slices.append(label)
        if slices.count("refining") == 1:
            signal.raise_signal(signal.SIGINT)

    with listening(interrupt), pytest.raises(KeyboardInterrupt):
        MDAV(k=4, refine=200_000, random_state=0).mask(accounts)
    assert slices.count("refining") == 1


def test_variable_sizes_keep_clusters_together():
    data = clusters()
    fixed = loss(MDAV(k=5), data)
    for masker in (VMDAV(k=5, gamma=1.1), WardMicroaggregation(k=5), Refine(k=5, budget=20_000, random_state=0)):
        assert loss(masker, data) < 0.2 * fixed, masker


def test_mhm_is_no_worse_than_mdav_here(accounts):
    assert loss(MHM(k=4), accounts) < 1.05 * loss(MDAV(k=4), accounts)


def test_breeding_comes_near_the_optimum_of_one_attribute():
    data = dc.datasets.business(150).select(["ASSETS"])
    best = loss(IndividualRanking(k=4), data)
    long = loss(GeneticMicroaggregation(k=4, random_state=0), data)
    short = loss(GeneticMicroaggregation(k=4, generations=1, population=4, random_state=0), data)
    assert best <= long <= short


def test_blocks_lose_about_as_little_as_the_exact_method():
    data = dc.datasets.business(20_000)
    exact, blocks = (loss(MDAV(k=5, search=s, random_state=0), data) for s in ("exact", "blocks"))
    assert blocks < 1.01 * exact


# ------------------------------------------------------------------------------------------------------ the parts


@pytest.mark.parametrize(
    ("budget", "seconds"),
    [(7, None), ("10s", 10.0), ("500ms", 0.5), ("2m", 120.0), ("2 min", 120.0), (" 1.5h ", 5400.0), ("0.25s", 0.25)],
)
def test_budgets_are_read(budget, seconds):
    assert refinement.check_budget("Refine", budget) == seconds


@pytest.mark.parametrize("budget", ["10", "fast", "-3s", "0s", "0.0h", "s", "1.s", "1 day", "1e3s", "3s4"])
def test_budgets_that_are_none_are_refused(budget):
    with pytest.raises(ParameterError) as caught:
        refinement.check_budget("Refine", budget)
    assert str(caught.value) == f"Refine: a time must look like '10s', '500ms' or '2m'; got {budget!r}."


def test_one_group_is_not_refined():
    labels = np.zeros(5, np.int64)
    assert refinement.refined("Refine", np.arange(5.0)[:, None], 3, labels, 10, 0) is labels
    assert refinement.refined("Refine", np.arange(5.0)[:, None], 1, labels, 10, 0) is labels


@pytest.mark.parametrize(
    ("budget", "polish", "k", "n", "polished"),
    [
        (1000, None, 3, 40, None),  # steps are not polished by themselves
        ("20s", None, 4, 40, {"seconds": 20.0 - 6.0}),
        ("19s", None, 4, 40, None),
        ("20s", None, 5, 40, None),
        ("20s", None, 4, 2001, None),
        ("20s", None, 4, 2000, {"seconds": 14.0}),
        ("20s", False, 4, 40, None),
        ("2s", True, 5, 40, {"seconds": 1.4}),
        (1000, True, 3, 40, {"rounds": 4}),
        (10, True, 3, 40, {"rounds": 1}),
        (10**6, True, 3, 40, {"rounds": 40}),
    ],
)
def test_when_groups_are_polished_and_for_how_long(monkeypatch, budget, polish, k, n, polished):
    """Of a time 15 parts in a hundred are for refining, which takes twice as long here; the rest is for polishing."""
    now, refining, polishing, heard = [5.0], [], [], []

    def refine(points, k, labels, *, seed, workers, **limits):
        refining.append((seed, limits))
        now[0] += 2 * limits.get("seconds", 0.0)
        return iter([SimpleNamespace(labels=labels + 1)])

    def polish_groups(points, k, labels, *, seed, **limits):
        polishing.append({name: pytest.approx(value) for name, value in limits.items()})
        assert seed == 9
        return labels + 10

    monkeypatch.setattr(refinement, "time", instead(refinement.time, monotonic=lambda: now[0]))
    monkeypatch.setattr(refinement, "refine", refine)
    monkeypatch.setattr("discreet.masking.microaggregation.numbers.polish.polished", polish_groups)
    labels = np.arange(n) // k
    with listening(lambda *said: heard.append(said)):
        found = refinement.refined("Refine", np.zeros((n, 1)), k, labels, budget, 9, polish=polish)
    assert polishing == ([] if polished is None else [polished])
    assert found.tolist() == (labels + (1 if polished is None else 11)).tolist()
    if isinstance(budget, int):
        assert refining == [(9, {"steps": budget})]
        assert heard == [("refining", 1, max(1, min(200, budget // 1000)))]
    else:
        seconds = refinement.check_budget("", budget) * (1.0 if polished is None else 0.15)
        assert refining == [(9, {"seconds": pytest.approx(seconds)})]
        assert heard == [("refining", 1000, 1000)]


# ------------------------------------------------------------------------------------- what methods hand to kernels


def handed(monkeypatch, masker, name, n=9):
    """What a kernel was called with, of points and draws that are known."""
    seen = []

    def kernel(*given, **named):
        seen.append((given, named))
        return np.zeros(n, np.int64)

    monkeypatch.setattr(f"{type(masker).__module__}.{name}", kernel)
    values = np.random.default_rng(1).normal(size=(n, 2))
    masker._partition(SimpleNamespace(values=values, rng=np.random.default_rng(5), weights="weights"))
    ((given, named),) = seen
    return values, given, named


def test_growing_and_breeding_are_told_their_parameters(monkeypatch):
    values, given, named = handed(monkeypatch, VMDAV(k=4, gamma=1), "vmdav")
    assert given[0] is values
    assert (given[1:], named) == ((4, 1.0), {})
    assert VMDAV().gamma == 0.2
    breeding = GeneticMicroaggregation(k=4, generations=7, population=5, mutation=0.25)
    values, given, named = handed(monkeypatch, breeding, "genetic")
    assert given[0] is values
    assert given[1] == 4
    assert given[2].tolist() == np.argsort(values.sum(axis=1), kind="stable").tolist()
    seed = int(np.random.default_rng(5).integers(2**63))
    assert named == {"seed": seed, "generations": 7, "population": 5, "mutation": 0.25}
    plain = GeneticMicroaggregation()
    assert (plain.generations, plain.population, plain.mutation) == (300, 40, 0.01)


def test_one_attribute_is_told_its_weights_and_cost(monkeypatch):
    values, given, named = handed(monkeypatch, IndividualRanking(k=4), "optimal_runs")
    assert given[0].tolist() == values[:, 0].tolist()
    assert (given[1:], named) == ((4, "weights"), {"absolute": False})
    _, _, named = handed(monkeypatch, IndividualRanking(k=4, cost="absolute"), "optimal_runs")
    assert named == {"absolute": True}
    _, given, named = handed(monkeypatch, IndividualRanking(k=4, sizes="fixed"), "fixed_runs")
    assert (given[1:], named) == ((4,), {})


def test_refining_is_told_the_start_and_the_budget(monkeypatch):
    values, given, named = handed(monkeypatch, Refine(k=3, budget=50, polish=False), "refined")
    assert given[0] == "Refine"
    assert given[1] is values
    assert given[2] == 3
    assert given[3].tolist() == MDAV(k=3)._partition(SimpleNamespace(values=values)).tolist()
    assert given[4:] == (50, int(np.random.default_rng(5).integers(2**63)))
    assert named == {"polish": False}
    start = MHM(k=7)
    _, given, _ = handed(monkeypatch, Refine(k=3, start=start, budget=50), "refined")
    assert np.bincount(given[3]).min() >= 3
    assert start.k == 7, "the start that was given is not changed"
    _, given, named = handed(monkeypatch, MDAV(k=3, refine="5s", polish=True), "refined")
    assert (given[0], given[2], given[4], named) == ("MDAV", 3, "5s", {"polish": True})
    assert (Refine().budget, Refine().polish, Refine().start) == ("10s", None, None)


def test_blocks_are_told_the_points_and_a_seed(monkeypatch):
    values, given, named = handed(monkeypatch, MDAV(k=4, search="blocks"), "partitioned_mdav")
    assert given[0] is values
    assert given[1:] == (4,)
    assert named.pop("workers") is not None
    assert named == {"seed": int(np.random.default_rng(5).integers(2**63))}


def test_correlated_columns_are_made_round_before_they_are_grouped_and_refined(monkeypatch):
    values, given, _ = handed(monkeypatch, MDAV(k=3, distance="mahalanobis", refine=9), "refined", 60)
    round_points = given[1]
    assert np.array_equal(round_points, sphered(values))
    assert not np.array_equal(round_points, values)
    assert given[3].tolist() == MDAV(k=3)._partition(SimpleNamespace(values=round_points)).tolist()
    _, given, _ = handed(monkeypatch, MDAV(k=3, distance="mahalanobis"), "mdav", 60)
    assert np.array_equal(given[0], round_points)
    assert given[1] == 3
    values, given, _ = handed(monkeypatch, MHM(k=3), "mdav")
    assert given[0] is values
    assert given[1:] == (3,)
