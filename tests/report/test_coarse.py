"""What is published of the original: classes at their bounds, shares in steps of ten records, and no moment."""

from __future__ import annotations

import pytest

from discreet.contracts.assessment import Assessment, Score
from discreet.contracts.before_after import ColumnChange, Correlations, Distribution, Flow, Shares
from discreet.contracts.masked import Provenance
from discreet.data.scales import Numeric
from discreet.data.schema import Attribute, Schema
from discreet.report.coarse import class_of, few_changed, publishable, step_of_shares
from discreet.report.contents import Contents

SCHEMA = Schema([Attribute("age", Numeric(), "key")])


def contents(n_records=500, **more):
    assessment = Assessment(n_records, (), (), Score("worst-case", 0.0, 0.0, 0.0, ""))
    return Contents(Provenance("mdav", {}, ("age",), n_records), assessment, SCHEMA, **more)


@pytest.mark.parametrize(
    ("percent", "closed", "open_ended"),
    [
        (0.0, "none", "none"),
        (1e-12, "none", "none"),  # rounding
        (1e-6, "below 1 %", "below 10 %"),
        (0.999, "below 1 %", "below 10 %"),
        (1.0, "1 to 5 %", "below 10 %"),
        (5.0, "5 to 10 %", "below 10 %"),
        (9.999, "5 to 10 %", "below 10 %"),
        (10.0, "above 10 %", "above 10 %"),
        (250.0, "above 10 %", "above 10 %"),
    ],
)
def test_classes_at_their_bounds(percent, closed, open_ended):
    assert class_of(percent) == closed
    assert class_of(percent, open_ended=True) == open_ended


@pytest.mark.parametrize(
    ("n", "step"),
    [(1000, 1), (999, 2), (500, 2), (499, 5), (200, 5), (199, 10), (100, 10), (50, 20), (20, 50), (19, None)],
)
def test_a_step_of_shares_stands_for_ten_records(n, step):
    assert step_of_shares(n) == step
    assert step is None or n * step / 100 >= 10


def test_columns_with_few_changed_cells_lose_their_pictures():
    changes = (ColumnChange("age", 90, None, 0, None, few=True), ColumnChange("job", 90, 40, 0, 3.0))
    shown = contents(
        changes=changes,
        shares=(Shares("age", ("a",), (100.0,), (100.0,)), Shares("job", ("b", "c"), (63.1, 36.9), (61.9, 38.1))),
    )
    assert few_changed(shown) == {"age"}
    (job,) = publishable(shown).shares
    # 500 records: steps of 2 %.
    assert (job.name, job.before, job.after) == ("job", (64.0, 36.0), (62.0, 38.0))


def test_bars_become_whole_steps_of_their_share():
    # Bins of 10 and 30 of 40 in all: heights 2.484 and 0.505 a unit of width are 62.1 % and 37.9 % of the records.
    ages = Distribution("age", (0.0, 10.0, 40.0), (2.484, 0.379 / 0.75), (2.4, 0.4 / 0.75), 17.25, 18.0)
    (age,) = publishable(contents(distributions=(ages,))).distributions
    assert age.before == pytest.approx((0.62 / 0.25, 0.38 / 0.75))
    assert age.after == pytest.approx((0.60 / 0.25, 0.40 / 0.75))
    assert (age.mean_before, age.mean_after) == (18.0, 18.0)  # the original's mean is nowhere
    empty = Distribution("pay", (), (), (), 0.0, 0.0)
    assert publishable(contents(distributions=(empty,))).distributions == ()


def test_steps_of_flows_are_rounded_cell_by_cell():
    days = Flow("days", ("home", "work"), ((0.9, 48.2), (50.9, 0.0)), ((3.1, 46.9), (47.0, 3.0)))
    (flow,) = publishable(contents(flows=(days,))).flows
    assert flow.before == ((0.0, 48.0), (50.0, 0.0))
    assert flow.after == ((4.0, 46.0), (48.0, 4.0))


def test_of_a_file_of_a_dozen_nothing_is_drawn_and_correlations_go_from_any():
    ones = Correlations(("x", "y"), ((1.0, 0.5), (0.5, 1.0)), ((1.0, 0.5), (0.5, 1.0)), ((0.0, 0.0), (0.0, 0.0)), "")
    drawn = {
        "shares": (Shares("job", ("b",), (100.0,), (100.0,)),),
        "flows": (Flow("days", (), (), ()),),
        "distributions": (Distribution("age", (0.0, 1.0), (1.0,), (1.0,), 0.5, 0.5),),
        "correlations": ones,
    }
    few = publishable(contents(12, **drawn))
    assert (few.shares, few.flows, few.distributions, few.correlations) == ((), (), (), None)
    many = publishable(contents(1000, **drawn))
    assert [len(many.shares), len(many.flows), len(many.distributions), many.correlations] == [1, 1, 1, None]
