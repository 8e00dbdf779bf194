"""Verdicts on assessments made by hand: at the limit, above it, and where nothing can be said."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.contracts.assessment import Assessment, NotComputed, Score
from discreet.contracts.masked import Masked, Provenance
from discreet.contracts.measurement import Measurement
from discreet.errors import DataError, ParameterError, UnknownNameError
from discreet.evaluation.thresholds import check_thresholds, met_unmasked, verify


def assessment(risk=5.0, loss=20.0, unmasked=None, smallest=None, not_computed=(), incomplete=(), **values):
    some = [Measurement(n, n.upper(), "risk", v, 0.0, 100.0, "%", "") for n, v in values.items()]
    if smallest is not None:
        details = {"smallest_group": smallest}
        some.append(Measurement("k-anonymity", "K", "risk", 0.0, 0.0, 100.0, "%", "", details=details))
    score = Score("worst-case", 0.0, loss, risk, "", incomplete=incomplete)
    before = None if unmasked is None else Score("worst-case", 0.0, 0.0, unmasked, "")
    return Assessment(100, (), tuple(some), score, not_computed, unmasked=before)


def test_a_risk_at_its_limit_meets_it_and_the_worst_scenario_is_named():
    both = {"neighbour": assessment(5.0), "press": assessment(3.0)}
    (met,) = verify(both, {"risk_at_most": 5.0})
    assert (met.met, met.value, met.limit) == (True, 5.0, 5.0)
    assert met.sentence == "The risk is 5.00 % (scenario 'neighbour'), at most the limit of 5 %."
    (missed,) = verify(both, {"risk_at_most": 4.99})
    assert (missed.met, missed.sentence) == (
        False, "The risk is 5.00 % (scenario 'neighbour'), above the limit of 4.99 %.",
    )  # fmt: skip


def test_one_assessment_alone_and_losses_name_no_scenario():
    (risk,) = verify(assessment(5.0), {"risk_at_most": 9})
    assert risk.sentence == "The risk is 5.00 %, at most the limit of 9 %."
    (loss,) = verify({"a": assessment(loss=20.0), "b": assessment(loss=20.0)}, {"loss_at_most": 10})
    assert (loss.met, loss.sentence) == (False, "The loss is 20.00 %, above the limit of 10 %.")


def test_a_measure_by_its_name_and_title():
    both = {"a": assessment(suda2=3.0), "b": assessment(suda2=7.0), "c": assessment()}
    (verdict,) = verify(both, {"suda2_at_most": 6})
    assert (verdict.value, verdict.met) == (7.0, False)
    assert verdict.sentence == "SUDA2 is 7.00 % (scenario 'b'), above the limit of 6 %."
    assert check_thresholds({"suda2_at_most": 6, "risk_at_most": 1, "loss_at_most": 1, "smallest_group": 3}) == (
        "suda2",
    )
    with pytest.raises(UnknownNameError, match=r"sudda2_at_most names no measure\. Did you mean 'suda2'"):
        check_thresholds({"sudda2_at_most": 6})


def test_what_was_not_computed_or_does_not_apply_is_no_verdict():
    without = assessment(not_computed=(NotComputed("suda2", "SUDA2", "risk", "too many keys."),))
    with pytest.raises(DataError, match="suda2_at_most cannot be verified: too many keys"):
        verify({"a": assessment(suda2=1.0), "b": without}, {"suda2_at_most": 6})
    with pytest.raises(ParameterError, match="because suda2 does not apply to any scenario"):
        verify(assessment(), {"suda2_at_most": 6})


def test_an_incomplete_risk_can_miss_a_limit_and_never_meet_it():
    partial = {"a": assessment(5.0, incomplete=("Linkage failed.",)), "b": assessment(3.0)}
    (missed,) = verify(partial, {"risk_at_most": 4})
    assert missed.sentence == "The risk is at least 5.00 % (scenario 'a'), above the limit of 4 %."
    with pytest.raises(DataError, match=r"risk is at least 5\.00 %.* \(scenario 'a'\): Linkage failed"):
        verify(partial, {"risk_at_most": 6})
    # The worst is complete, and the other might be worse.
    other = {"a": assessment(2.0, incomplete=("Linkage failed.",)), "b": assessment(3.0)}
    assert verify(other, {"risk_at_most": 1})[0].sentence.startswith("The risk is 3.00 %")
    with pytest.raises(DataError, match="scenario 'a'"):
        verify(other, {"risk_at_most": 6})


def test_the_smallest_group_is_the_smallest_of_all_scenarios():
    both = {"a": assessment(smallest=5), "b": assessment(smallest=3)}
    (enough,) = verify(both, {"smallest_group": 3})
    assert (enough.met, enough.value) == (True, 3.0)
    assert enough.sentence == (
        "The smallest group of records with the same keys has 3 (scenario 'b'), at least the limit of 3."
    )
    (short,) = verify(assessment(smallest=3), {"smallest_group": 4})
    assert (short.met, short.sentence.split("has ")[1]) == (False, "3, below the limit of 4.")
    with pytest.raises(ParameterError, match="no scenario knows keys that can be counted"):
        verify(assessment(), {"smallest_group": 3})


def test_a_limit_that_the_unmasked_file_meets_asks_for_nothing():
    after = {"a": assessment(1.0, unmasked=4.0), "b": assessment(1.0, unmasked=8.0)}
    assert met_unmasked(after, {"risk_at_most": 8.0}) == ("risk_at_most",)
    assert met_unmasked(after, {"risk_at_most": 7.9}) == ()
    (verdict,) = verify(after, {"risk_at_most": 8.0})
    assert verdict.sentence.endswith("The unmasked file, with 8.00 %, meets this limit already: it asks for nothing.")
    assert met_unmasked({"a": assessment()}, {"risk_at_most": 50}) == ()


def test_other_limits_are_compared_with_the_unmasked_file_where_it_was_measured():
    after = {"a": assessment(suda2=1.0, il1s=0.0, smallest=9)}
    before = {"a": assessment(suda2=2.0, il1s=0.0, smallest=4)}
    limits = {"suda2_at_most": 2, "smallest_group": 4, "loss_at_most": 99, "il1s_at_most": 5}
    # A loss the unmasked file has none: that it meets the limit says nothing.
    assert met_unmasked(after, limits, before) == ("suda2_at_most", "smallest_group")
    assert met_unmasked(after, limits) == ()
    assert met_unmasked(after, {"suda2_at_most": 1.9, "smallest_group": 5}, before) == ()
    assert met_unmasked(after, {"suda2_at_most": 2}, {"a": assessment()}) == ()
    suda, group = verify(after, {"suda2_at_most": 2, "smallest_group": 4}, before=before)
    assert "The unmasked file, with 2.00, meets" in suda.sentence
    assert "The unmasked file, with 4 records, meets" in group.sentence


def test_the_groups_of_the_masking_stand_in_where_nothing_counts_keys():
    labels = np.array([0, 0, 0, 1, 1])
    table = dc.microdata(pl.DataFrame({"x": np.arange(5.0)}))
    masked = Masked(table, Provenance("mdav", {}, ("x",), 5, labels=labels))
    (verdict,) = verify(assessment(), {"smallest_group": 2}, masked)
    assert (verdict.name, verdict.value, verdict.limit, verdict.met) == ("smallest_group", 2.0, 2.0, True)
    assert verdict.sentence == "The smallest group of records with the same keys has 2, at least the limit of 2."
    assert verify(assessment(smallest=4), {"smallest_group": 3}, masked)[0].value == 4.0, "counted keys come first"
    without = Masked(table, Provenance("mdav", {}, ("x",), 5))
    with pytest.raises(ParameterError, match="no scenario knows keys that can be counted"):
        verify(assessment(), {"smallest_group": 2}, without)


def test_verdicts_stand_in_the_order_of_the_thresholds_and_ties_are_of_the_first():
    both = {"a": assessment(5.0, 9.0, suda2=7.0, smallest=3), "b": assessment(5.0, 9.0, suda2=7.0, smallest=3)}
    found = verify(both, {"smallest_group": 3, "suda2_at_most": 7, "loss_at_most": 9, "risk_at_most": 5})
    assert [one.name for one in found] == ["smallest_group", "suda2_at_most", "loss_at_most", "risk_at_most"]
    assert [one.met for one in found] == [True] * 4
    assert ["scenario 'a'" in one.sentence for one in found] == [True, True, False, True]
    assert found[1].sentence == "SUDA2 is 7.00 % (scenario 'a'), at most the limit of 7 %."
    assert verify(both, {}) == ()
