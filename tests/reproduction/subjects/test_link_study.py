"""The finding of Domingo-Ferrer and Torra (2002) on a small survey; benchmarks/p4_finding.py prints it in full."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.datasets import housing
from discreet.reproduction.subjects.link_study import GROUPS, LINKERS, LOSSES, PRINTED, linkage_study


@pytest.fixture(scope="module")
def study():
    return linkage_study(housing(250), housing(1000, random_state=1))


def test_every_masked_file_meets_every_group(study):
    assert len(study.experiments) == 4 * 9 * 5
    assert {(e.method, e.p, e.group) for e in study.experiments} == {
        (method, p, group) for method in ("top", "bottom", "global", "pram") for p in range(1, 10) for group in GROUPS
    }
    sizes = {group: len(names) for group, names in GROUPS.items()}
    assert sizes == {"u": 6, "l": 3, "s": 4, "m": 3, "o": 3}
    assert set(PRINTED) == set(LOSSES)


def test_links_and_losses_are_in_percent_and_ties_only_add(study):
    for e in study.experiments:
        for name in LINKERS:
            assert 0 <= e.linked[name] <= e.at_best[name] + 1e-9 <= 100 + 1e-6
        assert set(e.losses) == set(LOSSES)
        assert all(value >= 0 for value in e.losses.values())


def test_levels_are_as_far_apart_as_their_ranks():
    """Definition 1 by hand: top coding 4, seen through the group o, every pair compared, ties shared."""
    data = housing(1000)
    names = GROUPS["o"]
    original = np.column_stack([data.encoded(name) for name in names]).astype(float)
    sizes = np.array([len(data.schema[name].scale.levels) for name in names])
    coded = np.minimum(original, sizes - 4)  # the four highest levels become the lowest of them
    gaps = (np.abs(coded[:, None, :] - original[None, :, :]) / sizes).sum(axis=2)
    nearest = np.isclose(gaps, gaps.min(axis=1, keepdims=True), rtol=0, atol=1e-12)
    expected = (nearest.diagonal() / nearest.sum(axis=1)).sum()
    at_last = np.where(nearest, np.inf, gaps)
    second = ~nearest.diagonal() & np.isclose(gaps.diagonal(), at_last.min(axis=1), rtol=0, atol=1e-12)

    study = linkage_study(data, housing(200, random_state=1))
    (ours,) = (e for e in study.experiments if (e.method, e.p, e.group) == ("top", 4, "o"))
    assert 10 * ours.linked["DBRL"] == pytest.approx(expected)
    assert expected == pytest.approx(292.5, abs=0.05)
    assert 0 < 10 * ours.second["DBRL"] <= second.sum()


def test_the_finding_holds(study):
    found = study.averages()
    assert found["PRL"] == pytest.approx(found["DBRL"], abs=6)
    assert found["aware"] > found["DBRL"] + 3
    within = study.correlations(within_groups=True)
    for loss in LOSSES:
        for name in ("PRL", "DBRL"):
            assert within[loss][name] < -0.6, (loss, name)


def test_correlations_are_those_of_the_experiments(study):
    losses = [e.losses["EBILMF"] for e in study.experiments]
    links = [e.linked["DBRL"] for e in study.experiments]
    assert study.correlations()["EBILMF"]["DBRL"] == pytest.approx(np.corrcoef(losses, links)[0, 1])
    text = study.to_text()
    assert "180 experiments" in text
    assert len(text.splitlines()) == 6 + len(LOSSES)


def test_losses_grow_along_every_mask(study):
    for method in ("top", "bottom", "global"):
        for group in GROUPS:
            along = [e for e in study.experiments if (e.method, e.group) == (method, group)]
            # What is merged further can only tell less; distances may shrink where another level stands for the rest.
            assert np.all(np.diff([e.losses["EBILMF"] for e in along]) > -1e-9)
            for loss in ("Dist", "CTBIL", "ACTBIL"):
                assert along[-1].losses[loss] > along[0].losses[loss]
