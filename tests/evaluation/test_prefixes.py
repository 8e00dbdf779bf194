"""Chains in a study: beginnings that are shared are computed once, and nothing else is."""

from __future__ import annotations

import pytest

import discreet as dc
from discreet.contracts.engine import InProcess
from discreet.errors import DiscreetError
from discreet.evaluation import prefixes as module
from discreet.evaluation.experiment import Originals, Scoring, plan, run
from discreet.evaluation.prefixes import Prefixes, cut_along_prefixes, in_prefix_order

MEASURES = ["il1s", "distance-linkage"]


@pytest.fixture(scope="module")
def table():
    return dc.datasets.business(60).select(["COMPANY", "EMPLOYEES", "TURNOVER", "WAGES", "ASSETS"])


def chains():
    return [
        dc.Chain([dc.TopCoding(share=share), dc.AdditiveNoise(level=0.2), dc.MDAV(k=k)])
        for k in (3, 5)  # in this order beginnings do not stand together
        for share in (0.05, 0.1)
    ]


def without_time(rows):
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]


def test_a_shared_beginning_is_taken_once_and_is_what_each_chain_makes_alone(table):
    prefixes, releases = Prefixes(), {}
    for chain, _ in in_prefix_order([(one.seeded(7), one.seeded(7).step_keys()) for one in chains()]):
        releases[chain.label()] = prefixes.mask(chain, table, InProcess()).to_native()
    assert prefixes.steps_taken == 2 + 2 + 4  # twelve by themselves
    for chain in chains():
        assert releases[chain.label()].equals(chain.seeded(7).mask(table).to_native())


def test_chains_of_a_study_share_their_steps_however_few_are_held(table, monkeypatch):
    monkeypatch.setattr(module, "_MOST_STAGES", 1)
    originals = Originals(table)
    experiments = plan(chains(), {"all keys": table.schema.keys}, 1, 0)
    for experiment, _ in in_prefix_order([(one, one.path()) for one in experiments]):
        assert run(experiment, originals, [], Scoring("mean", defaults=False))["seconds"] > 0
    assert originals.prefixes.steps_taken == 2 + 2 + 4


def test_another_seed_or_another_table_shares_nothing_but_what_does_not_draw(table):
    prefixes, (one, *_) = Prefixes(), chains()
    prefixes.mask(one.seeded(1), table, InProcess())
    prefixes.mask(one.seeded(2), table, InProcess())
    assert prefixes.steps_taken == 3 + 2  # top coding draws nothing
    prefixes.mask(one.seeded(2), dc.datasets.business(50).select(table.names), InProcess())
    assert prefixes.steps_taken == 3 + 2 + 3


def test_a_step_that_cannot_be_taken_is_tried_once_and_said_of_every_chain(table):
    prefixes = Prefixes()
    for k in (3, 4):
        chain = dc.Chain([dc.MDAV(k=61), dc.MDAV(k=k)], seed=1)
        with pytest.raises(DiscreetError, match="Step 1"):
            prefixes.mask(chain, table, InProcess())
    assert prefixes.steps_taken == 1


def test_rows_are_those_of_the_plain_loop_and_of_two_processes(table):
    candidates = [*chains(), dc.MDAV(k=4), dc.Chain([dc.MDAV(k=4)])]
    study = dc.compare(table, candidates, measures=MEASURES, random_state=3, repetitions=2, workers=1)
    plain = [
        run(one, Originals(table), [m() for m in map(dc.methods("measure").get, MEASURES)])
        for one in plan(candidates, {"all keys": table.schema.keys}, 2, 3)
    ]
    figures = ("candidate", "seed", "risk", "loss", "score", "error")
    assert [[row[f] for f in figures] for row in study.rows] == [[row[f] for f in figures] for row in plain]
    two = dc.compare(table, candidates * 5, measures=MEASURES, random_state=3, repetitions=2, workers=2)
    assert {row["candidate"].partition(" (")[0]: row["risk"] for row in two.rows if " → " in row["candidate"]} == {
        row["candidate"].partition(" (")[0]: row["risk"] for row in two.rows[: 2 * len(candidates)]
        if " → " in row["candidate"]
    }  # fmt: skip


def test_what_a_study_measured_is_what_running_the_protocol_gives(table):
    study = dc.compare(table, chains(), random_state=5)
    best = study.best()
    chain = next(one for one in chains() if one.label() == best["label"])
    steps = [dc.release.Step(one.name, {n: v for n, v in one.get_params().items() if v is not None})
             for one in chain.steps]  # fmt: skip
    ran = dc.run(dc.Protocol(table.schema, steps, seed=best["draw"]["seed"]), original=table)
    score = ran.assessment.score
    assert (score.risk, score.loss) == (best["draw"]["risk"], best["draw"]["loss"])


def test_a_stopped_study_of_chains_goes_on(table, tmp_path):
    path = tmp_path / "rows.jsonl"

    def stop(_label, done, _total):
        if _label == "experiments" and done == 2:
            raise KeyboardInterrupt

    with dc.progress.listening(stop):
        first = dc.compare(table, chains(), measures=MEASURES, random_state=0, store=path, workers=1)
    assert not first.complete
    assert len(first) == 2
    second = dc.compare(table, chains(), measures=MEASURES, random_state=0, store=path, resume=True, workers=1)
    whole = dc.compare(table, chains(), measures=MEASURES, random_state=0, workers=1)
    assert without_time(second.rows) == without_time(whole.rows)


def test_chains_that_a_label_cannot_tell_apart_are_numbered(table):
    names = list(table.schema.keys)
    twins = [dc.Chain([dc.MDAV(k=3, attributes=order)]) for order in (names, names[:3] + names[:2:-1] or names)]
    study = dc.compare(table, [*twins, *twins], measures=MEASURES, random_state=0)
    assert len({row["candidate"] for row in study.rows}) == 4
    assert len(study.ranking()) == 4


@pytest.mark.parametrize("most", [1, 2, 3, 5])
def test_parts_are_no_larger_than_asked_and_lose_nothing(most):
    items = [((i, j, k), (i, j, k)) for i in range(3) for j in range(2) for k in range(2)] + [((9,), (9,))] * 4
    parts = cut_along_prefixes(items, most)
    assert all(len(part) <= most for part in parts)
    assert sorted(item for part in parts for item in part) == sorted(items)
