"""The finding of Domingo-Ferrer and Torra (2002) on a small survey; benchmarks/p4_finding.py prints it in full."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.datasets import housing
from discreet.reproduction.subjects.link_study import (
    GROUPS,
    LINKERS,
    LOSSES,
    PRINTED,
    LinkageExperiment,
    LinkageStudy,
    linkage_study,
)


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


def made(*, flat=False):
    """Two experiments of every group: what loses more is linked less, the first of a group by its own amount."""
    experiments = []
    for place, group in enumerate(GROUPS):
        for step in range(2):
            links = {"PRL": 60.0 - 10 * step, "DBRL": 50.0 + 10 * place - 20 * step, "aware": 70.0}
            ties = {name: value + 5 * step for name, value in links.items()}
            losses = dict.fromkeys(LOSSES, 0.0 if flat else 1.0 + step)
            second = {"PRL": 1.0, "DBRL": 2.0 * step, "aware": 3.0}
            experiments.append(LinkageExperiment("top", step, group, links, ties, second, losses))
    return LinkageStudy(tuple(experiments))


def test_means_are_over_experiments_with_ties_shared_or_counted():
    study = made()
    assert study.averages() == {"PRL": 55.0, "DBRL": 60.0, "aware": 70.0}
    assert study.averages(at_best=True) == {"PRL": 57.5, "DBRL": 62.5, "aware": 72.5}
    assert study.second_nearest() == {"PRL": 1.0, "DBRL": 1.0, "aware": 3.0}
    assert repr(study) == "LinkageStudy(10 experiments)"


def test_correlations_within_groups_leave_out_what_groups_differ_by():
    study = made()
    # Over all: covariance of −20/4 against the deviation of 0.5 and that of 10·(0…4) with −10 by turns.
    overall = -5 / (0.5 * np.sqrt(200 + 100))
    assert study.correlations()["Dist"] == pytest.approx({"PRL": -1.0, "DBRL": overall, "aware": 0.0})
    assert study.correlations(within_groups=True)["ILMF"] == pytest.approx({"PRL": -1.0, "DBRL": -1.0, "aware": 0.0})
    counted = study.correlations(at_best=True)["Dist"]
    assert counted == pytest.approx({"PRL": -1.0, "DBRL": -3.75 / (0.5 * np.sqrt(200 + 56.25)), "aware": 1.0})
    assert study.correlations(at_best=True, within_groups=True)["Dist"]["aware"] == pytest.approx(1.0)
    assert set(made(flat=True).correlations()["Dist"].values()) == {0.0}, "what is always the same goes with nothing"


def test_the_study_is_told_as_a_table():
    lines = made().to_text().splitlines()
    assert lines[:6] == [
        "10 experiments. Correct links of 100, mean:",
        "  ties shared           PRL 55.0, DBRL 60.0, aware 70.0",
        "  ties count as correct PRL 57.5, DBRL 62.5, aware 72.5",
        "  printed               PRL 57.9, DBRL 59.3, aware 66.3",
        "Correlation of correct links with each loss: probabilistic (PRL), distance-based (DBRL):",
        "               ties shared   within groups    ties counted   within groups         printed",
    ]
    assert lines[6] == "  Dist      -1.000  -0.577  -1.000  -1.000  -1.000  -0.469  -1.000  -1.000  -0.846  -0.911"
    assert [line.split()[0] for line in lines[6:]] == list(LOSSES)
    assert lines[-1].endswith("  -0.909  -0.889")
