"""Representatives pair by pair: within one cell they say what the exact search is told."""

from __future__ import annotations

import numpy as np
import pytest
from tests.linkage.unshared.test_structural import latent

from discreet.linkage.unshared.groups_first import _averaged, by_correlation
from discreet.linkage.unshared.near_representatives import near_representatives, weights_of
from discreet.linkage.unshared.representatives import representatives
from discreet.linkage.unshared.structural import (
    _QUANTILES,
    VIEWS,
    representative_evidence,
    views_of,
    whitened_stages,
)


def test_in_one_cell_they_are_the_evidence_of_the_exact_search():
    views = views_of(*latent(80, np.random.default_rng(6)))
    files = {name: tuple(representatives(side, _QUANTILES) for side in views[name]) for name in VIEWS}
    everybody = np.arange(80)
    near = near_representatives(files, ("euclidean", "manhattan", "root"), [(everybody, everybody)])
    expected, _ = representative_evidence(views)
    table = near.table(everybody, everybody)
    # Ways that hardly weigh are left out: each at most a fiftieth of the heaviest.
    assert np.abs(table - expected).max() < 0.1 * np.abs(expected).max()
    assert np.corrcoef(table.ravel(), expected.ravel())[0, 1] > 0.999


def test_the_sharpest_way_weighs_most():
    shares, totals = weights_of({("standard", "root"): 0.34, ("standard", "euclidean"): 0.17, ("ranging", "root"): 0.0})
    assert shares["standard", "root"] == pytest.approx(1 / (1 + 0.5**10))
    assert totals == pytest.approx({"standard": 1.0, "ranging": 0.0})
    assert shares["ranging", "root"] == 1.0


def test_ratings_under_several_matches_are_averaged_by_what_each_is_worth():
    rng = np.random.default_rng(7)
    files, everybody = whitened_stages(views_of(*latent(60, rng)))[-1], np.arange(60)
    first, second = (by_correlation(files, everybody, columns)[0] for columns in (everybody, rng.permutation(60)))
    table = _averaged([(1.0, first), (1.0 - 0.2 * np.log(3), second)]).table(everybody, everybody)
    expected = 0.75 * first.table(everybody, everybody) + 0.25 * second.table(everybody, everybody)
    assert table == pytest.approx(expected)
