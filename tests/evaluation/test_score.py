from __future__ import annotations

import pytest

from discreet.errors import DataError
from discreet.evaluation.score import mean_score
from discreet.results import Measurement


def m(kind, value, name="m"):
    return Measurement(name, "", kind, value, 0, 100, "%", "")


def test_mean_of_means():
    score = mean_score([m("loss", 10, "a"), m("loss", 20, "b"), m("risk", 5, "c")])
    assert (score.loss, score.risk, score.value) == (15, 5, 10)
    assert score.ingredients == {"a": 10, "b": 20, "c": 5}


def test_a_loss_beyond_the_range_counts_as_ruined():
    assert mean_score([m("loss", 400), m("risk", 0)]).value == 50


def test_both_kinds_are_needed():
    with pytest.raises(DataError, match="at least one risk"):
        mean_score([m("loss", 1)])
