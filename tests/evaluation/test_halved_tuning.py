"""A search by halving, step by step: who is judged where, what is known of him, and what is told."""

from __future__ import annotations

from contextlib import nullcontext
from typing import ClassVar

import pytest

import discreet as dc
from discreet.errors import FileError
from discreet.evaluation import halved_tuning, halving
from discreet.evaluation.experiment import Bounds, Scoring
from discreet.evaluation.halved_tuning import HalvingSearch, _batches, _tried
from discreet.evaluation.halving import Deadline, Rung, plan_rungs
from discreet.progress import listening
from discreet.stopping import Stopped

LIMITS = {"risk_at_most": 20.0}


@pytest.fixture(scope="module")
def table():
    return dc.datasets.business(120).select(["EMPLOYEES", "TURNOVER"])


class Clock:
    """Seconds as a test tells them."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def figures(place, records):
    """Say of candidate k = place + 2 what it loses: the more, the larger k; a sample tells it all but exactly."""
    loss = 10.0 + place + (0.0 if records == 120 else 0.25)
    return {"risk": 40.0 - 8 * place, "loss": loss, "score": (40.0 - 8 * place + loss) / 2}


class PlainCrew:
    """Makes rows of what is planned, in this process, and remembers who was asked."""

    asked: ClassVar[list] = []
    outcome = staticmethod(figures)

    def __init__(self, table, *_):
        self.records, self.size = len(table), 2

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def run(self, planned, keep):
        for one in planned:
            place = one.masker.k - 2
            PlainCrew.asked.append((place, self.records, one.bounds))
            row = {"experiment": one.number, "candidate": one.label, "seed": one.seed, "repetition": one.repetition,
                   "attribute_set": one.set_name, "method": "mdav", "error": None}  # fmt: skip
            found = self.outcome(place, self.records)
            if isinstance(found, str):
                keep([row | {"error": found}])
                continue
            why = one.bounds.ruled_out(found) if one.bounds is not None else ""
            keep([row | ({"ruled_out": why, "risk_at_least": found["risk"], "loss": found["loss"]} if why else found)])


@pytest.fixture
def crew(monkeypatch):
    monkeypatch.setattr(halved_tuning, "Crew", PlainCrew)
    monkeypatch.setattr(PlainCrew, "asked", [])
    monkeypatch.setattr(halving, "LEAST_RECORDS", 7)
    return PlainCrew


def search(table, candidates=16, **given):
    space = [dc.MDAV(k=place + 2) for place in range(candidates)]
    whole = {"thresholds": {}, "scoring": Scoring(), "measures": [], "seed": 3, "workers": 1} | given
    return HalvingSearch(table, space, ("all keys", table.schema.keys), **whole)


# ------------------------------------------------------------------------------------------------------------ the plan


@pytest.mark.parametrize(
    ("candidates", "records", "budget", "rungs"),
    [
        (100, 32_000, 30, [(2000, 100), (8000, 25), (32_000, 6)]),
        (100, 900, 30, [(900, 30)]),
        (30, 32_000, 30, [(32_000, 30)]),
        (31, 32_000, 30, [(8000, 31), (32_000, 7)]),
        (31, 2000, 30, [(500, 31), (2000, 7)]),
        (31, 1999, 30, [(1999, 30)]),
        (61, 32_000, 30, [(2000, 61), (8000, 15), (32_000, 3)]),
        (60, 32_000, 30, [(8000, 60), (32_000, 15)]),
        (1000, 32_000, 30, [(500, 480), (2000, 120), (8000, 30), (32_000, 7)]),
        (1000, 10_000_000, 1, [(156_250, 16), (625_000, 4), (2_500_000, 1), (10_000_000, 1)]),
        (5, 32_001, None, [(501, 5), (2001, 1), (8001, 1), (32_001, 1)]),
        (1, 32_000, None, [(32_000, 1)]),
        (9, 100, None, [(100, 9)]),
    ],
)
def test_rungs_by_hand(candidates, records, budget, rungs):
    found = plan_rungs(candidates, records, budget)
    assert [(rung.records, rung.candidates) for rung in found] == rungs
    assert [rung.whole for rung in found] == [False] * (len(rungs) - 1) + [True]


def test_a_deadline_is_past_at_its_time_and_never_without_one():
    clock = Clock()
    clock.now = 5.0
    deadline = Deadline(10.0, clock)
    clock.now = 9.0
    assert (deadline.left, deadline.past(), deadline.past(0.4), deadline.past(0.41)) == (6.0, False, True, False)
    clock.now = 15.0
    assert (deadline.left, deadline.past()) == (0.0, True)
    clock.now = 99.0
    assert deadline.left == 0.0
    free = Deadline(None, clock)
    assert (free.left, free.past(), free.past(0.0)) == (None, False, False)


def test_batches_are_no_larger_than_asked():
    assert [list(one) for one in _batches([1, 2, 3, 4, 5], 2)] == [[1, 2], [3, 4], [5]]
    assert [list(one) for one in _batches([1, 2], 0)] == [[1], [2]]
    assert list(_batches([], 3)) == []


# ----------------------------------------------------------------------------------------------------------- the search


def test_candidates_go_up_the_rungs_and_all_is_told(table, crew):
    one = search(table, budget=8)
    heard = []
    with listening(lambda *report: heard.append(report)):
        one.run()
    # Sixteen on 30 of 120 records, of whom the budget leaves four for all of them: the best by score, which falls.
    assert one.complete
    assert one.rungs == [Rung(30, 16, False), Rung(120, 4, True)]
    assert sorted(place for place, records, _ in crew.asked if records == 120) == [12, 13, 14, 15]
    assert sorted(place for place, records, _ in crew.asked if records == 30) == list(range(16))
    assert all(bounds is None for _, records, bounds in crew.asked if records == 30)
    assert heard[0] == ("candidates on 30 records", 0, 16)
    assert ("candidates on 30 records", 16, 16) in heard
    assert ("candidates on all 120 records", 4, 4) in heard
    assert set(one.tried) == set(range(16))
    assert one.tried[0] == {
        "candidate": "mdav(k=2)", "records": 30, "risk": 40.0, "risk_at_least": None, "loss": 10.25, "score": 25.125,
        "seed": one.experiments[0].seed, "outcome": "not looked at on the whole file",
    }  # fmt: skip
    assert one.tried[15]["outcome"] == "judged"
    assert one.tried[15]["records"] == 120
    assert {row["records"] for row in one.study_rows()} == {120}


def test_who_cannot_be_the_best_is_left_early_and_limits_are_told(table, crew):
    one = search(table, candidates=6, thresholds=LIMITS, budget=100)
    one.run()
    assert one.rungs == [Rung(120, 6, True)]
    # Risks are 40, 32, 24, 16, 8, 0: the first three miss the limit, the fourth meets it and loses least.
    outcomes = [one.tried[place]["outcome"] for place in range(6)]
    assert outcomes[:3] == [f"ruled out: risk {risk}.00 % (at most 20)" for risk in (40, 32, 24)]
    assert outcomes[3] == "meets every limit"
    late = [f"ruled out: loss {loss}.00 %, and another that meets all limits loses 13.00 %" for loss in (14, 15)]
    # Four are judged before it is asked again who can be the best.
    assert [text in ("meets every limit", why) for text, why in zip(outcomes[4:], late, strict=True)] == [True, True]
    assert one._bounds() == Bounds((("risk_at_most", 20.0),), 13.0)
    assert "mdav(k=5)" in [row["candidate"] for row in one._finished()]


def test_where_nobody_meets_the_limits_the_nearest_is_judged_whole(table, crew):
    one = search(table, candidates=3, thresholds=LIMITS, budget=100)
    one.run()
    assert [place for place, _, bounds in crew.asked if bounds is None] == [2]
    assert one.tried[2]["outcome"] == "misses risk 24.00 % (at most 20)"
    assert one.tried[1]["outcome"] == "ruled out: risk 32.00 % (at most 20)"
    assert [row["candidate"] for row in one.study_rows()] == ["mdav(k=4)"]
    assert one.rungs == [Rung(120, 3, True)]


def test_means_over_draws_have_no_bounds(table, crew):
    assert search(table, repetitions=2)._bounds() is None
    assert search(table, scoring=Scoring("mean"))._bounds() is None
    assert search(table)._bounds() == Bounds((), None)


def test_what_failed_on_a_sample_does_not_go_on_unless_all_did(table, crew, monkeypatch):
    monkeypatch.setattr(crew, "outcome", staticmethod(lambda place, n: "no." if place % 2 else figures(place, n)))
    one = search(table, budget=8)
    one.run()
    assert sorted(place for place, records, _ in crew.asked if records == 120) == [8, 10, 12, 14]
    assert one.tried[1]["outcome"] == "failed: no."
    crew.asked.clear()
    monkeypatch.setattr(crew, "outcome", staticmethod(lambda *_: "no."))
    none = search(table, budget=8)
    none.run()
    assert sorted(place for place, records, _ in crew.asked if records == 120) == [0, 1, 2, 3]
    assert len(none.study_rows()) == 4
    assert none.complete


def test_a_time_leaves_those_behind_for_its_end(table, crew):
    clock = Clock()

    def timed(place, records):
        clock.now += 1000.0
        return figures(place, records)

    crew.outcome, before = staticmethod(timed), crew.outcome
    try:
        one = search(table, deadline=Deadline(26_000.0, clock))
        one.run()
    finally:
        crew.outcome = staticmethod(before)
    # Two at a time, a thousand seconds each: until half of the time is over on the first rung, and all in the end.
    first = [place for place, records, _ in crew.asked if records == 8]
    assert len(first) == 14
    assert one.rungs[0] == Rung(8, 14, False)
    assert one.rungs[-1].whole
    assert one.complete
    whole = [place for place, records, _ in crew.asked if records == 120]
    assert 0 < len(whole) == one.rungs[-1].candidates
    assert len(crew.asked) == 27


# ------------------------------------------------------------------------------------------------- what is known so far


def row(number, records=120, error=None, **more):
    return {"experiment": number, "candidate": f"c{number}", "records": records, "error": error, "seed": number} | more


def test_rows_are_of_the_whole_file_or_of_the_largest_sample(table):
    one = search(table, candidates=4)
    assert one.study_rows() == ()
    small = {number: row(number, 8, risk=1.0) for number in (4, 5)}
    large = {8: row(8, 30, risk=1.0), 9: row(9, 30, error="no.")}
    one.rows = {**small, **large}
    assert [found["experiment"] for found in one.study_rows()] == [8, 9]
    one.rows = {**small, 9: row(9, 30, error="no."), 10: row(10, 30, ruled_out="x")}
    assert [found["experiment"] for found in one.study_rows()] == [4, 5], "the largest of which one worked"
    one.rows = {9: row(9, 30, error="no.")}
    assert [found["experiment"] for found in one.study_rows()] == [9]
    one.complete = True
    assert one.study_rows() == ()
    one.complete = False
    one.rows = {**large, 3: row(3), 1: row(1, error="no."), 2: row(2, ruled_out="x")}
    assert [found["experiment"] for found in one.study_rows()] == [1, 3]


def test_the_nearest_misses_least_then_loses_least(table):
    one = search(table, candidates=4, thresholds=LIMITS)
    assert one._nearest([0, 1]) is None
    one.rows = {
        0: row(0, risk_at_least=30.0, loss=1.0), 1: row(1, risk_at_least=25.0, loss=9.0),
        2: row(2, risk_at_least=25.0, loss=8.0), 3: row(3, error="no."),
    }  # fmt: skip
    assert one._nearest([0, 1, 2, 3]) == 2
    assert one._nearest([0, 1, 3]) == 1
    assert one._nearest([3]) is None


@pytest.mark.parametrize(
    ("more", "outcome"),
    [
        ({"error": "no.", "ruled_out": "x"}, "failed: no."),
        ({"ruled_out": "loss"}, "ruled out: loss"),
        ({}, "judged"),
    ],
)
def test_what_became_of_a_candidate_in_a_line(more, outcome):
    assert _tried(row(1, risk=2.0, loss=3.0, score=2.5) | more, 30, "judged") == {
        "candidate": "c1", "records": 30, "risk": 2.0, "risk_at_least": None, "loss": 3.0, "score": 2.5, "seed": 1,
        "outcome": outcome,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("error", "now", "finished", "absorbed", "complete"),
    [
        (Stopped, 3.0, True, 1, False),
        (Stopped, 10.0, True, 0, True),
        (Stopped, 10.0, False, 0, False),
        (KeyboardInterrupt, 10.0, True, 1, False),
    ],
)
def test_who_ends_a_search_and_whether_it_is_complete(table, monkeypatch, error, now, finished, absorbed, complete):
    clock, interrupts, asked = Clock(), [], []
    monkeypatch.setattr(halved_tuning, "absorb_interrupt", lambda: interrupts.append(1))
    monkeypatch.setattr(halved_tuning, "stopped_after", lambda *given: asked.append(given) or nullcontext())
    one = search(table, candidates=2, deadline=Deadline(10.0, clock))
    with one._ending_with_what_is_finished():
        ((left, some),) = asked
        assert (left, some()) == (10.0, False)
        one.rows = {5: row(5, error="no."), 6: row(6, ruled_out="x")}
        assert not some()
        if finished:
            one.rows[1] = row(1)
            assert some()
        clock.now = now
        raise error
    assert (len(interrupts), one.complete) == (absorbed, complete)


def test_a_search_that_is_kept_goes_on_without_running_anything_twice(table, crew, tmp_path):
    path = tmp_path / "search.jsonl"
    first = search(table, candidates=6, thresholds=LIMITS, budget=100)
    first.run(path)
    asked = len(crew.asked)
    again = search(table, candidates=6, thresholds=LIMITS, budget=100)
    again.run(path, resume=True)
    assert len(crew.asked) == asked
    assert (again.study_rows(), again.tried, again.rungs) == (first.study_rows(), first.tried, first.rungs)
    with pytest.raises(FileError, match="another|other"):
        search(table, candidates=6, thresholds={"risk_at_most": 21.0}, budget=100).run(path, resume=True)
    with pytest.raises(FileError, match="another|other"):
        search(table, candidates=6, thresholds=LIMITS, budget=99).run(path, resume=True)


def test_who_was_ruled_out_in_the_store_is_judged_whole_as_the_nearest(table, crew, tmp_path):
    path = tmp_path / "search.jsonl"
    search(table, candidates=3, thresholds=LIMITS, budget=100).run(path)
    crew.asked.clear()
    again = search(table, candidates=3, thresholds=LIMITS, budget=100)
    again.run(path, resume=True)
    assert [row["candidate"] for row in again.study_rows()] == ["mdav(k=4)"]
    assert again.tried[2]["outcome"] == "misses risk 24.00 % (at most 20)"


def test_of_whom_nothing_is_known_nothing_is_told(table):
    one = search(table, candidates=2)
    one._tell(1)
    assert one.tried == {}
