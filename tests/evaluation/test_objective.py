"""What a search maximises."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

import discreet as dc
from discreet.errors import DiscreetError, ParameterError
from discreet.evaluation.objective import _prepared, privacy_utility


def test_it_is_minus_the_score_of_the_release_and_leaves_the_masker_alone():
    table = dc.datasets.business(40)
    masker = dc.Rounding(base=100)
    expected = dc.assess(table, dc.Rounding(base=100).mask(table)).score.value
    assert privacy_utility(masker, table) == -expected < 0


def test_what_is_no_masker_is_refused():
    with pytest.raises((DiscreetError, TypeError), match="masker must be a masker"):
        privacy_utility("rounding", dc.datasets.business(40))


class Steps:
    """A pipeline, as far as it is looked at."""

    def __init__(self, *steps):
        self.steps = [(f"step {place}", step) for place, step in enumerate(steps)]

    def __getitem__(self, part):
        return Steps(*(step for _, step in self.steps[part]))

    def fit_transform(self, X, y):
        for _, step in self.steps:
            X = step(X, y)
        return X


@pytest.fixture
def pipelines(monkeypatch):
    for name, module in (
        ("sklearn", SimpleNamespace()),
        ("sklearn.pipeline", SimpleNamespace(Pipeline=Steps)),
        ("sklearn.base", SimpleNamespace(clone=lambda one: one)),
    ):
        monkeypatch.setitem(sys.modules, name, module)


def test_a_pipeline_is_prepared_up_to_its_first_masker(pipelines):
    first, second = dc.Rounding(base=100), dc.Rounding(base=1000)
    pipeline = Steps(lambda X, y: [*X, y], lambda X, y: [*X, 2 * y], first, "passthrough", None, second, max)
    assert _prepared(pipeline, [1], 5) == ([1, 5, 10], [first, second])
    assert _prepared(Steps(first, max), [1], 5) == ([1], [first])


def test_the_maskers_of_a_pipeline_mask_one_after_the_other(pipelines):
    table = dc.datasets.business(40)
    expected = dc.assess(table, dc.Rounding(base=1000).mask(dc.Rounding(base=300).mask(table))).score.value
    pipeline = Steps(lambda X, _y: X.take(range(40)), dc.Rounding(base=300), dc.Rounding(base=1000))
    assert privacy_utility(pipeline, dc.datasets.business(40)) == -expected


def test_pipelines_without_maskers_or_with_others_between_are_refused(pipelines):
    table = dc.datasets.business(40)
    with pytest.raises(ParameterError, match="none of the 2 steps of the pipeline is a masker"):
        privacy_utility(Steps(max, min), table)
    with pytest.raises(ParameterError, match="Clock stands between two maskers"):
        privacy_utility(Steps(dc.Rounding(base=100), Clock(), max, dc.Rounding(base=100)), table)


class Clock:
    """A step that is no masker."""
