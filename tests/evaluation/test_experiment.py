"""One experiment of a study: what rules it out, with which seed it runs, and what its row says."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.contracts.assessment import NotComputed
from discreet.contracts.engine import InProcess
from discreet.contracts.intruder import Intruder
from discreet.contracts.measurement import Measurement
from discreet.data.keyed_draws import seed_from
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError
from discreet.evaluation import experiment as module
from discreet.evaluation.experiment import Bounds, Experiment, Originals, Scoring, labelled, plan, run, unmasked_row


def people(n=24):
    rng = np.random.default_rng(4)
    frame = pl.DataFrame(
        {"a": rng.choice(list("pqr"), n), "b": rng.choice(list("uv"), n), "x": np.arange(float(n)), "o": ["z"] * n}
    )
    schema = Schema(
        [
            Attribute("a", Nominal(tuple("pqr")), "key"),
            Attribute("b", Nominal(tuple("uv")), "key"),
            Attribute("x", Numeric(), "key"),
            Attribute("o", Nominal(("z",)), "other"),
        ]
    )
    return Microdata(frame, schema)


@pytest.fixture(scope="module")
def table():
    return people()


# -------------------------------------------------------------------------------------------------------------- bounds


@pytest.mark.parametrize(
    ("bounds", "figures", "why"),
    [
        (Bounds(), {"risk": 99.0, "loss": 99.0}, ""),
        (Bounds(best=20.0), {"risk": 30.0, "loss": 10.0}, ""),
        (Bounds(best=20.0), {"risk": 31.0, "loss": 10.0}, "score above 20.50, and another has 20.00"),
        (Bounds(best=0.0), {"risk": 1.0, "loss": 0.0}, "score above 0.50, and another has 0.00"),
        (Bounds((("risk_at_most", 20.0),)), {"risk": 20.0, "loss": 90.0}, ""),
        (Bounds((("risk_at_most", 20.0),)), {"risk": 20.5, "loss": 1.0}, "risk 20.50 % (at most 20)"),
        (Bounds((("loss_at_most", 5.0), ("risk_at_most", 9.0))), {"risk": 10.0, "loss": 6.0},
         "loss 6.00 % (at most 5)"),
        (Bounds((("smallest_group", 3.0),)), {"risk": 0.0, "loss": 0.0, "threshold_smallest_group": 2},
         "smallest group 2 (at least 3)"),
        (Bounds((("risk_at_most", 20.0),), best=5.0), {"risk": 1.0, "loss": 5.0}, ""),
        (Bounds((("risk_at_most", 20.0),), best=5.0), {"risk": 1.0, "loss": 5.5},
         "loss 5.50 %, and another that meets all limits loses 5.00 %"),
        # Where there are limits, the score of another rules nobody out.
        (Bounds((("risk_at_most", 20.0),), best=5.0), {"risk": 19.0, "loss": 4.0}, ""),
    ],
)  # fmt: skip
def test_who_cannot_be_the_best_is_ruled_out_with_the_reason(bounds, figures, why):
    assert bounds.ruled_out(figures) == why


def test_a_row_of_who_is_ruled_out_has_the_loss_and_the_least_risk(table):
    (one,) = plan([dc.MDAV(k=4)], {"all": table.schema.keys}, 1, 0)
    begin = time.perf_counter()
    row = run(replace(one, bounds=Bounds((("loss_at_most", 0.0),))), Originals(table), [])
    assert 0.0 <= row["seconds"] <= time.perf_counter() - begin
    whole = dc.assess(table, dc.MDAV(k=4).mask(table))
    assert row["loss"] == pytest.approx(whole.score.loss)
    assert row["ruled_out"] == f"loss {row['loss']:.2f} % (at most 0)"
    assert 0.0 < row["risk_at_least"] <= whole.score.risk
    assert (row["error"], "risk" in row, "score" in row) == (None, False, False)
    kept = run(replace(one, bounds=Bounds((("loss_at_most", 100.0),))), Originals(table), [])
    assert "ruled_out" not in kept
    assert (kept["risk"], kept["loss"], kept["score"]) == pytest.approx(
        (whole.score.risk, whole.score.loss, whole.score.value)
    )


def test_who_knows_nothing_that_is_released_is_no_risk_that_equal_keys_show(table):
    release = dc.MDAV(k=4).mask(table)

    def least(*intruders):
        return module._least(table, release, table, [Intruder("one", names) for names in intruders], InProcess())

    nobody = least(("elsewhere",))
    assert nobody == least() == {"loss": pytest.approx(dc.assess(table, release).score.loss), "risk": 0.0}
    assert least(("elsewhere",), ("b",))["risk"] == least(("b", "elsewhere"))["risk"] > 0.0


# ----------------------------------------------------------------------------------------------------------- intruders


def test_intruders_know_what_the_attribute_set_has(table):
    assert Scoring().intruders(table) == [Intruder("all keys", ("a", "b", "x"))]
    some = Scoring(
        scenarios=(
            Intruder("near", ("a", "zz"), ("distance",)),
            Intruder("far", ("zz",)),
            Intruder("office", ("x", "b")),
        )
    )
    assert some.intruders(table) == [Intruder("near", ("a",), ("distance",)), Intruder("office", ("x", "b"))]
    assert Scoring(scenarios=(Intruder("far", ("zz",)),)).intruders(table) == [Intruder("all keys", ("a", "b", "x"))]


def test_the_unmasked_file_is_told_for_the_worst_intruder(table):
    frame = table.to_native()
    scoring = Scoring(scenarios=(Intruder("few", ("b",)), Intruder("more", ("a", "b"))))
    risk = 100 * frame.select("a", "b").unique().height / len(table)
    assert unmasked_row(table, scoring) == {
        "risk": pytest.approx(risk), "loss": 0.0, "score": pytest.approx(risk / 2), "intruder": "more",
    }  # fmt: skip
    assert unmasked_row(table, Scoring())["risk"] == 100.0


# ------------------------------------------------------------------------------------------------- plans and candidates


def test_candidates_of_one_label_are_numbered():
    first, second, third, other = dc.MDAV(k=3), dc.MDAV(k=3), dc.MDAV(k=3), dc.MDAV(k=4)
    found = labelled([first, second, other, third])
    name = first.label()
    assert list(found) == [name, f"{name} (2)", other.label(), f"{name} (3)"]
    assert [found[label] for label in found] == [first, second, other, third]
    assert found[f"{name} (2)"] is second


def test_a_plan_repeats_what_draws_and_seeds_by_number():
    draws, fixed = dc.PRAM(theta=0.2), dc.KModes(k=3)
    assert "random_state" in draws.parameter_names()
    still = dc.methods("masker")["ward"](k=3)
    assert "random_state" not in still.parameter_names()
    found = plan([draws, still], {"s": ["a"], "t": ["a", "b"]}, 2, 7)
    assert [(e.number, e.masker, e.keys, e.set_name, e.repetition, e.label) for e in found] == [
        (0, draws, ("a",), "s", 0, draws.label()),
        (1, draws, ("a",), "s", 1, draws.label()),
        (2, still, ("a",), "s", 0, still.label()),
        (3, draws, ("a", "b"), "t", 0, draws.label()),
        (4, draws, ("a", "b"), "t", 1, draws.label()),
        (5, still, ("a", "b"), "t", 0, still.label()),
    ]
    assert [e.seed for e in found] == [seed_from(7, "experiment", number) >> 65 for number in range(6)]
    assert all(0 <= e.seed < 2**63 for e in found)
    assert len({e.seed for e in found}) == 6
    assert plan([fixed], {}, 3, 0) == []


def test_an_experiment_runs_with_its_seed_and_leaves_the_candidate_alone():
    masker = dc.PRAM(theta=0.2)
    one = Experiment(3, masker, ("a",), "s", 0, 11)
    assert one.prepared().get_params()["random_state"] == 11
    assert masker.get_params()["random_state"] is None
    assert one.path() == (3,)
    assert one.prepared() is not masker


def test_the_table_of_a_set_has_its_keys_and_what_is_no_key_and_is_made_once(table):
    originals = Originals(table)
    assert originals.of(("x", "a")).names == ("a", "x", "o")
    assert originals.of(("x", "a")) is originals.of(("x", "a"))
    assert originals.of(("a", "b", "x")).names == ("a", "b", "x", "o")


# ---------------------------------------------------------------------------------------------------------------- rows


def test_a_row_says_what_was_done_and_what_it_gave(table):
    (one,) = plan([dc.MDAV(k=4)], {"all": table.schema.keys}, 1, 0)
    loss = dc.methods("measure")["il1s"]()
    begin = time.perf_counter()
    row = run(one, Originals(table), [loss], Scoring(defaults=False))
    assert 0.0 <= row["seconds"] <= time.perf_counter() - begin
    masked = dc.MDAV(k=4).mask(table)
    whole = dc.assess(table, masked)
    parameters = {f"parameter_{n}" for n in dc.MDAV().parameter_names() if n != "random_state"}
    assert set(row) == parameters | {
        "experiment", "method", "candidate", "attribute_set", "repetition", "seed", "intruder", "linker",
        "worst_column", "loss", "risk", "score", "mean_score", "measure_il1s", "error", "seconds",
    }  # fmt: skip
    assert (row["experiment"], row["method"], row["candidate"]) == (0, "mdav", dc.MDAV(k=4).label())
    assert (row["attribute_set"], row["repetition"], row["seed"]) == ("all", 0, one.seed)
    assert row["parameter_k"] == 4
    assert (row["intruder"], row["linker"], row["worst_column"]) == ("all keys", whole.score.linker, "x")
    assert (row["loss"], row["risk"], row["score"]) == (whole.score.loss, whole.score.risk, whole.score.value)
    assert row["measure_il1s"] == pytest.approx(whole["il1s"].value)
    assert (row["mean_score"], row["error"]) == (None, None)
    assert run(replace(one, label="mine"), Originals(table), [loss])["candidate"] == "mine"


def test_what_was_measured_already_is_the_headline_of_a_study(table):
    (one,) = plan([dc.MDAV(k=4)], {"all": table.schema.keys}, 1, 0)
    taken = [cls() for name, cls in dc.methods("measure").items() if name in ("cell-loss", "distance-linkage")]
    defaults = run(one, Originals(table), taken, Scoring(defaults=True))
    others = run(one, Originals(table), taken, Scoring(defaults=False))
    assert (defaults["loss"], defaults["risk"], defaults["score"]) == (others["loss"], others["risk"], others["score"])
    assert (defaults["measure_cell-loss"], defaults["error"]) == (defaults["loss"], None)


def test_what_the_cells_lost_is_not_measured_twice(table, monkeypatch):
    from discreet.evaluation import headline

    def again(*_):
        raise AssertionError("measured again")

    (one,) = plan([dc.MDAV(k=4)], {"all": table.schema.keys}, 1, 0)
    monkeypatch.setattr(headline, "take_measure", again)
    taken = [dc.methods("measure")["cell-loss"]()]
    for scenarios in ((), (Intruder("he", ("a", "x"), ("distance",)),)):
        row = run(one, Originals(table), taken, Scoring(scenarios=scenarios))
        assert (row["error"], row["loss"]) == (None, row["measure_cell-loss"])
    assert run(one, Originals(table), taken, Scoring(defaults=False))["error"] == "A defect: AssertionError."


def test_the_plain_mean_ranks_by_the_mean_of_the_measures(table):
    (one,) = plan([dc.MDAV(k=4)], {"all": table.schema.keys}, 1, 0)
    measures = [dc.methods("measure")[name]() for name in ("il1s", "distance-linkage")]
    row = run(one, Originals(table), measures, Scoring(score="mean", defaults=False))
    assert (row["loss"], row["risk"]) == (row["measure_il1s"], row["measure_distance-linkage"])
    assert row["score"] == pytest.approx((row["loss"] + row["risk"]) / 2)
    assert "intruder" not in row


def test_an_error_is_told_in_the_row_and_a_defect_by_its_kind_alone(table, monkeypatch):
    (one,) = plan([dc.MDAV(k=400)], {"all": table.schema.keys}, 1, 0)
    begin = time.perf_counter()
    row = run(one, Originals(table), [])
    assert 0.0 <= row["seconds"] <= time.perf_counter() - begin
    assert "400" in row["error"]
    assert "score" not in row

    def broken(*_):
        raise ValueError("secret 4711")

    monkeypatch.setattr(module, "paired", broken)
    (fine,) = plan([dc.MDAV(k=4)], {"all": table.schema.keys}, 1, 0)
    assert run(fine, Originals(table), [])["error"] == "A defect: ValueError."

    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "paired", stopped)
    with pytest.raises(KeyboardInterrupt):
        run(fine, Originals(table), [])


def test_a_mean_that_lacks_what_others_are_made_of_is_refused():
    check = module._check_comparable

    def figure(*, in_score, **details):
        return Measurement("m", "M", "loss", 1.0, 0.0, 1.0, "", "", details=details, in_score=in_score)

    def gap(*, in_score):
        return NotComputed("g", "G", "loss", "no value.", in_score=in_score)

    check([figure(in_score=True), figure(in_score=False, not_compared=["a"])], [gap(in_score=False)])
    with pytest.raises(DataError, match=r"G cannot be computed, so there is no score: no value\."):
        check([], [gap(in_score=True)])
    with pytest.raises(DataError, match=r"M leaves out a, b, so the score cannot be compared"):
        check([figure(in_score=True, not_compared=["a", "b"])], [])


def test_a_chain_that_cannot_be_seeded_shares_its_path_with_nobody(monkeypatch):
    chain = dc.Chain([dc.MDAV(k=3), dc.Rounding(base=5.0)])
    one = Experiment(7, chain, ("a", "x"), "set", 0, 5)
    assert one.path() == (("a", "x"), *chain.seeded(5).step_keys())
    assert Experiment(8, dc.MDAV(k=3), ("a",), "set", 0, 5).path() == (8,)

    def refuse(*_):
        raise DataError("no.")

    monkeypatch.setattr(type(chain), "step_keys", refuse)
    assert one.path() == (7,)
