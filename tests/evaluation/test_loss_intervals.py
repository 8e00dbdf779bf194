"""Losses with intervals: what other samples would have shown."""

from __future__ import annotations

import numpy as np
import pytest

import discreet as dc
from discreet.datasets import business
from discreet.errors import DataError, DiscreetError, ParameterError
from discreet.evaluation.loss_intervals import LossInterval
from discreet.progress import listening


@pytest.fixture(scope="module")
def release():
    table = business(60)
    return table, dc.MDAV(k=5).mask(table)


def test_intervals_are_quantiles_of_losses_of_samples(release):
    table, masked = release
    (found,) = dc.loss_intervals(table, masked, ["il1s"], level=0.8, replicates=15, random_state=3)
    rng = np.random.default_rng(3)
    figures = []
    for _ in range(15):
        rows = rng.integers(0, 60, 60)
        figures.append(dc.IL1s().measure(table.take(rows), masked.microdata.take(rows)).value)
    assert (found.low, found.high) == pytest.approx(np.quantile(figures, [0.1, 0.9]).tolist())
    assert found.value == dc.IL1s().measure(table, masked).value
    assert "80 % of samples" in found.sentence


def test_the_usual_losses_are_those_that_fit(release):
    names = [one.measure for one in dc.loss_intervals(*release, replicates=10)]
    assert {"il1s", "means", "variances"} <= set(names)
    assert "ctbil" not in names


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"measures": ["uniques"]}, ParameterError, "is a risk"),
        ({"level": 1.0}, ParameterError, "level must be below 1"),
        ({"replicates": 3}, ParameterError, "replicates must be"),
        ({"measures": []}, DataError, "no loss can be taken"),
    ],
)
def test_bad_input_gets_its_sentence(release, arguments, error, words):
    with pytest.raises(error, match=words):
        dc.loss_intervals(*release, **arguments)


def test_a_loss_with_its_interval_in_words_and_values():
    one = LossInterval("il1s", "Moved", "%", 12.34567, 10.0, 15.5, 0.9)
    assert one.sentence == ("Moved: 12.35 %; in 90 % of samples of as many records it would be between 10 and 15.5.")
    assert one.to_dict() == {
        "measure": "il1s", "title": "Moved", "unit": "%", "value": 12.34567, "low": 10.0, "high": 15.5, "level": 0.9,
    }  # fmt: skip


def test_each_loss_has_the_interval_of_the_same_samples(release):
    table, masked = release
    both = dc.loss_intervals(table, masked, [dc.IL1s(), "means"], replicates=10, random_state=4)
    assert [one.measure for one in both] == ["il1s", "means"]
    assert both[1:] == dc.loss_intervals(table, masked, ["means"], replicates=10, random_state=4)
    assert both[0].level == 0.95
    assert both[0].unit == dc.IL1s.unit
    assert both[0].title == dc.IL1s.title
    heard = []
    with listening(lambda *report: heard.append(report)):
        dc.loss_intervals(table, masked, ["il1s"], replicates=10)
    assert [one for one in heard if one[0] == "samples"] == [("samples", turn, 10) for turn in range(10)]
    assert both[0] != dc.loss_intervals(table, masked, ["il1s"], replicates=10, random_state=5)[0]


@pytest.mark.parametrize(("fails", "refused"), [(5, False), (6, True)])
def test_a_loss_that_most_samples_lack_has_no_interval(release, fails, refused):
    class Sometimes(dc.IL1s):
        taken = -1

        def measure(self, *tables, **given):
            Sometimes.taken += 1
            if 0 < Sometimes.taken <= fails:
                raise DataError("not of this sample.")
            return super().measure(*tables, **given)

    if refused:
        with pytest.raises(DataError, match="il1s could be taken of 4 of 10 samples only"):
            dc.loss_intervals(*release, [Sometimes()], replicates=10)
    else:
        (one,) = dc.loss_intervals(*release, [Sometimes()], replicates=10)
        assert np.isfinite([one.low, one.high]).all()


def test_what_a_user_named_in_vain_is_refused_and_tables_in_files_too(release, tmp_path):
    with pytest.raises(DiscreetError):
        dc.loss_intervals(*release, ["ctbil"], replicates=10)
    with pytest.raises(ParameterError, match="level must be"):
        dc.loss_intervals(*release, ["il1s"], level=0.0)
    table, _ = release
    dc.write(table, tmp_path / "a.parquet")
    stored = dc.scan(tmp_path / "a.parquet", table.schema)
    with pytest.raises(DataError, match="must be in memory"):
        dc.loss_intervals(stored, stored, ["il1s"])
