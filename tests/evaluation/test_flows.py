"""Steps from event to event: right shares, and nobody shown."""

from __future__ import annotations

import pyarrow as pa
import pytest

from discreet.data.sequence_shapes import declare_sequence
from discreet.evaluation.pictures import flows
from discreet.report.charts import flow_chart


def table(paths):
    return declare_sequence(pa.table({"path": paths}), "path", alphabet=["a", "b", "c", "rare"])


def test_shares_of_steps():
    before = table([["a", "b", "c"]] * 6 + [["a", "b"]] * 4)
    after = table([["a", "b"]] * 10)
    (flow,) = flows(before, after)
    assert flow.events == ("a", "b", "c")
    # 16 steps before: a→b 10, b→c 6; after: a→b 10, so b→c is not shown in either.
    assert flow.before[0][1] == pytest.approx(62.5)
    assert flow.after[0][1] == pytest.approx(100)
    assert flow.before[1][2] == 0
    assert flow.after[1][2] == 0


def test_steps_and_events_of_few_records_are_not_shown():
    # One record makes the step c→a twenty times: many steps, one person.
    odd = ["c", "a"] * 20
    data = table([["a", "b", "c"]] * 6 + [["rare", "a"]] * 4 + [odd])
    (flow,) = flows(data, data)
    assert "rare" not in flow.events
    assert flow.before[flow.events.index("c")][flow.events.index("a")] == 0
    assert flow.before[flow.events.index("a")][flow.events.index("b")] > 0


def test_chart_is_an_svg_that_escapes_names():
    data = declare_sequence(pa.table({'<b>"x"': [["a", "b"]] * 6}), '<b>"x"')
    svg = flow_chart(flows(data, data)[0])
    assert svg.startswith("<svg")
    assert "<b>" not in svg
